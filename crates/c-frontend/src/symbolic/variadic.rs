//! Shadows of the arguments behind `...`, by the calling convention of x86-64.
//!
//! Code reads them from memory: from the area where the function saves the argument registers, then from the caller's
//! stack. The caller knows which argument goes where, and lists it in [`wire::symbolic::REST`]; the callee knows where
//! the two areas are, and has the runtime enter the shadows before its first instruction.

use super::instrument::{Built, Instrumenter};
use super::shade::width;
use crate::ir;
use crate::probe::pointer_type;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue, IntValue};
use wire::symbolic::{LIST_BYTES, MOST_REST, Rest, SymbolicSlot as Slot};

const GENERAL_REGISTERS: u64 = 6;
const VECTOR_REGISTERS: u64 = 8;

/// How much of the registers and of the stack arguments have taken so far.
#[derive(Default)]
struct Room {
    general: u64,
    vector: u64,
    stack: u64,
}

impl Room {
    /// Where a number goes.
    fn place(&mut self, ty: BasicTypeEnum<'_>) -> (Rest, u64) {
        let bits = width(ty);
        match ty {
            BasicTypeEnum::FloatType(_) | BasicTypeEnum::VectorType(_) if bits.is_some() => {
                if self.vector < VECTOR_REGISTERS {
                    self.vector += 1;
                    return (Rest::Saved, 8 * GENERAL_REGISTERS + 16 * (self.vector - 1));
                }
                (Rest::Stack, self.push(8, 8))
            }
            BasicTypeEnum::FloatType(_) => (Rest::Stack, self.push(16, 16)),
            _ => {
                let words = bits.map_or(1, |b| u64::from(b).div_ceil(64));
                if self.general + words <= GENERAL_REGISTERS {
                    self.general += words;
                    return (Rest::Saved, 8 * (self.general - words));
                }
                (Rest::Stack, self.push(8 * words, 8 * words))
            }
        }
    }

    fn push(&mut self, bytes: u64, alignment: u64) -> u64 {
        let at = self.stack.next_multiple_of(alignment.max(8));
        self.stack = at + bytes.next_multiple_of(8);
        at
    }
}

impl<'c> Instrumenter<'_, 'c> {
    /// Lists the arguments behind the first `fixed`.
    pub(super) fn give_rest(
        &mut self,
        call: InstructionValue<'c>,
        arguments: &[BasicValueEnum<'c>],
        fixed: usize,
    ) -> Built {
        let Ok(site) = CallSiteValue::try_from(call) else { return Ok(()) };
        let mut room = Room::default();
        let mut base = 0;
        let mut count = 0;
        for (i, &argument) in arguments.iter().enumerate() {
            if i == fixed {
                base = room.stack;
            }
            let copied = self.copied_argument(site, i as u32);
            let (place, at) = match copied {
                Some((bytes, alignment)) => (Rest::Copy, room.push(bytes, alignment)),
                None => room.place(argument.get_type()),
            };
            let shadow = self.shades.one(argument);
            let listed =
                i >= fixed && count < MOST_REST && (copied.is_some() || self.shades.may_be_set(shadow));
            if !listed {
                continue;
            }
            let bits = u64::from(width(argument.get_type()).unwrap_or(0));
            let bytes = copied.map_or(bits.div_ceil(8), |(bytes, _)| bytes);
            let offset = if place == Rest::Saved { at } else { at - base };
            let what = if copied.is_some() {
                self.bits(argument)?
            } else {
                self.builder.build_int_z_extend(shadow, self.context().i64_type(), "")?
            };
            self.set_rest(2 + 2 * count, self.word(place.describe(bytes, offset)))?;
            self.set_rest(3 + 2 * count, what)?;
            count += 1;
        }
        self.set_rest(0, self.word(count as u64))?;
        let end = if arguments.len() > fixed { room.stack - base } else { 0 };
        self.set_rest(1, self.word(end))
    }

    fn set_rest(&self, index: usize, value: IntValue<'c>) -> Built {
        let base = self.helpers.rest.as_pointer_value();
        // SAFETY: below the length of the array.
        let place = unsafe {
            self.builder.build_gep(self.context().i64_type(), base, &[self.word(index as u64)], "")?
        };
        self.builder.build_store(place, value).map(|_| ())
    }

    /// Size and alignment of an argument that the call copies to the stack.
    fn copied_argument(&self, site: CallSiteValue<'c>, index: u32) -> Option<(u64, u64)> {
        let location = AttributeLoc::Param(index);
        let kind = Attribute::get_named_enum_kind_id("byval");
        let bytes = self.copied_bytes(site.get_enum_attribute(location, kind)?)?;
        let kind = Attribute::get_named_enum_kind_id("align");
        let alignment = site.get_enum_attribute(location, kind).map_or(8, |a| a.get_enum_value());
        Some((bytes, alignment))
    }

    /// Enters the shadows of what the caller listed, if it listed anything.
    pub(super) fn take_rest(&mut self, function: FunctionValue<'c>, mine: IntValue<'c>) -> Built {
        if !function.get_type().is_var_arg() {
            return Ok(());
        }
        let words = self.context().i64_type().array_type(LIST_BYTES as u32 / 8);
        let list = self.builder.build_alloca(words, "")?;
        let start = self.module.get_function("llvm.va_start.p0").unwrap_or_else(|| {
            let pointer = pointer_type(self.context());
            let ty = self.context().void_type().fn_type(&[pointer.into()], false);
            self.module.add_function("llvm.va_start.p0", ty, None)
        });
        self.builder.build_call(start, &[list.into()], "")?;
        let mine = self.builder.build_int_z_extend(mine, self.context().i32_type(), "")?;
        let rest = self.helpers.rest.as_pointer_value();
        self.helpers.call(self.builder, Slot::Rest, &[list.into(), rest.into(), mine.into()]).map(|_| ())
    }

    /// A list of arguments that was just written by code without shadows.
    pub(super) fn new_list(&mut self, call: InstructionValue<'c>) -> Built {
        let Some(list @ BasicValueEnum::PointerValue(_)) = ir::operand(call, 0) else { return Ok(()) };
        let arguments = [list.into(), self.shades.zero().into(), self.word(LIST_BYTES).into()];
        self.helpers.call(self.builder, Slot::Fill, &arguments).map(|_| ())
    }
}
