//! MC/DC from the source to llvm-cov's records, and against brute force.

mod obligations;

use crate::support::{Desk, Ended, PATIENCE, function, run};
use report::{DecisionSummary, State, Summary};
use std::collections::BTreeSet;
use std::fmt::Write as _;

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen", "--criterion", "mcdc"], arguments].concat()), PATIENCE)
}

/// Generates, lets llvm-cov confirm, and returns the claims.
fn confirmed(desk: &Desk, arguments: &[&str]) -> Summary {
    generate(desk, &[arguments, &["--out", "out"]].concat()).expect(0);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("llvm-cov confirms every claim"), "{}", verdict.stdout);
    desk.summary("out")
}

fn states(decision: &DecisionSummary) -> Vec<State> {
    decision.conditions.iter().map(|condition| condition.state).collect()
}

/// Numbers from a seed: the tests are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A condition over three numbers from 0 to 7.
#[derive(Clone, Copy, Debug)]
struct Atom {
    left: u64,
    right: Option<u64>,
    compare: u64,
    constant: u64,
}

impl Atom {
    fn random(dice: &mut Dice) -> Atom {
        let right = (dice.roll(3) == 0).then(|| dice.roll(3));
        Atom { left: dice.roll(3), right, compare: dice.roll(6), constant: dice.roll(8) }
    }

    fn text(self) -> String {
        let name = |index: u64| ["a", "b", "c"][index as usize];
        let left = match self.right {
            Some(right) => format!("({} + {}) % 8", name(self.left), name(right)),
            None => format!("{} % 8", name(self.left)),
        };
        format!("{left} {} {}", ["==", "!=", "<", "<=", ">", ">="][self.compare as usize], self.constant)
    }

    fn holds(self, values: [u64; 3]) -> bool {
        let right = self.right.map_or(0, |right| values[right as usize]);
        let left = (values[self.left as usize] + right) % 8;
        let c = self.constant;
        [left == c, left != c, left < c, left <= c, left > c, left >= c][self.compare as usize]
    }
}

/// A decision.
enum Tree {
    Leaf(Atom),
    Constant(bool),
    Join { and: bool, whole: bool, left: Box<Tree>, right: Box<Tree> },
}

/// What random decisions are made of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    /// With `&` and `|` beside `&&` and `||`.
    Bitwise,
    /// With conditions that are constant.
    Constants,
}

impl Tree {
    fn random(dice: &mut Dice, conditions: u64, kind: Kind) -> Tree {
        if conditions == 1 {
            let is_constant = kind == Kind::Constants && dice.roll(4) == 0;
            return if is_constant {
                Tree::Constant(dice.roll(2) == 0)
            } else {
                Tree::Leaf(Atom::random(dice))
            };
        }
        let left = 1 + dice.roll(conditions - 1);
        let [left, right] = [left, conditions - left].map(|n| Box::new(Tree::random(dice, n, kind)));
        let whole = kind == Kind::Bitwise && dice.roll(2) == 0;
        Tree::Join { and: dice.roll(2) == 0, whole, left, right }
    }

    fn text(&self) -> String {
        match self {
            Tree::Leaf(atom) => atom.text(),
            Tree::Constant(value) => format!("sizeof(a) == {}", if *value { 4 } else { 3 }),
            Tree::Join { and, whole, left, right } => {
                let join = match (*and, *whole) {
                    (true, false) => "&&",
                    (false, false) => "||",
                    (true, true) => "&",
                    (false, true) => "|",
                };
                format!("({}) {join} ({})", left.text(), right.text())
            }
        }
    }

    /// Evaluates as C does; conditions that are met go to `vector`.
    fn evaluate(&self, values: [u64; 3], first: &mut usize, vector: &mut Vec<(usize, bool)>) -> bool {
        match self {
            Tree::Leaf(atom) => {
                let value = atom.holds(values);
                vector.push((*first, value));
                *first += 1;
                value
            }
            Tree::Constant(value) => {
                *first += 1;
                *value
            }
            Tree::Join { and, whole, left, right } => {
                let begun = *first;
                let value = left.evaluate(values, first, vector);
                *first = begun + left.leaves();
                let value = if value == *and {
                    right.evaluate(values, first, vector)
                } else {
                    if *whole {
                        right.evaluate(values, first, vector);
                    }
                    value
                };
                *first = begun + self.leaves();
                value
            }
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) | Tree::Constant(_) => 1,
            Tree::Join { left, right, .. } => left.leaves() + right.leaves(),
        }
    }

    /// Constants are neither shown nor missing.
    fn mark_constants(&self, first: &mut usize, states: &mut [State]) {
        match self {
            Tree::Leaf(_) => *first += 1,
            Tree::Constant(_) => {
                states[*first] = State::Constant;
                *first += 1;
            }
            Tree::Join { left, right, .. } => {
                left.mark_constants(first, states);
                right.mark_constants(first, states);
            }
        }
    }

    /// The conditions that some pair of evaluations shows, by trying all inputs.
    fn feasible(&self) -> Vec<bool> {
        let mut seen: BTreeSet<(Vec<(usize, bool)>, bool)> = BTreeSet::new();
        for number in 0..512u64 {
            let mut vector = Vec::new();
            let outcome = self.evaluate([number % 8, number / 8 % 8, number / 64], &mut 0, &mut vector);
            seen.insert((vector, outcome));
        }
        let mut shown = vec![false; self.leaves()];
        for (a, _) in seen.iter().filter(|(_, outcome)| *outcome) {
            for (b, _) in seen.iter().filter(|(_, outcome)| !*outcome) {
                let differing: Vec<usize> =
                    a.iter().filter(|(c, value)| b.contains(&(*c, !value))).map(|(c, _)| *c).collect();
                if let [only] = differing[..] {
                    shown[only] = true;
                }
            }
        }
        shown
    }
}

/// What the header of a fixture says that nobody can show: function and condition.
fn impossible(text: &str) -> BTreeSet<(String, String)> {
    let lines = text.lines().filter_map(|line| line.split_once("cannot be shown: "));
    let parts = lines.map(|(_, rest)| {
        let (function, rest) = rest.split_once(" \"").expect("a function and a condition");
        (function.to_owned(), rest.split('"').next().unwrap_or_default().to_owned())
    });
    parts.collect()
}

/// Every condition that can be shown is, every other one is proved impossible, llvm-cov sees the same where it looks, and
/// the tests pass under sanitizers.
#[test]
fn fixtures_are_shown_whole() {
    let folder = crate::support::fixtures().with_file_name("mcdc");
    let files = crate::support::c_files(&folder);
    assert!(files.len() >= 3, "the fixtures are not where they should be");
    for file in &files {
        let desk = Desk::new();
        let path = file.to_str().expect("a path");
        let text = std::fs::read_to_string(file).expect("a fixture");
        let needs = text.lines().filter_map(|line| line.split_once("needs: "));
        let arguments: Vec<&str> = std::iter::once(path).chain(needs.map(|(_, option)| option)).collect();
        let summary = confirmed(&desk, &arguments);
        let expected = impossible(&text);
        let mut found = BTreeSet::new();
        for f in &summary.functions {
            for condition in f.decisions.iter().flat_map(|d| &d.conditions) {
                assert_ne!(condition.state, State::Unknown, "{path}: {} {}", f.name, condition.text);
                if condition.state == State::Infeasible {
                    found.insert((f.name.clone(), condition.text.clone()));
                }
            }
        }
        assert_eq!(found, expected, "{path}");
        std::fs::create_dir(desk.path("out/sanitized")).expect("a new folder");
        let sanitized = "CFLAGS=-g -fsanitize=address,undefined -fno-sanitize-recover=all";
        let told = crate::support::make(&desk.path("out"), &["CC=gcc", sanitized, "OUT=sanitized"]);
        assert!(told.stdout.contains(" passed, 0 failed"), "{path}: {}", told.stdout);
    }
}

/// Item 68: what llvm-cov has no records of is recounted from single tests, so a wrong claim is found there too.
#[test]
fn item_68_wrong_claims_about_unrecorded_decisions_are_found() {
    let desk = Desk::new();
    desk.write("n.c", "int n(int a, int b, int c)\n{\n    if (!(a > 1 && b > 2) || c)\n        return 1;\n    return 0;\n}\n");
    let summary = confirmed(&desk, &["n.c"]);
    let [decision] = &function(&summary, "n").decisions[..] else { panic!("one decision") };
    assert!(!decision.confirmable && states(decision) == [State::Covered; 3]);
    let path = desk.path("out/summary.json");
    let honest = std::fs::read_to_string(&path).expect("a summary");
    for (claim, lie) in [
        ("\"values\": \"TTF\"", "\"values\": \"TTT\""),
        (
            "\"state\": \"covered\",\n              \"pair\"",
            "\"state\": \"unknown\",\n              \"pair\"",
        ),
    ] {
        let told = honest.replacen(claim, lie, 1);
        assert_ne!(told, honest, "{claim} in {honest}");
        std::fs::write(&path, told).expect("a file");
        let verdict = desk.check("out");
        assert!(verdict.code != Some(0) && verdict.stdout.contains("llvm-cov"), "{lie}: {}", verdict.stdout);
    }
}

fn vectors(decision: &DecisionSummary) -> BTreeSet<(String, bool)> {
    let reached = decision.vectors.iter().filter(|v| !v.tests.is_empty());
    reached.map(|v| (v.values.clone(), v.outcome)).collect()
}

/// By hand: of `a & b | c` the first two are shown where the other is true and `c` false, which leaves `c`. Four vectors do, and
/// all conditions are evaluated in each.
#[test]
fn bitwise_decisions_are_shown_and_recounted() {
    let desk = Desk::new();
    desk.write("b.c", "int f(int a, int b, int c)\n{\n    return (a > 3) & (b < 2) | (c == 0);\n}\n");
    let summary = confirmed(&desk, &["b.c", "--bitwise-decisions"]);
    let [decision] = &function(&summary, "f").decisions[..] else { panic!("one decision") };
    assert_eq!(decision.text, "(a > 3) & (b < 2) | (c == 0)");
    assert!(decision.bitwise && !decision.confirmable && states(decision) == [State::Covered; 3]);
    let texts: Vec<&str> = decision.conditions.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["a > 3", "b < 2", "c == 0"]);
    let found = vectors(decision);
    for vector in [("TTF", true), ("FTF", false), ("TFF", false)] {
        assert!(found.contains(&(vector.0.to_owned(), vector.1)), "{vector:?} in {found:?}");
    }
    assert!(found.iter().all(|(values, _)| !values.contains('-')), "{found:?}");
    assert!(found.iter().any(|(values, outcome)| *outcome && values != "TTF" && values.ends_with('T')));
    // The judge counts each condition in a copy of the source, so that it finds lies.
    let path = desk.path("out/summary.json");
    let honest = std::fs::read_to_string(&path).expect("a summary");
    for (claim, lie) in [
        ("\"values\": \"TTF\"", "\"values\": \"TTT\""),
        (
            "\"state\": \"covered\",\n              \"pair\"",
            "\"state\": \"unknown\",\n              \"pair\"",
        ),
    ] {
        let told = honest.replacen(claim, lie, 1);
        assert_ne!(told, honest, "{claim} in {honest}");
        std::fs::write(&path, told).expect("a file");
        let verdict = desk.check("out");
        assert!(verdict.code != Some(0) && verdict.stdout.contains("llvm-cov"), "{lie}: {}", verdict.stdout);
    }
}

/// Which there are, in which forms; and that nothing changes for who does not ask.
#[test]
fn bitwise_decisions_are_found_wherever_c_has_them() {
    let desk = Desk::new();
    let path = crate::support::fixtures().with_file_name("mcdc").join("bitwise.c");
    let path = path.to_str().expect("a path");
    let decisions = |options: &[&str], name: &str| -> Vec<String> {
        let all = [&[path, "--budget", "500x", "--out", "out"][..], options].concat();
        generate(&desk, &all).expect(0);
        function(&desk.summary("out"), name).decisions.iter().map(|d| d.text.clone()).collect()
    };
    let bitwise = &["--bitwise-decisions"][..];
    assert_eq!(decisions(&[], "alarm_level"), [""; 0]);
    assert_eq!(decisions(&[], "mixed"), ["p && ((a > 1) & (b > 1))", "a == 5 || b == 6"]);
    assert_eq!(decisions(bitwise, "alarm_level"), ["(a > 3) & (b < 2) | (c == 0)"]);
    assert_eq!(decisions(bitwise, "in_values"), ["(a > 1) & (b > 2)", "(a < b) | (c < d)"]);
    let mixed = ["p && ((a > 1) & (b > 1))", "(a == 5 || b == 6) & (p != 3)"];
    assert_eq!(decisions(bitwise, "mixed"), mixed);
    let summary = desk.summary("out");
    let conditions = |name: &str, number: usize| -> Vec<String> {
        let decision = &function(&summary, name).decisions[number];
        decision.conditions.iter().map(|c| c.text.clone()).collect()
    };
    assert_eq!(conditions("mixed", 0), ["p", "a > 1", "b > 1"]);
    assert_eq!(conditions("mixed", 1), ["a == 5", "b == 6", "p != 3"]);
    let safe = ["valve->is_open", "valve->pressure > 80", "override", "is_light", "!tries"];
    assert_eq!(conditions("is_safe", 0), safe);
    let groups = ["a > 1", "b > 1", "c > 1", "d > 1", "a < 9", "b < 9", "c < 9", "d < 9"];
    assert_eq!(function(&summary, "groups").decisions.len(), 1);
    assert_eq!(conditions("groups", 0), groups);
    // `flags & 4 | flags & 16` is none.
    assert_eq!(function(&summary, "masks").decisions.len(), 1);
    assert_eq!(conditions("nested", 0), ["weigh((a > 2) & (b > 2)) == 3", "c == 9"]);
    assert_eq!(conditions("nested", 1), ["a > 2", "b > 2"]);
    let folded = &function(&summary, "folded").decisions[0];
    assert_eq!(folded.conditions[0].state, State::Constant);
    assert_eq!(folded.conditions[0].value, Some(true));
}

/// What a macro makes is said to be left out, and the option alone is refused.
#[test]
fn bitwise_decisions_that_cannot_be_followed_are_listed() {
    let desk = Desk::new();
    let source = "#define BOTH(a, b) (((a) > 1) & ((b) > 1))\n\
                  int f(int a, int b)\n{\n    return BOTH(a, b);\n}\n";
    desk.write("m.c", source);
    let ended = generate(&desk, &["m.c", "--bitwise-decisions", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    let [left] = &function(&summary, "f").left_out[..] else { panic!("one is left out") };
    assert_eq!((left.place.line, left.text.as_str()), (4, "BOTH(a, b)"));
    assert!(ended.stdout.contains("1 decision left out"), "{}", ended.stdout);
    run(&mut desk.branchwise(["gen", "m.c", "--bitwise-decisions"]), PATIENCE).expect(2);
}

/// By hand: constants hold their place among the conditions, are neither shown nor missing, and what is left is shown as llvm-cov counts it.
#[test]
fn constant_conditions_take_part_with_their_values() {
    let desk = Desk::new();
    let path = crate::support::fixtures().with_file_name("mcdc").join("constants.c");
    let summary = confirmed(&desk, &[path.to_str().expect("a path")]);
    let of = |name: &str, number: usize| -> Vec<(String, State, Option<bool>)> {
        let decision = &function(&summary, name).decisions[number];
        decision.conditions.iter().map(|c| (c.text.clone(), c.state, c.value)).collect()
    };
    let (shown, never) = (State::Covered, State::Infeasible);
    let list = |all: &[(&str, State, Option<bool>)]| -> Vec<(String, State, Option<bool>)> {
        all.iter().map(|&(text, state, value)| (text.to_owned(), state, value)).collect()
    };
    let constant = |text: &'static str, value| (text, State::Constant, Some(value));
    assert_eq!(of("held", 0), list(&[("a", shown, None), constant("1", true), ("b", shown, None)]));
    let held = &function(&summary, "held").decisions[0];
    let three = [("FC-", false), ("TCF", false), ("TCT", true)];
    assert_eq!(vectors(held), three.map(|(values, outcome)| (values.to_owned(), outcome)).into());
    let macros = [constant("DEBUG", false), ("x > 3", shown, None), ("y == 5", shown, None)];
    assert_eq!(of("by_macros", 0), list(&macros));
    let macros = [
        constant("WITH_SENSOR", true),
        constant("LEVEL > 2", true),
        ("x < 0", shown, None),
        ("y < 0", shown, None),
    ];
    assert_eq!(of("by_macros", 1), list(&macros));
    let size = [constant("sizeof(x) > 4", true), ("y == 7", shown, None), ("z == 7", shown, None)];
    assert_eq!(of("by_size", 0), list(&size));
    assert_eq!(of("masked", 0), list(&[("a", never, None), constant("1", true), ("b", shown, None)]));
    let dead =
        [("a > 2", shown, None), constant("DEBUG", false), ("b > 2", never, None), ("c > 2", shown, None)];
    assert_eq!(of("unreachable", 0), list(&dead));
    assert!(function(&summary, "single").decisions.is_empty());
    assert!(!function(&summary, "negated").decisions[0].confirmable);
    let negated = [("a > 6", shown, None), constant("WITH_SENSOR", true), ("b > 6", shown, None)];
    assert_eq!(of("negated", 0), list(&negated));
    let [left] = &function(&summary, "in_part").left_out[..] else { panic!("one is left out") };
    assert!(left.reason.contains("constant") && function(&summary, "in_part").decisions.is_empty());
    let tally = summary.totals.conditions.expect("conditions");
    assert_eq!((tally.unknown, tally.infeasible), (0, 4));
}

/// In forms that llvm-cov has records of, and in those that it has none of.
#[test]
fn decisions_are_found_wherever_c_has_them() {
    let desk = Desk::new();
    let path = crate::support::fixtures().with_file_name("mcdc").join("forms.c");
    generate(&desk, &[path.to_str().expect("a path"), "--budget", "2000x", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    let of = |name: &str| -> Vec<(String, bool)> {
        let decisions = function(&summary, name).decisions.iter();
        decisions.map(|decision| (decision.text.clone(), decision.confirmable)).collect()
    };
    let list = |texts: &[(&str, bool)]| -> Vec<(String, bool)> {
        texts.iter().map(|&(text, known)| (text.to_owned(), known)).collect()
    };
    let values = [("a && b", true), ("a > b && c", true), ("c || both", true), ("a < 3 && b < 3", true)];
    assert_eq!(of("in_values"), list(&values));
    let loops = [
        ("a > 0 && steps < 9", true),
        ("steps > 3 || (b == 77 && steps > -2)", true),
        ("i < 5 && b > i", true),
    ];
    assert_eq!(of("in_loops"), list(&loops));
    // What negates the whole is no part of it.
    let negated = [("!(a > 1 && b > 2) || c", false), ("a == 9 || !(b == 9 && c == 0)", false)];
    assert_eq!(of("negated"), list(&negated));
    let nested = [("a && is_special(b > 0 && c > 0 ? 5 : 0)", false), ("b > 0 && c > 0", false)];
    assert_eq!(of("nested"), list(&nested));
    let conditions: Vec<usize> =
        function(&summary, "in_macros").decisions.iter().map(|d| d.conditions.len()).collect();
    assert_eq!(conditions, [3, 3]);
}

/// Item 12: more ways through the decision than could be listed, and yet n + 1 tests, or hardly more.
#[test]
fn item_12_large_decisions() {
    for conditions in [25u32, 40] {
        let desk = Desk::new();
        let parameters: Vec<String> = (0..conditions).map(|i| format!("int x{i}")).collect();
        let pair = |i: u32| match i + 1 < conditions {
            true => format!("(x{i} > {} || x{} == {})", 3 * i, i + 1, 7 * i),
            false => format!("x{i} > {}", 3 * i),
        };
        let pairs: Vec<String> = (0..conditions).step_by(2).map(pair).collect();
        let source = format!(
            "int f({})\n{{\n    if ({})\n        return 1;\n    return 0;\n}}\n",
            parameters.join(", "),
            pairs.join(" && ")
        );
        desk.write("large.c", &source);
        let summary = confirmed(&desk, &["large.c"]);
        let f = function(&summary, "f");
        assert_eq!(f.conditions().covered, conditions as usize);
        assert!(f.tests.len() <= conditions as usize + 3, "{} tests", f.tests.len());
    }
}

/// Masking shows a condition that is coupled with another, unique cause cannot; the table has a row for each.
#[test]
fn item_13_variants() {
    let desk = Desk::new();
    let source = "int f(int a, int b, int c)\n{\n    return (a > 0 && b > 0) || (a > 0 && c > 0);\n}\n";
    desk.write("coupled.c", source);
    let shown = |variant: &str| {
        let arguments = ["coupled.c", "--mcdc", variant, "--out", variant];
        generate(&desk, &arguments).expect(0);
        let rows = std::fs::read_to_string(desk.path(variant).join("mcdc.csv")).expect("a table");
        assert_eq!(rows.lines().count(), 5, "{rows}");
        let conditions = desk.summary(variant).totals.conditions.expect("conditions");
        (conditions.covered, conditions.infeasible)
    };
    assert_eq!(shown("unique-cause"), (3, 1));
    assert_eq!(shown("masking"), (4, 0));
    assert_eq!(shown("unique-cause+masking"), (4, 0));
}

/// Items 24 and 39: two flags that are set by narrow conditions and looked at together. A search that only sees the flags finds each on its
/// own and never both; one that sees what sets them does.
#[test]
fn flags_are_seen_through_by_data_dependence() {
    let desk = Desk::new();
    let source = "int both(int a, int b, int c)\n{\n    int first = 0, second = 0;\n\n\
                      if (a > 3000 && a < 3060)\n        first = 1;\n    if (b > 7000 && b < 7060)\n        second = 1;\n\
                      if (first && second && c > 5)\n        return 1;\n    return 0;\n}\n";
    desk.write("flags.c", source);
    let successes = |fitness: &str| {
        let is_whole = |seed: u32| {
            let seed = seed.to_string();
            let settings =
                ["--engine", "tabu", "--goal-budget", "5000", "--budget", "400000x", "--seed", &seed];
            let arguments =
                [&["gen", "flags.c", "--out", fitness, "--fitness", fitness][..], &settings].concat();
            run(&mut desk.branchwise(arguments), PATIENCE).expect(0);
            desk.summary(fitness).totals.goals.unknown == 0
        };
        (1..=6).filter(|&seed| is_whole(seed)).count()
    };
    let (control, data) = (successes("control"), successes("data-dependence"));
    assert!(control == 0 && data >= 3, "{control} and {data} of 6");
}

/// Random decisions of a kind, a function each.
fn functions(trees: &[Tree]) -> String {
    let mut source = String::new();
    for (number, tree) in trees.iter().enumerate() {
        let _ = writeln!(
            source,
            "int f{number}(unsigned a, unsigned b, unsigned c)\n{{\n    if ({})\n        return 1;\n    return 0;\n}}\n",
            tree.text()
        );
    }
    source
}

fn expected(tree: &Tree) -> Vec<State> {
    let state = |feasible: bool| if feasible { State::Covered } else { State::Infeasible };
    let mut states: Vec<State> = tree.feasible().into_iter().map(state).collect();
    tree.mark_constants(&mut 0, &mut states);
    states
}

/// What brute force can show is shown, and nothing else; llvm-cov sees the same.
#[test]
fn item_38_random_decisions_are_shown_exactly_as_far_as_they_can_be() {
    let desk = Desk::new();
    let mut dice = Dice(7);
    // 300 take half a minute: `scripts/bench decisions`.
    let count = std::env::var("DECISIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let trees: Vec<Tree> = (0..count).map(|i| Tree::random(&mut dice, 2 + i % 11, Kind::Plain)).collect();
    desk.write("decisions.c", &functions(&trees));
    let summary = confirmed(&desk, &["decisions.c", "--budget", "200000x"]);
    for (number, tree) in trees.iter().enumerate() {
        let found = function(&summary, &format!("f{number}"));
        let [decision] = &found.decisions[..] else { panic!("f{number}: {:?}", found.decisions) };
        assert_eq!(states(decision), expected(tree), "f{number}: {}", tree.text());
    }
}

/// The same with `&` and `|`: the judge counts every condition in a copy of the source, and nothing is left unjudged.
#[test]
fn random_bitwise_decisions_are_shown_exactly_as_far_as_they_can_be() {
    let desk = Desk::new();
    let mut dice = Dice(11);
    let trees: Vec<Tree> = (0..40).map(|i| Tree::random(&mut dice, 2 + i % 7, Kind::Bitwise)).collect();
    desk.write("decisions.c", &functions(&trees));
    let summary = confirmed(&desk, &["decisions.c", "--bitwise-decisions", "--budget", "200000x"]);
    let verdict = desk.check("out").expect(0);
    assert!(!verdict.stdout.contains("nobody but Branchwise"), "{}", verdict.stdout);
    for (number, tree) in trees.iter().enumerate() {
        let found = function(&summary, &format!("f{number}"));
        let [decision] = &found.decisions[..] else { panic!("f{number}: {:?}", found.decisions) };
        assert_eq!(states(decision), expected(tree), "f{number}: {}", tree.text());
    }
}

/// The same with constants, where llvm-cov has records: it calls shown what is claimed, and nothing else. Where fewer than two conditions
/// are ever evaluated there is no decision.
#[test]
fn random_decisions_with_constants_are_shown_exactly_as_far_as_they_can_be() {
    let desk = Desk::new();
    let mut dice = Dice(13);
    let trees: Vec<Tree> = (0..60).map(|i| Tree::random(&mut dice, 2 + i % 7, Kind::Constants)).collect();
    desk.write("decisions.c", &functions(&trees));
    let summary = confirmed(&desk, &["decisions.c", "--budget", "200000x"]);
    let mut compared = 0;
    for (number, tree) in trees.iter().enumerate() {
        let found = function(&summary, &format!("f{number}"));
        let Some(decision) = found.decisions.first() else { continue };
        assert_eq!(states(decision), expected(tree), "f{number}: {}", tree.text());
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}
