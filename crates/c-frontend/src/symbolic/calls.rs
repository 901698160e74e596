//! How shadows pass through calls, and what intrinsics do with them.

use super::instrument::{Built, Instrumenter, operands};
use super::library::{ROOM, WALK};
use super::shade::{Shade, parts, width};
use crate::ir;
use crate::probe::pointer_type;
use expr::Op;
use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{
    BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, GlobalValue, InstructionValue, IntValue,
    PointerValue,
};
use wire::symbolic::{Intrinsic, MOST_ARGUMENTS, MOST_RESULTS, SymbolicSlot as Slot, TWIN_SUFFIX, operation};

/// Intrinsics whose results, if any, do not depend on the input. Some have operands that are no values.
const IGNORED: &[&str] = &[
    "assume",
    "dbg",
    "debugtrap",
    "donothing",
    "experimental",
    "frameaddress",
    "instrprof",
    "lifetime",
    "objectsize",
    "prefetch",
    "readcyclecounter",
    "returnaddress",
    "stackrestore",
    "stacksave",
    "threadlocal",
    "trap",
    "ubsantrap",
    "va_end",
];

impl<'c> Instrumenter<'_, 'c> {
    /// Reads the shadows of the parameters, if the caller left them for this function.
    pub(super) fn take_arguments(&mut self, function: FunctionValue<'c>) -> Built {
        let Some(first) = function.get_first_basic_block().and_then(|b| b.get_first_instruction()) else {
            return Ok(());
        };
        if function.count_params() == 0 && !function.get_type().is_var_arg() {
            return Ok(());
        }
        self.builder.position_before(&first);
        let mine = self.is_callee(own_address(function))?;
        let mut next = 0;
        for (i, parameter) in function.get_params().into_iter().enumerate() {
            let mut shade = Shade::new();
            for _ in 0..parts(parameter.get_type()) {
                shade.push(self.passed(self.helpers.arguments, next, MOST_ARGUMENTS, mine)?);
                next += 1;
            }
            self.shades.set(parameter, shade);
            if let (Some(size), BasicValueEnum::PointerValue(copy)) =
                (self.copied_size(function, i as u32), parameter)
            {
                self.take_copy(i, copy, size, mine)?;
            }
        }
        self.take_rest(function, mine)?;
        self.builder.build_store(self.helpers.callee.as_pointer_value(), self.null())?;
        Ok(())
    }

    /// An argument that was copied to this frame brings the shadows of its original.
    fn take_copy(&self, index: usize, copy: PointerValue<'c>, size: u64, mine: IntValue<'c>) -> Built {
        if index >= MOST_ARGUMENTS {
            return Ok(());
        }
        let slot = self.element(self.helpers.copies, index, true)?;
        let original = self.builder.build_load(pointer_type(self.module.get_context()), slot, "")?;
        let zero = self.word(0);
        let bytes = self.builder.build_select(mine, self.word(size), zero, "")?;
        self.helpers.call(self.builder, Slot::Copy, &[copy.into(), original.into(), bytes.into()]).map(|_| ())
    }

    fn copied_size(&self, function: FunctionValue<'c>, parameter: u32) -> Option<u64> {
        let kind = Attribute::get_named_enum_kind_id("byval");
        self.copied_bytes(function.get_enum_attribute(AttributeLoc::Param(parameter), kind)?)
    }

    /// Size of what a `byval` names.
    pub(super) fn copied_bytes(&self, attribute: Attribute) -> Option<u64> {
        match attribute.get_type_value() {
            AnyTypeEnum::StructType(t) => Some(self.data.get_abi_size(&t)),
            AnyTypeEnum::ArrayType(t) => Some(self.data.get_abi_size(&t)),
            AnyTypeEnum::IntType(t) => Some(self.data.get_abi_size(&t)),
            AnyTypeEnum::FloatType(t) => Some(self.data.get_abi_size(&t)),
            _ => None,
        }
    }

    fn is_callee(&self, function: PointerValue<'c>) -> Result<IntValue<'c>, BuilderError> {
        let pointer = pointer_type(self.module.get_context());
        let callee = self.builder.build_load(pointer, self.helpers.callee.as_pointer_value(), "")?;
        self.builder.build_int_compare(IntPredicate::EQ, callee.into_pointer_value(), function, "")
    }

    fn element(
        &self,
        array: GlobalValue<'c>,
        index: usize,
        pointers: bool,
    ) -> Result<PointerValue<'c>, BuilderError> {
        let context = self.module.get_context();
        let base = array.as_pointer_value();
        let index = self.word(index as u64);
        // SAFETY: below the length of the array.
        unsafe {
            if pointers {
                self.builder.build_gep(pointer_type(context), base, &[index], "")
            } else {
                self.builder.build_gep(context.i32_type(), base, &[index], "")
            }
        }
    }

    /// A shadow that came with a call or a return; none if it was not meant for us.
    fn passed(
        &self,
        array: GlobalValue<'c>,
        index: usize,
        most: usize,
        mine: IntValue<'c>,
    ) -> Result<IntValue<'c>, BuilderError> {
        if index >= most {
            return Ok(self.shades.zero());
        }
        let place = self.element(array, index, false)?;
        let shadow = self.builder.build_load(self.module.get_context().i32_type(), place, "")?;
        Ok(self.builder.build_select(mine, shadow.into_int_value(), self.shades.zero(), "")?.into_int_value())
    }

    /// Leaves the shadow of the result for the caller.
    pub(super) fn give_results(&mut self, function: FunctionValue<'c>, end: InstructionValue<'c>) -> Built {
        let Some(value) = ir::operand(end, 0) else { return Ok(()) };
        let shade = self.shades.all(value);
        let mut owner = self.null();
        if shade.iter().any(|&s| self.shades.may_be_set(s)) {
            owner = own_address(function);
            for (i, &shadow) in shade.iter().enumerate().take(MOST_RESULTS) {
                let place = self.element(self.helpers.results, i, false)?;
                self.builder.build_store(place, shadow)?;
            }
        }
        self.builder.build_store(self.helpers.callee.as_pointer_value(), owner)?;
        Ok(())
    }

    pub(super) fn call(&mut self, call: InstructionValue<'c>) -> Built {
        match ir::called_name(call) {
            Some(name) if name.starts_with("llvm.") => self.intrinsic(call, &name),
            Some(name) if name.ends_with(TWIN_SUFFIX) => {
                let Some(callee) = ir::called_function(call) else { return Ok(()) };
                self.call_twin(call, own_address(callee))
            }
            Some(name) => self.call_outside(call, &name),
            None if ir::is_inline_assembly(call) => {
                let all = operands(call);
                self.lose(&all, call, "inline assembly")
            }
            None => self.call_pointer(call),
        }
    }

    /// A call of code that knows nothing of shadows.
    fn call_outside(&mut self, call: InstructionValue<'c>, name: &str) -> Built {
        let arguments: Vec<BasicValueEnum<'c>> = arguments(call);
        match (name, &arguments[..]) {
            (ROOM | WALK, _) => return Ok(()),
            ("bwp_elements", &[pointer, size]) => {
                if let Some(BasicValueEnum::IntValue(shadow)) =
                    self.helpers.call(self.builder, Slot::Elements, &[pointer.into(), size.into()])?
                {
                    self.shades.set(ir::result(call), vec![shadow]);
                }
                return Ok(());
            }
            // Clang calls them because they may set `errno`.
            ("sqrt" | "sqrtf", &[a]) => return self.unary(call, Op::FSqrt, a),
            ("malloc", &[BasicValueEnum::IntValue(size)]) => self.block(call, size)?,
            ("aligned_alloc" | "memalign", &[_, BasicValueEnum::IntValue(size)]) => self.block(call, size)?,
            ("calloc", &[BasicValueEnum::IntValue(count), BasicValueEnum::IntValue(size)]) => {
                let BasicValueEnum::PointerValue(block) = ir::result(call) else { return Ok(()) };
                let bytes = self.builder.build_int_mul(count, size, "")?;
                let zero = self.shades.zero();
                self.helpers.call(self.builder, Slot::Fill, &[block.into(), zero.into(), bytes.into()])?;
                self.block(call, bytes)?;
            }
            ("realloc", &[BasicValueEnum::PointerValue(old), BasicValueEnum::IntValue(size)]) => {
                let BasicValueEnum::PointerValue(block) = ir::result(call) else { return Ok(()) };
                self.helpers.call(self.builder, Slot::Copy, &[block.into(), old.into(), size.into()])?;
                self.block(call, size)?;
            }
            ("vprintf", &[BasicValueEnum::PointerValue(format), BasicValueEnum::PointerValue(list)])
            | (
                "vfprintf" | "vsprintf" | "vasprintf" | "vdprintf" | "vsyslog",
                &[_, BasicValueEnum::PointerValue(format), BasicValueEnum::PointerValue(list)],
            )
            | (
                "vsnprintf",
                &[_, _, BasicValueEnum::PointerValue(format), BasicValueEnum::PointerValue(list)],
            ) => {
                let next = call.get_next_instruction();
                // Before the call: afterwards the list is used up.
                self.builder.position_before(&call);
                self.helpers.call(self.builder, Slot::Print, &[format.into(), list.into()])?;
                if let Some(next) = next {
                    self.builder.position_before(&next);
                }
            }
            _ => {}
        }
        self.lose(&arguments, call, name)
    }

    /// A block of the heap: a pointer that depends on the input may lead anywhere inside.
    fn block(&self, call: InstructionValue<'c>, bytes: IntValue<'c>) -> Built {
        let BasicValueEnum::PointerValue(block) = ir::result(call) else { return Ok(()) };
        self.helpers.call(self.builder, Slot::Block, &[block.into(), bytes.into()]).map(|_| ())
    }

    fn call_pointer(&mut self, call: InstructionValue<'c>) -> Built {
        let Some(callee) = ir::called_pointer(call) else { return Ok(()) };
        self.builder.position_before(&call);
        self.pin(callee.into(), call, "function pointer")?;
        let twin = self.helpers.call(self.builder, Slot::Twin, &[callee.into()])?;
        let Some(BasicValueEnum::PointerValue(twin)) = twin else { return Ok(()) };
        ir::set_called(call, twin);
        self.call_twin(call, twin)
    }

    fn call_twin(&mut self, call: InstructionValue<'c>, callee: PointerValue<'c>) -> Built {
        let next = call.get_next_instruction();
        self.builder.position_before(&call);
        let mut any = false;
        let mut position = 0;
        let arguments = arguments(call);
        if ir::is_variadic(call) {
            any = true;
            self.give_rest(call, &arguments, ir::parameter_count(call))?;
        }
        for (i, argument) in arguments.into_iter().enumerate() {
            for shadow in self.shades.all(argument) {
                any |= self.shades.may_be_set(shadow);
                if position < MOST_ARGUMENTS {
                    let place = self.element(self.helpers.arguments, position, false)?;
                    self.builder.build_store(place, shadow)?;
                }
                position += 1;
            }
            let Ok(site) = CallSiteValue::try_from(call) else { continue };
            let kind = Attribute::get_named_enum_kind_id("byval");
            if site.get_enum_attribute(AttributeLoc::Param(i as u32), kind).is_some() && i < MOST_ARGUMENTS {
                any = true;
                let place = self.element(self.helpers.copies, i, true)?;
                self.builder.build_store(place, argument)?;
            }
        }
        let owner = if any { callee } else { self.null() };
        self.builder.build_store(self.helpers.callee.as_pointer_value(), owner)?;
        let (Some(next), Some(ty)) = (next, result_type(call)) else { return Ok(()) };
        self.builder.position_before(&next);
        let mine = self.is_callee(callee)?;
        let mut shade = Shade::new();
        for i in 0..parts(ty) {
            shade.push(self.passed(self.helpers.results, i, MOST_RESULTS, mine)?);
        }
        self.shades.set(ir::result(call), shade);
        Ok(())
    }

    /// Tells of bytes before they are reached: if there are not so many, it is the last thing that the run does.
    fn extent(
        &mut self,
        call: InstructionValue<'c>,
        addresses: &[(BasicValueEnum<'c>, &str)],
        bytes: BasicValueEnum<'c>,
    ) -> Built {
        let sbytes = self.shades.one(bytes);
        let next = call.get_next_instruction();
        self.builder.position_before(&call);
        let bytes = self.bits(bytes)?;
        for &(address, what) in addresses {
            let saddress = self.shades.one(address);
            if self.shades.may_be_set(saddress) || self.shades.may_be_set(sbytes) {
                let [site, pinned] = ["extent", what].map(|what| self.sites.at(call, what));
                let arguments = [
                    address.into(),
                    saddress.into(),
                    bytes.into(),
                    sbytes.into(),
                    self.number(site).into(),
                    self.number(pinned).into(),
                ];
                self.helpers.call(self.builder, Slot::Extent, &arguments)?;
            }
        }
        if let Some(next) = next {
            self.builder.position_before(&next);
        }
        Ok(())
    }

    fn intrinsic(&mut self, call: InstructionValue<'c>, name: &str) -> Built {
        let base: Vec<&str> = name.trim_start_matches("llvm.").split('.').collect();
        if IGNORED.contains(&base[0]) {
            return Ok(());
        }
        let operands = arguments(call);
        match (base[0], &operands[..]) {
            ("expect" | "ssa" | "launder" | "strip", &[value, ..]) => {
                let shade = self.shades.all(value);
                self.shades.set(ir::result(call), shade);
                Ok(())
            }
            ("va_start" | "va_copy", _) => self.new_list(call),
            ("memcpy" | "memmove", &[to, from, bytes, ..]) => {
                self.extent(call, &[(to, "store"), (from, "load")], bytes)?;
                self.pin(from, call, "load")?;
                self.pin(to, call, "store")?;
                self.helpers
                    .call(self.builder, Slot::Copy, &[to.into(), from.into(), self.bits(bytes)?.into()])
                    .map(|_| ())
            }
            ("memset", &[to, value, bytes, ..]) => {
                self.extent(call, &[(to, "store")], bytes)?;
                let shadow = self.shades.one(value);
                self.helpers
                    .call(self.builder, Slot::Fill, &[to.into(), shadow.into(), self.bits(bytes)?.into()])
                    .map(|_| ())
            }
            (_, values) if values.iter().any(|v| v.is_vector_value()) => self.lose(&operands, call, name),
            ("fmuladd", &[BasicValueEnum::FloatValue(a), BasicValueEnum::FloatValue(b), c]) => {
                let product = self.builder.build_float_mul(a, b, "")?;
                let shadow = self.binary(Op::FMul, a.into(), b.into())?;
                self.shades.set(product.into(), vec![shadow]);
                let sum = self.binary(Op::FAdd, product.into(), c)?;
                self.shades.set(ir::result(call), vec![sum]);
                Ok(())
            }
            ("fma", &[a, b, c]) => self.fused(call, [a, b, c]),
            ("sqrt", &[a]) => self.unary(call, Op::FSqrt, a),
            ("floor", &[a]) => self.unary(call, Op::FFloor, a),
            ("ceil", &[a]) => self.unary(call, Op::FCeil, a),
            ("trunc", &[a]) => self.unary(call, Op::FTrunc, a),
            ("round", &[a]) => self.unary(call, Op::FRound, a),
            ("rint" | "nearbyint" | "roundeven", &[a]) => self.unary(call, Op::FRint, a),
            ("minnum", &[a, b]) => self.two(call, Op::FMin, a, b),
            ("maxnum", &[a, b]) => self.two(call, Op::FMax, a, b),
            ("fabs", &[a]) => {
                let shadow = self.masked(a, false)?;
                self.shades.set(ir::result(call), vec![shadow]);
                Ok(())
            }
            ("copysign", &[a, b]) => self.copy_sign(call, a, b),
            ("fshl", &[a, b, by]) => self.funnel(call, true, [a, b, by]),
            ("fshr", &[a, b, by]) => self.funnel(call, false, [a, b, by]),
            ("bswap", &[a]) => self.counted(call, Intrinsic::ByteSwap, a),
            ("ctpop", &[a]) => self.counted(call, Intrinsic::PopulationCount, a),
            ("ctlz", &[a, _]) => self.counted(call, Intrinsic::LeadingZeros, a),
            ("cttz", &[a, _]) => self.counted(call, Intrinsic::TrailingZeros, a),
            ("bitreverse", &[a]) => self.counted(call, Intrinsic::BitReverse, a),
            ("abs", &[a, _]) => self.counted(call, Intrinsic::Absolute, a),
            ("is", &[a, BasicValueEnum::IntValue(mask)]) if base[1] == "fpclass" => {
                self.float_class(call, a, mask)
            }
            ("sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul", &[a, b])
                if base.get(1..3) == Some(&["with", "overflow"][..]) =>
            {
                self.overflow(call, base[0], a, b)
            }
            _ => self.lose(&operands, call, name),
        }
    }

    fn unary(&mut self, call: InstructionValue<'c>, op: Op, a: BasicValueEnum<'c>) -> Built {
        let shadow = self.shades.one(a);
        match width(a.get_type()) {
            Some(_) if !self.shades.may_be_set(shadow) => Ok(()),
            Some(width) => {
                let shadow = self.converted(op, shadow, width, width)?;
                self.shades.set(ir::result(call), vec![shadow]);
                Ok(())
            }
            None => self.lose(&[a], call, "long double"),
        }
    }

    fn two(
        &mut self,
        call: InstructionValue<'c>,
        op: Op,
        a: BasicValueEnum<'c>,
        b: BasicValueEnum<'c>,
    ) -> Built {
        let shadow = self.binary(op, a, b)?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    fn fused(&mut self, call: InstructionValue<'c>, [a, b, c]: [BasicValueEnum<'c>; 3]) -> Built {
        let [sa, sb, sc] = [a, b, c].map(|v| self.shades.one(v));
        let Some(width) = width(a.get_type()) else { return self.lose(&[a, b, c], call, "fma") };
        if ![sa, sb, sc].iter().any(|&s| self.shades.may_be_set(s)) {
            return Ok(());
        }
        let operation = self.number(operation(Op::FFma as u8, width, width, 0));
        let (a, b, c) = (self.bits(a)?, self.bits(b)?, self.bits(c)?);
        let arguments = [operation.into(), sa.into(), sb.into(), sc.into(), a.into(), b.into(), c.into()];
        let shadow = self.shadow(Slot::Ternary, &arguments)?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    /// The sign bit of a floating-point number, or all others.
    fn masked(&self, a: BasicValueEnum<'c>, sign: bool) -> Result<IntValue<'c>, BuilderError> {
        let shadow = self.shades.one(a);
        let Some(width) = width(a.get_type()).filter(|_| self.shades.may_be_set(shadow)) else {
            return Ok(self.shades.zero());
        };
        let bit = 1u64 << (width - 1);
        let mask = if sign { bit } else { bit - 1 };
        let operation = self.number(operation(Op::And as u8, width, width, 0));
        let bits = self.bits(a)?;
        let zero = self.shades.zero();
        self.shadow(
            Slot::Binary,
            &[operation.into(), shadow.into(), zero.into(), bits.into(), self.word(mask).into()],
        )
    }

    /// The sign of one number, all other bits of another.
    fn copy_sign(
        &mut self,
        call: InstructionValue<'c>,
        a: BasicValueEnum<'c>,
        b: BasicValueEnum<'c>,
    ) -> Built {
        let (magnitude, sign) = (self.masked(a, false)?, self.masked(b, true)?);
        let Some(width) = width(a.get_type()) else { return self.lose(&[a, b], call, "long double") };
        let bit = 1u64 << (width - 1);
        let operation = self.number(operation(Op::Or as u8, width, width, 0));
        let (va, vb) = (self.bits(a)?, self.bits(b)?);
        let va = self.builder.build_and(va, self.word(bit - 1), "")?;
        let vb = self.builder.build_and(vb, self.word(bit), "")?;
        let arguments = [operation.into(), magnitude.into(), sign.into(), va.into(), vb.into()];
        let shadow = self.shadow(Slot::Binary, &arguments)?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    fn counted(&mut self, call: InstructionValue<'c>, kind: Intrinsic, a: BasicValueEnum<'c>) -> Built {
        let shadow = self.shades.one(a);
        let Some(width) = width(a.get_type()).filter(|&w| w <= 64) else {
            return self.lose(&[a], call, &format!("{kind:?}"));
        };
        if !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let bits = self.bits(a)?;
        let arguments =
            [self.number(kind as u32).into(), shadow.into(), bits.into(), self.number(width).into()];
        let shadow = self.shadow(Slot::Intrinsic, &arguments)?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    fn float_class(
        &mut self,
        call: InstructionValue<'c>,
        a: BasicValueEnum<'c>,
        mask: IntValue<'c>,
    ) -> Built {
        let shadow = self.shades.one(a);
        let (Some(width), Some(mask)) = (width(a.get_type()), mask.get_zero_extended_constant()) else {
            return self.lose(&[a], call, "floating-point class");
        };
        if !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let bits = self.bits(a)?;
        let arguments = [
            self.number(Intrinsic::ALL.len() as u32 + mask as u32).into(),
            shadow.into(),
            bits.into(),
            self.number(width).into(),
        ];
        let shadow = self.shadow(Slot::Intrinsic, &arguments)?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    /// `{result, overflowed}`: computed in twice the width, overflowed where the narrow result widens to something
    /// else.
    fn overflow(
        &mut self,
        call: InstructionValue<'c>,
        kind: &str,
        a: BasicValueEnum<'c>,
        b: BasicValueEnum<'c>,
    ) -> Built {
        let (BasicValueEnum::IntValue(va), BasicValueEnum::IntValue(vb)) = (a, b) else { return Ok(()) };
        let (sa, sb) = (self.shades.one(a), self.shades.one(b));
        if !self.shades.may_be_set(sa) && !self.shades.may_be_set(sb) {
            return Ok(());
        }
        let bits = va.get_type().get_bit_width();
        if bits > 64 {
            return self.wide_overflow(call, kind, va, vb);
        }
        let op = match &kind[1..] {
            "add" => Op::Add,
            "sub" => Op::Sub,
            _ => Op::Mul,
        };
        let signed = kind.starts_with('s');
        let widen = if signed { Op::SExt } else { Op::ZExt };
        let i128_type = self.module.get_context().i128_type();
        let extend = |v: IntValue<'c>| {
            if signed {
                self.builder.build_int_s_extend(v, i128_type, "")
            } else {
                self.builder.build_int_z_extend(v, i128_type, "")
            }
        };
        let (wa, wb) = (extend(va)?, extend(vb)?);
        let (ea, eb) = (self.converted(widen, sa, bits, 128)?, self.converted(widen, sb, bits, 128)?);
        let code = self.number(operation(op as u8, 128, 128, 0));
        let wide =
            self.shadow(Slot::Binary128, &[code.into(), ea.into(), eb.into(), wa.into(), wb.into()])?;
        let narrow = self.converted(Op::Extract, wide, 128, bits)?;
        let back = self.converted(widen, narrow, bits, 128)?;
        let unequal = self.number(33 | 128 << 8);
        let zero = i128_type.const_zero();
        let overflowed = self.shadow(
            Slot::Compare128,
            &[unequal.into(), wide.into(), back.into(), zero.into(), zero.into()],
        )?;
        self.shades.set(ir::result(call), vec![narrow, overflowed]);
        Ok(())
    }
}

/// A number with its shadow.
type Shaded<'c> = (IntValue<'c>, IntValue<'c>);

impl<'c> Instrumenter<'_, 'c> {
    /// `{result, overflowed}` of more than 64 bits, of which there is no twice the width: overflow shows in signs, in
    /// the order of result and operand, or when a product is divided again.
    fn wide_overflow(
        &mut self,
        call: InstructionValue<'c>,
        kind: &str,
        va: IntValue<'c>,
        vb: IntValue<'c>,
    ) -> Built {
        let ty = va.get_type();
        let [a, b] = [va, vb].map(|v| (self.shades.one(v.into()), v));
        let [zero, ones] = [ty.const_zero(), ty.const_all_ones()].map(|v| (self.shades.zero(), v));
        let op = match &kind[1..] {
            "add" => Op::Add,
            "sub" => Op::Sub,
            _ => Op::Mul,
        };
        let result = self.wide(op, a, b)?;
        let overflowed = match kind {
            "uadd" => self.wide(Op::Ult, result, a)?,
            "usub" => self.wide(Op::Ult, a, b)?,
            "sadd" | "ssub" => {
                let (first, second) = if kind == "sadd" { (b, result) } else { (b, a) };
                let (x, y) = (self.wide(Op::Xor, a, result)?, self.wide(Op::Xor, first, second)?);
                let both = self.wide(Op::And, x, y)?;
                self.wide(Op::Slt, both, zero)?
            }
            _ => {
                let is_signed = kind == "smul";
                let quotient = self.wide(if is_signed { Op::SDiv } else { Op::UDiv }, result, a)?;
                let same = self.wide(Op::Eq, quotient, b)?;
                let mut lost = self.truth_not(same)?;
                if is_signed {
                    // The lowest number is its own negative.
                    let lowest = ty.const_int_arbitrary_precision(&[0, 1 << (ty.get_bit_width() - 65)]);
                    let minus = self.wide(Op::Eq, a, ones)?;
                    let is_lowest = self.wide(Op::Eq, b, (self.shades.zero(), lowest))?;
                    let special = self.truth(Op::And, minus, is_lowest)?;
                    lost = self.truth(Op::Or, lost, special)?;
                }
                let none = self.wide(Op::Eq, a, zero)?;
                let some = self.truth_not(none)?;
                self.truth(Op::And, some, lost)?
            }
        };
        self.shades.set(ir::result(call), vec![result.0, overflowed.0]);
        Ok(())
    }

    /// An operation on numbers of more than 64 bits.
    fn wide(&self, op: Op, a: Shaded<'c>, b: Shaded<'c>) -> Result<Shaded<'c>, BuilderError> {
        let bits = a.1.get_type().get_bit_width();
        let value = match op {
            Op::Add => self.builder.build_int_add(a.1, b.1, "")?,
            Op::Sub => self.builder.build_int_sub(a.1, b.1, "")?,
            Op::Mul => self.builder.build_int_mul(a.1, b.1, "")?,
            Op::Xor => self.builder.build_xor(a.1, b.1, "")?,
            Op::And => self.builder.build_and(a.1, b.1, "")?,
            Op::Eq => self.builder.build_int_compare(IntPredicate::EQ, a.1, b.1, "")?,
            Op::Ult => self.builder.build_int_compare(IntPredicate::ULT, a.1, b.1, "")?,
            Op::Slt => self.builder.build_int_compare(IntPredicate::SLT, a.1, b.1, "")?,
            // A quotient depends on the input wherever anything does: its number is never asked for.
            _ => a.1.get_type().const_zero(),
        };
        let width = if op.is_predicate() { 1 } else { bits };
        let code = self.number(operation(op as u8, width, bits, 0));
        let (va, vb) = (self.wide_bits(a.1.into())?, self.wide_bits(b.1.into())?);
        let shadow =
            self.shadow(Slot::Binary128, &[code.into(), a.0.into(), b.0.into(), va.into(), vb.into()])?;
        Ok((shadow, value))
    }

    fn truth(&self, op: Op, a: Shaded<'c>, b: Shaded<'c>) -> Result<Shaded<'c>, BuilderError> {
        let value = match op {
            Op::And => self.builder.build_and(a.1, b.1, "")?,
            Op::Xor => self.builder.build_xor(a.1, b.1, "")?,
            _ => self.builder.build_or(a.1, b.1, "")?,
        };
        let code = self.number(operation(op as u8, 1, 1, 0));
        let (va, vb) = (self.bits(a.1.into())?, self.bits(b.1.into())?);
        let shadow =
            self.shadow(Slot::Binary, &[code.into(), a.0.into(), b.0.into(), va.into(), vb.into()])?;
        Ok((shadow, value))
    }

    fn truth_not(&self, a: Shaded<'c>) -> Result<Shaded<'c>, BuilderError> {
        self.truth(Op::Xor, a, (self.shades.zero(), self.context().bool_type().const_all_ones()))
    }

    /// Two numbers beside each other, shifted: with two equal ones a rotation. `a << by | b >> 1 >> (width - 1 - by)` to
    /// the left, `a << 1 << (width - 1 - by) | b >> by` to the right.
    fn funnel(&mut self, call: InstructionValue<'c>, left: bool, operands: [BasicValueEnum<'c>; 3]) -> Built {
        let [BasicValueEnum::IntValue(a), BasicValueEnum::IntValue(b), BasicValueEnum::IntValue(by)] =
            operands
        else {
            return self.lose(&operands, call, "funnel shift");
        };
        let ty = a.get_type();
        let bits = ty.get_bit_width();
        if bits > 128 {
            return self.lose(&operands, call, "funnel shift");
        }
        let number = |n: u32| ty.const_int(n.into(), false);
        let by = self.computed(Op::URem, by, number(bits))?;
        let rest = self.computed(Op::Sub, number(bits - 1), by)?;
        let (above, below) = if left {
            let half = self.computed(Op::LShr, b, number(1))?;
            (self.computed(Op::Shl, a, by)?, self.computed(Op::LShr, half, rest)?)
        } else {
            let double = self.computed(Op::Shl, a, number(1))?;
            (self.computed(Op::Shl, double, rest)?, self.computed(Op::LShr, b, by)?)
        };
        let shadow = self.binary(Op::Or, above.into(), below.into())?;
        self.shades.set(ir::result(call), vec![shadow]);
        Ok(())
    }

    /// The value of an operation that the program does not have, with its shadow.
    fn computed(&mut self, op: Op, a: IntValue<'c>, b: IntValue<'c>) -> Result<IntValue<'c>, BuilderError> {
        let value = match op {
            Op::URem => self.builder.build_int_unsigned_rem(a, b, "")?,
            Op::Sub => self.builder.build_int_sub(a, b, "")?,
            Op::Shl => self.builder.build_left_shift(a, b, "")?,
            _ => self.builder.build_right_shift(a, b, false, "")?,
        };
        let shadow = self.binary(op, a.into(), b.into())?;
        self.shades.set(value.into(), vec![shadow]);
        Ok(value)
    }
}

fn own_address<'c>(function: FunctionValue<'c>) -> PointerValue<'c> {
    function.as_global_value().as_pointer_value()
}

/// The arguments of a call, without the called function.
fn arguments<'c>(call: InstructionValue<'c>) -> Vec<BasicValueEnum<'c>> {
    let count = call.get_num_operands().saturating_sub(1);
    (0..count).filter_map(|i| ir::operand(call, i)).collect()
}

fn result_type<'c>(call: InstructionValue<'c>) -> Option<BasicTypeEnum<'c>> {
    let value = CallSiteValue::try_from(call).ok()?.try_as_basic_value().basic()?;
    Some(value.as_basic_value_enum().get_type())
}
