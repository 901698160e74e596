//! From the log of a run to its path.

use super::log::{Event, Log, Record, kind};
use expr::{Op, Term, Terms, Variable, mask};
use model::{BranchId, Goal};
use smallvec::SmallVec;
use std::collections::HashSet;
use target::{Approximation, Decision, Path, Way};
use wire::abi::{INVERTED, NO_BRANCH};
use wire::symbolic::{ANONYMOUS, LossSite};

/// Decisions kept of one run.
const MOST_DECISIONS: usize = 1 << 20;

/// Reads the path of the run that took `assignment`. Terms that do not evaluate to what the program computed are
/// dropped and counted: something without shadows has changed memory.
pub(super) fn path(log: &Log, sites: &[LossSite], terms: &mut Terms, assignment: &[u128]) -> Path {
    let mut importer = Importer { log, terms, assignment, known: vec![None; log.records().len()] };
    let mut path = Path::default();
    let mut seen = HashSet::new();
    for event in log.events() {
        let decision = importer.agreed(event).and_then(|term| importer.decision(event, term));
        let Some(decision) = decision else {
            *path.approximations.entry(Approximation::Mismatch).or_default() += 1;
            continue;
        };
        // What must hold anyway, or held before, decides nothing.
        let condition = decision.taken.condition;
        if importer.terms.value(condition) == Some(1) || !seen.insert(condition) {
            continue;
        }
        if path.decisions.len() == MOST_DECISIONS {
            path.cut = true;
            break;
        }
        path.decisions.push(decision);
    }
    if log.is_full() {
        path.cut = true;
        *path.approximations.entry(Approximation::Full).or_default() += 1;
    }
    for (site, count) in log.losses() {
        let what = sites.get(site as usize).map_or("", |s| s.what.as_str());
        *path.approximations.entry(approximation(what)).or_default() += u64::from(count);
        path.losses.push((site, u64::from(count)));
    }
    path
}

fn approximation(what: &str) -> Approximation {
    match what {
        "load" | "store" | "function pointer" | "computed goto" => Approximation::Address,
        "size" | "switch" => Approximation::Argument,
        name if name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains(' ') => {
            Approximation::Instruction(name.to_owned())
        }
        name => Approximation::Call(name.to_owned()),
    }
}

struct Importer<'a> {
    log: &'a Log,
    terms: &'a mut Terms,
    assignment: &'a [u128],
    /// By record: its term, and its value under the assignment.
    known: Vec<Option<(Term, u128)>>,
}

impl Importer<'_> {
    /// The term of an event, if its value is what the program computed.
    fn agreed(&mut self, event: &Event) -> Option<Term> {
        let (term, value) = self.term(event.term)?;
        (value == u128::from(event.value) & mask(self.terms.width(term))).then_some(term)
    }

    fn decision(&mut self, event: &Event, term: Term) -> Option<Decision> {
        match event.kind {
            kind::BRANCH if self.terms.width(term) == 1 => Some(self.branch(event, term)),
            kind::SWITCH => self.switch(event, term),
            kind::PIN => {
                let width = self.terms.width(term);
                let value = self.terms.constant(event.value.into(), width);
                let condition = self.terms.binary(Op::Eq, term, value);
                Some(Decision { taken: Way { goal: None, condition }, others: SmallVec::new() })
            }
            _ => None,
        }
    }

    fn branch(&mut self, event: &Event, holds: Term) -> Decision {
        let branch = BranchId(event.id & !INVERTED);
        let inverted = event.id & INVERTED != 0;
        let fails = self.terms.not(holds);
        let named = branch.0 != ANONYMOUS;
        let way = |outcome: bool, condition| Way {
            goal: named.then_some(Goal { branch, outcome: outcome != inverted }),
            condition,
        };
        let (yes, no) = (way(true, holds), way(false, fails));
        if event.value != 0 {
            Decision { taken: yes, others: SmallVec::from_elem(no, 1) }
        } else {
            Decision { taken: no, others: SmallVec::from_elem(yes, 1) }
        }
    }

    /// The rows of the table are those of the probe; several rows one after the other may share a branch.
    fn switch(&mut self, event: &Event, value: Term) -> Option<Decision> {
        // SAFETY: the address of a constant of the loaded object, passed by its code.
        let (rows, default) = unsafe {
            let table = event.table as *const u64;
            let rows = std::slice::from_raw_parts(table.add(2).cast::<[u64; 3]>(), *table as usize);
            (rows, *table.add(1))
        };
        let mut ways: Vec<(Way, bool)> = Vec::new();
        let mut none = self.terms.truth(true);
        let mut any_taken = false;
        for rows in rows.chunk_by(|a, b| a[0] == b[0]) {
            let mut here = self.terms.truth(false);
            let mut taken = false;
            for &[_, low, high] in rows {
                let inside = self.in_range(value, low, high);
                here = self.terms.binary(Op::Or, here, inside);
                taken |= (low as i64..=high as i64).contains(&(event.value as i64));
            }
            let elsewhere = self.terms.not(here);
            none = self.terms.binary(Op::And, none, elsewhere);
            any_taken |= taken;
            let goal = Goal { branch: BranchId(rows[0][0] as u32), outcome: true };
            ways.push((Way { goal: Some(goal), condition: here }, taken));
        }
        let goal = (default != NO_BRANCH).then_some(Goal { branch: BranchId(default as u32), outcome: true });
        ways.push((Way { goal, condition: none }, !any_taken));
        let taken = ways.iter().position(|&(_, taken)| taken)?;
        let taken = ways.remove(taken).0;
        let others = ways.into_iter().map(|(way, _)| way).collect();
        Some(Decision { taken, others })
    }

    fn in_range(&mut self, value: Term, low: u64, high: u64) -> Term {
        let width = self.terms.width(value);
        let first = self.terms.constant(low.into(), width);
        if low == high {
            return self.terms.binary(Op::Eq, value, first);
        }
        let offset = self.terms.binary(Op::Sub, value, first);
        let span = self.terms.constant(high.wrapping_sub(low).into(), width);
        self.terms.binary(Op::Ule, offset, span)
    }

    /// The term of a record. Records only name earlier ones; what does not comes from a damaged log.
    fn term(&mut self, number: u32) -> Option<(Term, u128)> {
        let mut todo = vec![number];
        while let Some(&number) = todo.last() {
            if self.known.get(number as usize)?.is_some() {
                todo.pop();
                continue;
            }
            let record = self.log.records()[number as usize];
            let op = Op::from_code(record.op)?;
            let before = todo.len();
            let operands = [record.a, record.b, record.c];
            for &operand in operands[..op.arity()].iter().chain(self.rows(op, &record)?) {
                if operand == 0 || operand >= number {
                    return None;
                }
                if self.known[operand as usize].is_none() {
                    todo.push(operand);
                }
            }
            if todo.len() == before {
                self.known[number as usize] = Some(self.make(op, &record)?);
                todo.pop();
            }
        }
        self.known[number as usize]
    }

    /// The rows of a lookup.
    fn rows(&self, op: Op, record: &Record) -> Option<&[u32]> {
        if op != Op::Lookup {
            return Some(&[]);
        }
        let first = record.b as usize;
        self.log.rows().get(first..first + record.c as usize).filter(|rows| !rows.is_empty())
    }

    /// The term of a record whose operands are known, and its value.
    fn make(&mut self, op: Op, record: &Record) -> Option<(Term, u128)> {
        let width = u32::from(record.width);
        if !(1..=128).contains(&width) {
            return None;
        }
        match op {
            Op::Wide => None,
            Op::Const => {
                let value = u128::from(record.a) | u128::from(record.b) << 32;
                Some((self.terms.constant(value, width), value & mask(width)))
            }
            Op::Var => {
                let value = self.assignment.get(record.a as usize).copied().unwrap_or(0);
                Some((self.terms.variable(Variable(record.a), width), value & mask(width)))
            }
            Op::Lookup => {
                let rows: Option<Vec<(Term, u128)>> =
                    self.rows(op, record)?.iter().map(|&row| self.known[row as usize]).collect();
                let rows = rows?;
                let (index, number) = self.known[record.a as usize]?;
                let chosen = usize::try_from(number).map_or(rows.len() - 1, |i| i.min(rows.len() - 1));
                let table = rows.iter().map(|&(term, _)| term).collect();
                Some((self.terms.lookup(index, table), rows[chosen].1))
            }
            _ => self.operation(op, record, width),
        }
    }

    fn operation(&mut self, op: Op, record: &Record, width: u32) -> Option<(Term, u128)> {
        let mut operands = [Term(0); 3];
        let mut values = [0; 3];
        let mut widths = [0; 3];
        for (i, number) in [record.a, record.b, record.c].into_iter().enumerate().take(op.arity()) {
            (operands[i], values[i]) = self.known[number as usize]?;
            widths[i] = self.terms.width(operands[i]);
        }
        let extra = u32::from(record.extra);
        let term = self.terms.checked(op, width, extra, &operands[..op.arity()])?;
        Some((term, expr::apply(op, width, extra, values, widths)))
    }
}
