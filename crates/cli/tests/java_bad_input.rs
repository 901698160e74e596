//! Java input that is odd, broken or not all there: the command ends with a documented code, names the file and what may help, loses nothing
//! of the other classes, and leaves no class out without saying so.

mod support;

use report::{State, Summary};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Desk, Ended, PATIENCE, function, run};

fn generate(desk: &Desk, path: &Path, budget: &str) -> Ended {
    desk.generate(path, "out", &["--budget", budget])
}

/// Compiles sources into the folder `classes`.
fn compile(desk: &Desk, sources: &[(&str, &str)]) -> PathBuf {
    let classes = desk.path("classes");
    std::fs::create_dir_all(&classes).expect("a folder");
    let mut command = Command::new("javac");
    command.args(["-g", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-d"]).arg(&classes);
    command.args(sources.iter().map(|(name, text)| desk.write(name, text)));
    run(&mut command, PATIENCE).expect(0);
    classes
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a file")
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file");
}

/// A class file with a text constant replaced by another.
fn renamed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let constant = |text: &str| [&[1, 0, text.len() as u8], text.as_bytes()].concat();
    let (from, to) = (constant(from), constant(to));
    let at = bytes.windows(from.len()).position(|window| window == from).expect("the constant");
    [&bytes[..at], &to, &bytes[at + from.len()..]].concat()
}

/// The names of all methods, and how many goals of each are covered.
fn covered(summary: &Summary) -> Vec<(&str, usize)> {
    summary.functions.iter().map(|function| (function.name.as_str(), function.tally.covered)).collect()
}

const PAIR: &str = "package p;
public class Pair {
    public static int one(int n) { return n > 3 ? 1 : 0; }
    public static int two(int n) { return n > 4 ? one(n) : 0; }
}
class Other { static int more(int n) { return n > 5 ? 1 : 0; } }
class Third { static int more(int n) { return n > 6 ? 1 : 0; } }
class Fourth { static int more(int n) { return n > 7 ? 1 : 0; } }
";

#[test]
fn files_that_are_broken_do_not_stop_the_others() {
    let desk = Desk::new();
    let classes = compile(&desk, &[("Pair.java", PAIR)]);
    let [pair, other, third] = ["Pair", "Other", "Third"].map(|name| classes.join(format!("p/{name}.class")));
    let bytes = read(&pair);
    write(&pair, &bytes[..bytes.len() / 2]);
    // The first constant is of a kind that does not exist.
    let mut bytes = read(&other);
    bytes[10] = 77;
    write(&other, &bytes);
    // `iload_0` becomes `aload_0`: an int where an object is expected.
    let mut bytes = read(&third);
    let at = bytes.windows(3).position(|code| code == [0x1a, 0x10, 6]).expect("the comparison");
    bytes[at] = 0x2a;
    write(&third, &bytes);
    let told = generate(&desk, &classes, "50x").expect(0);
    for words in
        ["p/Pair.class: the file ends early", "p/Other.class: ", "hint: compile or copy the class again"]
    {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    let refused = "p/Third.class): the virtual machine refuses it: java.lang.VerifyError";
    assert!(told.stderr.contains(refused), "{}", told.stderr);
    let summary = desk.summary("out");
    assert_eq!(summary.problems.len(), 3, "{:?}", summary.problems);
    let expected = [("p.Fourth.<init>", 0), ("p.Fourth.more", 2), ("p.Third.<init>", 0), ("p.Third.more", 0)];
    assert_eq!(covered(&summary), expected);
    let of_third = &function(&summary, "p.Third.more").goals;
    assert!(of_third.iter().all(|goal| goal.reason.as_deref() == Some("worker")), "{of_third:?}");
    desk.check("out").expect(0);

    let told = generate(&desk, &pair, "50x").expect(2);
    assert!(told.stderr.contains("Pair.class: the file ends early"), "{}", told.stderr);
    assert!(told.stderr.contains("none of these files is a class that can be read"), "{}", told.stderr);
    let jar = desk.write("broken.jar", "PK\u{3}\u{4} and nothing more");
    let told = generate(&desk, &jar, "50x").expect(2);
    assert!(told.stderr.contains("broken.jar"), "{}", told.stderr);
}

#[test]
fn a_missing_class_is_named_and_what_does_without_is_tested() {
    let desk = Desk::new();
    let dependent = "package d;
public class Dependent {
    public static int use(int n) {
        if (n < 5) {
            return -1;
        }
        return new Missing().value(n) == 9 ? 1 : 0;
    }
    public static int take(Missing missing) { return missing == null ? 0 : 1; }
    public static int plain(int n) { return n > 3 ? 1 : 0; }
}
class Below extends Missing { static int twice(int n) { return n > 7 ? 2 : 1; } }
";
    let missing = "package d; public class Missing { public int value(int n) { return n; } }";
    let classes = compile(&desk, &[("Dependent.java", dependent), ("Missing.java", missing)]);
    std::fs::create_dir_all(desk.path("library/d")).expect("a folder");
    std::fs::rename(classes.join("d/Missing.class"), desk.path("library/d/Missing.class")).expect("a file");
    let told = generate(&desk, &classes, "100x").expect(0);
    for words in ["the class d.Missing is not there", "d.Below (", "d/Below.class) and 1 more", "--classpath"]
    {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
    let summary = desk.summary("out");
    assert_eq!(summary.problems.len(), 1, "{:?}", summary.problems);
    assert_eq!(function(&summary, "d.Dependent.plain").tally.covered, 2);
    let using = function(&summary, "d.Dependent.use");
    let reasons: Vec<Option<&str>> = using.goals.iter().map(|goal| goal.reason.as_deref()).collect();
    assert_eq!(reasons[..2], [None, Some("finding")]);
    assert_eq!(using.findings[0].what, "needs the class d.Missing, which is not there");
    for name in ["d.Dependent.take", "d.Below.twice"] {
        let goals = &function(&summary, name).goals;
        // Which of its errors the machine throws depends on who asks for the class first.
        let names_it = |goal: &report::GoalSummary| {
            let why = goal.why.clone().unwrap_or_default().replace('/', ".");
            why.contains("NoClassDefFoundError: d.Missing")
                || why.contains("ClassNotFoundException: d.Missing")
        };
        assert!(goals.iter().all(names_it), "{goals:?}");
    }
    desk.check("out").expect(0);

    let library = desk.path("library").to_string_lossy().into_owned();
    let told = desk.generate(&classes, "whole", &["--budget", "100x", "--classpath", &library]).expect(0);
    assert!(!told.stderr.contains("not there"), "{}", told.stderr);
    let summary = desk.summary("whole");
    assert_eq!((summary.problems.len(), function(&summary, "d.Below.twice").tally.covered), (0, 2));
}

#[test]
fn names_that_no_source_can_write_are_told_and_not_used() {
    let desk = Desk::new();
    let classes = compile(&desk, &[("Pair.java", PAIR)]);
    let pair = classes.join("p/Pair.class");
    write(&pair, &renamed(&read(&pair), "one", "if"));
    let other = classes.join("p/Other.class");
    write(&other, &renamed(&read(&other), "more", "a-b"));
    let third = classes.join("p/Third.class");
    write(&classes.join("p/for.class"), &renamed(&read(&third), "p/Third", "p/for"));
    let fourth = classes.join("p/Fourth.class");
    write(&classes.join("p/1.class"), &renamed(&read(&fourth), "p/Fourth", "p/1"));
    std::fs::remove_file(third).and_then(|()| std::fs::remove_file(fourth)).expect("files");
    let told = generate(&desk, &classes, "100x").expect(0);
    for name in ["p.Pair.if", "p.Other.a-b", "p.for", "p.1"] {
        assert!(
            told.stderr.contains(&format!("{name}: no Java source can write this name")),
            "{}",
            told.stderr
        );
    }
    assert!(!told.stderr.contains("do not compile"), "{}", told.stderr);
    let summary = desk.summary("out");
    assert_eq!(summary.problems.len(), 4, "{:?}", summary.problems);
    // Called by another method, it is covered all the same, as far as that goes.
    assert_eq!(function(&summary, "p.Pair.if").tally.covered, 1);
    assert_eq!(function(&summary, "p.Pair.two").tally.covered, 2);
    for name in ["p.Other.a-b", "p.for.more", "p.1.more"] {
        let goals = &function(&summary, name).goals;
        let is_told = |goal: &report::GoalSummary| {
            goal.state == State::Unknown && goal.reason.as_deref() == Some("unsupported")
        };
        assert!(goals.iter().all(is_told), "{goals:?}");
    }
    desk.check("out").expect(0);
}

#[test]
fn natives_finalizers_threads_and_reflection_are_no_trouble() {
    let desk = Desk::new();
    let sources = [
        (
            "Natives.java",
            "class Natives {
                native int compute(int n);
                int guarded(int n) { return n > 3 ? compute(n) : 0; }
            }",
        ),
        (
            "Finalizes.java",
            "class Finalizes {
                static int count;
                int held(int n) { return n > 3 ? 1 : 0; }
                @SuppressWarnings({\"deprecation\", \"removal\"})
                protected void finalize() { count++; throw new IllegalStateException(); }
            }",
        ),
        (
            "Starts.java",
            "class Starts {
                static int go(int n) throws InterruptedException {
                    int[] seen = new int[1];
                    Thread thread = new Thread(() -> seen[0] = n > 3 ? 1 : 2);
                    thread.start();
                    thread.join();
                    return seen[0] == 1 ? 5 : 6;
                }
            }",
        ),
        (
            "Reflects.java",
            "class Reflects {
                private int secret = 4, second = 5;
                int read(int n) throws Exception {
                    java.lang.reflect.Field field = Reflects.class.getDeclaredField(n > 3 ? \"secret\" : \"second\");
                    field.setAccessible(true);
                    return field.getInt(this);
                }
            }",
        ),
    ];
    let classes = compile(&desk, &sources);
    generate(&desk, &classes, "60x").expect(0);
    let summary = desk.summary("out");
    let classes: std::collections::BTreeSet<&str> =
        summary.functions.iter().filter_map(|function| function.name.split('.').next()).collect();
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), ["Finalizes", "Natives", "Reflects", "Starts"]);
    let guarded = function(&summary, "Natives.guarded");
    assert_eq!(guarded.tally.covered, 1);
    assert!(guarded.findings[0].what.starts_with("UnsatisfiedLinkError: "), "{:?}", guarded.findings);
    assert_eq!(function(&summary, "Finalizes.held").tally.covered, 2);
    assert_eq!(function(&summary, "Reflects.read").tally.covered, 2);
    desk.check("out").expect(0);
}

/// `BRANCHWISE_MANY_CLASSES=500` makes it so many; `scripts/bench many` says how long those take.
#[test]
fn no_class_of_a_jar_is_lost() {
    let many: usize =
        std::env::var("BRANCHWISE_MANY_CLASSES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let desk = Desk::new();
    let text =
        |n: usize| format!("package m; class C{n} {{ static int f(int n) {{ return n > {n} ? 1 : 0; }} }}");
    let sources: Vec<(String, String)> = (0..many).map(|n| (format!("m/C{n}.java"), text(n))).collect();
    let sources: Vec<(&str, &str)> =
        sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let classes = compile(&desk, &sources);
    let jar = desk.path("many.jar");
    run(Command::new("jar").arg("cf").arg(&jar).arg("-C").arg(&classes).arg("."), PATIENCE).expect(0);
    generate(&desk, &jar, "20x").expect(0);
    let summary = desk.summary("out");
    for n in 0..many {
        assert_eq!(function(&summary, &format!("m.C{n}.f")).tally.total, 2, "C{n}");
    }
    assert_eq!(summary.totals.goals.covered, 2 * many);
    assert_eq!((summary.functions.len(), summary.problems.len()), (2 * many, 0));
}
