//! `branchwise.toml` and flags for Java. Names with a `c` and a number are items of the checklist drawn from den Hollander's thesis.

mod support;

use report::Summary;
use std::path::Path;
use support::{Desk, Ended};

/// A counter with more ways to change it than it needs, and a type that everybody implements.
const TILL: &str = "package shop;
public class Till {
    private int coins;
    int log;
    public Till() {}
    public void put(int n) { if (n > 0) { coins += n; } }
    public void erase() { coins = 0; }
    public int coins() { return coins; }
    void audit() { log++; }
    public boolean isRich() { return coins > 100; }
    public boolean isAudited() { return log > 0; }
}
";

/// Runs `branchwise gen` on a source with settings, and returns how it ended.
fn generate(desk: &Desk, source: &str, settings: &str, arguments: &[&str]) -> Ended {
    let name = source.split("class ").nth(1).and_then(|rest| rest.split(' ').next());
    let path = desk.write(&format!("src/{}.java", name.expect("a class")), source);
    desk.write("branchwise.toml", &format!("budget = \"400x\"\n{settings}"));
    desk.generate(&path, "out", &[&["--quiet"], arguments].concat())
}

/// The text of all tests.
fn tests(desk: &Desk) -> String {
    fn read(folder: &Path, text: &mut String) {
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            match path.is_dir() {
                true => read(&path, text),
                false => *text += &std::fs::read_to_string(&path).expect("a source"),
            }
        }
    }
    let mut text = String::new();
    read(&desk.path("out/src"), &mut text);
    text
}

/// The tests and the summary of a run that goes well.
fn suite(desk: &Desk, source: &str, settings: &str, arguments: &[&str]) -> (String, Summary) {
    generate(desk, source, settings, arguments).expect(0);
    (tests(desk), desk.summary("out"))
}

/// The bodies of tests whose names begin so.
fn bodies<'t>(tests: &'t str, method: &str) -> Vec<&'t str> {
    let bodies = tests.split("@Test").skip(1);
    bodies.filter(|body| body.contains(&format!("void {method}"))).collect()
}

/// Whether a word occurs: not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

#[test]
fn the_file_sets_engine_budget_and_seed_and_flags_win() {
    let desk = Desk::new();
    let settings = "engine = \"avm\"\nseed = 7\n[limits]\nelements = 5\nobjects = 4\nrun_millis = 500\n";
    let (_, summary) = suite(&desk, TILL, settings, &[]);
    let told = &summary.settings;
    assert_eq!((told.engine.as_str(), told.budget.as_str(), told.seed), ("avm", "400x", 7));
    assert_eq!(summary.functions[0].seed, 7);
    let flags = ["--engine", "random", "--budget", "50x", "--seed", "3"];
    let (_, summary) = suite(&desk, TILL, settings, &flags);
    let told = &summary.settings;
    assert_eq!((told.engine.as_str(), told.budget.as_str(), told.seed), ("random", "50x", 3));
}

#[test]
fn the_engine_is_the_one_that_was_asked_for() {
    let desk = Desk::new();
    // One number of four billion: no search without symbolic execution meets it in so few runs.
    let source = "class Lock { static boolean open(int key) { return key * 31 + 7 == 123456789; } }";
    let (_, random) = suite(&desk, source, "", &["--engine", "random"]);
    let (_, hybrid) = suite(&desk, source, "", &[]);
    let covered = |summary: &Summary| (summary.totals.goals.covered, summary.totals.goals.total);
    assert_eq!((covered(&random), covered(&hybrid)), ((1, 2), (2, 2)));
    let ended = generate(&desk, source, "", &["--engine", "steam"]);
    assert!(ended.expect(2).stderr.contains("there is no engine `steam`"));
}

#[test]
fn engines_without_a_solver_are_led_by_distances() {
    let desk = Desk::new();
    // The one number that will do does not stand in the code. Steps that double lead to it; a population needs many more runs.
    let source = "class Dial { static int turn(int to) { return to * 3 == 144813 ? 1 : 0; } }";
    for (engine, covered) in [("avm", 2), ("ga", 1)] {
        let (_, summary) = suite(&desk, source, "", &["--engine", engine, "--budget", "1000x"]);
        assert_eq!(summary.settings.engine, engine);
        assert_eq!(support::function(&summary, "Dial.turn").tally.covered, covered, "{engine}");
    }
}

#[test]
fn c02_excluded_methods_are_never_called() {
    let desk = Desk::new();
    let (all, _) = suite(&desk, TILL, "", &[]);
    assert!(all.contains(".erase(") && all.contains(".coins("), "{all}");
    let (tests, summary) =
        suite(&desk, TILL, "[java]\nexclude = [\"shop.Till.erase\", \"Till.coins()\"]\n", &[]);
    assert!(!tests.contains(".erase(") && !tests.contains(".coins("), "{tests}");
    assert_eq!(summary.totals.goals.unknown, 0, "the rest is tested");
}

#[test]
fn c02_tests_are_made_of_the_listed_members_only() {
    let desk = Desk::new();
    let settings = "[java]\nonly = [\"Till.new\", \"shop.Till.put\"]\n";
    let (tests, summary) = suite(&desk, TILL, settings, &["--function", "Till.isRich"]);
    for other in ["erase", "audit", "isAudited", "coins", "log"] {
        assert!(!has_word(&tests, other), "{other}: {tests}");
    }
    assert_eq!(summary.totals.goals.covered, 2, "what is listed is enough");
}

#[test]
fn c03_public_members_only_if_the_user_wants_that() {
    let desk = Desk::new();
    let (tests, _) = suite(&desk, TILL, "", &[]);
    assert!(tests.contains(".audit("), "{tests}");
    let (tests, _) = suite(&desk, TILL, "[java]\npackage_access = false\n", &[]);
    assert!(!tests.contains(".audit(") && !tests.contains(".log"), "{tests}");
}

#[test]
fn c04_restricted_members_that_are_listed_are_used() {
    let desk = Desk::new();
    let settings = "[java]\npackage_access = false\nalso = [\"shop.Till.audit\"]\n";
    let (tests, summary) = suite(&desk, TILL, settings, &[]);
    assert!(tests.contains(".audit(") && !tests.contains(".log"), "{tests}");
    assert_eq!(summary.totals.goals.unknown, 0, "somebody must have audited");
}

#[test]
fn fields_are_left_alone_if_the_user_wants_that() {
    let desk = Desk::new();
    let source = TILL.replace("void audit() { log++; }", "");
    let (tests, summary) = suite(&desk, &source, "", &["--function", "isAudited"]);
    assert!(tests.contains(".log = "), "{tests}");
    assert_eq!(summary.totals.goals.covered, 2);
    let (tests, summary) = suite(&desk, &source, "[java]\nfields = false\n", &["--function", "isAudited"]);
    assert!(!tests.contains(".log"), "{tests}");
    assert_eq!(summary.totals.goals.covered, 1);
}

#[test]
fn c06_only_listed_producers_make_objects_of_a_type() {
    let desk = Desk::new();
    let source = "package shop;
public class Shelf {
    private int things;
    public void add(Comparable<?> thing) { if (thing != null) { things++; } }
    public boolean isFull() { return things >= 2; }
    public static class Price implements Comparable<Price> {
        public int compareTo(Price other) { return 0; }
    }
}
";
    let (tests, _) = suite(&desk, source, "", &["-f", "isFull", "-f", "add", "-f", "compareTo"]);
    assert!(tests.contains("Price"), "{tests}");
    let settings = "[java.producers]\n\"java.lang.Comparable\" = [\"java.lang.Integer.valueOf(int)\"]\n";
    let (tests, summary) = suite(&desk, source, settings, &["-f", "Shelf.isFull", "-f", "Shelf.add"]);
    assert!(!tests.contains("Price"), "{tests}");
    assert_eq!(summary.totals.goals.unknown, 0, "{tests}");
}

#[test]
fn c06_producers_of_the_platform_that_nobody_would_have_tried() {
    let desk = Desk::new();
    let source =
        "class Days { static boolean isLong(java.time.Duration time) { return time.toHours() > 24; } }";
    let settings = "[java.producers]\n\"java.time.Duration\" = [\"java.time.Duration.ofHours\"]\n";
    let (tests, summary) = suite(&desk, source, settings, &[]);
    assert!(tests.contains("Duration.ofHours("), "{tests}");
    assert_eq!(summary.totals.goals.covered, 2, "{tests}");
}

#[test]
fn c07_no_null_in_any_test() {
    let desk = Desk::new();
    let source = "package shop;
public class Label {
    private final String text;
    public Label(String text) { this.text = text; }
    public boolean same(Label other, Integer n, int[] numbers) {
        return other.text.length() == 3 && n > 7 && numbers.length > 1;
    }
    public boolean isAlone(Label other) { return other == null; }
}
";
    let (tests, summary) = suite(&desk, source, "", &["--budget", "2000x"]);
    assert!(has_word(&tests, "null"), "{tests}");
    assert_eq!(summary.totals.goals.unknown, 0, "{tests}");
    let (tests, summary) = suite(&desk, source, "[java]\nnull = false\n", &["--budget", "2000x"]);
    assert!(!has_word(&tests, "null"), "{tests}");
    assert_eq!(summary.totals.goals.unknown, 1, "{tests}");
}

/// What tests pass to a method, ascending.
fn passed(tests: &str, call: &str) -> Vec<i64> {
    let calls = tests.split(call).skip(1);
    let numbers = calls.map(|rest| rest.split(')').next().unwrap_or_default().trim_end_matches('L').parse());
    let mut passed: Vec<i64> = numbers.map(|number| number.expect("a number")).collect();
    passed.sort_unstable();
    passed.dedup();
    passed
}

const BOUNDS: &str = "public class Bounds {
    static int check(int i) { if (i <= 5) { return 0; } return 1; }
    static int age(long years) { return years >= 65L ? 2 : years < 18L ? 0 : 1; }
    static boolean isEqual(int i) { return i == 7; }
    static boolean isLong(String text) { return text.length() > 8; }
    static int linear(int a) { return 3 * a - 1000 < 2 ? 1 : 0; }
    static int twice(int a) { return (a & ~1) < 7 ? 1 : 0; }
}
";

#[test]
fn c75_both_sides_of_a_comparison_are_tested_where_they_meet() {
    let desk = Desk::new();
    let (with, summary) = suite(&desk, BOUNDS, "[java]\nboundaries = true\n", &["--budget", "4000x"]);
    for (call, wanted) in [("Bounds.check(", vec![5, 6]), ("Bounds.age(", vec![17, 18, 64, 65])] {
        let passed = passed(&with, call);
        assert!(wanted.iter().all(|number| passed.contains(number)), "{call} {passed:?}");
    }
    let lengths: Vec<usize> = with
        .split("Bounds.isLong(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap_or_default().len())
        .collect();
    assert!(lengths.contains(&8) && lengths.contains(&9), "{lengths:?}");
    // 3a = 1001 has a solution only because numbers wrap; 3a = 1002 has 334.
    let linear: Vec<i32> = passed(&with, "Bounds.linear(").iter().map(|&a| a as i32).collect();
    let differences: Vec<i32> = linear.iter().map(|a| a.wrapping_mul(3).wrapping_sub(1002)).collect();
    assert!(differences.contains(&-1) && differences.contains(&0), "{differences:?}");
    // Equality has no sides, and an even number is never 7: the branches are all that there is.
    assert_eq!(passed(&with, "Bounds.isEqual(").len(), 2);
    assert!(passed(&with, "Bounds.twice(").contains(&6) || passed(&with, "Bounds.twice(").contains(&7));
    assert!(with.contains("at its boundary"), "{with}");
    // What JaCoCo counts is as before, and so are the claims.
    let totals = |summary: &Summary| (summary.totals.goals.covered, summary.totals.goals.total);
    assert_eq!(totals(&summary), (14, 14));
    desk.check("out").expect(0);
    let (without, summary) = suite(&desk, BOUNDS, "", &[]);
    assert_eq!(totals(&summary), (14, 14));
    assert_eq!(passed(&without, "Bounds.check(").len(), 2);
    assert!(!without.contains("at its boundary"), "{without}");
    assert!(without.matches("@Test").count() < with.matches("@Test").count());
}

/// Candidates alone: a search that does more reaches what they should.
const CANDIDATES: &str = "[java]\nsearch = \"candidates\"\n";

/// Rich after a key, three times a coin, and the question: six statements.
const SAFE: &str = "public class Safe {
    private int coins;
    private boolean open;
    public void unlock(boolean now) { open = now; }
    public void put(int n) { if (open && n > 0 && n < 10) { coins += n; } }
    public boolean isRich() { return coins > 20; }
}
";

/// How many branches of one method are covered, and what became of its candidates.
fn by_candidates(source: &str, more: &str, arguments: &[&str]) -> (usize, report::CandidatesSummary) {
    let (_, summary) = suite(&Desk::new(), source, &format!("{CANDIDATES}{more}"), arguments);
    (summary.totals.goals.covered, summary.functions[0].candidates.clone().expect("candidates"))
}

#[test]
fn c07_c22_connected_candidates_come_to_longer_sequences() {
    let with = |more: &str| by_candidates(SAFE, more, &["-f", "isRich", "--budget", "4000x"]);
    assert_eq!(with("").0, 2);
    // The same budget goes into sequences of which parts have nothing to do with each other.
    let (covered, candidates) = with("connected = false\n");
    assert_eq!(covered, 1);
    assert!(candidates.tried > 15 && !candidates.exhausted, "{candidates:?}");
    // What other searches find says nothing of candidates.
    let settings = "[java]\nsearch = \"all\"\nconnected = false\n";
    let (_, summary) = suite(&Desk::new(), SAFE, settings, &["-f", "isRich", "--budget", "4000x"]);
    assert_eq!(summary.totals.goals.covered, 2);
    let ended = generate(&Desk::new(), SAFE, "[java]\nsearch = \"random\"\n", &[]);
    assert!(ended.expect(2).stderr.contains("expected `all` or `candidates`"));
}

#[test]
fn c53_more_paths_of_a_call_lead_further() {
    let dial = "public class Dial {
    private int turns;
    public void dial(int n) {
        if (n == 4711) { turns = 1; } else if (n == 815) { turns = 2; } else if (n == 1234567) { turns = 3; }
        else if (n == 7654321) { turns = 4; } else if (n == 99887) { turns = 5; }
    }
    public boolean isOpen() { return turns == 5; }
}
";
    let with = |paths: u32| {
        let more = format!("longest = 4\npaths_per_invokable = {paths}\n");
        by_candidates(dial, &more, &["-f", "isOpen", "--budget", "1000x"])
    };
    let (covered, candidates) = with(1);
    assert_eq!(covered, 1);
    assert!(candidates.exhausted, "{candidates:?}");
    assert_eq!(with(10).0, 2);
}

#[test]
fn c24_of_orders_that_do_not_matter_all_are_tried_if_the_user_wants_that() {
    let source = "public class Three {
    private boolean a, b, c;
    public void setA(boolean to) { a = to; }
    public void setB(boolean to) { b = to; }
    public void setC(boolean to) { c = to; }
    public boolean calculate() { if (a && b && c) { return true; } return false; }
}
";
    let with = |more: &str| by_candidates(source, more, &["-f", "calculate", "--budget", "3000x"]).0;
    assert_eq!((with(""), with("reduced = false\n")), (6, 5));
}

#[test]
fn c59_c79_candidates_are_left_out_and_told() {
    let with = |more: &str| {
        let more = format!("longest = 5\n{more}");
        by_candidates(SAFE, &more, &["-f", "isRich", "--budget", "1500x"]).1
    };
    let all = with("");
    assert_eq!((all.known, all.pointless, all.reordered), (0, 0, 0));
    let new = with("states = \"new\"\n");
    assert!(new.known > 0 && (new.pointless, new.reordered) == (0, 0), "{new:?}");
    let pruned = with("pruned = true\n");
    assert!(pruned.pointless > 0 && pruned.known == 0, "{pruned:?}");
    let ended = generate(&Desk::new(), SAFE, "[java]\nstates = \"few\"\n", &[]);
    assert!(ended.expect(2).stderr.contains("expected `all` or `new`"));
}

#[test]
fn c53_c72_c73_tests_without_exceptions_and_assertions() {
    let desk = Desk::new();
    let source = "package shop;
public class Gate {
    private int turns;
    public void turn(int by) { if (by < 0) { throw new IllegalArgumentException(); } turns += by; }
    public boolean isOpen() { return turns > 3; }
}
";
    let (tests, summary) = suite(&desk, source, "", &[]);
    assert!(tests.contains("assertThrows(IllegalArgumentException.class"), "{tests}");
    assert!(!tests.contains("Your assertions"), "{tests}");
    assert_eq!(summary.totals.goals.covered, 4);
    let settings = "[java]\nexceptions = false\nasserts = false\npaths_per_invokable = 10\n";
    let (tests, summary) = suite(&desk, source, settings, &[]);
    assert!(!tests.contains("assertThrows") && !tests.contains("assertTrue"), "{tests}");
    let all = bodies(&tests, "");
    assert!(all.len() >= 3 && all.iter().all(|body| body.contains("// Your assertions go here.")), "{tests}");
    // What only throws is left; the other way and both of the question are not.
    assert_eq!((summary.totals.goals.covered, summary.totals.goals.unknown), (3, 1));
    desk.check("out").expect(0);
    let ended = generate(&desk, source, "[java]\npaths_per_invokable = 0\n", &[]).expect(2);
    assert!(ended.stderr.contains("line 3: paths_per_invokable: 0 is not between 1 and"), "{}", ended.stderr);
}

#[test]
fn c20_arrays_are_not_longer_than_allowed() {
    let desk = Desk::new();
    let source =
        "class Sum { static boolean isLong(int[] n, String[] s) { return n.length > 4 || s.length > 1; } }";
    let (_, summary) = suite(&desk, source, "", &[]);
    assert_eq!(summary.totals.goals.covered, 4);
    let (_, summary) = suite(&desk, source, "[java]\narray_size = 1\n", &[]);
    // The first must be long, and the second, too.
    assert_eq!(summary.totals.goals.covered, 2);
    let ended = generate(&desk, source, "[java]\narray_size = 65\n", &[]).expect(2);
    assert!(ended.stderr.contains("line 3: array_size: 65 is not between 0 and 64"), "{}", ended.stderr);
}

#[test]
fn tests_are_no_longer_than_allowed() {
    let desk = Desk::new();
    let source = "package shop;
public class Steps {
    private int n;
    public void step() { n++; }
    public boolean isFar() { return n >= 3; }
}
";
    let (_, summary) = suite(&desk, source, "", &["-f", "isFar"]);
    assert_eq!(summary.totals.goals.covered, 2);
    let (_, summary) = suite(&desk, source, "[java]\nlongest = 4\n", &["-f", "isFar"]);
    assert_eq!(summary.totals.goals.covered, 1, "a constructor, three steps and the question are five");
    let (_, summary) = suite(&desk, source, "[java]\nlongest = 5\n", &["-f", "isFar"]);
    assert_eq!(summary.totals.goals.covered, 2);
}

#[test]
fn c77_all_tests_begin_with_the_initial_sequence() {
    let desk = Desk::new();
    let source = "package shop;
public class Door {
    private static String key;
    private static int turns;
    public static void give(String name, int times) { key = name; turns = times; }
    public static void reset() { key = null; }
    private boolean open;
    public boolean push() {
        if (!\"brass\".equals(key) || turns != 2) { throw new IllegalStateException(); }
        open = !open;
        return open;
    }
    public boolean isOpen() { return open; }
}
";
    let settings = "[java]\ninitial = [\"shop.Door.give(\\\"brass\\\", 2)\"]\nexclude = [\"Door.reset\", \"Door.give\"]\n";
    let (tests, summary) = suite(&desk, source, settings, &[]);
    let all = bodies(&tests, "");
    assert!(all.len() >= 3, "{tests}");
    for body in all {
        let first =
            body.lines().skip(2).find(|line| !line.trim().starts_with("//") && !line.trim().is_empty());
        assert_eq!(first.map(str::trim), Some("Door.give(\"brass\", 2);"), "{body}");
    }
    let push = summary.functions.iter().find(|f| f.name.ends_with("push")).expect("the method");
    assert!(push.tally.covered >= 4, "{push:?}\n{tests}");
    desk.check("out").expect(0);
}

#[test]
fn arrays_can_be_simulated() {
    let desk = Desk::new();
    let source = "class Table { static final int[] T = {3, 9, 4, 1, 7};
    static boolean isNine(int i) { return T[i] == 9; } }";
    for (settings, flags) in [
        ("[java]\nheap = \"simulation\"\n", &[][..]),
        ("", &["--heap", "simulation"]),
        ("", &["--heap", "reasoning"]),
    ] {
        let (_, summary) = suite(&desk, source, settings, flags);
        assert_eq!(summary.totals.goals.covered, 2);
    }
    let ended = generate(&desk, source, "[java]\nheap = \"tidy\"\n", &[]);
    assert!(ended.expect(2).stderr.contains("line 3"));
}

#[test]
fn a_name_that_nothing_has_is_told_with_its_line() {
    let desk = Desk::new();
    for (settings, line, hint) in [
        (
            "[java]\nexclude = [\n\"shop.Till.put\",\n\"shop.Till.erasse\"]\n",
            5,
            "did you mean shop.Till.erase?",
        ),
        ("[java]\nonly = [\"Tilt.put\"]\n", 3, "did you mean shop.Till.put?"),
        ("[java]\nalso = [\"Till.put(long)\"]\n", 3, "did you mean shop.Till.put?"),
        ("[java.producers]\n\"java.lang.Comparible\" = []\n", 3, "names are those of Java"),
        ("[java]\ninitial = [\"shop.Till.reset()\"]\n", 3, "did you mean"),
        ("[java]\ninitial = [\"shop.Till.put(1)\"]\n", 3, "no public static method"),
        ("[java]\ninitial = [\"java.lang.Integer.valueOf(1.5)\"]\n", 3, "takes other values"),
    ] {
        let ended = generate(&desk, TILL, settings, &[]).expect(2);
        let place = format!("branchwise.toml: line {line}: ");
        assert!(ended.stderr.contains(&place) && ended.stderr.contains(hint), "{settings}{}", ended.stderr);
    }
    let ended = generate(&desk, TILL, "[java]\nprodusers = 1\n", &[]).expect(2);
    assert!(ended.stderr.contains("unknown field `produsers`"), "{}", ended.stderr);
}
