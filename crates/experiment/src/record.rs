//! What one run found.

use crate::plan::Key;
use crate::stats;
use serde::{Deserialize, Serialize};

/// The result of one cell.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Which run.
    pub key: Key,
    /// Its goals by decision or function, in the order of the program.
    pub groups: Vec<Group>,
    /// Executions it took altogether.
    pub evaluations: u64,
    /// Time it took. No two runs take the same: see [`Record::reproducible`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Goals that belong together.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The decision or function.
    pub name: String,
    /// What was to be reached.
    pub goals: Vec<Goal>,
    /// What else was there, and the run proved that no input reaches it. That is not missed, and so it is no goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<String>,
}

/// One goal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Its name, unique in the group.
    pub name: String,
    /// Evaluations up to the one that reached it, itself included; `None` if none did. Without collateral coverage
    /// they are those of its own search, otherwise those of the whole run.
    pub reached_after: Option<u64>,
    /// Evaluations by dependence set, if it has several and they guide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_set: Vec<u64>,
}

impl Record {
    /// The same without what differs from run to run on the same machine.
    #[must_use]
    pub fn reproducible(self) -> Record {
        Record { seconds: None, ..self }
    }

    /// "Total" of the thesis: the mean over the groups of the share reached, in percent. A goal of a small decision
    /// weighs more than one of a large one.
    #[must_use]
    pub fn mean_of_groups(&self) -> Option<f64> {
        let shares: Vec<f64> = self.groups.iter().filter_map(Group::coverage).collect();
        stats::mean(&shares)
    }

    /// The share of all goals reached, in percent: every goal weighs the same.
    #[must_use]
    pub fn goal_weighted(&self) -> Option<f64> {
        let sum = |of: fn(&Group) -> usize| self.groups.iter().map(of).sum();
        percent(sum(Group::reached), sum(Group::total))
    }
}

impl Group {
    /// Goals reached.
    #[must_use]
    pub fn reached(&self) -> usize {
        self.goals.iter().filter(|goal| goal.reached_after.is_some()).count()
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> usize {
        self.goals.len()
    }

    /// The share reached, in percent; none of nothing.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        percent(self.reached(), self.total())
    }
}

fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Budget, Criterion, Fitness};

    fn group(name: &str, reached: usize, total: usize) -> Group {
        let goal =
            |i| Goal { name: format!("g{i}"), reached_after: (i < reached).then_some(5), by_set: Vec::new() };
        Group { name: name.into(), goals: (0..total).map(goal).collect(), proved: Vec::new() }
    }

    fn record(groups: Vec<Group>) -> Record {
        let key = Key {
            subject: "s".into(),
            criterion: Criterion::Mcdc,
            domain: "d".into(),
            engine: "ga".into(),
            fitness: Fitness::Control,
            budget: Budget::PerGoal(10),
            seed: 1,
        };
        Record { key, groups, evaluations: 40, seconds: Some(1.5) }
    }

    #[test]
    fn the_two_totals_differ_where_groups_do() {
        // 1 of 4 and 2 of 2: (25 + 100) / 2, and 3 of 6.
        let record = record(vec![group("a", 1, 4), group("b", 2, 2)]);
        assert_eq!((record.mean_of_groups(), record.goal_weighted()), (Some(62.5), Some(50.0)));
    }

    #[test]
    fn nothing_to_reach_is_neither_reached_nor_missed() {
        let mut record = record(vec![group("a", 1, 2), group("empty", 0, 0)]);
        assert_eq!((record.mean_of_groups(), record.goal_weighted()), (Some(50.0), Some(50.0)));
        record.groups.remove(0);
        assert_eq!((record.mean_of_groups(), record.goal_weighted()), (None, None));
    }

    #[test]
    fn records_survive_json_and_leave_time_out_if_asked() {
        let record = record(vec![group("a", 1, 2)]);
        let text = serde_json::to_string(&record).expect("plain data");
        assert_eq!(serde_json::from_str::<Record>(&text).expect("what was written"), record);
        let text = serde_json::to_string(&record.reproducible()).expect("plain data");
        assert!(!text.contains("seconds") && text.contains("\"budget\":{\"per_goal\":10}"), "{text}");
    }
}
