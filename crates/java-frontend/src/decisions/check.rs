//! Whether the jumps of a decision lead on as the source says.

use super::Jump;
use super::form::Next;
use super::jumps::Candidate;
use java_classfile::{Code, Instruction, Pc};
use std::collections::HashSet;

/// Follows every jump of a decision both ways: to where the code of the next condition begins, or to the end with that outcome, which is the same
/// place for all. Of jumps whose meaning is not known yet, the one that fits is found.
pub(super) fn check(
    code: &Code,
    ways: &[Option<[Next; 2]>],
    copy: &[Candidate],
) -> Result<Vec<Jump>, &'static str> {
    let begins = begins(code, ways.len(), copy);
    let mut ends = [None; 2];
    let mut jumps = Vec::new();
    // What is known first: it says where the ends are.
    let (known, open): (Vec<&Candidate>, Vec<&Candidate>) =
        copy.iter().partition(|jump| jump.taken_is.is_some());
    for jump in known.into_iter().chain(open) {
        let next = ways[jump.condition].ok_or("a constant is evaluated")?;
        let [fall, target] = successors(code, jump.pc).ok_or("no jump")?;
        let fit = |taken_is: bool| {
            let mut ends = ends;
            let leads = [(target, taken_is), (fall, !taken_is)];
            leads
                .iter()
                .all(|&(pc, value)| fits(pc, next[usize::from(value)], &begins, &mut ends))
                .then_some(ends)
        };
        let meanings: Vec<bool> = match jump.taken_is {
            Some(known) => vec![known],
            None => vec![false, true],
        };
        let fitting: Vec<(bool, [Option<Pc>; 2])> =
            meanings.into_iter().filter_map(|taken_is| Some((taken_is, fit(taken_is)?))).collect();
        let [(taken_is, now)] = fitting[..] else {
            return Err(match fitting[..] {
                [] => "its conditions do not lead on in the code as the source says",
                _ => "both outcomes lead to the same place",
            });
        };
        ends = now;
        jumps.push(Jump { condition: jump.condition, pc: jump.pc, taken_is });
    }
    jumps.sort_unstable_by_key(|jump| jump.pc);
    Ok(jumps)
}

/// By condition: where its code begins, which is behind the last jump of the one before it.
fn begins(code: &Code, conditions: usize, copy: &[Candidate]) -> Vec<Option<Pc>> {
    let mut begins = vec![None; conditions];
    for pair in copy.windows(2).filter(|pair| pair[0].condition != pair[1].condition) {
        begins[pair[1].condition] = successors(code, pair[0].pc).map(|[fall, _]| fall);
    }
    begins
}

fn fits(pc: Pc, next: Next, begins: &[Option<Pc>], ends: &mut [Option<Pc>; 2]) -> bool {
    match next {
        Next::Condition(number) => begins[number] == Some(pc),
        Next::End(outcome) => *ends[usize::from(outcome)].get_or_insert(pc) == pc,
    }
}

/// Where control goes if a jump is not taken, and if it is; jumps that are always taken are none.
fn successors(code: &Code, pc: Pc) -> Option<[Pc; 2]> {
    let at = code.position(pc)?;
    let target = *code.instructions[at].1.targets().first()?;
    Some([code.end_of(at), target].map(|pc| resolved(code, pc)))
}

fn resolved(code: &Code, mut pc: Pc) -> Pc {
    let mut seen = HashSet::new();
    while let Some(Instruction::Goto { target }) = code.at(pc).filter(|_| seen.insert(pc)) {
        pc = *target;
    }
    pc
}
