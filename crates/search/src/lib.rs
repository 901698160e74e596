//! Search algorithms, one file each, reading like their papers.
//!
//! An [`Engine`] asks an [`Oracle`] to evaluate inputs for one goal. Counting, budgets, collateral coverage and
//! the decision to stop live in the oracle; an engine only proposes inputs. It knows no process, no clock and
//! no language.
//!
//! | file | engine |
//! |---|---|
//! | `random.rs` | `random` |
//! | `avm.rs` | `avm`, `avm-geometric`, `avm-lattice`, on the moves of `line.rs`, `local.rs`, `together.rs`, `strings.rs` and `alias.rs` |
//! | `austin.rs` | `austin` |
//! | `hc.rs` | `hc`, `hc-gecco` |
//! | `ga.rs` | `ga`, `ga-etf`, with the crossover of `mate.rs` and the mutation of `neighbour.rs` |
//! | `annealing.rs` | `annealing`, on the steps of `neighbour.rs` |
//! | `tabu.rs` | `tabu`, likewise |
//!
//! A new engine is one file and one line in [`all`].

mod alias;
mod annealing;
mod austin;
mod avm;
mod dictionary;
mod ga;
mod hc;
mod line;
mod local;
mod mate;
mod neighbour;
mod point;
mod random;
mod restart;
mod strings;
mod tabu;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod together;

pub use annealing::Annealing;
pub use austin::Austin;
pub use avm::Avm;
pub use ga::{GeneticAlgorithm, Survival};
pub use hc::{Ascent, HillClimbing};
pub use local::LocalSearch;
pub use random::RandomSearch;
pub use tabu::Tabu;

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

    /// String constants of the program, without their ends, worth trying in texts.
    fn strings(&self) -> &[Vec<u8>] {
        &[]
    }

    /// Whether the goal may hang on a cell, by its number when the cells of all objects are counted; a search need
    /// not vary the others.
    fn matters(&self, cell: u32) -> bool {
        let _ = cell;
        true
    }
}

/// What searches for goals of one space leave to those for the next. The caller owns it, one for each space, and passes
/// it from search to search; engines have no state of their own.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    population: Vec<Input>,
}

/// A search algorithm.
pub trait Engine: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for `branchwise engines`.
    fn summary(&self) -> &'static str;

    /// Parameters as `(name, value, meaning)`.
    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)];

    /// Whether fitness leads it anywhere; if not, searching by several of them is the same search several times.
    fn is_guided(&self) -> bool {
        true
    }

    /// Searches from `start` until the oracle says stop (`Break`). `Continue` means that there is nothing to
    /// search: the space has no variable, and its only input, `start`, was evaluated once. No engine loops
    /// without evaluating, and the same oracle (its random numbers included) gives the same search.
    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()>;

    /// The same on what earlier searches of the same space left in `memory`. Most engines begin every goal afresh.
    fn search_on(&self, oracle: &mut dyn Oracle, start: Input, memory: &mut Memory) -> ControlFlow<()> {
        let _ = memory;
        self.search(oracle, start)
    }
}

/// Every engine, the default first.
#[must_use]
pub fn all() -> &'static [&'static dyn Engine] {
    &[
        &Avm::ITERATED_PATTERN,
        &Avm::GEOMETRIC,
        &Avm::LATTICE,
        &Austin::DEFAULT,
        &HillClimbing::DEFAULT,
        &HillClimbing::GECCO,
        &GeneticAlgorithm::THESIS,
        &GeneticAlgorithm::ETF,
        &Annealing::DEFAULT,
        &Tabu::DEFAULT,
        &RandomSearch,
    ]
}

/// The engine of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Engine> {
    all().iter().copied().find(|engine| engine.name() == name)
}
