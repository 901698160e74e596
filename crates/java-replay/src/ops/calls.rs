//! Calls: who is called is what the trace enters next; code without hooks is opaque, its result what the trace says.

use crate::events::code_of;
use crate::frame::{Call, Called, Frame, Linked};
use crate::heap::Content;
use crate::machine::{Fallible, Flow, Halt, Machine, StepEnd};
use crate::models::Guess;
use crate::outcome::{Approximation, What};
use crate::program::MethodOf;
use crate::quiet::{Callee, is_modelled};
use crate::value::{Reference, Value, numeric};
use java_classfile::instruction::InvokeKind;
use java_classfile::{PoolIndex, Type};
use java_wire::Slot;
use java_wire::event::{Code, Event};
use smallvec::SmallVec;
use std::rc::Rc;

impl<'p> Machine<'p, '_> {
    pub(super) fn invoke(&mut self, kind: InvokeKind, method: PoolIndex) -> Fallible<Flow> {
        let frame = self.top()?;
        let (class, pool, id) = (frame.method.class, &frame.method.file.pool, frame.pc());
        let called = self.called(class, method, || {
            let member = pool.member(method).map_err(|_| Halt::Broken("no method"))?;
            Ok(Called {
                class: member.class.to_owned(),
                name: member.name.to_owned(),
                descriptor: member.descriptor.parse().map_err(|_| Halt::Broken("no descriptor"))?,
                as_named: matches!(kind, InvokeKind::Static | InvokeKind::Special),
            })
        })?;
        let has_receiver = kind != InvokeKind::Static;
        let arguments = self.arguments(called.descriptor.parameters.len() + usize::from(has_receiver))?;
        if has_receiver && called.name != "<init>" {
            if let Some(&Value::Reference(receiver)) = arguments.first() {
                self.check_not_null(receiver);
            }
            if arguments.first().is_some_and(|receiver| receiver.is_null()) {
                return Ok(Flow::Throw(self.exception("java/lang/NullPointerException")));
            }
        }
        let call = Call {
            id,
            called,
            has_receiver,
            arguments,
            returned: None,
            answered: None,
            dynamic: None,
            is_opaque: false,
        };
        self.top()?.pending = Some(call);
        Ok(Flow::Stay)
    }

    pub(super) fn arguments(&mut self, count: usize) -> Fallible<Vec<Value>> {
        let frame = self.top()?;
        let mut arguments = Vec::with_capacity(count);
        for _ in 0..count {
            arguments.push(frame.pop()?);
        }
        arguments.reverse();
        Ok(arguments)
    }

    /// Goes on with a call: into the method, into one that was called back, or behind it.
    pub(crate) fn resume(&mut self, mut call: Call) -> Fallible<Option<StepEnd>> {
        if self.is_quiet() {
            return self.resume_quietly(call);
        }
        if let Some(value) = call.returned.take() {
            let is_tried = self.ends_attempt();
            let value =
                if is_tried { self.attempt_returned(&call, value)? } else { self.confirmed(&call, value)? };
            return self.came_back(value);
        }
        if self.settings.comparisons {
            self.note_comparison(&call);
        }
        if let Some(method) = self.quiet_callee(&call) {
            return self.try_quietly(call, method);
        }
        if self.trace.next_is(Code::Enter) {
            return self.enter(call).map(|()| None);
        }
        self.opaquely(&call)
    }

    /// A call of a method without hooks: what a model says of it if there is one, else what its code does.
    fn try_quietly(&mut self, call: Call, method: MethodOf<'p>) -> Fallible<Option<StepEnd>> {
        let result = call.called.descriptor.result.clone();
        let is_told = result.is_some_and(|ty| self.trace.next_is(code_of(&ty)));
        let is_constructor = call.called.name == "<init>";
        if !is_told && !is_constructor && is_modelled(&method.file.name) {
            return self.opaquely(&Call { is_opaque: true, ..call });
        }
        match self.known(&call) {
            Some(guess) => self.opaquely_as(&call, guess),
            None => self.attempt(call, method),
        }
    }

    fn opaquely_as(&mut self, call: &Call, guess: Guess) -> Fallible<Option<StepEnd>> {
        let Some(ty) = &call.called.descriptor.result else { return self.opaquely(call) };
        let Some(event) = self.result(ty, call.id) else { return self.opaquely(call) };
        let value = self.agreed_guess(Some(guess), call, ty, &event);
        self.came_back(Some(value))
    }

    fn opaquely(&mut self, call: &Call) -> Fallible<Option<StepEnd>> {
        match self.opaque(call)? {
            Ok(value) => self.came_back(value),
            Err(()) => {
                self.model_threw(call);
                let thrown = self.handled();
                self.unwind(thrown)
            }
        }
    }

    pub(crate) fn came_back(&mut self, value: Option<Value>) -> Fallible<Option<StepEnd>> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Some(StepEnd::Returned(value)));
        };
        if let Some(value) = value {
            frame.push(value);
        }
        frame.position += 1;
        Ok(None)
    }

    /// What a method with hooks gave back, compared with what the trace says about it.
    fn confirmed(&mut self, call: &Call, value: Option<Value>) -> Fallible<Option<Value>> {
        let Some(ty) = &call.called.descriptor.result else {
            self.done(call)?;
            return Ok(None);
        };
        let Some(value) = value else { return Err(Halt::Broken("a method without a result")) };
        let value = self.stored(value, ty);
        let Some(event) = self.result(ty, call.id) else { return Ok(Some(value)) };
        match self.agreed(value, &event) {
            Some(value) => Ok(Some(value)),
            None => Err(Halt::Differs {
                expected: format!("{value:?}"),
                seen: crate::outcome::told(event.code, event.id, event.words),
            }),
        }
    }

    /// The end of a call without a result. After a constructor the object is told.
    pub(crate) fn done(&mut self, call: &Call) -> Fallible<bool> {
        if self.trace.take_if(Code::Done, call.id).is_some() {
            return Ok(true);
        }
        let Some(event) = self.trace.take_if(Code::Made, call.id) else { return Ok(false) };
        if let Some(Value::Reference(receiver)) = call.arguments.first() {
            self.identify(*receiver, event.words[0], event.words[1])?;
        }
        Ok(true)
    }

    /// The result of code without hooks; `Err` if it threw.
    fn opaque(&mut self, call: &Call) -> Fallible<Result<Option<Value>, ()>> {
        self.unseen_writes |= self.hands_out_array(call);
        if !self.remembers_nothing(call) {
            self.untold.insert(self.step);
        }
        let Some(ty) = &call.called.descriptor.result else {
            // Hooks that are not there tell nothing, but an exception is caught or ends the step.
            let went_on = self.done(call)? || self.went_on();
            if went_on {
                self.model_void(call);
            }
            return Ok(if went_on { Ok(None) } else { Err(()) });
        };
        if let Some(event) = self.result(ty, call.id) {
            return Ok(Ok(Some(self.modelled(call, ty, &event))));
        }
        // Who makes the steps need not tell what they give: what is used later is told then.
        if self.frames.is_empty() && self.went_on() {
            self.expose(&call.arguments);
            return Ok(Ok(Some(self.unseen(ty))));
        }
        if self.went_on() { Err(self.missing("the result of a call")) } else { Ok(Err(())) }
    }

    /// Whether a call of code without hooks is known to leave nothing behind, and to look at nothing that a call before it has left.
    fn remembers_nothing(&self, call: &Call) -> bool {
        let (class, name) = (call.called.class.as_str(), call.called.name.as_str());
        let only_values = || call.arguments.iter().all(|&argument| self.is_value(argument));
        match &call.dynamic {
            Some(Linked::Lambda { .. } | Linked::Switch(_)) => true,
            Some(Linked::Text(_)) => only_values(),
            Some(Linked::Other) => false,
            None => match (class, name) {
                ("java/lang/Object", "<init>") | ("java/util/Objects", "requireNonNull") => true,
                (_, "random") => false,
                _ => is_modelled(class) && only_values(),
            },
        }
    }

    /// Whether it is a number, a text, a number in a box or no object: nothing that changes.
    fn is_value(&self, value: Value) -> bool {
        let Value::Reference(Reference { object: Some(object), .. }) = value else { return true };
        let ty = self.heap.object(object).class.as_deref().map(|class| Type::Object(class.to_owned()));
        matches!(ty.and_then(|ty| Slot::of(&ty)), Some(Slot::Boxed(_) | Slot::Text))
    }

    /// Whether code without hooks gets an array that it may write, and of which it is not known what it writes.
    fn hands_out_array(&self, call: &Call) -> bool {
        let is_array = |value: &Value| match value {
            Value::Reference(Reference { object: Some(object), .. }) => self.heap.array(*object).is_some(),
            _ => false,
        };
        let copies = matches!(
            (call.called.class.as_str(), call.called.name.as_str()),
            ("java/lang/System", "arraycopy") | ("java/lang/String", "getChars")
        );
        !copies && call.arguments.iter().any(is_array)
    }

    /// A result that nobody told of.
    fn unseen(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Object(_) | Type::Array(_) => {
                Value::Reference(Reference::to(self.heap.add(None, Content::Plain)))
            }
            ty => Value::zero(ty),
        }
    }

    /// Whether what follows is no end.
    pub(crate) fn went_on(&self) -> bool {
        match self.trace.peek() {
            Some(event) => !matches!(event.code, Code::Handle),
            None => self.run.end == Some(&java_wire::message::End::Returned),
        }
    }

    fn entered(&mut self) -> Fallible<MethodOf<'p>> {
        let Some(event) = self.trace.peek() else { return Err(Halt::OutOfTrace) };
        let method = self.program.method(event.id);
        let unknown = || Halt::Differs { expected: "a method".into(), seen: format!("method {}", event.id) };
        let method = method.ok_or_else(unknown)?;
        self.trace.take();
        Ok(method)
    }

    /// Enters the method that the trace enters.
    pub(crate) fn enter(&mut self, call: Call) -> Fallible<()> {
        let number = self.trace.peek().map_or(0, |event| event.id);
        let is_callee = self.program.method(number).is_some_and(|method| self.is_callee(&call, &method));
        if !is_callee {
            *self.pending() = Some(call.clone());
            return self.enter_callback(Some(&call));
        }
        let method = self.entered()?;
        self.decide(What::Callee { callee: method.number }, None, SmallVec::new());
        let arguments = self.checked_arguments(&method, &call)?;
        *self.pending() = Some(call);
        self.push_frame(Frame::new(method, &arguments, false));
        Ok(())
    }

    /// Whether a call leads to a method: it has the name, and the class of the receiver has it or inherits it.
    fn is_callee(&self, call: &Call, method: &MethodOf<'_>) -> bool {
        let called = &call.called;
        let same = call.dynamic.is_none()
            && method.method.name == called.name
            && method.method.descriptor == called.descriptor
            && method.method.access.is_static() != call.has_receiver;
        if !same {
            return false;
        }
        let class = match (called.as_named, call.arguments.first()) {
            (false, Some(Value::Reference(Reference { object: Some(object), .. }))) => {
                self.heap.object(*object).class.clone()
            }
            _ => Some(called.class.as_str().into()),
        };
        class.is_none_or(|class| self.is_subtype(&class, &method.file.name) != Some(false))
    }

    /// The arguments of a call as the method gets them, compared with what the trace says.
    fn checked_arguments(&mut self, method: &MethodOf<'_>, call: &Call) -> Fallible<Vec<Value>> {
        let types = parameters(method);
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut local = 0;
        for (ty, &value) in types.iter().zip(&call.arguments) {
            if let Some(event) = self.trace.take_if(Code::Argument, local)
                && self.agreed(value, &event).is_none()
            {
                return Err(Halt::Differs {
                    expected: format!("{value:?}"),
                    seen: crate::outcome::told(event.code, event.id, event.words),
                });
            }
            arguments.push(value);
            local += u32::from(ty.slots());
        }
        Ok(arguments)
    }

    /// Enters a method that the run did not call itself: code without hooks did, or an initialiser of a class is due.
    pub(crate) fn enter_callback(&mut self, call: Option<&Call>) -> Fallible<()> {
        let method = self.entered()?;
        self.decide(What::Callee { callee: method.number }, None, SmallVec::new());
        let candidates = call.map_or(Vec::new(), |call| self.candidates(call, &method));
        if let Some(call) = call.filter(|call| self.is_unseen_caller(call, &method)) {
            self.expose(&call.arguments);
        }
        let mut arguments = Vec::new();
        let mut local = 0;
        let is_constructor = method.method.name == "<init>";
        for (nth, ty) in parameters(&method).iter().enumerate() {
            let value = if nth == 0 && is_constructor {
                Value::Reference(Reference::to(self.made(&method.file.name)))
            } else {
                let event = self.expect(Code::Argument, local)?;
                self.adapted(candidates.get(nth).copied().flatten(), ty, &event)
            };
            arguments.push(value);
            local += u32::from(ty.slots());
        }
        self.push_frame(Frame::new(method, &arguments, true));
        Ok(())
    }

    /// Whether code that nobody sees has called a method, while a call waits that has led to it.
    fn is_unseen_caller(&self, call: &Call, method: &MethodOf<'_>) -> bool {
        let is_quiet = self.frames.last().is_some_and(|frame| frame.quiet);
        // The class of a method with hooks is initialised before it is entered.
        let is_initialiser =
            method.method.name == "<clinit>" && matches!(self.callee(call), Ok(Callee::Told(_)));
        !is_quiet && !is_initialiser && !self.is_of_lambda(call, method)
    }

    /// What the parameters of a method behind a lambda can only be: what it has captured, then what is passed.
    fn candidates(&self, call: &Call, method: &MethodOf<'_>) -> Vec<Option<Value>> {
        let count = parameters(method).len();
        let lambda = call.arguments.iter().position(|value| self.captured(*value, method).is_some());
        let Some(position) = lambda else { return Vec::new() };
        let captured = self.captured(call.arguments[position], method).unwrap_or_default();
        let mut candidates: Vec<_> = captured.iter().copied().map(Some).collect();
        // Only who calls the lambda itself says what is passed.
        if position == 0 && call.has_receiver {
            candidates.extend(call.arguments[1..].iter().copied().map(Some));
        }
        candidates.resize(count.max(candidates.len()), None);
        candidates
    }

    fn captured(&self, value: Value, method: &MethodOf<'_>) -> Option<Rc<[Value]>> {
        let Value::Reference(Reference { object: Some(object), .. }) = value else { return None };
        match &self.heap.object(object).content {
            Content::Lambda { method: behind, captured, .. } if **behind == *method.method.name => {
                Some(captured.clone())
            }
            _ => None,
        }
    }

    /// Whether the call that waits is one of a lambda with this method behind it.
    pub(crate) fn waits_for_lambda(&self, method: &MethodOf<'_>) -> bool {
        self.waits_for().is_some_and(|call| self.is_of_lambda(call, method))
    }

    /// Whether a call is one of a lambda with this method behind it, and not of a method of its interface that may call the lambda.
    fn is_of_lambda(&self, call: &Call, method: &MethodOf<'_>) -> bool {
        let receiver = call.arguments.first().filter(|_| call.has_receiver);
        receiver.is_some_and(|&receiver| self.captured(receiver, method).is_some())
            && !matches!(self.callee(call), Ok(Callee::Quiet(_)))
    }

    /// A candidate, taken out of its box if need be, if the trace agrees; otherwise what the trace says.
    fn adapted(&mut self, candidate: Option<Value>, ty: &Type, event: &Event<'_>) -> Value {
        let candidate = match (candidate, numeric(ty)) {
            (Some(Value::Reference(Reference { boxed: Some(number), .. })), Some(_)) => {
                Some(Value::Number(number))
            }
            (other, _) => other,
        };
        let fits = |value: &Value| match (value, numeric(ty)) {
            (Value::Number(number), Some(kind)) => number.kind == kind,
            (Value::Reference(_), None) => true,
            _ => false,
        };
        if let Some(value) = candidate.filter(fits)
            && let Some(value) = self.agreed(value, event)
        {
            return value;
        }
        self.approximate(Approximation::Callback);
        self.constant(ty, event)
    }
}

/// Types of all parameters, the receiver among them.
fn parameters(method: &MethodOf<'_>) -> Vec<Type> {
    let receiver = (!method.method.access.is_static()).then(|| Type::Object(method.file.name.clone()));
    receiver.into_iter().chain(method.method.descriptor.parameters.iter().cloned()).collect()
}
