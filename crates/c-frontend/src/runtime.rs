//! What every instrumented module shares: the runtime table, the tick, thunks into the table, and the C library
//! functions that are replaced.

use crate::ir;
use crate::probe::pointer_type;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FunctionType};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, GlobalValue};
use inkwell::{GlobalVisibility, IntPredicate};
use wire::abi::{ENVIRONMENT, ENVIRONMENT_FLAG, INTERPOSED, RUNTIME_TABLE, Slot, TICKS};

/// The runtime as one module sees it.
pub(crate) struct Runtime<'a, 'c> {
    pub(crate) module: &'a Module<'c>,
    table: GlobalValue<'c>,
    thunks: Vec<Option<FunctionValue<'c>>>,
    /// `void bw.tick(void)`.
    pub(crate) tick: FunctionValue<'c>,
    /// Set to 1 before calls that depend on the machine.
    environment: GlobalValue<'c>,
}

impl<'a, 'c> Runtime<'a, 'c> {
    /// The runtime of an image.
    pub(crate) fn new(
        module: &'a Module<'c>,
        builder: &Builder<'c>,
    ) -> Result<Runtime<'a, 'c>, BuilderError> {
        Runtime::build(module, builder, share)
    }

    /// Uses the runtime of the image instead of being one.
    pub(crate) fn borrowed(
        module: &'a Module<'c>,
        builder: &Builder<'c>,
    ) -> Result<Runtime<'a, 'c>, BuilderError> {
        Runtime::build(module, builder, |_| ())
    }

    fn build(
        module: &'a Module<'c>,
        builder: &Builder<'c>,
        define: impl Fn(GlobalValue<'c>),
    ) -> Result<Runtime<'a, 'c>, BuilderError> {
        let context = module.get_context();
        let global = |ty: BasicTypeEnum<'c>, name: &str| {
            let global = module.add_global(ty, None, name);
            define(global);
            global
        };
        let table = global(pointer_type(context).array_type(Slot::COUNT as u32).into(), RUNTIME_TABLE);
        let ticks = global(context.i64_type().into(), TICKS);
        let environment = global(context.i32_type().into(), ENVIRONMENT_FLAG);
        // A placeholder until `tick` exists: it needs the thunk of `OutOfTicks`.
        let void = context.void_type().fn_type(&[], false);
        let tick = module.add_function("bw.tick", void, Some(Linkage::Internal));
        let mut runtime = Runtime { module, table, thunks: vec![None; Slot::COUNT], tick, environment };
        for &slot in Slot::ALL {
            if let Some(ty) = probe_type(context, slot) {
                let thunk = runtime.build_thunk(builder, slot, ty, &format!("bw.{slot:?}"))?;
                inline_always(context, thunk);
                runtime.thunks[slot as usize] = Some(thunk);
            }
        }
        runtime.build_tick(builder, ticks)?;
        Ok(runtime)
    }

    /// The function that calls a probe's slot.
    pub(crate) fn thunk(&self, slot: Slot) -> FunctionValue<'c> {
        self.thunks[slot as usize].expect("every probe slot has a thunk")
    }

    /// ```c
    /// void tick(void) { if (--bw_ticks < 0) bw_runtime[OutOfTicks](); }
    /// ```
    fn build_tick(&self, builder: &Builder<'c>, ticks: GlobalValue<'c>) -> Result<(), BuilderError> {
        let context = self.module.get_context();
        inline_always(context, self.tick);
        let entry = context.append_basic_block(self.tick, "entry");
        let spent = context.append_basic_block(self.tick, "spent");
        let done = context.append_basic_block(self.tick, "done");
        let i64_type = context.i64_type();
        builder.position_at_end(entry);
        let left = builder.build_load(i64_type, ticks.as_pointer_value(), "left")?.into_int_value();
        let left = builder.build_int_sub(left, i64_type.const_int(1, false), "")?;
        builder.build_store(ticks.as_pointer_value(), left)?;
        let out = builder.build_int_compare(IntPredicate::SLT, left, i64_type.const_zero(), "")?;
        builder.build_conditional_branch(out, spent, done)?;
        builder.position_at_end(spent);
        builder.build_call(self.thunk(Slot::OutOfTicks), &[], "")?;
        builder.build_unreachable()?;
        builder.position_at_end(done);
        builder.build_return(None)?;
        Ok(())
    }

    /// A function of type `ty` that passes its arguments on to a slot of the table.
    fn build_thunk(
        &self,
        builder: &Builder<'c>,
        slot: Slot,
        ty: FunctionType<'c>,
        name: &str,
    ) -> Result<FunctionValue<'c>, BuilderError> {
        let context = self.module.get_context();
        let thunk = self.module.add_function(name, ty, Some(Linkage::Internal));
        builder.position_at_end(context.append_basic_block(thunk, "entry"));
        // Inlined, it stands on the line of the call, not where the builder was last.
        builder.unset_current_debug_location();
        let arguments: Vec<BasicMetadataValueEnum<'c>> =
            thunk.get_params().into_iter().map(BasicMetadataValueEnum::from).collect();
        let pointer = pointer_type(context);
        let index = context.i64_type().const_int(slot as u64, false);
        // SAFETY: the index is below the length of the table.
        let entry = unsafe { builder.build_gep(pointer, self.table.as_pointer_value(), &[index], "")? };
        let callee = builder.build_load(pointer, entry, "")?.into_pointer_value();
        let call = builder.build_indirect_call(ty, callee, &arguments, "")?;
        if matches!(slot, Slot::OutOfTicks | Slot::FailedCheck) {
            // The loops of a function would share one call, and nobody could tell which of them did not end. So would
            // its checks.
            call.add_attribute(AttributeLoc::Function, enum_attribute(context, "nomerge"));
        }
        match call.try_as_basic_value().basic() {
            Some(value) => builder.build_return(Some(&value))?,
            None => builder.build_return(None)?,
        };
        Ok(thunk)
    }

    /// Notes every direct call whose result depends on the machine.
    pub(crate) fn mark_environment(
        &self,
        builder: &Builder<'c>,
        function: FunctionValue<'c>,
    ) -> Result<(), BuilderError> {
        let one = self.module.get_context().i32_type().const_int(1, false);
        for block in function.get_basic_block_iter() {
            for call in block.get_instructions() {
                let is_foreign = ir::called_function(call).is_some_and(|f| f.count_basic_blocks() == 0);
                if is_foreign && ir::called_name(call).is_some_and(|n| ENVIRONMENT.contains(&n.as_str())) {
                    builder.position_before(&call);
                    builder.build_store(self.environment.as_pointer_value(), one)?;
                }
            }
        }
        Ok(())
    }

    /// Replaces the library functions that would end or escape the worker.
    pub(crate) fn interpose(&self, builder: &Builder<'c>) -> Result<(), BuilderError> {
        for &(name, slot) in INTERPOSED {
            let Some(library) = self.module.get_function(name).filter(|f| f.count_basic_blocks() == 0) else {
                continue;
            };
            let thunk = self.build_thunk(builder, slot, library.get_type(), &format!("bw.{name}"))?;
            ir::replace_function(library, thunk);
        }
        Ok(())
    }

    /// Defines functions and variables that nobody defines: a call ends the run and names the function.
    pub(crate) fn define_missing(
        &self,
        builder: &Builder<'c>,
        missing: &[(String, bool)],
    ) -> Result<(), BuilderError> {
        let context = self.module.get_context();
        for (index, (name, is_variable)) in missing.iter().enumerate() {
            if *is_variable {
                // Its type is unknown here; a page of zeros is large enough for most. The emitted tests have the same.
                let bytes = context.i8_type().array_type(4096);
                let variable = self.module.add_global(bytes, None, name);
                variable.set_initializer(&bytes.const_zero());
                variable.set_alignment(16);
                continue;
            }
            let function = self.module.add_function(name, context.void_type().fn_type(&[], false), None);
            builder.position_at_end(context.append_basic_block(function, "entry"));
            let index = context.i32_type().const_int(index as u64, false);
            builder.build_call(self.thunk(Slot::Undefined), &[index.into()], "")?;
            builder.build_unreachable()?;
        }
        Ok(())
    }
}

/// One definition, zero at first, for all modules of an image, found by `dlsym`, yet addressed directly.
pub(crate) fn share(global: GlobalValue<'_>) {
    if let Ok(ty) = BasicTypeEnum::try_from(global.get_value_type()) {
        global.set_initializer(&ty.const_zero());
    }
    global.set_linkage(Linkage::WeakAny);
    global.set_visibility(GlobalVisibility::Protected);
}

fn inline_always(context: ContextRef<'_>, function: FunctionValue<'_>) {
    function.add_attribute(AttributeLoc::Function, enum_attribute(context, "alwaysinline"));
}

fn enum_attribute(context: ContextRef<'_>, name: &str) -> Attribute {
    context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
}

/// The types of the slots that instrumented code calls itself, as [`wire::abi`] documents them.
fn probe_type<'c>(context: ContextRef<'c>, slot: Slot) -> Option<FunctionType<'c>> {
    let id: BasicMetadataTypeEnum<'c> = context.i32_type().into();
    let word: BasicMetadataTypeEnum<'c> = context.i64_type().into();
    let wide: BasicMetadataTypeEnum<'c> = context.i128_type().into();
    let double: BasicMetadataTypeEnum<'c> = context.f64_type().into();
    let extended: BasicMetadataTypeEnum<'c> = context.x86_f80_type().into();
    let parameters = match slot {
        Slot::Equal
        | Slot::SignedLess
        | Slot::SignedLessEqual
        | Slot::UnsignedLess
        | Slot::UnsignedLessEqual => vec![id, word, word],
        Slot::Equal128
        | Slot::SignedLess128
        | Slot::SignedLessEqual128
        | Slot::UnsignedLess128
        | Slot::UnsignedLessEqual128 => vec![id, wide, wide],
        Slot::Float => vec![id, id, double, double],
        Slot::LongDouble => vec![id, id, extended, extended],
        Slot::Truth => vec![id, id],
        Slot::Switch => vec![pointer_type(context).into(), word],
        Slot::OutOfTicks => vec![],
        Slot::Undefined | Slot::FailedCheck => vec![id],
        _ => return None,
    };
    Some(context.void_type().fn_type(&parameters, false))
}
