//! Twins of the instructions that compute addresses and reach memory.

use super::instrument::{Built, Instrumenter, operands};
use super::shade::{Shade, width};
use crate::ir;
use expr::Op;
use inkwell::builder::BuilderError;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionValue, IntValue, PointerValue};
use wire::symbolic::{Access, SymbolicSlot as Slot, operation};

impl<'c> Instrumenter<'_, 'c> {
    /// `base + Σ index · scale + constant`.
    pub(super) fn address(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Some(base @ BasicValueEnum::PointerValue(_)) = ir::operand(instruction, 0) else { return Ok(()) };
        let operands: Vec<BasicValueEnum<'c>> =
            (1..instruction.get_num_operands()).filter_map(|i| ir::operand(instruction, i)).collect();
        let symbolic = operands.iter().any(|&o| self.shades.may_be_set(self.shades.one(o)));
        let mut shadow = self.shades.one(base);
        if !symbolic && !self.shades.may_be_set(shadow) {
            return Ok(());
        }
        let Ok(mut ty) = instruction.get_gep_source_element_type() else { return Ok(()) };
        let mut at = self.bits(base)?;
        let mut constant = 0u64;
        for (position, &index) in operands.iter().enumerate() {
            let BasicValueEnum::IntValue(number) = index else { return Ok(()) };
            let scale = if position == 0 {
                self.data.get_abi_size(&ty)
            } else {
                match ty {
                    BasicTypeEnum::StructType(s) => {
                        let field = number.get_zero_extended_constant().unwrap_or(0) as u32;
                        constant = constant.wrapping_add(self.data.offset_of_element(&s, field).unwrap_or(0));
                        let Some(inner) = s.get_field_type_at_index(field) else { return Ok(()) };
                        ty = inner;
                        continue;
                    }
                    BasicTypeEnum::ArrayType(a) => {
                        ty = a.get_element_type();
                        self.data.get_abi_size(&ty)
                    }
                    _ => return self.lose(&[index], instruction, "GetElementPtr"),
                }
            };
            if let Some(fixed) = number.get_sign_extended_constant() {
                constant = constant.wrapping_add((fixed as u64).wrapping_mul(scale));
                continue;
            }
            let bits = number.get_type().get_bit_width();
            let wide = if bits < 64 {
                self.builder.build_int_s_extend(number, self.context().i64_type(), "")?
            } else {
                self.bits(index)?
            };
            let si = self.shades.one(index);
            let arguments = [
                shadow.into(),
                si.into(),
                at.into(),
                wide.into(),
                self.word(scale).into(),
                self.number(bits).into(),
            ];
            shadow = self.shadow(Slot::Index, &arguments)?;
            let step = self.builder.build_int_mul(wide, self.word(scale), "")?;
            at = self.builder.build_int_add(at, step, "")?;
        }
        if constant != 0 {
            let operation = self.number(operation(Op::Add as u8, 64, 64, 0));
            let zero = self.shades.zero();
            let constant = self.word(constant);
            let arguments = [operation.into(), shadow.into(), zero.into(), at.into(), constant.into()];
            shadow = self.shadow(Slot::Binary, &arguments)?;
        }
        self.shades.set(ir::result(instruction), vec![shadow]);
        Ok(())
    }

    /// The scalars inside a type with their byte offsets.
    fn scalars(&self, ty: BasicTypeEnum<'c>, offset: u64, found: &mut Vec<(u64, BasicTypeEnum<'c>)>) {
        match ty {
            BasicTypeEnum::StructType(s) => {
                for (i, field) in s.get_field_types_iter().enumerate() {
                    let inner = self.data.offset_of_element(&s, i as u32).unwrap_or(0);
                    self.scalars(field, offset + inner, found);
                }
            }
            BasicTypeEnum::ArrayType(a) => {
                let element = a.get_element_type();
                let size = self.data.get_abi_size(&element);
                (0..a.len()).for_each(|i| self.scalars(element, offset + u64::from(i) * size, found));
            }
            scalar => found.push((offset, scalar)),
        }
    }

    fn at(&self, base: PointerValue<'c>, offset: u64) -> Result<PointerValue<'c>, BuilderError> {
        if offset == 0 {
            return Ok(base);
        }
        // SAFETY: inside what is loaded or stored.
        unsafe { self.builder.build_gep(self.context().i8_type(), base, &[self.word(offset)], "") }
    }

    pub(super) fn load(&mut self, instruction: InstructionValue<'c>) -> Built {
        let Some(BasicValueEnum::PointerValue(address)) = ir::operand(instruction, 0) else { return Ok(()) };
        let result = ir::result(instruction);
        let saddress = self.shades.one(address.into());
        let site = self.sites.at(instruction, "load");
        let mut scalars = Vec::new();
        self.scalars(result.get_type(), 0, &mut scalars);
        let mut shade = Shade::new();
        // Before the load: a load through a null pointer is the last thing that its run does.
        let next = instruction.get_next_instruction();
        self.builder.position_before(&instruction);
        for (offset, ty) in scalars {
            let Some(width) = width(ty) else {
                shade.push(self.shades.zero());
                continue;
            };
            let place = self.at(address, offset)?;
            let arguments = [
                place.into(),
                self.moved(saddress, address, offset)?.into(),
                self.access(ty).into(),
                self.number(width).into(),
                self.number(site).into(),
            ];
            shade.push(self.shadow(Slot::Load, &arguments)?);
        }
        if let Some(next) = next {
            self.builder.position_before(&next);
        }
        self.shades.set(result, shade);
        Ok(())
    }

    pub(super) fn store(&mut self, instruction: InstructionValue<'c>) -> Built {
        let (Some(value), Some(BasicValueEnum::PointerValue(address))) =
            (ir::operand(instruction, 0), ir::operand(instruction, 1))
        else {
            return Ok(());
        };
        let saddress = self.shades.one(address.into());
        let site = self.sites.at(instruction, "store");
        let mut scalars = Vec::new();
        self.scalars(value.get_type(), 0, &mut scalars);
        for ((offset, ty), shadow) in scalars.into_iter().zip(self.shades.all(value)) {
            let place = self.at(address, offset)?;
            let saddress = self.moved(saddress, address, offset)?;
            self.before_store(instruction, place, saddress, ty)?;
            self.stored(place, saddress, ty, shadow, site)?;
        }
        Ok(())
    }

    /// How many bytes a value of a type has, and what they are.
    fn access(&self, ty: BasicTypeEnum<'c>) -> IntValue<'c> {
        let access = match ty {
            BasicTypeEnum::FloatType(_) => Access::Float,
            BasicTypeEnum::PointerType(_) => Access::Pointer,
            _ => Access::Integer,
        };
        self.number(access.describe(self.data.get_store_size(&ty) as u32))
    }

    /// The shadow of an address some bytes further.
    fn moved(
        &self,
        shadow: IntValue<'c>,
        address: PointerValue<'c>,
        offset: u64,
    ) -> Result<IntValue<'c>, BuilderError> {
        if offset == 0 || !self.shades.may_be_set(shadow) {
            return Ok(shadow);
        }
        let operation = self.number(operation(Op::Add as u8, 64, 64, 0)).into();
        let (at, by) = (self.bits(address.into())?, self.word(offset));
        self.shadow(
            Slot::Binary,
            &[operation, shadow.into(), self.shades.zero().into(), at.into(), by.into()],
        )
    }

    /// What a store at an address of the input overwrites is part of what memory holds afterwards.
    fn before_store(
        &self,
        store: InstructionValue<'c>,
        place: PointerValue<'c>,
        saddress: IntValue<'c>,
        ty: BasicTypeEnum<'c>,
    ) -> Built {
        let next = store.get_next_instruction();
        // Parts of an aggregate have addresses computed behind the store; clang stores none at such addresses.
        if !self.shades.may_be_set(saddress) || ir::operand(store, 1) != Some(place.into()) {
            return Ok(());
        }
        self.builder.position_before(&store);
        let arguments = [place.into(), saddress.into(), self.access(ty).into()];
        self.helpers.call(self.builder, Slot::BeforeStore, &arguments)?;
        if let Some(next) = next {
            self.builder.position_before(&next);
        }
        Ok(())
    }

    fn stored(
        &self,
        place: PointerValue<'c>,
        saddress: IntValue<'c>,
        ty: BasicTypeEnum<'c>,
        shadow: IntValue<'c>,
        site: u32,
    ) -> Built {
        let bytes = self.data.get_store_size(&ty) as u32;
        let arguments = [
            place.into(),
            saddress.into(),
            self.access(ty).into(),
            shadow.into(),
            self.number(width(ty).unwrap_or(bytes * 8)).into(),
            self.number(site).into(),
        ];
        self.helpers.call(self.builder, Slot::Store, &arguments).map(|_| ())
    }

    /// Read-modify-write: the new value and the result count as independent of the input.
    pub(super) fn atomic(&mut self, instruction: InstructionValue<'c>) -> Built {
        let all = operands(instruction);
        self.lose(&all, instruction, "atomic operation")?;
        let (Some(BasicValueEnum::PointerValue(address)), Some(value)) =
            (ir::operand(instruction, 0), ir::operand(instruction, 1))
        else {
            return Ok(());
        };
        let site = self.sites.at(instruction, "store");
        self.stored(address, self.shades.zero(), value.get_type(), self.shades.zero(), site)
    }
}
