//! What of the user's classes cannot be worked with: told at once, with the file and a hint, and listed in the reports. All other classes
//! are tested all the same.

use super::jdk;
use crate::failure::Failure;
use input::SpaceError;
use java_backend::{JavaProgram, MethodAccount};
use java_frontend::{ClassPath, Jdk, java_name, missing, source_path, unwritable};
use java_worker::{HookSet, Untouched};
use model::FunctionId;
use std::collections::{BTreeMap, BTreeSet};
use suite::{FunctionResult, GoalState, Reason};

/// How many of a kind are told one by one.
const TOLD: usize = 10;

const OF_MISSING: &str = "name the jars and folders that hold what your classes need with --classpath";
const OF_UNREADABLE: &str = "compile or copy the class again; `javap -v FILE` says what is in it";
const OF_REFUSED: &str =
    "`java -Xverify:all` refuses it, too; compile it again, for a version of Java that is installed";
const UNWATCHED: &str = "nobody could look whether tests ask for network, files or programs: the virtual machine has no security manager";
const OF_UNWATCHED: &str = "Java 23 and older have one; tests that ask the machine are left out there";
const OF_UNSEEN: &str =
    "which branches tests take there is not known, and none is claimed; shorter methods have room for hooks";
const OF_UNSOLVED: &str = "values that lead through there are searched for, not solved for; shorter methods have room for all hooks";
const OF_NAMES: &str =
    "they are tested as far as others call them; tests for them need classes that are not obfuscated";

/// What cannot be worked with, in words.
#[derive(Default)]
pub(crate) struct Problems {
    pub(crate) all: Vec<String>,
}

impl Problems {
    /// Tells several of one kind, with what may help.
    fn tell(&mut self, problems: Vec<String>, hint: &str) {
        for problem in problems.iter().take(TOLD) {
            eprintln!("branchwise: {problem}");
        }
        if problems.len() > TOLD {
            eprintln!("  … and {} more, see summary.json", problems.len() - TOLD);
        }
        if !problems.is_empty() {
            eprintln!("hint: {hint}");
        }
        self.all.extend(problems);
    }

    /// Files that are no classes, or are there twice.
    pub(crate) fn unreadable(&mut self, classes: &ClassPath) {
        let words =
            |unreadable: &java_frontend::Unreadable| format!("{}: {}", unreadable.origin, unreadable.why);
        self.tell(classes.unreadable.iter().map(words).collect(), OF_UNREADABLE);
    }

    /// Classes of jars for certain versions of Java.
    pub(crate) fn versions(&mut self, classes: &ClassPath) {
        let words = |note: &java_frontend::Unreadable| format!("{}: {}", note.origin, note.why);
        self.tell(classes.versions.iter().map(words).collect(), jdk::OF_VERSIONS);
    }

    /// Classes for a newer Java than the user's.
    ///
    /// # Errors
    /// When all of them are.
    pub(crate) fn too_new(&mut self, classes: &ClassPath, jdk: &Jdk) -> Result<(), Failure> {
        self.tell(jdk::too_new(&classes.own, jdk)?, jdk::OF_TOO_NEW);
        Ok(())
    }

    /// Tests were tried in a virtual machine that lets nobody watch.
    pub(crate) fn unwatched(&mut self) {
        self.tell(vec![UNWATCHED.to_owned()], OF_UNWATCHED);
    }

    /// Classes that others need, and names that no source can write.
    pub(crate) fn of_names(&mut self, program: &JavaProgram) {
        let words = |missing: &java_frontend::Missing| {
            let entries = missing.needed_by.iter().map(|&number| &program.classes.own[number]);
            let mut users = entries.map(|entry| format!("{} ({})", java_name(&entry.name), entry.origin));
            let first = users.next().unwrap_or_default();
            let more = match users.count() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("the class {} is not there; it is needed by {first}{more}", java_name(&missing.name))
        };
        let missing = missing(&program.classes.own, &program.hierarchy);
        self.tell(missing.iter().map(words).collect(), OF_MISSING);
        let words = |name: String| format!("{name}: no Java source can write this name");
        self.tell(unwritable(&program.classes.own).into_iter().map(words).collect(), OF_NAMES);
    }

    /// Classes and methods that nobody sees the runs of, or that are not executed symbolically.
    pub(crate) fn of_hooks(&mut self, program: &JavaProgram) {
        let class =
            |(name, why): &(String, String)| format!("{}: nobody sees its runs: {why}", java_name(name));
        let mut unseen: Vec<String> = program.without_hooks.iter().map(class).collect();
        let mut unsolved = Vec::new();
        let left = program.prepared.untouched();
        for (name, set, untouched) in left {
            let is_short = |(other, set, left): &(String, HookSet, Untouched)| {
                other == name && *set == HookSet::Short && left.method == untouched.method
            };
            let told = format!("{}: ", method_words(program, name, untouched.method));
            match set {
                HookSet::Short => unseen.push(format!("{told}nobody sees its runs: {}", untouched.why)),
                HookSet::Full if left.iter().any(is_short) => {}
                HookSet::Full => {
                    unsolved.push(format!("{told}its runs are not executed symbolically: {}", untouched.why));
                }
            }
        }
        self.tell(unseen, OF_UNSEEN);
        self.tell(unsolved, OF_UNSOLVED);
    }

    /// Classes that the virtual machine does not take.
    pub(crate) fn refused(&mut self, program: &JavaProgram, accounts: &BTreeMap<FunctionId, MethodAccount>) {
        let mut seen: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (id, account) in accounts {
            let why = account.refused.as_deref().filter(|why| !is_missing(why));
            seen.extend(program.class_of(*id).zip(why));
        }
        let words = |(class, why): (usize, &str)| {
            let entry = &program.classes.own[class];
            let why = why.lines().next().unwrap_or_default();
            format!("{} ({}): the virtual machine refuses it: {why}", java_name(&entry.name), entry.origin)
        };
        self.tell(seen.into_iter().map(words).collect(), OF_REFUSED);
    }
}

/// `shop.Cart.add (shop/Cart.java:12)`; without a line the file that the class was read from.
fn method_words(program: &JavaProgram, class: &str, method: usize) -> String {
    let own = program.classes.own.iter().find(|entry| entry.name == class);
    let Some((entry, found)) = own.and_then(|entry| Some((entry, entry.class.methods.get(method)?))) else {
        return java_name(class);
    };
    let line = found.code.as_ref().and_then(|code| code.lines.iter().map(|line| line.line).min());
    let place = match line {
        Some(line) => format!("{}:{line}", source_path(&entry.class)),
        None => entry.origin.clone(),
    };
    format!("{}.{} ({place})", java_name(class), found.name)
}

/// Whether a machine says that a class is not there, which is told with its name.
fn is_missing(why: &str) -> bool {
    why.starts_with("java.lang.NoClassDefFoundError") || why.starts_with("java.lang.ClassNotFoundException")
}

/// Goals of methods that no machine runs were not missed for want of a budget.
pub(crate) fn conclude(
    program: &JavaProgram,
    results: &mut [FunctionResult],
    accounts: &BTreeMap<FunctionId, MethodAccount>,
) {
    let unwritable: BTreeSet<String> = unwritable(&program.classes.own).into_iter().collect();
    for result in results {
        let name = &program.model.program.function(result.function).name;
        let class = name.rsplit_once('.').map_or("", |(class, _)| class);
        let refused = accounts.get(&result.function).and_then(|account| account.refused.as_deref());
        let why = match refused {
            Some(why) => Reason::WorkerFailed(why.lines().next().unwrap_or_default().to_owned()),
            None if unwritable.contains(name) || unwritable.contains(class) => {
                Reason::Unsupported(SpaceError {
                    place: format!("a call of {name}"),
                    type_name: "no Java source can write this name".to_owned(),
                })
            }
            None => continue,
        };
        for (_, state) in &mut result.goals {
            if let GoalState::Unknown(Reason::Budget { .. }) = state {
                *state = GoalState::Unknown(why.clone());
            }
        }
    }
}
