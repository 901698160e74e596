//! One SMT solver for all campaigns of a search.

use solver::{Command, Smt, SmtAnswer, SmtLimits, SmtProcess};
use std::cell::RefCell;
use std::rc::Rc;

/// A solver that is started when it is first asked, and lent to one campaign after the other.
#[derive(Clone, Default)]
pub(crate) struct SharedSmt(Rc<RefCell<Option<SmtProcess>>>);

impl Smt for SharedSmt {
    fn check(&mut self, script: &str, values: &str, limits: &SmtLimits) -> SmtAnswer {
        let mut process = self.0.borrow_mut();
        process.get_or_insert_with(|| SmtProcess::new(Command::cvc5())).check(script, values, limits)
    }
}
