//! Beginnings of candidates that nothing comes of, whatever their values are: they are left, if the user wants that.
//!
//! After section 4.4.1 of den Hollander's thesis. What the calls of a beginning really defined and used tells more than what they might do:
//!
//! ```text
//! new Monitor(); update(_); …          as long as it is switched off, `update` changes nothing: all is as without it
//! new Monitor(); enable(a); enable(b)  the second call writes over all that the first one wrote
//! new Pair(); right(_); left(_); …     neither sees the other, and the other order is a candidate, too
//! ```
//!
//! The thesis judges one path of a beginning. Here all of them are known (`explore.rs`), and a beginning is left if nothing comes of any: what a
//! candidate that begins so reaches, a shorter one reaches, or one in another order. Where calls may have done what nobody tells, nothing is left.

use super::explore::{Explored, beginning};
use super::{Known, MOST_BEGINNINGS};
use crate::references::{Fillings, Ways};
use crate::search::Searcher;
use java_frontend::Sequences;
use java_replay::{Held, Place, Replayed};
use java_wire::{Argument, Script};
use java_worker::StartError;
use sequence::{
    Element, InvokableId, ObjectId, Place as Field, Trace, Universe, can_still_matter, is_out_of_order,
};
use std::rc::Rc;

/// Ways to choose objects that are looked at before a beginning is left with all of them.
const WAYS: Ways = Ways { most: 16, width: 16 };

/// A beginning of a candidate that nothing comes of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hopeless {
    /// Its calls.
    pub(crate) placed: usize,
    /// Something comes of the same calls in another order, and not only of fewer.
    pub(crate) reordered: bool,
}

/// What the calls of a run did; nothing if that is not known of all of them. Static fields do not change in what is explored.
pub(super) fn traces(
    sequences: &Sequences,
    replayed: &Replayed,
    script: &Script,
    nulls: bool,
) -> Option<Rc<[Trace]>> {
    if !replayed.untold.is_empty() {
        return None;
    }
    let mut traces = vec![Trace::default(); script.steps.len()];
    for access in &replayed.accesses {
        let trace = traces.get_mut(access.step as usize)?;
        match access.place {
            Place::Static(_) => {}
            Place::Field(object, field) => {
                let name = replayed.fields.get(field as usize)?;
                match (sequences.field_id(&name.class, &name.name), access.defines) {
                    (Some(field), defines) => {
                        let places = if defines { &mut trace.defines } else { &mut trace.uses };
                        places.insert(Field::Instance(ObjectId(object.0), field));
                    }
                    // Nobody was said to define it.
                    (None, true) => return None,
                    (None, false) => {}
                }
            }
            Place::Element(array, index) => {
                let of = Sequences::array_id(*replayed.kinds.get(&array)?);
                let elements = if access.defines { &mut trace.stores } else { &mut trace.loads };
                let index = u32::try_from(index).ok()?;
                elements.insert(Element { array: ObjectId(array.0), of, index });
            }
        }
    }
    let results = &replayed.left.as_ref()?.results;
    for (number, (trace, step)) in traces.iter_mut().zip(&script.steps).enumerate() {
        trace.returned = match results.get(number)? {
            Held::Number(_) => None,
            // Without this call there would be null in its place, if tests may pass that.
            Held::Null if nulls => None,
            _ => Some(ObjectId(number as u32)),
        };
        let handed = step.arguments.iter().filter_map(|argument| match argument {
            Argument::Result(made) => Some(*made as usize),
            Argument::Null | Argument::Slot(_) => None,
        });
        trace.arguments = handed.collect();
    }
    Some(traces.into())
}

/// Whether nothing comes of the first `placed` calls before those behind them, in any state that they lead to; and whether that is so
/// only because of their order in some.
fn judge(universe: &Universe, sequence: &[InvokableId], explored: &Explored, reduced: bool) -> Option<bool> {
    let mut reordered = false;
    for state in &explored.states {
        let traces = state.traces.as_deref()?;
        if can_still_matter(universe, sequence, traces) {
            let is_wrong = |at| is_out_of_order(universe, sequence, traces, at);
            reordered = true;
            if !reduced || !(0..traces.len()).any(is_wrong) {
                return None;
            }
        }
    }
    (!explored.states.is_empty()).then_some(reordered)
}

impl Searcher<'_> {
    /// The shortest beginning of a candidate that nothing comes of.
    pub(crate) fn hopeless(
        &mut self,
        known: &mut Known<'_>,
        sequence: &[InvokableId],
        script: &Script,
    ) -> Result<Option<Hopeless>, StartError> {
        self.hopeless_within(known, sequence, script, sequence.len() - 1)
    }

    /// Finds out whether nothing comes of these calls whatever follows, on whatever objects they work, and remembers it.
    pub(crate) fn bury(&mut self, known: &mut Known<'_>, calls: &[InvokableId]) -> Result<(), StartError> {
        if !known.dead.contains_key(calls) && known.dead.len() < MOST_BEGINNINGS {
            let dead = self.dead(known, calls)?;
            known.dead.insert(calls.to_vec(), dead);
        }
        Ok(())
    }

    fn dead(&mut self, known: &mut Known<'_>, calls: &[InvokableId]) -> Result<Option<Hopeless>, StartError> {
        let sequences = known.sequences;
        let followed: Vec<InvokableId> = calls.iter().copied().chain(sequences.universe.ids()).collect();
        let mut fillings = Fillings::of_beginning(&sequences.universe, calls, WAYS, known.nulls);
        let mut all = Hopeless { placed: calls.len(), reordered: false };
        while let Some(references) = fillings.step() {
            let Ok(script) = sequences.script(calls, references) else { continue };
            let Some(script) = self.kept_to_rules(script, &[]) else { continue };
            match self.hopeless_within(known, &followed, &script, calls.len())? {
                Some(hopeless) => {
                    all.reordered |= hopeless.reordered;
                    fillings.skip(hopeless.placed);
                }
                None => return Ok(None),
            }
        }
        Ok(Some(all).filter(|_| !fillings.is_cut()))
    }

    /// The shortest beginning that nothing comes of, of those with at most so many calls.
    fn hopeless_within(
        &mut self,
        known: &mut Known<'_>,
        sequence: &[InvokableId],
        script: &Script,
        most: usize,
    ) -> Result<Option<Hopeless>, StartError> {
        for placed in 1..=most {
            let explored = self.explored(known, &beginning(script, placed))?;
            if !explored.is_complete {
                return Ok(None);
            }
            let judged = judge(&known.sequences.universe, sequence, &explored, self.settings.reduced);
            if let Some(reordered) = judged {
                return Ok(Some(Hopeless { placed, reordered }));
            }
        }
        Ok(None)
    }
}

impl Known<'_> {
    /// The beginning of a candidate of which nothing comes whatever follows, if that was found out.
    pub(crate) fn dead_beginning(&self, sequence: &[InvokableId]) -> Option<Hopeless> {
        let mut beginnings = (1..sequence.len()).map(|placed| &sequence[..placed]);
        beginnings.find_map(|calls| self.dead.get(calls).copied().flatten())
    }
}
