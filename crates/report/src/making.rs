//! How the tests of a run came about, where a search tells: how many there were on the way, and what took how long.

use crate::words;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// As measured.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Making {
    /// Tests that the search found.
    pub found: usize,
    /// Those that were left when redundant ones were gone.
    pub needed: usize,
    /// Those that stand in the suite.
    pub written: usize,
    /// Parts of the work in order, and how long they took, all threads together.
    pub phases: Vec<(&'static str, Duration)>,
}

/// As told in `summary.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MakingSummary {
    /// Tests that the search found.
    pub found: usize,
    /// Those that were left when redundant ones were gone.
    pub needed: usize,
    /// Those that stand in the suite.
    pub written: usize,
    /// Parts of the work in order; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseSummary>,
}

/// A part of the work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseSummary {
    /// Its name.
    pub phase: String,
    /// How long it took, all threads together.
    pub seconds: f64,
}

impl MakingSummary {
    pub(crate) fn of(making: &Making) -> MakingSummary {
        let phase = |(phase, time): &(&str, Duration)| PhaseSummary {
            phase: (*phase).to_owned(),
            seconds: time.as_secs_f64(),
        };
        MakingSummary {
            found: making.found,
            needed: making.needed,
            written: making.written,
            phases: making.phases.iter().map(phase).collect(),
        }
    }

    /// `12 tests found, 5 needed, 5 written`
    pub(crate) fn counts(&self) -> String {
        format!(
            "{} found, {} needed, {} written",
            words::count(self.found, "test"),
            self.needed,
            self.written
        )
    }

    /// The parts that took time, each with its share in percent.
    pub(crate) fn shares(&self) -> Vec<(&str, f64, f64)> {
        let all: f64 = self.phases.iter().map(|phase| phase.seconds).sum();
        let share = |phase: &PhaseSummary| if all > 0.0 { 100.0 * phase.seconds / all } else { 0.0 };
        self.phases.iter().map(|phase| (phase.phase.as_str(), phase.seconds, share(phase))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let phases =
            vec![("generation", Duration::from_millis(250)), ("execution", Duration::from_millis(750))];
        let making = Making { found: 9, needed: 3, written: 2, phases };
        let summary = MakingSummary::of(&making);
        assert_eq!(summary.counts(), "9 tests found, 3 needed, 2 written");
        assert_eq!(summary.shares(), [("generation", 0.25, 25.0), ("execution", 0.75, 75.0)]);
        assert!(MakingSummary::of(&Making::default()).shares().is_empty());
    }
}
