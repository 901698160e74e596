//! From the log of a run to its path.

use super::log::{Event, Log, NEGATED, Record, kind, number};
use expr::{Op, Term, Terms, Variable, mask};
use model::{BranchId, Goal};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use target::{Approximation, Decision, Missing, Path, Use, UseKind, Way};
use wire::abi::INVERTED;
use wire::symbolic::{ANONYMOUS, Access, LossSite, UNNAMED_WAYS};

/// Numbers remembered while a log is read.
const NUMBERS: usize = 256;
/// Decisions kept of one run.
const MOST_DECISIONS: usize = 1 << 20;

/// Reads the path of the run that took `assignment`. Terms that do not evaluate to what the program computed are
/// dropped and counted: something without shadows has changed memory.
pub(super) fn path(log: &Log, sites: &[LossSite], terms: &mut Terms, assignment: &[u128]) -> Path {
    let known = Importer::new(log, terms, assignment).all();
    let mut reader = Reader { known, terms };
    let mut path = Path::default();
    path.decisions.reserve(log.events().len().min(MOST_DECISIONS));
    let mut seen = Bits::default();
    for event in log.events() {
        match event.kind {
            kind::USED => {
                path.uses.extend(use_of(log, event));
                continue;
            }
            kind::MEMBER => {
                path.members.extend(use_of(log, event));
                continue;
            }
            kind::EXTRA => {
                path.extras.push(super::variadic::read(event));
                continue;
            }
            _ => {}
        }
        let decision = reader.agreed(event).and_then(|term| reader.decision(event, term));
        let Some(decision) = decision else {
            *path.approximations.entry(Approximation::Mismatch).or_default() += 1;
            continue;
        };
        // What must hold anyway, or held before, decides nothing.
        let condition = decision.taken.condition;
        if reader.terms.value(condition) == Some(1) || !seen.insert(condition.index()) {
            continue;
        }
        if path.decisions.len() == MOST_DECISIONS {
            path.cut = true;
            break;
        }
        path.decisions.push(decision);
    }
    path.has_written = log.has_written();
    path.missing = log.missing().and_then(|(record, bytes)| {
        let record = log.records().get(record as usize)?;
        Some(Missing { pointer: Variable(record.a), bytes })
    });
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

/// What an event tells about the type of an object.
fn use_of(log: &Log, event: &Event) -> Option<Use> {
    let pointer = Variable(log.records().get(event.term as usize)?.a);
    let (kind, bytes) = Access::read(event.id);
    let kind = match Access::ALL.get(kind as usize)? {
        Access::Integer => UseKind::Integer,
        Access::Float => UseKind::Float,
        Access::Pointer => UseKind::Pointer,
    };
    Some(Use { pointer, offset: event.value, bytes, kind })
}

/// A set of small numbers.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// Adds a number; false if it was there.
    #[inline]
    fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word >= self.0.len() {
            self.0.resize((word + 1).max(self.0.len() * 2), 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }
}

fn approximation(what: &str) -> Approximation {
    match what {
        "load" | "store" | "function pointer" | "computed goto" => Approximation::Address,
        "switch" => Approximation::Switch,
        "extent" => Approximation::Extent,
        name if name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains(' ') => {
            Approximation::Instruction(name.to_owned())
        }
        name => Approximation::Call(name.to_owned()),
    }
}

/// Makes decisions of events.
struct Reader<'a> {
    known: Vec<Known>,
    terms: &'a mut Terms,
}

impl Reader<'_> {
    /// The term of an event, if its value is what the program computed.
    fn agreed(&mut self, event: &Event) -> Option<Term> {
        let known = self.known.get(event.term as usize)?.get()?;
        let width = known.width;
        // Branches, switches and pins are of up to 64 bits.
        (width <= 64 && known.value == event.value & mask(width) as u64).then_some(known.term)
    }

    fn decision(&mut self, event: &Event, term: Term) -> Option<Decision> {
        match event.kind {
            kind::BRANCH if self.terms.width(term) == 1 => Some(self.branch(event, term)),
            kind::SWITCH => self.switch(event, term),
            kind::FOLLOWED => Some(Decision::assumption(term)),
            kind::PIN => {
                let width = self.terms.width(term);
                let value = self.terms.constant(event.value.into(), width);
                let condition = self.terms.binary(Op::Eq, term, value);
                Some(Decision::pin(condition))
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
            Decision::between(yes, SmallVec::from_elem(no, 1))
        } else {
            Decision::between(no, SmallVec::from_elem(yes, 1))
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
        let goal =
            |way: u64| (way < UNNAMED_WAYS).then_some(Goal { branch: BranchId(way as u32), outcome: true });
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
            ways.push((Way { goal: goal(rows[0][0]), condition: here }, taken));
        }
        ways.push((Way { goal: goal(default), condition: none }, !any_taken));
        let taken = ways.iter().position(|&(_, taken)| taken)?;
        let taken = ways.remove(taken).0;
        let others = ways.into_iter().map(|(way, _)| way).collect();
        Some(Decision::between(taken, others))
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
}

/// What a record became: its term, the width of that, and the low half of its value under the assignment.
#[derive(Clone, Copy)]
struct Known {
    value: u64,
    term: Term,
    /// 0 if it became nothing.
    width: u32,
}

impl Known {
    const NOTHING: Known = Known { value: 0, term: Term(0), width: 0 };

    #[inline]
    fn get(self) -> Option<Known> {
        (self.width != 0).then_some(self)
    }
}

/// Makes terms of records. Records only name earlier ones; what does not comes from a damaged log and becomes nothing.
struct Importer<'a> {
    log: &'a Log,
    terms: &'a mut Terms,
    assignment: &'a [u128],
    known: Vec<Known>,
    /// High halves of values.
    high: FxHashMap<u32, u64>,
    /// Numbers that were operands, to find them without asking the store; each has one place here.
    numbers: [Known; NUMBERS],
}

impl<'a> Importer<'a> {
    fn new(log: &'a Log, terms: &'a mut Terms, assignment: &'a [u128]) -> Importer<'a> {
        let known = vec![Known::NOTHING; log.records().len()];
        Importer {
            log,
            terms,
            assignment,
            known,
            high: FxHashMap::default(),
            numbers: [Known::NOTHING; NUMBERS],
        }
    }

    /// Everything that the events are made of. Operands come first in the log, so one way through it is enough.
    fn all(mut self) -> Vec<Known> {
        let (needed, count) = self.needed();
        // Beside them there are numbers, negations, parts.
        self.terms.reserve(count + count / 2 + self.log.events().len());
        let records = self.log.records();
        for (number, (record, _)) in
            records.iter().zip(&needed).enumerate().filter(|(_, (_, needed))| **needed)
        {
            let made = match Op::from_code(record.op) {
                Some(op) if op.arity() == 2 => self.binary(number as u32, op, record),
                Some(op) => self.other(number as u32, op, record).unwrap_or(Known::NOTHING),
                None => Known::NOTHING,
            };
            self.known[number] = made;
        }
        self.known
    }

    /// Whether events need a record, for each, and how many they need.
    fn needed(&self) -> (Vec<bool>, usize) {
        let records = self.log.records();
        let mut needed = vec![false; records.len()];
        for event in self.log.events() {
            if let Some(needed) = needed.get_mut(event.term as usize) {
                *needed = true;
            }
        }
        let mut count = 0;
        for number in (0..needed.len()).rev() {
            if needed[number] {
                let record = &records[number];
                count += 1;
                self.operands(record, |operand| {
                    if let Some(needed) = needed.get_mut(operand as usize) {
                        *needed = true;
                    }
                });
            }
        }
        (needed, count)
    }

    /// Calls back for everything that a record is made of.
    #[inline]
    fn operands(&self, record: &Record, mut each: impl FnMut(u32)) {
        let Some(op) = Op::from_code(record.op) else { return };
        match op.arity() {
            2 => {
                // Record 0 is nobody's, so it may stand for a number.
                each(if record.number == number::FIRST { 0 } else { record.a });
                each(if record.number == number::SECOND { 0 } else { record.b });
            }
            0 => {}
            1 => {
                each(record.a);
                self.rows(op, record).iter().copied().for_each(each);
            }
            _ => [record.a, record.b, record.c].into_iter().for_each(each),
        }
    }

    /// The rows of a lookup.
    fn rows(&self, op: Op, record: &Record) -> &'a [u32] {
        if op != Op::Lookup {
            return &[];
        }
        let first = record.b as usize;
        self.log.rows().get(first..first + record.c as usize).unwrap_or(&[])
    }

    /// An earlier record; later ones have become nothing yet.
    #[inline]
    fn known(&self, number: u32) -> Known {
        self.known.get(number as usize).copied().unwrap_or(Known::NOTHING)
    }

    fn operand(&self, number: u32) -> Option<Known> {
        self.known(number).get()
    }

    fn value(&self, number: u32, known: Known) -> u128 {
        let high = if known.width > 64 { self.high.get(&number).copied().unwrap_or(0) } else { 0 };
        u128::from(high) << 64 | u128::from(known.value)
    }

    fn valued(&mut self, at: u32, term: Term, width: u32, value: u128) -> Known {
        if width > 64 {
            self.high.insert(at, (value >> 64) as u64);
        }
        Known { value: value as u64, term, width }
    }

    /// The term of record `at`, whose operands are known, and its value.
    #[inline(never)]
    fn other(&mut self, at: u32, op: Op, record: &Record) -> Option<Known> {
        match op.arity() {
            0 => self.leaf(at, op, record),
            1 if op == Op::Lookup => self.lookup(at, record),
            1 => self.unary(at, op, record),
            _ => self.ternary(at, op, record),
        }
    }

    fn unary(&mut self, at: u32, op: Op, record: &Record) -> Option<Known> {
        let (width, extra) = (u32::from(record.width), u32::from(record.extra));
        let a = self.operand(record.a)?;
        let from = a.width;
        let term = self.terms.checked_unary(op, width, extra, a.term)?;
        if width.max(from) <= 64 {
            let value = expr::apply_narrow(op, width, extra, [a.value, 0, 0], [from, 0]);
            return Some(Known { value, term, width });
        }
        let value = expr::apply(op, width, extra, [self.value(record.a, a), 0, 0], [from, 0, 0]);
        Some(self.valued(at, term, width, value))
    }

    /// Of two operands, as nearly all are.
    #[inline]
    fn binary(&mut self, at: u32, op: Op, record: &Record) -> Known {
        let mut op = op;
        let (a, b) = match record.number {
            number::SECOND => {
                let a = self.known(record.a);
                let mut number = u64::from(record.b) | u64::from(record.c) << 32;
                if op == Op::Sub {
                    // Terms add numbers.
                    let unused = 64_u32.saturating_sub(a.width) & 63;
                    (op, number) = (Op::Add, number.wrapping_neg() << unused >> unused);
                }
                (a, self.number(number, a.width))
            }
            number::FIRST => {
                let b = self.known(record.b);
                (self.number(u64::from(record.a) | u64::from(record.c) << 32, b.width), b)
            }
            _ => (self.known(record.a), self.known(record.b)),
        };
        if a.width == 0 || b.width == 0 {
            return Known::NOTHING;
        }
        let width = u32::from(record.width);
        let Some(term) = self.terms.checked_binary(op, width, a.term, b.term) else { return Known::NOTHING };
        if width.max(a.width).max(b.width) > 64 {
            return self.wide(at, op, record, term, [a, b]);
        }
        let value = expr::apply_narrow(op, width, 0, [a.value, b.value, 0], [a.width, b.width]);
        let known = Known { value, term, width };
        if record.extra == NEGATED { self.negated(known) } else { known }
    }

    #[cold]
    fn wide(&mut self, at: u32, op: Op, record: &Record, term: Term, [a, b]: [Known; 2]) -> Known {
        let values = [self.value(record.a, a), self.value(record.b, b), 0];
        let width = u32::from(record.width);
        let value = expr::apply(op, width, 0, values, [a.width, b.width, 0]);
        self.valued(at, term, width, value)
    }

    #[inline]
    fn negated(&mut self, known: Known) -> Known {
        Known { term: self.terms.not(known.term), value: known.value ^ 1, ..known }
    }

    fn ternary(&mut self, at: u32, op: Op, record: &Record) -> Option<Known> {
        let numbers = [record.a, record.b, record.c];
        let [Some(a), Some(b), Some(c)] = numbers.map(|number| self.operand(number)) else { return None };
        let width = u32::from(record.width);
        let term = self.terms.checked(op, width, 0, &[a.term, b.term, c.term])?;
        let values = [(record.a, a), (record.b, b), (record.c, c)];
        let values = values.map(|(number, known)| self.value(number, known));
        let value = expr::apply(op, width, 0, values, [a, b, c].map(|known| known.width));
        Some(self.valued(at, term, width, value))
    }

    /// A number beside an operand of this width.
    #[inline]
    fn number(&mut self, value: u64, width: u32) -> Known {
        let place = (value ^ value >> 8 ^ u64::from(width)) as usize % NUMBERS;
        let known = self.numbers[place];
        if known.width == width && known.value == value {
            return known;
        }
        let made = self.new_number(value, width);
        self.numbers[place] = made;
        made
    }

    #[cold]
    fn new_number(&mut self, value: u64, width: u32) -> Known {
        match width {
            0 => Known::NOTHING,
            _ => Known { value, term: self.terms.constant(value.into(), width), width },
        }
    }

    fn leaf(&mut self, at: u32, op: Op, record: &Record) -> Option<Known> {
        let width = u32::from(record.width);
        if !(1..=128).contains(&width) {
            return None;
        }
        let (term, value) = match op {
            Op::Const => {
                let value = u128::from(record.a) | u128::from(record.b) << 32;
                (self.terms.constant(value, width), value & mask(width))
            }
            Op::Var => {
                let value = self.assignment.get(record.a as usize).copied().unwrap_or(0);
                (self.terms.variable(Variable(record.a), width), value & mask(width))
            }
            _ => return None,
        };
        Some(self.valued(at, term, width, value))
    }

    fn lookup(&mut self, at: u32, record: &Record) -> Option<Known> {
        let index = self.operand(record.a)?;
        let number = self.value(record.a, index);
        let rows = self.rows(Op::Lookup, record);
        let last = rows.len().checked_sub(1)?;
        let mut operands = vec![index.term];
        for &row in rows {
            operands.push(self.operand(row)?.term);
        }
        let chosen = rows[usize::try_from(number).map_or(last, |i| i.min(last))];
        let value = self.value(chosen, self.known[chosen as usize]);
        let width = u32::from(record.width);
        let term = self.terms.checked(Op::Lookup, width, 0, &operands)?;
        Some(self.valued(at, term, width, value))
    }
}
