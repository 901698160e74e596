//! Calling any C function from a block of arguments in memory.
//!
//! Clang has already lowered the signature to registers: a small struct came apart into integers and vectors, a
//! large one is a `byval` pointer, a large result is written through `sret`. The trampoline undoes this from the
//! C types: it loads each lowered parameter from the place in the block where its bytes are.

use crate::probe::pointer_type;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, PointerValue};
use model::rest::{NUMBERS, WORDS, ZEROS};
use model::{Param, Rest, TypeId, TypeKind, Types};
use std::collections::HashMap;
use wire::abi::TRAMPOLINE;
use wire::symbolic::{LIST_BYTES, SAVED_BYTES};

/// Registers for whole numbers and pointers.
const GENERAL_REGISTERS: u32 = 6;

/// The signature cannot be matched with the C types; in words.
pub(crate) type Mismatch = String;

/// Lays out the block of arguments: every parameter aligned to 16, so that any load is aligned.
pub(crate) fn parameter_offsets(types: &Types, params: &[(Option<String>, TypeId)]) -> Vec<Param> {
    let mut offset = 0;
    params
        .iter()
        .enumerate()
        .map(|(i, (name, ty))| {
            let param = Param {
                name: name.clone().unwrap_or_else(|| format!("argument_{}", i + 1)),
                ty: *ty,
                offset: offset as u32,
            };
            offset += types.size(*ty).max(1).next_multiple_of(16);
            param
        })
        .collect()
}

/// Where the block of arguments has what stands behind `...`, or in a `va_list`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestPlace {
    pub(crate) offset: u32,
    /// The parameter that is the `va_list`.
    pub(crate) list: Option<u32>,
}

impl RestPlace {
    /// For a function with these parameters; `None` if it takes nothing of the kind. A test passes a `va_list` by a function
    /// with the other parameters, so their types must have a spelling.
    pub(crate) fn of(types: &Types, params: &[Param], ret: TypeId, variadic: bool) -> Option<RestPlace> {
        let end = params.last().map_or(0, |last| last.offset + types.size(last.ty).max(1) as u32);
        let offset = end.next_multiple_of(16);
        if variadic && !params.is_empty() {
            return Some(RestPlace { offset, list: None });
        }
        let is_list = |param: &Param| match types.resolved(param.ty).kind {
            TypeKind::Pointer { to } => types.resolved(to).name.as_deref() == Some("__va_list_tag"),
            _ => false,
        };
        let list = params.iter().position(is_list)?;
        let is_spelled = |ty| model::spell(types, ty, "x").is_some();
        let others = params.iter().enumerate().filter(|&(i, _)| i != list);
        let mut all = others.map(|(_, param)| param.ty).chain([ret]);
        all.all(is_spelled).then_some(RestPlace { offset, list: Some(list as u32) })
    }
}

impl From<Rest> for RestPlace {
    fn from(Rest { offset, list, .. }: Rest) -> RestPlace {
        RestPlace { offset, list }
    }
}

/// Builds `bw_call.SYMBOL(ptr arguments, ptr result)`.
pub(crate) struct TrampolineBuilder<'a, 'c> {
    pub(crate) module: &'a Module<'c>,
    pub(crate) builder: &'a Builder<'c>,
    pub(crate) data: &'a TargetData,
    pub(crate) types: &'a Types,
}

impl<'c> TrampolineBuilder<'_, 'c> {
    /// For a function with these parameters. Some of them, by number, get what functions with these names make of their
    /// arguments.
    pub(crate) fn build(
        &self,
        function: FunctionValue<'c>,
        symbol: &str,
        params: &[Param],
        makers: &HashMap<u32, String>,
        rest: Option<RestPlace>,
    ) -> Result<Result<(), Mismatch>, BuilderError> {
        let context = self.module.get_context();
        let pointer = pointer_type(context);
        let ty = context.void_type().fn_type(&[pointer.into(), pointer.into()], false);
        let name = format!("{TRAMPOLINE}{symbol}");
        let trampoline = self.module.add_function(&name, ty, Some(Linkage::External));
        self.builder.position_at_end(context.append_basic_block(trampoline, "entry"));
        let block = trampoline.get_nth_param(0).expect("two parameters").into_pointer_value();
        let result = trampoline.get_nth_param(1).expect("two parameters").into_pointer_value();
        let mut arguments: Vec<BasicMetadataValueEnum<'c>> = Vec::new();
        if has_attribute(function, 0, "sret") {
            arguments.push(result.into());
        }
        for (i, param) in params.iter().enumerate() {
            if let Some(rest) = rest.filter(|rest| rest.list == Some(i as u32)) {
                arguments.push(self.list(block, rest)?.into());
                continue;
            }
            if let Err(mismatch) = self.load_parameter(function, block, param, &mut arguments)? {
                self.builder.build_unreachable()?;
                return Ok(Err(mismatch));
            }
            if let Some(maker) = makers.get(&(i as u32))
                && let Some(BasicMetadataValueEnum::PointerValue(how)) = arguments.pop()
            {
                arguments.push(self.make(maker, how)?.into());
            }
        }
        if arguments.len() != function.count_params() as usize {
            self.builder.build_unreachable()?;
            return Ok(Err(format!("{} parameters do not fit the compiled signature", params.len())));
        }
        let fixed = arguments.len();
        if let Some(rest) = rest.filter(|_| function.get_type().is_var_arg()) {
            self.load_rest(function, block, rest, &mut arguments)?;
        }
        let call = self.builder.build_call(function, &arguments, "")?;
        call.set_call_convention(function.get_call_conventions());
        for i in 0..fixed {
            // `byval` and `sret` are part of the calling convention: the call must repeat them.
            for kind in ["byval", "sret", "zeroext", "signext", "align"] {
                let id = Attribute::get_named_enum_kind_id(kind);
                if let Some(attribute) = function.get_enum_attribute(AttributeLoc::Param(i as u32), id) {
                    call.add_attribute(AttributeLoc::Param(i as u32), attribute);
                }
            }
        }
        if let Some(value) = call.try_as_basic_value().basic() {
            self.store_result(value, result)?;
        }
        self.builder.build_return(None)?;
        Ok(Ok(()))
    }

    /// What a function makes of a pointer.
    fn make(&self, maker: &str, how: PointerValue<'c>) -> Result<PointerValue<'c>, BuilderError> {
        let pointer = pointer_type(self.module.get_context());
        let declared = self.module.get_function(maker).unwrap_or_else(|| {
            self.module.add_function(maker, pointer.fn_type(&[pointer.into()], false), None)
        });
        let call = self.builder.build_call(declared, &[how.into()], "")?;
        Ok(call.try_as_basic_value().basic().expect("returns a pointer").into_pointer_value())
    }

    fn load_parameter(
        &self,
        function: FunctionValue<'c>,
        block: PointerValue<'c>,
        param: &Param,
        arguments: &mut Vec<BasicMetadataValueEnum<'c>>,
    ) -> Result<Result<(), Mismatch>, BuilderError> {
        let size = self.types.size(param.ty);
        let kind = &self.types.resolved(param.ty).kind;
        let is_aggregate = matches!(
            kind,
            TypeKind::Struct { .. }
                | TypeKind::Union { .. }
                | TypeKind::Array { .. }
                | TypeKind::Unsupported(_)
        );
        if is_aggregate && size == 0 {
            return Ok(Ok(()));
        }
        let index = arguments.len() as u32;
        let Some(first) = function.get_nth_param(index) else {
            return Ok(Err(format!("no compiled parameter for {}", param.name)));
        };
        let place = |offset: u64| self.at(block, u64::from(param.offset) + offset);
        if has_attribute(function, index, "byval") {
            arguments.push(place(0)?.into());
            return Ok(Ok(()));
        }
        // An integer of more than 64 bits comes in two registers, as long as there are two.
        let is_split =
            size > 8 && matches!(first.get_type(), BasicTypeEnum::IntType(t) if t.get_bit_width() == 64);
        if !is_aggregate && !is_split {
            let value = self.load_scalar(place(0)?, first, param.ty)?;
            arguments.push(value.into());
            return Ok(Ok(()));
        }
        let mut offset = 0;
        while offset < size {
            let Some(parameter) = function.get_nth_param(arguments.len() as u32) else {
                return Ok(Err(format!("compiled parameters do not cover {}", param.name)));
            };
            let ty = parameter.get_type();
            offset = offset.next_multiple_of(u64::from(self.data.get_abi_alignment(&ty)));
            if offset >= size {
                return Ok(Err(format!("compiled parameters do not fit {}", param.name)));
            }
            let value = self.builder.build_load(ty, place(offset)?, "")?;
            if let Some(load) = crate::ir::definition(value) {
                // Parts of a packed struct lie where its bytes are.
                let _ = load.set_alignment(1);
            }
            arguments.push(value.into());
            offset += self.data.get_store_size(&ty);
        }
        Ok(Ok(()))
    }

    /// What stands behind `...`: all words, and as many floating-point numbers as there are registers left.
    fn load_rest(
        &self,
        function: FunctionValue<'c>,
        block: PointerValue<'c>,
        rest: RestPlace,
        arguments: &mut Vec<BasicMetadataValueEnum<'c>>,
    ) -> Result<(), BuilderError> {
        let context = self.module.get_context();
        for word in 0..WORDS + ZEROS {
            let place = self.at(block, u64::from(rest.offset + Rest::word(word)))?;
            arguments.push(self.builder.build_load(context.i64_type(), place, "")?.into());
        }
        let long_double = context.x86_f80_type();
        let in_register = |ty: BasicTypeEnum<'c>| match ty {
            BasicTypeEnum::FloatType(ty) => ty != long_double,
            BasicTypeEnum::VectorType(_) => true,
            _ => false,
        };
        let taken = function.get_params().iter().filter(|p| in_register(p.get_type())).count() as u32;
        for number in 0..NUMBERS.saturating_sub(taken) {
            let place = self.at(block, u64::from(rest.offset + Rest::number(number)))?;
            arguments.push(self.builder.build_load(context.f64_type(), place, "")?.into());
        }
        Ok(())
    }

    /// A `va_list`: two offsets, where arguments on the stack are, where those in registers were saved. It begins with the
    /// first register.
    fn list(&self, block: PointerValue<'c>, rest: RestPlace) -> Result<PointerValue<'c>, BuilderError> {
        let context = self.module.get_context();
        let (word, double) = (context.i64_type(), context.f64_type());
        let saved = self.builder.build_alloca(word.array_type(SAVED_BYTES as u32 / 8), "")?;
        let list = self.builder.build_alloca(word.array_type(LIST_BYTES as u32 / 8), "")?;
        for i in 0..GENERAL_REGISTERS {
            let place = self.at(block, u64::from(rest.offset + Rest::word(i)))?;
            let value = self.builder.build_load(word, place, "")?;
            self.builder.build_store(self.at(saved, 8 * u64::from(i))?, value)?;
        }
        let numbers = 8 * u64::from(GENERAL_REGISTERS);
        for i in 0..NUMBERS {
            let place = self.at(block, u64::from(rest.offset + Rest::number(i)))?;
            let value = self.builder.build_load(double, place, "")?;
            self.builder.build_store(self.at(saved, numbers + 16 * u64::from(i))?, value)?;
        }
        let further = self.builder.build_alloca(word.array_type(WORDS + ZEROS), "")?;
        for i in GENERAL_REGISTERS..WORDS + ZEROS {
            let place = self.at(block, u64::from(rest.offset + Rest::word(i)))?;
            let value = self.builder.build_load(word, place, "")?;
            self.builder.build_store(self.at(further, 8 * u64::from(i - GENERAL_REGISTERS))?, value)?;
        }
        self.builder.build_store(list, context.i32_type().const_zero())?;
        self.builder.build_store(self.at(list, 4)?, context.i32_type().const_int(numbers, false))?;
        self.builder.build_store(self.at(list, 8)?, further)?;
        self.builder.build_store(self.at(list, 16)?, saved)?;
        Ok(list)
    }

    /// A scalar, widened where an old-style definition or `_Bool` demands it.
    fn load_scalar(
        &self,
        place: PointerValue<'c>,
        parameter: BasicValueEnum<'c>,
        ty: TypeId,
    ) -> Result<BasicValueEnum<'c>, BuilderError> {
        let context = self.module.get_context();
        let size = self.types.size(ty);
        match parameter.get_type() {
            BasicTypeEnum::IntType(wanted) => {
                let bits = (size * 8) as u32;
                let stored =
                    context.custom_width_int_type(std::num::NonZeroU32::new(bits.max(1)).expect("not 0"));
                let Ok(stored) = stored else {
                    return self.builder.build_load(wanted, place, "");
                };
                let value = self.builder.build_load(stored, place, "")?.into_int_value();
                let signed = matches!(
                    self.types.resolved(ty).kind,
                    TypeKind::Int { signed: true, .. } | TypeKind::Enum { signed: true, .. }
                );
                let value = if wanted.get_bit_width() < bits {
                    self.builder.build_int_truncate(value, wanted, "")?
                } else if wanted.get_bit_width() == bits {
                    value
                } else if signed {
                    self.builder.build_int_s_extend(value, wanted, "")?
                } else {
                    self.builder.build_int_z_extend(value, wanted, "")?
                };
                Ok(value.into())
            }
            BasicTypeEnum::FloatType(wanted) if wanted == context.f64_type() && size == 4 => {
                let value = self.builder.build_load(context.f32_type(), place, "")?.into_float_value();
                Ok(self.builder.build_float_ext(value, wanted, "")?.into())
            }
            other => self.builder.build_load(other, place, ""),
        }
    }

    fn store_result(&self, value: BasicValueEnum<'c>, result: PointerValue<'c>) -> Result<(), BuilderError> {
        let context = self.module.get_context();
        let value = match value {
            BasicValueEnum::IntValue(bit) if bit.get_type().get_bit_width() == 1 => {
                self.builder.build_int_z_extend(bit, context.i8_type(), "")?.into()
            }
            other => other,
        };
        let store = self.builder.build_store(result, value)?;
        let _ = store.set_alignment(1);
        Ok(())
    }

    fn at(&self, block: PointerValue<'c>, offset: u64) -> Result<PointerValue<'c>, BuilderError> {
        let context = self.module.get_context();
        let offset = context.i64_type().const_int(offset, false);
        // SAFETY: the driver allocates the whole block of arguments.
        unsafe { self.builder.build_gep(context.i8_type(), block, &[offset], "") }
    }
}

/// Declares a compiled function in another module, with what its calling convention depends on.
pub(crate) fn declare_like<'c>(
    module: &Module<'c>,
    compiled: FunctionValue<'c>,
    symbol: &str,
) -> FunctionValue<'c> {
    let declared = module.add_function(symbol, compiled.get_type(), None);
    for parameter in 0..compiled.count_params() {
        for kind in ["byval", "sret", "zeroext", "signext", "align"] {
            let kind = Attribute::get_named_enum_kind_id(kind);
            let location = AttributeLoc::Param(parameter);
            if let Some(attribute) = compiled.get_enum_attribute(location, kind) {
                declared.add_attribute(location, attribute);
            }
        }
    }
    declared
}

fn has_attribute(function: FunctionValue<'_>, parameter: u32, name: &str) -> bool {
    let kind = Attribute::get_named_enum_kind_id(name);
    function.count_params() > parameter
        && function.get_enum_attribute(AttributeLoc::Param(parameter), kind).is_some()
}
