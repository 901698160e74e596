//! Java from the source to JUnit and JaCoCo. Names with a `c` and a number are items of the checklist drawn from den Hollander's thesis.

mod support;

use report::Summary;
use std::path::{Path, PathBuf};
use support::{Desk, Ended, PATIENCE, run};

fn java(name: &str) -> PathBuf {
    support::fixture("../java").join(name)
}

fn generate(desk: &Desk, path: &Path, out: &str, arguments: &[&str]) -> Ended {
    desk.generate(path, out, &[&["--quiet"], arguments].concat())
}

/// Generates, lets JaCoCo confirm in three random orders, and returns the claims.
fn confirmed(desk: &Desk, path: &Path, arguments: &[&str]) -> Summary {
    generate(desk, path, "out", arguments).expect(0);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    desk.summary("out")
}

fn covered(summary: &Summary) -> (usize, usize) {
    (summary.totals.goals.covered, summary.totals.goals.total)
}

fn text(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.path(name)).expect("a file of the suite")
}

#[test]
fn c71_two_tests_for_the_temperature_monitor() {
    let desk = Desk::new();
    let summary = confirmed(&desk, &java("jtestcraft/TemperatureMonitor.java"), &[]);
    assert_eq!(covered(&summary), (4, 4));
    let tests = text(&desk, "out/src/test/java/jtestcraft/TemperatureMonitorTest.java");
    let of_warning: Vec<&str> = tests.lines().filter(|line| line.contains("void warning_")).collect();
    assert_eq!(of_warning.len(), 2, "{tests}");
    let hot = tests
        .split("void warning_returnsTrue")
        .nth(1)
        .expect("a test")
        .split("@Test")
        .next()
        .expect("its body");
    for line in
        ["new TemperatureMonitor()", ".setEnabled(true);", ".updateTemperature(100);", "assertTrue(result);"]
    {
        assert!(hot.contains(line), "{hot}");
    }
}

#[test]
fn c52_c84_containers_are_covered_whole() {
    let desk = Desk::new();
    let summary = confirmed(&desk, &java("containers"), &["--budget", "10000x"]);
    // In the thesis: JTestCraft 90, 33, 83, 79, 100, 15 and 70 %, Symstra 84 to 100 %.
    for class in
        ["UBStack", "IntStack", "BinSearchTree", "BinomialHeap", "LinkedList", "TreeMap", "HeapArray"]
    {
        let name = format!("containers.{class}");
        let functions = summary.functions.iter().filter(|f| f.name.starts_with(&name));
        let (covered, total) = functions.fold((0, 0), |(c, t), f| (c + f.tally.covered, t + f.tally.total));
        assert!(total > 0, "{class}");
        assert_eq!(covered, total, "{class}");
    }
}

#[test]
fn c38_c46_the_five_paths_of_the_body_mass_index() {
    let desk = Desk::new();
    generate(&desk, &java("jtestcraft/Bmi.java"), "out", &["--function", "weightCategory"]).expect(0);
    let tests = text(&desk, "out/src/test/java/jtestcraft/BmiTest.java");
    let bodies: Vec<&str> = tests.split("@Test").skip(1).collect();
    let count = |word: &str| bodies.iter().filter(|body| body.contains(word)).count();
    // One assertion fails for the mass, one for the length.
    assert_eq!(count("assertThrows(AssertionError.class"), 2, "{tests}");
    for category in ["UNDER", "NORMAL", "OVER"] {
        assert_eq!(count(&format!("Category.{category}, result")), 1, "{category}: {tests}");
    }
}

#[test]
fn objects_that_nobody_promises_are_cast() {
    let desk = Desk::new();
    let source = desk.write(
        "Shop.java",
        "class Shop {
            static class Item {
                final int price;
                private Item(int price) { this.price = price; }
            }
            Object find(int price) { return new Item(price); }
            static boolean isDear(Item item) { return item.price > 100; }
        }",
    );
    let summary = confirmed(&desk, &source, &["--budget", "2000x"]);
    assert_eq!(covered(&summary), (2, 2));
}

#[test]
fn c08_static_state_does_not_leak_from_test_to_test() {
    let desk = Desk::new();
    // A list that all share, made when the class is loaded: what a test expects must hold whatever ran before.
    confirmed(&desk, &java("jtestcraft/Reg.java"), &[]);
}

#[test]
fn c01_classes_without_sources_and_jars_will_do() {
    let desk = Desk::new();
    generate(&desk, &java("jtestcraft/Clamp.java"), "first", &[]).expect(0);
    let classes = desk.path("first/classes");
    let summary = confirmed(&desk, &classes, &[]);
    let (covered, total) = covered(&summary);
    assert_eq!((covered, total), (total, total));
    let jar = desk.path("clamp.jar");
    let mut command = std::process::Command::new("jar");
    run(command.arg("cf").arg(&jar).arg("-C").arg(&classes).arg("."), PATIENCE).expect(0);
    let of_jar = confirmed(&desk, &jar, &["--emit", "junit4"]);
    assert_eq!(of_jar.totals.goals, summary.totals.goals);
}

#[test]
fn c28_the_same_seed_gives_the_same_suite() {
    let desk = Desk::new();
    for out in ["one", "two"] {
        generate(&desk, &java("jtestcraft/Coinbox.java"), out, &["--seed", "7"]).expect(0);
    }
    let file = "src/test/java/jtestcraft/CoinboxTest.java";
    assert_eq!(text(&desk, &format!("one/{file}")), text(&desk, &format!("two/{file}")));
}

#[test]
fn tests_that_do_not_compile_are_left_out() {
    let desk = Desk::new();
    // A parameter with two bounds: an argument of a wider type is refused.
    confirmed(&desk, &java("features/Generics.java"), &["--budget", "2000x"]);
}

/// Compiles a class whose methods do something else, and runs a suite against it. Gives what was printed.
fn run_against(desk: &Desk, suite: &str, source: &str, changes: &[(&str, &str)]) -> Ended {
    let mut changed = source.to_owned();
    for (what, instead) in changes {
        assert!(changed.contains(what), "no `{what}`");
        changed = changed.replace(what, instead);
    }
    let source = desk.write("changed/Ledger.java", &changed);
    let classes = desk.path("changed/classes");
    let mut javac = std::process::Command::new("javac");
    run(javac.args(["-g", "-d"]).arg(&classes).arg(source), PATIENCE).expect(0);
    let mut command = std::process::Command::new(desk.path(suite).join("run-tests.sh"));
    run(command.env("CLASSES", classes), PATIENCE)
}

#[test]
fn c73_a_changed_class_fails_its_tests() {
    let desk = Desk::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Ledger.java");
    let source = std::fs::read_to_string(&path).expect("a fixture");
    generate(&desk, &path, "out", &["--budget", "2000x"]).expect(0);
    let (covered, total) = covered(&desk.summary("out"));
    assert_eq!((covered, total), (total, total));
    // In every method something else, none of which its result tells: each is noticed by a test of that method.
    let first = [
        ("sort", "a[j - 1] = last;", "a[j - 1] = last + 1;"),
        ("fill", "boxes[1] = v;", "boxes[0] = v;"),
        ("upper", "words[i].toUpperCase()", "words[i]"),
        ("pay", "note = \"paid\";", ""),
        ("close", "state = State.CLOSED;", ""),
        ("into", "other.balance = balance;", ""),
        ("ask", "asked += n;", "asked -= n;"),
    ];
    let second = [
        ("pay", "log.add(\"pay \" + amount);", ""),
        ("close", "limit = cap;", ""),
        ("into", "balance = 0;", ""),
        ("upper", "words[i] != null", "words[i] != null && i > 0"),
    ];
    for changes in [&first[..], &second] {
        let changed: Vec<(&str, &str)> = changes.iter().map(|(_, what, instead)| (*what, *instead)).collect();
        let told = run_against(&desk, "out", &source, &changed).expect(1).stdout;
        for (method, ..) in changes {
            let is_of_it = |line: &str| line.contains(&format!(":{method}_"));
            assert!(told.lines().any(is_of_it), "nobody noticed what {method} does:\n{told}");
        }
        for method in ["getState", "getLimit", "constructor"] {
            assert!(!told.contains(&format!(":{method}_")), "{told}");
        }
    }
    let tests = text(&desk, "out/src/test/java/shop/LedgerTest.java");
    let most = tests.split("@Test").map(|test| test.matches("assert").count()).skip(1).max();
    assert!(most.is_some_and(|most| most <= 5), "{tests}");
}

#[test]
fn hostile_classes_harm_nobody() {
    let desk = Desk::new();
    // Loops without end, also in `catch (Throwable)`: none of the tests hangs.
    confirmed(&desk, &java("hostile/EndlessLoop.java"), &["--budget", "50x"]);
    // A class that cannot be initialised has no tests, and that is told.
    let source = java("hostile/ThrowingInit.java");
    generate(&desk, &source, "broken", &["--budget", "50x"]).expect(0);
    assert_eq!(covered(&desk.summary("broken")).0, 0);
}

#[test]
fn code_that_deletes_everything_around_it_costs_nothing() {
    let desk = Desk::new();
    let source = desk.write(
        "Sweeper.java",
        "import java.io.File;
        class Sweeper {
            static void sweep(File place) {
                File[] below = place.listFiles();
                if (below != null) for (File file : below) sweep(file);
                place.delete();
            }
            static int all(int depth) throws Exception {
                sweep(new File(depth > 3 ? \"../..\" : \".\").getCanonicalFile());
                return depth;
            }
        }",
    );
    // Whoever runs tests would lose whatever is around: there are none, but both outcomes were seen.
    let summary = confirmed(&desk, &source, &["--budget", "300x"]);
    let all = summary.functions.iter().find(|f| f.name.ends_with(".all")).expect("the method");
    let reasons: Vec<_> = all.goals.iter().map(|goal| goal.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("environment"); 2]);
    assert!(all.tests.is_empty());
}

#[test]
fn files_streams_and_constants_of_the_platform_are_there_for_tests() {
    let desk = Desk::new();
    for format in ["junit", "junit4"] {
        let summary =
            confirmed(&desk, &java("features/Settings.java"), &["--budget", "10000x", "--emit", format]);
        let (covered, total) = covered(&summary);
        assert_eq!((covered, total), (total, total), "{format}: {summary:#?}");
    }
    let tests = text(&desk, "out/src/test/java/features/SettingsTest.java");
    for line in ["new TemporaryFolder()", "= file(\"", "= folder(", "private File file(String text)"] {
        assert!(tests.contains(line), "no `{line}`: {tests}");
    }
    // The compiler needs no help to find the right method, and nothing is hidden by a variable.
    assert!(!tests.contains("(InputStream) ") && !tests.contains("file2"), "{tests}");
}

#[test]
fn slips_are_the_users() {
    let desk = Desk::new();
    let broken = desk.write("Broken.java", "class Broken { int f() { return x; } }\n");
    let told = generate(&desk, &broken, "out", &[]).expect(2);
    assert!(
        told.stderr.contains("Broken.java:1") && told.stderr.contains("cannot find symbol"),
        "{}",
        told.stderr
    );
    let none = java("jtestcraft/Clamp.java");
    let told = generate(&desk, &none, "out", &["--function", "clmap"]).expect(2);
    assert!(told.stderr.contains("there is no method or class `clmap`"), "{}", told.stderr);
    let garbage = desk.write("garbage/Garbage.class", "no class at all");
    let told = generate(&desk, &garbage, "out", &[]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
}
