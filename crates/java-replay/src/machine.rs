//! The execution: frames, the loop over instructions, and how exceptions leave frames.

use crate::frame::{Call, Called, Frame};
use crate::heap::{Heap, ObjectId};
use crate::outcome::{
    Access, Approximation, Check, Decision, End, FieldName, Mismatch, Place, Replayed, What,
};
use crate::program::{Facts, Program};
use crate::trace::Trace;
use crate::value::{Reference, Value};
use crate::{Run, Settings};
use expr::{Term, Terms};
use java_classfile::instruction::CompareOp;
use java_classfile::{Pc, PoolIndex};
use java_wire::event::Code;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;
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
    pub(crate) three_way: FxHashMap<Term, (CompareOp, Term, Term)>,
    called: FxHashMap<(usize, PoolIndex), Rc<Called>>,
    decisions: Vec<Decision>,
    cut: bool,
    accesses: Vec<Access>,
    accessed: FxHashSet<Access>,
    fields: Vec<FieldName>,
    field_ids: FxHashMap<FieldName, u32>,
    approximations: BTreeMap<Approximation, u64>,
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
            decisions: Vec::new(),
            cut: false,
            accesses: Vec::new(),
            accessed: FxHashSet::default(),
            fields: Vec::new(),
            field_ids: FxHashMap::default(),
            approximations: BTreeMap::new(),
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
        Replayed {
            decisions: self.decisions,
            cut: self.cut,
            accesses: self.accesses,
            fields: self.fields,
            approximations: self.approximations,
            end,
        }
    }

    fn ended(&self, halt: Halt) -> End {
        let (expected, seen) = match halt {
            Halt::OutOfTrace => return End::OutOfTrace,
            Halt::Differs { expected, seen } => (expected, seen),
            Halt::Broken(what) => ("code that a verifier lets pass".to_owned(), what.to_owned()),
            Halt::Thrown => ("no exception".to_owned(), self.seen()),
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
        self.count_silent()?;
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

    /// What the uppermost frame waits for, or the test.
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
        let Some(frame) = self.frames.pop() else { return };
        let is_lambda = frame.called_back && self.waits_for_lambda(&frame.method);
        if let Some(call) = self.pending() {
            match frame.called_back {
                false => call.returned = Some(value),
                true if is_lambda => call.answered = value,
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
            let left = self.frames.pop();
            if left.is_some_and(|frame| frame.called_back) {
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

/// What is told.
impl Machine<'_, '_> {
    /// Number of the method and pc of the instruction that is executed.
    pub(crate) fn place(&self) -> (u32, Pc) {
        self.frames.last().map_or((u32::MAX, 0), |frame| (frame.method.number, frame.pc()))
    }

    pub(crate) fn approximate(&mut self, what: Approximation) {
        *self.approximations.entry(what).or_default() += 1;
    }

    pub(crate) fn decide(&mut self, what: What, condition: Option<Term>, others: SmallVec<[(Pc, Term); 1]>) {
        if self.decisions.len() >= self.settings.decisions {
            self.cut = true;
            return;
        }
        let (method, pc) = self.place();
        let condition = condition.and_then(|condition| self.open(condition));
        self.decisions.push(Decision { step: self.step, method, pc, what, condition, others });
    }

    /// A check with what it asks for, whether that holds or not.
    pub(crate) fn check(&mut self, check: Check, holds: bool, wanted: Option<Term>) {
        let condition = wanted.map(|wanted| if holds { wanted } else { self.terms.not(wanted) });
        let mut others = SmallVec::new();
        if let Some(condition) = condition.and_then(|condition| self.open(condition)) {
            others.push((Pc::MAX, self.terms.not(condition)));
        }
        self.decide(What::Check { check, holds }, condition, others);
    }

    /// From here on a truth value is taken to hold.
    pub(crate) fn pin(&mut self, condition: Term) {
        if self.open(condition).is_some() {
            self.decide(What::Pin, Some(condition), SmallVec::new());
        }
    }

    pub(crate) fn access(&mut self, defines: bool, place: Place) {
        let access = Access { step: self.step, defines, place };
        if self.accessed.insert(access) {
            self.accesses.push(access);
        }
    }

    /// The number of a field.
    pub(crate) fn field(&mut self, class: &str, name: &str) -> u32 {
        let class = self.program.declaring(class, name).to_owned();
        let name = FieldName { class, name: name.to_owned() };
        if let Some(&id) = self.field_ids.get(&name) {
            return id;
        }
        let id = self.fields.len() as u32;
        self.fields.push(name.clone());
        self.field_ids.insert(name, id);
        id
    }

    /// The method that a constant of a class names.
    pub(crate) fn called(
        &mut self,
        class: usize,
        index: PoolIndex,
        make: impl FnOnce() -> Fallible<Called>,
    ) -> Fallible<Rc<Called>> {
        if let Some(called) = self.called.get(&(class, index)) {
            return Ok(called.clone());
        }
        let called = Rc::new(make()?);
        self.called.insert((class, index), called.clone());
        Ok(called)
    }
}
