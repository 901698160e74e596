//! Objects that tests have made, and how to make them again.
//!
//! A method that needs a game in which somebody has won gets one where a test of another method has left one: the calls and values of
//! that test come first, then the method under test (feedback as in C. Pacheco and others, "Feedback-Directed Random Test
//! Generation", 2007; there the values stay as they were, here they are where a search begins).

use java_classfile::Type;
use java_frontend::Hierarchy;
use java_wire::message::Seen;
use java_wire::{Action, Argument, Script, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Recipes for objects of one class.
const MOST: usize = 48;
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

impl Recipe {
    /// What these calls leave as the result of one of them.
    pub(crate) fn new(class: String, script: Script, values: &[Value], result: u32) -> Recipe {
        Recipe { class, script: Arc::new(script), values: values.into(), result, is_shared: true }
    }

    /// The calls.
    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    /// Their values.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The step whose result the object is.
    pub(crate) fn result(&self) -> u32 {
        self.result
    }
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
    pub(crate) fn fitting<'a>(&'a self, ty: &Type, package: &str, hierarchy: &Hierarchy) -> Vec<&'a Recipe> {
        let fits = |class: &&String| {
            package_of(class) == package && hierarchy.is_assignable(&Type::Object((*class).clone()), ty)
        };
        self.by_class.keys().filter(fits).flat_map(|class| &self.by_class[class]).collect()
    }

    /// What recipes do of which other runs see nothing.
    pub(crate) fn calm_actions(&self) -> impl Iterator<Item = &Action> {
        let calm = self.by_class.values().flatten().filter(|recipe| !recipe.is_shared);
        calm.flat_map(|recipe| recipe.script.steps.iter().map(|step| &step.action))
    }
}

/// The package of a class or of one of its members, with slashes.
pub(crate) fn package_of(symbol: &str) -> &str {
    let class = symbol.split('.').next().unwrap_or(symbol);
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::{Primitive, Slot, Step};

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
}
