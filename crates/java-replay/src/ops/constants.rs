//! Constants.

use crate::heap::Content;
use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::value::{Number, Reference, Value};
use java_classfile::instruction::{Const, NumericKind};
use java_classfile::{PoolIndex, Type};

impl Machine<'_, '_> {
    pub(super) fn push_constant(&mut self, constant: Const) -> Fallible<Flow> {
        let number = |kind, bits| Value::Number(Number::constant(kind, bits));
        let value = match constant {
            Const::Null => Value::NULL,
            Const::Int(value) => Value::Number(Number::int(value)),
            Const::Long(value) => number(NumericKind::Long, value.cast_unsigned()),
            Const::Float(value) => number(NumericKind::Float, value.to_bits().into()),
            Const::Double(value) => number(NumericKind::Double, value.to_bits()),
            Const::String(index) => self.text_constant(index)?,
            Const::Class(class) if self.is_quiet() => self.class_constant(class)?,
            Const::Class(_) => self.anonymous("java/lang/Class"),
            Const::MethodHandle(_) => self.anonymous("java/lang/invoke/MethodHandle"),
            Const::MethodType(_) => self.anonymous("java/lang/invoke/MethodType"),
            Const::Dynamic(index) => return self.dynamic_constant(index),
        };
        self.push(value)
    }

    fn class_constant(&mut self, class: PoolIndex) -> Fallible<Value> {
        let pool = &self.top()?.method.file.pool;
        let name = pool.class_name(class).map_err(|_| Halt::Broken("no class"))?.to_owned();
        Ok(self.mirror(&name))
    }

    fn text_constant(&mut self, index: PoolIndex) -> Fallible<Value> {
        let pool = &self.top()?.method.file.pool;
        let units = pool.string(index).map_err(|_| Halt::Broken("no text"))?.units();
        Ok(Value::Reference(Reference::to(self.heap.text(&units))))
    }

    /// An object of a library class that nothing more is known of. That two constants are the same object is learnt from the
    /// trace.
    fn anonymous(&mut self, class: &str) -> Value {
        // The exact class may be a subclass.
        let class = (class == "java/lang/Class").then(|| class.into());
        Value::Reference(Reference::to(self.heap.add(class, Content::Plain)))
    }

    fn dynamic_constant(&mut self, index: PoolIndex) -> Fallible<Flow> {
        let frame = self.top()?;
        let (pc, pool) = (frame.pc(), &frame.method.file.pool);
        let descriptor = pool.dynamic(index).map_err(|_| Halt::Broken("no dynamic constant"))?.descriptor;
        let ty: Type = descriptor.parse().map_err(|_| Halt::Broken("no type"))?;
        let value = self.loaded(None, &ty, pc)?;
        self.push(value)
    }
}
