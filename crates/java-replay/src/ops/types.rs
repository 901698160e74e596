//! Casts and tests of types: decided by the class of the object, which no solver is asked about.

use crate::heap::Content;
use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::outcome::Check;
use crate::quiet::unknown;
use crate::value::{Number, Reference, Value};
use java_classfile::PoolIndex;
use java_wire::event::Code;

impl<'p> Machine<'p, '_> {
    /// The object that a type is asked of, and the type.
    fn asked(&mut self, class: PoolIndex) -> Fallible<(Reference, &'p str)> {
        let frame = self.top()?;
        let (pc, reference) = (frame.pc(), frame.pop_reference()?);
        let wanted = frame.method.file.pool.class_name(class).map_err(|_| Halt::Broken("no class"))?;
        let Some(event) = self.trace.take_if(Code::Type, pc) else { return Ok((reference, wanted)) };
        let identified = self.identify(reference, event.words[0], event.words[1])?;
        Ok((identified, wanted))
    }

    fn is_of(&self, reference: Reference, wanted: &str) -> Option<bool> {
        let object = self.heap.object(reference.object?);
        match (&object.class, &object.content) {
            (Some(class), _) => self.is_subtype(class, wanted),
            // The class of a lambda has no other interface.
            (None, Content::Lambda { interface: Some(interface), .. }) => self.is_subtype(interface, wanted),
            _ => None,
        }
    }

    pub(super) fn check_cast(&mut self, class: PoolIndex) -> Fallible<Flow> {
        let (reference, wanted) = self.asked(class)?;
        if reference.object.is_none() {
            return self.push(Value::NULL);
        }
        // A class of which nothing is known may be anything; a cast that fails is followed by a handler.
        let fits = match self.is_of(reference, wanted) {
            Some(fits) => fits,
            None if self.is_quiet() => return Err(unknown(format!("what is cast to {wanted}"))),
            None => !self.trace.next_is(Code::Handle),
        };
        self.check(Check::Cast, fits, None);
        if fits {
            return self.push(Value::Reference(reference));
        }
        Ok(Flow::Throw(self.exception("java/lang/ClassCastException")))
    }

    pub(super) fn instance_of(&mut self, class: PoolIndex) -> Fallible<Flow> {
        let pc = self.top()?.pc();
        let (reference, wanted) = self.asked(class)?;
        let believed = match reference.object {
            None => Some(false),
            Some(_) => self.is_of(reference, wanted),
        };
        let told = self.trace.take_if(Code::Value, pc).map(|event| event.words[0]);
        let value = match (believed, told) {
            (Some(believed), Some(told)) => {
                self.compare(Number::int(believed.into()), told.into())?;
                believed
            }
            (Some(is), None) => is,
            (None, Some(told)) => told != 0,
            (None, None) => return Err(self.missing("what a test of a type says")),
        };
        self.push(Value::Number(Number::int(value.into())))
    }
}
