//! Inserting probes: calls that report the operands of every decision.
//!
//! ```text
//!   before                         after
//!   %c = icmp slt i32 %a, %b       %c = icmp slt i32 %a, %b
//!   br i1 %c, …                    call @bw.SignedLess(i32 17, i64 sext %a, i64 sext %b)
//!                                  br i1 %c, …
//! ```

use crate::ir;
use crate::runtime::Runtime;
use crate::scan::{Scan, Switch};
use crate::spread::Verdict;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::Linkage;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue,
};
use inkwell::{AddressSpace, FloatPredicate, IntPredicate};
use model::BranchId;
use wire::abi::{INVERTED, NO_BRANCH, Slot};

/// Inserts probes into one module.
pub(crate) struct Prober<'a, 'c> {
    pub(crate) context: ContextRef<'c>,
    pub(crate) builder: &'a Builder<'c>,
    pub(crate) runtime: &'a Runtime<'a, 'c>,
}

impl<'c> Prober<'_, 'c> {
    /// Reports `condition` as `branch` just before `at`; `inverted` if the source condition is its negation.
    pub(crate) fn condition(
        &self,
        at: InstructionValue<'c>,
        branch: BranchId,
        condition: IntValue<'c>,
        inverted: bool,
    ) -> Result<(), BuilderError> {
        self.builder.position_before(&at);
        let (condition, negated) = look_through(condition);
        let inverted = inverted ^ negated;
        let comparison = condition.as_instruction_value();
        if let Some(comparison) = comparison.filter(|c| c.get_opcode() == InstructionOpcode::ICmp)
            && self.integers(comparison, branch, inverted)?
        {
            return Ok(());
        }
        if let Some(comparison) = comparison.filter(|c| c.get_opcode() == InstructionOpcode::FCmp)
            && self.floats(comparison, branch, inverted)?
        {
            return Ok(());
        }
        let truth = self.builder.build_int_z_extend(condition, self.context.i32_type(), "")?;
        self.call(Slot::Truth, &[self.id(branch, inverted), truth.into()])
    }

    /// Reports that `branch` had this outcome, just before `at`.
    pub(crate) fn outcome(
        &self,
        at: InstructionValue<'c>,
        branch: BranchId,
        outcome: bool,
    ) -> Result<(), BuilderError> {
        self.builder.position_before(&at);
        let truth = self.context.i32_type().const_int(u64::from(outcome), false);
        self.call(Slot::Truth, &[self.id(branch, false), truth.into()])
    }

    /// Reports what `jump` says about `branch`, see [`crate::spread`].
    pub(crate) fn verdict(
        &self,
        jump: InstructionValue<'c>,
        branch: BranchId,
        verdict: Verdict<'c>,
    ) -> Result<(), BuilderError> {
        match verdict {
            Verdict::Both { condition, inverted } => self.condition(jump, branch, condition, inverted),
            Verdict::Always(outcome) => self.outcome(jump, branch, outcome),
            Verdict::When { condition, inverted, outcome } => {
                self.builder.position_before(&jump);
                let i32_type = self.context.i32_type();
                let this = i32_type.const_int(u64::from(branch.0), false);
                // Probes pass over ids that no branch has.
                let none = i32_type.const_int(u64::from(!INVERTED), false);
                let (then, otherwise) = if inverted { (none, this) } else { (this, none) };
                let id = self.builder.build_select(condition, then, otherwise, "")?.into_int_value();
                let truth = i32_type.const_int(u64::from(outcome), false);
                self.call(Slot::Truth, &[id.into(), truth.into()])
            }
        }
    }

    /// Reports the value of a switch: `cases` name the branch of each row's destination.
    pub(crate) fn switch(
        &self,
        switch: &Switch<'c>,
        cases: &[(BranchId, i64, i64)],
        default: Option<BranchId>,
    ) -> Result<(), BuilderError> {
        let i64_type = self.context.i64_type();
        let mut table = vec![cases.len() as u64, default.map_or(NO_BRANCH, |b| u64::from(b.0))];
        for &(branch, low, high) in cases {
            table.extend([u64::from(branch.0), low as u64, high as u64]);
        }
        let words: Vec<_> = table.iter().map(|&w| i64_type.const_int(w, false)).collect();
        let global =
            self.runtime.module.add_global(i64_type.array_type(words.len() as u32), None, "bw.switch");
        global.set_initializer(&i64_type.const_array(&words));
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        self.builder.position_before(&switch.instruction);
        let Some(value) = self.widen(switch.value, true)? else { return Ok(()) };
        self.call(Slot::Switch, &[global.as_pointer_value().into(), value.into()])
    }

    /// Probes an integer comparison; false if it is one of pointers or vectors, where a number means nothing.
    fn integers(
        &self,
        comparison: InstructionValue<'c>,
        branch: BranchId,
        mut inverted: bool,
    ) -> Result<bool, BuilderError> {
        let (Some(BasicValueEnum::IntValue(mut a)), Some(BasicValueEnum::IntValue(mut b)), Some(predicate)) =
            (ir::operand(comparison, 0), ir::operand(comparison, 1), comparison.get_icmp_predicate())
        else {
            return Ok(false);
        };
        // Greater is less with the operands exchanged; unequal is equal inverted.
        use IntPredicate as P;
        if matches!(predicate, P::SGT | P::SGE | P::UGT | P::UGE) {
            std::mem::swap(&mut a, &mut b);
        }
        inverted ^= predicate == P::NE;
        let (narrow, wide, signed) = match predicate {
            P::EQ | P::NE => (Slot::Equal, Slot::Equal128, true),
            P::SLT | P::SGT => (Slot::SignedLess, Slot::SignedLess128, true),
            P::SLE | P::SGE => (Slot::SignedLessEqual, Slot::SignedLessEqual128, true),
            P::ULT | P::UGT => (Slot::UnsignedLess, Slot::UnsignedLess128, false),
            P::ULE | P::UGE => (Slot::UnsignedLessEqual, Slot::UnsignedLessEqual128, false),
        };
        let id = self.id(branch, inverted);
        match (self.widen(a, signed)?, self.widen(b, signed)?) {
            (Some(a), Some(b)) => self.call(narrow, &[id, a.into(), b.into()])?,
            _ => {
                let (a, b) = (self.widen_128(a, signed)?, self.widen_128(b, signed)?);
                self.call(wide, &[id, a.into(), b.into()])?;
            }
        }
        Ok(true)
    }

    fn floats(
        &self,
        comparison: InstructionValue<'c>,
        branch: BranchId,
        inverted: bool,
    ) -> Result<bool, BuilderError> {
        let (Some(BasicValueEnum::FloatValue(a)), Some(BasicValueEnum::FloatValue(b)), Some(predicate)) =
            (ir::operand(comparison, 0), ir::operand(comparison, 1), comparison.get_fcmp_predicate())
        else {
            return Ok(false);
        };
        let predicate = self.context.i32_type().const_int(u64::from(predicate_number(predicate)), false);
        let id = self.id(branch, inverted);
        let (double, extended) = (self.context.f64_type(), self.context.x86_f80_type());
        let ty = a.get_type();
        if ty == extended {
            self.call(Slot::LongDouble, &[id, predicate.into(), a.into(), b.into()])?;
        } else if ty == double {
            self.call(Slot::Float, &[id, predicate.into(), a.into(), b.into()])?;
        } else if ty == self.context.f32_type() || ty == self.context.f16_type() {
            let a = self.builder.build_float_ext(a, double, "")?;
            let b = self.builder.build_float_ext(b, double, "")?;
            self.call(Slot::Float, &[id, predicate.into(), a.into(), b.into()])?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn widen(&self, value: IntValue<'c>, signed: bool) -> Result<Option<IntValue<'c>>, BuilderError> {
        let i64_type = self.context.i64_type();
        match value.get_type().get_bit_width() {
            64 => Ok(Some(value)),
            65.. => Ok(None),
            // A single bit sign-extended would be −1.
            1 => self.builder.build_int_z_extend(value, i64_type, "").map(Some),
            _ if signed => self.builder.build_int_s_extend(value, i64_type, "").map(Some),
            _ => self.builder.build_int_z_extend(value, i64_type, "").map(Some),
        }
    }

    fn widen_128(&self, value: IntValue<'c>, signed: bool) -> Result<IntValue<'c>, BuilderError> {
        let i128_type = self.context.i128_type();
        match value.get_type().get_bit_width() {
            128 => Ok(value),
            // _BitInt beyond 128 bits: the low part guides, the outcome comes from the real comparison.
            129.. => self.builder.build_int_truncate(value, i128_type, ""),
            _ if signed => self.builder.build_int_s_extend(value, i128_type, ""),
            _ => self.builder.build_int_z_extend(value, i128_type, ""),
        }
    }

    fn id(&self, branch: BranchId, inverted: bool) -> BasicMetadataValueEnum<'c> {
        let id = branch.0 | if inverted { INVERTED } else { 0 };
        self.context.i32_type().const_int(u64::from(id), false).into()
    }

    fn call(&self, slot: Slot, arguments: &[BasicMetadataValueEnum<'c>]) -> Result<(), BuilderError> {
        self.builder.build_call(self.runtime.thunk(slot), arguments, "").map(|_| ())
    }
}

/// The comparison behind `!c`, `c != 0`, `(_Bool)c` and the like, and whether it is negated on the way.
fn look_through<'c>(mut condition: IntValue<'c>) -> (IntValue<'c>, bool) {
    let mut negated = false;
    while let Some((inner, flips)) = condition.as_instruction_value().and_then(truth_inside) {
        condition = inner;
        negated ^= flips;
    }
    (condition, negated)
}

fn truth_inside<'c>(instruction: InstructionValue<'c>) -> Option<(IntValue<'c>, bool)> {
    let first = ir::operand(instruction, 0)?;
    match instruction.get_opcode() {
        InstructionOpcode::Xor => {
            let BasicValueEnum::IntValue(value) = first else { return None };
            let flips = ir::constant(ir::operand(instruction, 1)?)? != 0;
            (value.get_type().get_bit_width() == 1).then_some((value, flips))
        }
        InstructionOpcode::Trunc => widened_bit(first).map(|bit| (bit, false)),
        InstructionOpcode::ICmp => {
            let bit = widened_bit(first)?;
            if ir::constant(ir::operand(instruction, 1)?)? != 0 {
                return None;
            }
            match instruction.get_icmp_predicate()? {
                IntPredicate::NE => Some((bit, false)),
                IntPredicate::EQ => Some((bit, true)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `b` of `zext i1 b` (also through a second widening or narrowing that keeps the bit).
fn widened_bit<'c>(value: BasicValueEnum<'c>) -> Option<IntValue<'c>> {
    let instruction = ir::definition(value)?;
    let inner = ir::operand(instruction, 0)?;
    let BasicValueEnum::IntValue(bit) = inner else { return None };
    match instruction.get_opcode() {
        InstructionOpcode::ZExt if bit.get_type().get_bit_width() == 1 => Some(bit),
        InstructionOpcode::ZExt | InstructionOpcode::Trunc => widened_bit(inner),
        _ => None,
    }
}

pub(crate) fn predicate_number(predicate: FloatPredicate) -> u32 {
    use FloatPredicate as P;
    match predicate {
        P::PredicateFalse => 0,
        P::OEQ => 1,
        P::OGT => 2,
        P::OGE => 3,
        P::OLT => 4,
        P::OLE => 5,
        P::ONE => 6,
        P::ORD => 7,
        P::UNO => 8,
        P::UEQ => 9,
        P::UGT => 10,
        P::UGE => 11,
        P::ULT => 12,
        P::ULE => 13,
        P::UNE => 14,
        P::PredicateTrue => 15,
    }
}

/// Puts a tick at the entry of the function and at every loop head.
pub(crate) fn insert_ticks<'c>(
    scan: &Scan<'c>,
    heads: &[model::BlockId],
    builder: &Builder<'c>,
    runtime: &Runtime<'_, 'c>,
) -> Result<(), BuilderError> {
    for &head in heads {
        let block = scan.blocks[head.0 as usize];
        let first = block
            .get_instructions()
            .find(|i| !matches!(i.get_opcode(), InstructionOpcode::Phi | InstructionOpcode::Alloca));
        let Some(first) = first else { continue };
        builder.position_before(&first);
        ir::speak_for(builder, block);
        builder.build_call(runtime.tick, &[], "")?;
    }
    Ok(())
}

/// A pointer type in the default address space.
pub(crate) fn pointer_type(context: ContextRef<'_>) -> inkwell::types::PointerType<'_> {
    context.ptr_type(AddressSpace::default())
}
