//! The steps of a test, with its values as variables.

use crate::Symbols;
use crate::frame::{Call, Called};
use crate::heap::{Array, Content, OpenText};
use crate::machine::{Fallible, Halt, Machine, StepEnd};
use crate::outcome::{Approximation, End, Place};
use crate::value::{Number, Reference, Value, numeric};
use expr::{Op, Variable};
use java_classfile::{MethodDescriptor, Type};
use java_wire::event::Code;
use java_wire::message;
use java_wire::{Action, Argument, Primitive, Step};
use std::rc::Rc;

impl Machine<'_, '_> {
    /// Runs all steps.
    pub(crate) fn steps(&mut self) -> Fallible<End> {
        let slots = self.slots();
        let mut results: Vec<Value> = Vec::new();
        let steps = &self.run.script.steps;
        for (number, step) in (0..).zip(steps) {
            self.step = number;
            if self.trace.take_if(Code::Step, number).is_none() && self.trace.peek().is_none() && number > 0 {
                return Ok(self.stopped());
            }
            let arguments =
                step.arguments.iter().map(|argument| argued(*argument, &slots, &results)).collect();
            match self.perform(step, arguments)? {
                StepEnd::Returned(value) => results.push(value.unwrap_or(Value::Unset)),
                StepEnd::Threw(thrown) => {
                    let class = thrown.and_then(|thrown| self.heap.object(thrown).class.clone());
                    return Ok(self.threw(class.as_deref()));
                }
            }
        }
        self.left = if self.settings.state { self.left(&results) } else { None };
        Ok(End::Returned)
    }

    /// The end of a run that tells no more: if its step threw, then out of nowhere, for want of stack or memory.
    pub(crate) fn stopped(&mut self) -> End {
        match self.run.end {
            Some(message::End::Threw { step, .. }) if *step == self.step => {
                self.approximate(Approximation::Thrown);
                self.threw(None)
            }
            _ => End::OutOfTrace,
        }
    }

    /// The end of a run whose step threw. Who reports it knows the class.
    fn threw(&self, class: Option<&str>) -> End {
        let told = match self.run.end {
            Some(message::End::Threw { thrown, .. }) => Some(thrown.class.clone()),
            // Neither a stopped run nor one that ended its process threw.
            Some(message::End::OutOfTicks { .. } | message::End::Exited { .. }) => return End::OutOfTrace,
            _ => None,
        };
        End::Threw { step: self.step, class: class.map(str::to_owned).or(told) }
    }

    fn perform(&mut self, step: &Step, arguments: Vec<Value>) -> Fallible<StepEnd> {
        match &step.action {
            Action::Construct { class, descriptor } => {
                let object = Value::Reference(Reference::to(self.made(class)));
                let end = self.constructed(class, &descriptor.parameters, object, &arguments)?;
                self.step_result(end, Some(object))
            }
            Action::Invoke { class, name, descriptor, is_static } => {
                let (class, name) = (class.clone(), name.clone());
                let called = Called { class, name, descriptor: descriptor.clone(), as_named: *is_static };
                self.call(called, !is_static, arguments)
            }
            Action::Load { class, name, ty, is_static } => {
                self.load_step(class, name, ty, arguments.first().filter(|_| !is_static).copied())
            }
            Action::Store { class, name, ty, is_static } => {
                let object = arguments.first().filter(|_| !is_static).copied();
                self.store_step(class, name, ty, object, arguments.last().copied())
            }
            Action::Array { element } => {
                let elements = (0..).zip(arguments.iter().copied()).collect();
                let length = Number::int(arguments.len() as i32);
                let content = Content::Array(Array { length, elements, rest: None });
                let array = self.heap.add(Some(format!("[{element}").into()), content);
                self.step_result(StepEnd::Returned(None), Some(Value::Reference(Reference::to(array))))
            }
            Action::File { .. } => {
                let file = self.heap.add(Some("java/io/File".into()), Content::Plain);
                self.step_result(StepEnd::Returned(None), Some(Value::Reference(Reference::to(file))))
            }
            Action::Look { .. } => Ok(StepEnd::Returned(arguments.first().copied())),
            Action::Stub { class, parameters, answers } => {
                let (taken, rest) = arguments.split_at(parameters.len().min(arguments.len()));
                let answers: Rc<[_]> = answers.iter().cloned().zip(rest.iter().copied()).collect();
                let given = vec![false; answers.len()].into();
                let content = Content::Stub { class: class.as_str().into(), answers, given };
                let stub = Value::Reference(Reference::to(self.heap.add(None, content)));
                // Constructors of classes without hooks tell nothing.
                let end = match self.program.class(class).filter(|class| !class.file.access.is_interface()) {
                    Some(_) => self.constructed(class, parameters, stub, taken)?,
                    None => StepEnd::Returned(None),
                };
                self.step_result(end, Some(stub))
            }
        }
    }

    /// Runs a constructor on an object.
    fn constructed(
        &mut self,
        class: &str,
        parameters: &[Type],
        object: Value,
        arguments: &[Value],
    ) -> Fallible<StepEnd> {
        let arguments = std::iter::once(object).chain(arguments.iter().copied()).collect();
        let descriptor = MethodDescriptor { parameters: parameters.to_vec(), result: None };
        let called = Called { class: class.to_owned(), name: "<init>".into(), descriptor, as_named: true };
        self.call(called, true, arguments)
    }

    /// What a step gives that makes an object.
    fn step_result(&mut self, end: StepEnd, object: Option<Value>) -> Fallible<StepEnd> {
        let StepEnd::Returned(_) = end else { return Ok(end) };
        if let (Some(event), Some(Value::Reference(object))) =
            (self.trace.take_if(Code::Reference, self.step), object)
        {
            self.identify(object, event.words[0], event.words[1])?;
        }
        Ok(StepEnd::Returned(object))
    }

    fn call(&mut self, called: Called, has_receiver: bool, arguments: Vec<Value>) -> Fallible<StepEnd> {
        if has_receiver
            && called.name != "<init>"
            && arguments.first().is_some_and(|receiver| receiver.is_null())
        {
            return Ok(StepEnd::Threw(Some(self.exception("java/lang/NullPointerException"))));
        }
        let (called, id) = (Rc::new(called), self.step);
        self.base = Some(Call {
            id,
            called,
            has_receiver,
            arguments,
            returned: None,
            answered: None,
            dynamic: None,
            is_opaque: false,
        });
        self.until_end()
    }

    /// Initialisers of classes that a step runs.
    fn initialise(&mut self) -> Fallible<Option<StepEnd>> {
        while self.trace.next_is(Code::Enter) {
            // The test waits for nothing else: a call without events behind it stands in.
            let descriptor = MethodDescriptor { parameters: Vec::new(), result: None };
            let called = Called { class: String::new(), name: "<clinit>".into(), descriptor, as_named: true };
            if let StepEnd::Threw(thrown) = self.call(called, false, Vec::new())? {
                return Ok(Some(StepEnd::Threw(thrown)));
            }
        }
        Ok(None)
    }

    fn load_step(&mut self, class: &str, name: &str, ty: &Type, object: Option<Value>) -> Fallible<StepEnd> {
        if let Some(end) = self.initialise()? {
            return Ok(end);
        }
        let id = self.field(class, name);
        let (believed, place) = match object {
            None => (self.heap.statics.get(&id).copied(), Place::Static(id)),
            Some(Value::Reference(Reference { object: Some(object), .. })) => {
                (self.believed(object, id, ty), Place::Field(object, id))
            }
            Some(_) => return Ok(StepEnd::Threw(Some(self.exception("java/lang/NullPointerException")))),
        };
        let value = match (self.result(ty, self.step), believed) {
            (Some(event), Some(value)) => self.agreed(value, &event).unwrap_or(self.constant(ty, &event)),
            (Some(event), None) => self.constant(ty, &event),
            (None, Some(value)) => value,
            (None, None) => return Err(self.missing("what a step has loaded")),
        };
        self.access(false, place);
        Ok(StepEnd::Returned(Some(value)))
    }

    fn store_step(
        &mut self,
        class: &str,
        name: &str,
        ty: &Type,
        object: Option<Value>,
        value: Option<Value>,
    ) -> Fallible<StepEnd> {
        if let Some(end) = self.initialise()? {
            return Ok(end);
        }
        let id = self.field(class, name);
        let value = value.ok_or(Halt::Broken("a step that stores nothing"))?;
        let value = self.stored(value, ty);
        match object {
            None => {
                self.heap.set_static(id, value);
                self.access(true, Place::Static(id));
            }
            Some(Value::Reference(Reference { object: Some(object), .. })) => {
                self.heap.set_field(object, id, value);
                self.access(true, Place::Field(object, id));
            }
            Some(_) => return Ok(StepEnd::Threw(Some(self.exception("java/lang/NullPointerException")))),
        }
        Ok(StepEnd::Returned(None))
    }
}

/// Values of slots.
impl Machine<'_, '_> {
    fn slots(&mut self) -> Vec<Value> {
        let (values, variables) = (self.run.values, self.run.variables);
        let none = Symbols::default();
        (0..)
            .zip(values)
            .map(|(at, value)| {
                let symbols = variables.get(at).unwrap_or(&none);
                match self.slot(at as u32, value, symbols) {
                    Value::Reference(reference) => {
                        Value::Reference(Reference { origin: symbols.reference, ..reference })
                    }
                    number => number,
                }
            })
            .collect()
    }

    fn slot(&mut self, slot: u32, value: &java_wire::Value, symbols: &Symbols) -> Value {
        use java_wire::Value as Told;
        let variables = &symbols.cells;
        match value {
            Told::Null => Value::NULL,
            Told::Boxed(value) => self.boxed_slot(value, variables.first()),
            Told::Text(units) if symbols.behind.is_some() => {
                let behind = symbols.behind.iter().flatten().map(|&cell| u16::from(cell));
                let cells = units.iter().copied().chain(behind);
                let cells = (0..).zip(cells).map(|(at, unit)| self.character_cell(unit, variables.get(at)));
                let open = OpenText { cells: cells.collect(), length: units.len(), slot };
                let content = Content::Open(Rc::new(open));
                Value::Reference(Reference::to(self.heap.add(Some("java/lang/String".into()), content)))
            }
            Told::Text(units) => {
                let text =
                    (0..).zip(units).map(|(at, &unit)| self.cell(&Told::Char(unit), variables.get(at)));
                let content = Content::Text(text.collect());
                Value::Reference(Reference::to(self.heap.add(Some("java/lang/String".into()), content)))
            }
            Told::Array(primitive, cells) => {
                let element = |(at, cell): (usize, &Told)| {
                    (at as i32, Value::Number(self.cell(cell, variables.get(at))))
                };
                let elements = cells.iter().enumerate().map(element).collect();
                let length = self.slot_length(cells.len(), symbols.length);
                let content = Content::Array(Array { length, elements, rest: None });
                let class = format!("[{}", primitive.ty());
                Value::Reference(Reference::to(self.heap.add(Some(class.into()), content)))
            }
            primitive => Value::Number(self.cell(primitive, variables.first())),
        }
    }

    /// A character of a text that a zero ends.
    fn character_cell(&mut self, unit: u16, variable: Option<&Variable>) -> Number {
        let term = variable.map(|&variable| {
            let cell = self.terms.variable(variable, 8);
            self.terms.zext(cell, 32)
        });
        Number::int(unit.into()).with(term)
    }

    /// The length of an array, within its bounds.
    fn slot_length(&mut self, length: usize, variable: Option<(Variable, u32)>) -> Number {
        let number = Number::int(length as i32);
        let Some((variable, most)) = variable else { return number };
        let cells = self.terms.variable(variable, 64);
        let [one, most] = [1, most].map(|bound| self.terms.constant(bound.into(), 64));
        for (least, greatest) in [(one, cells), (cells, most)] {
            let holds = self.terms.binary(Op::Ule, least, greatest);
            self.given(holds);
        }
        let length = self.terms.binary(Op::Sub, cells, one);
        number.with(Some(self.terms.extract(length, 0, 32)))
    }

    fn boxed_slot(&mut self, value: &java_wire::Value, variable: Option<&Variable>) -> Value {
        let Some(primitive) = value.primitive() else { return Value::NULL };
        let number = self.cell(value, variable);
        let object = self.heap.add(Some(primitive.box_class().into()), Content::Boxed(number.with(None)));
        Value::Reference(Reference { boxed: number.term.map(|_| number), ..Reference::to(object) })
    }

    /// A primitive value: its variable has its own width, and is extended as the machine extends the value.
    fn cell(&mut self, value: &java_wire::Value, variable: Option<&Variable>) -> Number {
        let (Some(primitive), Some(bits)) = (value.primitive(), value.bits()) else { return Number::int(0) };
        let kind = numeric(&primitive.ty()).unwrap_or(java_classfile::instruction::NumericKind::Int);
        let number = Number::constant(kind, bits);
        let term = variable.map(|&variable| {
            let cell = self.terms.variable(variable, primitive.bits().into());
            match primitive {
                Primitive::Byte | Primitive::Short => self.terms.sext(cell, 32),
                _ => self.terms.zext(cell, number.width()),
            }
        });
        number.with(term)
    }
}

fn argued(argument: Argument, slots: &[Value], results: &[Value]) -> Value {
    let value = match argument {
        Argument::Null => None,
        Argument::Result(step) => results.get(step as usize),
        Argument::Slot(slot) => slots.get(slot as usize),
    };
    value.copied().filter(|value| *value != Value::Unset).unwrap_or(Value::NULL)
}
