//! Constructors against the plain meaning of operations, on random programs over all operations and widths.

use expr::{Op, Tape, Term, Terms, Variable, VariableSets, apply, mask};
use proptest::prelude::*;

/// One line of a program, before widths are made to fit: what to do and which earlier lines to take.
#[derive(Clone, Debug)]
struct Line {
    op: u8,
    operands: [u8; 3],
    width: u8,
    low: u8,
    number: u128,
    kind: u8,
}

/// A line as it was built, kept beside the simplified term.
struct Made {
    term: Term,
    width: u32,
    step: Step,
}

enum Step {
    Number(u128),
    Variable(usize),
    Apply(Op, u32, Vec<usize>),
    Lookup(usize, Vec<usize>),
}

struct Program {
    terms: Terms,
    made: Vec<Made>,
}

const WIDTHS: [u32; 12] = [1, 8, 16, 32, 64, 128, 3, 7, 33, 63, 65, 100];

impl Program {
    fn new(lines: &[Line]) -> Program {
        let mut program = Program { terms: Terms::new(), made: Vec::new() };
        for (i, width) in WIDTHS.into_iter().enumerate() {
            let term = program.terms.variable(Variable(i as u32), width);
            program.made.push(Made { term, width, step: Step::Variable(i) });
        }
        for line in lines {
            program.line(line);
        }
        program
    }

    fn number(&mut self, value: u128, width: u32) -> usize {
        let value = value & mask(width);
        let term = self.terms.constant(value, width);
        self.push(term, width, Step::Number(value))
    }

    fn push(&mut self, term: Term, width: u32, step: Step) -> usize {
        self.made.push(Made { term, width, step });
        self.made.len() - 1
    }

    /// An earlier line of this width or a number that is likely to set off a rule.
    fn fitting(&mut self, pick: u8, width: u32, line: &Line) -> usize {
        let same: Vec<usize> = (0..self.made.len()).rev().filter(|&i| self.made[i].width == width).collect();
        if line.kind.is_multiple_of(3) || same.is_empty() {
            let numbers = [0, 1, u128::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, 0xff, 8, line.number];
            return self.number(numbers[usize::from(line.kind / 3 % 8)], width);
        }
        same[usize::from(pick) % same.len()]
    }

    fn apply(&mut self, op: Op, width: u32, low: u32, operands: Vec<usize>) {
        let terms: Vec<Term> = operands.iter().map(|&i| self.made[i].term).collect();
        let term = self.terms.checked(op, width, low, &terms).expect("operands fit");
        assert_eq!(self.terms.width(term), width);
        self.push(term, width, Step::Apply(op, low, operands));
    }

    fn line(&mut self, line: &Line) {
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(|op| op.arity() > 0).collect();
        let op = ops[usize::from(line.op) % ops.len()];
        // Near the end of the program: deep terms are wanted.
        let back = usize::from(line.operands[0] % 24).min(self.made.len() - 1);
        let first = self.made.len() - 1 - back;
        let wide = self.made[first].width;
        match op {
            Op::Extract => {
                let low = u32::from(line.low) % wide;
                let width = 1 + u32::from(line.width) % (wide - low);
                self.apply(op, width, low, vec![first]);
            }
            Op::ZExt | Op::SExt if wide < 128 => {
                let width = wide + 1 + u32::from(line.width) % (128 - wide);
                self.apply(op, width, 0, vec![first]);
            }
            Op::ZExt | Op::SExt => {}
            Op::Concat => {
                let second = usize::from(line.operands[1]) % self.made.len();
                let width = wide + self.made[second].width;
                if width <= 128 {
                    self.apply(op, width, 0, vec![first, second]);
                }
            }
            Op::Ite => {
                let condition = self.fitting(line.operands[1], 1, line);
                let other = self.fitting(line.operands[2], wide, line);
                self.apply(op, wide, 0, vec![condition, first, other]);
            }
            Op::Lookup => self.lookup(line, first),
            _ if op.is_float() => self.float(op, line),
            _ if op.arity() == 1 => self.apply(op, wide, 0, vec![first]),
            _ => {
                let second = self.fitting(line.operands[1], wide, line);
                let pair = if line.low.is_multiple_of(4) { vec![second, first] } else { vec![first, second] };
                self.apply(op, if op.is_predicate() { 1 } else { wide }, 0, pair);
            }
        }
    }

    fn float(&mut self, op: Op, line: &Line) {
        let width = if line.width.is_multiple_of(2) { 32 } else { 64 };
        let operands: Vec<usize> =
            (0..op.arity()).map(|i| self.fitting(line.operands[i], width, line)).collect();
        let result = match op {
            Op::FConvert => 96 - width,
            Op::FToSigned | Op::FToUnsigned => WIDTHS[usize::from(line.low) % WIDTHS.len()],
            Op::FFromSigned | Op::FFromUnsigned => {
                let from = usize::from(line.operands[0]) % self.made.len();
                return self.apply(op, width, 0, vec![from]);
            }
            _ if op.is_predicate() => 1,
            _ => width,
        };
        self.apply(op, result, 0, operands);
    }

    fn lookup(&mut self, line: &Line, index: usize) {
        let width = WIDTHS[usize::from(line.width) % WIDTHS.len()];
        let rows: Vec<usize> = (0..1 + line.low % 6)
            .map(|i| self.fitting(line.operands[1].wrapping_mul(i), width, line))
            .collect();
        let terms: Vec<Term> = [index].iter().chain(&rows).map(|&i| self.made[i].term).collect();
        let term = self.terms.checked(Op::Lookup, width, 0, &terms).expect("rows fit");
        self.push(term, width, Step::Lookup(index, rows));
    }

    /// The value of every line by the meaning of its operation alone.
    fn values(&self, assignment: &[u128]) -> Vec<u128> {
        let mut values: Vec<u128> = Vec::new();
        for made in &self.made {
            let value = match &made.step {
                Step::Number(value) => *value,
                Step::Variable(i) => assignment[*i] & mask(made.width),
                Step::Lookup(index, rows) => {
                    values[rows[values[*index].min(rows.len() as u128 - 1) as usize]]
                }
                Step::Apply(op, low, operands) => {
                    let (mut of, mut widths) = ([0; 3], [0; 3]);
                    for (i, &operand) in operands.iter().enumerate() {
                        (of[i], widths[i]) = (values[operand], self.made[operand].width);
                    }
                    apply(*op, made.width, *low, of, widths)
                }
            };
            values.push(value);
        }
        values
    }
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = (any::<u8>(), any::<[u8; 3]>(), any::<u8>(), any::<u8>(), any::<u128>(), any::<u8>())
        .prop_map(|(op, operands, width, low, number, kind)| Line { op, operands, width, low, number, kind });
    prop::collection::vec(line, 1..60)
}

fn assignments() -> impl Strategy<Value = Vec<Vec<u128>>> {
    let value = prop_oneof![
        any::<u128>(),
        0..4_u128,
        Just(u128::MAX),
        (0..128_u32).prop_map(|i| 1 << i),
        (0..128_u32).prop_map(|i| (1 << i) - 1),
        any::<f64>().prop_map(|f| f.to_bits().into()),
        any::<f32>().prop_map(|f| f.to_bits().into()),
    ];
    prop::collection::vec(prop::collection::vec(value, WIDTHS.len()), 6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn simplified_terms_mean_what_was_built(lines in lines(), assignments in assignments()) {
        let program = Program::new(&lines);
        let roots: Vec<Term> = program.made.iter().map(|made| made.term).collect();
        let mut tape = Tape::new(&program.terms, &roots);
        for assignment in assignments {
            tape.run(&assignment);
            for (i, expected) in program.values(&assignment).into_iter().enumerate() {
                prop_assert_eq!(tape.root(i), expected, "line {} is {:?}", i, program.terms.node(roots[i]));
                prop_assert_eq!(tape.value(roots[i]), expected);
            }
        }
    }

    #[test]
    fn values_put_in_one_after_another_give_the_value(lines in lines(), assignments in assignments()) {
        let mut program = Program::new(&lines);
        let roots: Vec<Term> = program.made.iter().map(|made| made.term).collect();
        let assignment = &assignments[0];
        let half = program.terms.partial(&roots, |v| (v.0 % 2 == 0).then(|| assignment[v.0 as usize]));
        let all = program.terms.partial(&half, |v| Some(assignment[v.0 as usize]));
        for ((&rest, number), value) in half.iter().zip(all).zip(program.values(assignment)) {
            prop_assert!(program.terms.variables_of(rest).iter().all(|v| v.0 % 2 == 1));
            prop_assert_eq!(program.terms.value(number), Some(value));
        }
    }

    #[test]
    fn sets_of_variables_agree_with_the_walk(lines in lines()) {
        let program = Program::new(&lines);
        let mut sets = VariableSets::new();
        let last = program.made[program.made.len() - 1].term;
        let of_last = sets.of(&program.terms, last);
        for made in &program.made {
            let set = sets.of(&program.terms, made.term);
            let members = program.terms.variables_of(made.term);
            prop_assert_eq!(&sets.members(set), &members);
            let only = if let [only] = members[..] { Some(only) } else { None };
            prop_assert_eq!(sets.only(set), only);
            let common = program.terms.variables_of(last).iter().any(|v| members.contains(v));
            prop_assert_eq!(sets.intersects(set, of_last), common);
        }
    }

    #[test]
    fn sets_of_many_variables(a in prop::collection::btree_set(0..100_000_u32, 0..40), b in prop::collection::btree_set(0..1000_u32, 0..40)) {
        let mut sets = VariableSets::new();
        let mut of = |members: &std::collections::BTreeSet<u32>| {
            members.iter().fold(expr::VariableSet::EMPTY, |set, &v| {
                let one = sets.single(Variable(v));
                sets.union(set, one)
            })
        };
        let (x, y, both) = (of(&a), of(&b), of(&(&a | &b)));
        prop_assert_eq!(sets.union(x, y), both);
        prop_assert_eq!(sets.union(y, x), both);
        prop_assert_eq!(sets.intersects(x, y), !a.is_disjoint(&b));
        let members: Vec<u32> = sets.members(both).into_iter().map(|v| v.0).collect();
        prop_assert_eq!(members, (&a | &b).into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn damaged_data_is_refused_or_built(
        records in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..5)), 0..60),
    ) {
        let mut terms = Terms::new();
        for (width, variable) in [(1, 0), (8, 1), (32, 2), (64, 3), (128, 4), (0, 5), (129, 6)] {
            let term = terms.checked_variable(Variable(variable), width);
            prop_assert_eq!(term.is_some(), (1..=128).contains(&width));
        }
        for (code, width, extra, operands) in records {
            let Some(op) = Op::from_code(code % 64) else { continue };
            let operands: Vec<Term> = operands.iter().map(|&i| Term(u32::from(i) % 40)).collect();
            if let Some(term) = terms.checked(op, width.into(), extra.into(), &operands) {
                prop_assert_eq!(terms.width(term), u32::from(width));
            }
        }
    }

    #[test]
    fn texts_are_cut(lines in lines(), longest in 1..80_usize) {
        let program = Program::new(&lines);
        for made in &program.made {
            let name = |v: Variable| format!("v{}", v.0);
            let (short, long) = (program.terms.text(made.term, name, longest), program.terms.text(made.term, name, 10_000));
            prop_assert!(short.chars().count() <= longest);
            prop_assert!(short == long || short.ends_with('…'));
        }
    }
}
