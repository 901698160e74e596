//! Objects that tests have made, and how to make them again.
//!
//! A method that needs a game in which somebody has won gets one where a test of another method has left one: the calls and values of
//! that test come first, then the method under test (feedback as in C. Pacheco and others, "Feedback-Directed Random Test
//! Generation", 2007; there the values stay as they were, here they are where a search begins).

use input::Rng;
use java_classfile::Type;
use java_frontend::{Hierarchy, Parameter, Statement};
use java_wire::message::Seen;
use java_wire::{Action, Argument, Script, Slot, Step, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Recipes for objects of one class.
const MOST: usize = 16;
/// Steps of a recipe.
const LONGEST: usize = 14;

/// How to make an object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Recipe {
    /// Its class.
    pub class: String,
    script: Arc<Script>,
    values: Arc<[Value]>,
    /// The step whose result it is.
    result: u32,
    /// Its steps read or write what other runs can see.
    is_shared: bool,
}

/// A recipe as it is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    class: String,
    script: Script,
    values: Vec<Value>,
    result: u32,
    is_shared: bool,
}

impl From<Written> for Recipe {
    fn from(written: Written) -> Recipe {
        let Written { class, script, values, result, is_shared } = written;
        Recipe { class, script: Arc::new(script), values: values.into(), result, is_shared }
    }
}

impl From<Recipe> for Written {
    fn from(recipe: Recipe) -> Written {
        let Recipe { class, script, values, result, is_shared } = recipe;
        Written { class, script: (*script).clone(), values: values.to_vec(), result, is_shared }
    }
}

/// A call of a method on objects from a pool.
pub(crate) struct Composed {
    pub(crate) script: Script,
    pub(crate) values: Vec<Value>,
    /// Its steps read or write what other runs can see.
    pub(crate) is_shared: bool,
}

/// Recipes by class.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pool {
    by_class: BTreeMap<String, Vec<Recipe>>,
}

impl Pool {
    /// Takes in what a test that returned has made: what its last step has given, and what that step was called on. Returns the recipes
    /// that are new.
    pub(crate) fn add(
        &mut self,
        (script, values): (&Script, &[Value]),
        results: &[Seen],
        is_shared: bool,
    ) -> Vec<Recipe> {
        let Some(last) = script.steps.len().checked_sub(1).filter(|last| *last < LONGEST) else {
            return Vec::new();
        };
        let receiver = match script.steps[last].arguments.first() {
            Some(Argument::Result(receiver)) => Some(*receiver),
            _ => None,
        };
        let script = Arc::new(Script { observers: Vec::new(), ..script.clone() });
        let values: Arc<[Value]> = values.into();
        let mut added = Vec::new();
        for result in [Some(last as u32), receiver].into_iter().flatten() {
            let Some(Seen::Object(class, _)) = results.get(result as usize) else { continue };
            let recipe = Recipe {
                class: class.clone(),
                script: script.clone(),
                values: values.clone(),
                result,
                is_shared,
            };
            if self.take(recipe.clone()) {
                added.push(recipe);
            }
        }
        added
    }

    /// Takes in a recipe, if there are not enough. Whether it did.
    pub fn take(&mut self, recipe: Recipe) -> bool {
        let known = self.by_class.entry(recipe.class.clone()).or_default();
        let is_new = known.len() < MOST && !known.contains(&recipe);
        if is_new {
            known.push(recipe);
        }
        is_new
    }

    /// Whether there is an object for a class.
    #[must_use]
    pub fn has(&self, class: &str) -> bool {
        self.by_class.contains_key(class)
    }

    /// Recipes for what can be put where this type is wanted. Those of another package may call what is not public.
    fn fitting<'a>(&'a self, ty: &Type, package: &str, hierarchy: &Hierarchy) -> Vec<&'a Recipe> {
        let fits = |class: &&String| {
            package_of(class) == package && hierarchy.is_assignable(&Type::Object((*class).clone()), ty)
        };
        self.by_class.keys().filter(fits).flat_map(|class| &self.by_class[class]).collect()
    }

    /// A call of a statement with objects from here. `None` if it needs none, or there is none for its receiver.
    pub(crate) fn compose(
        &self,
        statement: &Statement,
        hierarchy: &Hierarchy,
        rng: &mut Rng,
    ) -> Option<Composed> {
        let types = parameter_types(&statement.action);
        let mut made = Made::default();
        let mut arguments = Vec::new();
        let mut is_useful = false;
        for (number, (parameter, ty)) in statement.arguments.iter().zip(&types).enumerate() {
            arguments.push(match parameter {
                Parameter::Value(slot) => made.value(*slot, slot.zero()),
                Parameter::Object(_) => {
                    let is_receiver = number == 0 && has_receiver(&statement.action);
                    let fitting = self.fitting(ty, package_of(&statement.symbol), hierarchy);
                    let again = made
                        .objects
                        .iter()
                        .filter(|(class, _)| hierarchy.is_assignable(&Type::Object(class.clone()), ty));
                    let again: Vec<u32> = again.map(|(_, result)| *result).collect();
                    match fitting.as_slice() {
                        [] if is_receiver => return None,
                        [] => Argument::Null,
                        _ if !is_receiver && rng.u8(..) < 16 => Argument::Null,
                        _ if !again.is_empty() && rng.u8(..) < 128 => {
                            Argument::Result(again[rng.usize(..again.len())])
                        }
                        recipes => {
                            is_useful = true;
                            made.object(recipes[rng.usize(..recipes.len())])
                        }
                    }
                }
            });
        }
        made.script.steps.push(Step { action: statement.action.clone(), arguments });
        let is_shared = made.is_shared || statement.is_shared;
        is_useful.then_some(Composed { script: made.script, values: made.values, is_shared })
    }
}

/// A script in the making, with its values.
#[derive(Default)]
struct Made {
    script: Script,
    values: Vec<Value>,
    /// Classes and steps of the objects so far.
    objects: Vec<(String, u32)>,
    is_shared: bool,
}

impl Made {
    fn value(&mut self, slot: Slot, value: Value) -> Argument {
        self.script.slots.push(slot);
        self.values.push(value);
        Argument::Slot(self.values.len() as u32 - 1)
    }

    fn object(&mut self, recipe: &Recipe) -> Argument {
        let (steps, slots) = (self.script.steps.len() as u32, self.values.len() as u32);
        let moved = |argument: &Argument| match *argument {
            Argument::Result(result) => Argument::Result(result + steps),
            Argument::Slot(slot) => Argument::Slot(slot + slots),
            Argument::Null => Argument::Null,
        };
        for step in &recipe.script.steps {
            let arguments = step.arguments.iter().map(moved).collect();
            self.script.steps.push(Step { action: step.action.clone(), arguments });
        }
        self.script.slots.extend(&recipe.script.slots);
        self.values.extend(recipe.values.iter().cloned());
        self.is_shared |= recipe.is_shared;
        self.objects.push((recipe.class.clone(), recipe.result + steps));
        Argument::Result(recipe.result + steps)
    }
}

/// The package of a class or of one of its members, with slashes.
fn package_of(symbol: &str) -> &str {
    let class = symbol.split('.').next().unwrap_or(symbol);
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

fn has_receiver(action: &Action) -> bool {
    matches!(action, Action::Invoke { is_static: false, .. })
}

/// The types of all arguments, the receiver's first.
fn parameter_types(action: &Action) -> Vec<Type> {
    match action {
        Action::Construct { descriptor, .. } => descriptor.parameters.clone(),
        Action::Invoke { class, descriptor, is_static, .. } => {
            let receiver = (!is_static).then(|| Type::Object(class.clone()));
            receiver.into_iter().chain(descriptor.parameters.iter().cloned()).collect()
        }
        Action::Load { .. } | Action::Store { .. } | Action::Array { .. } | Action::Stub { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::Primitive;

    fn made(class: &str) -> Seen {
        Seen::Object(class.to_owned(), None)
    }

    fn constructor(class: &str) -> Step {
        let descriptor = "(I)V".parse().expect("a descriptor");
        Step {
            action: Action::Construct { class: class.into(), descriptor },
            arguments: vec![Argument::Slot(0)],
        }
    }

    #[test]
    fn a_test_leaves_its_receiver_and_its_result() {
        let call = Step {
            action: Action::Invoke {
                class: "A".into(),
                name: "next".into(),
                descriptor: "()LB;".parse().expect("a descriptor"),
                is_static: false,
            },
            arguments: vec![Argument::Result(0)],
        };
        let script = Script {
            slots: vec![Slot::Primitive(Primitive::Int)],
            steps: vec![constructor("A"), call],
            observers: Vec::new(),
        };
        let mut pool = Pool::default();
        let added = pool.add((&script, &[Value::Int(3)]), &[made("A"), made("B")], false);
        assert_eq!(
            added.iter().map(|r| (r.class.as_str(), r.result)).collect::<Vec<_>>(),
            [("B", 1), ("A", 0)]
        );
        assert!(pool.has("A") && pool.has("B") && !pool.has("C"));
        assert_eq!(pool.add((&script, &[Value::Int(3)]), &[made("A"), made("B")], false), []);
    }

    #[test]
    fn recipes_are_put_one_behind_the_other() {
        let script = Script {
            slots: vec![Slot::Primitive(Primitive::Int)],
            steps: vec![constructor("A")],
            observers: Vec::new(),
        };
        let mut pool = Pool::default();
        let recipe = pool.add((&script, &[Value::Int(3)]), &[made("A")], false).remove(0);
        let mut made = Made::default();
        assert_eq!(made.object(&recipe), Argument::Result(0));
        assert_eq!(made.value(Slot::Text, Value::Null), Argument::Slot(1));
        assert_eq!(made.object(&recipe), Argument::Result(1));
        assert_eq!(made.script.steps[1].arguments, [Argument::Slot(2)]);
        assert_eq!(made.values, [Value::Int(3), Value::Null, Value::Int(3)]);
    }
}
