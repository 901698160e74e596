//! How much work a question may cost. All but the wall clock of the SMT solver is counted in work, so that equal
//! questions end equally.

use serde::{Deserialize, Serialize};

/// Limits of one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Terms that a question may be made of.
    pub nodes: usize,
    /// Times that ranges are propagated forwards and backwards.
    pub interval_rounds: usize,
    /// Operations that inversion may evaluate.
    pub invert: usize,
    /// Operations that trying everything may evaluate.
    pub enumerate: usize,
    /// Operations that local search may evaluate where only integers occur: SMT solvers are good at the rest.
    pub descent_integer: usize,
    /// Operations that local search may evaluate where floats occur.
    pub descent_float: usize,
    /// Models that are remembered.
    pub models: usize,
    /// Unsatisfiable sets, and questions given up, that are remembered.
    pub sets: usize,
    /// Limits of the SMT solver.
    pub smt: SmtLimits,
}

/// Limits of one question to an SMT solver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SmtLimits {
    /// The solver's own, reproducible resource units, beyond those of translating the question. cvc5 1.0.3 spends
    /// about 10,000 a second inside its SAT solver.
    pub resources: u64,
    /// Resource units that translating the question may take; a square root of doubles takes five million, that is
    /// seconds.
    pub translation: u64,
    /// The same for products, quotients and floats alone, which make the search hard as well.
    pub hard: u64,
    /// The net below: milliseconds after which the solver is killed.
    pub millis: u64,
    /// Bytes of text.
    pub script_bytes: usize,
    /// Bytes of address space of the solver's process.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            nodes: 1_000_000,
            interval_rounds: 4,
            invert: 100_000,
            enumerate: 500_000,
            descent_integer: 100_000,
            descent_float: 2_000_000,
            models: 16,
            sets: 100_000,
            smt: SmtLimits::default(),
        }
    }
}

impl Default for SmtLimits {
    fn default() -> SmtLimits {
        SmtLimits {
            resources: 20_000,
            translation: 2_000_000,
            hard: 2_000_000,
            millis: 20_000,
            script_bytes: 16 << 20,
            memory_bytes: 2 << 30,
        }
    }
}
