//! What every test keeps to, whatever way it was made. Whoever makes scripts tries to keep to it; here is what holds in the end.

use crate::confirm::is_repeatable;
use crate::opening::Opening;
use java_classfile::Type;
use java_frontend::Options;
use java_wire::message::End;
use java_wire::{Action, Argument, Script, Step, Value};

/// What the user asks of every test.
#[derive(Clone, PartialEq, Debug)]
pub struct Rules {
    /// References may be null.
    pub nulls: bool,
    /// The last step may throw.
    pub exceptions: bool,
    /// Tests say what they expect; if not, nothing looks at objects behind the last step.
    pub asserts: bool,
    /// Most steps, those of the opening not counted.
    pub longest: Option<usize>,
    /// Most elements of an array that a test makes, in each dimension.
    pub array_size: usize,
    /// What tests begin with.
    pub opening: Opening,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            nulls: true,
            exceptions: true,
            asserts: true,
            longest: None,
            array_size: 64,
            opening: Opening::default(),
        }
    }
}

impl Rules {
    /// Whether a test may be so; of its values those are looked at that there are.
    pub(crate) fn permit(&self, options: &Options, script: &Script, values: &[Value]) -> bool {
        let opening = self.opening.len();
        let own = script.steps.get(opening..).unwrap_or_default();
        let fits = self.longest.is_none_or(|longest| own.len() <= longest);
        let small = |value: &Value| match value {
            Value::Array(_, elements) => elements.len() <= self.array_size,
            Value::Null => self.nulls,
            _ => true,
        };
        fits && self.opening.opens(script, values)
            && values.get(self.opening.values().len()..).unwrap_or_default().iter().all(small)
            && own.iter().all(|step| self.permits_step(options, script, step))
    }

    /// Whether a test may end so: only its last step throws, if any, and what it throws is not up to the machine.
    pub(crate) fn permit_end(&self, end: &End, script: &Script) -> bool {
        match end {
            End::Returned => true,
            End::Threw { step, thrown } => {
                self.exceptions && *step as usize + 1 == script.steps.len() && is_repeatable(thrown)
            }
            End::OutOfTicks { .. } | End::Exited { .. } | End::Unusable { .. } => false,
        }
    }

    fn permits_step(&self, options: &Options, script: &Script, step: &Step) -> bool {
        let is_array = matches!(step.action, Action::Array { .. });
        let has_room = !is_array || step.arguments.len() <= self.array_size;
        let types = step.action.takes(step.arguments.len());
        let permits = |(number, argument): (usize, &Argument)| match argument {
            Argument::Null => self.nulls,
            Argument::Slot(_) => true,
            Argument::Result(made) => {
                let maker = script.steps.get(*made as usize).and_then(|step| symbol(&step.action));
                match (types.get(number), maker) {
                    (Some(Type::Object(ty)), Some(maker)) => options.makes(&maker, ty),
                    _ => true,
                }
            }
        };
        has_room && step.arguments.iter().enumerate().all(permits)
    }
}

/// The name of what a step uses, as options have it.
fn symbol(action: &Action) -> Option<String> {
    Some(match action {
        Action::Construct { class, descriptor } => format!("{class}.<init>{descriptor}"),
        Action::Invoke { class, name, descriptor, .. } => format!("{class}.{name}{descriptor}"),
        Action::Load { class, name, .. } | Action::Store { class, name, .. } => format!("{class}.{name}"),
        Action::Stub { class, .. } => format!("{class}.<stub>"),
        Action::File { is_folder } => java_frontend::own_file(*is_folder).to_owned(),
        Action::Array { .. } | Action::Look { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::{Primitive, Slot};

    fn script() -> Script {
        let valued = Action::Invoke {
            class: "java/lang/Integer".into(),
            name: "valueOf".into(),
            descriptor: "(I)Ljava/lang/Integer;".parse().expect("a descriptor"),
            is_static: true,
        };
        let add = Action::Invoke {
            class: "Box".into(),
            name: "add".into(),
            descriptor: "(Ljava/lang/Comparable;)V".parse().expect("a descriptor"),
            is_static: true,
        };
        Script {
            slots: vec![Slot::Primitive(Primitive::Int)],
            steps: vec![
                Step { action: valued, arguments: vec![Argument::Slot(0)] },
                Step { action: add, arguments: vec![Argument::Result(0)] },
            ],
            observers: Vec::new(),
        }
    }

    #[test]
    fn lengths_and_nulls_are_bounded() {
        let (options, script, rules) = (Options::default(), script(), Rules::default());
        assert!(rules.permit(&options, &script, &[Value::Int(1)]));
        assert!(!Rules { longest: Some(1), ..rules.clone() }.permit(&options, &script, &[]));
        let strict = Rules { nulls: false, array_size: 1, ..rules };
        let two = Value::Array(Primitive::Int, vec![Value::Int(0); 2]);
        assert!(!strict.permit(&options, &script, &[two]));
        assert!(!strict.permit(&options, &script, &[Value::Null]));
        let mut null = script;
        null.steps[1].arguments = vec![Argument::Null];
        assert!(!strict.permit(&options, &null, &[]));
    }

    #[test]
    fn only_listed_producers_make_a_type() {
        let listed = vec![("java/lang/Comparable".into(), vec!["java/lang/Integer.valueOf".into()])];
        let mut options = Options { producers: listed, ..Options::default() };
        assert!(Rules::default().permit(&options, &script(), &[]));
        options.producers[0].1 = vec!["java/lang/Long.valueOf".into()];
        assert!(!Rules::default().permit(&options, &script(), &[]));
    }
}
