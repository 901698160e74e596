//! What a Java run took its time for.

use crate::progress::Progress;
use java_backend::{Confirmed, Times};
use report::Making;
use std::time::{Duration, Instant};

/// Parts of the work so far.
pub(crate) struct Phases {
    progress: Progress,
    took: Vec<(&'static str, Duration)>,
}

impl Phases {
    /// Compiling, reading classes and putting hooks into them come first.
    pub(crate) fn new(preparation: Duration, progress: Progress) -> Phases {
        Phases { progress, took: vec![("preparation", preparation)] }
    }

    /// Where to say what is done at the moment.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The search is over.
    pub(crate) fn searched(&mut self, times: &Times) {
        self.took.extend([
            ("sequence generation", times.generation),
            ("execution", times.execution),
            ("symbolic replay", times.replay),
            ("solving", times.solving),
            ("choosing values", times.choosing),
        ]);
    }

    /// Does the next part.
    pub(crate) fn timed<T>(&mut self, phase: &'static str, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let showing = self.progress.phase(phase, None);
        let done = work();
        drop(showing);
        self.took.push((phase, begun.elapsed()));
        done
    }

    /// All of it, for reports.
    pub(crate) fn told(self, confirmed: &Confirmed, written: usize) -> Making {
        let needed = confirmed.tests.len() + confirmed.unstable.len();
        Making { found: confirmed.found, needed, written, phases: self.took }
    }
}
