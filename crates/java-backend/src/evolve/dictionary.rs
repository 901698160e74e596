//! Values for tests: few and plain ones, those that the code names, and some at random.

use super::pattern::{Pattern, is_given_pattern};
use input::Rng;
use java_classfile::instruction::Const;
use java_classfile::{ClassFile, Constant, Instruction, JavaText};
use java_wire::{Primitive, Slot, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Longest text and array that is made at random.
const LONGEST: usize = 8;
/// Longest list that is written twice.
const DOUBLED: usize = 32;
/// Numbers that are tried again and again, so that equal ones meet.
const FEW: i64 = 8;
/// Changes of texts that put in a whole word, of 256.
const WORDS: u8 = 40;
/// Arrays of bytes or characters that are texts, of 256: that is what streams are mostly read for.
const WRITTEN: u8 = 128;

/// What the code under test names.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Dictionary {
    integers: Vec<i64>,
    floats: Vec<f64>,
    texts: Vec<Vec<u16>>,
    /// What texts are held against.
    patterns: Vec<Pattern>,
}

impl Dictionary {
    /// The constants in the code of these classes.
    pub(crate) fn of<'c>(classes: impl IntoIterator<Item = &'c ClassFile>) -> Dictionary {
        let (mut integers, mut floats, mut texts) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut patterns = BTreeMap::new();
        let units = |text: &JavaText| text.units().into_owned();
        for class in classes {
            let code = class.methods.iter().filter_map(|method| method.code.as_ref());
            // Texts that the next call may be given.
            let mut pending: Vec<Vec<u16>> = Vec::new();
            for (_, instruction) in code.flat_map(|code| &code.instructions) {
                match instruction {
                    Instruction::Push(Const::Int(n)) => drop(integers.insert(i64::from(*n))),
                    Instruction::Push(Const::Long(n)) => drop(integers.insert(*n)),
                    Instruction::Push(Const::Float(n)) => drop(floats.insert(f64::from(*n).to_bits())),
                    Instruction::Push(Const::Double(n)) => drop(floats.insert(n.to_bits())),
                    Instruction::Push(Const::String(text)) => {
                        pending.extend(class.pool.string(*text).ok().map(units));
                        texts.extend(pending.last().cloned());
                    }
                    Instruction::Invoke { method, .. } => {
                        let is_pattern = class.pool.member(*method).is_ok_and(is_given_pattern);
                        let given = pending.drain(..).filter(|_| is_pattern);
                        patterns.extend(
                            given.filter_map(|text| Pattern::of(&text).map(|pattern| (text, pattern))),
                        );
                    }
                    Instruction::TableSwitch(switch) => {
                        integers.extend(switch.cases().map(|(key, _)| i64::from(key)));
                    }
                    Instruction::LookupSwitch(switch) => {
                        integers.extend(switch.cases.iter().map(|(key, _)| i64::from(*key)));
                    }
                    Instruction::InvokeDynamic(site) => {
                        for &label in class.switch_labels(*site).unwrap_or_default() {
                            match class.pool.get(label) {
                                Constant::Integer(n) => drop(integers.insert(i64::from(*n))),
                                _ => texts.extend(class.pool.string(label).ok().map(units)),
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Dictionary {
            integers: integers.into_iter().collect(),
            floats: floats.into_iter().map(f64::from_bits).collect(),
            texts: texts.into_iter().collect(),
            patterns: patterns.into_values().collect(),
        }
    }

    /// A value for a slot, sometimes null if it may be.
    pub(crate) fn value(&self, slot: Slot, nulls: bool, rng: &mut Rng) -> Value {
        match slot {
            Slot::Primitive(primitive) => self.number(primitive, rng),
            Slot::Boxed(_) | Slot::Text | Slot::Array(_) if nulls && rng.u8(..) < 16 => Value::Null,
            Slot::Boxed(primitive) => Value::Boxed(Box::new(self.number(primitive, rng))),
            Slot::Text => Value::Text(self.text(rng)),
            Slot::Array(primitive) if is_of_text(primitive) && rng.u8(..) < WRITTEN => {
                Value::Array(primitive, written(primitive, &self.text(rng)))
            }
            Slot::Array(primitive) => {
                let len = rng.usize(0..=LONGEST);
                Value::Array(primitive, (0..len).map(|_| self.number(primitive, rng)).collect())
            }
        }
    }

    /// A value near another, or just one.
    pub(crate) fn near(&self, slot: Slot, value: &Value, nulls: bool, rng: &mut Rng) -> Value {
        if rng.u8(..) < 64 {
            return self.value(slot, nulls, rng);
        }
        match (slot, value) {
            (Slot::Primitive(primitive), value) => self.beside(primitive, value, rng),
            (Slot::Boxed(primitive), Value::Boxed(value)) => {
                Value::Boxed(Box::new(self.beside(primitive, value, rng)))
            }
            (Slot::Text, Value::Text(units)) => {
                let mut units = units.clone();
                let character = |rng: &mut Rng| self.character(rng);
                // What code looks for in a text may be longer than a character.
                match self.word(rng).filter(|_| rng.u8(..) < WORDS) {
                    Some(word) => put_in(&mut units, word, rng),
                    None => change(&mut units, character, |_, rng| self.character(rng), rng),
                }
                Value::Text(units)
            }
            (Slot::Array(primitive), Value::Array(_, elements)) => {
                let mut elements = elements.clone();
                let number = |rng: &mut Rng| self.number(primitive, rng);
                match self.word(rng).filter(|_| is_of_text(primitive) && rng.u8(..) < WORDS) {
                    Some(word) => put_in(&mut elements, written(primitive, &word), rng),
                    None => change(&mut elements, number, |old, rng| self.beside(primitive, old, rng), rng),
                }
                Value::Array(primitive, elements)
            }
            _ => self.value(slot, nulls, rng),
        }
    }

    fn number(&self, primitive: Primitive, rng: &mut Rng) -> Value {
        let choice = rng.u8(..);
        match primitive {
            Primitive::Boolean => Value::Boolean(rng.bool()),
            Primitive::Float | Primitive::Double => {
                let number = match choice {
                    0..96 => rng.i64(-1..FEW) as f64,
                    96..160 if !self.floats.is_empty() => self.floats[rng.usize(..self.floats.len())],
                    160..200 => (rng.f64() - 0.5) * 2000.0,
                    200..230 => rng.i64(-1000..1000) as f64,
                    _ => f64::from_bits(rng.u64(..)),
                };
                float(primitive, number)
            }
            _ => {
                let number = match choice {
                    0..128 => rng.i64(-1..FEW),
                    128..200 if !self.integers.is_empty() => {
                        self.integers[rng.usize(..self.integers.len())].wrapping_add(rng.i64(-1..=1))
                    }
                    128..230 => rng.i64(-128..128),
                    _ => rng.i64(..) >> rng.u32(..63),
                };
                primitive.value(number as u64)
            }
        }
    }

    /// A number a step away, small steps more often than large ones.
    fn beside(&self, primitive: Primitive, value: &Value, rng: &mut Rng) -> Value {
        match *value {
            Value::Boolean(value) => Value::Boolean(!value),
            Value::Float(bits) => float(primitive, f64::from(f32::from_bits(bits)) + step(rng) as f64 / 4.0),
            Value::Double(bits) => float(primitive, f64::from_bits(bits) + step(rng) as f64 / 4.0),
            ref value => {
                let number = value.bits().unwrap_or_default();
                primitive.value(number.wrapping_add(step(rng) as u64))
            }
        }
    }

    fn text(&self, rng: &mut Rng) -> Vec<u16> {
        if let Some(word) = self.word(rng).filter(|_| rng.bool()) {
            return word;
        }
        (0..rng.usize(0..=LONGEST)).map(|_| self.character(rng)).collect()
    }

    /// A text that the code names, or one that fits a pattern that it names.
    fn word(&self, rng: &mut Rng) -> Option<Vec<u16>> {
        if !self.patterns.is_empty() && (self.texts.is_empty() || rng.bool()) {
            return self.example(rng);
        }
        (!self.texts.is_empty()).then(|| self.texts[rng.usize(..self.texts.len())].clone())
    }

    /// A text that fits one of the patterns.
    pub(crate) fn example(&self, rng: &mut Rng) -> Option<Vec<u16>> {
        let pattern = self.patterns.get(rng.usize(..self.patterns.len().max(1)))?;
        Some(pattern.example(rng))
    }

    fn character(&self, rng: &mut Rng) -> u16 {
        let printable = |n: i64| (32..127).contains(&n).then_some(n as u16);
        match rng.u8(..) {
            0..64 if !self.texts.is_empty() => {
                let text = &self.texts[rng.usize(..self.texts.len())];
                if text.is_empty() { u16::from(b' ') } else { text[rng.usize(..text.len())] }
            }
            64..128 if !self.integers.is_empty() => {
                printable(self.integers[rng.usize(..self.integers.len())]).unwrap_or(u16::from(b'0'))
            }
            0..160 => u16::from(b"0aA -."[rng.usize(..6)]),
            _ => rng.u16(32..127),
        }
    }
}

fn is_of_text(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::Byte | Primitive::Char)
}

/// A text as an array: its characters, or the bytes that they have in a file.
fn written(primitive: Primitive, units: &[u16]) -> Vec<Value> {
    match primitive {
        Primitive::Byte => {
            let bytes = String::from_utf16_lossy(units).into_bytes();
            bytes.into_iter().map(|byte| Value::Byte(byte.cast_signed())).collect()
        }
        _ => units.iter().map(|&unit| Value::Char(unit)).collect(),
    }
}

fn put_in<T>(list: &mut Vec<T>, word: Vec<T>, rng: &mut Rng) {
    let at = rng.usize(..=list.len());
    list.splice(at..at, word);
}

fn float(primitive: Primitive, number: f64) -> Value {
    match primitive {
        Primitive::Float => Value::Float((number as f32).to_bits()),
        _ => Value::Double(number.to_bits()),
    }
}

fn step(rng: &mut Rng) -> i64 {
    let size = 1i64 << rng.u32(..10).min(rng.u32(..10));
    if rng.bool() { size } else { -size }
}

/// Changes a list in one place: another element, one more or one less; or writes it twice, since some limits are far away.
fn change<T: Clone>(
    list: &mut Vec<T>,
    new: impl Fn(&mut Rng) -> T,
    other: impl Fn(&T, &mut Rng) -> T,
    rng: &mut Rng,
) {
    match rng.u8(..) {
        0..80 => list.insert(rng.usize(..=list.len()), new(rng)),
        80..140 if !list.is_empty() => drop(list.remove(rng.usize(..list.len()))),
        140..165 if list.len() <= DOUBLED => list.extend_from_within(..),
        _ if !list.is_empty() => {
            let at = rng.usize(..list.len());
            list[at] = other(&list[at], rng);
        }
        _ => list.push(new(rng)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: [Slot; 6] = [
        Slot::Primitive(Primitive::Byte),
        Slot::Primitive(Primitive::Double),
        Slot::Boxed(Primitive::Long),
        Slot::Text,
        Slot::Array(Primitive::Char),
        Slot::Array(Primitive::Boolean),
    ];

    fn fits(slot: Slot, value: &Value) -> bool {
        match (slot, value) {
            (Slot::Primitive(Primitive::Byte), Value::Byte(_))
            | (Slot::Primitive(Primitive::Double), Value::Double(_))
            | (Slot::Text, Value::Text(_) | Value::Null)
            | (Slot::Boxed(_) | Slot::Array(_), Value::Null) => true,
            (Slot::Boxed(Primitive::Long), Value::Boxed(value)) => matches!(**value, Value::Long(_)),
            (Slot::Array(Primitive::Char), Value::Array(Primitive::Char, elements)) => {
                elements.iter().all(|element| matches!(element, Value::Char(_)))
            }
            (Slot::Array(Primitive::Boolean), Value::Array(Primitive::Boolean, elements)) => {
                elements.iter().all(|element| matches!(element, Value::Boolean(_)))
            }
            _ => false,
        }
    }

    #[test]
    fn values_and_their_neighbours_fit_their_slots() {
        let dictionary = Dictionary {
            integers: vec![500],
            floats: vec![2.5],
            texts: vec![vec![u16::from(b'x')], Vec::new()],
            patterns: Pattern::of(&[u16::from(b'.')]).into_iter().collect(),
        };
        let mut rng = Rng::with_seed(5);
        for _ in 0..500 {
            for slot in SLOTS {
                let value = dictionary.value(slot, true, &mut rng);
                let near = dictionary.near(slot, &value, true, &mut rng);
                assert!(fits(slot, &value) && fits(slot, &near), "{slot:?}: {value:?}, {near:?}");
            }
        }
    }

    #[test]
    fn what_the_code_names_is_tried() {
        let (integers, texts) = (vec![77_777], vec![vec![1, 2, 3]]);
        let dictionary = Dictionary { integers, texts, ..Dictionary::default() };
        let mut rng = Rng::with_seed(1);
        let mut values =
            |slot: Slot| -> Vec<Value> { (0..200).map(|_| dictionary.value(slot, true, &mut rng)).collect() };
        assert!(values(Slot::Primitive(Primitive::Int)).contains(&Value::Int(77_777)));
        assert!(values(Slot::Text).contains(&Value::Text(vec![1, 2, 3])));
        let written = [1, 2, 3].map(Value::Byte).to_vec();
        assert!(values(Slot::Array(Primitive::Byte)).contains(&Value::Array(Primitive::Byte, written)));
        let old = Value::Text(vec![8, 9]);
        let changed: Vec<Value> =
            (0..200).map(|_| dictionary.near(Slot::Text, &old, true, &mut rng)).collect();
        assert!(changed.contains(&Value::Text(vec![8, 1, 2, 3, 9])));
    }
}
