//! What a replay keeps of a run: decisions, accesses, approximations.

use crate::frame::Called;
use crate::machine::{Fallible, Machine};
use crate::outcome::{Access, Approximation, Check, Decision, FieldName, Place, What};
use crate::value::Reference;
use expr::{Op, Term};
use java_classfile::{Pc, PoolIndex};
use smallvec::SmallVec;
use std::rc::Rc;

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
        if condition.is_none() && self.is_quiet() {
            return;
        }
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

    /// A reference must not be null.
    pub(crate) fn check_not_null(&mut self, reference: Reference) {
        let wanted = self.is_null(reference).map(|is_null| self.terms.not(is_null));
        self.check(Check::NotNull, reference.object.is_some(), wanted);
    }

    /// Whether a reference is null, as a term, if that hangs on the input.
    pub(crate) fn is_null(&mut self, reference: Reference) -> Option<Term> {
        let pointer = self.terms.variable(reference.origin?, 64);
        let null = self.terms.constant(0, 64);
        Some(self.terms.binary(Op::Eq, pointer, null))
    }

    /// What holds of every input.
    pub(crate) fn given(&mut self, condition: Term) {
        if self.open(condition).is_some() {
            self.decide(What::Given, Some(condition), SmallVec::new());
        }
    }

    /// From here on a truth value is taken to hold.
    pub(crate) fn pin(&mut self, condition: Term) {
        if self.open(condition).is_some() {
            self.decide(What::Pin, Some(condition), SmallVec::new());
        }
    }

    pub(crate) fn access(&mut self, defines: bool, place: Place) {
        if self.is_quiet() {
            self.untold.insert(self.step);
            return;
        }
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

    /// The number of a field that was met, with the class that declares it.
    pub(crate) fn field_number(&self, class: &str, name: &str) -> Option<u32> {
        self.field_ids.get(&FieldName { class: class.to_owned(), name: name.to_owned() }).copied()
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
