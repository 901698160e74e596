//! `Unsafe`: fields and elements by their offsets. An offset is here the number of the field, or tells which element is meant; real ones never
//! come to the light of the code.

use super::unknown;
use crate::frame::Call;
use crate::machine::{Fallible, Machine};
use crate::value::{Number, Reference, Value};
use java_classfile::instruction::NumericKind;

/// Where the first element of an array is.
const BASE: u64 = 16;
/// Offsets of fields begin here, far behind those of elements.
const FIELDS: u64 = 1 << 40;

/// A place in an object.
enum Cell {
    Field(u32),
    Element(i32),
}

impl Machine<'_, '_> {
    /// A method of `Unsafe`. The outer `None`: it is none of these.
    pub(super) fn unsafely(&mut self, name: &str, call: &Call) -> Fallible<Option<Option<Value>>> {
        let some = |value: Value| Ok(Some(Some(value)));
        match name {
            "arrayBaseOffset" => some(Value::Number(Number::int(BASE as i32))),
            "arrayIndexScale" => {
                let class = self.mirrored(call.arguments.get(1))?;
                some(Value::Number(Number::int(scale(&class) as i32)))
            }
            "allocateUninitializedArray" => match call.arguments[..] {
                [_, class, Value::Number(length)] => {
                    let class = self.mirrored(Some(&class))?;
                    self.new_quiet_array(&class, length).map(Some)
                }
                _ => Ok(None),
            },
            "objectFieldOffset" if call.arguments.len() == 3 => {
                let class = self.mirrored(call.arguments.get(1))?;
                let name = self.plain_text(call.arguments[2])?;
                let field = self.field(&class, &name);
                some(Value::Number(Number::constant(NumericKind::Long, FIELDS + u64::from(field))))
            }
            _ => {
                let is_swap = name.starts_with("compareAndSet") || name.starts_with("weakCompareAndSet");
                let is_put = name.starts_with("put");
                let is_get = name.starts_with("get") && !name.starts_with("getAnd");
                match call.arguments[..] {
                    [_, Value::Reference(object), Value::Number(offset), old, new] if is_swap => {
                        let is_old = self.holds(object, offset, old)?;
                        if is_old {
                            self.put_at(object, offset, new)?;
                        }
                        some(Value::Number(Number::int(is_old.into())))
                    }
                    [_, Value::Reference(object), Value::Number(offset), new] if is_put => {
                        self.put_at(object, offset, new).map(|()| Some(None))
                    }
                    [_, Value::Reference(object), Value::Number(offset)] if is_get => {
                        let value = self.get_at(object, offset, call)?;
                        some(value)
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// The characters of a text that does not depend on the input.
    pub(super) fn plain_text(&mut self, value: Value) -> Fallible<String> {
        let text = self.characters_of(value).ok_or_else(|| unknown("a text"))?;
        let unit = |unit: &Number| char::from_u32(unit.as_int().cast_unsigned());
        text.iter().map(unit).collect::<Option<_>>().ok_or_else(|| unknown("a text"))
    }

    fn memory(&self, object: Reference, offset: Number) -> Fallible<(crate::heap::ObjectId, Cell)> {
        let id = object.object.ok_or_else(|| unknown("memory beside all objects"))?;
        if self.heap.object(id).stale {
            return Err(unknown("memory that others may have written"));
        }
        if offset.bits >= FIELDS {
            return Ok((id, Cell::Field((offset.bits - FIELDS) as u32)));
        }
        let class = self.heap.object(id).class.clone().unwrap_or_default();
        let at = offset.bits.checked_sub(BASE).map(|at| (at / scale(&class), at % scale(&class)));
        match (at, self.heap.array(id)) {
            (Some((index, 0)), Some(array))
                if offset.term.is_none() && (index as i64) < i64::from(array.length.as_int()) =>
            {
                Ok((id, Cell::Element(index as i32)))
            }
            _ => Err(unknown("which element is meant")),
        }
    }

    fn get_at(&mut self, object: Reference, offset: Number, call: &Call) -> Fallible<Value> {
        let ty = call.called.descriptor.result.clone().ok_or_else(|| unknown("a result"))?;
        let (id, cell) = self.memory(object, offset)?;
        let value = match cell {
            Cell::Field(field) => self.believed(id, field, &ty),
            Cell::Element(index) => self.heap.array(id).and_then(|array| array.element(index)),
        };
        let value = value.ok_or_else(|| unknown("what is in memory"))?;
        let is_number = crate::value::numeric(&ty).is_some();
        if matches!(value, Value::Number(_)) != is_number {
            return Err(unknown("memory of another type"));
        }
        Ok(value)
    }

    fn holds(&mut self, object: Reference, offset: Number, old: Value) -> Fallible<bool> {
        let ty = match old {
            Value::Number(Number { kind: NumericKind::Long, .. }) => java_classfile::Type::Long,
            Value::Number(_) => java_classfile::Type::Int,
            _ => java_classfile::Type::Object(String::new()),
        };
        let (id, cell) = self.memory(object, offset)?;
        let value = match cell {
            Cell::Field(field) => self.believed(id, field, &ty),
            Cell::Element(index) => self.heap.array(id).and_then(|array| array.element(index)),
        };
        match (value, old) {
            (Some(Value::Reference(a)), Value::Reference(b)) => Ok(self.same(a, b)),
            (Some(Value::Number(a)), Value::Number(b)) if a.term.is_none() && b.term.is_none() => {
                Ok(a.bits == b.bits)
            }
            _ => Err(unknown("what is in memory")),
        }
    }

    fn put_at(&mut self, object: Reference, offset: Number, value: Value) -> Fallible<()> {
        let (id, cell) = self.memory(object, offset)?;
        match (cell, self.heap.array_mut(id)) {
            (Cell::Field(field), _) => drop(self.heap.object_mut(id).fields.insert(field, value)),
            (Cell::Element(index), Some(array)) => drop(array.elements.insert(index, value)),
            (Cell::Element(_), None) => return Err(unknown("no array")),
        }
        Ok(())
    }
}

/// Bytes of an element.
fn scale(class: &str) -> u64 {
    match class {
        "[Z" | "[B" => 1,
        "[C" | "[S" => 2,
        "[J" | "[D" => 8,
        _ => 4,
    }
}
