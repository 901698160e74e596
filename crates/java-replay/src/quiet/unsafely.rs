//! `Unsafe`: fields and elements by their offsets. An offset is here the number of the field, or tells which element is meant; real ones never
//! come to the light of the code.

use super::unknown;
use crate::frame::{Call, Called};
use crate::heap::ObjectId;
use crate::machine::{Fallible, Machine};
use crate::value::{Number, Reference, Value, numeric};
use expr::Op;
use java_classfile::Type;
use java_classfile::instruction::NumericKind;

/// Where the first element of an array is.
const BASE: u64 = 16;
/// Offsets of fields begin here, far behind those of elements.
const FIELDS: u64 = 1 << 40;

/// A place in an object.
#[derive(Clone, Copy)]
enum Cell {
    Field(u32),
    Element(i32),
}

impl Machine<'_, '_> {
    /// A method of `Unsafe`. The outer `None`: it is none of these.
    pub(super) fn unsafely(&mut self, name: &str, call: &Call) -> Fallible<Option<Option<Value>>> {
        let some = |value: Value| Ok(Some(Some(value)));
        let Called { descriptor, .. } = &*call.called;
        // Offsets are of another type in newer versions.
        let kind = descriptor.result.as_ref().and_then(numeric).ok_or_else(|| unknown("a result"));
        match name {
            "arrayBaseOffset" => some(Value::Number(Number::constant(kind?, BASE))),
            "arrayIndexScale" => {
                let class = self.mirrored(call.arguments.get(1))?;
                some(Value::Number(Number::constant(kind?, scale(&class))))
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
                // How wide the access is, the descriptor says: of what is read, or is to be written.
                let of_access =
                    descriptor.result.as_ref().filter(|_| is_get).or(descriptor.parameters.get(2));
                let Some(ty) = of_access else { return Ok(None) };
                match call.arguments[..] {
                    [_, Value::Reference(object), Value::Number(offset), old, new] if is_swap => {
                        let is_old = self.holds(object, offset, ty, old)?;
                        if is_old {
                            self.put_at(object, offset, ty, new)?;
                        }
                        some(Value::Number(Number::int(is_old.into())))
                    }
                    [_, Value::Reference(object), Value::Number(offset), new] if is_put => {
                        self.put_at(object, offset, ty, new).map(|()| Some(None))
                    }
                    [_, Value::Reference(object), Value::Number(offset)] if is_get => {
                        let value = self.get_at(object, offset, ty)?;
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

    fn memory(&self, object: Reference, offset: Number) -> Fallible<(ObjectId, Cell)> {
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

    /// What is in a cell, and the type that it is kept as, if both are known.
    fn in_cell(&self, id: ObjectId, cell: Cell) -> Option<(Value, Type)> {
        let ty = self.type_of(id, cell)?;
        let value = match cell {
            Cell::Field(field) => self.believed(id, field, &ty),
            Cell::Element(index) => self.heap.array(id).and_then(|array| array.element(index)),
        };
        value.map(|value| (value, ty))
    }

    /// The type of an element or field.
    fn type_of(&self, id: ObjectId, cell: Cell) -> Option<Type> {
        match cell {
            Cell::Element(_) => self.heap.object(id).class.as_deref()?.strip_prefix('[')?.parse().ok(),
            Cell::Field(field) => {
                let field = self.fields.get(field as usize)?;
                let declared = self.program.file(&field.class)?.fields.iter();
                declared
                    .into_iter()
                    .find(|declared| declared.name == field.name)
                    .map(|declared| declared.descriptor.clone())
            }
        }
    }

    fn get_at(&mut self, object: Reference, offset: Number, ty: &Type) -> Fallible<Value> {
        let (id, cell) = self.memory(object, offset)?;
        let (value, kept) = self.in_cell(id, cell).ok_or_else(|| unknown("what is in memory"))?;
        match (value, numeric(ty)) {
            (Value::Reference(_), None) => Ok(value),
            (Value::Number(number), Some(kind)) if size(&kept) == size(ty) => {
                Ok(Value::Number(self.narrowed(Number { kind, ..number }, ty)))
            }
            (Value::Number(_), Some(_)) => match (cell, kept) {
                (Cell::Element(first), Type::Byte) => {
                    self.composed(id, first, ty, Order::Little).map(Value::Number)
                }
                _ => Err(unknown("memory of another type")),
            },
            _ => Err(unknown("memory of another type")),
        }
    }

    /// A number whose bytes are elements one behind the other.
    fn composed(&mut self, id: ObjectId, first: i32, ty: &Type, order: Order) -> Fallible<Number> {
        let kind =
            numeric(ty).filter(|&kind| is_integer(kind)).ok_or_else(|| unknown("memory of another type"))?;
        let mut all = Number::constant(kind, 0);
        for (at, shift) in order.places(first, size(ty)) {
            let Some(Value::Number(byte)) = self.heap.array(id).and_then(|array| array.within(at)) else {
                return Err(unknown("what is in memory"));
            };
            let byte = self.cut(byte, 8, false);
            let byte = if kind == NumericKind::Long { self.unary(Op::ZExt, kind, byte) } else { byte };
            let byte = self.binary(Op::Shl, byte, Number::constant(kind, shift));
            all = self.binary(Op::Or, all, byte);
        }
        Ok(self.narrowed(all, ty))
    }

    fn holds(&mut self, object: Reference, offset: Number, ty: &Type, old: Value) -> Fallible<bool> {
        let (id, cell) = self.memory(object, offset)?;
        match (self.in_cell(id, cell), old) {
            (Some((Value::Reference(a), _)), Value::Reference(b)) => Ok(self.same(a, b)),
            (Some((Value::Number(a), kept)), Value::Number(b))
                if a.term.is_none() && b.term.is_none() && size(&kept) == size(ty) =>
            {
                Ok(a.bits == b.bits)
            }
            _ => Err(unknown("what is in memory")),
        }
    }

    fn put_at(&mut self, object: Reference, offset: Number, ty: &Type, value: Value) -> Fallible<()> {
        let (id, cell) = self.memory(object, offset)?;
        let kept = self.type_of(id, cell).ok_or_else(|| unknown("memory of an unknown type"))?;
        let value = match (value, numeric(&kept)) {
            (Value::Reference(_), None) => value,
            (Value::Number(number), Some(kind)) if size(&kept) == size(ty) => {
                Value::Number(self.narrowed(Number { kind, ..number }, &kept))
            }
            (Value::Number(number), Some(_)) if is_integer(number.kind) => match (cell, kept) {
                (Cell::Element(first), Type::Byte) => {
                    return self.scatter(id, first, ty, Order::Little, number);
                }
                _ => return Err(unknown("memory of another type")),
            },
            _ => return Err(unknown("memory of another type")),
        };
        match cell {
            Cell::Field(field) => self.heap.set_field(id, field, value),
            Cell::Element(index) => self.heap.set_element(id, index, value),
        }
        Ok(())
    }

    /// The bytes of a number become elements one behind the other.
    fn scatter(&mut self, id: ObjectId, first: i32, ty: &Type, order: Order, number: Number) -> Fallible<()> {
        for (at, shift) in order.places(first, size(ty)) {
            if !self.heap.array(id).is_some_and(|array| array.has(at)) {
                return Err(unknown("memory behind an array"));
            }
            let byte = self.binary(Op::LShr, number, Number::constant(number.kind, shift));
            let byte = self.cut(byte, 8, true);
            self.heap.set_element(id, at, Value::Number(byte));
        }
        Ok(())
    }

    /// What newer platforms read numbers from bytes with, and write them: handles that are linked when they run. The outer `None`: another method.
    pub(super) fn in_bytes(
        &mut self,
        name: &str,
        order: Order,
        call: &Call,
    ) -> Fallible<Option<Option<Value>>> {
        let Called { descriptor, .. } = &*call.called;
        let written = descriptor.parameters.get(2);
        let ty = match written.or(descriptor.result.as_ref()) {
            Some(_) if name.ends_with("UnsignedShort") => &Type::Char,
            Some(ty) if numeric(ty).is_some_and(is_integer) && *ty != Type::Boolean => ty,
            _ => return Ok(None),
        };
        let (Some(&Value::Reference(array)), Some(&Value::Number(first))) =
            (call.arguments.first(), call.arguments.get(1))
        else {
            return Ok(None);
        };
        let Some(id) = array.object.filter(|_| first.term.is_none()) else {
            return Err(unknown("which bytes are meant"));
        };
        if self.heap.object(id).stale {
            return Err(unknown("elements that others may have written"));
        }
        match call.arguments.get(2) {
            None => {
                let number = self.composed(id, first.as_int(), ty, order)?;
                Ok(Some(Some(Value::Number(number))))
            }
            Some(&Value::Number(number)) => {
                self.scatter(id, first.as_int(), ty, order, number)?;
                Ok(Some(None))
            }
            Some(_) => Ok(None),
        }
    }
}

/// Which of the bytes of a number is the first.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// The lowest, as all processors at hand have it in memory.
    Little,
    /// The highest.
    Big,
}

impl Order {
    /// Where the bytes of a number are, and by how much each of them is shifted.
    fn places(self, first: i32, count: i32) -> impl Iterator<Item = (i32, u64)> {
        (0..count).map(move |nth| {
            let rank = match self {
                Order::Little => nth,
                Order::Big => count - 1 - nth,
            };
            (first.saturating_add(nth), 8 * rank.unsigned_abs() as u64)
        })
    }
}

/// Bytes of a value.
fn size(ty: &Type) -> i32 {
    match ty {
        Type::Boolean | Type::Byte => 1,
        Type::Char | Type::Short => 2,
        Type::Long | Type::Double => 8,
        _ => 4,
    }
}

fn is_integer(kind: NumericKind) -> bool {
    matches!(kind, NumericKind::Int | NumericKind::Long)
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
