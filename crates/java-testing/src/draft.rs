//! Scripts in few words.

use java_classfile::{MethodDescriptor, Type};
use java_wire::{Action, Answering, Argument, Script, Slot, Step, Value};

/// A script and its values.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The script.
    pub script: Script,
    /// A value for each of its slots.
    pub values: Vec<Value>,
}

impl Draft {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Draft {
        Draft::default()
    }

    /// A slot with a value.
    pub fn slot(&mut self, slot: Slot, value: Value) -> Argument {
        self.script.slots.push(slot);
        self.values.push(value);
        Argument::Slot(self.values.len() as u32 - 1)
    }

    /// A slot of the value's own type.
    pub fn primitive(&mut self, value: Value) -> Argument {
        let slot = Slot::Primitive(value.primitive().expect("a primitive"));
        self.slot(slot, value)
    }

    /// An `int`.
    pub fn int(&mut self, value: i32) -> Argument {
        self.primitive(Value::Int(value))
    }

    /// A string.
    pub fn text(&mut self, text: &str) -> Argument {
        self.slot(Slot::Text, Value::Text(text.encode_utf16().collect()))
    }

    /// A step, and its result as an argument of others.
    pub fn step(&mut self, action: Action, arguments: &[Argument]) -> Argument {
        self.script.steps.push(Step { action, arguments: arguments.to_vec() });
        Argument::Result(self.script.steps.len() as u32 - 1)
    }

    /// A new object.
    pub fn new_object(&mut self, class: &str, descriptor: &str, arguments: &[Argument]) -> Argument {
        self.step(Action::Construct { class: class.to_owned(), descriptor: method(descriptor) }, arguments)
    }

    /// `a/B.name(I)V` on a receiver that comes first.
    pub fn call(&mut self, named: &str, arguments: &[Argument]) -> Argument {
        self.step(invoke(named, false), arguments)
    }

    /// `a/B.name(I)V` on the class.
    pub fn call_static(&mut self, named: &str, arguments: &[Argument]) -> Argument {
        self.step(invoke(named, true), arguments)
    }

    /// A call that looks at what there is in the end.
    pub fn observe(&mut self, named: &str, arguments: &[Argument]) {
        self.script.observers.push(Step { action: invoke(named, false), arguments: arguments.to_vec() });
    }

    /// A static call with values, in slots of what the method takes.
    #[must_use]
    pub fn of_static(named: &str, values: &[Value]) -> Draft {
        let mut draft = Draft::default();
        let action = invoke(named, true);
        let Action::Invoke { descriptor, .. } = &action else { unreachable!("a call") };
        let slots: Vec<Slot> =
            descriptor.parameters.iter().map(|ty| Slot::of(ty).expect("a value")).collect();
        assert_eq!(slots.len(), values.len(), "{named}");
        let arguments: Vec<Argument> =
            slots.into_iter().zip(values).map(|(slot, value)| draft.slot(slot, value.clone())).collect();
        draft.step(action, &arguments);
        draft
    }
}

/// A descriptor of a method.
#[must_use]
pub fn method(descriptor: &str) -> MethodDescriptor {
    descriptor.parse().expect("a descriptor")
}

/// A descriptor of a type.
#[must_use]
pub fn ty(descriptor: &str) -> Type {
    descriptor.parse().expect("a type")
}

/// A stub whose constructor takes `(I)V`, with answers of methods, `name()I`, one for each time that one is named.
#[must_use]
pub fn stub(class: &str, constructor: &str, answers: &[&str]) -> Action {
    let answering = |named: &&str| {
        let (name, _) = named.split_once('(').expect("a descriptor");
        Answering { name: name.to_owned(), descriptor: method(&named[name.len()..]) }
    };
    let answers = answers.iter().map(answering).collect();
    Action::Stub { class: class.to_owned(), parameters: method(constructor).parameters, answers }
}

/// `a/B.name(I)V` as a call.
#[must_use]
pub fn invoke(named: &str, is_static: bool) -> Action {
    let (before, _) = named.split_once('(').expect("a descriptor");
    let (class, name) = before.rsplit_once('.').expect("a method");
    Action::Invoke {
        class: class.to_owned(),
        name: name.to_owned(),
        descriptor: method(&named[before.len()..]),
        is_static,
    }
}
