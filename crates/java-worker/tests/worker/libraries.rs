//! A virtual machine that verifies what it loads links all classes of the fixtures and of three libraries, with both sets of
//! hooks, as it does without any.

use crate::support::*;
use java_classfile::ClassFile;
use java_wire::Value;
use java_wire::message::{End, Manner, Seen};
use java_worker::{MachineSettings, Prepared};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Jars that Debian ships.
const JARS: [&str; 3] = ["guava", "commons-lang3", "commons-io"];

/// What becomes of classes in a machine that links them all.
pub(crate) fn linked(
    prepared: &Prepared,
    (method, names): (&str, &str),
    full: bool,
    change: impl FnOnce(&mut MachineSettings),
) -> String {
    let mut stage = stage_with(prepared, |settings| {
        settings.heap = 256;
        change(settings);
    });
    let mut test = Draft::new();
    let names = test.text(names);
    test.call_static(&format!("probe/LinkAll.{method}(Ljava/lang/String;)Ljava/lang/String;"), &[names]);
    let ran = stage.run(&test, Manner { full, ..MANNER });
    assert_eq!(ran.reply.end, End::Returned);
    match &ran.reply.results[0] {
        Seen::Value(Value::Text(units)) => String::from_utf16_lossy(units),
        other => panic!("{other:?}"),
    }
}

#[test]
fn everything_links_with_hooks() {
    let folder = TempDir::new().expect("a folder");
    for jar in JARS {
        let jar = Path::new("/usr/share/java").join(jar).with_extension("jar");
        run(Command::new("jar").arg("xf").arg(jar).current_dir(folder.path()));
    }
    let (mut hooked, mut plain, mut names) = (Prepared::new(), Prepared::new(), Vec::new());
    let mut add = |bytes: &[u8], class: &ClassFile| {
        hooked.add(bytes, class).expect("hooks");
        plain.add_plain(bytes, &class.name);
        names.push(class.name.replace('/', "."));
    };
    for one in compiled() {
        add(&one.bytes, &one.class);
    }
    for file in files(folder.path(), "class") {
        let bytes = std::fs::read(&file).expect("a class file");
        let class = ClassFile::read(&bytes).expect("a class");
        if !class.access.is_module() && !class.name.ends_with("package-info") {
            add(&bytes, &class);
        }
    }
    assert!(names.len() > 2600, "{} classes", names.len());
    assert_eq!(hooked.untouched(), []);
    let names = names.join(" ");
    let expected = linked(&plain, ("link", &names), false, |_| {});
    let count: usize =
        expected.lines().last().and_then(|line| line.split(' ').next()?.parse().ok()).expect("a count");
    assert!(count > 2500, "{count} linked");
    for full in [false, true] {
        assert_eq!(linked(&hooked, ("link", &names), full, |_| {}), expected);
    }
}
