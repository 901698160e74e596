//! Generational search (P. Godefroid, M. Y. Levin, D. Molnar, "Automated Whitebox Fuzz Testing", 2008, SAGE):
//! all branches of a path are flipped at once, and the child that covered most is expanded next.
//!
//! ```text
//! work list := { run of the start, bound 0 }
//! while the work list is not empty:
//!   take the path with the highest score
//!   for each branch i of it, i >= bound: if it can be forced, giving q:
//!     add q with bound i + 1 and the number of outcomes that q covered first as score
//! ```
//!
//! The bound keeps children from going back: no path is found twice.

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy, Walk, walk};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `generational`.
#[derive(Clone, Copy, Debug)]
pub struct Generational {
    /// Decisions of all paths in the work list together; the worst paths go first.
    pub pending: u64,
}

impl Generational {
    /// Some hundred megabytes at most.
    pub const DEFAULT: Generational = Generational { pending: 1 << 20 };
}

impl Strategy for Generational {
    fn name(&self) -> &'static str {
        "generational"
    }

    fn summary(&self) -> &'static str {
        "flips all branches of a path, then expands the child that covered most"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[("pending", "1048576", "decisions of the paths waiting to be expanded")]
    }

    fn with(&self, parameter: &str, value: u64) -> Option<Box<dyn Strategy>> {
        (parameter == "pending").then(|| Box::new(Generational { pending: value }) as _)
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        walk(Expansion::new(self), explorer, start)
    }

    fn begin(&self) -> Option<Box<dyn Walk>> {
        Some(Box::new(Expansion::new(self)))
    }
}

/// The search at work.
struct Expansion {
    work: WorkList,
    /// The path being expanded, and its flips still to come, the next one last.
    current: Option<(Rc<Execution>, Vec<Flip>)>,
}

impl Expansion {
    fn new(strategy: &Generational) -> Expansion {
        let limit = strategy.pending as usize;
        Expansion { work: WorkList { limit, ..WorkList::default() }, current: None }
    }
}

impl Walk for Expansion {
    fn learn(&mut self, _: &mut Explorer<'_>, run: &Rc<Execution>) {
        self.work.add(Rc::clone(run), 0);
    }

    fn go(&mut self, explorer: &mut Explorer<'_>) -> ControlFlow<Stop> {
        loop {
            let Some((path, flips)) = &mut self.current else {
                let Some((path, bound)) = self.work.take() else { return ControlFlow::Continue(()) };
                let mut flips = explorer.new_flips(&path, bound);
                flips.reverse();
                self.current = Some((path, flips));
                continue;
            };
            let Some(&flip) = flips.last() else {
                self.current = None;
                continue;
            };
            let forced = explorer.flip(path, flip)?;
            flips.pop();
            match forced {
                Forced::Reached(child) => self.work.add(child, flip.decision + 1),
                // It has another past, so the bound says nothing about it.
                Forced::Diverged(child) | Forced::Supplied(child) => self.work.add(child, 0),
                Forced::Infeasible | Forced::Unknown => {}
            }
        }
    }
}

/// Paths to expand, by score, the oldest first among equals.
#[derive(Default)]
struct WorkList {
    paths: BTreeMap<(usize, Reverse<u64>), (Rc<Execution>, u32)>,
    decisions: usize,
    limit: usize,
}

impl WorkList {
    fn add(&mut self, path: Rc<Execution>, bound: u32) {
        self.decisions += path.path.decisions.len();
        self.paths.insert((path.new.len(), Reverse(path.number)), (path, bound));
        while self.decisions > self.limit
            && self.paths.len() > 1
            && let Some((_, (worst, _))) = self.paths.pop_first()
        {
            self.decisions -= worst.path.decisions.len();
        }
    }

    fn take(&mut self) -> Option<(Rc<Execution>, u32)> {
        let (_, (path, bound)) = self.paths.pop_last()?;
        self.decisions -= path.path.decisions.len();
        Some((path, bound))
    }
}
