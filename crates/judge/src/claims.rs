//! What a summary claims, made ready for comparison.

use report::{GoalSummary, State, Summary};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A summary with its tests and files looked up.
pub(crate) struct Claims<'a> {
    pub(crate) summary: &'a Summary,
    /// By name: whether some test of that name returns.
    returns: HashMap<&'a str, bool>,
    files: Files,
}

impl<'a> Claims<'a> {
    pub(crate) fn new(dir: &Path, summary: &'a Summary) -> Claims<'a> {
        let mut returns = HashMap::new();
        for test in summary.functions.iter().flat_map(|f| &f.tests) {
            *returns.entry(test.name.as_str()).or_insert(false) |= !test.death;
        }
        Claims { summary, returns, files: Files::new(dir, summary) }
    }

    /// The same for a whole program, of whose tests these do not return.
    pub(crate) fn of_program(dir: &Path, summary: &'a Summary, dying: &HashSet<String>) -> Claims<'a> {
        let tests = summary.program.iter().flat_map(|program| &program.tests);
        let returns = tests.map(|test| (test.name.as_str(), !dying.contains(&test.name))).collect();
        Claims { summary, returns, files: Files::new(dir, summary) }
    }

    /// Number of tests.
    pub(crate) fn tests(&self) -> usize {
        let of_program = self.summary.program.as_ref().map_or(0, |program| program.tests.len());
        self.summary.functions.iter().map(|f| f.tests.len()).sum::<usize>() + of_program
    }

    /// Whether a returning test is claimed to reach the goal.
    pub(crate) fn by_returning_test(&self, goal: &GoalSummary) -> bool {
        goal.tests.iter().any(|name| self.returns.get(name.as_str()) == Some(&true))
    }

    /// Whether any listed test is claimed to reach the goal, or it just says so.
    pub(crate) fn at_all(&self, goal: &GoalSummary) -> bool {
        goal.state == State::Covered || !goal.tests.is_empty()
    }

    /// Tests named by a goal that the summary does not list.
    pub(crate) fn unlisted<'g>(&self, goal: &'g GoalSummary) -> Option<&'g str> {
        goal.tests.iter().map(String::as_str).find(|name| !self.returns.contains_key(name))
    }

    /// Where a claimed file is.
    pub(crate) fn path(&self, claimed: &str) -> Option<PathBuf> {
        self.files.resolved.get(claimed).cloned()
    }

    /// Whether a claimed and a measured path are the same file.
    pub(crate) fn same_file(&self, claimed: &str, measured: &str) -> bool {
        self.files.same(claimed, measured)
    }
}

/// Resolves paths: claims may be relative to where the tool was started or the compiler ran.
struct Files {
    resolved: BTreeMap<String, PathBuf>,
}

impl Files {
    fn new(dir: &Path, summary: &Summary) -> Files {
        let folders: Vec<PathBuf> = summary
            .units
            .iter()
            .map(|u| PathBuf::from(&u.directory))
            .chain([PathBuf::from("."), dir.to_owned()])
            .collect();
        let goals = summary.functions.iter().flat_map(|f| f.goals.iter().map(|g| &g.place.file));
        let paths = summary.functions.iter().map(|f| &f.file).chain(goals);
        let mut resolved = BTreeMap::new();
        for path in paths {
            if !resolved.contains_key(path)
                && let Some(found) = folders.iter().find_map(|folder| folder.join(path).canonicalize().ok())
            {
                resolved.insert(path.clone(), found);
            }
        }
        Files { resolved }
    }

    /// A file that cannot be found (moved, deleted) is recognised by its name.
    fn same(&self, claimed: &str, measured: &str) -> bool {
        if claimed == measured {
            return true;
        }
        match (self.resolved.get(claimed), Path::new(measured).canonicalize()) {
            (Some(a), Ok(b)) => *a == b,
            _ => Path::new(claimed).file_name() == Path::new(measured).file_name(),
        }
    }
}
