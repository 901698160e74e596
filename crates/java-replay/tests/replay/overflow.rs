//! Results that their type does not hold, against what `Math.addExact` and its like throw.

use crate::support::{Both, Stage, ints};
use expr::Tape;
use fastrand::Rng;
use java_replay::{Check, Settings, What};
use java_testing::Draft;
use java_wire::Value;
use java_wire::message::End;

const SOURCE: &str = r#"
public class O {
    static int addI(int a, int b) { return a + b; }
    static int subI(int a, int b) { return a - b; }
    static int mulI(int a, int b) { return a * b; }
    static int divI(int a, int b) { return a / b; }
    static int negI(int a, int b) { return -a; }
    static int incI(int a, int b) { a++; return a; }
    static int decI(int a, int b) { a -= 7; return a; }
    static long addJ(long a, long b) { return a + b; }
    static long subJ(long a, long b) { return a - b; }
    static long mulJ(long a, long b) { return a * b; }
    static long divJ(long a, long b) { return a / b; }
    static long negJ(long a, long b) { return -a; }

    static int remI(int a, int b) { return a % b; }
    static byte narrow(int a) { return (byte) a; }
    static int sum(int[] all) {
        int sum = 0;
        for (int one : all) {
            sum += one;
        }
        return sum;
    }
    static int length(int[] all, int by) { return all.length * by; }
    static int twice(int a) {
        int b = a + a;
        return b + 1000000000;
    }
    static int constant(int a) { int seed = 48271; return seed * 48271 + 0 * a; }

    int field;
    O(int field) { this.field = field; }
    public int hashCode() { return 31 * mixed() + field; }
    int mixed() { return field * 17; }
    static int spread(int a) { return new O(a).hashCode(); }
    static int mixedUp(int a) { return new O(a).mixed(); }
}

class Exact {
    static int addI(int a, int b) { return Math.addExact(a, b); }
    static int subI(int a, int b) { return Math.subtractExact(a, b); }
    static int mulI(int a, int b) { return Math.multiplyExact(a, b); }
    static int divI(int a, int b) { return b == 0 ? 0 : Math.toIntExact((long) a / b); }
    static int negI(int a, int b) { return Math.negateExact(a); }
    static int incI(int a, int b) { return Math.incrementExact(a); }
    static int decI(int a, int b) { return Math.subtractExact(a, 7); }
    static long addJ(long a, long b) { return Math.addExact(a, b); }
    static long subJ(long a, long b) { return Math.subtractExact(a, b); }
    static long mulJ(long a, long b) { return Math.multiplyExact(a, b); }
    static long divJ(long a, long b) {
        if (b == 0) return 0;
        return java.math.BigInteger.valueOf(a).divide(java.math.BigInteger.valueOf(b)).longValueExact();
    }
    static long negJ(long a, long b) { return Math.negateExact(a); }
}
"#;

const ALIKE: [&str; 12] =
    ["addI", "subI", "mulI", "divI", "negI", "incI", "decI", "addJ", "subJ", "mulJ", "divJ", "negJ"];

fn stage() -> Stage {
    Stage::new(&[("O.java", SOURCE.to_owned())])
}

fn seeking() -> Settings {
    Settings { overflow: true, ..Settings::default() }
}

fn run(stage: &mut Stage, named: &str, values: &[Value]) -> Both {
    let both = stage.both(&Draft::of_static(named, values), &seeking());
    both.check().expect(named);
    both
}

/// What is told of overflow, with the line.
fn told(both: &Both) -> Vec<(String, u32)> {
    both.replayed.overflows.iter().map(|seen| (seen.what.clone(), seen.stack[0].2)).collect()
}

/// How many checks there were.
fn checks(both: &Both) -> usize {
    let is_check = |what: What| matches!(what, What::Check { check: Check::Overflow, .. });
    both.replayed.decisions.iter().filter(|decision| is_check(decision.what)).count()
}

fn number(is_long: bool, value: i64) -> Value {
    if is_long { Value::Long(value) } else { Value::Int(value as i32) }
}

/// Numbers at which results begin to overflow, or do so with some others.
fn special(is_long: bool) -> [i64; 13] {
    let bits = if is_long { 63 } else { 31 };
    let highest = ((1u64 << bits) - 1).cast_signed();
    let root = 1i64 << (bits / 2);
    [0, 1, -1, 2, -2, 7, highest, !highest, highest / 2 + 1, !highest / 2, root, root + 1, -root]
}

/// All pairs of them, and pairs of numbers of any size.
fn operands(rng: &mut Rng, is_long: bool) -> Vec<[i64; 2]> {
    let special = special(is_long);
    let mut pairs: Vec<[i64; 2]> = special.iter().flat_map(|&a| special.map(|b| [a, b])).collect();
    let bits = if is_long { 63 } else { 31 };
    let mut any = || rng.i64(..) >> (rng.u32(..bits) + 63 - bits);
    pairs.extend((0..100).map(|_| [any(), any()]));
    pairs
}

#[test]
fn c76_a_result_overflows_exactly_where_java_throws() {
    let (mut stage, mut rng) = (stage(), Rng::with_seed(76));
    let mut wrong = Vec::new();
    for name in ALIKE {
        let is_long = name.ends_with('J');
        let ty = if is_long { "(JJ)J" } else { "(II)I" };
        let (plain, exact) = (format!("O.{name}{ty}"), format!("Exact.{name}{ty}"));
        // What held of two ones, asked of all other operands.
        let ones = run(&mut stage, &plain, &[number(is_long, 1), number(is_long, 1)]);
        let is_check = |what: What| what == What::Check { check: Check::Overflow, holds: true };
        let conditions: Vec<_> = ones.conditions().filter(|(decision, _)| is_check(decision.what)).collect();
        let [(decision, condition)] = conditions[..] else { panic!("{name}: {conditions:?}") };
        assert_eq!(decision.others.len(), 1, "{name}");
        let mut tape = Tape::new(&ones.terms, &[condition]);
        let mut threw = 0;
        let pairs = operands(&mut rng, is_long);
        for operands in &pairs {
            let values = operands.map(|operand| number(is_long, operand));
            let is_beyond = matches!(run(&mut stage, &exact, &values).end, End::Threw { .. });
            let width = if is_long { 64 } else { 32 };
            tape.run(&operands.map(|operand| u128::from(operand as u64) & expr::mask(width)));
            let seen = run(&mut stage, &plain, &values);
            threw += usize::from(is_beyond);
            if (tape.value(condition) == 0, !seen.replayed.overflows.is_empty()) != (is_beyond, is_beyond) {
                wrong.push(format!("{name} {operands:?}: {is_beyond}, {:?}", told(&seen)));
            }
        }
        assert!((1..pairs.len()).contains(&threw), "{name} {threw}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn c76_an_overflow_is_told_with_its_numbers_and_line() {
    let mut stage = stage();
    let int = Value::Int;
    let told = |stage: &mut Stage, named: &str, values: &[Value]| told(&run(stage, named, values));
    let one = |what: &str, line: u32| vec![(what.to_owned(), line)];
    assert_eq!(
        told(&mut stage, "O.addI(II)I", &[int(i32::MAX), int(1)]),
        one("int overflow: 2147483647 + 1", 3)
    );
    assert_eq!(
        told(&mut stage, "O.divJ(JJ)J", &[Value::Long(i64::MIN), Value::Long(-1)]),
        one("long overflow: -9223372036854775808 / -1", 13)
    );
    let lowest = told(&mut stage, "O.negI(II)I", &[int(i32::MIN), int(0)]);
    assert_eq!(lowest, one("int overflow: -(-2147483648)", 7));
    // An instruction tells the first of its overflows.
    let all = ints(&[i32::MAX, 1, i32::MIN, -1]);
    assert_eq!(told(&mut stage, "O.sum([I)I", &[all]), one("int overflow: 2147483647 + 1", 21));
    let length = told(&mut stage, "O.length([II)I", &[ints(&[0, 0]), int(i32::MAX)]);
    assert_eq!(length, one("int overflow: 2 * 2147483647", 25));
    // The run goes on, and what comes next is another.
    let twice = told(&mut stage, "O.twice(I)I", &[int(1_500_000_000)]);
    assert_eq!(twice, one("int overflow: 1500000000 + 1500000000", 27));
    let twice = told(&mut stage, "O.twice(I)I", &[int(900_000_000)]);
    assert_eq!(twice, one("int overflow: 1800000000 + 1000000000", 28));
}

#[test]
fn c76_what_is_meant_to_wrap_and_what_nobody_asked_for_is_not_told() {
    let mut stage = stage();
    let max = [Value::Int(i32::MAX)];
    for (named, values) in [
        ("O.remI(II)I", vec![Value::Int(i32::MIN), Value::Int(-1)]),
        ("O.narrow(I)B", max.to_vec()),
        ("O.spread(I)I", max.to_vec()),
        ("O.constant(I)I", vec![Value::Int(1)]),
    ] {
        let both = run(&mut stage, named, &values);
        assert_eq!(told(&both), [], "{named}");
        if named != "O.constant(I)I" {
            assert_eq!(checks(&both), 0, "{named}");
        }
    }
    // The same method, but not for a hash.
    assert_eq!(told(&run(&mut stage, "O.mixedUp(I)I", &max)).len(), 1);
    let plain = stage.both(&Draft::of_static("O.mixedUp(I)I", &max), &Settings::default());
    assert_eq!((checks(&plain), plain.replayed.overflows.len()), (0, 0));
}
