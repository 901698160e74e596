//! Methods of the platform, executed although nobody tells what they do.
//!
//! Their classes have no hooks: a collection that every class of the machine uses would tell of all of them, and cost every run what only
//! replays need. But what such a method does follows from its bytecode and from what it gets, as long as it only looks at objects that
//! were made before our eyes. So it is executed here with nothing from the trace, *quietly*, and what comes of it is compared with what the trace
//! tells of its call. Where it needs to know what nobody knows (a field of an object that the machine made, a native method), it is given up:
//! everything is as it was before the call, which is opaque then, and what the call can reach is *stale*: no quiet code believes it any more.
//!
//! ```text
//! frames        step ─ sort(list) ─┐                     told
//!                                  ├ ArrayList.sort      quiet, from here …
//!                                  ├ Arrays.sort         quiet
//!                                  └ Card.compareTo      told: the trace enters it
//! ```

mod natives;
mod resolve;
mod texts;
mod unsafely;

use crate::frame::{Call, Frame};
use crate::heap::{Content, Mark, ObjectId};
use crate::machine::{Fallible, Halt, Machine, StepEnd};
use crate::models::Guess;
use crate::outcome::{Approximation, Lack};
use crate::program::MethodOf;
use crate::trace::Trace;
use crate::value::{Reference, Value, numeric};
use java_wire::event::Code;
use java_wire::message;
pub(crate) use resolve::Callee;
use std::collections::BTreeMap;

/// Instructions of one call, and of all of a replay.
const STEPS: u32 = 50_000;
const ALL_STEPS: u32 = 2_000_000;
/// So often a method is tried that was given up.
const TRIES: u32 = 2;

/// A call that is executed quietly, and what there was before it.
pub(crate) struct Attempt<'p> {
    /// Frames below it.
    depth: usize,
    call: Call,
    method: MethodOf<'p>,
    trace: Trace<'p>,
    heap: Mark,
    decisions: usize,
    cut: bool,
    accesses: usize,
    approximations: BTreeMap<Approximation, u64>,
    lack: Option<Lack>,
    unseen_writes: bool,
    overflows: usize,
    lent: Vec<ObjectId>,
    steps: u32,
}

/// What is known of quiet execution in a replay.
#[derive(Default)]
pub(crate) struct QuietState<'p> {
    attempts: Vec<Attempt<'p>>,
    /// By class and method: how often it was given up.
    refused: rustc_hash::FxHashMap<(usize, usize), u32>,
    steps: u32,
    /// What was put into objects that are stale: the next opaque call finds it there, wherever they are.
    lent: Vec<ObjectId>,
    /// Why methods were given up.
    pub(crate) given_up: BTreeMap<String, u64>,
}

/// Why quiet code cannot go on.
pub(crate) fn unknown(what: impl Into<String>) -> Halt {
    Halt::Quiet(what.into())
}

impl<'p> Machine<'p, '_> {
    /// Whether the uppermost frame is quiet.
    pub(crate) fn is_quiet(&self) -> bool {
        self.trace.is_muted
    }

    pub(crate) fn push_frame(&mut self, frame: Frame<'p>) {
        self.trace.is_muted = frame.quiet;
        self.hashing += u32::from(frame.is_hash());
        self.frames.push(frame);
    }

    pub(crate) fn pop_frame(&mut self) -> Option<Frame<'p>> {
        let left = self.frames.pop();
        self.hashing -= left.as_ref().map_or(0, |frame| u32::from(frame.is_hash()));
        self.trace.is_muted = self.frames.last().is_some_and(|frame| frame.quiet);
        left
    }

    /// Counts an instruction of quiet code.
    pub(crate) fn count_quiet(&mut self) -> Fallible<()> {
        self.quiet.steps += 1;
        if let Some(attempt) = self.quiet.attempts.last_mut() {
            attempt.steps += 1;
            if attempt.steps > STEPS || self.quiet.steps > ALL_STEPS {
                return Err(unknown("too many instructions"));
            }
        }
        Ok(())
    }

    /// The method without hooks that code with hooks calls, if it is worth to execute it.
    pub(crate) fn quiet_callee(&mut self, call: &Call) -> Option<MethodOf<'p>> {
        if !self.settings.library || call.is_opaque || self.quiet.steps > ALL_STEPS {
            return None;
        }
        let Callee::Quiet(method) = self.callee(call).ok()? else { return None };
        let refused = self.quiet.refused.get(&(method.class, method.index)).copied();
        (refused.unwrap_or(0) < TRIES).then_some(method)
    }

    /// Begins with a call that code with hooks makes.
    pub(crate) fn attempt(&mut self, call: Call, method: MethodOf<'p>) -> Fallible<Option<StepEnd>> {
        let attempt = Attempt {
            depth: self.frames.len(),
            call: call.clone(),
            method,
            trace: self.trace.clone(),
            heap: self.heap.mark(),
            decisions: self.decisions.len(),
            cut: self.cut,
            accesses: self.accesses.len(),
            approximations: self.approximations.clone(),
            lack: self.lack,
            unseen_writes: self.unseen_writes,
            overflows: self.overflows.len(),
            lent: self.quiet.lent.clone(),
            steps: 0,
        };
        self.quiet.attempts.push(attempt);
        self.enter_quietly(call, method)?;
        Ok(None)
    }

    fn enter_quietly(&mut self, call: Call, method: MethodOf<'p>) -> Fallible<()> {
        let arguments = call.arguments.clone();
        *self.pending() = Some(call);
        self.push_frame(Frame::quietly(method, &arguments));
        self.initialise_quietly(&method.file.name).map(drop)
    }

    /// Whether the call that waits is the newest that was tried.
    pub(crate) fn ends_attempt(&self) -> bool {
        self.quiet.attempts.last().is_some_and(|attempt| attempt.depth == self.frames.len())
    }

    /// The call came back. The trace must say the same.
    pub(crate) fn attempt_returned(&mut self, call: &Call, value: Option<Value>) -> Fallible<Option<Value>> {
        let value = match (&call.called.descriptor.result, value) {
            (None, _) => {
                if !self.done(call)? && !self.went_on() {
                    return Err(unknown("an exception that was not expected"));
                }
                None
            }
            (Some(_), None) => return Err(Halt::Broken("a method without a result")),
            (Some(ty), Some(value)) => {
                let value = self.stored(value, ty);
                match self.result(ty, call.id) {
                    Some(event) => Some(self.agreed(value, &event).ok_or_else(|| self.another_result(call))?),
                    None if self.frames.is_empty() && self.went_on() => Some(value),
                    None => return Err(unknown("an exception that was not expected")),
                }
            }
        };
        self.keep_attempt();
        Ok(value)
    }

    fn another_result(&mut self, call: &Call) -> Halt {
        // What was believed is taken back, and counted when it is.
        unknown(format!("another result of {}.{}", call.called.class, call.called.name))
    }

    /// The call threw. The trace must say the same, and of the same class.
    pub(crate) fn attempt_threw(&mut self, thrown: Option<ObjectId>) -> Fallible<()> {
        let class = thrown.and_then(|thrown| self.heap.object(thrown).class.clone());
        let told = match (self.trace.peek(), self.run.end) {
            (Some(event), _) if event.code == Code::Handle => self.class_name(event.words[1]),
            (None, Some(message::End::Threw { thrown, .. })) => Some(thrown.class.as_str().into()),
            _ => None,
        };
        if class.is_none() || class != told {
            return Err(unknown(format!("no such exception as {}", class.as_deref().unwrap_or("this one"))));
        }
        self.keep_attempt();
        Ok(())
    }

    fn keep_attempt(&mut self) {
        if self.quiet.attempts.pop().is_some() {
            self.heap.keep();
        }
    }

    /// Everything is as it was before the newest call that was tried, and that is opaque. `None` if there is none.
    pub(crate) fn give_up(&mut self, halt: &Halt) -> Option<()> {
        let attempt = self.quiet.attempts.pop()?;
        *self.quiet.refused.entry((attempt.method.class, attempt.method.index)).or_default() += 1;
        let reason = self.reason(halt);
        *self.quiet.given_up.entry(reason).or_default() += 1;
        self.frames.truncate(attempt.depth);
        self.hashing = self.frames.iter().map(|frame| u32::from(frame.is_hash())).sum();
        self.trace = attempt.trace;
        self.heap.go_back(&attempt.heap);
        self.decisions.truncate(attempt.decisions);
        self.cut = attempt.cut;
        for access in self.accesses.drain(attempt.accesses..) {
            self.accessed.remove(&access);
        }
        self.approximations = attempt.approximations;
        self.lack = attempt.lack;
        self.unseen_writes = attempt.unseen_writes;
        self.overflows.truncate(attempt.overflows);
        self.overflown.truncate(attempt.overflows);
        self.quiet.lent = attempt.lent;
        *self.pending() = Some(Call { is_opaque: true, ..attempt.call });
        Some(())
    }

    fn reason(&self, halt: &Halt) -> String {
        let what = match halt {
            Halt::Quiet(what) => what.as_str(),
            Halt::OutOfTrace => "what nobody told",
            Halt::Differs { .. } => "the trace says something else",
            Halt::Broken(what) => what,
            Halt::Thrown => "an exception out of nowhere",
        };
        match self.frames.last() {
            Some(frame) => format!("{}.{}: {what}", frame.method.file.name, frame.method.method.name),
            None => what.to_owned(),
        }
    }

    /// A call that quiet code makes.
    pub(crate) fn resume_quietly(&mut self, mut call: Call) -> Fallible<Option<StepEnd>> {
        if let Some(value) = call.returned.take() {
            let value = match (&call.called.descriptor.result, value) {
                (Some(ty), Some(value)) => Some(self.stored(value, ty)),
                _ => None,
            };
            return self.came_back(value);
        }
        if let Some(value) = self.answer(&call)? {
            return self.came_back(value);
        }
        let call = self.without_privileges(call)?;
        match self.callee(&call)? {
            Callee::Quiet(method) => self.enter_quietly(call, method).map(|()| None),
            Callee::Told(number) => {
                self.trace.is_muted = false;
                match self.trace.peek() {
                    Some(event) if event.code == Code::Enter && event.id == number => {
                        self.enter(call).map(|()| None)
                    }
                    _ => Err(unknown("a callback that does not come")),
                }
            }
            Callee::Captured(method, arguments) => {
                let call = Call { arguments, ..call };
                self.enter_quietly(call, method).map(|()| None)
            }
            Callee::Native { class, name } => Err(unknown(format!("{class}.{name} is native"))),
            Callee::Unknown(what) => Err(unknown(what)),
        }
    }

    /// What a call gives that is known without looking at code. The outer `None`: nothing is known.
    fn answer(&mut self, call: &Call) -> Fallible<Option<Option<Value>>> {
        if call.dynamic.is_some() {
            return self.linked_quietly(call).map(|object| Some(Some(object)));
        }
        if let Some(value) = self.native(call)? {
            return if is_of(value, call) {
                Ok(Some(value))
            } else {
                Err(unknown("a result of another type"))
            };
        }
        let Some(guess) = self.known(call) else { return Ok(None) };
        let Some(ty) = &call.called.descriptor.result else { return Ok(None) };
        let value = self.believed_guess(guess, call)?;
        Ok(Some(Some(self.stored(value, ty))))
    }

    /// What a model says.
    pub(crate) fn known(&mut self, call: &Call) -> Option<Guess> {
        if call.answered.is_some() || call.dynamic.is_some() {
            return self.guess(call);
        }
        let receiver = call.arguments.first().filter(|_| call.has_receiver);
        let class = match receiver {
            Some(&Value::Reference(Reference { object: Some(object), .. })) => {
                let object = self.heap.object(object);
                if matches!(object.content, Content::Stub { .. }) {
                    return self.guess(call);
                }
                object.class.clone()?
            }
            _ => call.called.class.as_str().into(),
        };
        is_modelled(&class).then(|| self.guess(call)).flatten()
    }

    fn believed_guess(&mut self, guess: Guess, call: &Call) -> Fallible<Value> {
        let array = |elements: &[crate::value::Number]| {
            let length = crate::value::Number::int(elements.len() as i32);
            let elements = (0..).zip(elements.iter().map(|&number| Value::Number(number))).collect();
            Content::Array(crate::heap::Array { length, elements, rest: None })
        };
        Ok(match guess {
            Guess::Number(number) => Value::Number(number),
            Guess::Same(reference) => Value::Reference(reference),
            Guess::Text(text) => Value::Reference(Reference::to(
                self.heap.add(Some("java/lang/String".into()), Content::Text(text)),
            )),
            Guess::Characters(text) => {
                let content = array(&text);
                Value::Reference(Reference::to(self.heap.add(Some("[C".into()), content)))
            }
            Guess::Boxed(number) => {
                let Some(java_classfile::Type::Object(class)) = &call.called.descriptor.result else {
                    return Err(unknown("a box of an unknown class"));
                };
                let object = self.heap.add(Some(class.as_str().into()), Content::Boxed(number.with(None)));
                let boxed = number.term.map(|_| number);
                Value::Reference(Reference { boxed, ..Reference::to(object) })
            }
        })
    }

    /// Code that nobody sees gets these values: it may write to what they lead to.
    pub(crate) fn expose(&mut self, values: &[Value]) {
        if !self.settings.library {
            return;
        }
        let mut next: Vec<ObjectId> = values.iter().filter_map(referred).collect();
        next.append(&mut self.quiet.lent);
        while let Some(id) = next.pop() {
            let at = self.heap.object(id);
            if at.stale || at.class.as_deref().is_some_and(never_changes) {
                continue;
            }
            match &at.content {
                Content::Array(array) => next.extend(array.elements.values().filter_map(referred)),
                Content::Lambda { captured, .. } => next.extend(captured.iter().filter_map(referred)),
                _ => {}
            }
            // Fields of classes with hooks are told.
            let quiet = at.fields.iter().filter(|(field, _)| !self.is_told(**field));
            next.extend(quiet.filter_map(|(_, value)| referred(value)));
            self.heap.set_stale(id);
        }
    }

    /// An object comes to refer to another one, and nobody would tell if others used that: if they know the first, the next opaque call gets
    /// the second.
    pub(crate) fn lend(&mut self, to: ObjectId, value: Value) {
        if self.heap.object(to).stale {
            self.quiet.lent.extend(referred(&value));
        }
    }

    /// The same for a static field, which all others know if its class has no hooks.
    pub(crate) fn lend_to_all(&mut self, field: u32, value: Value) {
        if !self.is_told(field) {
            self.quiet.lent.extend(referred(&value));
        }
    }

    /// Quiet code reads a field of an object.
    pub(crate) fn look_into(&mut self, object: ObjectId, reference: Reference) -> Fallible<()> {
        if self.heap.object(object).stale {
            return Err(unknown("fields that others may have written"));
        }
        self.unfold(object)?;
        if let (Some(number), Some(class)) = (reference.boxed, self.heap.object(object).class.clone()) {
            let field = self.field(&class, "value");
            self.heap.set_field(object, field, Value::Number(number));
        }
        Ok(())
    }

    /// Whether a field is of a class with hooks.
    pub(crate) fn is_told(&self, field: u32) -> bool {
        self.fields.get(field as usize).is_some_and(|field| self.program.class(&field.class).is_some())
    }
}

/// Whether a value is of the type that a method gives.
fn is_of(value: Option<Value>, call: &Call) -> bool {
    match (value, &call.called.descriptor.result) {
        (None, None) => true,
        (Some(Value::Number(number)), Some(ty)) => numeric(ty) == Some(number.kind),
        (Some(Value::Reference(_)), Some(ty)) => numeric(ty).is_none(),
        _ => false,
    }
}

/// The object that a value leads to.
fn referred(value: &Value) -> Option<ObjectId> {
    match value {
        Value::Reference(reference) => reference.object,
        _ => None,
    }
}

/// Whether objects of a class are as they were made.
fn never_changes(class: &str) -> bool {
    class == "java/lang/String"
        || java_wire::Primitive::ALL.into_iter().any(|primitive| primitive.box_class() == class)
}

/// Classes of which methods have models, whoever is called through which interface.
pub(crate) fn is_modelled(class: &str) -> bool {
    matches!(class, "java/lang/String" | "java/lang/Math" | "java/lang/StrictMath" | "java/util/Objects")
        || java_wire::Primitive::ALL.into_iter().any(|primitive| primitive.box_class() == class)
}
