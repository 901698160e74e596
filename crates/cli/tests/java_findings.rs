//! What Java code does that no test can state is told: with its place, the calls that lead there, and a program that repeats it.

mod support;

use report::{FindingSummary, GoalSummary, Summary};
use std::path::Path;
use std::process::Command;
use support::{Desk, Ended, PATIENCE, function, run};

fn generate(desk: &Desk, path: &Path, budget: &str) -> Ended {
    desk.generate(path, "out", &["--budget", budget]).expect(0)
}

/// The only finding of a method.
#[track_caller]
fn finding<'s>(summary: &'s Summary, name: &str) -> &'s FindingSummary {
    match function(summary, name).findings.as_slice() {
        [finding] => finding,
        other => panic!("{name}: {other:?}"),
    }
}

/// What happens, where, and the calls.
fn told(finding: &FindingSummary) -> (&str, &str, &str) {
    (&finding.what, finding.place.as_deref().unwrap_or_default(), &finding.inputs)
}

#[track_caller]
fn goal<'s>(summary: &'s Summary, name: &str, line: u32, outcome: bool) -> &'s GoalSummary {
    let goals = &function(summary, name).goals;
    let is_it = |goal: &&GoalSummary| goal.place.line == line && goal.outcome == outcome;
    goals.iter().find(is_it).unwrap_or_else(|| panic!("{name} has no such goal: {goals:?}"))
}

/// Runs the program that repeats a finding.
fn repeat(desk: &Desk, finding: &FindingSummary) -> Ended {
    let path = finding.reproducer.as_deref().expect("a program");
    let class = path.trim_start_matches("crashes/").trim_end_matches(".java").replace('/', ".");
    run(Command::new("sh").arg(desk.path("out/crashes/run.sh")).arg(class), PATIENCE)
}

const ENDS: &str = "package a;
class Ends {
    private int level;
    void raise(int by) { level += by; }
    int exit(int n) {
        if (level > 3) {
            System.exit(3);
        }
        return n > 9 ? 1 : 0;
    }
    static int hidden(int n) throws Exception {
        if (n == 5) {
            System.class.getMethod(\"exit\", int.class).invoke(null, 17);
        }
        return n;
    }
    static int crash(int n) throws Exception {
        if (n == 6) {
            java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\");
            field.setAccessible(true);
            ((sun.misc.Unsafe) field.get(null)).putInt(8, 1);
        }
        return n;
    }
    static int half(int n) {
        assert n % 2 == 0 : n + \" is odd\";
        return n / 2;
    }
    static void quit() { stop(); }
    private static void stop() { Runtime.getRuntime().halt(0); }
    static int spawns(int n) throws InterruptedException {
        Thread thread = new Thread(() -> { throw new IllegalStateException(\"torn\"); });
        thread.start();
        thread.join();
        return n;
    }
}
";

#[test]
fn ends_of_the_machine_and_broken_contracts_are_told() {
    let desk = Desk::new();
    let source = desk.write("a/Ends.java", ENDS);
    let printed = generate(&desk, &source, "400x").stdout;
    let summary = desk.summary("out");
    let exit = finding(&summary, "a.Ends.exit");
    let calls = "Ends ends = new Ends(); ends.raise(5); ends.exit(0);";
    assert_eq!(told(exit), ("exits with status 3", "a.Ends.exit:7", calls));
    assert_eq!(exit.calls.len(), 3);
    assert_eq!(exit.stack, ["a.Ends.exit (a/Ends.java:7)"]);
    assert!(exit.objects.is_empty() && exit.precondition.is_none());
    let reached = goal(&summary, "a.Ends.exit", 6, true);
    assert_eq!((reached.reason.as_deref(), reached.finding), (Some("finding"), Some(0)));
    assert_eq!(exit.reaches, 1);
    // The same goals are reached by tests, too: it is not the only way.
    assert!(goal(&summary, "a.Ends.exit", 9, true).reason.is_none());

    let hidden = finding(&summary, "a.Ends.hidden");
    assert_eq!((hidden.what.as_str(), hidden.inputs.as_str()), ("exits with status 17", "Ends.hidden(5);"));
    let crash = finding(&summary, "a.Ends.crash");
    assert_eq!((crash.what.as_str(), crash.inputs.as_str()), ("the virtual machine dies", "Ends.crash(6);"));
    let half = finding(&summary, "a.Ends.half");
    assert_eq!(told(half), ("assertion fails: 1 is odd", "a.Ends.half:26", "Ends.half(1);"));
    assert!(
        function(&summary, "a.Ends.half").tests.iter().any(|test| test.name.contains("throwsAssertionError"))
    );
    // Where it happens, not where it is called from.
    assert_eq!(
        told(finding(&summary, "a.Ends.stop")),
        ("exits with status 0", "a.Ends.stop:30", "Ends.quit();")
    );
    assert!(function(&summary, "a.Ends.quit").findings.is_empty());
    // Whoever waits for the thread does not see it, so there is a test as well.
    let torn = finding(&summary, "a.Ends.lambda$spawns$0");
    let what = "a thread ends with java.lang.IllegalStateException: torn";
    assert_eq!(told(torn), (what, "a.Ends.lambda$spawns$0:32", "Ends.spawns(0);"));
    assert!(!function(&summary, "a.Ends.spawns").tests.is_empty());
    assert_eq!(summary.totals.findings, 6);

    assert!(
        printed.contains("findings:") && printed.contains("a.Ends.exit:7 exits with status 3: Ends ends"),
        "{printed}"
    );
    let page = std::fs::read_to_string(desk.path("out/report.html")).expect("a page");
    assert!(page.contains("assertion fails: 1 is odd") && page.contains("crashes/a/Ends_exit_exits_1.java"));
    assert_eq!(repeat(&desk, exit).code, Some(3));
    let said = repeat(&desk, torn).stderr;
    assert!(said.contains("IllegalStateException: torn"), "{said}");
    let failed = repeat(&desk, half);
    assert!(failed.stderr.contains("AssertionError: 1 is odd"), "{}", failed.stderr);
    desk.check("out").expect(0);
}

const ENDLESS: &str = "class Endless {
    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += i;
        }
        return sum;
    }
    static int loop(int n) {
        int sum = 0;
        while (n == 7) {
            sum += work(n);
        }
        return sum;
    }
    static long slow(int n) {
        long sum = 0;
        for (int i = 0; i < (n > 3 ? 100000 : 1); i++) {
            sum += i;
        }
        return sum;
    }
    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    static int[] grow(int n) {
        int[] all = new int[n > 20 ? Integer.MAX_VALUE - 9 : 1];
        return all;
    }
}
class Never {
    static int turns;
    static {
        while (turns >= 0) {
            turns = (turns + 1) & 0xffff;
        }
    }
    static int get() { return turns; }
}
class Broken {
    static final int SIZE = size(-1);
    static int size(int n) {
        if (n < 0) {
            throw new IllegalStateException(\"no size\");
        }
        return n;
    }
    static int get() { return SIZE; }
}
";

#[test]
fn what_never_ends_or_never_begins_is_told() {
    let desk = Desk::new();
    let source = desk.write("Endless.java", ENDLESS);
    generate(&desk, &source, "300x");
    let summary = desk.summary("out");
    // Not where the ticks were used up, which is in what it calls.
    let (what, place, calls) = told(finding(&summary, "Endless.loop"));
    assert_eq!((what, calls), ("endless loop, or a very long one", "Endless.loop(7);"));
    assert!(["Endless.loop:11", "Endless.loop:12"].contains(&place), "{place}");
    assert_eq!(goal(&summary, "Endless.loop", 11, true).finding, Some(0));
    // It takes long, and ends.
    assert!(function(&summary, "Endless.slow").findings.is_empty());
    // Which of the two the stack is full in is chance; the place is not.
    assert_eq!(function(&summary, "Endless.odd").findings.len(), 0);
    let (what, place, _) = told(finding(&summary, "Endless.even"));
    assert_eq!((what, place), ("stack overflow", "Endless.even:23"));
    let (what, place, _) = told(finding(&summary, "Endless.grow"));
    assert!(what.starts_with("out of memory: ") && place == "Endless.grow:26", "{what} {place}");
    let (what, place, calls) = told(finding(&summary, "Never.<clinit>"));
    assert_eq!((what, calls), ("a static initialiser does not end", "new Never();"));
    assert!(place.starts_with("Never.<clinit>:3"), "{place}");
    let thrown = "a static initialiser throws java.lang.IllegalStateException: no size";
    assert_eq!(told(finding(&summary, "Broken.size")), (thrown, "Broken.size:43", "new Broken();"));
    assert_eq!(goal(&summary, "Broken.size", 42, true).reason.as_deref(), Some("finding"));
    assert_eq!(summary.totals.findings, 5);
    let all = summary.functions.iter().flat_map(|function| &function.findings);
    assert!(
        all.into_iter().all(|finding| desk
            .path("out")
            .join(finding.reproducer.as_deref().expect("a program"))
            .is_file())
    );
    desk.check("out").expect(0);
}

#[test]
fn a_machine_that_says_nothing_is_told_with_its_place() {
    let desk = Desk::new();
    let source = desk.write(
        "Waits.java",
        "class Waits {
            static int nap(int n) throws InterruptedException {
                if (n > 3) {
                    pause();
                }
                return n;
            }
            private static void pause() throws InterruptedException {
                Thread.sleep(1000000);
            }
        }",
    );
    generate(&desk, &source, "50x");
    let summary = desk.summary("out");
    let nap = finding(&summary, "Waits.nap");
    assert_eq!(told(nap).0, "hangs");
    assert_eq!(nap.place.as_deref(), Some("Waits.pause:9"));
    assert_eq!(nap.stack.last().map(String::as_str), Some("Waits.nap (Waits.java:4)"));
    assert_eq!(goal(&summary, "Waits.nap", 3, true).reason.as_deref(), Some("finding"));
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let desk = Desk::new();
    let source = desk.write("a/Ends.java", ENDS);
    let methods = ["--function", "exit", "--function", "half", "--budget", "400x", "--quiet"];
    for out in ["one", "two"] {
        desk.generate(&source, out, &methods).expect(0);
    }
    let read = |out: &str| std::fs::read_to_string(desk.path(out).join("crashes/a/Ends_exit_exits_1.java"));
    assert_eq!(read("one").expect("a program"), read("two").expect("a program"));
    let findings = |out: &str| -> Vec<FindingSummary> {
        desk.summary(out).functions.into_iter().flat_map(|function| function.findings).collect()
    };
    assert_eq!(findings("one"), findings("two"));
    assert_eq!(findings("one").len(), 2);
}

const SUMS: &str = "package a;
class Sums {
    private int total;
    int plain(int a, int b) {
        int extra = 1;
        return a + b;
    }
    static int guarded(int a, int b) {
        if (a < 0 || a > 1000 || b < 0 || b > 1000) {
            throw new IllegalArgumentException();
        }
        return a + b;
    }
    void add(int by) {
        if (by > 0) {
            total += by;
        }
    }
    static long area(long width, long height) {
        if (width < 0 || height < 0) {
            return -1;
        }
        return width * height;
    }
    static int number(String text) {
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }
    public int hashCode() { return 31 * mixed(total) + total; }
    private static int mixed(int n) { return n * 1000003; }
    public boolean equals(Object other) {
        return other instanceof Sums && ((Sums) other).hashCode() == hashCode();
    }
}
";

#[test]
fn c76_results_that_overflow_are_told_when_errors_are_looked_for() {
    let desk = Desk::new();
    let source = desk.write("a/Sums.java", SUMS);
    let printed = desk.generate(&source, "out", &["--find-errors"]).expect(0).stdout;
    let summary = desk.summary("out");
    let plain = finding(&summary, "a.Sums.plain");
    let (what, place, calls) = told(plain);
    assert!(what.starts_with("int overflow: ") && place == "a.Sums.plain:6", "{what} {place}");
    assert!(calls.starts_with("Sums sums = new Sums(); sums.plain("), "{calls}");
    assert_eq!(plain.stack, ["a.Sums.plain (a/Sums.java:6)"]);
    assert!(printed.contains("a.Sums.plain:6 int overflow: "), "{printed}");
    // It takes two calls, a product of longs, and a text of ten digits.
    let (what, place, calls) = told(finding(&summary, "a.Sums.add"));
    assert!(what.starts_with("int overflow: ") && place == "a.Sums.add:16", "{what} {place}");
    assert_eq!(calls.matches("sums.add(").count(), 2, "{calls}");
    let (what, place, _) = told(finding(&summary, "a.Sums.area"));
    assert!(what.starts_with("long overflow: ") && place == "a.Sums.area:23", "{what} {place}");
    assert_eq!(told(finding(&summary, "a.Sums.number")).1, "a.Sums.number:32");
    for name in ["guarded", "hashCode", "mixed", "equals"] {
        assert_eq!(function(&summary, &format!("a.Sums.{name}")).findings, [], "{name}");
    }
    assert_eq!(summary.totals.findings, 4);
    assert_eq!(repeat(&desk, plain).code, Some(0));
    desk.check("out").expect(0);
}

#[test]
fn c76_looking_for_errors_changes_no_test_and_nobody_looks_unasked() {
    let desk = Desk::new();
    let source = desk.write("a/Sums.java", SUMS);
    desk.generate(&source, "plain", &["--budget", "2000x"]).expect(0);
    desk.generate(&source, "errors", &["--budget", "2000x", "--find-errors"]).expect(0);
    assert_eq!(desk.summary("plain").totals.findings, 0);
    assert!(!desk.path("plain/crashes").exists());
    assert!(desk.summary("errors").totals.findings > 0);
    let read = |out: &str| {
        std::fs::read_to_string(desk.path(out).join("src/test/java/a/SumsTest.java")).expect("tests")
    };
    assert_eq!(read("plain"), read("errors"));
}
