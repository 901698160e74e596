//! MC/DC of Java against a recorder: the emitted tests are run on a twin of the class that notes every evaluation, and what follows from these is
//! counted here once more.
//!
//! Sources of such classes have marks, set by hand or by a generator of decisions: `[[` and `]]` around a decision, `<<` and `>>` around each of
//! its conditions. Without the marks they are the class under test, with calls of the recorder in their place they are the twin.

mod support;

use report::{ConditionSummary, DecisionSummary, State, Summary};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use support::{Desk, PATIENCE, fixture, run};

/// A decision by its line, and its place among those that begin there.
type Key = (u32, usize);
/// Values of its conditions as letters, and its outcome.
type Vectors = BTreeSet<(String, bool)>;

/// A text with marks, without them.
fn plain(marked: &str) -> String {
    ["[[", "]]", "<<", ">>"].iter().fold(marked.to_owned(), |text, mark| text.replace(mark, ""))
}

/// The same with calls of the recorder.
fn twin(marked: &str) -> String {
    let mut text = String::new();
    for (number, line) in (1..).zip(marked.lines()) {
        let (mut rest, mut count, mut open) = (line, 0, Vec::new());
        while let Some(at) = ["[[", "]]", "<<", ">>"].iter().filter_map(|mark| rest.find(mark)).min() {
            text += &rest[..at];
            match &rest[at..at + 2] {
                "[[" => {
                    let conditions = own_conditions(&rest[at + 2..]);
                    let key = format!("{number}#{count}");
                    write!(text, "recorded.Recorder.end(recorded.Recorder.begin(\"{key}\", {conditions}), ")
                        .expect("a string");
                    open.push(0);
                    count += 1;
                }
                "<<" => {
                    let next = open.last_mut().expect("a condition in a decision");
                    write!(text, "recorded.Recorder.c({next}, ").expect("a string");
                    *next += 1;
                }
                end => {
                    text.push(')');
                    if end == "]]" {
                        open.pop();
                    }
                }
            }
            rest = &rest[at + 2..];
        }
        text += rest;
        text.push('\n');
    }
    text
}

/// How many conditions the decision has that begins here, without those of decisions inside.
fn own_conditions(mut rest: &str) -> usize {
    let (mut depth, mut count) = (0, 0);
    while let Some(at) = ["[[", "]]", "<<"].iter().filter_map(|mark| rest.find(mark)).min() {
        match &rest[at..at + 2] {
            "[[" => depth += 1,
            "]]" if depth == 0 => break,
            "]]" => depth -= 1,
            _ => count += usize::from(depth == 0),
        }
        rest = &rest[at + 2..];
    }
    count
}

/// Runs the tests in `out` on the twin of a class.
fn recorded(desk: &Desk, class: &str, marked: &str) -> BTreeMap<Key, Vectors> {
    let recorder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Recorder.java");
    let source = desk.write(&format!("twin/{class}.java"), &twin(marked));
    let classes = desk.path("twin/classes");
    run(Command::new("javac").arg("-d").arg(&classes).args([&recorder, &source]), PATIENCE).expect(0);
    let record = desk.path("twin/record");
    let mut tests = Command::new("sh");
    tests.arg(desk.path("out/run-tests.sh")).env("CLASSES", &classes).env("RECORD", &record);
    let told = run(&mut tests, PATIENCE).expect(0);
    assert!(told.stdout.contains(" passed, 0 failed"), "{}", told.stdout);
    let mut found: BTreeMap<Key, Vectors> = BTreeMap::new();
    for line in std::fs::read_to_string(record).expect("a record").lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        let (number, place) = parts[0].split_once('#').expect("a key");
        let key = (number.parse().expect("a line"), place.parse().expect("a number"));
        found.entry(key).or_default().insert((parts[1].to_owned(), parts[2] == "true"));
    }
    found
}

/// The decisions of a summary by key.
fn claimed(summary: &Summary) -> BTreeMap<Key, &DecisionSummary> {
    let mut all: Vec<&DecisionSummary> = summary.functions.iter().flat_map(|f| &f.decisions).collect();
    all.sort_by_key(|d| (d.place.line, d.place.column));
    let of_line = all.chunk_by(|a, b| a.place.line == b.place.line);
    let keyed = of_line.flat_map(|line| line.iter().enumerate().map(|(n, d)| ((d.place.line, n), *d)));
    keyed.collect()
}

/// The conditions that evaluations show: two that differ in one condition that both evaluated, and in the outcome.
fn shown(vectors: &Vectors) -> BTreeSet<usize> {
    let mut shown = BTreeSet::new();
    for (a, _) in vectors.iter().filter(|(_, outcome)| *outcome) {
        for (b, _) in vectors.iter().filter(|(_, outcome)| !outcome) {
            let differs = |(_, (a, b)): &(usize, (char, char))| *a != '-' && *b != '-' && a != b;
            let differing: Vec<usize> =
                a.chars().zip(b.chars()).enumerate().filter(differs).map(|(number, _)| number).collect();
            if let [only] = differing[..] {
                shown.insert(only);
            }
        }
    }
    shown
}

/// What is claimed of every decision is what was recorded, and the other way round. Returns how many conditions are shown, and how many
/// there are, without constants.
fn compare(summary: &Summary, recorded: &BTreeMap<Key, Vectors>) -> (usize, usize) {
    let claims = claimed(summary);
    let (mut total, mut covered) = (0, 0);
    for key in claims.keys().chain(recorded.keys()).collect::<BTreeSet<_>>() {
        let claim = claims.get(key).unwrap_or_else(|| panic!("{key:?} was recorded and is no decision"));
        let reached = claim.vectors.iter().filter(|vector| !vector.tests.is_empty());
        let vectors: Vectors = reached.map(|v| (v.values.replace('C', "-"), v.outcome)).collect();
        let seen = recorded.get(key).cloned().unwrap_or_default();
        assert_eq!(vectors, seen, "{key:?}: {}", claim.text);
        let by_state = |state: State| {
            let of = claim.conditions.iter().enumerate().filter(move |(_, c)| c.state == state);
            of.map(|(number, _)| number).collect::<BTreeSet<usize>>()
        };
        assert_eq!(by_state(State::Covered), shown(&seen), "{key:?}: {}", claim.text);
        covered += shown(&seen).len();
        total += claim.conditions.len() - by_state(State::Constant).len();
    }
    (covered, total)
}

/// Generates tests for a marked class, has JaCoCo confirm their branches, and compares their vectors.
fn judged(desk: &Desk, class: &str, marked: &str, arguments: &[&str]) -> (Summary, (usize, usize)) {
    let source = desk.write(&format!("plain/{class}.java"), &plain(marked));
    let arguments = [&["--quiet", "--criterion", "mcdc"], arguments].concat();
    desk.generate(&source, "out", &arguments).expect(0);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    let summary = desk.summary("out");
    let counts = compare(&summary, &recorded(desk, class, marked));
    (summary, counts)
}

/// Puts marks into lines with an `if`: its conditions are what stands between `&&` and `||`, without parentheses around it.
fn marked(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        let condition = line.find("if (").filter(|_| line.contains("&&") || line.contains("||"));
        let Some(begin) = condition.map(|at| at + "if (".len()) else {
            text += line;
            text.push('\n');
            continue;
        };
        let end = line.rfind(')').expect("it is closed");
        text += &line[..begin];
        text += "[[";
        let mut rest = &line[begin..end];
        loop {
            let operator = ["&&", "||"].iter().filter_map(|operator| rest.find(operator)).min();
            let part = &rest[..operator.unwrap_or(rest.len())];
            let core = part.trim_matches(['(', ')', ' ']);
            text += &part.replacen(core, &format!("<<{core}>>"), 1);
            let Some(at) = operator else { break };
            text += &rest[at..at + 2];
            rest = &rest[at + 2..];
        }
        text += "]]";
        text += &line[end..];
        text.push('\n');
    }
    text
}

/// The Triangle and NextDate of Awedikian's thesis show as many conditions as their twins in C, of which llvm-cov confirms each, and the
/// others are those that are proved impossible there.
#[test]
fn the_programs_of_the_thesis_show_what_their_twins_in_c_show() {
    let source = std::fs::read_to_string(fixture("../java/mcdc/Thesis.java")).expect("a fixture");
    let text = marked(&source.replace("package mcdc;", ""));
    let desk = Desk::new();
    let (java, _) = judged(&desk, "Thesis", &text, &[]);
    let other = Desk::new();
    let twins = fixture("../mcdc/thesis.c");
    other.generate(&twins, "out", &["--quiet", "--criterion", "mcdc"]).expect(0);
    let c = other.summary("out");
    for (method, function) in
        [("triangle", "triangle"), ("nextDate", "next_date"), ("calc", "calc"), ("getResult", "get_result")]
    {
        let find = |summary: &Summary, name: &str| -> Vec<(String, State)> {
            let found = summary.functions.iter().find(|f| f.name.rsplit('.').next() == Some(name));
            let decisions = &found.unwrap_or_else(|| panic!("{name} is there")).decisions;
            let conditions = decisions.iter().flat_map(|d| d.conditions.iter().map(move |c| (&d.text, c)));
            // For C a condition has its parentheses.
            let name = |c: &ConditionSummary| c.text.trim_matches(['(', ')']).to_owned();
            conditions.map(|(text, c)| (format!("{} in {text}", name(c)), c.state)).collect()
        };
        let (ours, theirs) = (find(&java, method), find(&c, function));
        let texts = |all: &[(String, State)]| all.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&ours), texts(&theirs), "{method}");
        for ((text, java), (_, c)) in ours.iter().zip(&theirs) {
            // Proofs may be lacking, but not the other way round.
            let is_same = java == c || (*java, *c) == (State::Unknown, State::Infeasible);
            assert!(is_same, "{method}: {text} is {java:?} and {c:?} in C");
        }
    }
    let count = |name: &str| {
        let f = java.functions.iter().find(|f| f.name == format!("Thesis.{name}")).expect("there");
        (f.conditions().covered, f.conditions().total)
    };
    assert_eq!((count("triangle"), count("nextDate")), ((12, 12), (9, 10)));
}

/// Wherever Java may have decisions: values, loops, arguments, `?:`, `assert`, copies of `finally`, lambdas, recursion in a condition, and
/// exceptions that leave one.
const FORMS: &str = "
public class Marked {
    static int loops(int a, int b) {
        int n = 0;
        while ([[<<n < a>> && <<n < 5>>]]) n++;
        for (int i = 0; [[<<i < b % 8>> || <<i < 2>>]]; i++) n += i;
        do n--; while ([[<<n > 3>> && (<<a > 1>> || <<b > 1>>)]]);
        return n;
    }
    static boolean values(int a, int b, boolean c) {
        boolean both = [[<<a > 1>> && <<b > 1>>]];
        boolean none = [[!(<<a > 2>> || <<b > 2>>)]];
        both |= take([[<<a == 3>> || <<c>>]], [[<<!c>> && <<b == 4>>]]);
        return [[<<both>> && <<!none>> || <<c>>]];
    }
    static boolean take(boolean a, boolean b) {
        return a != b;
    }
    static int nested(int a, int b, boolean c) {
        int n = [[<<a > 1>> && <<b > 1>>]] ? 1 : [[<<c>> || <<b > 2>>]] ? 2 : 3;
        if ([[<<c>> && <<(a > 3 ? b > 3 : b < 3)>>]]) n += 4;
        if (a > 4 ? [[<<b > 4>> && <<c>>]] : [[<<b < 4>> || <<c>>]]) n += 5;
        if ([[<<a > 5>> && <<is([[<<b > 5>> || <<c>>]])>>]]) n += 6;
        if ([[!(<<a > 7>> && !(<<b > 7>> || <<c>>)) && <<!!c>>]]) n += 8;
        return n;
    }
    static boolean is(boolean b) {
        return b;
    }
    static int copied(int a, int b) {
        int n = 0;
        try {
            if (a == 7) return 1;
            n = 10 / a;
        } catch (ArithmeticException e) {
            n = 2;
        } finally {
            if ([[<<a > 3>> && <<b > 3>> || <<a < b>>]]) n = 5;
        }
        return n;
    }
    static int asserted(int n) {
        assert [[<<n >= 0>> && <<n < 100>> || <<n == 1000>>]] : n;
        return n;
    }
    static int lambdas(int a, int b) {
        java.util.function.IntPredicate both = x -> [[<<x > a>> && <<x < b>>]];
        return both.test(5) ? 1 : 2;
    }
    static int left(int a, int b) {
        if ([[<<a > 0>> && <<10 / b > 1>> || <<100 / (a - 5) > 3>>]]) return 1;
        return 2;
    }
    static int deep(int n) {
        if ([[<<n > 3>> && <<caught(n & 7)>> || <<10 / (n - 3) > 1>>]]) return 1;
        return 0;
    }
    static boolean caught(int n) {
        try {
            return deep(n - 1) > 0;
        } catch (ArithmeticException e) {
            return n == 4;
        }
    }
    static int constants(int a, boolean b) {
        final boolean on = true;
        int n = 0;
        if ([[<<a > 3>> && <<on>> && <<b>>]]) n = 2;
        if ([[(<<a > 5>> || <<on>>) && (<<b>> || <<a < 0>>)]]) n += 4;
        return n;
    }
}
";

#[test]
fn every_form_of_decisions_is_claimed_as_it_is_recorded() {
    let desk = Desk::new();
    // What is constant for the compiler must not be recorded, or it would be none.
    let text = FORMS.replace("<<on>>", "on");
    let source = desk.write("plain/Marked.java", &plain(&text));
    let arguments = ["--quiet", "--criterion", "mcdc", "--budget", "5000x"];
    desk.generate(&source, "out", &arguments).expect(0);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    let summary = desk.summary("out");
    assert!(summary.functions.iter().all(|f| f.left_out.is_empty()));
    let seen = recorded(&desk, "Marked", &text);
    // The recorder numbers what is recorded; constants stand between.
    let seen: BTreeMap<Key, Vectors> = seen
        .into_iter()
        .map(|(key, vectors)| {
            let claim = claimed(&summary)[&key];
            let widened = vectors.into_iter().map(|(values, outcome)| {
                let mut values = values.chars();
                let letters = claim.conditions.iter().map(|c| match c.state {
                    State::Constant => '-',
                    _ => values.next().expect("a value for each"),
                });
                (letters.collect(), outcome)
            });
            (key, widened.collect())
        })
        .collect();
    let (covered, total) = compare(&summary, &seen);
    let missing: Vec<&str> = claimed(&summary)
        .values()
        .flat_map(|decision| &decision.conditions)
        .filter(|c| !matches!(c.state, State::Covered | State::Constant))
        .map(|c| c.text.as_str())
        .collect();
    // With neither `a > 1` nor `b > 1` the loops before leave no more than 2 in `n`; and a constant keeps `a > 5` from deciding.
    assert_eq!(missing, ["a > 1", "b > 1", "a > 5"]);
    assert_eq!((covered, total), (52, 55));
}

/// Numbers from a seed: the tests are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A decision over three numbers from 0 to 7.
enum Tree {
    Leaf { sides: usize, compare: usize, constant: u64, negated: bool },
    Join { and: bool, negated: bool, sides: Box<[Tree; 2]> },
}

impl Tree {
    fn random(dice: &mut Dice, conditions: u64) -> Tree {
        if conditions == 1 {
            let (sides, compare) = (dice.roll(5) as usize, dice.roll(6) as usize);
            return Tree::Leaf { sides, compare, constant: dice.roll(8), negated: dice.roll(5) == 0 };
        }
        let left = 1 + dice.roll(conditions - 1);
        let sides = Box::new([left, conditions - left].map(|n| Tree::random(dice, n)));
        Tree::Join { and: dice.roll(2) == 0, negated: dice.roll(4) == 0, sides }
    }

    /// With marks.
    fn text(&self) -> String {
        match self {
            Tree::Leaf { sides, compare, constant, negated } => {
                let left = ["a", "b", "c", "a + b", "b + c"][*sides];
                let compare = ["==", "!=", "<", "<=", ">", ">="][*compare];
                let atom = format!("({left} & 7) {compare} {constant}");
                if *negated { format!("<<!({atom})>>") } else { format!("<<{atom}>>") }
            }
            Tree::Join { and, negated, sides } => {
                let [left, right] = [&sides[0], &sides[1]].map(Tree::text);
                let operator = if *and { "&&" } else { "||" };
                format!("{}({left} {operator} {right})", if *negated { "!" } else { "" })
            }
        }
    }

    /// Evaluates as Java does; the letters of conditions that are left out stay as they are.
    fn evaluate(&self, [a, b, c]: [u64; 3], first: usize, letters: &mut [char]) -> bool {
        match self {
            Tree::Leaf { sides, compare, constant: k, negated } => {
                let left = [a, b, c, a + b, b + c][*sides] & 7;
                let holds = [left == *k, left != *k, left < *k, left <= *k, left > *k, left >= *k][*compare];
                letters[first] = if holds != *negated { 'T' } else { 'F' };
                holds != *negated
            }
            Tree::Join { and, negated, sides } => {
                let mut value = sides[0].evaluate([a, b, c], first, letters);
                if value == *and {
                    value = sides[1].evaluate([a, b, c], first + sides[0].leaves(), letters);
                }
                value != *negated
            }
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Tree::Leaf { .. } => 1,
            Tree::Join { sides, .. } => sides.iter().map(Tree::leaves).sum(),
        }
    }

    /// The conditions that can be shown, by trying all inputs.
    fn feasible(&self) -> BTreeSet<usize> {
        let vector = |number: u64| {
            let mut letters = vec!['-'; self.leaves()];
            let outcome = self.evaluate([number % 8, number / 8 % 8, number / 64], 0, &mut letters);
            (letters.into_iter().collect::<String>(), outcome)
        };
        shown(&(0..512).map(vector).collect())
    }
}

/// Some of them, `DECISIONS` asks for more, as conditions, values and tests of loops: nothing is shown that cannot be, and hardly anything is missed.
#[test]
fn random_decisions_are_claimed_as_they_are_recorded() {
    let mut dice = Dice(23);
    let count = std::env::var("DECISIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(14);
    let trees: Vec<Tree> = (0..count).map(|number: u64| Tree::random(&mut dice, 2 + number % 7)).collect();
    let mut text = String::from("public class Many {\n");
    for (number, decision) in trees.iter().map(Tree::text).enumerate() {
        let body = match number % 4 {
            0 => format!("if ([[{decision}]]) return 1; return 2;"),
            1 => format!("boolean is = [[{decision}]]; return is ? 1 : 2;"),
            2 => format!("int n = 0; while ([[{decision}]]) {{ if (n++ > 2) break; a++; }} return n;"),
            _ => format!("return [[{decision}]] ? a : b;"),
        };
        writeln!(text, "    static int f{number}(int a, int b, int c) {{ {body} }}").expect("a string");
    }
    text += "}\n";
    let desk = Desk::new();
    let (summary, (covered, _)) = judged(&desk, "Many", &text, &["--budget", "2000x"]);
    assert!(summary.functions.iter().all(|f| f.left_out.is_empty()));
    let mut feasible = 0;
    for (number, tree) in trees.iter().enumerate() {
        let name = format!("Many.f{number}");
        let function = summary.functions.iter().find(|f| f.name == name).expect("there");
        let [decision] = &function.decisions[..] else { panic!("one decision in {name}") };
        let possible = tree.feasible();
        feasible += possible.len();
        for (condition, claim) in decision.conditions.iter().enumerate() {
            let is_shown = claim.state == State::Covered;
            assert!(!is_shown || possible.contains(&condition), "{name}: {}", claim.text);
        }
    }
    assert!(covered * 100 >= feasible * 98, "{covered} of {feasible}");
}
