//! Comparisons and jumps. The operands of every jump are compared with the trace.

use crate::machine::{Fallible, Flow, Halt, Machine};
use crate::outcome::{Approximation, What};
use crate::value::{Number, Value};
use expr::{Op, Term};
use java_classfile::instruction::{CompareOp, Condition, NumericKind};
use java_classfile::{Instruction, Pc};
use java_wire::event::Code;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::collections::BTreeMap;

impl Machine<'_, '_> {
    pub(super) fn jump(&mut self, instruction: &Instruction) -> Fallible<Flow> {
        match instruction {
            Instruction::Goto { target } => Ok(Flow::To(*target)),
            Instruction::Jsr { target } => self.subroutine(*target),
            Instruction::Ret { index } => match *self.top()?.local(*index)? {
                Value::Return(pc) => Ok(Flow::To(pc)),
                _ => Err(Halt::Broken("no address to return to")),
            },
            Instruction::If { condition, target } => {
                let left = self.top()?.pop_int()?;
                self.told_operands(Code::Jump, &[left])?;
                self.branch(*condition, left, Number::int(0), *target)
            }
            Instruction::IfInts { condition, target } => {
                let (right, left) = (self.top()?.pop_int()?, self.top()?.pop_int()?);
                self.told_operands(Code::JumpTwo, &[left, right])?;
                self.branch(*condition, left, right, *target)
            }
            Instruction::IfRefs { same, target } => self.if_references(*same, *target),
            Instruction::IfNull { null, target } => self.if_null(*null, *target),
            Instruction::TableSwitch(switch) => self.switch(switch.default, switch.cases()),
            Instruction::LookupSwitch(switch) => self.switch(switch.default, switch.cases.iter().copied()),
            _ => Err(Halt::Broken("no jump")),
        }
    }

    /// The operands of a jump are what the trace says, if it tells of it.
    fn told_operands(&mut self, code: Code, operands: &[Number]) -> Fallible<()> {
        if self.is_quiet() {
            return Ok(());
        }
        let event = self.expect(code, self.jump_number()?)?;
        let pairs = operands.iter().zip(event.words);
        pairs.into_iter().try_for_each(|(&operand, &word)| self.compare(operand, word.into()))
    }

    /// Whether a jump on references tells 1.
    fn told_reference(&mut self) -> Fallible<Option<bool>> {
        if self.is_quiet() {
            return Ok(None);
        }
        let event = self.trace.take_if(Code::JumpReference, self.jump_number()?);
        Ok(event.map(|event| event.words[0] == 1))
    }

    /// What is decided by a jump to a target.
    fn jumped(&self, target: Pc) -> Fallible<What> {
        Ok(if self.is_quiet() { What::Pin } else { What::Jump { jump: self.jump_number()?, target } })
    }

    pub(super) fn jump_number(&self) -> Fallible<u32> {
        let frame = self.frames.last().ok_or(Halt::Broken("no method"))?;
        let number = self.program.jump(frame.method.class, frame.method.index, frame.pc());
        number.ok_or(Halt::Broken("a jump without a number"))
    }

    fn next_pc(&self) -> Pc {
        self.frames.last().map_or(0, |frame| frame.method.code.end_of(frame.position))
    }

    fn subroutine(&mut self, target: Pc) -> Fallible<Flow> {
        let back = self.next_pc();
        self.top()?.push(Value::Return(back));
        Ok(Flow::To(target))
    }

    fn branch(&mut self, condition: Condition, left: Number, right: Number, target: Pc) -> Fallible<Flow> {
        let jumps = holds(condition, left.as_int().cmp(&right.as_int()));
        let term = if left.term.is_some() || right.term.is_some() {
            Some(self.condition(condition, left, right))
        } else {
            None
        };
        let flow = self.took(jumps, term, target)?;
        if self.settings.boundaries && !self.is_quiet() {
            let (left, right) = self.before_comparison(left, right);
            self.boundary(condition, jumps, left, right)?;
        }
        Ok(flow)
    }

    /// What a jump on two numbers compares; if it is on the answer of the comparison just before it, the operands of that.
    fn before_comparison(&self, left: Number, right: Number) -> (Number, Number) {
        let frame = self.frames.last();
        let before =
            frame.and_then(|frame| frame.method.code.instructions.get(frame.position.checked_sub(1)?));
        let is_answer = matches!(before, Some((_, Instruction::Compare(_))));
        let known = left.term.filter(|_| is_answer).and_then(|term| self.three_way.get(&term));
        known.map_or((left, right), |&(_, a, b)| (a, b))
    }

    /// Records which way a conditional jump went. The term is of the condition under which it jumps.
    fn took(&mut self, jumps: bool, term: Option<Term>, target: Pc) -> Fallible<Flow> {
        let next = self.next_pc();
        let (taken, other) = if jumps { (target, next) } else { (next, target) };
        let mut others = SmallVec::new();
        let mut condition = None;
        if let Some(term) = term.and_then(|term| self.open(term)) {
            let negated = self.terms.not(term);
            let (holding, failing) = if jumps { (term, negated) } else { (negated, term) };
            condition = Some(holding);
            others = smallvec![(other, failing)];
        }
        let what = self.jumped(taken)?;
        self.decide(what, condition, others);
        Ok(Flow::To(taken))
    }

    /// A relation between ints as a term; that of a comparison with three answers as the comparison itself.
    fn condition(&mut self, condition: Condition, left: Number, right: Number) -> Term {
        let compared = left.term.and_then(|term| self.three_way.get(&term).copied());
        if let Some((op, a, b)) = compared
            && right.term.is_none()
            && right.bits == 0
        {
            let (a, b) = (self.term(a), self.term(b));
            return self.direct(condition, op, a, b);
        }
        let (left, right) = (self.term(left), self.term(right));
        self.integers(condition, left, right)
    }

    fn integers(&mut self, condition: Condition, a: Term, b: Term) -> Term {
        match condition {
            Condition::Eq => self.terms.binary(Op::Eq, a, b),
            Condition::Lt => self.terms.binary(Op::Slt, a, b),
            Condition::Le => self.terms.binary(Op::Sle, a, b),
            Condition::Ne | Condition::Ge | Condition::Gt => {
                let negated = self.integers(condition.negated(), a, b);
                self.terms.not(negated)
            }
        }
    }

    /// `compare(a, b) condition 0`. What is not a number is as if `a` were below (−1) or above (1).
    fn direct(&mut self, condition: Condition, op: CompareOp, a: Term, b: Term) -> Term {
        let nan = match op {
            CompareOp::Long => return self.integers(condition, a, b),
            CompareOp::Float { nan } | CompareOp::Double { nan } => nan,
        };
        match (condition, nan) {
            (Condition::Eq, _) => self.terms.binary(Op::FEq, a, b),
            (Condition::Lt, 1) => self.terms.binary(Op::FLt, a, b),
            (Condition::Le, 1) => self.terms.binary(Op::FLe, a, b),
            (Condition::Gt, -1) => self.terms.binary(Op::FLt, b, a),
            (Condition::Ge, -1) => self.terms.binary(Op::FLe, b, a),
            _ => {
                let negated = self.direct(condition.negated(), op, a, b);
                self.terms.not(negated)
            }
        }
    }

    pub(super) fn three_way_compare(&mut self, op: CompareOp) -> Fallible<Flow> {
        let (kind, code) = match op {
            CompareOp::Long => (NumericKind::Long, Code::CompareLong),
            CompareOp::Float { .. } => (NumericKind::Float, Code::CompareFloat),
            CompareOp::Double { .. } => (NumericKind::Double, Code::CompareDouble),
        };
        let (b, a) = (self.top()?.pop_number(kind)?, self.top()?.pop_number(kind)?);
        // The id is that of a jump that may not be there.
        if let Some(event) = self.trace.take_code(code) {
            let (left, right) = match kind {
                NumericKind::Float => (event.words[0].into(), event.words[1].into()),
                _ => (event.wide(0), event.wide(2)),
            };
            self.compare(a, left)?;
            self.compare(b, right)?;
        }
        let number = Number::int(three_way(op, a.bits, b.bits));
        let number = if a.term.is_some() || b.term.is_some() {
            let term = self.three_way_term(op, a, b);
            number.with(self.open(term))
        } else {
            number
        };
        self.push(Value::Number(number))
    }

    pub(crate) fn three_way_term(&mut self, op: CompareOp, a: Number, b: Number) -> Term {
        let operands = (op, a, b);
        let (a, b) = (self.term(a), self.term(b));
        let below = self.direct(Condition::Lt, op, a, b);
        let equal = self.direct(Condition::Eq, op, a, b);
        let [minus, zero, one] = [u128::from(u32::MAX), 0, 1].map(|value| self.terms.constant(value, 32));
        let rest = self.terms.ite(equal, zero, one);
        let term = self.terms.ite(below, minus, rest);
        self.three_way.insert(term, operands);
        term
    }

    fn if_references(&mut self, same: bool, target: Pc) -> Fallible<Flow> {
        let (b, a) = (self.top()?.pop_reference()?, self.top()?.pop_reference()?);
        let believed = self.same(a, b);
        if a.boxed.or(b.boxed).is_some() && a.object.is_some() && b.object.is_some() {
            self.approximate(Approximation::Boxes);
        }
        let are_same = self.told_reference()?.unwrap_or(believed);
        if are_same != believed {
            self.unexpected_identity(a.object.is_some() && b.object.is_some())?;
        }
        self.took(are_same == same, None, target)
    }

    /// Objects of which one was not told of may be the same after all.
    fn unexpected_identity(&mut self, possible: bool) -> Fallible<()> {
        if possible {
            self.approximate(Approximation::Identity);
            return Ok(());
        }
        Err(Halt::Differs { expected: "one reference to be null".into(), seen: "another".into() })
    }

    fn if_null(&mut self, null: bool, target: Pc) -> Fallible<Flow> {
        let reference = self.top()?.pop_reference()?;
        let is_null = reference.object.is_none();
        if let Some(told) = self.told_reference()? {
            self.compare(Number::int(is_null.into()), told.into())?;
        }
        let term = self.is_null(reference);
        let term = term.map(|term| if null { term } else { self.terms.not(term) });
        self.took(is_null == null, term, target)
    }

    fn switch(&mut self, default: Pc, cases: impl Iterator<Item = (i32, Pc)>) -> Fallible<Flow> {
        let value = self.top()?.pop_int()?;
        self.told_operands(Code::Jump, &[value])?;
        let mut keys: BTreeMap<Pc, Vec<i32>> = BTreeMap::new();
        let mut taken = default;
        for (key, target) in cases {
            if key == value.as_int() {
                taken = target;
            }
            keys.entry(target).or_default().push(key);
        }
        let (mut condition, mut others) = (None, SmallVec::new());
        for (target, term) in self.switch_terms(value, default, &keys) {
            if target == taken {
                condition = Some(term);
            } else if self.terms.value(term) != Some(0) {
                others.push((target, term));
            }
        }
        let what = self.jumped(taken)?;
        self.decide(what, condition, others);
        Ok(Flow::To(taken))
    }

    /// When each target of a switch is taken.
    fn switch_terms(&mut self, value: Number, default: Pc, keys: &BTreeMap<Pc, Vec<i32>>) -> Vec<(Pc, Term)> {
        if value.term.is_none() {
            return Vec::new();
        }
        let mut terms = Vec::new();
        let mut elsewhere = self.terms.truth(false);
        for (&target, keys) in keys.iter().filter(|(target, _)| **target != default) {
            let mut any = self.terms.truth(false);
            for &key in keys {
                let is_key = self.predicate(Op::Eq, value, Number::int(key));
                any = self.or(any, is_key);
            }
            terms.push((target, any));
            elsewhere = self.or(elsewhere, any);
        }
        terms.push((default, self.terms.not(elsewhere)));
        terms
    }
}

fn holds(condition: Condition, order: Ordering) -> bool {
    match condition {
        Condition::Eq => order.is_eq(),
        Condition::Ne => order.is_ne(),
        Condition::Lt => order.is_lt(),
        Condition::Ge => order.is_ge(),
        Condition::Gt => order.is_gt(),
        Condition::Le => order.is_le(),
    }
}

fn three_way(op: CompareOp, a: u64, b: u64) -> i32 {
    let (order, nan) = match op {
        CompareOp::Long => (Some(a.cast_signed().cmp(&b.cast_signed())), 0),
        CompareOp::Float { nan } => (f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)), nan),
        CompareOp::Double { nan } => (f64::from_bits(a).partial_cmp(&f64::from_bits(b)), nan),
    };
    order.map_or(nan.into(), |order| order as i32)
}
