//! Suites in which some tests do what no test should.

use java_judge::{Case, Ran, Tools, Tried, WhyNot, try_out};
use std::path::Path;
use tempfile::TempDir;

/// A suite of one class with these methods, each a name and a body.
fn suite(methods: &[(&str, &str)]) -> (TempDir, Case) {
    let folder = TempDir::new().expect("a folder");
    let mut text = "class SomeTest {\n    static int calls;\n".to_owned();
    for (name, body) in methods {
        let annotation = "@org.junit.jupiter.api.Test";
        text +=
            &format!("\n    {annotation}\n    void {name}() throws Exception {{\n        {body}\n    }}\n");
    }
    std::fs::write(folder.path().join("SomeTest.java"), text + "}\n").expect("written");
    let case = Case { suite: folder.path().to_owned(), ..Case::default() };
    (folder, case)
}

fn ran(case: &Case, tools: &Tools) -> Ran {
    match try_out(case, tools).expect("it can be tried") {
        Tried::Ran(ran) => ran,
        Tried::Refused(words) => panic!("{words}"),
    }
}

fn dropouts(case: &Case, tools: &Tools) -> Vec<(String, WhyNot)> {
    ran(case, tools).out.into_iter().map(|out| (out.method, out.why)).collect()
}

fn named(expected: &[(&str, &str)], why: fn(String) -> WhyNot) -> Vec<(String, WhyNot)> {
    expected.iter().map(|&(name, what)| (name.to_owned(), why(what.to_owned()))).collect()
}

#[test]
fn what_fails_hangs_or_ends_the_machine_is_told_and_the_rest_is_run() {
    let (_folder, case) = suite(&[
        ("a", "calls++;"),
        ("b", "throw new IllegalStateException(\"no\");"),
        ("c", "System.exit(0);"),
        ("d", "Thread.sleep(1000000);"),
        ("e", "calls++;"),
        ("f", "Runtime.getRuntime().halt(0);"),
    ]);
    let tools = Tools { silence: 10, ..Tools::default() };
    let expected = [
        ("b", WhyNot::Failed("java.lang.IllegalStateException: no".to_owned())),
        ("c", WhyNot::Ended),
        ("d", WhyNot::Hung(10)),
        ("f", WhyNot::Ended),
    ];
    assert_eq!(dropouts(&case, &tools), expected.map(|(name, why)| (name.to_owned(), why)));
}

#[test]
fn what_is_changed_for_others_is_told_and_put_back() {
    let check = |what: &str| format!("if (!({what})) {{ throw new Exception(); }}");
    let (_folder, case) = suite(&[
        ("a", "System.setProperty(\"java.io.tmpdir\", \"nowhere\");"),
        ("b", "java.util.Locale.setDefault(java.util.Locale.ITALY);"),
        ("c", "new Thread(() -> { while (true) { } }).start();"),
        ("d", "Thread.setDefaultUncaughtExceptionHandler((t, e) -> Runtime.getRuntime().halt(1));"),
        ("e", "System.in.close();"),
        ("f", "System.setOut(System.err);"),
        ("g", "Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } }));"),
        // What is allowed: something of one's own, and what comes to an end.
        ("h", "System.setProperty(\"own.property\", \"here\");"),
        ("i", "Runtime.getRuntime().addShutdownHook(new Thread(() -> { }));"),
        ("j", "Thread t = new Thread(() -> { throw new IllegalStateException(); }); t.start(); t.join();"),
        // What would fail in one of the orders.
        ("k", &check("!System.getProperty(\"java.io.tmpdir\").equals(\"nowhere\")")),
        ("l", &check("!java.util.Locale.getDefault().equals(java.util.Locale.ITALY)")),
    ]);
    let ran = ran(&case, &Tools::default());
    let expected = [
        ("a", "the property java.io.tmpdir"),
        ("b", "the locale"),
        ("c", "threads that go on"),
        ("d", "what is done with exceptions of threads"),
        ("e", "the standard streams"),
        ("f", "the standard streams"),
        ("g", "shutdown hooks, by one that does not end"),
    ];
    let found: Vec<_> = ran.out.into_iter().map(|out| (out.method, out.why)).collect();
    assert_eq!(found, named(&expected, WhyNot::Changed));
    assert!(ran.has_threads);
}

#[test]
fn what_is_asked_of_the_machine_is_told() {
    let (_folder, case) = suite(&[
        ("a", "new java.net.Socket(\"localhost\", 1).close();"),
        ("b", "try { new java.net.ServerSocket(0).close(); } catch (java.io.IOException e) { }"),
        ("c", "new ProcessBuilder(\"true\").start().waitFor();"),
        ("d", "new java.io.FileWriter(\"here\").close();"),
        ("e", "new java.io.File(\"/var/nothing\").delete();"),
        ("f", "new java.io.File(\"/etc\").list();"),
        ("h", "new java.io.File(System.getProperty(\"java.io.tmpdir\")).isDirectory();"),
        // What is the same everywhere: temporary files of its own, what is nowhere, classes, and the numbers of a seed.
        ("i", "java.io.File own = java.io.File.createTempFile(\"one\", \"b\"); own.length(); own.delete();"),
        ("j", "new java.io.File(\"/var/nothing\").exists();"),
        ("k", "Class.forName(\"java.util.zip.CRC32\"); new java.security.SecureRandom().nextInt();"),
        (
            "l",
            "java.time.ZonedDateTime.now(java.time.ZoneId.of(\"Europe/Paris\")); java.util.Locale.getAvailableLocales();",
        ),
        ("g", "java.nio.file.Files.delete(java.nio.file.Files.createTempFile(\"a\", \"b\"));"),
        // A path without a name is a folder, a file without one is nowhere.
        ("m", "java.nio.file.Files.isDirectory(java.nio.file.Path.of(\"\"));"),
        ("n", "new java.io.File(\"\").exists();"),
    ]);
    let network = "asks for the network";
    let expected = [
        ("a", network),
        ("b", network),
        ("c", "starts a program"),
        ("d", "writes files"),
        ("e", "deletes files"),
        ("f", "reads files"),
        ("h", "reads files"),
        ("m", "reads files"),
    ];
    let ran = ran(&case, &Tools::default());
    assert!(!ran.is_unwatched);
    let found: Vec<_> = ran.out.into_iter().map(|out| (out.method, out.why)).collect();
    assert_eq!(found, named(&expected, WhyNot::Asked));
}

/// A runtime that is newer than the JDK whose compiler is used.
fn newer(version: u32) -> Tools {
    let java = java_testing::runtime(version).join("bin/java");
    Tools { java, version: Some(version), ..Tools::default() }
}

#[test]
fn newer_machines_watch_as_long_as_they_can() {
    let (_folder, case) = suite(&[
        ("a", "new java.io.File(\"/var/nothing\").delete();"),
        ("b", "java.util.Locale.setDefault(java.util.Locale.ITALY);"),
        ("c", "Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } }));"),
        ("d", ""),
    ]);
    let asked = named(&[("a", "deletes files")], WhyNot::Asked);
    let hooks = "shutdown hooks, by one that does not end";
    let changed = named(&[("b", "the locale"), ("c", hooks)], WhyNot::Changed);
    // From 18 on one has to ask for a security manager, and from 24 on there is none, which is said.
    for (version, is_unwatched) in [(21, false), (25, true)] {
        let ran = ran(&case, &newer(version));
        let found: Vec<_> = ran.out.into_iter().map(|out| (out.method, out.why)).collect();
        let expected = if is_unwatched { changed.clone() } else { [asked.clone(), changed.clone()].concat() };
        assert_eq!((found, ran.is_unwatched), (expected, is_unwatched), "Java {version}");
    }
}

#[test]
fn what_holds_in_one_order_only_is_told() {
    // Whichever comes second fails.
    let first = "org.junit.jupiter.api.Assertions.assertEquals(0, calls++);";
    let (_folder, case) = suite(&[("a", first), ("b", first), ("c", "")]);
    let ran = ran(&case, &Tools::default());
    let [out] = ran.out.as_slice() else { panic!("{ran:?}") };
    // The one that failed is not run again, so the other holds.
    let WhyNot::Failed(why) = &out.why else { panic!("{out:?}") };
    assert!(["a", "b"].contains(&out.method.as_str()) && why.contains("expected: <0> but was: <1>"), "{why}");
    assert!(!ran.has_threads);
}

#[test]
fn too_many_lost_machines_are_an_end() {
    // A JVM takes most of a second, and with five it is as with the usual number.
    let tools = Tools { lost: 5, ..Tools::default() };
    let names: Vec<String> = (0..8).map(|number| format!("ends{number}")).collect();
    let methods: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), "Runtime.getRuntime().halt(1);")).collect();
    let (_folder, case) = suite(&methods);
    let found = dropouts(&case, &tools);
    let count = |wanted: &WhyNot| found.iter().filter(|(_, why)| why == wanted).count();
    assert_eq!((count(&WhyNot::Ended), count(&WhyNot::NotRun)), (5, 3));
}

#[test]
fn tests_run_behind_what_confines_them() {
    // A stand-in that says where they may write.
    let (folder, case) = suite(&[("fails", "throw new Exception(System.getenv().keySet().toString());")]);
    let wrapper = folder.path().join("wrapper");
    std::fs::write(&wrapper, "#!/bin/sh\necho \"$1\" >\"$0.log\"; shift; exec \"$@\"\n").expect("written");
    std::fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a script");
    let scratch = TempDir::new().expect("a folder");
    let tools = Tools {
        wrapper: vec![wrapper.clone().into(), java_judge::OWN_FOLDER.into()],
        scratch: Some(scratch.path().to_owned()),
        ..Tools::default()
    };
    let found = dropouts(&case, &tools);
    let [(_, WhyNot::Failed(why))] = found.as_slice() else { panic!("{found:?}") };
    assert!(why.contains("PATH") && !why.contains("CARGO"), "{why}");
    let own = std::fs::read_to_string(wrapper.with_extension("log")).expect("the wrapper was called");
    assert!(Path::new(own.trim()).starts_with(scratch.path()), "{own}");
}

#[test]
fn what_cannot_be_run_at_all_is_an_error() {
    let (_folder, case) = suite(&[("a", "")]);
    let tools = Tools { java: "/bin/false".into(), ..Tools::default() };
    let error = try_out(&case, &tools).expect_err("nothing runs");
    assert!(error.to_string().starts_with("running the tests failed"), "{error}");
    let (_folder, wrong) = suite(&[("a", "int x = true;")]);
    let Tried::Refused(words) = try_out(&wrong, &Tools::default()).expect("compiled") else {
        panic!("it does not compile")
    };
    assert!(words.contains("boolean cannot be converted to int"), "{words}");
}
