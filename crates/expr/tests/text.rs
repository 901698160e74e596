//! How terms read in reports.

use expr::{Op, Term, Terms, Variable};

fn text(terms: &Terms, term: Term) -> String {
    terms.text(term, |v| ["x", "y", "b", "d"][v.0 as usize].into(), 100)
}

fn inputs(terms: &mut Terms) -> [Term; 4] {
    [(0, 32), (1, 32), (2, 8), (3, 64)].map(|(i, width)| terms.variable(Variable(i), width))
}

macro_rules! texts {
    ($($name:ident: |$t:ident, [$x:pat, $y:pat, $b:pat, $d:pat]| $build:expr => $text:literal;)*) => {$(
        #[test]
        fn $name() {
            let mut terms = Terms::new();
            let [$x, $y, $b, $d] = inputs(&mut terms);
            let $t = &mut terms;
            let term = $build;
            assert_eq!(text(&terms, term), $text);
        }
    )*};
}

fn with(terms: &mut Terms, op: Op, a: Term, c: i128) -> Term {
    let c = terms.constant(c as u128, terms.width(a));
    terms.binary(op, a, c)
}

texts! {
    order_of_sums: |t, [x, y, _, _]| {
        let (sum, product) = (with(t, Op::Add, x, 3), with(t, Op::Mul, y, 6));
        t.binary(Op::Slt, sum, product)
    } => "x + 3 < y * 6";
    number_second: |t, [x, _, _, _]| { let c = t.constant(7, 32); t.binary(Op::Sle, c, x) } => "x >= 7";
    unsigned_order: |t, [x, _, _, _]| with(t, Op::Ult, x, 10) => "(unsigned)x < 10";
    unsigned_not_needed: |t, [_, y, b, _]| {
        let (wide, low) = (t.zext(b, 32), with(t, Op::And, y, 0xf));
        let sum = with(t, Op::URem, wide, 10);
        t.binary(Op::Ult, low, sum)
    } => "(y & 0xf) < (unsigned)b % 10";
    negative_numbers: |t, [x, _, _, _]| { let sum = with(t, Op::Add, x, -3); with(t, Op::Eq, sum, -9) } => "x == -6";
    difference: |t, [x, y, _, _]| { let sum = with(t, Op::Add, x, -3); t.binary(Op::Slt, sum, y) } => "x - 3 < y";
    different: |t, [x, y, _, _]| { let eq = t.binary(Op::Eq, x, y); t.not(eq) } => "x != y";
    brackets: |t, [x, y, _, _]| {
        let sum = t.binary(Op::Add, x, y);
        let product = with(t, Op::Mul, sum, 3);
        t.binary(Op::Sub, x, product)
    } => "x - (x + y) * 3";
    subtraction_associates_left: |t, [x, y, _, _]| {
        let inner = t.binary(Op::Sub, y, x);
        t.binary(Op::Sub, x, inner)
    } => "x - (y - x)";
    logic: |t, [x, y, _, _]| {
        let (a, b) = (with(t, Op::Eq, x, 1), with(t, Op::Slt, y, 2));
        let both = t.binary(Op::And, a, b);
        let c = t.binary(Op::Slt, x, y);
        t.binary(Op::Or, both, c)
    } => "x == 1 && y < 2 || x < y";
    casts: |t, [x, _, b, _]| { let low = t.extract(x, 0, 8); t.binary(Op::Eq, low, b) } => "b == (char)x";
    shifts: |t, [x, y, _, _]| {
        let (right, left) = (with(t, Op::LShr, x, 4), with(t, Op::Shl, y, 5));
        t.binary(Op::Add, right, left)
    } => "((unsigned)x >> 4) + (y << 5)";
    middle_bits: |t, [x, _, _, _]| { let s = with(t, Op::AShr, x, 4); let m = with(t, Op::And, s, 7); with(t, Op::Add, m, 1) } => "(x >> 4 & 0x7) + 1";
    sign: |t, [x, _, _, _]| t.extract(x, 31, 1) => "x < 0";
    choice: |t, [x, y, _, _]| { let c = t.binary(Op::Slt, x, y); t.ite(c, y, x) } => "x < y ? y : x";
    bytes: |t, [_, _, b, _]| { let sum = with(t, Op::Add, b, 1); t.concat(b, sum) } => "b << 8 | b + 1";
    table: |t, [x, y, b, _]| t.lookup(b, [x, y, x].into()) => "{x, y, x}[(unsigned)b]";
    floats: |t, [_, _, _, d]| {
        let negative = with(t, Op::Xor, d, 1 << 63);
        let root = t.unary(Op::FSqrt, 64, negative);
        with(t, Op::FLt, root, 1.5_f64.to_bits().into())
    } => "sqrt(-d) < 1.5";
    fabs: |t, [_, _, _, d]| {
        let positive = with(t, Op::And, d, i64::MAX.into());
        let c = t.constant(0.25_f64.to_bits().into(), 64);
        t.binary(Op::FLe, c, positive)
    } => "fabs(d) >= 0.25";
    converted: |t, [x, _, _, d]| {
        let real = t.unary(Op::FFromSigned, 64, x);
        t.binary(Op::FMul, real, d)
    } => "(double)x * d";
}

#[test]
fn cut_to_length() {
    let mut terms = Terms::new();
    let [x, y, ..] = inputs(&mut terms);
    let sum = terms.binary(Op::Add, x, y);
    let name = |v: Variable| ["x", "y"][v.0 as usize].to_string();
    assert_eq!(terms.text(sum, name, 5), "x + y");
    assert_eq!(terms.text(sum, name, 4), "x +…");
    assert_eq!(terms.text(sum, name, 1), "…");
}
