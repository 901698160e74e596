//! The functions that twins call: each asks first whether any shadow is set, and only then goes to the runtime.
//!
//! ```c
//! u32 bw.Binary(u32 op, u32 sa, u32 sb, u64 a, u64 b) {   // inlined everywhere
//!     return (sa | sb) == 0 ? 0 : bw.slow.Binary(op, sa, sb, a, b);
//! }
//! ```
//!
//! The slow half keeps all registers (`preserve_most`), so that code which never takes it hardly notices.

use crate::probe::pointer_type;
use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, FunctionType};
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, GlobalValue, IntValue, PointerValue,
};
use wire::symbolic::{
    ARGUMENTS, CALLEE, COPIES, MOST_ARGUMENTS, MOST_REST, MOST_RESULTS, REST, RESULTS, SUMMARY,
    SUMMARY_SHIFT, SymbolicSlot, TABLE, WINDOW_BITS,
};

/// LLVM's number of the calling convention that spills for its caller.
const PRESERVE_MOST: u32 = 14;

/// The helpers of one module.
pub(super) struct Helpers<'c> {
    guarded: Vec<FunctionValue<'c>>,
    pub(super) callee: GlobalValue<'c>,
    pub(super) arguments: GlobalValue<'c>,
    pub(super) copies: GlobalValue<'c>,
    pub(super) results: GlobalValue<'c>,
    pub(super) rest: GlobalValue<'c>,
}

impl<'c> Helpers<'c> {
    pub(super) fn new(module: &Module<'c>, builder: &Builder<'c>) -> Result<Helpers<'c>, BuilderError> {
        let context = module.get_context();
        let pointer = pointer_type(context);
        let shared = |name: &str, length: usize, shadows: bool| {
            let ty = if shadows {
                context.i32_type().array_type(length as u32)
            } else {
                pointer.array_type(length as u32)
            };
            let global = module.add_global(ty, None, name);
            crate::runtime::share(global);
            global
        };
        let table = shared(TABLE, SymbolicSlot::COUNT, false);
        let mut helpers = Helpers {
            guarded: Vec::new(),
            callee: shared(CALLEE, 1, false),
            arguments: shared(ARGUMENTS, MOST_ARGUMENTS, true),
            copies: shared(COPIES, MOST_ARGUMENTS, false),
            results: shared(RESULTS, MOST_RESULTS, true),
            rest: shared(REST, 2 + 2 * MOST_REST, false),
        };
        let maker = Maker { module, builder, context, table };
        for &slot in SymbolicSlot::ALL {
            let slow = maker.slow(slot)?;
            helpers.guarded.push(maker.guarded(slot, slow)?);
        }
        Ok(helpers)
    }

    /// Calls a helper; the result, if it has one.
    pub(super) fn call(
        &self,
        builder: &Builder<'c>,
        slot: SymbolicSlot,
        arguments: &[BasicMetadataValueEnum<'c>],
    ) -> Result<Option<BasicValueEnum<'c>>, BuilderError> {
        let call = builder.build_call(self.guarded[slot as usize], arguments, "")?;
        Ok(call.try_as_basic_value().basic())
    }
}

struct Maker<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    context: ContextRef<'c>,
    table: GlobalValue<'c>,
}

impl<'c> Maker<'_, 'c> {
    /// Passes its arguments on to the runtime.
    fn slow(&self, slot: SymbolicSlot) -> Result<FunctionValue<'c>, BuilderError> {
        let ty = slot_type(self.context, slot);
        let slow = self.module.add_function(&format!("bw.slow.{slot:?}"), ty, Some(Linkage::Internal));
        slow.set_call_conventions(PRESERVE_MOST);
        for name in ["noinline", "cold", "nounwind"] {
            self.add_attribute(slow, name);
        }
        self.builder.position_at_end(self.context.append_basic_block(slow, "entry"));
        let index = self.context.i64_type().const_int(slot as u64, false);
        let pointer = pointer_type(self.context);
        // SAFETY: the index is below the length of the table.
        let entry = unsafe { self.builder.build_gep(pointer, self.table.as_pointer_value(), &[index], "")? };
        let function = self.builder.build_load(pointer, entry, "")?.into_pointer_value();
        let arguments: Vec<BasicMetadataValueEnum<'c>> =
            slow.get_params().into_iter().map(BasicMetadataValueEnum::from).collect();
        let call = self.builder.build_indirect_call(ty, function, &arguments, "")?;
        self.finish(call)?;
        Ok(slow)
    }

    /// Goes the slow way only if one of the shadows says so.
    fn guarded(
        &self,
        slot: SymbolicSlot,
        slow: FunctionValue<'c>,
    ) -> Result<FunctionValue<'c>, BuilderError> {
        let guarded =
            self.module.add_function(&format!("bw.{slot:?}"), slow.get_type(), Some(Linkage::Internal));
        self.add_attribute(guarded, "alwaysinline");
        let entry = self.context.append_basic_block(guarded, "entry");
        self.builder.position_at_end(entry);
        let Some(any) = self.any_shadow(slot, guarded)? else {
            let call = self.call_slow(slow, guarded)?;
            self.finish(call)?;
            return Ok(guarded);
        };
        let skip = self.context.append_basic_block(guarded, "skip");
        let work = self.context.append_basic_block(guarded, "work");
        let zero = any.get_type().const_zero();
        let none = self.builder.build_int_compare(IntPredicate::EQ, any, zero, "")?;
        let jump = self.builder.build_conditional_branch(none, skip, work)?;
        self.mark_likely(jump);
        self.builder.position_at_end(skip);
        match slow.get_type().get_return_type() {
            Some(_) => self.builder.build_return(Some(&self.context.i32_type().const_zero()))?,
            None => self.builder.build_return(None)?,
        };
        self.builder.position_at_end(work);
        let call = self.call_slow(slow, guarded)?;
        self.finish(call)?;
        Ok(guarded)
    }

    fn call_slow(
        &self,
        slow: FunctionValue<'c>,
        guarded: FunctionValue<'c>,
    ) -> Result<CallSiteValue<'c>, BuilderError> {
        let arguments: Vec<BasicMetadataValueEnum<'c>> =
            guarded.get_params().into_iter().map(BasicMetadataValueEnum::from).collect();
        let call = self.builder.build_call(slow, &arguments, "")?;
        call.set_call_convention(PRESERVE_MOST);
        Ok(call)
    }

    fn finish(&self, call: CallSiteValue<'c>) -> Result<(), BuilderError> {
        match call.try_as_basic_value().basic() {
            Some(value) => self.builder.build_return(Some(&value))?,
            None => self.builder.build_return(None)?,
        };
        Ok(())
    }

    /// Everything that makes the slow way necessary, or-ed; `None` if it always is.
    fn any_shadow(
        &self,
        slot: SymbolicSlot,
        function: FunctionValue<'c>,
    ) -> Result<Option<IntValue<'c>>, BuilderError> {
        use SymbolicSlot as S;
        let shadows: &[u32] = match slot {
            S::Unary | S::Branch => &[1],
            S::Binary | S::Binary128 | S::Compare | S::Compare128 | S::CompareFloat => &[1, 2],
            S::Ternary => &[1, 2, 3],
            S::Index => &[0, 1],
            S::Load | S::BeforeStore => &[1],
            S::Store | S::Extent => &[1, 3],
            S::Switch => &[2],
            S::Pin | S::Lose => &[0],
            S::Intrinsic => &[1],
            S::Copy
            | S::Fill
            | S::Twin
            | S::Room
            | S::Elements
            | S::Local
            | S::Block
            | S::Rest
            | S::Print => {
                return Ok(None);
            }
        };
        let parameter = |i: u32| function.get_nth_param(i).expect("as slot_type says");
        let mut any = parameter(shadows[0]).into_int_value();
        for &other in &shadows[1..] {
            any = self.builder.build_or(any, parameter(other).into_int_value(), "")?;
        }
        if matches!(slot, S::Load | S::Store) {
            let summary = self.summary(parameter(0).into_pointer_value())?;
            any = self.builder.build_or(any, summary, "")?;
        }
        Ok(Some(any))
    }

    /// The summary of the 16 bytes at an address and the 16 after them: an access may straddle both.
    fn summary(&self, address: PointerValue<'c>) -> Result<IntValue<'c>, BuilderError> {
        let i64_type = self.context.i64_type();
        let number = self.builder.build_ptr_to_int(address, i64_type, "")?;
        let window = i64_type.const_int((1 << WINDOW_BITS) - 1, false);
        let inside = self.builder.build_and(number, window, "")?;
        let granule = i64_type.const_int(u64::from(SUMMARY_SHIFT), false);
        let index = self.builder.build_right_shift(inside, granule, false, "")?;
        let place = self.builder.build_int_add(index, i64_type.const_int(SUMMARY as u64, false), "")?;
        let place = self.builder.build_int_to_ptr(place, pointer_type(self.context), "")?;
        let both = self.builder.build_load(self.context.i16_type(), place, "")?;
        if let Some(load) = crate::ir::definition(both) {
            let _ = load.set_alignment(1);
        }
        self.builder.build_int_z_extend(both.into_int_value(), self.context.i32_type(), "")
    }

    fn add_attribute(&self, function: FunctionValue<'c>, name: &str) {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, self.context.create_enum_attribute(kind, 0));
    }

    /// Branch weights: the first way is the usual one.
    fn mark_likely(&self, jump: inkwell::values::InstructionValue<'c>) {
        let weight = |n| self.context.i32_type().const_int(n, false).into();
        let name = self.context.metadata_string("branch_weights").into();
        let node = self.context.metadata_node(&[name, weight(2000), weight(1)]);
        let kind = self.context.get_kind_id("prof");
        let _ = jump.set_metadata(node, kind);
    }
}

/// The types of the slots as [`wire::symbolic`] documents them.
fn slot_type<'c>(context: ContextRef<'c>, slot: SymbolicSlot) -> FunctionType<'c> {
    use SymbolicSlot as S;
    let s: BasicMetadataTypeEnum<'c> = context.i32_type().into();
    let word: BasicMetadataTypeEnum<'c> = context.i64_type().into();
    let wide: BasicMetadataTypeEnum<'c> = context.i128_type().into();
    let p: BasicMetadataTypeEnum<'c> = pointer_type(context).into();
    let shadow = |parameters: &[BasicMetadataTypeEnum<'c>]| context.i32_type().fn_type(parameters, false);
    let nothing = |parameters: &[BasicMetadataTypeEnum<'c>]| context.void_type().fn_type(parameters, false);
    match slot {
        S::Unary => shadow(&[s, s]),
        S::Binary | S::Compare | S::CompareFloat => shadow(&[s, s, s, word, word]),
        S::Binary128 | S::Compare128 => shadow(&[s, s, s, wide, wide]),
        S::Ternary => shadow(&[s, s, s, s, word, word, word]),
        S::Index => shadow(&[s, s, word, word, word, s]),
        S::Load => shadow(&[p, s, s, s, s]),
        S::BeforeStore => nothing(&[p, s, s]),
        S::Store => nothing(&[p, s, s, s, s, s]),
        S::Copy => nothing(&[p, p, word]),
        S::Fill => nothing(&[p, s, word]),
        S::Extent => nothing(&[p, s, word, s, s, s]),
        S::Branch => nothing(&[s, s, s]),
        S::Switch => nothing(&[p, word, s, s]),
        S::Pin => nothing(&[s, word, s, s]),
        S::Lose => nothing(&[s, s]),
        S::Twin => pointer_type(context).fn_type(&[p], false),
        S::Intrinsic => shadow(&[s, s, word, s]),
        S::Block => nothing(&[p, word]),
        S::Local => nothing(&[p, word, p]),
        S::Room => context.i64_type().fn_type(&[p], false),
        S::Elements => shadow(&[p, word]),
        S::Rest => nothing(&[p, p, s]),
        S::Print => nothing(&[p, p]),
    }
}
