//! What tests say of how things are when they are through: first what the call under test has changed, and no more than people like to read.

use crate::confirm::once;
use crate::program::JavaProgram;
use java_classfile::Type;
use java_frontend::{ArrayKind, Effects};
use java_wire::message::{End, Reply, Seen};
use java_wire::{Action, Argument, Script, Slot, Step, Value};
use java_worker::{Host, StartError};
use model::FunctionId;
use std::collections::BTreeSet;

/// Assertions of a test, that of its result among them.
const MOST: usize = 5;
/// Assertions after which nothing more is said of what has not changed.
const ENOUGH: usize = 2;
/// Elements of an array that something gives, and characters of what a collection prints.
const ELEMENTS: usize = 16;
const CHARACTERS: usize = 80;

/// Lets a script look into the arrays that it passes.
pub(crate) fn look_into_arrays(script: &mut Script) {
    let mut seen = BTreeSet::new();
    let passes = |action: &Action| {
        matches!(action, Action::Construct { .. } | Action::Invoke { .. } | Action::Store { .. })
    };
    let passed = script.steps.iter().filter(|step| passes(&step.action)).flat_map(|step| &step.arguments);
    for &argument in passed {
        let (key, ty) = match argument {
            Argument::Slot(slot) => match script.slots.get(slot as usize) {
                Some(Slot::Array(primitive)) => ((0, slot), Type::Array(Box::new(primitive.ty()))),
                _ => continue,
            },
            Argument::Result(step) => match script.steps[step as usize].action.result() {
                Some(ty @ Type::Array(_)) => ((1, step), ty),
                _ => continue,
            },
            Argument::Null => continue,
        };
        if seen.insert(key) {
            script.observers.push(Step { action: Action::Look { ty }, arguments: vec![argument] });
        }
    }
}

/// The script without its last step, and which of its observers look at what was there before that.
fn without_last(script: &Script) -> (Script, Vec<usize>) {
    let last = script.steps.len().saturating_sub(1);
    let was_there = |observer: &Step| !observer.arguments.contains(&Argument::Result(last as u32));
    let old: Vec<usize> =
        (0..script.observers.len()).filter(|&number| was_there(&script.observers[number])).collect();
    let observers = old.iter().map(|&number| script.observers[number].clone()).collect();
    let steps = script.steps[..last].to_vec();
    (Script { slots: script.slots.clone(), steps, observers }, old)
}

/// Which observers of a test look at something that a method may change.
fn touched(program: &JavaProgram, method: FunctionId, script: &Script) -> Vec<bool> {
    let does = program.summaries.of(method);
    let touches = |does: &Effects, observer: &Step| match &observer.action {
        Action::Invoke { class, name, descriptor, .. } => {
            let id = program.model.methods.get(class, name, &descriptor.to_string());
            id.and_then(|id| program.summaries.of(id)).is_some_and(|looks| {
                looks.uses.iter().any(|place| does.defines.contains(place))
                    || looks.loads.iter().any(|array| does.stores.contains(array))
            })
        }
        Action::Load { class, name, is_static, .. } => {
            program.summaries.field(class, name, *is_static).is_some_and(|place| does.defines.contains(place))
        }
        Action::Look { ty: Type::Array(element) } => {
            does.stores.contains(ArrayKind::of_type(element).number())
        }
        _ => false,
    };
    script.observers.iter().map(|observer| does.is_some_and(|does| touches(does, observer))).collect()
}

/// Whether somebody sees that the last step has changed something, of what it may change. Nothing if there is no such thing, or if it throws.
pub(crate) fn shows(
    program: &JavaProgram,
    host: &mut Host,
    method: FunctionId,
    script: &Script,
    values: &[Value],
) -> Result<Option<bool>, StartError> {
    let touched = touched(program, method, script);
    if !touched.contains(&true) {
        return Ok(None);
    }
    let Some(ran) = once(program, host, script, values, true)? else { return Ok(None) };
    if ran.reply.end != End::Returned {
        return Ok(None);
    }
    let before = before(program, host, script, values)?;
    let news = before.iter().zip(&ran.reply.observed).zip(touched).filter(|(_, touched)| *touched);
    Ok(Some(news.map(|(seen, _)| seen).any(|(before, seen)| is_news(before.as_ref(), seen))))
}

/// What the observers of a test see before its last step; nothing of what is not there yet.
fn before(
    program: &JavaProgram,
    host: &mut Host,
    script: &Script,
    values: &[Value],
) -> Result<Vec<Option<Seen>>, StartError> {
    let (earlier, old) = without_last(script);
    let mut before = vec![None; script.observers.len()];
    if let Some(ran) = once(program, host, &earlier, values, true)? {
        for (number, seen) in old.into_iter().zip(ran.reply.observed) {
            before[number] = Some(seen);
        }
    }
    Ok(before)
}

/// The observers of a test that has run twice which are worth to be written: they see the same both times, and more than they saw before the
/// last step.
pub(crate) fn told(
    program: &JavaProgram,
    host: &mut Host,
    (method, script, values): (FunctionId, &Script, &[Value]),
    (one, two): (&Reply, &Reply),
    results: &[Seen],
) -> Result<Vec<usize>, StartError> {
    if one.observed.is_empty() {
        return Ok(Vec::new());
    }
    let seen = |number: usize| {
        let seen = one.observed.get(number).filter(|&seen| two.observed.get(number) == Some(seen));
        seen.filter(|_| is_written(&script.observers[number], results)).cloned()
    };
    let seen: Vec<Option<Seen>> = (0..script.observers.len()).map(seen).collect();
    let before = before(program, host, script, values)?;
    let touched = touched(program, method, script);
    let sight =
        Sight { script, values, end: &one.end, results, seen: &seen, before: &before, touched: &touched };
    Ok(sight.worth_telling())
}

/// Whether tests look at an object: not if nothing can be said of it.
fn is_written(observer: &Step, results: &[Seen]) -> bool {
    observer.arguments.iter().all(|argument| match argument {
        Argument::Result(of) => {
            results.get(*of as usize).is_some_and(|seen| !matches!(seen, Seen::Null | Seen::Void))
        }
        _ => true,
    })
}

/// A test that has run, and what its observers saw.
struct Sight<'a> {
    script: &'a Script,
    values: &'a [Value],
    end: &'a End,
    results: &'a [Seen],
    /// Nothing of what cannot be relied on.
    seen: &'a [Option<Seen>],
    /// The same before the last step; nothing of what was not there.
    before: &'a [Option<Seen>],
    /// Whether it is about something that the call under test may change.
    touched: &'a [bool],
}

impl Sight<'_> {
    /// The numbers of the observers that are worth to be written, in the order in which they are.
    fn worth_telling(&self) -> Vec<usize> {
        let by_result = usize::from(self.says_how_it_ends());
        let numbers = (0..self.script.observers.len()).filter(|&number| self.can_be_told(number));
        let (mut changed, same): (Vec<usize>, Vec<usize>) = numbers.partition(|&number| self.changed(number));
        changed.sort_by_key(|&number| self.remoteness(number));
        changed.truncate(MOST - by_result);
        let near = || same.iter().copied().filter(|&number| self.is_near(number));
        let touched = || near().filter(|&number| self.touched[number]);
        let news = touched().filter(|&number| !self.is_just_set(number) && !self.is_array(number));
        changed.extend(news.take(ENOUGH.saturating_sub(by_result + changed.len())));
        if by_result + changed.len() == 0 {
            changed.extend(touched().chain(near()).next());
        }
        changed
    }

    fn last(&self) -> usize {
        self.script.steps.len().saturating_sub(1)
    }

    fn says_how_it_ends(&self) -> bool {
        let is_new = matches!(self.script.steps[self.last()].action, Action::Construct { .. });
        match self.results.get(self.last()) {
            _ if *self.end != End::Returned => true,
            Some(Seen::Object(_, None)) => !is_new,
            seen => !matches!(seen, None | Some(Seen::Void)),
        }
    }

    fn can_be_told(&self, number: usize) -> bool {
        let observer = &self.script.observers[number];
        let Some(seen) = &self.seen[number] else { return false };
        let is_whole = match &observer.action {
            Action::Look { .. } => matches!(seen, Seen::Array(..)) && is_simple(seen, usize::MAX),
            _ => is_simple(seen, ELEMENTS),
        };
        is_whole && !self.is_last_step(observer) && !self.is_said_before(number)
    }

    /// Whether it does once more what the test is for.
    fn is_last_step(&self, observer: &Step) -> bool {
        let last = &self.script.steps[self.last()];
        *self.end == End::Returned && self.key(observer) == self.key(last)
    }

    /// Whether one before it looks at the same object, which has two names.
    fn is_said_before(&self, number: usize) -> bool {
        let key = self.key(&self.script.observers[number]);
        self.script.observers[..number].iter().any(|other| self.key(other) == key)
    }

    /// What is looked at in which object, whatever name that has.
    fn key<'s>(&self, step: &'s Step) -> (u8, &'s str, Option<Type>, Vec<Argument>) {
        let (kind, name) = match &step.action {
            Action::Invoke { name, .. } => (0, name.as_str()),
            Action::Load { name, .. } => (1, name.as_str()),
            Action::Look { .. } => (2, ""),
            _ => (3, ""),
        };
        let object = |argument: &Argument| match *argument {
            Argument::Result(of) => match self.results.get(of as usize) {
                Some(Seen::Same(first)) => Argument::Result(*first),
                _ => *argument,
            },
            other => other,
        };
        (kind, name, step.action.result(), step.arguments.iter().map(object).collect())
    }

    fn changed(&self, number: usize) -> bool {
        let is_new = self.script.observers[number].arguments.contains(&Argument::Result(self.last() as u32));
        match &self.before[number] {
            Some(before) => Some(before) != self.seen[number].as_ref(),
            None => is_new,
        }
    }

    /// What is near to the call under test comes first; what a new object has by nature last.
    fn remoteness(&self, number: usize) -> (bool, bool) {
        let observer = &self.script.observers[number];
        let last = &self.script.steps[self.last()].arguments;
        let is_there = |argument: &Argument| {
            last.contains(argument) || *argument == Argument::Result(self.last() as u32)
        };
        let is_remote = !observer.arguments.iter().any(is_there);
        (is_remote, self.before[number].is_none() && self.seen[number].as_ref().is_some_and(is_plain))
    }

    /// Whether it looks at something that the call under test is given.
    fn is_near(&self, number: usize) -> bool {
        let last = &self.script.steps[self.last()].arguments;
        self.script.observers[number].arguments.iter().any(|argument| last.contains(argument))
    }

    fn is_array(&self, number: usize) -> bool {
        matches!(self.script.observers[number].action, Action::Look { .. })
    }

    /// Whether the test itself has put there what is seen.
    fn is_just_set(&self, number: usize) -> bool {
        let Some(seen) = &self.seen[number] else { return false };
        let object = self.script.observers[number].arguments.first();
        let passes = |argument: &Argument| match argument {
            Argument::Slot(slot) => match seen {
                Seen::Value(value) => self.values.get(*slot as usize).map(unboxed) == Some(unboxed(value)),
                Seen::Null => self.values.get(*slot as usize) == Some(&Value::Null),
                _ => false,
            },
            Argument::Result(of) => self.results.get(*of as usize) == Some(seen),
            Argument::Null => *seen == Seen::Null,
        };
        (0..self.last()).any(|at| {
            let step = &self.script.steps[at];
            let is_its = object == Some(&Argument::Result(at as u32)) || step.arguments.first() == object;
            is_its && step.arguments.iter().any(passes)
        })
    }
}

/// Whether all of it can be written down, in few words.
fn is_simple(seen: &Seen, elements: usize) -> bool {
    match seen {
        Seen::Null | Seen::Value(_) | Seen::Enum(..) => true,
        Seen::Array(_, length, all) => {
            *length as usize == all.len()
                && all.len() <= elements
                && all.iter().all(|one| is_simple(one, elements))
        }
        Seen::Object(class, Some(text)) => {
            // The order of what is found by its hash is anybody's.
            class.starts_with("java/util/") && !class.contains("Hash") && text.len() <= CHARACTERS
        }
        Seen::Same(_) => true,
        Seen::Void | Seen::Object(_, None) | Seen::Threw(_) => false,
    }
}

/// Whether what is seen is not what was there before, nor what a new object holds by nature.
fn is_news(before: Option<&Seen>, seen: &Seen) -> bool {
    before.map_or(!is_plain(seen), |before| before != seen)
}

/// What fields hold that nobody has written to.
fn is_plain(seen: &Seen) -> bool {
    match seen {
        Seen::Null => true,
        Seen::Value(value) => match unboxed(value) {
            Value::Text(units) => units.is_empty(),
            Value::Array(_, elements) => elements.is_empty(),
            number => number.bits() == Some(0),
        },
        _ => false,
    }
}

fn unboxed(value: &Value) -> &Value {
    if let Value::Boxed(inner) = value { inner } else { value }
}
