//! Which engine found what, and after how many runs.

use model::Goal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tests of whole classes, changed by chance.
pub(crate) const EVOLUTION: &str = "evolution";
/// Candidate sequences with the values that everybody tries first.
pub(crate) const SEQUENCES: &str = "sequences";

/// Who found something, and when.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the engine: `evolution`, `sequences`, or the one that looked for the values of a script.
    pub engine: String,
    /// What the search for tests of the class had been charged by then, in runs.
    pub execution: u64,
}

/// A campaign for the values of one script: who had found what by which of its runs.
pub(crate) struct Finder<'a> {
    /// What the search for the class had been charged when it began.
    pub(crate) before: u64,
    /// Its first runs, of values that are there without any search.
    pub(crate) first_runs: u64,
    /// Who has made the script, and has what those find.
    pub(crate) maker: &'static str,
    /// Who finds the rest.
    pub(crate) engine: &'a str,
}

impl Finder<'_> {
    /// What was found in one of its runs, the first with number 1.
    pub(crate) fn origin(&self, run: u64) -> Origin {
        let engine = if run <= self.first_runs { self.maker } else { self.engine };
        Origin { engine: engine.to_owned(), execution: self.before + run }
    }

    /// The test that has reached all of these, as the last of them was: no test reached it before.
    pub(crate) fn of_test(&self, goals: impl Iterator<Item = Goal>, runs: &BTreeMap<Goal, u64>) -> Origin {
        self.origin(goals.filter_map(|goal| runs.get(&goal).copied()).max().unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_there_are_no_find_of_the_engine() {
        let finder = Finder { before: 100, first_runs: 2, maker: SEQUENCES, engine: "dfs" };
        let origin = |engine: &str, execution| Origin { engine: engine.to_owned(), execution };
        assert_eq!(finder.origin(2), origin("sequences", 102));
        assert_eq!(finder.origin(3), origin("dfs", 103));
        let goal = |branch| Goal { branch: model::BranchId(branch), outcome: true };
        let runs = BTreeMap::from([(goal(0), 1), (goal(1), 7), (goal(2), 9)]);
        assert_eq!(finder.of_test([goal(0), goal(1)].into_iter(), &runs), origin("dfs", 107));
        assert_eq!(finder.of_test([].into_iter(), &runs), origin("sequences", 101));
    }
}
