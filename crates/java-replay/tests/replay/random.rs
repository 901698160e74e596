//! Random Java methods, run and replayed: nothing may differ, and every condition must hold for the values of the run.

use crate::support::{Both, Stage};
use expr::Tape;
use fastrand::Rng;
use java_replay::{Approximation, Arrays, Decision, ObjectId, Settings, What};
use java_testing::Draft;
use java_wire::{Primitive, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Methods of a class. Every run has its classes loaded and verified anew, which takes longer than the method in most.
const PER_CLASS: usize = 10;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Methods of the default run; `BRANCHWISE_RANDOM_JAVA` asks for more, `BRANCHWISE_RANDOM_SEED` for others.
fn methods() -> usize {
    setting("BRANCHWISE_RANDOM_JAVA").map_or(300, |count| count as usize)
}

#[test]
fn c29_random_methods_replay_without_a_mismatch() {
    let classes = methods().div_ceil(PER_CLASS);
    let mut rng = Rng::with_seed(setting("BRANCHWISE_RANDOM_SEED").unwrap_or(20_261_118));
    let sources: Vec<(String, String)> =
        (0..classes).map(|nth| (format!("R{nth}.java"), class(&mut rng, nth))).collect();
    let named: Vec<(&str, String)> =
        sources.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let mut stage = Stage::new(&named);
    let (mut wrong, mut conditions, mut approximations) = (Vec::new(), 0, BTreeMap::new());
    for class in 0..classes {
        for method in 0..PER_CLASS {
            for arrays in [Arrays::Simulation, Arrays::Reasoning { longest: 16 }] {
                let values = values(&mut rng);
                let test = Draft::of_static(&format!("R{class}.m{method}{DESCRIPTOR}"), &values);
                let both = stage.both(&test, &Settings { arrays, ..Settings::default() });
                conditions += both.conditions().count();
                for (what, count) in &both.replayed.approximations {
                    *approximations.entry(what.clone()).or_insert(0) += count;
                }
                if let Err(why) = both.check() {
                    wrong.push(format!("R{class}.m{method} {values:?}\n{why}"));
                }
            }
        }
    }
    let unexpected = |what: &&Approximation| {
        matches!(what, Approximation::Model(_) | Approximation::Overwritten | Approximation::Garbled)
    };
    let unexpected: Vec<_> = approximations.keys().filter(unexpected).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        classes * PER_CLASS,
        wrong[..wrong.len().min(10)].join("\n\n")
    );
    assert!(unexpected.is_empty(), "{approximations:?}");
    // A replay that loses its terms agrees with everything.
    assert!(conditions > classes * PER_CLASS * 10, "{conditions}");
}

/// What a path says of other inputs of its shape: the first condition that does not hold is where another run leaves it.
#[test]
fn c67_other_inputs_leave_a_path_where_its_conditions_say() {
    let classes = methods().div_ceil(3 * PER_CLASS);
    let mut rng = Rng::with_seed(setting("BRANCHWISE_RANDOM_SEED").unwrap_or(18_112_026) ^ 1);
    let sources: Vec<(String, String)> =
        (0..classes).map(|nth| (format!("R{nth}.java"), class(&mut rng, nth))).collect();
    let named: Vec<(&str, String)> =
        sources.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let mut stage = Stage::new(&named);
    let (mut wrong, mut same, mut left) = (Vec::new(), 0, 0);
    for (class, method) in (0..classes).flat_map(|class| (0..PER_CLASS).map(move |method| (class, method))) {
        let arrays = if method % 2 == 0 { Arrays::Simulation } else { Arrays::Reasoning { longest: 16 } };
        let settings = Settings { arrays, ..Settings::default() };
        let name = format!("R{class}.m{method}{DESCRIPTOR}");
        let mut values = values(&mut rng);
        let first = stage.both(&Draft::of_static(&name, &values), &settings);
        // Where a result was taken as a number, nothing is known of others.
        if first.check().is_err()
            || !first.replayed.approximations.keys().all(|what| *what == Approximation::Index)
        {
            continue;
        }
        for _ in 0..3 {
            change(&mut rng, &mut values);
            let second = stage.both(&Draft::of_static(&name, &values), &settings);
            // A text with other characters than those of a byte has other variables.
            if first.variables != second.variables {
                continue;
            }
            match leaves(&first, &second) {
                Ok(true) => left += 1,
                Ok(false) => same += 1,
                Err(why) => wrong.push(format!("{name} {values:?}\n{why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n\n"));
    let enough = classes * PER_CLASS / 10;
    assert!(same > enough && left > enough, "{same} the same, {left} left");
}

/// Another value for one slot, of the same shape.
fn change(rng: &mut Rng, all: &mut [Value]) {
    let at = rng.usize(..all.len());
    let fresh = values(rng).swap_remove(at);
    match (&mut all[at], fresh) {
        (Value::Array(_, old), Value::Array(_, new)) => {
            old.iter_mut().zip(new).for_each(|(old, new)| *old = new)
        }
        (Value::Text(old), Value::Text(new)) => old.iter_mut().zip(new).for_each(|(old, new)| *old = new),
        (Value::Null, _) | (_, Value::Null) => {}
        (old, new) => *old = new,
    }
}

/// Whether a second run leaves the path of the first, which must be where the first condition does not hold.
pub(crate) fn leaves(first: &Both, second: &Both) -> Result<bool, String> {
    let conditions: Vec<_> = first.conditions().map(|(_, condition)| condition).collect();
    let mut tape = Tape::new(&first.terms, &conditions);
    tape.run(&second.assignment);
    let broken = |decision: &Decision| decision.condition.is_some_and(|condition| tape.value(condition) != 1);
    let path = &first.replayed.decisions;
    let other = &second.replayed.decisions;
    let until = path.iter().position(broken);
    // Which number an array has hangs on how many boxes are the same object.
    let what = |decision: &Decision| match decision.what {
        What::Index { index, .. } => What::Index { array: ObjectId(0), index },
        what => what,
    };
    let is_same = |a: &Decision, b: &Decision| (what(a), a.pc) == (what(b), b.pc);
    let common = path.iter().zip(other).take_while(|(a, b)| is_same(a, b)).count();
    match until {
        None if common == path.len() && common == other.len() => Ok(false),
        Some(until) if common == until => Ok(true),
        // What is pinned may change and nothing be decided otherwise.
        Some(until) if common > until && path[until].what == What::Pin => Ok(true),
        _ => Err(format!("expected {until:?} of {}, left at {common}: {:?}", path.len(), other.get(common))),
    }
}

const DESCRIPTOR: &str = "(IIJFDZBCS[I[DLjava/lang/String;Ljava/lang/Integer;)I";

const HEAD: &str = "int a, int b, long l, float f, double d, boolean z, byte y, char c, short h, int[] p, double[] q, String s, Integer n";

fn values(rng: &mut Rng) -> Vec<Value> {
    let int = |rng: &mut Rng| match rng.u8(..4) {
        0 => rng.i32(..),
        1 => [0, 1, -1, i32::MIN, i32::MAX][rng.usize(..5)],
        _ => rng.i32(-10..20),
    };
    let double = |rng: &mut Rng| match rng.u8(..4) {
        0 => [0.0, -0.0, f64::NAN, f64::INFINITY, 1e300, -1e10][rng.usize(..6)],
        _ => f64::from(rng.i32(-50..50)) / 4.0,
    };
    let ints = (0..rng.usize(..6)).map(|_| Value::Int(int(rng))).collect();
    let doubles = (0..rng.usize(..4)).map(|_| Value::Double(double(rng).to_bits())).collect();
    let text = (0..rng.usize(..5)).map(|_| u16::from(b"ab1 zX"[rng.usize(..6)])).collect();
    let nullable = |rng: &mut Rng, value| if rng.u8(..12) == 0 { Value::Null } else { value };
    vec![
        Value::Int(int(rng)),
        Value::Int(int(rng)),
        Value::Long(if rng.bool() { rng.i64(..) } else { int(rng).into() }),
        Value::Float((double(rng) as f32).to_bits()),
        Value::Double(double(rng).to_bits()),
        Value::Boolean(rng.bool()),
        Value::Byte(rng.i8(..)),
        Value::Char(rng.u16(..300)),
        Value::Short(rng.i16(..)),
        nullable(rng, Value::Array(Primitive::Int, ints)),
        nullable(rng, Value::Array(Primitive::Double, doubles)),
        nullable(rng, Value::Text(text)),
        Value::Boxed(Box::new(Value::Int(int(rng)))),
    ]
}

/// Objects that methods use: fields, overriding, an initialiser.
const COMMON: &str = r#"
    static int count;
    static long total = 3;
    static class Base {
        int v; double w; Base next;
        Base(int v) { this.v = v; }
        int get(int x) { return v + x; }
        Base self() { return this; }
    }
    static class Derived extends Base implements Comparable<Derived> {
        static int made; static { made = 2; }
        Derived(int v) { super(v ^ 5); made++; w = v; }
        int get(int x) { return x > v ? super.get(x) : v - x; }
        public int compareTo(Derived o) { return Integer.compare(v, o.v); }
    }
    static class Fault extends RuntimeException { final int code; Fault(int code) { this.code = code; } }
    interface Op { int of(int x, int y); }
"#;

fn class(rng: &mut Rng, nth: usize) -> String {
    let mut text = format!("public class R{nth} {{\n{COMMON}");
    for method in 0..PER_CLASS {
        let mut writer = Writer { rng, text: String::new(), method, names: 0, loops: 0 };
        writer.body();
        let body = writer.text;
        let _ = write!(text, "    static int m{method}({HEAD}) {{\n{body}    }}\n");
    }
    text + "}\n"
}

struct Writer<'r> {
    rng: &'r mut Rng,
    text: String,
    method: usize,
    names: usize,
    /// Nested loops.
    loops: usize,
}

impl Writer<'_> {
    fn body(&mut self) {
        self.text.push_str("        int r = 0; Base o = z ? new Base(a) : new Derived(b);\n");
        self.text.push_str("        int[] k = new int[5]; Object any = z ? (Object) s : (Object) o;\n");
        for _ in 0..self.rng.usize(3..7) {
            self.statement(3);
        }
        let last = self.int(2);
        let _ = writeln!(self.text, "        return r + ({last});");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..self.rng.usize(1..3) {
            self.statement(depth - 1);
        }
    }

    fn statement(&mut self, depth: usize) {
        if depth == 0 {
            return self.simple();
        }
        match self.rng.u8(..12) {
            0..=3 => self.simple(),
            4 | 5 => {
                let condition = self.truth(2);
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block(depth);
                self.text.push_str("} else {\n");
                self.block(depth);
                self.text.push_str("}\n");
            }
            6 if self.loops < 2 => {
                let (name, most) = (self.fresh("i"), self.int(1));
                let _ = writeln!(
                    self.text,
                    "for (int {name} = 0; {name} < (({most}) & 3); {name}++) {{ r += {name};"
                );
                self.loops += 1;
                self.block(depth);
                self.loops -= 1;
                self.text.push_str("if (r == 77) break; }\n");
            }
            7 => self.switch(depth),
            8 | 9 => self.guarded(depth),
            10 => {
                let name = self.fresh("t");
                let _ = writeln!(
                    self.text,
                    "switch (s + \"\") {{ case \"a\": r++; break; case \"ab\": r += 2; default: {{ int {name} = r;"
                );
                self.block(depth);
                let _ = writeln!(self.text, "r -= {name}; }} }}");
            }
            _ => {
                let condition = self.truth(1);
                let _ = writeln!(self.text, "synchronized (o) {{ if ({condition}) {{");
                self.block(depth);
                self.text.push_str("} }\n");
            }
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.int(2);
        let keys: &[i32] = if self.rng.bool() { &[0, 1, 2, 3] } else { &[-100, 7, 1000, i32::MAX] };
        let _ = writeln!(self.text, "switch (({value}) & (z ? 3 : -1)) {{");
        for key in keys {
            let _ = writeln!(self.text, "case {key}:");
            self.block(depth);
            if self.rng.bool() {
                self.text.push_str("break;\n");
            }
        }
        self.text.push_str("default: r++; }\n");
    }

    fn guarded(&mut self, depth: usize) {
        let name = self.fresh("e");
        self.text.push_str("try {\n");
        self.block(depth);
        if self.rng.bool() {
            let (condition, code) = (self.truth(1), self.int(1));
            let _ = writeln!(self.text, "if ({condition}) throw new Fault({code});");
        }
        match self.rng.u8(..3) {
            0 => {
                let _ = writeln!(self.text, "}} catch (Fault {name}) {{ r += {name}.code; }}");
            }
            1 => {
                let _ = writeln!(
                    self.text,
                    "}} catch (ArithmeticException | NullPointerException {name}) {{ r ^= 3; }} catch (IndexOutOfBoundsException {name}) {{ r ^= 9; }}"
                );
            }
            _ => {
                let _ = writeln!(self.text, "}} catch (RuntimeException {name}) {{ r -= 5;");
                self.block(depth);
                self.text.push_str("} finally { count++; }\n");
            }
        }
    }

    fn simple(&mut self) {
        let line = match self.rng.u8(..17) {
            0 => format!("r += {};", self.int(3)),
            1 => format!("a = {};", self.int(3)),
            2 => format!("l = {};", self.long(3)),
            3 => format!("d = {};", self.double(2)),
            4 => format!("f = (float) ({});", self.double(2)),
            5 => format!("p[{}] = {};", self.int(1), self.int(2)),
            6 => format!("k[({}) & 3] += {};", self.int(2), self.int(1)),
            7 => format!("q[{}] = {};", self.int(1), self.double(1)),
            8 => format!("o.v = {}; o.w = {};", self.int(2), self.double(1)),
            9 => format!("count += {}; total ^= {};", self.int(1), self.long(1)),
            10 => format!("o.next = new Derived({}); r += o.next.get({});", self.int(1), self.int(1)),
            11 => format!(
                "y = (byte) ({}); h = (short) ({}); c = (char) ({});",
                self.int(2),
                self.int(2),
                self.int(2)
            ),
            12 => {
                let name = self.fresh("op");
                format!(
                    "Op {name} = (u, v) -> u * {} + v; r += {name}.of({}, {});",
                    self.rng.u8(1..5),
                    self.int(1),
                    self.int(1)
                )
            }
            13 => format!("n = (int) ({});", self.int(1)),
            14 => format!("z = {};", self.truth(2)),
            15 => {
                let name = self.fresh("g");
                format!(
                    "int[][] {name} = new int[2][({}) & 3]; r += {name}[1].length; {name}[0][0] = {};",
                    self.int(1),
                    self.int(1)
                )
            }
            _ => match self.method.checked_sub(1) {
                // No loop around it: calls of calls of calls would never end.
                Some(last) if self.loops == 0 && self.rng.bool() => {
                    let callee = self.rng.usize(last.saturating_sub(3)..=last);
                    format!("r += m{callee}({}, b, l, f, d, z, y, c, h, p, q, s, n);", self.int(1))
                }
                _ => format!("b -= {};", self.int(2)),
            },
        };
        let _ = writeln!(self.text, "{line}");
    }

    fn pick(&mut self, of: &[&str]) -> String {
        of[self.rng.usize(..of.len())].to_owned()
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            let constant = self.rng.i32(-5..40).to_string();
            return self.pick(&["a", "b", "r", "y", "c", "h", "o.v", "count", &format!("({constant})")]);
        }
        let depth = depth - 1;
        match self.rng.u8(..26) {
            0..=5 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.int(depth), self.int(depth))
            }
            6 => format!("({} {} {})", self.int(depth), self.pick(&["/", "%"]), self.int(depth)),
            7 | 8 => format!("({} {} {})", self.int(depth), self.pick(&["<<", ">>", ">>>"]), self.int(depth)),
            9 => format!("(-{})", self.int(depth)),
            10 => format!("(~{})", self.int(depth)),
            11 => format!("(int) ({})", self.long(depth)),
            12 => format!("(int) ({})", self.double(depth)),
            13 => format!("(int) (float) ({})", self.double(depth)),
            14 => format!("({} ? {} : {})", self.truth(depth), self.int(depth), self.int(depth)),
            15 => format!("p[{}]", self.int(depth)),
            16 => format!("k[({}) & 3]", self.int(depth)),
            17 => format!("o.get({})", self.int(depth)),
            18 => format!("s.charAt({})", self.int(0)),
            19 => self.pick(&[
                "s.length()",
                "p.length",
                "s.hashCode()",
                "(int) n",
                "s.indexOf(c)",
                "s.compareTo(\"ab\")",
                "Derived.made",
            ]),
            20 => format!("Math.{}({}, {})", self.pick(&["min", "max"]), self.int(depth), self.int(depth)),
            21 => format!("Math.abs({})", self.int(depth)),
            22 => format!("(byte) ({})", self.int(depth)),
            23 => format!("(char) ({})", self.int(depth)),
            24 => format!("(short) ({})", self.int(depth)),
            _ => format!("Long.compare({}, {})", self.long(depth), self.long(depth)),
        }
    }

    fn long(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["l", "total", "7L", "(long) a"]);
        }
        let depth = depth - 1;
        match self.rng.u8(..8) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.long(depth), self.long(depth))
            }
            3 => format!("({} {} {})", self.long(depth), self.pick(&["/", "%"]), self.long(depth)),
            4 => format!("({} {} {})", self.long(depth), self.pick(&["<<", ">>", ">>>"]), self.int(depth)),
            5 => format!("(long) ({})", self.double(depth)),
            6 => format!("(long) ({})", self.int(depth)),
            _ => format!("(-{})", self.long(depth)),
        }
    }

    fn double(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["d", "f", "0.5", "o.w", "(double) a"]);
        }
        let depth = depth - 1;
        match self.rng.u8(..9) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {op} {})", self.double(depth), self.double(depth))
            }
            3 => format!("(float) ({})", self.double(depth)),
            4 => format!("(double) ({})", self.long(depth)),
            5 => format!("q[{}]", self.int(depth)),
            6 => format!("(-{})", self.double(depth)),
            7 => format!(
                "Math.{}({})",
                self.pick(&["abs", "sqrt", "floor", "ceil", "rint"]),
                self.double(depth)
            ),
            _ => {
                format!("Math.{}({}, {})", self.pick(&["min", "max"]), self.double(depth), self.double(depth))
            }
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let relation = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let below = depth.saturating_sub(1);
        match self.rng.u8(..16) {
            0..=5 => format!("({} {relation} {})", self.int(depth), self.int(below)),
            6 => format!("({} {relation} {})", self.long(depth), self.long(below)),
            7 | 8 => format!("({} {relation} {})", self.double(depth), self.double(below)),
            9 => format!("((float) ({}) {relation} f)", self.double(below)),
            10 => self.pick(&[
                "z",
                "s.isEmpty()",
                "s.equals(\"ab\")",
                "s.startsWith(\"a\")",
                "s.endsWith(\"1\")",
                "(s == null)",
            ]),
            11 => self.pick(&[
                "Character.isDigit(c)",
                "(any instanceof String)",
                "(any instanceof Derived)",
                "(o.self() == o)",
                "(o.next != null)",
            ]),
            12 if depth > 0 => format!("(!{})", self.truth(below)),
            13 if depth > 0 => format!("({} && {})", self.truth(below), self.truth(below)),
            14 if depth > 0 => format!("({} || {})", self.truth(below), self.truth(below)),
            _ => format!("(n {relation} {})", self.int(below)),
        }
    }
}
