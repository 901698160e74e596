//! Candidates that lead only to states that others have led to: they are left out, if the user wants that.
//!
//! After T. Xie, D. Marinov, W. Schulte and D. Notkin, "Symstra" (2005). A candidate comes to the method under test in states that
//! its calls before it leave; what is tested is what the method does in them.
//!
//! ```text
//! new List(); add(a); remove(b); add(c); hasGap(w)      after three calls there is an empty list, or one of one number:
//! new List(); add(c); hasGap(w)                         from an empty list on, this one has done the same
//! new List(); add(a); add(c); hasGap(w)                 from a list of any number on, so has this one
//! ```
//!
//! A state is a heap without identities whose numbers are terms over the values of the calls, under the condition of the path that led
//! there. The paths of the calls before a step are enumerated, each call from the states that the calls before it leave (`explore.rs`); a state
//! is known if an earlier one of the same form covers it with the same calls to come (`cover.rs`). What cannot be enumerated, or is not
//! known of the heap, makes a candidate one that is tried.

mod cover;
mod explore;
mod heaps;
mod matter;
#[cfg(test)]
mod tests;

use crate::search::Searcher;
use crate::smt::SharedSmt;
use cover::{Condition, Prover};
use explore::{Explored, State};
use heaps::Classes;
use java_frontend::Sequences;
use java_replay::{Held, Left};
use java_wire::{Argument, Script, Step};
use java_worker::StartError;
use sequence::{Canonical, InvokableId, Remaining, Seen, Verdict};
use std::collections::HashMap;
use std::rc::Rc;

pub(crate) use matter::Hopeless;

/// Which candidates are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum States {
    /// All.
    #[default]
    All,
    /// Those that lead to a state from which none went on with the same calls.
    New,
}

/// States that are remembered; further ones are taken for new.
const MOST_STATES: usize = 1 << 14;
/// Beginnings of candidates whose states are remembered; of further ones they are unknown.
const MOST_BEGINNINGS: usize = 1 << 10;

/// What is known of the states before calls of one method under test.
pub(crate) struct Known<'s> {
    /// What candidates are made of.
    sequences: &'s Sequences,
    prover: Prover,
    classes: Classes,
    /// By the first steps of candidates.
    beginnings: HashMap<Script, Rc<Explored>>,
    seen: Seen<Condition>,
    runs: u64,
    /// By calls of which nothing came before some others: whether nothing comes of them whatever follows.
    dead: HashMap<Vec<InvokableId>, Option<Hopeless>>,
    /// References may be null.
    nulls: bool,
}

impl<'s> Known<'s> {
    /// Nothing yet.
    pub(crate) fn new(sequences: &'s Sequences, smt: SharedSmt, nulls: bool) -> Known<'s> {
        Known {
            sequences,
            prover: Prover::new(smt),
            classes: Classes::default(),
            beginnings: HashMap::new(),
            seen: Seen::new(MOST_STATES),
            runs: 0,
            dead: HashMap::new(),
            nulls,
        }
    }

    /// Begins anew with candidates. What their calls lead to stays known.
    pub(crate) fn forget_candidates(&mut self) {
        self.seen = Seen::new(MOST_STATES);
    }

    /// Runs and questions to solvers since this was asked last.
    pub(crate) fn take_spent(&mut self) -> u64 {
        std::mem::take(&mut self.runs) + self.prover.take_questions()
    }

    /// Whether all of these states were there before the same calls. Those that were not are there now.
    fn meet(&mut self, explored: &Explored, ids: &[InvokableId], rest: &[Step]) -> bool {
        let mut known = !explored.states.is_empty();
        for state in &explored.states {
            let roots = roots(&state.left, rest);
            known &= match self.form(state, &roots) {
                None => false,
                Some((form, condition)) => {
                    let prover = &mut self.prover;
                    let covers = |old: &Condition, new: &Condition| prover.covers(old, new);
                    self.seen.meet(form, Remaining::in_order(ids), condition, covers) == Verdict::Subsumed
                }
            };
        }
        known
    }

    /// A state as it is seen from some of its objects; `None` if something of it is unknown.
    fn form(&mut self, state: &State, roots: &[Held]) -> Option<(Canonical, Condition)> {
        let (heap, terms) = heaps::heap(&state.left, roots, &mut self.classes, self.prover.terms());
        let (form, labels) = heap.canonical().ok()?;
        let symbols = labels.iter().map(|label| terms[*label as usize]).collect();
        let condition =
            Condition { holds: Rc::clone(&state.holds), values: Rc::clone(&state.values), symbols };
        Some((form, condition))
    }
}

/// What calls to come see of a state: what each of their arguments is. Numbers are values yet to be chosen, or results yet to be made; which
/// of them it is must be the same, too.
fn roots(left: &Left, rest: &[Step]) -> Vec<Held> {
    const NULL: u64 = 0;
    const VALUE: u64 = 1;
    const MADE: u64 = 2;
    let mark = |bits| Held::Number(java_replay::Bits { bits, term: None });
    let root = |argument: &Argument| match argument {
        Argument::Null => mark(NULL),
        Argument::Slot(_) => mark(VALUE),
        Argument::Result(step) => match left.results.get(*step as usize) {
            Some(held) => held.clone(),
            None => mark(MADE + u64::from(*step) - left.results.len() as u64),
        },
    };
    rest.iter().flat_map(|step| &step.arguments).map(root).collect()
}

impl Searcher<'_> {
    /// Whether a candidate leads only to states from which others went on with the same calls. If not, others will be told by it.
    pub(crate) fn is_known(
        &mut self,
        known: &mut Known<'_>,
        sequence: &[InvokableId],
        script: &Script,
    ) -> Result<bool, StartError> {
        for placed in 1..sequence.len() {
            let explored = self.explored(known, &explore::beginning(script, placed))?;
            if !explored.is_complete {
                return Ok(false);
            }
            if known.meet(&explored, &sequence[placed..], &script.steps[placed..]) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
