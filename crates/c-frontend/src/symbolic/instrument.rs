//! The twin of one function: beside every instruction one that computes the shadow of its result.
//!
//! No block is split: helpers are calls, and only the optimiser opens them up later. So what was learnt about the
//! function's blocks before stays true.

use super::helpers::Helpers;
use super::shade::{Shade, Shades, float_width, parts, width};
use super::sites::Sites;
use crate::ir;
use crate::probe::pointer_type;
use crate::scan::Site;
use crate::unit::Analysis;
use expr::Op;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue, PhiValue, PointerValue,
};
use inkwell::{FloatPredicate, IntPredicate};
use model::BranchId;
use std::collections::{HashMap, HashSet};
use wire::abi::{INVERTED, NO_BRANCH};
use wire::symbolic::{ANONYMOUS, SymbolicSlot as Slot, UNNAMED_WAYS, operation};

/// Instruments the functions of one module.
pub(super) struct Instrumenter<'a, 'c> {
    pub(super) module: &'a Module<'c>,
    pub(super) builder: &'a Builder<'c>,
    pub(super) data: &'a TargetData,
    pub(super) helpers: &'a Helpers<'c>,
    pub(super) sites: &'a mut Sites,
    pub(super) shades: Shades<'c>,
}

/// What decides the branches of a function.
#[derive(Default)]
pub(super) struct Decisions<'c> {
    jumps: HashMap<BasicBlock<'c>, (BranchId, usize)>,
    /// Conditions of selects, reported where the counter stands.
    selects: Vec<(InstructionValue<'c>, BranchId, IntValue<'c>)>,
    /// By block: rows `(branch, low, high)` and the default.
    switches: HashMap<BasicBlock<'c>, SwitchRows>,
    /// Blocks of range checks that belong to a switch.
    checks: HashSet<BasicBlock<'c>>,
}

type SwitchRows = (Vec<(BranchId, i64, i64)>, Option<BranchId>);

impl<'c> Decisions<'c> {
    pub(super) fn of(analysis: &Analysis<'c>) -> Decisions<'c> {
        let mut decisions = Decisions { jumps: analysis.jumps.clone(), ..Decisions::default() };
        decisions.checks.extend(analysis.scan.switches.iter().flat_map(|s| s.checks.iter().copied()));
        for &(branch, site) in &analysis.sites {
            let entry = |switch: usize| analysis.scan.switches[switch].block;
            match site {
                Site::Select { at, condition } => decisions.selects.push((at, branch, condition)),
                Site::Case { switch, destination } => {
                    let rows = analysis.scan.switches[switch].rows.iter().filter(|r| r.2 == destination);
                    let (known, _) = decisions.switches.entry(entry(switch)).or_default();
                    known.extend(rows.map(|&(low, high, _)| (branch, low, high)));
                }
                Site::Default { switch } | Site::NoDefault { switch } => {
                    decisions.switches.entry(entry(switch)).or_default().1 = Some(branch);
                }
                Site::Jump { .. } | Site::Spread { .. } | Site::Unevaluated { .. } => {}
            }
        }
        decisions
    }
}

/// Whether building went well.
pub(super) type Built = Result<(), BuilderError>;

impl<'a, 'c> Instrumenter<'a, 'c> {
    pub(super) fn new(
        module: &'a Module<'c>,
        builder: &'a Builder<'c>,
        data: &'a TargetData,
        helpers: &'a Helpers<'c>,
        sites: &'a mut Sites,
    ) -> Instrumenter<'a, 'c> {
        let shades = Shades::new(module.get_context());
        Instrumenter { module, builder, data, helpers, sites, shades }
    }
}

impl<'c> Instrumenter<'_, 'c> {
    pub(super) fn function(&mut self, function: FunctionValue<'c>, decisions: &Decisions<'c>) -> Built {
        self.shades = Shades::new(self.context());
        let order = reverse_postorder(function);
        let instructions: Vec<(BasicBlock<'c>, Vec<InstructionValue<'c>>)> =
            order.iter().map(|&b| (b, b.get_instructions().collect())).collect();
        self.take_arguments(function)?;
        let phis = self.shadow_phis(&instructions)?;
        let conditions: HashSet<IntValue<'c>> = decisions.selects.iter().map(|s| s.2).collect();
        for (block, instructions) in &instructions {
            for &instruction in instructions {
                if let Some(next) = instruction.get_next_instruction() {
                    self.builder.position_before(&next);
                }
                self.instruction(instruction, &conditions)?;
                for &(at, branch, condition) in decisions.selects.iter().filter(|s| s.0 == instruction) {
                    self.builder.position_before(&at);
                    self.decision(branch, false, condition)?;
                }
            }
            if let Some(end) = block.get_terminator() {
                self.builder.position_before(&end);
                self.terminator(function, *block, end, decisions)?;
            }
        }
        self.fill_phis(&phis)
    }

    pub(super) fn context(&self) -> ContextRef<'c> {
        self.module.get_context()
    }

    pub(super) fn number(&self, value: u32) -> IntValue<'c> {
        self.context().i32_type().const_int(value.into(), false)
    }

    pub(super) fn word(&self, value: u64) -> IntValue<'c> {
        self.context().i64_type().const_int(value, false)
    }

    /// Every phi gets shadow phis, empty at first: their values may come from blocks not seen yet.
    fn shadow_phis(
        &mut self,
        blocks: &[(BasicBlock<'c>, Vec<InstructionValue<'c>>)],
    ) -> Result<Vec<(PhiValue<'c>, Vec<PhiValue<'c>>)>, BuilderError> {
        let mut phis = Vec::new();
        for (_, instructions) in blocks {
            for &instruction in instructions.iter().filter(|i| i.get_opcode() == InstructionOpcode::Phi) {
                let Ok(phi) = PhiValue::try_from(instruction) else { continue };
                self.builder.position_before(&instruction);
                let count = parts(phi.as_basic_value().get_type());
                let shadows = (0..count)
                    .map(|_| self.builder.build_phi(self.context().i32_type(), ""))
                    .collect::<Result<Vec<_>, _>>()?;
                let shade = shadows.iter().map(|s| s.as_basic_value().into_int_value()).collect();
                self.shades.set(phi.as_basic_value(), shade);
                phis.push((phi, shadows));
            }
        }
        Ok(phis)
    }

    fn fill_phis(&self, phis: &[(PhiValue<'c>, Vec<PhiValue<'c>>)]) -> Built {
        for (phi, shadows) in phis {
            for (value, block) in phi.get_incomings() {
                for (shadow, part) in shadows.iter().zip(self.shades.all(value)) {
                    shadow.add_incoming(&[(&part as &dyn BasicValue<'c>, block)]);
                }
            }
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        instruction: InstructionValue<'c>,
        path_conditions: &HashSet<IntValue<'c>>,
    ) -> Built {
        use InstructionOpcode as O;
        match instruction.get_opcode() {
            O::Add => self.arithmetic(instruction, Op::Add),
            O::Sub => self.arithmetic(instruction, Op::Sub),
            O::Mul => self.arithmetic(instruction, Op::Mul),
            O::UDiv => self.division(instruction, Op::UDiv),
            O::SDiv => self.division(instruction, Op::SDiv),
            O::URem => self.division(instruction, Op::URem),
            O::SRem => self.division(instruction, Op::SRem),
            O::And => self.arithmetic(instruction, Op::And),
            O::Or => self.arithmetic(instruction, Op::Or),
            O::Xor => self.arithmetic(instruction, Op::Xor),
            O::Shl => self.arithmetic(instruction, Op::Shl),
            O::LShr => self.arithmetic(instruction, Op::LShr),
            O::AShr => self.arithmetic(instruction, Op::AShr),
            O::FAdd => self.arithmetic(instruction, Op::FAdd),
            O::FSub => self.arithmetic(instruction, Op::FSub),
            O::FMul => self.arithmetic(instruction, Op::FMul),
            O::FDiv => self.arithmetic(instruction, Op::FDiv),
            O::FRem => self.arithmetic(instruction, Op::FRem),
            O::FNeg => self.negate(instruction),
            O::ICmp | O::FCmp => self.comparison(instruction),
            O::Trunc => self.conversion(instruction, Op::Extract),
            O::ZExt => self.extension(instruction, Op::ZExt),
            O::SExt => self.extension(instruction, Op::SExt),
            O::FPTrunc | O::FPExt => self.conversion(instruction, Op::FConvert),
            O::FPToSI => self.conversion(instruction, Op::FToSigned),
            O::FPToUI => self.conversion(instruction, Op::FToUnsigned),
            O::SIToFP => self.conversion(instruction, Op::FFromSigned),
            O::UIToFP => self.conversion(instruction, Op::FFromUnsigned),
            O::PtrToInt => self.conversion(instruction, Op::Extract),
            O::IntToPtr => self.conversion(instruction, Op::ZExt),
            O::BitCast | O::Freeze => self.same(instruction),
            O::Select => self.select(instruction, path_conditions),
            O::GetElementPtr => self.address(instruction),
            O::Load => self.load(instruction),
            O::Store => self.store(instruction),
            O::ExtractValue => self.extract_value(instruction),
            O::InsertValue => self.insert_value(instruction),
            O::ExtractElement => self.extract_element(instruction),
            O::Call => self.call(instruction),
            O::AtomicRMW | O::AtomicCmpXchg => self.atomic(instruction),
            O::Alloca => self.local(instruction),
            O::Phi | O::Fence | O::Unreachable => Ok(()),
            _ if instruction.is_terminator() => Ok(()),
            other => {
                let shadows = operands(instruction);
                self.lose(&shadows, instruction, &format!("{other:?}"))
            }
        }
    }

    /// Told before it happens: a division by zero is the last thing that its run does.
    fn division(&mut self, instruction: InstructionValue<'c>, op: Op) -> Built {
        let next = instruction.get_next_instruction();
        self.builder.position_before(&instruction);
        self.arithmetic(instruction, op)?;
        if let Some(next) = next {
            self.builder.position_before(&next);
        }
        Ok(())
    }

    /// An array or a structure on the stack: a pointer that depends on the input may lead anywhere inside.
    fn local(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Ok(ty) = instruction.get_allocated_type() else { return Ok(()) };
        let count = ir::operand(instruction, 0);
        let (Some(BasicValueEnum::IntValue(count)), BasicValueEnum::PointerValue(object)) =
            (count, ir::result(instruction))
        else {
            return Ok(());
        };
        let is_single = count.get_zero_extended_constant() == Some(1);
        if is_single && !matches!(ty, BasicTypeEnum::ArrayType(_) | BasicTypeEnum::StructType(_)) {
            return Ok(());
        }
        let i64_type = self.context().i64_type();
        let count = self.builder.build_int_z_extend_or_bit_cast(count, i64_type, "")?;
        let bytes = self.builder.build_int_mul(count, self.word(self.data.get_abi_size(&ty)), "")?;
        let frame = self.frame()?;
        self.helpers.call(self.builder, Slot::Local, &[object.into(), bytes.into(), frame.into()]).map(|_| ())
    }

    fn frame(&self) -> Result<BasicValueEnum<'c>, BuilderError> {
        let intrinsic = Intrinsic::find("llvm.frameaddress");
        let pointer = pointer_type(self.context());
        let declared = intrinsic.and_then(|i| i.get_declaration(self.module, &[pointer.into()]));
        let Some(frame_address) = declared else { return Ok(self.null().into()) };
        let call = self.builder.build_call(frame_address, &[self.number(0).into()], "")?;
        Ok(call.try_as_basic_value().basic().unwrap_or(self.null().into()))
    }

    /// The value's bits as a 64-bit number; only the slow half looks at it.
    pub(super) fn bits(&self, value: BasicValueEnum<'c>) -> Result<IntValue<'c>, BuilderError> {
        let i64_type = self.context().i64_type();
        match value {
            BasicValueEnum::IntValue(v) => match v.get_type().get_bit_width() {
                64 => Ok(v),
                65.. => self.builder.build_int_truncate(v, i64_type, ""),
                _ => self.builder.build_int_z_extend(v, i64_type, ""),
            },
            BasicValueEnum::PointerValue(v) => self.builder.build_ptr_to_int(v, i64_type, ""),
            BasicValueEnum::FloatValue(v) => match float_width(v.get_type()) {
                Some(64) => Ok(self.builder.build_bit_cast(v, i64_type, "")?.into_int_value()),
                Some(_) => {
                    let bits = self.builder.build_bit_cast(v, self.context().i32_type(), "")?;
                    self.builder.build_int_z_extend(bits.into_int_value(), i64_type, "")
                }
                None => Ok(i64_type.const_zero()),
            },
            _ => Ok(i64_type.const_zero()),
        }
    }

    pub(super) fn wide_bits(&self, value: BasicValueEnum<'c>) -> Result<IntValue<'c>, BuilderError> {
        let i128_type = self.context().i128_type();
        match value {
            BasicValueEnum::IntValue(v) if v.get_type().get_bit_width() == 128 => Ok(v),
            BasicValueEnum::IntValue(v) => self.builder.build_int_z_extend(v, i128_type, ""),
            _ => Ok(i128_type.const_zero()),
        }
    }

    /// Calls a helper that makes a shadow.
    pub(super) fn shadow(
        &self,
        slot: Slot,
        arguments: &[BasicMetadataValueEnum<'c>],
    ) -> Result<IntValue<'c>, BuilderError> {
        let result = self.helpers.call(self.builder, slot, arguments)?;
        Ok(result.map_or(self.shades.zero(), BasicValueEnum::into_int_value))
    }

    /// An operation on two numbers: `result` is where its shadow belongs.
    pub(super) fn binary(
        &self,
        op: Op,
        a: BasicValueEnum<'c>,
        b: BasicValueEnum<'c>,
    ) -> Result<IntValue<'c>, BuilderError> {
        let (sa, sb) = (self.shades.one(a), self.shades.one(b));
        let Some(width) = width(a.get_type()) else { return Ok(self.shades.zero()) };
        if !self.shades.may_be_set(sa) && !self.shades.may_be_set(sb) {
            return Ok(self.shades.zero());
        }
        let result_width = if op.is_predicate() { 1 } else { width };
        let operation = self.number(operation(op as u8, result_width, width, 0)).into();
        if width > 64 {
            let (a, b) = (self.wide_bits(a)?, self.wide_bits(b)?);
            self.shadow(Slot::Binary128, &[operation, sa.into(), sb.into(), a.into(), b.into()])
        } else {
            let (a, b) = (self.bits(a)?, self.bits(b)?);
            self.shadow(Slot::Binary, &[operation, sa.into(), sb.into(), a.into(), b.into()])
        }
    }

    fn arithmetic(&mut self, instruction: InstructionValue<'c>, op: Op) -> Built {
        let (Some(a), Some(b)) = (ir::operand(instruction, 0), ir::operand(instruction, 1)) else {
            return Ok(());
        };
        if a.is_vector_value() || width(a.get_type()).is_none() {
            return self.lose(&[a, b], instruction, &format!("{:?}", instruction.get_opcode()));
        }
        let shadow = self.binary(op, a, b)?;
        self.shades.set(ir::result(instruction), vec![shadow]);
        Ok(())
    }

    fn negate(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Some(a) = ir::operand(instruction, 0) else { return Ok(()) };
        let sa = self.shades.one(a);
        if !self.shades.may_be_set(sa) {
            return Ok(());
        }
        let Some(width) = width(a.get_type()).filter(|_| !a.is_vector_value()) else {
            return self.lose(&[a], instruction, "FNeg");
        };
        let operation = self.number(operation(Op::Xor as u8, width, width, 0));
        let sign = self.word(1 << (width - 1));
        let bits = self.bits(a)?;
        let arguments = [operation.into(), sa.into(), self.shades.zero().into(), bits.into(), sign.into()];
        let shadow = self.shadow(Slot::Binary, &arguments)?;
        self.shades.set(ir::result(instruction), vec![shadow]);
        Ok(())
    }

    fn comparison(&mut self, instruction: InstructionValue<'c>) -> Built {
        let (Some(a), Some(b)) = (ir::operand(instruction, 0), ir::operand(instruction, 1)) else {
            return Ok(());
        };
        let (sa, sb) = (self.shades.one(a), self.shades.one(b));
        if !self.shades.may_be_set(sa) && !self.shades.may_be_set(sb) {
            return Ok(());
        }
        let Some(width) = width(a.get_type()).filter(|_| !a.is_vector_value()) else {
            return self.lose(&[a, b], instruction, "comparison");
        };
        let (slot, predicate) = if let Some(predicate) = instruction.get_icmp_predicate() {
            (if width > 64 { Slot::Compare128 } else { Slot::Compare }, integer_predicate(predicate))
        } else if let Some(predicate) = instruction.get_fcmp_predicate() {
            (Slot::CompareFloat, float_predicate(predicate))
        } else {
            return Ok(());
        };
        let code = self.number(predicate | width << 8).into();
        let shadow = if slot == Slot::Compare128 {
            let (a, b) = (self.wide_bits(a)?, self.wide_bits(b)?);
            self.shadow(slot, &[code, sa.into(), sb.into(), a.into(), b.into()])?
        } else {
            let (a, b) = (self.bits(a)?, self.bits(b)?);
            self.shadow(slot, &[code, sa.into(), sb.into(), a.into(), b.into()])?
        };
        self.shades.set(ir::result(instruction), vec![shadow]);
        Ok(())
    }

    fn conversion(&mut self, instruction: InstructionValue<'c>, op: Op) -> Built {
        let Some(a) = ir::operand(instruction, 0) else { return Ok(()) };
        let result = ir::result(instruction);
        let sa = self.shades.one(a);
        if !self.shades.may_be_set(sa) {
            return Ok(());
        }
        let widths = width(a.get_type()).zip(width(result.get_type()));
        let Some((from, to)) = widths.filter(|_| !a.is_vector_value()) else {
            return self.lose(&[a], instruction, &format!("{:?}", instruction.get_opcode()));
        };
        let shadow = self.converted(op, sa, from, to)?;
        self.shades.set(result, vec![shadow]);
        Ok(())
    }

    /// A truth value that is added to an address (`at += *at == '-'`) decides where the path goes on: as a term it would leave
    /// all that is read from then on at an unknown place.
    fn extension(&mut self, instruction: InstructionValue<'c>, op: Op) -> Built {
        match ir::operand(instruction, 0) {
            Some(BasicValueEnum::IntValue(truth))
                if truth.get_type().get_bit_width() == 1 && is_address(instruction) =>
            {
                self.decision(BranchId(ANONYMOUS), false, truth)
            }
            _ => self.conversion(instruction, op),
        }
    }

    pub(super) fn converted(
        &self,
        op: Op,
        shadow: IntValue<'c>,
        from: u32,
        to: u32,
    ) -> Result<IntValue<'c>, BuilderError> {
        let op = match op {
            // Pointers and integers of their size are the same bits.
            Op::Extract | Op::ZExt if from == to => return Ok(shadow),
            Op::Extract if from < to => Op::ZExt,
            Op::ZExt if from > to => Op::Extract,
            other => other,
        };
        let operation = self.number(operation(op as u8, to, from, 0));
        self.shadow(Slot::Unary, &[operation.into(), shadow.into()])
    }

    fn same(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Some(a) = ir::operand(instruction, 0) else { return Ok(()) };
        let shade = self.shades.all(a);
        if shade.len() == parts(ir::result(instruction).get_type()) {
            self.shades.set(ir::result(instruction), shade);
        }
        Ok(())
    }

    /// A select that is a branch of the source belongs to the path, so only the chosen side counts, and so does one
    /// between addresses; any other becomes a choice inside the term.
    fn select(
        &mut self,
        instruction: InstructionValue<'c>,
        path_conditions: &HashSet<IntValue<'c>>,
    ) -> Built {
        let (Some(BasicValueEnum::IntValue(condition)), Some(a), Some(b)) =
            (ir::operand(instruction, 0), ir::operand(instruction, 1), ir::operand(instruction, 2))
        else {
            return Ok(());
        };
        let sc = self.shades.one(condition.into());
        let result = ir::result(instruction);
        let mut on_path = path_conditions.contains(&condition) || !self.shades.may_be_set(sc);
        if !on_path && is_address(instruction) {
            self.decision(BranchId(ANONYMOUS), false, condition)?;
            on_path = true;
        }
        let widths = width(result.get_type()).filter(|&w| w <= 64 && !a.is_vector_value());
        let mut shade = Shade::new();
        if let (false, Some(width)) = (on_path, widths) {
            let operation = self.number(operation(Op::Ite as u8, width, 1, 0));
            let truth = self.bits(condition.into())?;
            let (va, vb) = (self.bits(a)?, self.bits(b)?);
            let (sa, sb) = (self.shades.one(a), self.shades.one(b));
            let arguments =
                [operation.into(), sc.into(), sa.into(), sb.into(), truth.into(), va.into(), vb.into()];
            shade.push(self.shadow(Slot::Ternary, &arguments)?);
        } else {
            if !on_path {
                self.lose(&[condition.into()], instruction, "Select")?;
            }
            for (sa, sb) in self.shades.all(a).into_iter().zip(self.shades.all(b)) {
                shade.push(self.builder.build_select(condition, sa, sb, "")?.into_int_value());
            }
        }
        self.shades.set(result, shade);
        Ok(())
    }

    fn extract_value(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Some(aggregate) = ir::operand(instruction, 0) else { return Ok(()) };
        let (first, count) = part_range(aggregate.get_type(), &ir::indices(instruction));
        let shade = self.shades.all(aggregate);
        if let Some(part) = shade.get(first..first + count) {
            self.shades.set(ir::result(instruction), part.to_vec());
        }
        Ok(())
    }

    fn insert_value(&mut self, instruction: InstructionValue<'c>) -> Built {
        let (Some(aggregate), Some(value)) = (ir::operand(instruction, 0), ir::operand(instruction, 1))
        else {
            return Ok(());
        };
        let (first, count) = part_range(aggregate.get_type(), &ir::indices(instruction));
        let mut shade = self.shades.all(aggregate);
        let part = self.shades.all(value);
        if first + count <= shade.len() && part.len() == count {
            shade.splice(first..first + count, part);
            self.shades.set(ir::result(instruction), shade);
        }
        Ok(())
    }

    fn extract_element(&mut self, instruction: InstructionValue<'c>) -> Built {
        let (Some(vector), Some(BasicValueEnum::IntValue(index))) =
            (ir::operand(instruction, 0), ir::operand(instruction, 1))
        else {
            return Ok(());
        };
        let result = ir::result(instruction);
        let widths = width(vector.get_type()).zip(width(result.get_type()));
        let (Some((whole, part)), Some(index)) = (widths, index.get_zero_extended_constant()) else {
            return self.lose(&[vector], instruction, "ExtractElement");
        };
        let shadow = self.shades.one(vector);
        if self.shades.may_be_set(shadow) {
            let operation = self.number(operation(Op::Extract as u8, part, whole, index as u32 * part));
            let shadow = self.shadow(Slot::Unary, &[operation.into(), shadow.into()])?;
            self.shades.set(result, vec![shadow]);
        }
        Ok(())
    }

    /// Says that precision is lost if any of the values depends on the input.
    pub(super) fn lose(
        &mut self,
        values: &[BasicValueEnum<'c>],
        instruction: InstructionValue<'c>,
        what: &str,
    ) -> Built {
        let shadows: Vec<IntValue<'c>> = values.iter().flat_map(|&v| self.shades.all(v)).collect();
        let mut any = self.shades.zero();
        for shadow in shadows.into_iter().filter(|&s| self.shades.may_be_set(s)) {
            any = if self.shades.may_be_set(any) { self.builder.build_or(any, shadow, "")? } else { shadow };
        }
        if !self.shades.may_be_set(any) {
            return Ok(());
        }
        let site = self.sites.at(instruction, what);
        self.helpers.call(self.builder, Slot::Lose, &[any.into(), self.number(site).into()]).map(|_| ())
    }

    /// Pins a value that is about to be used as a number.
    pub(super) fn pin(
        &mut self,
        value: BasicValueEnum<'c>,
        instruction: InstructionValue<'c>,
        what: &str,
    ) -> Built {
        let shadow = self.shades.one(value);
        let Some(width) = width(value.get_type()).filter(|&w| w <= 64) else { return Ok(()) };
        if !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let site = self.sites.at(instruction, what);
        let bits = self.bits(value)?;
        let arguments = [shadow.into(), bits.into(), self.number(width).into(), self.number(site).into()];
        self.helpers.call(self.builder, Slot::Pin, &arguments).map(|_| ())
    }

    fn decision(&self, branch: BranchId, inverted: bool, condition: IntValue<'c>) -> Built {
        let shadow = self.shades.one(condition.into());
        if !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let id = self.number(branch.0 | if inverted { INVERTED } else { 0 });
        let outcome = self.builder.build_int_z_extend(condition, self.context().i32_type(), "")?;
        self.helpers.call(self.builder, Slot::Branch, &[id.into(), shadow.into(), outcome.into()]).map(|_| ())
    }

    fn terminator(
        &mut self,
        function: FunctionValue<'c>,
        block: BasicBlock<'c>,
        end: InstructionValue<'c>,
        decisions: &Decisions<'c>,
    ) -> Built {
        match end.get_opcode() {
            InstructionOpcode::Br => {
                if decisions.checks.contains(&block) {
                    return Ok(());
                }
                let Some(&(branch, when_true)) = decisions.jumps.get(&block) else {
                    return self.unnamed_jump(end);
                };
                match ir::operand(end, 0) {
                    Some(BasicValueEnum::IntValue(condition)) => {
                        self.decision(branch, when_true == 1, condition)
                    }
                    _ => Ok(()),
                }
            }
            InstructionOpcode::Switch => self.switch(block, end, decisions),
            InstructionOpcode::IndirectBr => match ir::operand(end, 0) {
                Some(address) => self.pin(address, end, "computed goto"),
                None => Ok(()),
            },
            InstructionOpcode::Return => self.give_results(function, end),
            _ => Ok(()),
        }
    }

    /// A jump of the library: a decision like any other, but nobody's goal.
    fn unnamed_jump(&mut self, end: InstructionValue<'c>) -> Built {
        match ir::operand(end, 0) {
            Some(BasicValueEnum::IntValue(condition)) if end.get_num_operands() == 3 => {
                self.decision(BranchId(ANONYMOUS), false, condition)
            }
            _ => Ok(()),
        }
    }

    fn switch(
        &mut self,
        block: BasicBlock<'c>,
        end: InstructionValue<'c>,
        decisions: &Decisions<'c>,
    ) -> Built {
        let Some(value @ BasicValueEnum::IntValue(number)) = ir::operand(end, 0) else { return Ok(()) };
        let shadow = self.shades.one(value);
        if !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let bits = number.get_type().get_bit_width();
        if bits > 64 {
            return self.pin(value, end, "switch");
        }
        let table = match decisions.switches.get(&block) {
            Some((rows, default)) => {
                let default = default.map_or(NO_BRANCH, |branch| u64::from(branch.0));
                switch_table(
                    default,
                    rows.iter().map(|&(branch, low, high)| (u64::from(branch.0), low, high)),
                )
            }
            None => unnamed_switch(end),
        };
        let i64_type = self.context().i64_type();
        let words: Vec<_> = table.iter().map(|&w| i64_type.const_int(w, false)).collect();
        let global = self.module.add_global(i64_type.array_type(words.len() as u32), None, "bw.switch");
        global.set_initializer(&i64_type.const_array(&words));
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        let wide = if bits < 64 { self.builder.build_int_s_extend(number, i64_type, "")? } else { number };
        let arguments =
            [global.as_pointer_value().into(), wide.into(), shadow.into(), self.number(bits).into()];
        self.helpers.call(self.builder, Slot::Switch, &arguments).map(|_| ())
    }

    pub(super) fn null(&self) -> PointerValue<'c> {
        pointer_type(self.context()).const_null()
    }
}

/// The table of a switch, see [`Slot::Switch`].
fn switch_table(default: u64, rows: impl Iterator<Item = (u64, i64, i64)>) -> Vec<u64> {
    let rows: Vec<[u64; 3]> = rows.map(|(way, low, high)| [way, low as u64, high as u64]).collect();
    let head = [rows.len() as u64, default];
    head.into_iter().chain(rows.into_iter().flatten()).collect()
}

/// The table of a switch of the library, or of one that the optimiser made: a decision like any other, but nobody's goal.
fn unnamed_switch(end: InstructionValue<'_>) -> Vec<u64> {
    let mut destinations = Vec::new();
    let mut rows = Vec::new();
    for (value, block) in ir::switch_cases(end) {
        let BasicValueEnum::IntValue(value) = value else { continue };
        let Some(value) = value.get_sign_extended_constant() else { continue };
        let way = destinations.iter().position(|&known| known == block).unwrap_or_else(|| {
            destinations.push(block);
            destinations.len() - 1
        });
        rows.push((UNNAMED_WAYS + way as u64, value, value));
    }
    // Rows of one way stand one after the other.
    rows.sort_unstable();
    switch_table(NO_BRANCH, rows.into_iter())
}

/// Whether a value is an address, or added to one.
fn is_address(instruction: InstructionValue<'_>) -> bool {
    let is_index = |user: &InstructionValue<'_>| user.get_opcode() == InstructionOpcode::GetElementPtr;
    instruction.get_type().is_pointer_type() || ir::users(instruction).iter().any(is_index)
}

/// The operands that are values.
pub(super) fn operands<'c>(instruction: InstructionValue<'c>) -> Vec<BasicValueEnum<'c>> {
    (0..instruction.get_num_operands()).filter_map(|i| ir::operand(instruction, i)).collect()
}

/// The shadows of a member among those of its aggregate: first and number.
fn part_range(mut ty: BasicTypeEnum<'_>, indices: &[u32]) -> (usize, usize) {
    let mut first = 0;
    for &index in indices {
        match ty {
            BasicTypeEnum::StructType(s) => {
                first += s.get_field_types_iter().take(index as usize).map(parts).sum::<usize>();
                let Some(field) = s.get_field_type_at_index(index) else { return (first, 0) };
                ty = field;
            }
            BasicTypeEnum::ArrayType(a) => {
                first += index as usize * parts(a.get_element_type());
                ty = a.get_element_type();
            }
            _ => return (first, 0),
        }
    }
    (first, parts(ty))
}

/// Blocks so that all but phis come after what they use; unreachable ones are left out.
fn reverse_postorder<'c>(function: FunctionValue<'c>) -> Vec<BasicBlock<'c>> {
    let Some(entry) = function.get_first_basic_block() else { return Vec::new() };
    let successors = |b: BasicBlock<'c>| b.get_terminator().map(ir::successors).unwrap_or_default();
    let mut order = Vec::new();
    let mut seen = HashSet::from([entry]);
    let mut path = vec![(entry, successors(entry))];
    while let Some((block, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => path.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

fn integer_predicate(predicate: IntPredicate) -> u32 {
    match predicate {
        IntPredicate::EQ => 32,
        IntPredicate::NE => 33,
        IntPredicate::UGT => 34,
        IntPredicate::UGE => 35,
        IntPredicate::ULT => 36,
        IntPredicate::ULE => 37,
        IntPredicate::SGT => 38,
        IntPredicate::SGE => 39,
        IntPredicate::SLT => 40,
        IntPredicate::SLE => 41,
    }
}

fn float_predicate(predicate: FloatPredicate) -> u32 {
    crate::probe::predicate_number(predicate)
}
