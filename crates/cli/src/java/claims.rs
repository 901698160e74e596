//! What a suite of Java tests claims to reach, for whoever measures it.

use super::suites::Written;
use super::{jdk, plural};
use crate::failure::{EXIT_UNMET, Failure};
use java_backend::JavaProgram;
use java_frontend::{ClassEntry, ClassPath, Filter};
use java_judge::{Case, LineClaim, MethodClaim, judge};
use model::{BranchId, Goal};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Its name in the output folder.
pub(crate) const FILE: &str = "java-claims.json";
const CLASSES: &str = "classes";

/// Branches by method and line, as JaCoCo counts them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Claims {
    version: u32,
    class_path: Vec<PathBuf>,
    classes: Vec<String>,
    methods: Vec<Method>,
    /// More may be covered: threads run code that the search does not see.
    #[serde(default)]
    in_part: bool,
    /// Branches that JaCoCo does not count, since compilers made them: of what, and how many.
    #[serde(default)]
    hidden: Vec<(String, u32)>,
}

#[derive(Serialize, Deserialize)]
struct Method {
    class: String,
    name: String,
    descriptor: String,
    /// Line, branches covered, all branches.
    lines: Vec<(u32, u32, u32)>,
}

impl Claims {
    pub(crate) fn new(
        program: &JavaProgram,
        written: &[Written<'_>],
        class_path: &[PathBuf],
        has_threads: bool,
    ) -> Claims {
        let covered: BTreeSet<Goal> =
            written.iter().flat_map(|test| test.test.covers.iter().copied()).collect();
        let mut methods = Vec::new();
        let mut hidden: BTreeMap<Filter, u32> = BTreeMap::new();
        for &(class, method) in program.model.methods.places() {
            let entry = &program.classes.own[class];
            let found = &entry.class.methods[method];
            let mut lines: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
            for site in program.model.sites.of_method(class, method) {
                if let Some(filter) = site.hidden_by {
                    *hidden.entry(filter).or_default() += if site.width() == 1 { 2 } else { site.width() };
                    continue;
                }
                let branches = (0..site.width()).map(|offset| BranchId(site.branch.0 + offset));
                let outcomes: &[bool] = if site.width() == 1 { &[true, false] } else { &[true] };
                let goals =
                    branches.flat_map(|branch| outcomes.iter().map(move |&outcome| Goal { branch, outcome }));
                let line = lines.entry(site.line).or_default();
                for goal in goals {
                    line.0 += u32::from(covered.contains(&goal));
                    line.1 += 1;
                }
            }
            // JaCoCo leaves out methods that compilers make, which have no branches to be counted.
            if lines.is_empty() {
                continue;
            }
            methods.push(Method {
                class: entry.name.clone(),
                name: found.name.clone(),
                descriptor: found.descriptor.to_string(),
                lines: lines.into_iter().map(|(line, (covered, total))| (line, covered, total)).collect(),
            });
        }
        let classes = program.classes.own.iter().map(|entry| entry.name.clone()).collect();
        let in_part = has_threads || program.classes.own.iter().any(has_finalizer);
        let hidden = hidden.into_iter().filter_map(|(filter, count)| Some((made(filter)?.to_owned(), count)));
        let hidden = hidden.collect();
        Claims { version: 1, class_path: class_path.to_vec(), classes, methods, in_part, hidden }
    }

    pub(crate) fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|e| Failure::bug(e.to_string()))
    }
}

/// What compilers made that a filter of JaCoCo hides; nothing of what has no branches in the first place.
fn made(filter: Filter) -> Option<&'static str> {
    Some(match filter {
        Filter::SyntheticClass => "classes that a compiler made",
        Filter::SyntheticMethod => "methods that a compiler made",
        Filter::EnumMethod => "values() and valueOf() of enums",
        Filter::Generated => "what is marked as generated",
        Filter::StringSwitch => "switches over strings",
        Filter::TryWithResources => "try-with-resources",
        Filter::FinallyCopy => "copies of finally blocks",
        Filter::OneTarget => return None,
    })
}

/// What is hidden, as a sentence; nothing if there is nothing.
fn hidden_words(hidden: &[(String, u32)]) -> Option<String> {
    let mut parts = hidden.iter().enumerate().map(|(number, (what, count))| match (number, count) {
        (0, 1) => format!("1 branch of {what}"),
        (0, count) => format!("{count} branches of {what}"),
        (_, count) => format!("{count} of {what}"),
    });
    let first = parts.next()?;
    let all = parts.fold(first, |all, part| format!("{all}, {part}"));
    let verb = if hidden.len() == 1 && hidden[0].1 == 1 { "is" } else { "are" };
    Some(format!("{all} {verb} hidden by JaCoCo's filters and not compared"))
}

/// Objects of such classes are finalized in a thread of the machine, whenever that likes.
fn has_finalizer(entry: &ClassEntry) -> bool {
    let is_finalizer = |name: &str, descriptor: String| name == "finalize" && descriptor == "()V";
    entry.class.methods.iter().any(|method| is_finalizer(&method.name, method.descriptor.to_string()))
}

/// Puts the classes under test beside the suite, so that it can be run when sources were all that the user had; returns the class path. Behind them
/// are the folders and jars that they come from, for their resources, and what they depend on.
///
/// Machines of the search have the same class path: where a resource is found tells code apart from where tests run.
pub(crate) fn keep_classes(classes: &ClassPath, scratch: &Path, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = out.join(CLASSES);
    let _ = std::fs::remove_dir_all(&folder);
    for entry in &classes.own {
        let path = folder.join(format!("{}.class", entry.name));
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).map_err(|e| Failure::file(parent, &e))?;
        std::fs::write(&path, &entry.bytes).map_err(|e| Failure::file(&path, &e))?;
    }
    let whole = |path: &Path| path.canonicalize().map_err(|e| Failure::file(path, &e));
    std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, &e))?;
    let mut class_path = vec![whole(&folder)?];
    let roots = classes.roots.iter().filter(|root| !root.starts_with(scratch));
    for path in roots.chain(&classes.dependencies) {
        let path = whole(path)?;
        if !class_path.contains(&path) {
            class_path.push(path);
        }
    }
    Ok(class_path)
}

/// `1 class`, `2 classes`.
fn classes(n: usize) -> String {
    format!("{n} class{}", if n == 1 { "" } else { "es" })
}

/// Whether a folder holds a suite of Java tests.
pub(crate) fn is_suite(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Runs a suite under JaCoCo and compares.
pub(crate) fn check(folder: &Path) -> Result<ExitCode, Failure> {
    let path = folder.join(FILE);
    let text = std::fs::read_to_string(&path).map_err(|e| Failure::file(&path, &e))?;
    let claims: Claims = serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("{}: {e}", path.display())).hint("generate the suite again"))?;
    let methods = claims.methods.len();
    let claim = |method: Method| MethodClaim {
        class: method.class,
        name: method.name,
        descriptor: method.descriptor,
        lines: method
            .lines
            .into_iter()
            .map(|(line, covered, total)| LineClaim { line, covered, total })
            .collect(),
    };
    let case = Case {
        suite: folder.canonicalize().map_err(|e| Failure::file(folder, &e))?,
        class_path: claims.class_path,
        classes: claims.classes,
        claims: claims.methods.into_iter().map(claim).collect(),
        in_part: claims.in_part,
    };
    let verdict = judge(&case, &jdk::tools()).map_err(|e| Failure::input(e.to_string()))?;
    if let Some(words) = hidden_words(&claims.hidden) {
        println!("note: {words}");
    }
    for unread in &verdict.unread {
        println!("note: JaCoCo cannot read {}: {}", unread.class, unread.why);
    }
    for problem in &verdict.problems {
        println!("{problem}");
    }
    for failure in &verdict.failures {
        println!("{failure}");
    }
    for difference in &verdict.differences {
        println!("{difference}");
    }
    if verdict.passed == 0 && verdict.failures.is_empty() && verdict.problems.is_empty() {
        println!("note: the suite has no tests");
    }
    println!(
        "{}, {} of {} branches, {} of {} lines, {} passed in random orders: {}",
        plural(methods, "method"),
        verdict.totals.branches.covered,
        verdict.totals.branches.total,
        verdict.totals.lines.covered,
        verdict.totals.lines.total,
        plural(verdict.passed, "test"),
        match verdict.differences.len() + verdict.failures.len() + verdict.problems.len() {
            0 if !verdict.unread.is_empty() => {
                format!(
                    "JaCoCo confirms every claim but those of {} that it cannot read",
                    classes(verdict.unread.len())
                )
            }
            0 => "JaCoCo confirms every claim".to_owned(),
            n => plural(n, "difference"),
        }
    );
    Ok(if verdict.agrees() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_UNMET) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_told_in_one_sentence() {
        let hidden = |parts: &[(&str, u32)]| -> Vec<(String, u32)> {
            parts.iter().map(|(what, count)| ((*what).to_owned(), *count)).collect()
        };
        assert_eq!(hidden_words(&[]), None);
        let one = hidden_words(&hidden(&[("switches over strings", 1)])).expect("words");
        assert_eq!(one, "1 branch of switches over strings is hidden by JaCoCo's filters and not compared");
        let two = hidden_words(&hidden(&[("switches over strings", 3), ("try-with-resources", 2)]));
        let words = "3 branches of switches over strings, 2 of try-with-resources are hidden by JaCoCo's filters and not compared";
        assert_eq!(two.expect("words"), words);
    }
}
