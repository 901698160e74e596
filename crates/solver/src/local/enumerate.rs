//! Trying everything: backtracking over variables of few values (R. Dechter, "Constraint Processing", 2003, chapter 5).
//!
//! What a parser asks is about a handful of bytes, and most of its conditions are about one of them alone. Those leave few
//! values of each byte, and then it is faster to go through all combinations than to tell an SMT solver the question.
//!
//! ```text
//! values(v) := all values of v under which the conditions about v alone hold
//! order the variables by their number of values
//! try each value of the first variable; where the conditions about the variables so far hold, go on to the next
//! ```
//!
//! If no combination is left, there is none: this layer proves as well. Beside bytes it takes numbers that lie between bounds, such as a
//! year from 2000 to 2999: what is asked about remainders of those is little work here and much for an SMT solver.

use super::interval;
use crate::query::{Query, assign, assigned};
use expr::{Tape, Term, Variable, mask};
use std::collections::BTreeMap;

/// Variables of more bits have too many values, unless bounds are known.
const WIDEST: u32 = 8;
/// So many values of a variable between bounds are tried.
const MOST_VALUES: u128 = 1 << 12;

/// What came of it.
pub(crate) enum Outcome {
    /// Under this all constraints hold.
    Model(Vec<u128>),
    /// These constraints contradict each other.
    Contradiction(Vec<Term>),
    /// It is not a question for this layer, or too much to try.
    Open,
}

/// Goes through the values of all variables, from those of `start`. Also tells the operations it took, at most about
/// `operations`.
pub(crate) fn search(query: &Query, start: &[u128], operations: usize, rounds: usize) -> (Outcome, usize) {
    let mut bounds = BTreeMap::new();
    if query.variables.iter().any(|&(_, width)| width > WIDEST) {
        bounds = interval::values(query, rounds).unwrap_or_default();
        let are_few =
            |variable: &Variable| bounds.get(variable).is_some_and(|&(_, count)| count <= MOST_VALUES);
        let mut wide = query.variables.iter().filter(|(_, width)| *width > WIDEST);
        if !wide.all(|(variable, _)| are_few(variable)) {
            return (Outcome::Open, 0);
        }
    }
    let mut work = Work { left: operations, assignment: start.to_vec(), bounds };
    let outcome = work.search(query).unwrap_or(Outcome::Open);
    (outcome, operations - work.left)
}

struct Work {
    left: usize,
    assignment: Vec<u128>,
    /// First value and number of values of variables, where all constraints together say so.
    bounds: BTreeMap<Variable, (u128, u128)>,
}

/// A variable, the values that it may have alone, and the constraints that can be decided once it has one.
struct Level {
    variable: Variable,
    values: Vec<u128>,
    constraints: Vec<Term>,
    tape: Tape,
}

impl Work {
    /// `None` if there is too much to try.
    fn search(&mut self, query: &Query) -> Option<Outcome> {
        let mut about: Vec<(Term, Vec<Variable>)> = Vec::new();
        for &constraint in &query.constraints {
            let tape = Tape::new(query.terms, &[constraint]);
            self.spend(tape.len())?;
            let mut variables: Vec<Variable> =
                tape.variables().iter().map(|&(variable, _)| variable).collect();
            variables.sort_unstable();
            variables.dedup();
            about.push((constraint, variables));
        }
        let mut levels = Vec::new();
        for &(variable, width) in &query.variables {
            let alone = about.iter().filter(|(_, variables)| variables[..] == [variable]);
            let alone: Vec<Term> = alone.map(|&(constraint, _)| constraint).collect();
            let values = self.values(query, variable, width, &alone)?;
            if values.is_empty() {
                let core = if width > WIDEST { query.constraints.clone() } else { alone };
                return Some(Outcome::Contradiction(core));
            }
            levels.push(Level {
                variable,
                values,
                constraints: Vec::new(),
                tape: Tape::new(query.terms, &[]),
            });
        }
        levels.sort_by_key(|level| level.values.len());
        about.retain(|(_, variables)| variables.len() > 1);
        for (constraint, variables) in about {
            let last = levels.iter().rposition(|level| variables.contains(&level.variable));
            levels[last?].constraints.push(constraint);
        }
        for level in &mut levels {
            level.tape = Tape::new(query.terms, &level.constraints);
            self.spend(level.tape.len())?;
        }
        Some(match self.backtrack(&mut levels)? {
            true => Outcome::Model(std::mem::take(&mut self.assignment)),
            false => Outcome::Contradiction(query.constraints.clone()),
        })
    }

    /// The values under which some constraints about a variable hold, its present one first.
    fn values(
        &mut self,
        query: &Query,
        variable: Variable,
        width: u32,
        constraints: &[Term],
    ) -> Option<Vec<u128>> {
        let mut tape = Tape::new(query.terms, constraints);
        let present = assigned(&self.assignment, variable) & mask(width);
        let (first, count) = match self.bounds.get(&variable) {
            Some(&bounds) if width > WIDEST => bounds,
            _ => (0, 1 << width),
        };
        let others =
            (0..count).map(|i| first.wrapping_add(i) & mask(width)).filter(|&value| value != present);
        let mut values = Vec::new();
        for value in std::iter::once(present).chain(others) {
            if self.holds(&mut tape, variable, value, constraints)? {
                values.push(value);
            }
        }
        assign(&mut self.assignment, variable, present);
        Some(values)
    }

    fn backtrack(&mut self, levels: &mut [Level]) -> Option<bool> {
        let Some((level, deeper)) = levels.split_first_mut() else { return Some(true) };
        for i in 0..level.values.len() {
            let Level { variable, values, constraints, tape } = level;
            if self.holds(tape, *variable, values[i], constraints)? && self.backtrack(deeper)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether constraints hold if a variable has a value, and all those before it what they have.
    fn holds(
        &mut self,
        tape: &mut Tape,
        variable: Variable,
        value: u128,
        constraints: &[Term],
    ) -> Option<bool> {
        assign(&mut self.assignment, variable, value);
        self.spend(1 + tape.len())?;
        tape.run(&self.assignment);
        Some(constraints.iter().all(|&constraint| tape.value(constraint) == 1))
    }

    fn spend(&mut self, operations: usize) -> Option<()> {
        self.left = self.left.checked_sub(operations)?;
        Some(())
    }
}
