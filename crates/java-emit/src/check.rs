//! Which tests can be written.

use crate::facts::Facts;
use crate::{JavaTest, Reason};
use java_wire::message::{End, Seen};
use java_wire::{Action, Argument, Step, Value};

/// Elements and characters of all values of a test: a method has 64 KiB of code, a text literal as many bytes.
const LARGEST: usize = 6000;

/// What a test can be written from.
pub(crate) fn check(test: &JavaTest, facts: &Facts) -> Result<(), Reason> {
    let script = &test.script;
    match &test.end {
        End::Returned if test.results.len() <= script.steps.len() => {}
        End::Threw { step, .. } if (*step as usize) < script.steps.len() => {}
        End::Returned | End::Threw { .. } => return Err(Reason::Malformed),
        End::OutOfTicks { .. } => return Err(Reason::OutOfTicks),
        End::Exited { .. } => return Err(Reason::Exits),
        End::Unusable { .. } => return Err(Reason::Unusable),
    }
    let steps = script.steps.iter().enumerate();
    let observers = script.observers.iter().map(|observer| (script.steps.len(), observer));
    let is_whole = |(at, step): (usize, &Step)| {
        step.arguments.iter().all(|argument| match argument {
            Argument::Null => true,
            Argument::Result(of) => (*of as usize) < at,
            Argument::Slot(slot) => (*slot as usize) < test.values.len(),
        }) && expected_arguments(&step.action).is_none_or(|count| count == step.arguments.len())
    };
    if script.steps.is_empty() || !steps.chain(observers).all(is_whole) {
        return Err(Reason::Malformed);
    }
    let is_unknown = |step: &Step| match &step.action {
        Action::Stub { class, .. } => facts.class(class).is_none(),
        _ => false,
    };
    if script.steps.iter().any(is_unknown) {
        return Err(Reason::UnknownStub);
    }
    let values: usize = test.values.iter().map(weight).sum();
    let seen: usize = test.results.last().into_iter().chain(&test.observed).map(seen_weight).sum();
    if values + seen > LARGEST { Err(Reason::TooLarge) } else { Ok(()) }
}

fn expected_arguments(action: &Action) -> Option<usize> {
    let receiver = |is_static: &bool| usize::from(!is_static);
    match action {
        Action::Construct { descriptor, .. } => Some(descriptor.parameters.len()),
        Action::Invoke { descriptor, is_static, .. } => {
            Some(descriptor.parameters.len() + receiver(is_static))
        }
        Action::Load { is_static, .. } => Some(receiver(is_static)),
        Action::Store { is_static, .. } => Some(1 + receiver(is_static)),
        Action::Stub { parameters, answers, .. } => Some(parameters.len() + answers.len()),
        Action::Array { .. } | Action::File { is_folder: true } => None,
        Action::File { is_folder: false } | Action::Look { .. } => Some(1),
    }
}

fn weight(value: &Value) -> usize {
    match value {
        Value::Text(units) => units.len(),
        Value::Array(_, elements) => elements.len(),
        _ => 1,
    }
}

fn seen_weight(seen: &Seen) -> usize {
    match seen {
        Seen::Value(value) => weight(value),
        Seen::Array(_, _, elements) => elements.iter().map(seen_weight).sum(),
        Seen::Object(_, Some(text)) => text.len(),
        _ => 1,
    }
}
