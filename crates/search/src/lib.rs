//! Search algorithms, one file each, reading like their papers.
//!
//! An [`Engine`] asks an [`Oracle`] to evaluate inputs for one goal. Counting, budgets, collateral coverage and
//! the decision to stop live in the oracle; an engine only proposes inputs. It knows no process, no clock and
//! no language.

use goal::Fitness;
use input::{Input, Rng, Space};
use std::ops::ControlFlow;

/// What an engine may ask for.
pub trait Oracle {
    /// Runs the input and says how far it is from the goal. `Break` ends the search: the goal was reached or
    /// the budget is spent; the engine returns at once.
    fn evaluate(&mut self, input: &Input) -> ControlFlow<(), Fitness>;

    /// The space that inputs come from.
    fn space(&self) -> &Space;

    /// The only source of randomness.
    fn rng(&mut self) -> &mut Rng;

    /// Constants of the program worth trying in integer and float leaves.
    fn constants(&self) -> &[i128];
}

/// A search algorithm.
pub trait Engine: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for `branchwise engines`.
    fn summary(&self) -> &'static str;

    /// Parameters as `(name, value, meaning)`.
    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)];

    /// Searches from `start` until the oracle says stop.
    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()>;
}
