//! The values of a script as the inputs of a function: what searches and solvers vary.
//!
//! ```text
//! boolean, byte, char, …, double    a cell
//! Integer, Character, …             a pointer to one cell, or null
//! int[], double[], …                a pointer to its elements and one cell more, or null
//! String                            a pointer to characters that a zero ends, or null
//! ```
//!
//! So whatever is known about searching pointers, lengths and texts serves here too. The cell more is there because pointers lead to something, and
//! arrays may be empty. A text has no characters above 255 and no zero; two pointers to the same cells become two arrays that are equal.

use crate::rules::Rules;
use expr::Variable;
use input::{Input, Pointer, Space, SpaceLimits, Var};
use java_replay::Symbols;
use java_wire::{Primitive, Slot, Value};
use model::{FloatKind, Function, Param, Program, Type, TypeId, TypeKind, Types};
use target::NO_LENGTH;

/// Cells of a text at least: a solver that looks for a longer one need not ask for them first.
const ROOM: usize = 12;

/// The slots of a script as parameters.
#[derive(Clone, Debug)]
pub struct Slots {
    slots: Vec<Slot>,
    space: Space,
    /// Values of the first slots, which nobody varies; they are not among `slots`.
    fixed: Vec<Value>,
    /// References may be null.
    nulls: bool,
}

impl Slots {
    /// Those of a script; `names` are told in spaces and messages.
    ///
    /// # Panics
    /// Never: all of the types are supported.
    #[must_use]
    pub fn new(slots: &[Slot], names: &[String], limits: SpaceLimits) -> Slots {
        let mut program = Program::default();
        let params: Vec<Param> = (0u32..)
            .zip(slots)
            .map(|(number, &slot)| Param {
                name: names.get(number as usize).cloned().unwrap_or_else(|| format!("value{number}")),
                ty: slot_type(&mut program.types, slot),
                offset: 16 * number,
            })
            .collect();
        let void = program.types.push(Type { kind: TypeKind::Void, size: 0, align: 1, name: None });
        let function = Function { params, ret: void, ..Function::named("script") };
        let space = Space::new(&program, &function, limits, &[]).expect("numbers and pointers to numbers");
        Slots { slots: slots.to_vec(), space, fixed: Vec::new(), nulls: true }
    }

    /// Those of a script that keeps to rules: the first have the values of its opening.
    pub(crate) fn keeping(rules: &Rules, slots: &[Slot], limits: SpaceLimits) -> Slots {
        let fixed = rules.opening.values().to_vec();
        let own = slots.get(fixed.len()..).unwrap_or_default();
        Slots { fixed, nulls: rules.nulls, ..Slots::new(own, &[], limits) }
    }

    /// Where a search begins beside what it draws: with nothing that is null, if nothing may be.
    pub(crate) fn first(&self) -> Option<Input> {
        let empty: Vec<Value> =
            self.fixed.iter().cloned().chain(self.slots.iter().map(|s| empty(*s))).collect();
        if self.nulls { None } else { self.input(&empty) }
    }

    /// Where inputs come from.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The values that an input stands for.
    #[must_use]
    pub fn values(&self, input: &Input) -> Vec<Value> {
        let own = (0..).zip(&self.slots).map(|(root, &slot)| self.value(input, root, slot));
        self.fixed.iter().cloned().chain(own).collect()
    }

    /// An input that stands for these values; `None` if there is none: a text with other characters, more elements than are allowed.
    pub(crate) fn input(&self, values: &[Value]) -> Option<Input> {
        let mut input = Input::zero(&self.space);
        let own = values.get(self.fixed.len()..)?;
        for ((root, slot), value) in (0..).zip(&self.slots).zip(own) {
            let var = Var { object: root, cell: 0 };
            let cells: Vec<u128> = match (slot, value) {
                (_, Value::Null) => continue,
                (Slot::Primitive(primitive), value) => {
                    *input.cell_mut(var) = cell(*primitive, value)?;
                    continue;
                }
                (Slot::Boxed(primitive), Value::Boxed(value)) => vec![cell(*primitive, value)?],
                (Slot::Array(primitive), Value::Array(_, elements)) => {
                    let cells = elements.iter().map(|element| cell(*primitive, element));
                    cells.chain([Some(0)]).collect::<Option<_>>()?
                }
                (Slot::Text, Value::Text(units)) => {
                    let is_character = |unit: &u16| (1..256).contains(unit);
                    let cells = units.iter().map(|unit| is_character(unit).then_some(u128::from(*unit)));
                    let most = self.space.limits.elements as usize;
                    let room = ROOM.saturating_sub(units.len()).min(most.saturating_sub(units.len())).max(1);
                    cells.chain(std::iter::repeat_n(Some(0), room)).collect::<Option<_>>()?
                }
                _ => return None,
            };
            if !input.point_to_new(&self.space, var, cells.len() as u32) {
                return None;
            }
            input.objects.last_mut()?.cells.clone_from_slice(&cells);
        }
        Some(input)
    }

    fn value(&self, input: &Input, root: u32, slot: Slot) -> Value {
        let cell = input.cell(Var { object: root, cell: 0 });
        let cells = || match Pointer::decode(cell) {
            Pointer::Element { object, .. } => input.objects.get(object as usize).map(|o| o.cells.as_slice()),
            _ => None,
        };
        let null = || if self.nulls { Value::Null } else { empty(slot) };
        match slot {
            Slot::Primitive(primitive) => primitive.value(cell as u64),
            Slot::Boxed(primitive) => match cells().and_then(<[u128]>::first) {
                Some(&cell) => Value::Boxed(Box::new(primitive.value(cell as u64))),
                None => null(),
            },
            Slot::Array(primitive) => match cells() {
                Some(cells) => {
                    let cells = &cells[..cells.len().saturating_sub(1)];
                    Value::Array(primitive, cells.iter().map(|&cell| primitive.value(cell as u64)).collect())
                }
                None => null(),
            },
            Slot::Text => match cells() {
                Some(cells) => Value::Text(
                    cells.iter().take_while(|&&cell| cell != 0).map(|&cell| cell as u8 as u16).collect(),
                ),
                None => null(),
            },
        }
    }
}

/// The plainest value of a slot that is not null.
fn empty(slot: Slot) -> Value {
    match slot {
        Slot::Primitive(primitive) => primitive.zero(),
        Slot::Boxed(primitive) => Value::Boxed(Box::new(primitive.zero())),
        Slot::Array(primitive) => Value::Array(primitive, Vec::new()),
        Slot::Text => Value::Text(Vec::new()),
    }
}

/// The bits of a value as a cell has them.
fn cell(primitive: Primitive, value: &Value) -> Option<u128> {
    let bits = u128::from(value.bits()?);
    Some(bits & expr::mask(primitive.bits().into()))
}

/// Terms.
impl Slots {
    /// The variables of the slots, if these are the names of an input's cells and behind them of its lengths, see [`target::Target::trace`].
    pub(crate) fn symbols(&self, input: &Input, names: &[u32]) -> Vec<Symbols> {
        let mut first = vec![0];
        for object in &input.objects {
            first.push(first.last().copied().unwrap_or(0) + object.cells.len());
        }
        let of_object =
            |object: usize| names.get(first[object]..first[object + 1]).unwrap_or_default().iter().copied();
        let one = |(root, &slot): (usize, &Slot)| {
            let mut symbols = Symbols::default();
            let own = of_object(root).next().map(Variable);
            let reference = own.filter(|_| self.nulls);
            let target = match (slot, Pointer::decode(input.cell(Var { object: root as u32, cell: 0 }))) {
                (Slot::Primitive(_), _) => {
                    symbols.cells.extend(own);
                    return symbols;
                }
                (_, Pointer::Element { object, .. }) if (object as usize) < input.objects.len() => {
                    object as usize
                }
                _ => {
                    symbols.reference = reference;
                    return symbols;
                }
            };
            symbols.reference = reference;
            symbols.cells = of_object(target).map(Variable).collect();
            let cells = &input.objects[target].cells;
            match slot {
                Slot::Array(_) => {
                    symbols.cells.pop();
                    let length =
                        names.get(first[input.objects.len()] + target).filter(|&&name| name != NO_LENGTH);
                    symbols.length = length.map(|&name| (Variable(name), self.space.limits.elements));
                }
                Slot::Text => {
                    symbols.behind = Some(
                        cells.iter().skip_while(|&&cell| cell as u8 != 0).map(|&cell| cell as u8).collect(),
                    );
                }
                Slot::Primitive(_) | Slot::Boxed(_) => {}
            }
            symbols
        };
        let fixed = self.fixed.iter().map(|_| Symbols::default());
        fixed.chain(self.slots.iter().enumerate().map(one)).collect()
    }

    /// The object that the characters of a text are.
    pub(crate) fn text(&self, input: &Input, slot: u32) -> Option<u32> {
        let object = slot.checked_sub(self.fixed.len() as u32)?;
        match Pointer::decode(input.cell(Var { object, cell: 0 })) {
            Pointer::Element { object, .. } => Some(object),
            Pointer::Null | Pointer::Initial => None,
        }
    }

    /// Whether all are numbers.
    pub(crate) fn are_numbers(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, Slot::Primitive(_)))
    }
}

fn slot_type(types: &mut Types, slot: Slot) -> TypeId {
    let pointer = |types: &mut Types, to: TypeId| {
        types.push(Type { kind: TypeKind::Pointer { to }, size: 8, align: 8, name: None })
    };
    match slot {
        Slot::Primitive(primitive) => primitive_type(types, primitive),
        Slot::Boxed(primitive) | Slot::Array(primitive) => {
            let element = primitive_type(types, primitive);
            pointer(types, element)
        }
        Slot::Text => {
            let kind = TypeKind::Int { bits: 8, signed: false, character: true };
            let character = types.push(Type { kind, size: 1, align: 1, name: Some("char".into()) });
            pointer(types, character)
        }
    }
}

fn primitive_type(types: &mut Types, primitive: Primitive) -> TypeId {
    let bits = primitive.bits();
    let int = |signed| TypeKind::Int { bits, signed, character: false };
    let kind = match primitive {
        Primitive::Boolean => TypeKind::Bool,
        Primitive::Byte | Primitive::Short | Primitive::Int | Primitive::Long => int(true),
        Primitive::Char => int(false),
        Primitive::Float => TypeKind::Float(FloatKind::F32),
        Primitive::Double => TypeKind::Float(FloatKind::F64),
    };
    let size = u64::from(bits.div_ceil(8));
    types.push(Type { kind, size, align: size, name: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Slot; 5] = [
        Slot::Primitive(Primitive::Byte),
        Slot::Boxed(Primitive::Int),
        Slot::Array(Primitive::Double),
        Slot::Text,
        Slot::Primitive(Primitive::Boolean),
    ];

    #[test]
    fn zero_is_zero_and_null() {
        let slots = Slots::new(&ALL, &[], SpaceLimits::default());
        let values = slots.values(&Input::zero(slots.space()));
        assert_eq!(values, [Value::Byte(0), Value::Null, Value::Null, Value::Null, Value::Boolean(false)]);
    }

    #[test]
    fn pointers_lead_to_boxes_arrays_and_texts() {
        let slots = Slots::new(&ALL, &[], SpaceLimits::default());
        let space = slots.space();
        let mut input = Input::zero(space);
        *input.cell_mut(Var { object: 0, cell: 0 }) = 0xff;
        for (root, len) in [(1, 1), (2, 3), (3, 4)] {
            assert!(input.point_to_new(space, Var { object: root, cell: 0 }, len));
        }
        let first = space.roots.len() as u32;
        *input.cell_mut(Var { object: first, cell: 0 }) = 7;
        *input.cell_mut(Var { object: first + 1, cell: 1 }) = u128::from(2.5f64.to_bits());
        *input.cell_mut(Var { object: first + 2, cell: 0 }) = u128::from(b'o');
        *input.cell_mut(Var { object: first + 2, cell: 1 }) = u128::from(b'k');
        let doubles = [0.0, 2.5].map(|value: f64| Value::Double(value.to_bits())).to_vec();
        assert_eq!(
            slots.values(&input),
            [
                Value::Byte(-1),
                Value::Boxed(Box::new(Value::Int(7))),
                Value::Array(Primitive::Double, doubles),
                Value::Text(vec![u16::from(b'o'), u16::from(b'k')]),
                Value::Boolean(false),
            ]
        );
    }

    #[test]
    fn without_null_everything_is_there_and_an_opening_stays() {
        let slots = Slots {
            nulls: false,
            fixed: vec![Value::Int(12)],
            ..Slots::new(&ALL, &[], SpaceLimits::default())
        };
        let values = slots.values(&Input::zero(slots.space()));
        assert_eq!((values[0].clone(), values.contains(&Value::Null)), (Value::Int(12), false));
        let first = slots.first().expect("an input");
        assert_eq!(slots.values(&first), values);
        let cells: usize = first.objects.iter().map(|object| object.cells.len()).sum();
        let names: Vec<u32> = (0..(cells + first.objects.len()) as u32).collect();
        let symbols = slots.symbols(&first, &names);
        assert_eq!((symbols.len(), &symbols[0]), (6, &Symbols::default()));
        assert!(symbols.iter().all(|symbols| symbols.reference.is_none()));
    }

    #[test]
    fn random_inputs_have_values_for_all_slots() {
        let slots = Slots::new(&ALL, &[], SpaceLimits::default());
        let mut rng = input::Rng::with_seed(3);
        for _ in 0..200 {
            let values = slots.values(&Input::random(slots.space(), &mut rng));
            assert!(matches!(values[1], Value::Null | Value::Boxed(_)));
            assert!(matches!(&values[3], Value::Null | Value::Text(_)));
            // What is in the cells that no value shows does not come back.
            let again = slots.input(&values).expect("an input");
            assert_eq!(slots.values(&again), values);
        }
    }

    #[test]
    fn variables_are_where_the_values_are() {
        let slots = Slots::new(&ALL, &[], SpaceLimits::default());
        let space = slots.space();
        let mut input = Input::zero(space);
        for (root, len) in [(2, 1), (3, 4)] {
            assert!(input.point_to_new(space, Var { object: root, cell: 0 }, len));
        }
        let first = space.roots.len() as u32;
        *input.cell_mut(Var { object: first + 1, cell: 0 }) = u128::from(b'o');
        // Five roots, a cell of the empty array, four of the text, and the lengths of seven objects.
        let names: Vec<u32> = (0..10).chain([NO_LENGTH; 5]).chain([20, 21]).collect();
        let symbols = slots.symbols(&input, &names);
        let most = SpaceLimits::default().elements;
        assert_eq!(symbols[0], vec![Variable(0)].into());
        assert_eq!(symbols[1], Symbols { reference: Some(Variable(1)), ..Symbols::default() });
        let array = Symbols {
            reference: Some(Variable(2)),
            length: Some((Variable(20), most)),
            ..Symbols::default()
        };
        assert_eq!(symbols[2], array);
        let text = Symbols {
            cells: [6, 7, 8, 9].map(Variable).to_vec(),
            reference: Some(Variable(3)),
            behind: Some(vec![0, 0, 0]),
            length: None,
        };
        assert_eq!(symbols[3], text);
        assert_eq!(slots.values(&input)[2], Value::Array(Primitive::Double, Vec::new()));
        assert_eq!(slots.text(&input, 3), Some(first + 1));
    }
}
