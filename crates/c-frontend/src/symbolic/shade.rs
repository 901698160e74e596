//! Shadows of values while a function is instrumented.

use inkwell::context::ContextRef;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, IntValue};
use std::collections::HashMap;

/// The shadows of a value: one for a scalar, one for every scalar inside an aggregate, in order.
pub(super) type Shade<'c> = Vec<IntValue<'c>>;

/// How many shadows a value of this type has. Vectors come from the calling convention only (two floats in one
/// register) and are treated as one number.
pub(super) fn parts(ty: BasicTypeEnum<'_>) -> usize {
    match ty {
        BasicTypeEnum::StructType(s) => s.get_field_types_iter().map(parts).sum(),
        BasicTypeEnum::ArrayType(a) => a.len() as usize * parts(a.get_element_type()),
        _ => 1,
    }
}

/// The shadows known so far.
pub(super) struct Shades<'c> {
    known: HashMap<BasicValueEnum<'c>, Shade<'c>>,
    zero: IntValue<'c>,
}

impl<'c> Shades<'c> {
    pub(super) fn new(context: ContextRef<'c>) -> Shades<'c> {
        Shades { known: HashMap::new(), zero: context.i32_type().const_zero() }
    }

    /// "Does not depend on the input".
    pub(super) fn zero(&self) -> IntValue<'c> {
        self.zero
    }

    /// All shadows of a value; constants and what nobody entered have none set.
    pub(super) fn all(&self, value: BasicValueEnum<'c>) -> Shade<'c> {
        self.known.get(&value).cloned().unwrap_or_else(|| vec![self.zero; parts(value.get_type())])
    }

    /// The shadow of a scalar.
    pub(super) fn one(&self, value: BasicValueEnum<'c>) -> IntValue<'c> {
        self.known.get(&value).and_then(|shade| shade.first().copied()).unwrap_or(self.zero)
    }

    /// Whether a shadow can be set at all.
    pub(super) fn may_be_set(&self, shadow: IntValue<'c>) -> bool {
        shadow != self.zero
    }

    pub(super) fn set(&mut self, value: BasicValueEnum<'c>, shade: Shade<'c>) {
        if shade.iter().any(|&s| s != self.zero) {
            self.known.insert(value, shade);
        }
    }
}

/// Bits of a scalar, if it is one that terms know: integers and vectors up to 128 bits, pointers, float, double.
pub(super) fn width(ty: BasicTypeEnum<'_>) -> Option<u32> {
    match ty {
        BasicTypeEnum::IntType(t) => Some(t.get_bit_width()).filter(|&w| w <= 128),
        BasicTypeEnum::PointerType(_) => Some(64),
        BasicTypeEnum::FloatType(t) => float_width(t),
        BasicTypeEnum::VectorType(t) => {
            width(t.get_element_type()).map(|w| w * t.get_size()).filter(|&w| w <= 128)
        }
        _ => None,
    }
}

/// 32 for `float`, 64 for `double`, nothing for the others.
pub(super) fn float_width(ty: inkwell::types::FloatType<'_>) -> Option<u32> {
    let context = ty.get_context();
    if ty == context.f32_type() {
        Some(32)
    } else if ty == context.f64_type() {
        Some(64)
    } else {
        None
    }
}
