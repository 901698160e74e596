//! From a candidate with its references to a script that can be run.

use crate::hierarchy::Hierarchy;
use crate::sequences::{Parameter, Sequences};
use java_classfile::Type;
use java_wire::{Action, Argument, Script, Step};
use sequence::{InvokableId, Reference, Role};
use thiserror::Error;

/// Static fields that a test looks at: of a whole package that an initialiser fills, nobody wants to read all.
const MOST_OF_CLASSES: usize = 12;

/// Why a candidate is no script.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ScriptError {
    /// No statement has this id.
    #[error("statement {}: there is none", .0.0)]
    Unknown(InvokableId),
    /// A step has fewer or more references than places for them.
    #[error("step {0}: as many references are needed as there are places for objects")]
    Count(usize),
    /// A step refers to one that does not come before it, or that leaves nothing.
    #[error("step {0}: refers to a result that is not there")]
    Dangling(usize),
    /// A receiver is null.
    #[error("step {0}: works on null")]
    NullReceiver(usize),
}

impl Sequences {
    /// The script of a candidate: its statements, and for each of them what its places for objects hold. Values get slots in the order of
    /// steps and arguments. Nothing is observed; see [`Sequences::observe`].
    pub fn script(
        &self,
        sequence: &[InvokableId],
        references: &[Vec<Reference>],
    ) -> Result<Script, ScriptError> {
        let mut script = Script::default();
        for (at, id) in sequence.iter().enumerate() {
            let statement = self.statement(*id).ok_or(ScriptError::Unknown(*id))?;
            let mut given = references.get(at).ok_or(ScriptError::Count(at))?.iter();
            let mut arguments = Vec::new();
            for parameter in &statement.arguments {
                arguments.push(match parameter {
                    Parameter::Value(slot) => {
                        script.slots.push(*slot);
                        Argument::Slot(script.slots.len() as u32 - 1)
                    }
                    Parameter::Object(role) => {
                        let reference = given.next().ok_or(ScriptError::Count(at))?;
                        self.argument(sequence, at, *role, *reference)?
                    }
                });
            }
            if given.next().is_some() {
                return Err(ScriptError::Count(at));
            }
            script.steps.push(Step { action: statement.action.clone(), arguments });
        }
        Ok(script)
    }

    fn argument(
        &self,
        sequence: &[InvokableId],
        at: usize,
        role: Role,
        reference: Reference,
    ) -> Result<Argument, ScriptError> {
        match reference {
            Reference::Null if role == Role::Receiver => Err(ScriptError::NullReceiver(at)),
            Reference::Null => Ok(Argument::Null),
            Reference::Result(step) => {
                let producer = sequence.get(step).filter(|_| step < at).and_then(|id| self.statement(*id));
                let there = producer.is_some_and(|statement| statement.returns.is_some());
                if there { Ok(Argument::Result(step as u32)) } else { Err(ScriptError::Dangling(at)) }
            }
        }
    }

    /// Adds to a script whatever looks at its objects and changes nothing: methods without parameters and fields, the nearest one of each name;
    /// and what tells of static fields that its last step may change.
    pub fn observe(&self, script: &mut Script, hierarchy: &Hierarchy) {
        let mut observers = Vec::new();
        for (number, step) in (0..).zip(&script.steps) {
            let Some(Type::Object(made)) = step.action.result() else { continue };
            if matches!(step.action, Action::Stub { .. }) {
                continue;
            }
            let mut seen = Vec::new();
            for supertype in hierarchy.supertypes(&made).iter() {
                for action in self.observers.of_objects(supertype) {
                    let (Action::Invoke { name, .. } | Action::Load { name, .. }) = action else { continue };
                    let named = (matches!(action, Action::Load { .. }), name);
                    if !seen.contains(&named) {
                        seen.push(named);
                        observers
                            .push(Step { action: action.clone(), arguments: vec![Argument::Result(number)] });
                    }
                }
            }
        }
        let last = script.steps.last();
        let changed = last.and_then(|last| self.statements.iter().find(|known| known.action == last.action));
        let mut of_classes: Vec<&Action> = Vec::new();
        for place in changed.iter().flat_map(|statement| &statement.changes) {
            for action in self.observers.of_class(*place) {
                if of_classes.len() < MOST_OF_CLASSES && !of_classes.contains(&action) {
                    of_classes.push(action);
                }
            }
        }
        let step = |action: &Action| Step { action: action.clone(), arguments: Vec::new() };
        observers.extend(of_classes.into_iter().map(step));
        script.observers = observers;
    }
}
