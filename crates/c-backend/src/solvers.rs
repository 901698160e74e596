//! SMT solvers for workers, which may not start processes themselves.

use solver::{Command, Smt, SmtAnswer, SmtLimits, SmtProcess};
use std::sync::{Arc, Mutex, PoisonError};

/// Solver processes that wait for questions; a campaign takes one and gives it back.
#[derive(Clone, Default)]
pub struct Solvers {
    idle: Arc<Mutex<Vec<SmtProcess>>>,
}

impl Solvers {
    /// Answers a question with the solver in `slot`, which is filled when needed.
    pub(crate) fn check(
        &self,
        slot: &mut Option<SmtProcess>,
        script: &str,
        values: &str,
        limits: &SmtLimits,
    ) -> SmtAnswer {
        let solver = slot.get_or_insert_with(|| {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            idle.unwrap_or_else(|| SmtProcess::new(Command::cvc5()))
        });
        solver.check(script, values, limits)
    }

    /// Takes a solver back.
    pub(crate) fn give_back(&self, solver: Option<SmtProcess>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(solver);
    }
}

impl std::fmt::Debug for Solvers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Solvers")
    }
}
