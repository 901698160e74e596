//! Fields. Their values are in the mirror heap once they were written or read.

use crate::heap::{Content, ObjectId};
use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::outcome::Place;
use crate::program::MethodOf;
use crate::quiet::unknown;
use crate::value::{Reference, Value};
use java_classfile::{MemberRef, PoolIndex, Type};
use java_wire::event::Code;
use std::rc::Rc;

impl<'p> Machine<'p, '_> {
    /// Goes on with an object, or throws if a reference is null.
    pub(crate) fn not_null(
        &mut self,
        reference: Reference,
        go_on: impl FnOnce(&mut Self, ObjectId) -> Fallible<Flow>,
    ) -> Fallible<Flow> {
        self.check_not_null(reference);
        match reference.object {
            Some(object) => go_on(self, object),
            None => Ok(Flow::Throw(self.exception("java/lang/NullPointerException"))),
        }
    }

    fn member(&mut self, index: PoolIndex) -> Fallible<(MemberRef<'p>, Rc<Type>, u32)> {
        let MethodOf { class, file, .. } = self.top()?.method;
        let member = file.pool.member(index).map_err(|_| Halt::Broken("no field"))?;
        if let Some((ty, id)) = self.members.get(&(class, index)) {
            return Ok((member, ty.clone(), *id));
        }
        let ty = Rc::new(member.descriptor.parse().map_err(|_| Halt::Broken("no type"))?);
        let id = self.field(member.class, member.name);
        self.members.insert((class, index), (Rc::clone(&ty), id));
        Ok((member, ty, id))
    }

    /// Whether the initialiser of a class runs first, or of one above it; then its frame is entered and the instruction is
    /// executed again behind it.
    pub(crate) fn is_initialising(&mut self, class: &str) -> Fallible<bool> {
        if self.is_quiet() {
            return self.initialise_quietly(class);
        }
        let Some(event) = self.trace.peek().filter(|event| event.code == Code::Enter) else {
            return Ok(false);
        };
        let is_due = self.program.method(event.id).is_some_and(|method| {
            method.method.name == "<clinit>" && self.is_subtype(class, &method.file.name) != Some(false)
        });
        if is_due {
            self.enter_callback(None)?;
        }
        Ok(is_due)
    }

    /// The same for a static field: the class or interface that declares it is the one to be initialised.
    fn is_initialising_for(&mut self, member: MemberRef<'p>) -> Fallible<bool> {
        let program = self.program;
        self.is_initialising(program.declaring(member.class, member.name))
    }

    pub(super) fn get_static(&mut self, index: PoolIndex) -> Fallible<Flow> {
        let pc = self.top()?.pc();
        let (member, ty, id) = self.member(index)?;
        if self.is_initialising_for(member)? {
            return Ok(Flow::Stay);
        }
        if self.is_quiet() {
            let value = self.quiet_static(member, id, &ty)?;
            return self.push(value);
        }
        let believed = self.heap.statics.get(&id).copied();
        let value = self.loaded(believed, &ty, pc)?;
        self.heap.set_static(id, value);
        self.access(false, Place::Static(id));
        self.push(value)
    }

    pub(super) fn put_static(&mut self, index: PoolIndex) -> Fallible<Flow> {
        let (member, ty, id) = self.member(index)?;
        if self.is_initialising_for(member)? {
            return Ok(Flow::Stay);
        }
        let value = self.top()?.pop()?;
        let value = self.stored(value, &ty);
        self.heap.set_static(id, value);
        if !self.is_quiet() {
            self.lend_to_all(id, value);
        }
        self.access(true, Place::Static(id));
        Ok(Flow::Next)
    }

    pub(super) fn get_field(&mut self, index: PoolIndex) -> Fallible<Flow> {
        let pc = self.top()?.pc();
        let (member, ty, id) = self.member(index)?;
        let reference = self.top()?.pop_reference()?;
        self.not_null(reference, |machine, object| {
            if machine.is_quiet() {
                machine.look_into(object, reference)?;
            }
            let believed = machine.believed(object, id, &ty);
            if believed.is_none() && machine.is_quiet() {
                return Err(unknown(format!("what {}.{} is", member.class, member.name)));
            }
            let value = machine.loaded(believed, &ty, pc)?;
            machine.heap.set_field(object, id, value);
            machine.access(false, Place::Field(object, id));
            machine.push(value)
        })
    }

    /// What a field is, if that is known.
    pub(crate) fn believed(&self, object: ObjectId, field: u32, ty: &Type) -> Option<Value> {
        let object = self.heap.object(object);
        let known = object.fields.get(&field).copied();
        let is_fresh = matches!(object.content, Content::Fresh) && (!object.stale || self.is_told(field));
        known.or_else(|| is_fresh.then(|| Value::zero(ty)))
    }

    pub(super) fn put_field(&mut self, index: PoolIndex) -> Fallible<Flow> {
        let (_, ty, id) = self.member(index)?;
        let (value, reference) = (self.top()?.pop()?, self.top()?.pop_reference()?);
        let value = self.stored(value, &ty);
        self.not_null(reference, |machine, object| {
            machine.heap.set_field(object, id, value);
            // Those of classes with hooks are told.
            if machine.heap.object(object).stale && !machine.is_told(id) {
                machine.lend(object, value);
            }
            machine.access(true, Place::Field(object, id));
            Ok(Flow::Next)
        })
    }

    /// A value as a place of a type keeps it.
    pub(crate) fn stored(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Number(number) => Value::Number(self.narrowed(number, ty)),
            value => value,
        }
    }

    pub(super) fn new_object(&mut self, class: PoolIndex) -> Fallible<Flow> {
        let pool = &self.top()?.method.file.pool;
        let name = pool.class_name(class).map_err(|_| Halt::Broken("no class"))?;
        if self.is_initialising(name)? {
            return Ok(Flow::Stay);
        }
        let object = self.made(name);
        self.push(Value::Reference(Reference::to(object)))
    }

    /// A new object. Only if its methods have hooks, or are executed without, it is known that nobody else writes its fields.
    pub(crate) fn made(&mut self, class: &str) -> ObjectId {
        let is_followed = self.settings.library && self.program.quiet_class(class).is_some();
        let is_fresh = is_followed || self.program.class(class).is_some();
        let content = if is_fresh { Content::Fresh } else { Content::Plain };
        self.heap.add(Some(class.into()), content)
    }
}
