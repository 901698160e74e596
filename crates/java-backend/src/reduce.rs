//! Smaller tests that do the same: fewer steps, then plainer values.

use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};

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
        for plain in plainer(script.slots[slot], &values[slot]) {
            let mut tried = values.clone();
            tried[slot] = plain;
            if holds(&script, &tried) {
                values = tried;
                break;
            }
        }
    }
    (script, values)
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
        Action::Construct { .. } | Action::Array { .. } | Action::Stub { .. } | Action::File { .. } => false,
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
