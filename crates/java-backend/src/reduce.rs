//! Smaller tests that do the same: fewer steps, then plainer values.

use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};
use std::collections::BTreeSet;

/// Steps towards a plainer value, and places in a text or array that are tried one by one.
const STEPS: usize = 24;
const MOST: usize = 12;
/// Numbers that are good enough.
const PLAIN: u64 = 100;

/// Drops steps and makes values plain as long as `holds` says that the test is still good. It is asked about every try.
pub(crate) fn reduce(
    script: Script,
    values: Vec<Value>,
    holds: &mut dyn FnMut(&Script, &[Value]) -> bool,
) -> (Script, Vec<Value>) {
    let (mut script, mut values) = (script, values);
    let mut step = script.steps.len().saturating_sub(1);
    while step > 0 {
        step -= 1;
        if let Some((shorter, fewer)) = without(&script, &values, step)
            && holds(&shorter, &fewer)
        {
            step = step.min(shorter.steps.len().saturating_sub(1));
            (script, values) = (shorter, fewer);
        }
    }
    for slot in 0..values.len() {
        let mut good = |value: &Value, values: &mut Vec<Value>| {
            let old = std::mem::replace(&mut values[slot], value.clone());
            let is_good = holds(&script, values);
            if !is_good {
                values[slot] = old;
            }
            is_good
        };
        let _ = plainer(script.slots[slot], &values[slot]).iter().any(|plain| good(plain, &mut values));
        // What a solver or chance has chosen, made plainer step by step.
        for _ in 0..STEPS {
            let next = nicer(&values[slot]);
            if !next.iter().any(|nicer| good(nicer, &mut values)) {
                break;
            }
        }
    }
    (script, values)
}

/// Values between a value and a plain one, those that are furthest from it first.
fn nicer(value: &Value) -> Vec<Value> {
    match value {
        Value::Boxed(inner) => nicer(inner).into_iter().map(|value| Value::Boxed(Box::new(value))).collect(),
        Value::Text(units) => {
            let ugly = |unit: &u16| !(32..127).contains(unit);
            let plain = |unit: &u16| if ugly(unit) { u16::from(b'a') } else { *unit };
            let all: Vec<u16> = units.iter().map(plain).collect();
            let one_less = (0..units.len().min(MOST)).rev().map(|at| without_one(units, at));
            let ones = (0..units.len().min(MOST)).filter(|&at| ugly(&units[at])).map(|at| {
                let mut text = units.clone();
                text[at] = u16::from(b'a');
                text
            });
            let texts = std::iter::once(all).chain(one_less).chain(ones);
            texts.filter(|text| text != units).map(Value::Text).collect()
        }
        Value::Array(primitive, elements) => {
            let one_less = (0..elements.len().min(MOST)).rev().map(|at| without_one(elements, at));
            let zero = primitive.zero();
            let zeros = (0..elements.len().min(MOST)).filter(|&at| elements[at] != zero).map(|at| {
                let mut array = elements.clone();
                array[at] = zero.clone();
                array
            });
            one_less.chain(zeros).map(|elements| Value::Array(*primitive, elements)).collect()
        }
        number => number.primitive().map_or(Vec::new(), |primitive| nearer_to_zero(primitive, number)),
    }
}

fn without_one<T: Clone>(list: &[T], at: usize) -> Vec<T> {
    list[..at].iter().chain(&list[at + 1..]).cloned().collect()
}

/// Half of a number, and rounder ones.
fn nearer_to_zero(primitive: Primitive, value: &Value) -> Vec<Value> {
    let number: i64 = match *value {
        Value::Byte(n) => n.into(),
        Value::Short(n) => n.into(),
        Value::Int(n) => n.into(),
        Value::Long(n) => n,
        _ => return Vec::new(),
    };
    let round = |digits: u32| number / 10i64.pow(digits) * 10i64.pow(digits);
    let rounds = (1..18).rev().map(round);
    let nearer = [number / 2]
        .into_iter()
        .chain(rounds)
        .filter(|&n| n != number && n != 0 && number.unsigned_abs() > PLAIN);
    let mut seen = BTreeSet::new();
    nearer.filter(|&n| seen.insert(n)).map(|n| primitive.value(n as u64)).collect()
}

/// The test with nothing but its last step and what that is given, and what makes that. `None` if there is nothing else.
pub(crate) fn needed(script: &Script, values: &[Value]) -> Option<(Script, Vec<Value>)> {
    let last = script.steps.len().checked_sub(1)?;
    let mut keep = vec![false; script.steps.len()];
    keep[last] = true;
    for at in (0..=last).rev() {
        let of = |argument: &Argument| match argument {
            Argument::Result(of) => Some(*of as usize),
            Argument::Null | Argument::Slot(_) => None,
        };
        let makers = script.steps[at].arguments.iter().filter_map(of).filter(|_| keep[at]);
        makers.collect::<Vec<_>>().into_iter().for_each(|maker| keep[maker] = true);
    }
    (!keep.iter().all(|kept| *kept)).then(|| keeping(script, values, &keep))
}

/// The test without a step, and without those that work on its result; where it is only an argument, null takes its place.
pub(crate) fn without(script: &Script, values: &[Value], dropped: usize) -> Option<(Script, Vec<Value>)> {
    let last = script.steps.len() - 1;
    let mut keep = vec![true; script.steps.len()];
    keep[dropped] = false;
    for (number, step) in script.steps.iter().enumerate().skip(dropped + 1) {
        if has_receiver(&step.action)
            && let Some(Argument::Result(receiver)) = step.arguments.first()
            && !keep[*receiver as usize]
        {
            keep[number] = false;
        }
    }
    if !keep[last] {
        return None;
    }
    Some(keeping(script, values, &keep))
}

/// The test with those steps that are kept.
fn keeping(script: &Script, values: &[Value], keep: &[bool]) -> (Script, Vec<Value>) {
    let mut moved = Vec::new();
    let mut next = 0;
    for &kept in keep {
        moved.push(kept.then_some(next));
        next += u32::from(kept);
    }
    let mut out = Script::default();
    let mut fewer = Vec::new();
    for (step, _) in script.steps.iter().zip(keep).filter(|(_, kept)| **kept) {
        out.steps.push(renumbered(step, &moved, &mut |slot| {
            out.slots.push(script.slots[slot as usize]);
            fewer.push(values[slot as usize].clone());
            fewer.len() as u32 - 1
        }));
    }
    let is_there = |step: &&Step| {
        step.arguments.iter().all(|a| !matches!(a, Argument::Result(r) if moved[*r as usize].is_none()))
    };
    let observers = script.observers.iter().filter(is_there);
    out.observers = observers.map(|step| renumbered(step, &moved, &mut |slot| slot)).collect();
    (out, fewer)
}

fn renumbered(step: &Step, moved: &[Option<u32>], slot: &mut dyn FnMut(u32) -> u32) -> Step {
    let argument = |argument: &Argument| match *argument {
        Argument::Result(result) => moved[result as usize].map_or(Argument::Null, Argument::Result),
        Argument::Slot(number) => Argument::Slot(slot(number)),
        Argument::Null => Argument::Null,
    };
    Step { action: step.action.clone(), arguments: step.arguments.iter().map(argument).collect() }
}

fn has_receiver(action: &Action) -> bool {
    match action {
        Action::Invoke { is_static, .. }
        | Action::Load { is_static, .. }
        | Action::Store { is_static, .. } => !is_static,
        Action::Construct { .. }
        | Action::Array { .. }
        | Action::Stub { .. }
        | Action::File { .. }
        | Action::Look { .. } => false,
    }
}

/// Values that are easier to read, the plainest first.
fn plainer(slot: Slot, value: &Value) -> Vec<Value> {
    let numbers = |primitive: Primitive| -> Vec<Value> {
        let bits = |n: i64| match primitive {
            Primitive::Float => u64::from((n as f32).to_bits()),
            Primitive::Double => (n as f64).to_bits(),
            _ => n as u64,
        };
        [0, 1, -1, 2, 5, 10, 100].map(|n| primitive.value(bits(n))).to_vec()
    };
    let until = |all: Vec<Value>, value: &Value| all.into_iter().take_while(|plain| plain != value).collect();
    match (slot, value) {
        (Slot::Primitive(primitive), value) => until(numbers(primitive), value),
        (Slot::Boxed(primitive), Value::Boxed(inner)) => {
            let plain: Vec<Value> = until(numbers(primitive), inner);
            plain.into_iter().map(|value| Value::Boxed(Box::new(value))).collect()
        }
        (Slot::Text, Value::Text(units)) if !units.is_empty() => {
            let shorter = (0..units.len().min(8)).map(|n| units[..n].to_vec());
            let letters = units.iter().map(|_| u16::from(b'a')).collect();
            shorter.chain([letters]).map(Value::Text).filter(|plain| plain != value).collect()
        }
        (Slot::Array(primitive), Value::Array(_, elements)) => {
            let shorter = (0..elements.len().min(8)).map(|n| elements[..n].to_vec());
            let zeros = elements.iter().map(|_| primitive.zero()).collect();
            let all = shorter.chain([zeros]).map(|elements| Value::Array(primitive, elements));
            all.filter(|plain| plain != value).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Vec<Argument>) -> Step {
        let descriptor = "(I)V".parse().expect("a descriptor");
        Step {
            action: Action::Invoke { class: "A".into(), name: name.into(), descriptor, is_static: false },
            arguments,
        }
    }

    fn example() -> (Script, Vec<Value>) {
        let make = Step {
            action: Action::Construct { class: "A".into(), descriptor: "()V".parse().expect("a descriptor") },
            arguments: Vec::new(),
        };
        let on = |object, slot| vec![Argument::Result(object), Argument::Slot(slot)];
        let steps = vec![make.clone(), make, call("x", on(0, 0)), call("y", on(1, 1)), call("z", on(0, 2))];
        let slots = vec![Slot::Primitive(Primitive::Int); 3];
        (Script { slots, steps, observers: Vec::new() }, [7, 8, 9].map(Value::Int).to_vec())
    }

    #[test]
    fn what_does_not_matter_goes() {
        let (script, values) = example();
        // The test is good if `z` comes last, is called with more than 4, and `x` came before.
        let mut holds = |script: &Script, values: &[Value]| {
            let named = |step: &Step, wanted: &str| matches!(&step.action, Action::Invoke { name, .. } if name == wanted);
            let x = script.steps.iter().any(|step| named(step, "x"));
            let last = script.steps.last().is_some_and(|step| named(step, "z"));
            x && last && matches!(values.last(), Some(Value::Int(n)) if *n > 4)
        };
        let (script, values) = reduce(script, values, &mut holds);
        assert_eq!(script.steps.len(), 3);
        assert_eq!(values, [Value::Int(0), Value::Int(5)]);
        assert_eq!(script.steps[2].arguments, [Argument::Result(0), Argument::Slot(1)]);
    }

    #[test]
    fn what_a_solver_has_chosen_becomes_plainer() {
        let nice = |slot: Slot, value: Value, is_good: &dyn Fn(&Value) -> bool| {
            let step = call("x", vec![Argument::Slot(0)]);
            let script = Script { slots: vec![slot], steps: vec![step], observers: Vec::new() };
            reduce(script, vec![value], &mut |_, values| is_good(&values[0])).1.remove(0)
        };
        let int = Slot::Primitive(Primitive::Int);
        let above = |least: i32| move |value: &Value| matches!(value, Value::Int(n) if *n >= least);
        assert_eq!(nice(int, Value::Int(1_073_741_831), &above(300)), Value::Int(500));
        assert_eq!(nice(int, Value::Int(7348), &above(7348)), Value::Int(7348));
        let below = |value: &Value| matches!(value, Value::Int(n) if *n < -3000);
        let Value::Int(small) = nice(int, Value::Int(i32::MIN), &below) else { panic!("a number") };
        assert!((-4000..-3000).contains(&small), "{small}");
        let text = |text: &str| Value::Text(text.encode_utf16().collect());
        let has_dot =
            |value: &Value| matches!(value, Value::Text(units) if units.len() > 2 && units.contains(&46));
        assert_eq!(nice(Slot::Text, text("\u{1}q\u{7}.\u{1}\u{3}x"), &has_dot), text("aq."));
        let bytes =
            |bytes: &[i8]| Value::Array(Primitive::Byte, bytes.iter().map(|&n| Value::Byte(n)).collect());
        let has_nine =
            |value: &Value| matches!(value, Value::Array(_, e) if e.len() > 1 && e.contains(&Value::Byte(9)));
        assert_eq!(nice(Slot::Array(Primitive::Byte), bytes(&[4, 77, 9, -3]), &has_nine), bytes(&[0, 9]));
    }

    #[test]
    fn what_the_last_step_is_not_given_goes_at_once() {
        let (script, values) = example();
        let (needed, fewer) = needed(&script, &values).expect("there is more");
        assert_eq!((needed.steps.len(), fewer), (2, vec![Value::Int(9)]));
        assert_eq!(needed.steps[1].arguments, [Argument::Result(0), Argument::Slot(0)]);
        assert!(super::needed(&needed, &[Value::Int(9)]).is_none());
    }

    #[test]
    fn the_receiver_of_the_last_step_stays() {
        let (script, values) = example();
        assert!(without(&script, &values, 0).is_none());
        let (shorter, fewer) = without(&script, &values, 1).expect("nobody else needs it");
        assert_eq!((shorter.steps.len(), fewer), (3, vec![Value::Int(7), Value::Int(9)]));
    }
}
