//! Who is called, found as the virtual machine finds it, and which classes are initialised first.

use super::unknown;
use crate::frame::{Call, Called, Frame, Handle};
use crate::heap::Content;
use crate::machine::{Fallible, Machine};
use crate::program::MethodOf;
use crate::value::{Number, Reference, Value, numeric};
use java_classfile::{MemberRef, Method};

/// A method that is called.
pub(crate) enum Callee<'p> {
    /// One without hooks.
    Quiet(MethodOf<'p>),
    /// One without hooks that a lambda leads to, with what the lambda has captured.
    Captured(MethodOf<'p>, Vec<Value>),
    /// One with hooks, by its number.
    Told(u32),
    /// One of the platform that has no bytecode.
    Native { class: &'p str, name: &'p str },
    /// Nobody knows.
    Unknown(String),
}

/// A call of a method in the middle of the instruction at hand.
struct Wanted<'c> {
    name: &'c str,
    descriptor: &'c java_classfile::MethodDescriptor,
    is_static: bool,
}

impl Wanted<'_> {
    fn is_it(&self, method: &Method) -> bool {
        method.name == self.name
            && method.descriptor == *self.descriptor
            && method.access.is_static() == self.is_static
    }
}

impl<'p> Machine<'p, '_> {
    /// The method that a call leads to.
    pub(crate) fn callee(&self, call: &Call) -> Fallible<Callee<'p>> {
        let Called { class, name, descriptor, as_named } = &*call.called;
        let wanted = Wanted { name, descriptor, is_static: !call.has_receiver };
        if *as_named || call.dynamic.is_some() {
            return Ok(self.found(class, &wanted, |_| true));
        }
        let Some(Value::Reference(Reference { object: Some(object), .. })) = call.arguments.first() else {
            return Err(unknown("no receiver"));
        };
        let object = self.heap.object(*object);
        if let Content::Stub { class: stub, .. } = &object.content {
            // Of what objects have, an object without a class file has its own.
            return Ok(match is_of_objects(&wanted) {
                true => Callee::Unknown("a method of a stub".to_owned()),
                false => self.selected(class, stub, &wanted),
            });
        }
        if let Content::Lambda { handle: Some(handle), captured, .. } = &object.content {
            return self.behind(class, &wanted, handle, captured, call);
        }
        let Some(receiver) = &object.class else {
            return Ok(Callee::Unknown("a receiver of an unknown class".to_owned()));
        };
        // Arrays have the methods of objects.
        let receiver = if receiver.starts_with('[') { "java/lang/Object" } else { receiver };
        Ok(self.selected(class, receiver, &wanted))
    }

    /// The method that a receiver of a class has for what is called of a class above it (JVMS 5.4.6): a private one cannot be overridden.
    fn selected(&self, named: &str, receiver: &str, wanted: &Wanted<'_>) -> Callee<'p> {
        let private = self.program.file(named).and_then(|file| {
            file.methods.iter().position(|method| wanted.is_it(method) && method.access.is_private())
        });
        match private {
            Some(index) => self.method_of(named, index),
            None => self.found(receiver, wanted, |method| !method.access.is_private()),
        }
    }

    /// Whether a stub has an answer to a call: its class has no code for it.
    pub(crate) fn is_answered(&self, call: &Call) -> bool {
        let Called { name, descriptor, .. } = &*call.called;
        let wanted = Wanted { name, descriptor, is_static: false };
        !is_of_objects(&wanted) && matches!(self.callee(call), Ok(Callee::Unknown(_)))
    }

    /// A method of a class, or the nearest above it.
    fn found(&self, class: &str, wanted: &Wanted<'_>, counts: impl Fn(&Method) -> bool) -> Callee<'p> {
        let program = self.program;
        let mut at = Some(class);
        let mut interfaces: Vec<&'p str> = Vec::new();
        for _ in 0..64 {
            let Some(name) = at else { break };
            let Some(file) = program.file(name) else {
                return Callee::Unknown(format!("{name} is not known"));
            };
            let is_it = |method: &Method| wanted.is_it(method) && counts(method);
            match file.methods.iter().position(is_it) {
                Some(index) if file.methods[index].access.is_abstract() => {
                    return Callee::Unknown(format!("{name}.{} is abstract", wanted.name));
                }
                Some(index) => return self.method_of(name, index),
                None => {}
            }
            interfaces.extend(file.interfaces.iter().map(String::as_str));
            at = file.superclass.as_deref();
        }
        if wanted.is_static {
            return Callee::Unknown(format!("no method {}", wanted.name));
        }
        self.inherited(interfaces, wanted)
    }

    /// A method of a class, by its place among the class's own.
    fn method_of(&self, class: &str, index: usize) -> Callee<'p> {
        if let Some(told) = self.program.class(class) {
            return Callee::Told(told.first_method + index as u32);
        }
        match self.program.quiet_class(class) {
            Some(quiet) => match quiet.method(index) {
                Some(method) => Callee::Quiet(method),
                None => Callee::Native { class: &quiet.file.name, name: &quiet.file.methods[index].name },
            },
            None => Callee::Unknown(format!("{class} is not known")),
        }
    }

    /// The method that interfaces have an implementation of: of all that declare it those count that no other one extends.
    fn inherited(&self, mut interfaces: Vec<&'p str>, wanted: &Wanted<'_>) -> Callee<'p> {
        let program = self.program;
        let mut declaring: Vec<(&'p str, usize, &'p Method)> = Vec::new();
        let mut at = 0;
        while let Some(&name) = interfaces.get(at).filter(|_| at < 256) {
            at += 1;
            let Some(file) = program.file(name) else {
                return Callee::Unknown(format!("{name} is not known"));
            };
            let is_it = |method: &Method| wanted.is_it(method) && !method.access.is_private();
            if let Some(index) = file.methods.iter().position(is_it) {
                declaring.push((name, index, &file.methods[index]));
            }
            for above in &file.interfaces {
                if !interfaces.contains(&above.as_str()) {
                    interfaces.push(above);
                }
            }
        }
        let is_extended = |name: &str| {
            let mut others = declaring.iter().filter(|(other, ..)| *other != name);
            others.any(|(other, ..)| self.is_subtype(other, name) == Some(true))
        };
        let mut implemented =
            declaring.iter().filter(|(name, _, method)| !method.access.is_abstract() && !is_extended(name));
        match (implemented.next(), implemented.next()) {
            (Some(&(name, index, _)), None) => self.method_of(name, index),
            _ => Callee::Unknown(format!("no method {}", wanted.name)),
        }
    }

    /// The method behind a lambda, or a default method of its interface.
    fn behind(
        &self,
        interface: &str,
        wanted: &Wanted<'_>,
        handle: &Handle,
        captured: &[Value],
        call: &Call,
    ) -> Fallible<Callee<'p>> {
        // The class of the lambda has default methods and those of objects beside the one that it implements.
        let other = self.found(interface, wanted, |_| true);
        if matches!(other, Callee::Quiet(_) | Callee::Native { .. }) {
            return Ok(other);
        }
        let behind =
            Wanted { name: &handle.name, descriptor: &handle.descriptor, is_static: handle.is_static };
        let passed = captured.iter().chain(&call.arguments[1..]).copied();
        let types = handle.parameters();
        let arguments: Vec<Value> = passed.zip(&types).map(|(value, ty)| fitted(value, ty)).collect();
        if arguments.len() != types.len() || handle.is_constructor {
            return Ok(Callee::Unknown("a lambda with other arguments".to_owned()));
        }
        let class = match (handle.is_virtual, arguments.first()) {
            (true, Some(Value::Reference(Reference { object: Some(object), .. }))) => self
                .heap
                .object(*object)
                .class
                .clone()
                .ok_or_else(|| unknown("a receiver of an unknown class"))?,
            _ => handle.class.as_str().into(),
        };
        let returns_number =
            |ty: &Option<java_classfile::Type>| ty.as_ref().is_some_and(|ty| numeric(ty).is_some());
        let found = match handle.is_virtual {
            true => self.selected(&handle.class, &class, &behind),
            false => self.found(&class, &behind, |_| true),
        };
        Ok(match found {
            _ if returns_number(&handle.descriptor.result)
                != returns_number(&call.called.descriptor.result) =>
            {
                Callee::Unknown("a lambda whose result is put into a box".to_owned())
            }
            Callee::Quiet(method) => Callee::Captured(method, arguments),
            other => other,
        })
    }

    /// What a call site of quiet code is linked to.
    pub(super) fn linked_quietly(&mut self, call: &Call) -> Fallible<Value> {
        let content = call.lambda().ok_or_else(|| unknown("a call site"))?;
        Ok(Value::Reference(Reference::to(self.heap.add(None, content))))
    }

    /// Whether initialisers of a class and of those above it were entered: then they run first.
    pub(crate) fn initialise_quietly(&mut self, class: &str) -> Fallible<bool> {
        let mut entered = false;
        let mut at = Some(class.to_owned());
        while let Some(name) = at.take() {
            let Some(quiet) = self.program.quiet_class(&name) else { break };
            let state = self.field(&name, "<clinit>");
            if self.heap.statics.contains_key(&state) {
                break;
            }
            self.heap.set_static(state, Value::Number(Number::int(1)));
            if let Some((index, _)) = quiet.declares("<clinit>", "()V")
                && let Some(method) = quiet.method(index)
            {
                self.push_frame(Frame::quietly(method, &[]));
                entered = true;
            }
            at.clone_from(&quiet.file.superclass);
        }
        Ok(entered)
    }

    /// Whether the initialiser of a class has run, or runs.
    fn is_initialised(&self, class: &str) -> bool {
        let state = self.field_number(class, "<clinit>");
        state.is_some_and(|state| self.heap.statics.contains_key(&state))
    }

    /// What is in a static field of a class without hooks. Only of those that never change it is known.
    pub(crate) fn quiet_static(
        &self,
        member: MemberRef<'_>,
        id: u32,
        ty: &java_classfile::Type,
    ) -> Fallible<Value> {
        let class = self.program.declaring(member.class, member.name);
        // Only who watches the machine from outside sets it.
        if (class, member.name) == ("java/lang/Throwable", "jfrTracing") {
            return Ok(Value::zero(ty));
        }
        let declared = self.program.quiet_class(class).and_then(|class| {
            let field = class.file.fields.iter().find(|field| field.name == member.name)?;
            Some((class, field))
        });
        let is_inside = self.frames.last().is_some_and(|frame| frame.method.file.name == class);
        if is_of_the_process(class, member.name) && !is_inside {
            return Err(unknown(format!("what {class}.{} is", member.name)));
        }
        match declared {
            Some((class, field)) if field.access.is_final() || self.program.is_set_once(class, field) => {
                match field.constant {
                    _ if self.heap.statics.contains_key(&id) => Ok(self.heap.statics[&id]),
                    Some(constant) => constant_of(class.file, constant).ok_or_else(|| unknown("a constant")),
                    None if self.is_initialised(&class.file.name) => Ok(Value::zero(ty)),
                    None => Err(unknown(format!("what {}.{} is", class.file.name, member.name))),
                }
            }
            _ => Err(unknown(format!("what {class}.{} is", member.name))),
        }
    }
}

/// Whether a constant is another one in every process.
fn is_of_the_process(class: &str, field: &str) -> bool {
    class == "java/util/ImmutableCollections" && matches!(field, "SALT32L" | "REVERSE")
}

fn constant_of(file: &java_classfile::ClassFile, constant: java_classfile::PoolIndex) -> Option<Value> {
    use java_classfile::Constant;
    use java_classfile::instruction::NumericKind;
    Some(Value::Number(match file.pool.get(constant) {
        Constant::Integer(value) => Number::int(*value),
        Constant::Long(value) => Number::constant(NumericKind::Long, value.cast_unsigned()),
        Constant::Float(value) => Number::constant(NumericKind::Float, value.to_bits().into()),
        Constant::Double(value) => Number::constant(NumericKind::Double, value.to_bits()),
        _ => return None,
    }))
}

/// A value as a parameter takes it: out of its box, if it is a number.
fn fitted(value: Value, ty: &java_classfile::Type) -> Value {
    match (value, numeric(ty)) {
        (Value::Reference(Reference { boxed: Some(number), .. }), Some(_)) => Value::Number(number),
        (value, _) => value,
    }
}

/// Whether a method is one that every object has and interfaces may repeat.
fn is_of_objects(wanted: &Wanted<'_>) -> bool {
    match wanted.name {
        "equals" => wanted.descriptor.to_string() == "(Ljava/lang/Object;)Z",
        "hashCode" | "toString" => wanted.descriptor.parameters.is_empty(),
        _ => false,
    }
}
