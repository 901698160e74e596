//! MC/DC from the source to llvm-cov's records, and against brute force.

mod support;

use report::{DecisionSummary, Obligations, State, Summary};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use support::{Desk, Ended, PATIENCE, function, run};

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
    let folder = support::fixtures().with_file_name("mcdc");
    let files = support::c_files(&folder);
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
        let told = support::make(&desk.path("out"), &["CC=gcc", sanitized, "OUT=sanitized"]);
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
    let path = support::fixtures().with_file_name("mcdc").join("bitwise.c");
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
    let path = support::fixtures().with_file_name("mcdc").join("constants.c");
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
    let path = support::fixtures().with_file_name("mcdc").join("forms.c");
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

/// What `branchwise obligations` prints.
fn obligations(desk: &Desk, arguments: &[&str]) -> String {
    run(&mut desk.branchwise([&["obligations"], arguments].concat()), PATIENCE).expect(0).stdout
}

/// The decisions of a function: line and text.
fn decisions_of(all: &Obligations, name: &str) -> Vec<(usize, String)> {
    let functions = all.files.iter().flat_map(|file| &file.functions);
    let function = functions.into_iter().find(|function| function.name == name).expect("the function");
    function.decisions.iter().map(|decision| (decision.place.line, decision.text.clone())).collect()
}

/// Item 1: the thesis lists the decisions of Calc (its lines 4, 8, 12, 13, 16) and of Triangle (37 to 66; the first one is about
/// the length of an array that ours does not take).
#[test]
fn item_01_every_decision_with_its_line() {
    let path = support::fixtures().with_file_name("mcdc").join("thesis.c");
    let source = std::fs::read_to_string(&path).expect("a fixture");
    let all = Obligations::read(&obligations(&Desk::new(), &[path.to_str().expect("a path")])).expect("XML");
    let expected = |name: &str, texts: &[&str]| -> Vec<(usize, String)> {
        let mut lines =
            source.lines().enumerate().skip_while(|(_, line)| !line.contains(&format!("int {name}(")));
        let mut find = |text: &str| lines.find(|(_, line)| line.contains(text)).expect("a line").0 + 1;
        texts.iter().map(|&text| (find(&format!("if ({text})")), text.to_owned())).collect()
    };
    let calc = ["x < 0 || y < 0 || z < 0", "!fail", "result == 0", "z == 0", "(z > x && z > y) || z > x + y"];
    assert_eq!(decisions_of(&all, "calc"), expected("calc", &calc));
    let triangle = [
        "a < 0 || b < 0 || c < 0",
        "a == b",
        "b == c",
        "a == c",
        "triang == 0",
        "a + b <= c || b + c <= a || a + c <= b",
        "triang > 3",
        "triang == 1 && a + b > c",
        "triang == 2 && b + c > a",
        "triang == 3 && a + c > b",
    ];
    assert_eq!(decisions_of(&all, "triangle"), expected("triangle", &triangle));
}

/// Item 2: a `switch` has labels and no conditions, so it is no decision.
#[test]
fn item_02_decisions_of_all_statements() {
    let desk = Desk::new();
    let source = "int f(int a, int b)\n{\n    int n = 0;\n\n    if (a > 1 && b > 1)\n        n = 1;\n    while (n < 3 || n == b)\n\
                  \x20       n++;\n    do\n        n++;\n    while (n < 5);\n    for (int i = 0; i < 4 && a; i++)\n        n += i;\n\
                  \x20   switch (b) {\n    case 1:\n        return 7;\n    default:\n        return n == 9 ? 1 : n;\n    }\n}\n";
    desk.write("all.c", source);
    let all = Obligations::read(&obligations(&desk, &["all.c", "--format", "json"])).expect("JSON");
    let expected =
        [(5, "a > 1 && b > 1"), (7, "n < 3 || n == b"), (11, "n < 5"), (12, "i < 4 && a"), (18, "n == 9")];
    assert_eq!(decisions_of(&all, "f"), expected.map(|(line, text)| (line, text.to_owned())));
}

/// Items 3 and 4.
#[test]
fn items_03_and_04_letters() {
    let desk = Desk::new();
    let path = support::fixtures().with_file_name("mcdc").join("thesis.c");
    let text = obligations(&desk, &[path.to_str().expect("a path"), "--function", "get_result"]);
    let all = Obligations::read(&text).expect("XML");
    let [function] = &all.files[0].functions[..] else { panic!("one function: {text}") };
    let forms: Vec<&str> = function.decisions.iter().map(|decision| decision.form.as_str()).collect();
    assert_eq!(forms, ["(A || B || C)", "A", "((A && B) || C)"]);
    desk.write("again.c", "int f(int a, int b) { return (a && b) || a; }\n");
    let all = Obligations::read(&obligations(&desk, &["again.c"])).expect("XML");
    let [decision] = &all.files[0].functions[0].decisions[..] else { panic!("one decision") };
    let leaves: Vec<(&str, &str)> =
        decision.conditions.iter().map(|c| (c.letter.as_str(), c.text.as_str())).collect();
    assert_eq!(leaves, [("A", "a"), ("B", "b"), ("C", "a")]);
}

/// Item 12: the ways are cut, and it is said.
#[test]
fn item_12_obligations_of_large_decisions_are_bounded() {
    let desk = Desk::new();
    let pairs: Vec<String> = (0..20).map(|i| format!("(x[{}] || x[{}])", 2 * i, 2 * i + 1)).collect();
    desk.write("large.c", &format!("int f(const char x[40]) {{ return {}; }}\n", pairs.join(" && ")));
    let all = Obligations::read(&obligations(&desk, &["large.c"])).expect("XML");
    let [decision] = &all.files[0].functions[0].decisions[..] else { panic!("one decision") };
    assert!(!decision.complete && decision.conditions.len() == 40 && decision.plan.len() == 41);
    assert!(decision.conditions.iter().all(|condition| !condition.pairs.is_empty()));
    assert_eq!(decision.conditions[26].letter, "A1");
}

const ASKED: &str = "int f(int a, int b, int c)\n{\n    if (a > 3 && (b == 7 || c < 0))\n        return 1;\n    if (a == 2 || b > 5)\n\
                     \x20       return 2;\n    return 0;\n}\n\nint g(int a)\n{\n    return a > 100 && a < 200;\n}\n";

fn wanted_of(summary: &Summary, name: &str) -> Vec<(String, State)> {
    let obligations = function(summary, name).obligations.iter();
    obligations.flat_map(|o| &o.wanted).map(|wanted| (wanted.values.clone(), wanted.state)).collect()
}

/// Item 11: of two functions and three decisions one is left, with two vectors, and these are reached and nothing else.
#[test]
fn item_11_edited_obligations_are_reached_and_nothing_else() {
    let desk = Desk::new();
    desk.write("f.c", ASKED);
    let text = obligations(&desk, &["f.c"]);
    let mut all = Obligations::read(&text).expect("XML");
    for format in [report::ObligationsFormat::Xml, report::ObligationsFormat::Json] {
        let name = if format == report::ObligationsFormat::Xml { "xml" } else { "json" };
        assert_eq!(obligations(&desk, &["f.c", "--format", name]), all.write(format));
    }
    all.files[0].functions.truncate(1);
    all.files[0].functions[0].decisions.truncate(1);
    let wanted = ["TT-", "TFF"].map(|values| report::WantedVector { values: values.to_owned(), at: 0 });
    all.files[0].functions[0].decisions[0].wanted = Some(wanted.to_vec());
    for (name, format) in
        [("asked.xml", report::ObligationsFormat::Xml), ("asked.json", report::ObligationsFormat::Json)]
    {
        desk.write(name, &all.write(format));
        let summary = confirmed(&desk, &["f.c", "--obligations", name, "--strict"]);
        let names: Vec<&str> = summary.functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["f"]);
        let mut found = wanted_of(&summary, "f");
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(found, ["TFF", "TT-"].map(|values| (values.to_owned(), State::Covered)));
        let f = function(&summary, "f");
        assert_eq!(f.tests.len(), 2);
        let had: BTreeSet<&str> = f.decisions[0]
            .vectors
            .iter()
            .filter(|v| !v.tests.is_empty())
            .map(|v| v.values.as_str())
            .collect();
        assert_eq!(had, BTreeSet::from(["TFF", "TT-"]));
        // `a > 3` is never false in them, and nobody was asked for it.
        let open = f.goals.iter().find(|goal| (goal.place.line, goal.outcome) == (3, false)).expect("a goal");
        assert_eq!((open.state, open.reason.as_deref()), (State::Unknown, Some("not-asked")));
        let tally = summary.totals.obligations.expect("obligations");
        assert_eq!((tally.total, tally.covered), (2, 2));
    }
}

/// Pairs that are left are what shows a condition; a single condition is asked for by its outcomes.
#[test]
fn item_11_pairs_and_outcomes_that_were_left() {
    let desk = Desk::new();
    desk.write("f.c", "int f(int a, int b)\n{\n    if (a > 3 && b == 77)\n        return 1;\n    if (a == 1234)\n        return 2;\n    return 0;\n}\n");
    let mut all = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    let decisions = &mut all.files[0].functions[0].decisions;
    decisions[0].conditions.remove(1);
    decisions[1].wanted = Some(vec![report::WantedVector { values: "T".to_owned(), at: 0 }]);
    desk.write("asked.xml", &all.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml", "--strict"]);
    let expected = [("F-", State::Covered), ("TT", State::Covered), ("T", State::Covered)];
    assert_eq!(wanted_of(&summary, "f"), expected.map(|(values, state)| (values.to_owned(), state)));
    assert_eq!(states(&function(&summary, "f").decisions[0])[0], State::Covered);
    assert!(function(&summary, "f").tests.len() <= 3);
}

/// What no input has is said to have none, and the suite is empty.
#[test]
fn item_11_obligations_that_cannot_be_met() {
    let desk = Desk::new();
    let path = support::fixtures().with_file_name("mcdc").join("thesis.c");
    let path = path.to_str().expect("a path");
    let mut all = Obligations::read(&obligations(&desk, &[path, "--function", "get_result"])).expect("XML");
    let decisions = &mut all.files[0].functions[0].decisions;
    decisions.drain(..2);
    decisions[0].wanted = Some(vec![report::WantedVector { values: "F-T".to_owned(), at: 0 }]);
    desk.write("asked.json", &all.write(report::ObligationsFormat::Json));
    let ended = generate(&desk, &[path, "--obligations", "asked.json", "--strict", "--out", "out"]).expect(0);
    assert!(ended.stdout.contains("0 of 1 vector reached, 1 infeasible, 0 unknown"), "{}", ended.stdout);
    assert_eq!(wanted_of(&desk.summary("out"), "get_result"), [("F-T".to_owned(), State::Infeasible)]);
    assert!(function(&desk.summary("out"), "get_result").tests.is_empty());
}

#[test]
fn obligations_that_do_not_fit_are_the_users_to_change() {
    let desk = Desk::new();
    desk.write("f.c", ASKED);
    let text = obligations(&desk, &["f.c"]);
    let line = |part: &str| text.lines().position(|line| line.contains(part)).expect("in the text") + 1;
    for (from, to, at, words) in [
        ("name=\"f\"", "name=\"h\"", line("name=\"f\""), "no function `h`"),
        ("a &gt; 3", "a &gt; 4", line("<decision"), "the decision at 3:9 is"),
        ("version=\"1\"", "version=\"3\"", 2, "version 3"),
        ("values=\"TT-\"", "values=\"TTT\"", line("values=\"TT-\""), "no evaluation"),
        ("</file>", "</fill>", line("</file>"), "no XML"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        desk.write("wrong.xml", &text.replacen(from, to, 1));
        let ended = generate(&desk, &["f.c", "--obligations", "wrong.xml"]).expect(2);
        ended.complains(&[&format!("wrong.xml:{at}: "), words, "hint:"]);
    }
    desk.write("right.xml", &text);
    let plain = ["gen", "f.c", "--obligations", "right.xml"];
    run(&mut desk.branchwise(plain), PATIENCE).expect(2).complains(&["--criterion mcdc"]);
    generate(&desk, &["f.c", "--obligations", "right.xml", "--mcdc", "masking"])
        .expect(2)
        .complains(&["--mcdc"]);
    generate(&desk, &["f.c", "--obligations", "missing.xml"]).expect(2).complains(&["missing.xml"]);
}

/// The example of the documentation is what the program prints.
#[test]
fn the_documented_example_is_real() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OBLIGATIONS.md");
    let text = std::fs::read_to_string(&root).expect("the documentation");
    let block = |kind: &str| {
        let rest = text.split_once(&format!("```{kind}\n")).expect("a block").1;
        rest.split_once("```").expect("its end").0.to_owned()
    };
    let desk = Desk::new();
    desk.write("door.c", &block("c"));
    assert_eq!(obligations(&desk, &["door.c"]), block("xml"));
    let json = obligations(&desk, &["door.c", "--format", "json"]);
    let [told, real] =
        [&block("json"), &json].map(|text| serde_json::from_str::<serde_json::Value>(text).expect("JSON"));
    assert_eq!(told, real["files"][0]["functions"][0]["decisions"][0]["conditions"][0]);
}

/// A row for each condition, by hand: `a` decides between `F-` and `TT`, `b` between `TF` and `TT`; coverage of what is weaker comes with it.
#[test]
fn the_table_of_conditions_and_the_weaker_criteria() {
    let desk = Desk::new();
    desk.write("f.c", "int f(int a, int b)\n{\n    if (a > 3 && b == 7)\n        return 1;\n    if (a < -5)\n        return 2;\n    return 0;\n}\n");
    let ended = generate(&desk, &["f.c", "--out", "out"]).expect(0);
    for words in [
        "MC/DC: 2 of 2 conditions in 1 decision shown (100.0%)",
        "decision coverage: 4 of 4 outcomes (100.0%), 0 infeasible, 0 unknown",
        "condition coverage: 6 of 6 outcomes (100.0%), 0 infeasible, 0 unknown",
    ] {
        assert!(ended.stdout.contains(words), "{words} in {}", ended.stdout);
    }
    let table = std::fs::read_to_string(desk.path("out/mcdc.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][6..], ["state", "false vector", "false tests", "true vector", "true tests", "reason"]);
    let cells = |row: usize| [4, 5, 6, 7, 9, 11].map(|column| rows[row][column]);
    assert_eq!(cells(1), ["a > 3", "A", "shown", "F-", "TT", ""]);
    assert_eq!(cells(2), ["b == 7", "B", "shown", "TF", "TT", ""]);
    assert_eq!(rows.len(), 3);
}

/// Tests of a caller show more of what it calls than was asked of that, and llvm-cov sees it; of a macro that is used twice one use can be
/// asked for.
#[test]
fn obligations_of_callers_and_of_macros_that_are_used_twice() {
    let desk = Desk::new();
    let source = "#define BETWEEN(x, low, high) ((x) >= (low) && (x) <= (high))\nint inner(int a, int b)\n{\n    if (a > 3 && b == 7)\n\
                  \x20       return 1;\n    return a < 0 || b < 0;\n}\n\nint outer(int a, int b)\n{\n    if (inner(a, b) && b > 2)\n        return 5;\n\
                  \x20   return BETWEEN(a, 1, 5) + BETWEEN(b, 2, 6);\n}\n";
    desk.write("f.c", source);
    let all = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    let mut little = all.clone();
    let inner = &mut little.files[0].functions[0];
    inner.decisions.truncate(1);
    inner.decisions[0].wanted = Some(vec![report::WantedVector { values: "TT".to_owned(), at: 0 }]);
    desk.write("asked.xml", &little.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml"]);
    assert_eq!(wanted_of(&summary, "inner"), [("TT".to_owned(), State::Covered)]);
    let mut second = all.clone();
    let functions = &mut second.files[0].functions;
    functions.remove(0);
    let uses = functions[0].decisions.len();
    functions[0].decisions.drain(..uses - 1);
    desk.write("asked.xml", &second.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml"]);
    let decisions = &function(&summary, "outer").decisions;
    let [.., first, last] = &decisions[..] else { panic!("two uses") };
    assert_eq!(states(last), [State::Covered; 2]);
    assert!(states(first) != [State::Covered; 2], "{first:?}");
}

/// Obligations of `&`, `|` and constants: letters, what is asked for, and the way back. By hand: of `a & b | c` the pair of `a` is `FTF` and
/// `TTF`; of `x && 1 && y` the vector `TCF`.
#[test]
fn obligations_of_bitwise_and_constant_conditions() {
    let desk = Desk::new();
    let source = "int f(int a, int b, int c)\n{\n    return (a > 3) & (b < 2) | (c == 0);\n}\n\n\
                  int g(int x, int y)\n{\n    if (x && 1 && y)\n        return 1;\n    return x > 9 && y > 9 && 0;\n}\n";
    desk.write("f.c", source);
    let text = obligations(&desk, &["f.c", "--bitwise-decisions"]);
    let mut all = Obligations::read(&text).expect("XML");
    let forms = |all: &Obligations| -> Vec<String> {
        let functions = all.files[0].functions.iter();
        functions.flat_map(|f| &f.decisions).map(|decision| decision.form.clone()).collect()
    };
    assert_eq!(forms(&all), ["((A & B) | C)", "(A && 1 && C)", "(A && B && 0)"]);
    let plain = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    assert_eq!(forms(&plain), ["(A && 1 && C)", "(A && B && 0)"]);
    // As it is: everything that can be shown is.
    desk.write("asked.xml", &text);
    let summary = confirmed(&desk, &["f.c", "--bitwise-decisions", "--obligations", "asked.xml", "--strict"]);
    assert_eq!(states(&function(&summary, "f").decisions[0]), [State::Covered; 3]);
    let held = [State::Covered, State::Constant, State::Covered];
    assert_eq!(states(&function(&summary, "g").decisions[0]), held);
    let never = [State::Infeasible, State::Infeasible, State::Constant];
    assert_eq!(states(&function(&summary, "g").decisions[1]), never);
    generate(&desk, &["f.c", "--obligations", "asked.xml"]).expect(2).complains(&["--bitwise-decisions"]);
    // Less of it.
    let functions = &mut all.files[0].functions;
    functions[0].decisions[0].conditions.truncate(1);
    functions[1].decisions.truncate(1);
    functions[1].decisions[0].wanted = Some(vec![report::WantedVector { values: "TCF".to_owned(), at: 0 }]);
    desk.write("asked.json", &all.write(report::ObligationsFormat::Json));
    let summary =
        confirmed(&desk, &["f.c", "--bitwise-decisions", "--obligations", "asked.json", "--strict"]);
    let mut pair = wanted_of(&summary, "f");
    pair.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(pair, ["FTF", "TTF"].map(|values| (values.to_owned(), State::Covered)));
    assert_eq!(wanted_of(&summary, "g"), [("TCF".to_owned(), State::Covered)]);
    assert_eq!(function(&summary, "g").tests.len(), 1);
}

/// By hand: `a > 0` stands twice in `(a > 0) & (b > 0) | (a > 0) & (c > 0)`, so neither can be changed alone. Under masking the first is
/// shown by `TTTF` and `FTFF`, the second by `TFTT` and `FFFT`. A constant between short circuits is neither shown nor in the way.
#[test]
fn masking_with_bitwise_and_constant_conditions() {
    let desk = Desk::new();
    let source = "int f(int a, int b, int c)\n{\n    return (a > 0) & (b > 0) | (a > 0) & (c > 0);\n}\n\n\
                  int g(int a, int b, int c)\n{\n    return (a > 0 && 1 && b > 0) || (a > 0 && c > 0);\n}\n";
    desk.write("f.c", source);
    let shown = |variant: &str| {
        let summary = confirmed(&desk, &["f.c", "--bitwise-decisions", "--mcdc", variant]);
        ["f", "g"].map(|name| states(&function(&summary, name).decisions[0]))
    };
    let (yes, no) = (State::Covered, State::Infeasible);
    assert_eq!(shown("masking"), [vec![yes; 4], vec![yes, State::Constant, yes, yes, yes]]);
    let [f, g] = shown("unique-cause");
    assert_eq!(f, [no, yes, no, yes]);
    assert_eq!(g.iter().filter(|&&state| state == no).count(), 1, "{g:?}");
    let rows = std::fs::read_to_string(desk.path("out/mcdc.csv")).expect("a table");
    assert!(rows.contains("constant: it is always true"), "{rows}");
    assert!(
        rows.contains("it always has the value of C") && rows.contains("it always has the value of A"),
        "{rows}"
    );
}

/// Weaker criteria see the conditions of `&` and not the branch that they are together: two outcomes of one decision, four of two conditions.
#[test]
fn the_weaker_criteria_of_bitwise_decisions() {
    let desk = Desk::new();
    desk.write(
        "f.c",
        "int f(int a, int b)\n{\n    if ((a > 3) & (b == 7))\n        return 1;\n    return 0;\n}\n",
    );
    let ended = generate(&desk, &["f.c", "--bitwise-decisions", "--out", "out"]).expect(0);
    for words in ["decision coverage: 2 of 2 outcomes", "condition coverage: 4 of 4 outcomes"] {
        assert!(ended.stdout.contains(words), "{words} in {}", ended.stdout);
    }
}
