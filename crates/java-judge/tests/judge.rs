//! Suites written by hand, whose coverage was counted by hand in the sources of the fixtures.

use java_judge::{Case, Count, Kind, LineClaim, MethodClaim, Problem, Tools, Unread, judge};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MONITOR: &str = "jtestcraft/TemperatureMonitor";

/// The classes under test, compiled once.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("judged");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java");
        let sources = ["jtestcraft/TemperatureMonitor.java", "features/Sealed.java"];
        let mut javac = Command::new("javac");
        javac.args(["-g", "-d"]).arg(&folder).args(sources.map(|source| fixtures.join(source)));
        assert!(javac.status().expect("javac is installed").success());
        folder
    })
}

/// A suite of sources by path, and what is claimed of the monitor.
fn case(sources: &[(&str, &str)], claims: Vec<MethodClaim>) -> (TempDir, Case) {
    let folder = TempDir::new().expect("a folder");
    for (path, text) in sources {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    let case = Case {
        suite: folder.path().to_owned(),
        class_path: vec![classes().to_owned()],
        classes: vec![MONITOR.into(), "features/Sealed$Figure".into()],
        claims,
        in_part: false,
    };
    (folder, case)
}

fn claim(name: &str, descriptor: &str, line: u32, covered: u32, total: u32) -> MethodClaim {
    let lines = vec![LineClaim { line, covered, total }];
    MethodClaim { class: MONITOR.into(), name: name.into(), descriptor: descriptor.into(), lines }
}

const JUNIT_5: &str = r#"package jtestcraft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HotTest {
    @Test
    void warns() {
        TemperatureMonitor monitor = new TemperatureMonitor();
        monitor.setEnabled(true);
        monitor.updateTemperature(81);
        assertTrue(monitor.warning());
        System.out.println("end");
    }

    @Test
    void begins() {
        assertEquals(0, new TemperatureMonitor().getTemperature());
    }
}
"#;

const JUNIT_4: &str = r#"package jtestcraft;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ColdTest {
    private static int calls;

    @Test
    public void first() {
        assertEquals(0, calls++);
    }

    @Test
    public void second() {
        assertEquals(1, calls++);
    }

    @Test
    public void wrong() {
        assertEquals("a\tb", "a\n");
    }
}
"#;

#[test]
fn right_claims_hold() {
    let claims = vec![
        claim("updateTemperature", "(I)V", 15, 1, 2),
        claim("warning", "()Z", 25, 1, 2),
        MethodClaim { class: "features/Sealed$Figure".into(), ..claim("any", "()V", 1, 1, 1) },
    ];
    let (_folder, case) = case(&[("src/test/java/jtestcraft/HotTest.java", JUNIT_5)], claims);
    let verdict = judge(&case, &Tools { seeds: vec![1], ..Tools::default() }).expect("a verdict");
    assert!(verdict.agrees(), "{verdict:#?}");
    assert_eq!(verdict.passed, 2);
    assert_eq!(verdict.totals.branches, Count { covered: 2, total: 4 });
    // The constructor and four methods. Lines: class and field; one and the end of setEnabled; if, store, end; two returns.
    assert_eq!(verdict.totals.methods, Count { covered: 5, total: 5 });
    assert_eq!(verdict.totals.lines, Count { covered: 9, total: 9 });
    let [Unread { class, .. }] = verdict.unread.as_slice() else { panic!("{verdict:#?}") };
    assert_eq!(class, "features/Sealed$Figure");
}

#[test]
fn wrong_claims_failures_and_orders_are_told() {
    let claims = vec![claim("updateTemperature", "(I)V", 15, 0, 2), claim("warning", "()Z", 25, 2, 2)];
    let sources = [("jtestcraft/HotTest.java", JUNIT_5), ("jtestcraft/ColdTest.java", JUNIT_4)];
    let (_folder, case) = case(&sources, claims);
    let verdict = judge(&case, &Tools::default()).expect("a verdict");
    let kinds: Vec<_> = verdict.differences.iter().map(|d| (d.method.as_str(), d.line, d.kind)).collect();
    let expected = [
        ("updateTemperature", Some(15), Kind::Underclaimed { claimed: 0, measured: 1 }),
        ("warning", Some(25), Kind::Overclaimed { claimed: 2, measured: 1 }),
    ];
    assert_eq!(kinds, expected);
    assert_eq!((verdict.passed, verdict.problems.as_slice()), (2, &[][..]));
    let failure = |method: &str| verdict.failures.iter().find(|failure| failure.method == method);
    let wrong = failure("wrong").expect("it fails");
    assert_eq!((wrong.class.as_str(), wrong.failed.as_slice()), ("jtestcraft.ColdTest", &[1, 2, 3][..]));
    assert!(wrong.message.contains("b]> but was:<a[\n]>"), "{}", wrong.message);
    // Whichever of the two runs first, both pass or both fail; the seeds have both orders.
    let [first, second] = ["first", "second"].map(|name| failure(name).expect("it fails in some order"));
    assert_eq!((&first.failed, &first.passed), (&second.failed, &second.passed));
    assert!(!first.passed.is_empty(), "{first:?}");
    assert!(first.to_string().starts_with("jtestcraft.ColdTest.first failed in "), "{first}");
}

#[test]
fn suites_that_do_not_end_are_told() {
    let test = |body: &str| {
        let annotation = "@org.junit.jupiter.api.Test";
        format!(
            "class BadTest {{\n    {annotation}\n    void bad() throws Exception {{\n        {body}\n    }}\n}}\n"
        )
    };
    let running = Some(("BadTest".to_owned(), "bad".to_owned()));
    let sleeping = test("Thread.sleep(1000000);");
    let (_folder, hangs) = case(&[("BadTest.java", &sleeping)], vec![]);
    let verdict =
        judge(&hangs, &Tools { seconds: 5, seeds: vec![7], ..Tools::default() }).expect("a verdict");
    let [Problem::TimedOut { seed: 7, test: during, seconds: 5 }] = verdict.problems.as_slice() else {
        panic!("{verdict:#?}")
    };
    // A slow machine may not get as far as the test.
    assert!(during.is_none() || *during == running);

    let dying = test("System.err.println(\"bye\"); Runtime.getRuntime().halt(0);");
    let (_folder, dies) = case(&[("BadTest.java", &dying)], vec![]);
    let verdict = judge(&dies, &Tools { seeds: vec![7], ..Tools::default() }).expect("a verdict");
    let expected = Problem::Died { seed: 7, test: running, output: "bye".into() };
    assert_eq!((verdict.passed, verdict.problems), (0, vec![expected]));
}

#[test]
fn what_does_not_compile_is_told() {
    let (_folder, case) = case(&[("ATest.java", "class ATest { int x = true; }")], vec![]);
    let verdict = judge(&case, &Tools::default()).expect("a verdict");
    let [Problem::DoesNotCompile { output }] = verdict.problems.as_slice() else { panic!("{verdict:#?}") };
    assert!(output.contains("boolean cannot be converted to int"), "{output}");
    assert!(!verdict.agrees());
}

#[test]
fn what_is_missing_is_named() {
    let (folder, case) = case(&[("ATest.java", "class ATest {}")], vec![]);
    let tools = Tools { jars: folder.path().to_owned(), ..Tools::default() };
    let error = judge(&case, &tools).expect_err("no jars");
    assert!(error.to_string().ends_with("junit-jupiter-api.jar: install junit5"), "{error}");
}

#[test]
fn no_tests_are_right_if_nothing_is_claimed() {
    let none = vec![claim("updateTemperature", "(I)V", 15, 0, 2), claim("warning", "()Z", 25, 0, 2)];
    let (_folder, empty) = case(&[], none.clone());
    let verdict = judge(&empty, &Tools::default()).expect("a verdict");
    assert!(verdict.agrees(), "{verdict:#?}");
    assert_eq!((verdict.passed, verdict.totals.branches), (0, Count { covered: 0, total: 4 }));

    let claims = vec![claim("updateTemperature", "(I)V", 15, 1, 2), none[1].clone()];
    let (_folder, empty) = case(&[], claims);
    let verdict = judge(&empty, &Tools::default()).expect("a verdict");
    let kinds: Vec<_> = verdict.differences.iter().map(|d| d.kind).collect();
    assert_eq!(kinds, [Kind::Overclaimed { claimed: 1, measured: 0 }]);
}

#[test]
fn what_tests_leave_behind_does_not_hold_up_the_end() {
    // A thread that never ends, and one that the machine would wait for at its end.
    let test = "class LeavesTest {
    @org.junit.jupiter.api.Test
    void leaves() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> sleep()));
        new Thread(() -> sleep()).start();
        new jtestcraft.TemperatureMonitor().warning();
    }

    private static void sleep() {
        try {
            Thread.sleep(1000000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
";
    let claims = vec![claim("updateTemperature", "(I)V", 15, 0, 2), claim("warning", "()Z", 25, 1, 2)];
    let (_folder, leaves) = case(&[("LeavesTest.java", test)], claims);
    let tools = Tools { seeds: vec![1], silence: 1000, seconds: 1000, ..Tools::default() };
    let begun = Instant::now();
    let verdict = judge(&leaves, &tools).expect("a verdict");
    assert!(verdict.agrees() && verdict.passed == 1, "{verdict:#?}");
    assert!(begun.elapsed() < Duration::from_secs(300));
}
