//! Java tests are tried on the classes as they are before they are written, and `check` leaves nothing behind.

mod support;

use report::{FunctionSummary, State};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Desk, Ended, function, start};

fn java(name: &str) -> PathBuf {
    support::fixture("../java").join(name)
}

fn generate(desk: &Desk, path: &Path) -> Ended {
    desk.generate(path, "out", &["--budget", "500x"]).expect(0)
}

/// By outcome: whether it is covered, and why not.
fn reasons(function: &FunctionSummary) -> Vec<(bool, State, Option<&str>)> {
    function.goals.iter().map(|goal| (goal.outcome, goal.state, goal.reason.as_deref())).collect()
}

#[test]
fn texts_and_inner_objects_are_the_same_in_machines_and_in_tests() {
    let desk = Desk::new();
    // Two arguments that are one object, and a constructor that needs an object around it.
    for name in ["features/Strings.java", "features/Nested.java"] {
        let told = generate(&desk, &java(name));
        assert!(!told.stderr.contains("left out"), "{}", told.stderr);
        desk.check("out").expect(0);
    }
}

#[test]
fn what_nothing_but_an_exception_follows_is_not_claimed() {
    let desk = Desk::new();
    generate(&desk, &java("features/Unseen.java"));
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    let summary = desk.summary("out");
    let scaled = &function(&summary, "features.Unseen.scaled").tally;
    assert_eq!((scaled.covered, scaled.total), (4, 7));
    let open: Vec<Option<&str>> = reasons(function(&summary, "features.Unseen.scaled"))
        .into_iter()
        .filter(|(_, state, _)| *state == State::Unknown)
        .map(|(_, _, why)| why)
        .collect();
    assert_eq!(open, [Some("not-watched"); 3]);
}

#[test]
fn tests_that_fail_on_plain_classes_are_left_out_and_told() {
    let desk = Desk::new();
    // The thread has this name in our machines alone.
    let source = desk.write(
        "Who.java",
        "class Who {
            static int asks() { return Thread.currentThread().getName().equals(\"test\") ? 1 : 0; }
            static int plain(int n) { return n > 3 ? 1 : 0; }
        }",
    );
    let told = generate(&desk, &source);
    assert!(told.stderr.contains("do not pass on the classes as they are: 1 test"), "{}", told.stderr);
    assert!(told.stderr.contains("WhoTest.asks_returns1: it fails: "), "{}", told.stderr);
    let summary = desk.summary("out");
    let asks = function(&summary, "Who.asks");
    let unstable = (true, State::Unknown, Some("unstable"));
    assert!(reasons(asks).contains(&unstable), "{asks:?}");
    assert!(asks.tests.is_empty() && asks.unstable[0].contains("expected: <1> but was: <0>"), "{asks:?}");
    assert_eq!(function(&summary, "Who.plain").tally.covered, 2);
    desk.check("out").expect(0);
}

#[test]
fn runs_that_ask_the_machine_make_no_tests() {
    let desk = Desk::new();
    let source = desk.write(
        "Asks.java",
        "class Asks {
            static boolean deletes(String name) { return new java.io.File(name + 1).delete(); }
            static int connects(int port) {
                try (java.net.Socket socket = new java.net.Socket(\"localhost\", port)) {
                    return 1;
                } catch (java.io.IOException e) {
                    return port > 9 ? 2 : 3;
                }
            }
        }",
    );
    generate(&desk, &source);
    let summary = desk.summary("out");
    let connects = function(&summary, "Asks.connects");
    let environment = |outcome| (outcome, State::Unknown, Some("environment"));
    assert_eq!(reasons(connects), [environment(true), environment(false)]);
    let deletes = function(&summary, "Asks.deletes");
    assert!(connects.tests.is_empty() && deletes.tests.is_empty(), "{summary:?}");
    desk.check("out").expect(0);
}

#[test]
fn what_jacoco_cannot_see_is_not_claimed() {
    let desk = Desk::new();
    // The line behind the return throws before it is through; and recursion that only an empty stack ends.
    let source = desk.write(
        "Unseen.java",
        "class Unseen {
            static int lands(int n) {
                if (n < 10) {
                    return -1;
                }
                return Integer.parseInt(\"x\" + n);
            }
            static int descend(int n) { return n == 0 ? 1 : descend(n - 1) + descend(n + 1); }
            static boolean survives(int n) {
                try {
                    return descend(n) > 0;
                } catch (StackOverflowError e) {
                    return false;
                }
            }
        }",
    );
    generate(&desk, &source);
    let summary = desk.summary("out");
    assert_eq!(reasons(function(&summary, "Unseen.lands"))[0], (true, State::Covered, None));
    desk.check("out").expect(0);
}

#[test]
fn an_exception_hides_what_came_before_it_wherever_it_was_made() {
    let desk = Desk::new();
    // One exception says nothing of where it passed by, the other is caught on the way.
    let source = desk.write(
        "Late.java",
        "class Late {
            private static final RuntimeException MADE = new RuntimeException(\"made before\");
            static int relays(int n) {
                if (n > 5) refuse();
                return 1;
            }
            private static void refuse() { throw MADE; }
            static int catches(int n) {
                int got = 2;
                try {
                    if (n > 7) got = Integer.parseInt(\"x\" + n);
                } catch (NumberFormatException e) {
                    got = 1;
                }
                return got;
            }
        }",
    );
    generate(&desk, &source);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("JaCoCo confirms every claim"), "{}", verdict.stdout);
    let summary = desk.summary("out");
    for method in ["Late.relays", "Late.catches"] {
        let mut reasons = reasons(function(&summary, method));
        reasons.sort_unstable_by_key(|(_, _, why)| *why);
        let states: Vec<_> = reasons.iter().map(|(_, state, why)| (*state, *why)).collect();
        assert_eq!(states, [(State::Covered, None), (State::Unknown, Some("not-watched"))], "{method}");
    }
}

#[test]
fn what_only_some_orders_of_tests_reach_is_not_claimed() {
    let desk = Desk::new();
    // Whether somebody has marked makes no difference but to who counts branches.
    let source = desk.write(
        "Marks.java",
        "class Marks {
            private static final int[] MARKS = new int[1];
            static void mark() { MARKS[0] = 1; }
            static int look() { return MARKS[0] == 1 ? count(MARKS) : MARKS.length; }
            private static int count(int[] marks) { return marks.length; }
        }",
    );
    generate(&desk, &source);
    desk.check("out").expect(0);
    let summary = desk.summary("out");
    let looked = reasons(function(&summary, "Marks.look"));
    assert!(looked.iter().any(|(_, _, why)| *why == Some("unstable")), "{looked:?}");
}

#[test]
fn resources_are_found_in_tests_as_in_machines() {
    let desk = Desk::new();
    let folder = desk.write(
        "words/Words.java",
        "class Words {
            static int length() throws java.io.IOException {
                try (java.io.InputStream in = Words.class.getResourceAsStream(\"words.txt\")) {
                    return in == null ? -1 : in.available();
                }
            }
            static boolean isJar() { return Words.class.getResource(\"\").getProtocol().equals(\"jar\"); }
        }",
    );
    let folder = folder.parent().expect("its folder").to_owned();
    desk.write("words/words.txt", "three");
    for words in [&["javac", "Words.java"][..], &["jar", "cf", "words.jar", "Words.class", "words.txt"]] {
        let status = Command::new(words[0]).args(&words[1..]).current_dir(&folder).status();
        assert!(status.expect("a tool of the JDK").success(), "{words:?}");
    }
    generate(&desk, &folder.join("words.jar"));
    // What closes the stream is no branch of the source.
    let verdict = desk.check("out").expect(0);
    let told = "branches of try-with-resources are hidden by JaCoCo's filters and not compared";
    assert!(verdict.stdout.contains(told), "{}", verdict.stdout);
    let tests = std::fs::read_to_string(desk.path("out/src/test/java/WordsTest.java")).expect("tests");
    assert!(tests.contains("assertEquals(5, result)") && tests.contains("assertFalse(result)"), "{tests}");
}

#[test]
fn a_suite_without_tests_is_confirmed_if_it_claims_nothing() {
    let desk = Desk::new();
    let source = desk.write(
        "Broken.java",
        "class Broken {
            static final int ONE = Integer.parseInt(\"one\");
            static int get(int n) { return n > 3 ? ONE : 0; }
        }",
    );
    generate(&desk, &source);
    let verdict = desk.check("out").expect(0);
    assert!(verdict.stdout.contains("the suite has no tests"), "{}", verdict.stdout);
}

#[test]
fn machines_end_with_a_check_that_is_killed() {
    let desk = Desk::new();
    generate(&desk, &java("jtestcraft/Clamp.java"));
    desk.write(
        "out/src/test/java/jtestcraft/SleepTest.java",
        "package jtestcraft;
        class SleepTest {
            @org.junit.jupiter.api.Test
            void sleeps() throws Exception { Thread.sleep(1000000); }
        }",
    );
    let (mut check, _logs) = start(&mut desk.branchwise(["check".as_ref(), desk.path("out").as_os_str()]));
    let waited = wait_for(|| machines(&desk).iter().any(|command| command.contains("SleepTest")));
    assert!(waited, "no machine runs the tests");
    check.kill().expect("it runs");
    check.wait().expect("a child");
    assert!(wait_for(|| machines(&desk).is_empty()), "{:?}", machines(&desk));
}

/// Command lines of programs that work for the desk.
fn machines(desk: &Desk) -> Vec<String> {
    let place = desk.path("out").to_string_lossy().into_owned();
    let all = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    let is_java = |line: &str| line.split(' ').next().is_some_and(|program| program.ends_with("/java"));
    lines.filter(|line| line.contains(&place) && is_java(line)).collect()
}

fn wait_for(holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
