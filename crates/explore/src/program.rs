//! The two things an explorer is given: a program to run and a solver to ask.

use crate::execution::Step;
use expr::{Assignment, Term, Terms, Variable};
use fastrand::Rng;
use model::Goal;
use target::Path;

/// A program whose paths can be recorded.
pub trait Program {
    /// Runs an input; the terms of its path are entered in `terms`.
    fn run(&mut self, terms: &mut Terms, assignment: &Assignment) -> Run;

    /// An input of chance; `None` if there is only one input.
    fn random(&mut self, rng: &mut Rng) -> Option<Vec<u128>>;

    /// The value that stands beside a variable, if it belongs to a row of the like: of the element before, or of the
    /// object that leads to its own. A loop that went on for that value is likely to go on for the same.
    fn beside(&self, assignment: &Assignment, variable: Variable) -> Option<u128> {
        let _ = (assignment, variable);
        None
    }

    /// Whether a condition that does not hold yet asks for something more in the input, such as another node of a tree.
    fn grows(&self, terms: &Terms, assignment: &Assignment, condition: Term) -> bool {
        let _ = (terms, assignment, condition);
        false
    }
}

/// What a run leaves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// The decisions that depend on the input.
    pub path: Path,
    /// Every branch outcome taken, in any order, repetitions allowed.
    pub hit: Vec<Goal>,
    /// Every branch outcome in order of time, if the program keeps it.
    pub trace: Option<Vec<Step>>,
    /// The input that was run in the end, if it is not the one asked for.
    pub instead: Option<Vec<u128>>,
    /// The input asked for lacked something that the run needed.
    pub supplied: bool,
    /// How near it came to open goals that it did not reach: controlling branches missing, and the distance at the first.
    pub near: Vec<(Goal, (u32, u128))>,
}

/// Finds inputs.
pub trait Solve {
    /// An input for which all constraints hold. `hint` is an input that satisfies many of them.
    fn solve(&mut self, terms: &mut Terms, constraints: &[Term], hint: &Assignment) -> Answer;
}

/// What a solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This input satisfies the constraints.
    Sat(Vec<u128>),
    /// Proven: none does.
    Unsat,
    /// Given up.
    Unknown,
}
