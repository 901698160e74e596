//! The jumps of the conditions of a decision, from the compiler's tables.
//!
//! ```text
//! a && b     0  load a       range of a: 0 to 0, controls      ─► the jump behind it is that of a
//!            1  ifeq 8       range of a: jump if false         ─► taken means that a is false
//!            4  load b       range of b: 4 to 4, is controlled ─► the jump behind it is that of b
//!            5  ifeq 8       range of a && b: jump if false    ─► b ends it, so taken means that b is false
//! ```

use super::form::Next;
use super::{Condition, Range, Written};
use crate::jacoco::same_opcode;
use java_classfile::{CharacterRange, Code, Instruction, Pc};
use std::collections::{BTreeMap, HashMap};

/// What the tables of a method say.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    /// By part of the source: where its evaluation begins, and the instruction behind it.
    evaluated: HashMap<Range, Vec<(Pc, Pc)>>,
    /// The jumps that test it, and whether they are taken if it is true.
    tested: HashMap<Range, Vec<(Pc, bool)>>,
}

impl Ranges {
    /// From the tables of a method's twin; `None` if that has other code.
    pub(super) fn of(code: &Code, twin: &Code) -> Option<Ranges> {
        let places = places(code, twin)?;
        let mut ranges = Ranges::default();
        for range in twin.ranges.iter().filter(|range| range.flags & CharacterRange::STATEMENT == 0) {
            let part = [range.start, range.end];
            let (first, behind) = (places.get(&range.first), places.get(&(range.last + 1)));
            if range.flags & (CharacterRange::CONTROLLER | CharacterRange::TARGET) != 0
                && let (Some(&first), Some(&behind)) = (first, behind)
            {
                ranges.evaluated.entry(part).or_default().push((first, behind));
            }
            for (flag, taken_if) in [(CharacterRange::IF_TRUE, true), (CharacterRange::IF_FALSE, false)] {
                if let Some(&first) = first.filter(|_| range.flags & flag != 0) {
                    ranges.tested.entry(part).or_default().push((first, taken_if));
                }
            }
        }
        Some(ranges)
    }
}

/// By offset in the twin: the same instruction in the method. With tables the compiler neither shortens jumps to jumps nor leaves out those to
/// the next instruction; all else must be the same.
fn places(code: &Code, twin: &Code) -> Option<HashMap<Pc, Pc>> {
    let is_kept = |(_, instruction): &&(Pc, Instruction)| !matches!(instruction, Instruction::Goto { .. });
    let [one, other] = [code, twin].map(|code| code.instructions.iter().filter(is_kept).collect::<Vec<_>>());
    let is_same = one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| same_opcode(&a.1, &b.1));
    is_same.then(|| other.iter().zip(&one).map(|(twin, own)| (twin.0, own.0)).collect())
}

/// A jump before it is known what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub(super) condition: usize,
    pub(super) pc: Pc,
    /// Where the evaluation of the condition begins.
    begin: Pc,
    /// The value of the condition if it is taken, as far as the tables say so.
    pub(super) taken_is: Option<bool>,
}

/// The jumps of a decision in a method, copy by copy; empty if it does not have the decision.
pub(super) fn copies(
    written: &Written,
    ways: &[Option<[Next; 2]>],
    code: &Code,
    ranges: &Ranges,
) -> Result<Vec<Vec<Candidate>>, &'static str> {
    let mut by_pc: BTreeMap<Pc, Candidate> = BTreeMap::new();
    for (number, condition) in written.conditions.iter().enumerate() {
        if ways[number].is_none() {
            continue;
        }
        for candidate in candidates(number, condition, code, ranges) {
            if by_pc.insert(candidate.pc, candidate).is_some_and(|other| other.condition != number) {
                return Err("two of its conditions have the same jump");
            }
        }
    }
    let all: Vec<Candidate> = by_pc.into_values().collect();
    let is_one = |a: &Candidate, b: &Candidate| {
        a.condition < b.condition || a.condition == b.condition && written.conditions[a.condition].is_choice
    };
    let mut copies: Vec<Vec<Candidate>> = all.chunk_by(is_one).map(<[Candidate]>::to_vec).collect();
    for copy in &mut copies {
        for number in (0..ways.len()).filter(|&number| ways[number].is_some()) {
            if copy.iter().all(|jump| jump.condition != number) {
                let found = written.conditions[number].is_instance.then(|| instance(number, copy, code));
                copy.push(found.flatten().ok_or("the compiler does not say where all its conditions are")?);
                copy.sort_unstable_by_key(|jump| jump.pc);
            }
        }
    }
    Ok(copies)
}

/// The jumps behind what decides a condition.
fn candidates(number: usize, condition: &Condition, code: &Code, ranges: &Ranges) -> Vec<Candidate> {
    let mut begins: BTreeMap<Pc, Pc> = BTreeMap::new();
    for mark in condition.marks.iter().filter(|mark| mark.is_own) {
        for &(begin, behind) in ranges.evaluated.get(&mark.range).into_iter().flatten() {
            if code.at(behind).is_some_and(Instruction::is_conditional) {
                let first = begins.entry(behind).or_insert(begin);
                *first = begin.min(*first);
            }
        }
    }
    let meaning = |pc: Pc| {
        let tests = condition.marks.iter().flat_map(|mark| {
            let tests = ranges.tested.get(&mark.range).into_iter().flatten();
            tests.filter(|test| test.0 == pc).map(|test| test.1 != mark.is_negated)
        });
        let mut tests = tests.collect::<Vec<bool>>().into_iter();
        tests.next()
    };
    let candidate =
        |(&pc, &begin): (&Pc, &Pc)| Candidate { condition: number, pc, begin, taken_is: meaning(pc) };
    begins.iter().map(candidate).collect()
}

/// The jump of a test for a class whose place was lost, because the compiler made something else of it: the last one before the next
/// condition, or the first one after the condition before.
fn instance(number: usize, copy: &[Candidate], code: &Code) -> Option<Candidate> {
    let before = copy.iter().filter(|jump| jump.condition < number).map(|jump| jump.pc).max();
    let behind = copy.iter().filter(|jump| jump.condition > number).map(|jump| jump.begin).min();
    let tests = code.instructions.windows(2).filter_map(|pair| match pair {
        [(begin, Instruction::InstanceOf(_)), (pc, jump)] if jump.is_conditional() => Some((*begin, *pc)),
        _ => None,
    });
    let mut tests = tests.filter(|test| before.is_none_or(|before| test.1 > before));
    let (begin, pc) = match behind {
        Some(behind) => tests.rfind(|test| test.1 < behind)?,
        None => tests.next()?,
    };
    Some(Candidate { condition: number, pc, begin, taken_is: None })
}
