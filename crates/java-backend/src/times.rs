//! What a search takes its time for. Clocks are read, and nothing hangs on what they say.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How long parts of a search took, all machines together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Times {
    /// Making sequences of calls and scripts of them.
    pub generation: Duration,
    /// Machines: their start, scripts that they learn, and runs.
    pub execution: Duration,
    /// Executing runs again to get terms.
    pub replay: Duration,
    /// Solving constraints.
    pub solving: Duration,
    /// Choosing values and paths.
    pub choosing: Duration,
}

impl Times {
    /// Does something that counts as generation.
    pub(crate) fn generating<T>(&mut self, work: impl FnOnce() -> T) -> T {
        timed(&mut self.generation, work)
    }

    /// Does something that counts as execution.
    pub(crate) fn executing<T>(&mut self, work: impl FnOnce() -> T) -> T {
        timed(&mut self.execution, work)
    }

    /// Takes in a campaign: how long it took, and what of that went into runs, replays and solving.
    pub(crate) fn campaign(&mut self, all: Duration, parts: Times) {
        self.add(&parts);
        let known = parts.execution + parts.replay + parts.solving;
        self.choosing += all.saturating_sub(known);
    }

    /// Adds others.
    pub fn add(&mut self, other: &Times) {
        self.generation += other.generation;
        self.execution += other.execution;
        self.replay += other.replay;
        self.solving += other.solving;
        self.choosing += other.choosing;
    }
}

/// Does something and adds how long it took.
pub(crate) fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    *sum += begun.elapsed();
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_campaign_went_into_choosing() {
        let millis = Duration::from_millis;
        let parts = Times { execution: millis(5), replay: millis(2), solving: millis(1), ..Times::default() };
        let mut times = Times::default();
        times.campaign(millis(10), parts);
        times.campaign(millis(7), parts);
        let expected = Times {
            execution: millis(10),
            replay: millis(4),
            solving: millis(2),
            choosing: millis(2),
            ..Times::default()
        };
        assert_eq!(times, expected);
    }
}
