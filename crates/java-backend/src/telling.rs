//! What tests say of how things are when they are through: first what the call under test has changed, and no more than people like to read.

use crate::confirm::{AS_NEW, once};
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
    let Some(ran) = once(program, host, script, values, AS_NEW)? else { return Ok(None) };
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
    if let Some(ran) = once(program, host, &earlier, values, AS_NEW)? {
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
        let is_near = |&number: &usize| self.is_near(number) && !self.is_of_every_object(number);
        let near = || same.iter().copied().filter(is_near);
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

    /// What is near to the call under test comes first; what a new object has by nature, and what only follows from its fields, last.
    fn remoteness(&self, number: usize) -> (bool, bool, bool) {
        let observer = &self.script.observers[number];
        let last = &self.script.steps[self.last()].arguments;
        let is_there = |argument: &Argument| {
            last.contains(argument) || *argument == Argument::Result(self.last() as u32)
        };
        let is_remote = !observer.arguments.iter().any(is_there);
        let is_plain = self.before[number].is_none() && self.seen[number].as_ref().is_some_and(is_plain);
        (self.is_of_every_object(number), is_remote, is_plain)
    }

    fn is_of_every_object(&self, number: usize) -> bool {
        let action = &self.script.observers[number].action;
        matches!(action, Action::Invoke { name, .. } if ["hashCode", "toString"].contains(&name.as_str()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::Primitive;

    fn invoke(name: &str, descriptor: &str, is_static: bool) -> Action {
        let descriptor = descriptor.parse().expect("a descriptor");
        Action::Invoke { class: "A".into(), name: name.into(), descriptor, is_static }
    }

    fn step(action: Action, arguments: &[Argument]) -> Step {
        Step { action, arguments: arguments.to_vec() }
    }

    fn load(name: &str, object: Option<Argument>) -> Step {
        let ty = Type::Int;
        let action = Action::Load { class: "A".into(), name: name.into(), ty, is_static: object.is_none() };
        step(action, object.as_slice())
    }

    fn int(number: i32) -> Option<Seen> {
        Some(Seen::Value(Value::Int(number)))
    }

    const OBJECT: Argument = Argument::Result(0);

    /// `A a = new A(slot 0); a.work(slot 1, slot 2)`, looked at by getters and fields.
    fn script(result: &str) -> Script {
        let construct = Action::Construct { class: "A".into(), descriptor: "(I)V".parse().expect("one") };
        let work = invoke("work", &format!("(I[I){result}"), false);
        let slots = vec![Slot::Primitive(Primitive::Int), Slot::Primitive(Primitive::Int)];
        let getter = |name: &str| step(invoke(name, "()I", false), &[OBJECT]);
        Script {
            slots: slots.into_iter().chain([Slot::Array(Primitive::Int)]).collect(),
            steps: vec![
                step(construct, &[Argument::Slot(0)]),
                step(work, &[OBJECT, Argument::Slot(1), Argument::Slot(2)]),
            ],
            observers: vec![getter("first"), getter("size"), load("field", Some(OBJECT)), load("all", None)],
        }
    }

    fn told(result: &str, seen: &[Option<Seen>], before: &[Option<Seen>], touched: &[bool]) -> Vec<usize> {
        let mut script = script(result);
        look_into_arrays(&mut script);
        assert_eq!(script.observers[4].arguments, [Argument::Slot(2)]);
        let values = [Value::Int(7), Value::Int(8), Value::Array(Primitive::Int, Vec::new())];
        let last = if result == "V" { Seen::Void } else { Seen::Value(Value::Int(1)) };
        let results = [Seen::Object("A".into(), None), last];
        let end = &End::Returned;
        let sight = Sight { script: &script, values: &values, end, results: &results, seen, before, touched };
        sight.worth_telling()
    }

    fn array(numbers: &[i32]) -> Option<Seen> {
        let elements: Vec<Seen> = numbers.iter().map(|n| Seen::Value(Value::Int(*n))).collect();
        Some(Seen::Array("[I".into(), numbers.len() as u32, elements))
    }

    #[test]
    fn what_has_changed_is_told() {
        let before = [int(7), int(0), int(2), int(4), array(&[2, 1])];
        let after = [int(7), int(0), int(3), int(5), array(&[1, 2])];
        // The static field is further away than the object and the array.
        assert_eq!(told("V", &after, &before, &[true; 5]), [2, 4, 3]);
        // What two machines do not agree on is not told.
        assert_eq!(told("V", &[None, None, None, None, array(&[1, 2])], &before, &[true; 5]), [4]);
    }

    #[test]
    fn what_stays_is_told_if_it_could_have_changed_and_little_else_is_said() {
        let same = [int(7), int(0), int(2), int(4), array(&[2, 1])];
        // The test itself has put the seven there.
        assert_eq!(told("I", &same, &same, &[true; 5]), [1]);
        assert_eq!(told("I", &same, &same, &[false; 5]), []);
        assert_eq!(told("V", &same, &same, &[true; 5]), [1, 2]);
        // Something must be said.
        assert_eq!(told("V", &same, &same, &[false; 5]), [0]);
        assert_eq!(told("V", &same, &same, &[false, false, false, true, true]), [4]);
    }

    #[test]
    fn the_last_step_and_other_names_of_an_object_are_not_told_twice() {
        let mut script = script("I");
        script.steps[1] = step(invoke("size", "()I", false), &[OBJECT]);
        let seen = [int(7), int(0), int(2), int(4)];
        let results = [Seen::Object("A".into(), None), Seen::Value(Value::Int(0))];
        let before = vec![None; 4];
        let mut sight = Sight {
            script: &script,
            values: &[],
            end: &End::Returned,
            results: &results,
            seen: &seen,
            before: &before,
            touched: &[true; 4],
        };
        assert!(sight.can_be_told(0) && !sight.can_be_told(1));
        let mut twice = script.clone();
        twice.observers[3] = step(invoke("first", "()I", false), &[Argument::Result(1)]);
        let results = [Seen::Object("A".into(), None), Seen::Same(0)];
        (sight.script, sight.results) = (&twice, &results);
        assert!(sight.can_be_told(0) && !sight.can_be_told(3));
    }

    #[test]
    fn a_prefix_sees_what_was_there() {
        let mut script = script("I");
        script.observers.push(load("field", Some(Argument::Result(1))));
        let (earlier, old) = without_last(&script);
        assert_eq!((earlier.steps.len(), earlier.observers.len(), old), (1, 4, vec![0, 1, 2, 3]));
    }

    #[test]
    fn collections_in_an_order_of_their_own_are_simple() {
        let printed = |class: &str| Seen::Object(class.into(), Some("[1]".into()));
        assert!(is_simple(&printed("java/util/ArrayList"), 1));
        assert!(!is_simple(&printed("java/util/HashSet"), 1) && !is_simple(&printed("a/List"), 1));
        assert!(!array(&[1, 2]).is_some_and(|seen| is_simple(&seen, 1)));
    }
}
