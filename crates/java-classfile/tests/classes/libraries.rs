//! All classes of three libraries get hooks everywhere, and a virtual machine that verifies everything must link them, and run
//! some, as it does the originals.

use crate::support::{JARS, class_files, jar, java, java_sources, javac, rewrite_folder, unpack};
use java_classfile::rewrite::Why;
use std::path::{Path, PathBuf};

fn folder(root: &Path, name: &str) -> PathBuf {
    let folder = root.join(name);
    std::fs::create_dir_all(&folder).expect("writable");
    folder
}

#[test]
fn all_classes_of_libraries_link_and_work_with_hooks() {
    let temporary = tempfile::tempdir().expect("writable");
    let root = temporary.path();
    let (plain, hooked, tools) = (folder(root, "plain"), folder(root, "hooked"), folder(root, "tools"));
    let jars: Vec<PathBuf> = JARS.iter().map(|name| jar(name)).collect();
    jars.iter().for_each(|jar| unpack(jar, &plain));

    let (mut methods, mut untouched) = (0, Vec::new());
    rewrite_folder(&plain, &hooked, |class, rewritten| {
        methods += rewritten.moved.len();
        let left = rewritten.untouched.iter();
        untouched.extend(
            left.map(|left| (format!("{}.{}", class.name, class.methods[left.method].name), left.why)),
        );
    });
    assert_eq!(untouched, Vec::<(String, Why)>::new());
    assert!(methods > 20_000, "{methods} methods");
    assert!(class_files(&hooked).len() > 2_500);

    let classpath = jars.iter().map(|jar| jar.display().to_string()).collect::<Vec<_>>().join(":");
    let sources = ["Hooks.java", "LinkAll.java", "Libraries.java"].map(|name| java_sources().join(name));
    javac(&sources, &tools, &["-cp", &classpath]);
    let linked = |folder: &Path| java("all", &[&tools], &["LinkAll", &folder.display().to_string()]);
    let (expected, actual) = (linked(&plain), linked(&hooked));
    let count = |report: &str| report.lines().filter(|line| line.ends_with(" linked")).count();
    assert!(count(&expected) > 2_400, "{}", count(&expected));
    for (expected, actual) in expected.lines().zip(actual.lines()) {
        assert_eq!(actual, expected);
    }
    assert_eq!(actual.lines().count(), expected.lines().count());

    let used = |folder: &Path| java("all", &[&tools, folder], &["Libraries"]);
    assert_eq!(used(&hooked), used(&plain));
}
