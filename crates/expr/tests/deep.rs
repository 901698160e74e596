//! Terms far deeper than the stack.

use expr::{Op, Tape, Terms, Variable, VariableSets};

const DEEP: u32 = 1_000_000;

#[test]
fn a_million_operations() {
    let mut terms = Terms::new();
    let x = terms.variable(Variable(0), 32);
    let mut sum = x;
    let mut expected: u32 = 5;
    for i in 0..DEEP {
        let by = terms.constant(u128::from(i | 1), 32);
        let op = if i % 2 == 0 { Op::Mul } else { Op::Add };
        sum = terms.binary(op, sum, by);
        expected = if i % 2 == 0 { expected.wrapping_mul(i | 1) } else { expected.wrapping_add(i | 1) };
    }
    assert_eq!(terms.depth(sum), DEEP as usize - 1, "the first factor is 1");
    let mut tape = Tape::new(&terms, &[sum]);
    tape.run(&[5]);
    assert_eq!(tape.root(0), expected.into());
    let text = terms.text(sum, |_| "x".into(), 60);
    assert!(text.ends_with('…') && text.chars().count() == 60, "{text}");
    assert_eq!(terms.variables_of(sum), [Variable(0)]);
    let set = VariableSets::new().of(&terms, sum);
    assert_ne!(set, expr::VariableSet::EMPTY);
    let number = terms.partial(&[sum], |_| Some(5))[0];
    assert_eq!(terms.value(number), Some(expected.into()));
    // Undoing a million steps in one constructor.
    let number = terms.constant(expected.into(), 32);
    let equal = terms.binary(Op::Eq, sum, number);
    let five = terms.constant(5, 32);
    assert_eq!(equal, terms.binary(Op::Eq, x, five));
}

#[test]
fn an_extract_sees_through_a_million_masks() {
    let mut terms = Terms::new();
    let x = terms.variable(Variable(0), 32);
    let (mut masked, set, keep) = (x, terms.constant(3, 32), terms.constant(0xffff_fff5, 32));
    for _ in 0..DEEP / 2 {
        masked = terms.binary(Op::Or, masked, set);
        masked = terms.binary(Op::And, masked, keep);
    }
    assert!(terms.depth(masked) > DEEP as usize / 2);
    assert_eq!(terms.extract(masked, 8, 8), terms.extract(x, 8, 8));
}

#[test]
fn sets_of_a_long_checksum_stay_small() {
    let mut terms = Terms::new();
    let mut sum = terms.constant(0, 32);
    for i in 0..100_000 {
        let byte = terms.variable(Variable(i), 8);
        let byte = terms.zext(byte, 32);
        sum = terms.binary(Op::Add, sum, byte);
    }
    let mut sets = VariableSets::new();
    let set = sets.of(&terms, sum);
    assert_eq!(sets.members(set).len(), 100_000);
}
