//! One feature a method, with the conditions that it must give.

use crate::support::{Both, Stage, ints, text};
use fastrand::Rng;
use java_replay::{Approximation, Arrays, Check, End, Relation, Run, Settings, What, replay};
use java_testing::Draft;
use java_wire::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

const SOURCE: &str = r#"
import java.util.*;
import java.util.function.*;

public class F {
    static int counter;
    int field;
    F(int start) { field = start; }
    int next() { return ++field; }
    static class G extends F { G(int s) { super(s * 2); } int next() { return field -= 3; } }

    static int clamp(int x, int low, int high) { if (x < low) return low; if (x > high) return high; return x; }
    static boolean lookup(int i) { boolean[] a = {false, true, true, false, true}; return a[i]; }
    static int element(int[] a, int i) { if (a[i] == 7) return 1; return 0; }
    static int flagged(int i) { boolean[] a = {false, true, true, false, true}; if (a[i]) return 1; return 0; }
    static int idle;
    static int untouched(int x) { if (idle > 3) return 1; return x > 2 ? 2 : 0; }
    static int clock(int x) { if (System.nanoTime() == 17) return 1; return x > 2 ? 2 : 0; }
    static int[] buffer() { int[] b = new int[2]; for (int i = 0; i < 2; i++) b[i] = 7; return b; }
    static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
    static int overflow(int x) { if (x + 1 < x) return 1; return 0; }
    static int divide(int a, int b) { try { return a / b; } catch (ArithmeticException e) { return -1; } }
    static int lambda(int x) { IntUnaryOperator f = y -> y + x; return f.applyAsInt(3) > 10 ? 1 : 0; }
    static int sorted(int x) {
        TreeMap<Integer, String> map = new TreeMap<>(new Comparator<Integer>() {
            public int compare(Integer a, Integer b) { return a < b ? -1 : a > b ? 1 : 0; }
        });
        map.put(3, "a"); map.put(x, "b"); map.put(9, "c");
        return map.size();
    }
    static int text(String s) { switch (s) { case "on": return 1; case "off": return 2; default: return 0; } }
    static int starts(String s) { return s.startsWith("ab") && s.charAt(2) == 'c' ? 1 : 0; }
    static int number(String s) { try { return Integer.parseInt(s) > 40 ? 1 : 0; } catch (NumberFormatException e) { return -1; } }
    static int boxed(int x) { Integer a = x; Integer b = 5; return a.equals(b) ? 1 : a > b ? 2 : 3; }
    static int compare(long a, double d) { if (a > 5L) return 1; if (d < 0.5) return 2; return 3; }
    static int dispatch(int x) { F f = x > 0 ? new F(x) : new G(x); return f.next() > 3 ? 1 : 0; }
    static int statics(int x) { counter = x; Later.touch(); if (counter + Later.base > 10) return 1; return 0; }
    static class Later { static int base; static { base = 4; for (int i = 0; i < 2; i++) base++; } static void touch() { counter++; } }
    static int copy(int[] a) { int[] b = new int[a.length]; System.arraycopy(a, 0, b, 0, a.length); return b[0] > 5 ? 1 : 0; }
    static int concat(String s, char c) { String t = s + c + "!"; return t.equals("abc!") ? 1 : 0; }
    static int caught(String s) { try { Objects.requireNonNull(s); return s.length(); } catch (NullPointerException e) { return -1; } finally { counter++; } }
    static synchronized int monitor(int x) { synchronized (F.class) { if (x == 3) throw new IllegalStateException(); return x; } }
    static int sizes(int n) { int[][] a = new int[n][2]; a[0][1] = n; return a[0][1] > 2 ? a.length : 0; }
    static int cast(int x) { Object o = x > 0 ? (Object) "s" : (Object) new F(x); try { return ((String) o).length(); } catch (ClassCastException e) { return 9; } }
    static int store(int x) { Object[] a = x > 0 ? new Integer[1] : new String[1]; try { a[0] = "s"; return 1; } catch (ArrayStoreException e) { return 2; } }
    static int stack(int n) { try { return deep(n); } catch (StackOverflowError e) { return -1; } }
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    static int stream(int x) { return Arrays.asList(1, 2, x).stream().filter(y -> y > 1).mapToInt(y -> y).sum() > 5 ? 1 : 0; }
    static int letters(String s) { int n = 0; for (char c : s.toCharArray()) if (Character.isDigit(c)) n++; return n; }
    static int chars(String s) { char[] a = new char[s.length() + 2]; s.getChars(0, s.length(), a, 1); return a[1] == 'q' && a[2] == '.' ? 1 : 0; }
    static int held(String s) { String t = s.substring(1); if (t.startsWith("ab")) return 1; return t.indexOf(';') >= 0 && t.equals("q;") ? 2 : 0; }
    static int math(int x, double d) { return Math.abs(x) > 3 && Math.max(d, 1.0) < 2.0 && (int) d == 1 ? 1 : 0; }
}
"#;

/// One machine for all tests: it takes longer to start than all of them to run.
fn stage() -> MutexGuard<'static, Stage> {
    static STAGE: OnceLock<Mutex<Stage>> = OnceLock::new();
    let stage = STAGE.get_or_init(|| Mutex::new(Stage::new(&[("F.java", SOURCE.to_owned())])));
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_feature_replays_without_a_mismatch() {
    let mut stage = stage();
    let int = Value::Int;
    let runs: Vec<(&str, Vec<Value>)> = vec![
        ("F.clamp(III)I", vec![int(5), int(1), int(3)]),
        ("F.lookup(I)Z", vec![int(4)]),
        ("F.lookup(I)Z", vec![int(10)]),
        ("F.element([II)I", vec![ints(&[0, 0, 7]), int(2)]),
        ("F.element([II)I", vec![Value::Null, int(2)]),
        ("F.gcd(II)I", vec![int(12), int(18)]),
        ("F.overflow(I)I", vec![int(i32::MAX)]),
        ("F.divide(II)I", vec![int(7), int(0)]),
        ("F.divide(II)I", vec![int(i32::MIN), int(-1)]),
        ("F.lambda(I)I", vec![int(8)]),
        ("F.sorted(I)I", vec![int(5)]),
        ("F.text(Ljava/lang/String;)I", vec![text("off")]),
        ("F.text(Ljava/lang/String;)I", vec![text("x")]),
        ("F.starts(Ljava/lang/String;)I", vec![text("abc")]),
        ("F.starts(Ljava/lang/String;)I", vec![text("ab")]),
        ("F.number(Ljava/lang/String;)I", vec![text("-42")]),
        ("F.number(Ljava/lang/String;)I", vec![text("4x")]),
        ("F.boxed(I)I", vec![int(5)]),
        ("F.compare(JD)I", vec![Value::Long(3), Value::Double(f64::NAN.to_bits())]),
        ("F.dispatch(I)I", vec![int(4)]),
        ("F.dispatch(I)I", vec![int(-4)]),
        ("F.statics(I)I", vec![int(3)]),
        ("F.copy([I)I", vec![ints(&[6, 1])]),
        ("F.copy([I)I", vec![ints(&[])]),
        ("F.concat(Ljava/lang/String;C)I", vec![text("ab"), Value::Char(99)]),
        ("F.caught(Ljava/lang/String;)I", vec![Value::Null]),
        ("F.caught(Ljava/lang/String;)I", vec![text("abc")]),
        ("F.monitor(I)I", vec![int(3)]),
        ("F.monitor(I)I", vec![int(4)]),
        ("F.sizes(I)I", vec![int(3)]),
        ("F.sizes(I)I", vec![int(-3)]),
        ("F.cast(I)I", vec![int(1)]),
        ("F.cast(I)I", vec![int(0)]),
        ("F.store(I)I", vec![int(1)]),
        ("F.store(I)I", vec![int(0)]),
        ("F.stack(I)I", vec![int(100)]),
        ("F.stream(I)I", vec![int(4)]),
        ("F.letters(Ljava/lang/String;)I", vec![text("a1b2")]),
        ("F.chars(Ljava/lang/String;)I", vec![text("q.")]),
        ("F.chars(Ljava/lang/String;)I", vec![Value::Null]),
        ("F.math(ID)I", vec![int(-4), Value::Double(1.5f64.to_bits())]),
    ];
    let mut wrong = Vec::new();
    for arrays in [Arrays::Simulation, Arrays::Reasoning { longest: 64 }] {
        for (named, values) in &runs {
            let both =
                stage.both(&Draft::of_static(named, values), &Settings { arrays, ..Settings::default() });
            if let Err(why) = both.check() {
                wrong.push(format!("{named} {values:?}: {why}"));
            }
            let bad =
                |what: &Approximation| matches!(what, Approximation::Model(_) | Approximation::Overwritten);
            if both.replayed.approximations.keys().any(bad) {
                wrong.push(format!("{named}: {:?}", both.replayed.approximations));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is read from an array into which they were copied is a condition on the text.
#[test]
fn characters_keep_their_terms_in_an_array() {
    let mut stage = stage();
    let both =
        stage.both(&Draft::of_static("F.chars(Ljava/lang/String;)I", &[text("q.")]), &Settings::default());
    both.check().expect("a replay");
    let texts = both.texts();
    for wanted in ["v1 == 113", "v2 == 46"] {
        assert!(texts.iter().any(|text| text == wanted), "{texts:?}");
    }
    let is_call = |what: &Approximation| matches!(what, Approximation::Call(_));
    assert!(!both.replayed.approximations.keys().any(is_call), "{:?}", both.replayed.approximations);
}

/// Texts are told as they are when they are compared, and only where the answer was no.
#[test]
fn comparisons_in_vain_are_told() {
    let mut stage = stage();
    let mut told = |value: &str| {
        let draft = Draft::of_static("F.held(Ljava/lang/String;)I", &[text(value)]);
        let both = stage.both(&draft, &Settings { comparisons: true, ..Settings::default() });
        both.check().expect("a replay");
        let word = |units: &[u16]| String::from_utf16_lossy(units);
        let all = both.replayed.comparisons.iter();
        all.map(|one| (word(&one.text), one.relation, word(&one.with))).collect::<Vec<_>>()
    };
    let of = |text: &str, relation, with: &str| (text.to_owned(), relation, with.to_owned());
    assert_eq!(told("xab"), []);
    assert_eq!(told("xq;"), [of("q;", Relation::Starts, "ab")]);
    assert_eq!(told("xq"), [of("q", Relation::Starts, "ab"), of("q", Relation::Contains, ";")]);
    assert_eq!(told("x;"), [of(";", Relation::Starts, "ab"), of(";", Relation::Equals, "q;")]);
}

/// How many different paths a method of one number takes, by what holds on each.
fn paths(stage: &mut Stage, named: &str, numbers: std::ops::Range<i32>, settings: Settings) -> usize {
    let path = |number| {
        let both = stage.both(&Draft::of_static(named, &[Value::Int(number)]), &settings);
        both.check().expect(named);
        both.texts()
    };
    numbers.map(path).collect::<BTreeSet<_>>().len()
}

/// A run without a mismatch.
fn run(stage: &mut Stage, named: &str, values: &[Value]) -> Both {
    let both = stage.both(&Draft::of_static(named, values), &Settings::default());
    both.check().expect(named);
    both
}

#[test]
fn c31_clamp_has_three_paths() {
    let mut stage = stage();
    let mut texts = |x| run(&mut stage, "F.clamp(III)I", &[x, 10, 20].map(Value::Int)).texts();
    let (below, above, between) = (texts(9), texts(21), texts(15));
    assert_eq!((below.len(), above.len(), between.len()), (1, 2, 2));
    assert!(below[0] != above[0] && above[0] == between[0] && above[1] != between[1]);
}

#[test]
fn c32_a_field_that_nobody_wrote_is_a_constant() {
    let both = run(&mut stage(), "F.untouched(I)I", &[Value::Int(1)]);
    let jumps = both.replayed.decisions.iter().filter(|decision| matches!(decision.what, What::Jump { .. }));
    assert_eq!(jumps.map(|jump| jump.condition.is_some()).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn c33_five_elements_and_none_are_six_paths() {
    let simulated = Settings { arrays: Arrays::Simulation, ..Settings::default() };
    assert_eq!(paths(&mut stage(), "F.lookup(I)Z", -1..6, simulated), 1 + 5);
}

#[test]
fn c36_another_callee_is_another_path() {
    let mut stage = stage();
    let mut callees = |x| {
        let both = run(&mut stage, "F.dispatch(I)I", &[Value::Int(x)]);
        let callee = |what| if let What::Callee { callee } = what { Some(callee) } else { None };
        both.replayed.decisions.iter().filter_map(|decision| callee(decision.what)).collect::<Vec<_>>()
    };
    let (of_f, of_g) = (callees(4), callees(-4));
    assert!(!of_f.is_empty() && of_f.last() != of_g.last(), "{of_f:?} {of_g:?}");
    assert_eq!(of_f, callees(5));
}

#[test]
fn c40_handlers_are_entered_and_left() {
    let both = run(&mut stage(), "F.number(Ljava/lang/String;)I", &[text("4x")]);
    assert_eq!(both.replayed.end, End::Returned);
    let fails = |what| matches!(what, What::Check { check: Check::Number, holds: false });
    assert!(both.replayed.decisions.iter().any(|decision| fails(decision.what)));
}

#[test]
fn c41_what_native_code_returns_is_a_constant() {
    let both = run(&mut stage(), "F.clock(I)I", &[Value::Int(1)]);
    assert_eq!(both.texts().len(), 1, "the time is no variable: {:?}", both.texts());
}

#[test]
fn c42_what_is_copied_stays_a_term() {
    let mut stage = stage();
    let [small, large] = [1, 6].map(|first| run(&mut stage, "F.copy([I)I", &[ints(&[first])]).texts());
    assert!(small.len() == 3 && small[..2] == large[..2] && small[2] != large[2], "{small:?} {large:?}");
}

#[test]
fn c44_monitors_are_passed() {
    let mut stage = stage();
    let both = run(&mut stage, "F.monitor(I)I", &[Value::Int(4)]);
    assert_eq!((&both.replayed.end, both.texts().len()), (&End::Returned, 1));
    let both = run(&mut stage, "F.monitor(I)I", &[Value::Int(3)]);
    let class = Some("java/lang/IllegalStateException".to_owned());
    assert_eq!((&both.replayed.end, both.texts().len()), (&End::Threw { step: 0, class }, 1));
}

#[test]
fn c45_each_recursive_call_of_gcd_makes_the_path_longer() {
    let mut stage = stage();
    // Without a call, and with one, two and three: whether b is zero is asked once more, and each remainder asks, too.
    for (calls, (a, b)) in [(6, 0), (6, 3), (3, 6), (12, 18)].into_iter().enumerate() {
        let both = run(&mut stage, "F.gcd(II)I", &[Value::Int(a), Value::Int(b)]);
        assert_eq!(both.texts().len(), 2 * calls + 1, "{a} {b}");
    }
}

#[test]
fn c66_a_loop_of_constants_asks_nothing() {
    let both = run(&mut stage(), "F.buffer()[I", &[]);
    let jumps = both.replayed.decisions.iter().filter(|decision| matches!(decision.what, What::Jump { .. }));
    // Two rounds and the end.
    assert_eq!((jumps.count(), both.conditions().count()), (3, 0));
}

#[test]
fn conditions_are_those_of_the_source() {
    let mut stage = stage();
    let int = Value::Int;
    let mut texts = |named: &str, values: &[Value]| {
        let both = stage.both(&Draft::of_static(named, values), &Settings::default());
        both.check().expect(named);
        both.texts()
    };
    assert_eq!(texts("F.clamp(III)I", &[int(2), int(1), int(3)]).len(), 2);
    // Bounds, index, element.
    assert_eq!(texts("F.element([II)I", &[ints(&[0, 7]), int(1)]).len(), 3);
    assert_eq!(texts("F.lookup(I)Z", &[int(9)]).len(), 1);
    assert_eq!(texts("F.gcd(II)I", &[int(12), int(18)]).len(), 4 + 3);
    assert_eq!(texts("F.lambda(I)I", &[int(8)]).len(), 1);
    assert_eq!(texts("F.dispatch(I)I", &[int(4)]).len(), 2);
    // The size of the copy and whether it has a first element hang on the length.
    assert_eq!(texts("F.copy([I)I", &[ints(&[6])]).len(), 3);
    assert_eq!(texts("F.concat(Ljava/lang/String;C)I", &[text("ab"), Value::Char(99)]).len(), 1);
    assert_eq!(texts("F.statics(I)I", &[int(3)]).len(), 1);
    assert_eq!(texts("F.boxed(I)I", &[int(5)]).len(), 1);
    // `equals` alone: the index of the case is a constant, and no solver is asked about the `hashCode` of a text.
    assert_eq!(texts("F.text(Ljava/lang/String;)I", &[text("on")]).len(), 1);
}

#[test]
fn c35_c37_implicit_checks_are_on_the_path() {
    let mut stage = stage();
    let mut failing = |named: &str, values: &[Value]| {
        let both = stage.both(&Draft::of_static(named, values), &Settings::default());
        both.check().expect(named);
        both.replayed.decisions.iter().find_map(|decision| match decision.what {
            What::Check { check, holds: false } => Some((check, decision.condition.is_some())),
            _ => None,
        })
    };
    assert_eq!(failing("F.lookup(I)Z", &[Value::Int(5)]), Some((Check::Bounds, true)));
    assert_eq!(failing("F.divide(II)I", &[Value::Int(5), Value::Int(0)]), Some((Check::Divisor, true)));
    assert_eq!(failing("F.sizes(I)I", &[Value::Int(-1)]), Some((Check::Size, true)));
    assert_eq!(failing("F.cast(I)I", &[Value::Int(-1)]), Some((Check::Cast, false)));
    assert_eq!(failing("F.store(I)I", &[Value::Int(1)]), Some((Check::Store, false)));
    assert_eq!(failing("F.element([II)I", &[Value::Null, Value::Int(0)]), Some((Check::NotNull, true)));
    assert_eq!(failing("F.number(Ljava/lang/String;)I", &[text("4x")]), Some((Check::Number, true)));
}

#[test]
fn c47_solvers_choose_elements_if_asked_to() {
    let mut stage = stage();
    let reasoning = Settings { arrays: Arrays::Reasoning { longest: 64 }, ..Settings::default() };
    let test = Draft::of_static("F.element([II)I", &[ints(&[0, 7]), Value::Int(1)]);
    let both = stage.both(&test, &reasoning);
    both.check().expect("no mismatch");
    // Bounds, and the element that the index chooses.
    assert_eq!(both.texts().len(), 2);
    assert!(both.replayed.decisions.iter().all(|decision| !matches!(decision.what, What::Index { .. })));
    // Of five truth values: true, false, and no such element.
    assert_eq!(paths(&mut stage, "F.flagged(I)I", -1..6, reasoning), 2 + 1);
}

#[test]
fn damaged_traces_end_the_replay_and_nothing_else() {
    let mut stage = stage();
    let mut rng = Rng::with_seed(7);
    let tests = [
        Draft::of_static("F.sorted(I)I", &[Value::Int(5)]),
        Draft::of_static("F.caught(Ljava/lang/String;)I", &[Value::Null]),
        Draft::of_static("F.dispatch(I)I", &[Value::Int(-4)]),
        Draft::of_static("F.concat(Ljava/lang/String;C)I", &[text("ab"), Value::Char(99)]),
        Draft::of_static("F.sizes(I)I", &[Value::Int(3)]),
        Draft::of_static("F.element([II)I", &[ints(&[0, 7]), Value::Int(1)]),
    ];
    for test in tests {
        let both = stage.both(&test, &Settings::default());
        both.check().expect("no mismatch");
        for _ in 0..400 {
            let mut words = both.words.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..words.len());
                match rng.u8(..4) {
                    0 => words[at] = rng.u32(..),
                    1 => words[at] ^= 1 << rng.u32(..32),
                    2 => words.truncate(at.max(1)),
                    _ => words[at] = both.words[rng.usize(..both.words.len())],
                }
            }
            let run = Run {
                script: &test.script,
                values: &test.values,
                variables: &both.variables,
                trace: &words,
                classes: &both.classes,
                end: None,
            };
            let mut terms = expr::Terms::new();
            let replayed = replay(&stage.program, &run, &Settings::default(), &mut terms);
            // What came before the damage is kept: it is how the whole trace begins.
            let same =
                both.replayed.decisions.iter().zip(&replayed.decisions).take_while(|(a, b)| a.what == b.what);
            assert!(same.count() > 0 || replayed.decisions.is_empty() || words[..2] != both.words[..2]);
        }
    }
}

#[test]
fn c75_a_comparison_decides_how_near_its_operands_are() {
    let mut stage = stage();
    let settings = Settings { boundaries: true, ..Settings::default() };
    let near_of = |both: &Both| -> Vec<(bool, bool)> {
        let nears = both.replayed.decisions.iter().filter_map(|decision| match decision.what {
            What::Boundary { holds, near, .. } => Some((holds, near)),
            _ => None,
        });
        nears.collect()
    };
    // `x < low` jumps around its `return` if `x >= low`.
    for (x, expected) in
        [(0, vec![(false, true)]), (1, vec![(true, true), (true, false)]), (-3, vec![(false, false)])]
    {
        let values = [x, 1, 9].map(Value::Int);
        let both = stage.both(&Draft::of_static("F.clamp(III)I", &values), &settings);
        both.check().expect("a replay");
        assert_eq!(near_of(&both), expected, "{x}");
    }
    // The answer of a comparison of longs is looked behind; floating-point numbers have no nearest.
    for (long, near) in [(5, true), (6, true), (7, false)] {
        let values = [Value::Long(long), Value::Double(0)];
        let both = stage.both(&Draft::of_static("F.compare(JD)I", &values), &settings);
        both.check().expect("a replay");
        assert_eq!(near_of(&both), [(long <= 5, near)], "{long}");
    }
    let plain = Draft::of_static("F.clamp(III)I", &[0, 1, 9].map(Value::Int));
    assert_eq!(near_of(&stage.both(&plain, &Settings::default())), []);
}
