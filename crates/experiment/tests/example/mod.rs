//! Plans and records made by hand.

use experiment::{Goal, Group, Key, Plan, Record};

pub(crate) fn plan(text: &str) -> Plan {
    Plan::parse(text, &["ga", "hc", "random"]).unwrap_or_else(|e| panic!("{e}"))
}

/// A record of every cell, with the groups that `of` gives it.
pub(crate) fn records(plan: &Plan, of: impl Fn(&Key) -> Vec<Group>) -> Vec<Record> {
    let record = |key: Key| Record { groups: of(&key), evaluations: 100 * key.seed, seconds: None, key };
    plan.cells().into_iter().map(|cell| record(cell.key)).collect()
}

/// Groups from their names, goals reached and all goals.
pub(crate) fn groups<'a>(groups: impl IntoIterator<Item = (&'a str, usize, usize)>) -> Vec<Group> {
    let goal = |i: usize, reached| Goal {
        name: format!("g{i}"),
        reached_after: (i < reached).then_some(10 + i as u64),
        by_set: Vec::new(),
    };
    let group = |(name, reached, total): (&str, usize, usize)| Group {
        name: name.to_owned(),
        goals: (0..total).map(|i| goal(i, reached)).collect(),
        proved: Vec::new(),
    };
    groups.into_iter().map(group).collect()
}
