//! The execution: frames, the loop over instructions, and how exceptions leave frames.

use crate::frame::{Call, Called, Frame};
use crate::heap::{Heap, ObjectId};
use crate::left::Left;
use crate::outcome::{
    Access, Approximation, Comparison, Decision, Edge, End, FieldName, Lack, Mismatch, Overflow, Replayed,
};
use crate::program::{Facts, Program};
use crate::quiet::QuietState;
use crate::trace::Trace;
use crate::value::{Number, Reference, Value};
use crate::{Run, Settings};
use expr::{Term, Terms};
use java_classfile::instruction::{CompareOp, ElementKind};
use java_classfile::{Pc, PoolIndex, Type};
use java_wire::event::Code;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where the execution goes after an instruction.
pub(crate) enum Flow {
    /// To the next one.
    Next,
    /// Elsewhere in the method.
    To(Pc),
    /// Nowhere: a frame was entered, or a call waits.
    Stay,
    /// Out of the method.
    Leave(Option<Value>),
    /// To whoever catches an object.
    Throw(ObjectId),
}

/// Why the execution does not go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// No more events.
    OutOfTrace,
    /// The trace says something else.
    Differs { expected: String, seen: String },
    /// The code is not as a verifier would let it pass.
    Broken(&'static str),
    /// A handler begins where no exception was expected.
    Thrown,
    /// Quiet code needs something that is not known.
    Quiet(String),
}

/// How a step of a test ended.
pub(crate) enum StepEnd {
    Returned(Option<Value>),
    Threw(Option<ObjectId>),
}

/// Instructions that may be executed without an event. Loops have conditional jumps, which are told; one that has none does not
/// end, and only the hooks that count ticks stopped it.
const SILENT: u32 = 1 << 20;

pub(crate) type Fallible<T> = Result<T, Halt>;

/// The state of a replay.
pub(crate) struct Machine<'p, 't> {
    pub(crate) program: &'p Program,
    pub(crate) run: Run<'p>,
    facts: Facts<'p>,
    pub(crate) settings: Settings,
    pub(crate) terms: &'t mut Terms,
    pub(crate) trace: Trace<'p>,
    pub(crate) heap: Heap,
    pub(crate) frames: Vec<Frame<'p>>,
    /// What the test itself waits for.
    pub(crate) base: Option<Call>,
    pub(crate) step: u32,
    /// Events that were read when the last one was, and instructions since.
    silent: (usize, u32),
    /// The comparisons that terms with three values stand for.
    pub(crate) three_way: FxHashMap<Term, (CompareOp, Number, Number)>,
    pub(crate) called: FxHashMap<(usize, PoolIndex), Rc<Called>>,
    /// Types and numbers of fields, as classes name them.
    pub(crate) members: FxHashMap<(usize, PoolIndex), (Rc<Type>, u32)>,
    /// Frames of `hashCode`.
    pub(crate) hashing: u32,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) cut: bool,
    pub(crate) accesses: Vec<Access>,
    pub(crate) accessed: FxHashSet<Access>,
    pub(crate) untold: BTreeSet<u32>,
    pub(crate) kinds: BTreeMap<ObjectId, ElementKind>,
    pub(crate) fields: Vec<FieldName>,
    pub(crate) field_ids: FxHashMap<FieldName, u32>,
    pub(crate) approximations: BTreeMap<Approximation, u64>,
    pub(crate) lack: Option<Lack>,
    pub(crate) overflows: Vec<Overflow>,
    pub(crate) comparisons: Vec<Comparison>,
    /// Where each of them was: method and pc.
    pub(crate) overflown: Vec<(u32, Pc)>,
    edges: Option<FxHashSet<Edge>>,
    pub(crate) quiet: QuietState<'p>,
    /// Code without hooks got an array, and may have written it.
    pub(crate) unseen_writes: bool,
    pub(crate) left: Option<Left>,
}

impl<'p, 't> Machine<'p, 't> {
    pub(crate) fn new(
        program: &'p Program,
        run: &Run<'p>,
        settings: &Settings,
        terms: &'t mut Terms,
    ) -> Machine<'p, 't> {
        Machine {
            program,
            run: *run,
            facts: run.classes.iter().map(|class| (class.name.as_str(), class)).collect(),
            settings: *settings,
            terms,
            trace: Trace::new(run.trace),
            heap: Heap::default(),
            frames: Vec::new(),
            base: None,
            step: 0,
            silent: (0, 0),
            three_way: FxHashMap::default(),
            called: FxHashMap::default(),
            members: FxHashMap::default(),
            hashing: 0,
            decisions: Vec::new(),
            cut: false,
            accesses: Vec::new(),
            accessed: FxHashSet::default(),
            untold: BTreeSet::new(),
            kinds: BTreeMap::new(),
            fields: Vec::new(),
            field_ids: FxHashMap::default(),
            approximations: BTreeMap::new(),
            lack: None,
            overflows: Vec::new(),
            comparisons: Vec::new(),
            overflown: Vec::new(),
            edges: settings.edges.then(FxHashSet::default),
            quiet: QuietState::default(),
            unseen_writes: false,
            left: None,
        }
    }

    pub(crate) fn run(mut self) -> Replayed {
        let end = match self.steps() {
            Ok(end) => end,
            Err(Halt::OutOfTrace) => self.stopped(),
            Err(halt) => self.ended(halt),
        };
        if self.trace.garbled {
            self.approximate(Approximation::Garbled);
        }
        let mut edges: Vec<Edge> = self.edges.into_iter().flatten().collect();
        edges.sort_unstable();
        Replayed {
            edges,
            decisions: self.decisions,
            cut: self.cut,
            accesses: self.accesses,
            untold: self.untold,
            kinds: self.kinds,
            fields: self.fields,
            approximations: self.approximations,
            lack: self.lack,
            given_up: self.quiet.given_up,
            left: self.left,
            overflows: self.overflows,
            comparisons: self.comparisons,
            end,
        }
    }

    fn ended(&self, halt: Halt) -> End {
        let (expected, seen) = match halt {
            Halt::OutOfTrace => return End::OutOfTrace,
            Halt::Differs { expected, seen } => (expected, seen),
            Halt::Broken(what) => ("code that a verifier lets pass".to_owned(), what.to_owned()),
            Halt::Thrown => ("no exception".to_owned(), self.seen()),
            Halt::Quiet(what) => ("code without hooks that can be executed".to_owned(), what),
        };
        let (method, pc) = self.place();
        End::Diverged(Mismatch { method, pc, event: self.trace.read, expected, seen })
    }

    /// Runs until the step of the test has come to an end.
    pub(crate) fn until_end(&mut self) -> Fallible<StepEnd> {
        loop {
            match self.advance() {
                Ok(None) => {}
                Ok(Some(end)) => return Ok(end),
                Err(halt) if self.give_up(&halt).is_some() => {}
                Err(Halt::Thrown) => {
                    self.approximate(Approximation::Thrown);
                    let thrown = self.handled();
                    if let Some(end) = self.unwind(thrown)? {
                        return Ok(end);
                    }
                }
                Err(halt) => return Err(halt),
            }
        }
    }

    fn advance(&mut self) -> Fallible<Option<StepEnd>> {
        if let Some(call) = self.pending().take() {
            return self.resume(call);
        }
        if self.is_quiet() {
            self.count_quiet()?;
        } else {
            self.count_silent()?;
            self.note_edge();
        }
        let instruction = self.top()?.instruction().ok_or(Halt::Broken("the end of the code"))?;
        match self.execute(instruction)? {
            Flow::Next => self.top()?.position += 1,
            Flow::To(pc) => self.top()?.jump(pc)?,
            Flow::Stay => {}
            Flow::Leave(value) => self.leave(value),
            Flow::Throw(thrown) => return self.unwind(Some(thrown)),
        }
        Ok(None)
    }

    fn count_silent(&mut self) -> Fallible<()> {
        let (read, count) = self.silent;
        self.silent = if read == self.trace.read { (read, count + 1) } else { (self.trace.read, 0) };
        if count < SILENT { Ok(()) } else { Err(self.missing("an event")) }
    }

    fn note_edge(&mut self) {
        let (Some(edges), Some(frame)) = (&mut self.edges, self.frames.last_mut()) else { return };
        let (class, method, to) = (frame.method.class, frame.method.index, frame.position);
        edges.insert(Edge { class, method, from: frame.before.replace(to), to });
    }

    /// The call that the uppermost frame waits for, or the test.
    pub(crate) fn waits_for(&self) -> Option<&Call> {
        self.frames.last().map_or(&self.base, |frame| &frame.pending).as_ref()
    }

    /// The same, to change it.
    pub(crate) fn pending(&mut self) -> &mut Option<Call> {
        match self.frames.last_mut() {
            Some(frame) => &mut frame.pending,
            None => &mut self.base,
        }
    }

    pub(crate) fn top(&mut self) -> Fallible<&mut Frame<'p>> {
        self.frames.last_mut().ok_or(Halt::Broken("no method"))
    }

    fn leave(&mut self, value: Option<Value>) {
        let Some(frame) = self.pop_frame() else { return };
        let is_lambda = frame.called_back && self.waits_for_lambda(&frame.method);
        let is_quiet = self.is_quiet();
        if let Some(value) = value.filter(|_| frame.called_back && !is_lambda) {
            self.expose(&[value]);
        }
        if let Some(call) = self.pending() {
            match frame.called_back {
                false => call.returned = Some(value),
                // Nobody tells quiet code that a method without a result is done.
                true if is_lambda && is_quiet && value.is_none() => call.returned = Some(None),
                true if is_lambda => call.answered = Some(value),
                true => {}
            }
        }
    }

    /// Leaves frames until one catches. Who that is follows from the class of what is thrown, and must agree with the trace.
    pub(crate) fn unwind(&mut self, thrown: Option<ObjectId>) -> Fallible<Option<StepEnd>> {
        while let Some(frame) = self.frames.last_mut() {
            frame.pending = None;
            if let Some(handler) = self.handler(thrown) {
                return self.handle(thrown, handler).map(|()| None);
            }
            let left = self.pop_frame();
            if self.ends_attempt() {
                self.attempt_threw(thrown)?;
            }
            if let Some(frame) = left.filter(|frame| frame.called_back) {
                if let Some(thrown) = thrown.filter(|_| !self.waits_for_lambda(&frame.method)) {
                    self.expose(&[Value::Reference(Reference::to(thrown))]);
                }
                return self.called_back_threw();
            }
        }
        self.base = None;
        Ok(Some(StepEnd::Threw(thrown)))
    }

    /// A method that code without hooks had called threw. That code may have caught it: what comes next tells.
    fn called_back_threw(&mut self) -> Fallible<Option<StepEnd>> {
        if self.pending().is_some() {
            return Ok(None);
        }
        // The initialiser of a class: the instruction that wanted the class throws.
        let thrown = match self.handled() {
            Some(thrown) => thrown,
            None => self.exception("java/lang/ExceptionInInitializerError"),
        };
        self.unwind(Some(thrown))
    }

    fn handler(&mut self, thrown: Option<ObjectId>) -> Option<Pc> {
        let frame = self.frames.last()?;
        let (pc, method) = (frame.pc(), frame.method);
        let class = self.heap.object(thrown?).class.clone();
        let told = self.trace.peek().filter(|event| event.code == Code::Handle).map(|event| event.id);
        let covering =
            method.code.handlers.iter().filter(|handler| (handler.start..handler.end).contains(&pc));
        for handler in covering {
            let Some(catches) = handler.catches else { return Some(handler.handler) };
            let Ok(wanted) = method.file.pool.class_name(catches) else { continue };
            let fits = class.as_deref().and_then(|class| self.is_subtype(class, wanted));
            if fits.unwrap_or(told == Some(handler.handler)) {
                return Some(handler.handler);
            }
        }
        None
    }

    fn handle(&mut self, thrown: Option<ObjectId>, handler: Pc) -> Fallible<()> {
        // A handler that code also falls or jumps into has no hook.
        let event = match self.trace.next_is(Code::Handle) {
            true => Some(self.expect(Code::Handle, handler)?),
            false => None,
        };
        let reference = match (thrown, event) {
            (Some(thrown), Some(event)) => {
                self.identify(Reference::to(thrown), event.words[0], event.words[1])?
            }
            (Some(thrown), None) => Reference::to(thrown),
            (None, _) => Reference::NULL,
        };
        let frame = self.top()?;
        frame.stack.clear();
        frame.before = None;
        frame.push(Value::Reference(reference));
        frame.jump(handler)
    }

    /// The object that the next event catches, if it is one that does.
    pub(crate) fn handled(&mut self) -> Option<ObjectId> {
        let event = self.trace.peek().filter(|event| event.code == Code::Handle)?;
        self.told(event.words[0], event.words[1]).object
    }

    /// An exception that the virtual machine makes.
    pub(crate) fn exception(&mut self, class: &str) -> ObjectId {
        self.heap.add(Some(class.into()), crate::heap::Content::Plain)
    }

    pub(crate) fn is_subtype(&self, class: &str, wanted: &str) -> Option<bool> {
        self.program.is_subtype(class, wanted, &self.facts)
    }
}
