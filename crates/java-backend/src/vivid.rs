//! Values with which a test shows what a call does: that a zero is stored where a zero was is seen by nobody.

use java_wire::{Action, Argument, Primitive, Script, Value};
use std::collections::HashSet;

/// Values that are tried one by one.
const MOST: usize = 8;
/// Numbers that are told apart, and are not what fields begin with.
const NUMBERS: [i64; 5] = [5, 3, 7, 2, 9];
/// Elements of an array that are told apart.
const ELEMENTS: i64 = 100;

/// Other values for a test, with fewer zeros: all at once, then one slot after the other, the last first. What the platform is given stays: it
/// may be the name of a file.
pub(crate) fn livelier(script: &Script, values: &[Value], is_own: impl Fn(&str) -> bool) -> Vec<Vec<Value>> {
    let takes = |action: &Action| match action {
        Action::Construct { class, .. } | Action::Invoke { class, .. } | Action::Store { class, .. } => {
            is_own(class)
        }
        Action::Array { .. } => true,
        _ => false,
    };
    let users = script.steps.iter().filter(|step| takes(&step.action));
    let free: HashSet<Argument> = users.flat_map(|step| step.arguments.iter().copied()).collect();
    let other = |(slot, value): (usize, &Value)| {
        lively(slot, value).filter(|_| free.contains(&Argument::Slot(slot as u32)))
    };
    let other: Vec<Option<Value>> = values.iter().enumerate().map(other).collect();
    let all = values.iter().zip(&other).map(|(value, other)| other.as_ref().unwrap_or(value).clone());
    let all: Vec<Value> = all.collect();
    let changed: Vec<usize> = (0..values.len()).rev().filter(|&slot| other[slot].is_some()).collect();
    let one = |&slot: &usize| {
        let mut values = values.to_vec();
        values[slot].clone_from(&all[slot]);
        values
    };
    let ones: Vec<Vec<Value>> = changed.iter().map(one).take(MOST).collect();
    match changed.len() {
        0 => Vec::new(),
        1 => ones,
        _ => std::iter::once(all).chain(ones).collect(),
    }
}

/// A livelier value for a slot, if the one it has says nothing.
fn lively(slot: usize, value: &Value) -> Option<Value> {
    match value {
        Value::Boxed(inner) => lively(slot, inner).map(|inner| Value::Boxed(Box::new(inner))),
        Value::Text(units) if units.is_empty() => Some(Value::Text(vec![letter(slot)])),
        Value::Array(primitive, elements) => {
            let is_dull = elements.iter().all(|element| element.bits() == Some(0)) && elements.len() > 1;
            // From the largest to the least, so that there is something to put in order.
            let lively = (1..=elements.len() as i64).rev().map(|n| number(*primitive, n % ELEMENTS));
            is_dull.then(|| Value::Array(*primitive, lively.collect()))
        }
        dull if dull.bits() == Some(0) => {
            dull.primitive().map(|primitive| number(primitive, NUMBERS[slot % NUMBERS.len()]))
        }
        _ => None,
    }
}

fn letter(slot: usize) -> u16 {
    u16::from(b'a') + (slot % 26) as u16
}

/// A small number as a value that people can read.
fn number(primitive: Primitive, number: i64) -> Value {
    primitive.value(match primitive {
        Primitive::Boolean => 1,
        Primitive::Char => u64::from(letter(number as usize)),
        Primitive::Float => u64::from((number as f32).to_bits()),
        Primitive::Double => (number as f64).to_bits(),
        _ => number as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::Step;

    fn lively_of(class: &str, values: &[Value]) -> Vec<Vec<Value>> {
        let descriptor = "()V".parse().expect("a descriptor");
        let action = Action::Construct { class: class.into(), descriptor };
        let arguments = (0..values.len() as u32).map(Argument::Slot).collect();
        let script = Script { steps: vec![Step { action, arguments }], ..Script::default() };
        livelier(&script, values, |class| class == "A")
    }

    #[test]
    fn zeros_become_numbers_that_are_told_apart() {
        let zeros = Value::Array(Primitive::Int, vec![Value::Int(0); 3]);
        let values = [Value::Int(0), Value::Long(8), zeros, Value::Double(0), Value::Null];
        let tried = lively_of("A", &values);
        let down = Value::Array(Primitive::Int, [3, 2, 1].map(Value::Int).to_vec());
        let two = Value::Double(2.0f64.to_bits());
        assert_eq!(tried[0], [Value::Int(5), Value::Long(8), down.clone(), two, Value::Null]);
        assert_eq!(tried.len(), 4);
        assert_eq!((&tried[2][0], &tried[2][2]), (&Value::Int(0), &down));
        assert_eq!(lively_of("A", &[Value::Int(1), Value::Null]), Vec::<Vec<Value>>::new());
        assert_eq!(lively_of("A", &[Value::Text(Vec::new())]), [[Value::Text(vec![u16::from(b'a')])]]);
        assert_eq!(lively_of("java/io/File", &[Value::Text(Vec::new())]), Vec::<Vec<Value>>::new());
    }
}
