//! A call of a method with hooks.

use crate::heap::Content;
use crate::machine::Halt;
use crate::program::MethodOf;
use crate::value::{Number, Reference, Value};
use java_classfile::instruction::NumericKind;
use java_classfile::{Instruction, MethodDescriptor, Pc, Type};
use std::rc::Rc;

/// Local variables and stack of a method.
pub(crate) struct Frame<'p> {
    pub(crate) method: MethodOf<'p>,
    /// Of the instruction, among those of the method.
    pub(crate) position: usize,
    pub(crate) locals: Vec<Value>,
    pub(crate) stack: Vec<Value>,
    /// The call that the instruction waits for.
    pub(crate) pending: Option<Call>,
    /// Code without hooks has called it, or the virtual machine itself.
    pub(crate) called_back: bool,
    /// The method has no hooks: nothing is told of what it does.
    pub(crate) quiet: bool,
    /// The instruction before the one that it is at; none before the first, and before the first of a handler.
    pub(crate) before: Option<usize>,
}

/// What is called.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: MethodDescriptor,
    /// The class decides, not the receiver.
    pub(crate) as_named: bool,
}

/// A call that has not come back.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The id of the events about it: its pc, or the number of the step.
    pub(crate) id: u32,
    pub(crate) called: Rc<Called>,
    pub(crate) has_receiver: bool,
    /// The receiver first if there is one.
    pub(crate) arguments: Vec<Value>,
    /// What the method with hooks gave back that it led to.
    pub(crate) returned: Option<Option<Value>>,
    /// That the method behind a lambda came back, and with what, if the call is of the lambda.
    pub(crate) answered: Option<Option<Value>>,
    /// What a bootstrap method links.
    pub(crate) dynamic: Option<Linked>,
    /// It was executed quietly, in vain.
    pub(crate) is_opaque: bool,
}

/// What a call site is about.
#[derive(Clone, Debug)]
pub(crate) enum Linked {
    /// A lambda: the name of the method behind it, and all that is said of it. The arguments are what it captures.
    Lambda { method: Rc<str>, handle: Option<Rc<Handle>> },
    /// A text put together: its recipe.
    Text(Rc<str>),
    /// A switch over types: its labels.
    Switch(Rc<[Label]>),
    /// Anything else.
    Other,
}

/// The method behind a lambda.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: MethodDescriptor,
    pub(crate) is_static: bool,
    /// The first argument decides.
    pub(crate) is_virtual: bool,
    pub(crate) is_constructor: bool,
}

impl Call {
    /// The content of the object that a lambda expression makes.
    pub(crate) fn lambda(&self) -> Option<Content> {
        let Some(Linked::Lambda { method, handle }) = &self.dynamic else { return None };
        let interface = match &self.called.descriptor.result {
            Some(Type::Object(name)) => Some(name.as_str().into()),
            _ => None,
        };
        let captured = self.arguments.as_slice().into();
        Some(Content::Lambda { method: method.clone(), handle: handle.clone(), interface, captured })
    }
}

impl Handle {
    /// Types of all parameters, the receiver among them.
    pub(crate) fn parameters(&self) -> Vec<Type> {
        let receiver = (!self.is_static).then(|| Type::Object(self.class.clone()));
        receiver.into_iter().chain(self.descriptor.parameters.iter().cloned()).collect()
    }
}

/// A label of a switch over types.
#[derive(Clone, Debug)]
pub(crate) enum Label {
    /// Objects of a class, by its internal name, or arrays of a descriptor.
    Class(String),
    /// A text, by its characters.
    Text(Vec<u16>),
    /// A number or character.
    Number(i32),
    /// Something that is computed, such as a constant of an enumeration.
    Other,
}

impl<'p> Frame<'p> {
    /// A method that begins with these arguments.
    pub(crate) fn new(method: MethodOf<'p>, arguments: &[Value], called_back: bool) -> Frame<'p> {
        let mut locals = Vec::with_capacity(usize::from(method.code.max_locals));
        for &argument in arguments {
            locals.push(argument);
            if argument.slots() == 2 {
                locals.push(Value::Upper);
            }
        }
        if locals.len() < usize::from(method.code.max_locals) {
            locals.resize(usize::from(method.code.max_locals), Value::Unset);
        }
        Frame {
            method,
            position: 0,
            locals,
            stack: Vec::new(),
            pending: None,
            called_back,
            quiet: false,
            before: None,
        }
    }

    /// A method without hooks.
    pub(crate) fn quietly(method: MethodOf<'p>, arguments: &[Value]) -> Frame<'p> {
        Frame { quiet: true, ..Frame::new(method, arguments, false) }
    }

    /// Whether what it computes is made to overflow.
    pub(crate) fn is_hash(&self) -> bool {
        self.method.method.name == "hashCode"
    }

    pub(crate) fn pc(&self) -> Pc {
        self.method.code.instructions.get(self.position).map_or(0, |(pc, _)| *pc)
    }

    pub(crate) fn instruction(&self) -> Option<&'p Instruction> {
        self.method.code.instructions.get(self.position).map(|(_, instruction)| instruction)
    }

    pub(crate) fn jump(&mut self, pc: Pc) -> Result<(), Halt> {
        self.position = self.method.code.position(pc).ok_or(Halt::Broken("a jump to no instruction"))?;
        Ok(())
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
        if value.slots() == 2 {
            self.stack.push(Value::Upper);
        }
    }

    pub(crate) fn pop(&mut self) -> Result<Value, Halt> {
        const EMPTY: Halt = Halt::Broken("an empty stack");
        match self.stack.pop().ok_or(EMPTY)? {
            Value::Upper => self.stack.pop().ok_or(EMPTY),
            value => Ok(value),
        }
    }

    pub(crate) fn pop_number(&mut self, kind: NumericKind) -> Result<Number, Halt> {
        match self.pop()? {
            Value::Number(number) if number.kind == kind => Ok(number),
            _ => Err(Halt::Broken("another number on the stack")),
        }
    }

    pub(crate) fn pop_int(&mut self) -> Result<Number, Halt> {
        self.pop_number(NumericKind::Int)
    }

    pub(crate) fn pop_reference(&mut self) -> Result<Reference, Halt> {
        match self.pop()? {
            Value::Reference(reference) => Ok(reference),
            _ => Err(Halt::Broken("no reference on the stack")),
        }
    }

    pub(crate) fn local(&mut self, index: u16) -> Result<&mut Value, Halt> {
        self.locals.get_mut(usize::from(index)).ok_or(Halt::Broken("no such local variable"))
    }
}
