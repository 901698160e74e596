//! The header comment of a fixture, where its author says by hand which outcomes no ordinary test can have:
//!
//! ```text
//!  * infeasible: FUNCTION LINE:COLUMN true|false — reason     no input has this outcome
//!  * fatal: FUNCTION LINE:COLUMN true|false — reason          every such input kills or hangs its process
//!  * environment: FUNCTION LINE:COLUMN true|false — reason    decided by the machine, not by the input
//! ```
//!
//! A line may stand several times: macros put several branches at one place.

use report::{GoalSummary, State, Summary};
use std::collections::BTreeMap;
use std::path::Path;

/// Function, line and column as a reader of the function sees them, outcome.
pub(crate) type Place = (String, u32, u32, bool);

/// Places with the number of goals there.
pub(crate) type Places = BTreeMap<Place, usize>;

/// What a fixture says of itself.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) infeasible: Places,
    pub(crate) fatal: Places,
    pub(crate) environment: Places,
}

impl Header {
    pub(crate) fn read(path: &Path) -> Header {
        let text = std::fs::read_to_string(path).expect("a fixture");
        let mut header = Header::default();
        for line in text.lines().take_while(|line| !line.contains("*/")) {
            let Some((kind, rest)) = line.trim_start_matches([' ', '*']).split_once(": ") else { continue };
            let places = match kind {
                "infeasible" => &mut header.infeasible,
                "fatal" => &mut header.fatal,
                "environment" => &mut header.environment,
                _ => continue,
            };
            *places
                .entry(place(rest).unwrap_or_else(|| panic!("{}: {line}", path.display())))
                .or_default() += 1;
        }
        header
    }

    /// Every goal not covered must be listed, every infeasible one must be left over, and nothing but what is
    /// listed as infeasible may be called so.
    pub(crate) fn expect(&self, summary: &Summary) {
        self.expect_left(summary, places(summary, |goal| goal.state != State::Covered));
    }

    /// The same for a fixture that asks the machine: what only such runs reach is left over too.
    pub(crate) fn expect_beside_environment(&self, summary: &Summary) {
        let left = places(summary, |goal| {
            goal.state != State::Covered && goal.reason.as_deref() != Some("environment")
        });
        self.expect_left(summary, left);
    }

    fn expect_left(&self, summary: &Summary, left: Places) {
        let called_infeasible = places(summary, |goal| goal.state == State::Infeasible);
        let mut allowed = self.infeasible.clone();
        for (place, count) in self.fatal.iter().chain(&self.environment) {
            *allowed.entry(place.clone()).or_default() += count;
        }
        assert_eq!(beyond(&left, &allowed), Places::new(), "feasible, but not covered");
        assert_eq!(beyond(&self.infeasible, &left), Places::new(), "infeasible, but said to be covered");
        assert_eq!(beyond(&called_infeasible, &self.infeasible), Places::new(), "wrongly called infeasible");
    }
}

/// `FUNCTION LINE:COLUMN OUTCOME — …`.
fn place(text: &str) -> Option<Place> {
    let mut words = text.split_whitespace();
    let function = words.next()?.to_owned();
    let (line, column) = words.next()?.split_once(':')?;
    Some((function, line.parse().ok()?, column.parse().ok()?, words.next()?.parse().ok()?))
}

fn places(summary: &Summary, wanted: impl Fn(&GoalSummary) -> bool) -> Places {
    let mut places = Places::new();
    for function in &summary.functions {
        for goal in function.goals.iter().filter(|g| wanted(g)) {
            let seen = goal.visible();
            let place = (function.name.clone(), seen.line, seen.column, goal.outcome);
            *places.entry(place).or_default() += 1;
        }
    }
    places
}

/// What `some` has more of than `others`.
fn beyond(some: &Places, others: &Places) -> Places {
    let more = |(place, &n): (&Place, &usize)| {
        let rest = n.saturating_sub(others.get(place).copied().unwrap_or(0));
        (rest > 0).then(|| (place.clone(), rest))
    };
    some.iter().filter_map(more).collect()
}
