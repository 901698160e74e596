//! Branch totals against those of the real JaCoCo, per method and line.

use crate::support::{Fixtures, fixtures, read, run};
use java_classfile::{Code, Instruction};
use java_frontend::jacoco::probes::{Edge, Probes, Way};
use java_frontend::{Filter, JavaModel, Sites};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Branches by method and line.
type Totals = BTreeMap<String, BTreeMap<u32, u32>>;

const JACOCO: &str = "/usr/share/java/org.jacoco.core.jar:/usr/share/java/asm.jar:/usr/share/java/asm-tree.jar:/usr/share/java/asm-commons.jar:/usr/share/java/asm-analysis.jar";

/// What JaCoCo counts, and the classes it cannot read.
fn judged(path: &Path) -> (Totals, BTreeSet<String>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Totals.java");
    let output =
        run(Command::new("java").args(["-XX:TieredStopAtLevel=1", "-cp", JACOCO]).arg(source).arg(path));
    let (mut totals, mut unread) = (Totals::new(), BTreeSet::new());
    for line in output.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts[..] {
            ["unread", name] => drop(unread.insert(name.trim_end_matches(".class").to_owned())),
            [method, line, count] => {
                let number = |text: &str| text.parse::<u32>().expect("a number");
                let (line, count) = (number(line), number(count));
                *totals.entry(method.to_owned()).or_default().entry(line).or_default() += count;
            }
            _ => panic!("{line}"),
        }
    }
    (totals, unread)
}

/// What the model counts.
fn counted(model: &JavaModel) -> Totals {
    let mut totals = Totals::new();
    for function in &model.program.functions {
        for goal in function.goals() {
            let line = function.branch(goal.branch).expect("its own").span.start.line;
            *totals.entry(function.symbol.clone()).or_default().entry(line).or_default() += 1;
        }
    }
    totals
}

/// Methods of which the totals differ, and how many methods have branches at all.
fn differing(ours: &Totals, theirs: &Totals, unread: &BTreeSet<String>) -> (Vec<String>, usize) {
    let class = |method: &str| method.split('.').next().expect("a class").to_owned();
    let methods: BTreeSet<&String> =
        ours.keys().chain(theirs.keys()).filter(|m| !unread.contains(&class(m))).collect();
    let differ = |method: &&&String| ours.get(**method) != theirs.get(**method);
    let words =
        |method: &&String| format!("{method}: {:?} against {:?}", ours.get(*method), theirs.get(*method));
    (methods.iter().filter(differ).map(words).collect(), methods.len())
}

#[test]
fn c81_all_fixtures_have_the_branches_that_jacoco_counts() {
    let Fixtures { classes, model, .. } = fixtures();
    let (theirs, unread) = judged(&classes.roots[0]);
    let (differing, methods) = differing(&counted(model), &theirs, &unread);
    assert!(differing.is_empty(), "{} of {methods}:\n{}", differing.len(), differing.join("\n"));
    assert!(methods > 300, "{methods}");
    assert_eq!(
        unread.iter().map(String::as_str).collect::<Vec<_>>(),
        ["features/EnumBodies", "features/Sealed$Figure"]
    );
}

/// How many branches each filter hides.
fn hidden(sites: &Sites) -> BTreeMap<Filter, u32> {
    let mut hidden = BTreeMap::new();
    for site in sites.all() {
        if let Some(filter) = site.hidden_by {
            *hidden.entry(filter).or_default() += site.width();
        }
    }
    hidden
}

/// No method of the library may differ; newer versions of it have more methods, not fewer.
fn agrees(jar: &str, least: usize) {
    let path = PathBuf::from(format!("/usr/share/java/{jar}.jar"));
    let library = read(std::slice::from_ref(&path));
    assert_eq!(library.classes.unreadable, []);
    let (theirs, unread) = judged(&path);
    let (differing, methods) = differing(&counted(&library.model), &theirs, &unread);
    println!("{jar}: {methods} methods with branches, hidden {:?}", hidden(&library.model.sites));
    assert!(differing.is_empty(), "{} of {methods}:\n{}", differing.len(), differing.join("\n"));
    assert!(methods >= least && unread.is_empty(), "{methods}, {unread:?}");
}

#[test]
fn c81_methods_of_commons_lang_agree() {
    agrees("commons-lang3", 1500);
}

#[test]
fn c81_methods_of_commons_io_agree() {
    agrees("commons-io", 600);
}

#[test]
fn c81_methods_of_guava_agree() {
    agrees("guava", 3500);
}

/// A method of a fixture.
fn code(class: &str, method: &str) -> &'static Code {
    let is_class = |entry: &&java_frontend::ClassEntry| entry.name == class;
    let entry = fixtures().classes.own.iter().find(is_class).expect("a class");
    let is_method = |m: &&java_classfile::Method| m.name == method;
    entry.class.methods.iter().find(is_method).and_then(|m| m.code.as_ref()).expect("a method with code")
}

/// The edges of a run that takes the jumps it is told, up to the end, or to a call that throws.
fn walk(code: &Code, taken: &[bool], throws: bool) -> Vec<Edge> {
    let (mut edges, mut before, mut at) = (Vec::new(), None, 0);
    let mut taken = taken.iter();
    loop {
        edges.push(Edge { from: before, to: at as u32 });
        let instruction = &code.instructions[at].1;
        before = Some(at as u32);
        let is_call = matches!(instruction, Instruction::Invoke { .. });
        if is_call && throws || matches!(instruction, Instruction::Return(_) | Instruction::Throw) {
            return edges;
        }
        at = match instruction.targets()[..] {
            [target] if *taken.next().expect("told") => code.position(target).expect("an instruction"),
            _ => at + 1,
        };
    }
}

/// By jump of the method, in their order: whether JaCoCo notices that it was taken, and that it was not.
fn noticed(code: &Code, taken: &[bool], throws: bool) -> Vec<(bool, bool)> {
    let ways = Probes::of(code).expect("no subroutines").noticed(walk(code, taken, throws));
    let is_jump = |at: &usize| code.instructions[*at].1.targets().len() == 1;
    let jumps = (0..code.instructions.len()).filter(is_jump);
    let jumped = |at, way: &(usize, Way)| way.0 == at && matches!(way.1, Way::Jumps(_));
    jumps.map(|at| (ways.iter().any(|way| jumped(at, way)), ways.contains(&(at, Way::Falls)))).collect()
}

#[test]
fn an_exception_hides_jumps_up_to_the_last_probe() {
    // `if (a > 10 && b > 10) return refuse(a + b);` is a line; behind it several ways lead to `return 0`.
    let checked = code("features/Unseen", "checked");
    assert_eq!(noticed(checked, &[false, false], true), [(false, false), (false, false)]);
    assert_eq!(noticed(checked, &[false, false], false), [(false, true), (false, true)]);
    assert_eq!(noticed(checked, &[true], false), [(true, false), (false, false)]);
    assert_eq!(noticed(checked, &[false, true], false), [(false, true), (true, false)]);
}
