//! Which other methods a call could mean.

use crate::facts::Facts;
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Primitive, Slot};

/// What a compiler knows of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    /// `null`, which fits all references.
    Null,
    /// An expression of a type.
    Of(Type),
}

/// Parameters of the other methods, or constructors, that have this name.
pub(crate) fn rivals<'f>(
    facts: &'f Facts,
    class: &str,
    name: &str,
    descriptor: &MethodDescriptor,
) -> Vec<&'f [Type]> {
    let lineage = if name == "<init>" { vec![class.to_owned()] } else { facts.lineage(class).0 };
    let known = lineage.iter().filter_map(|class| facts.class(class));
    known
        .flat_map(|class| &class.methods)
        .filter(|method| method.name == name && !method.access.is_synthetic())
        .map(|method| method.descriptor.parameters.as_slice())
        .filter(|parameters| *parameters != descriptor.parameters)
        .collect()
}

/// Whether a compiler might take these arguments for those of a method with these parameters.
pub(crate) fn may_apply(facts: &Facts, parameters: &[Type], given: &[Given]) -> bool {
    parameters.len() == given.len() && parameters.iter().zip(given).all(|(p, g)| may_accept(facts, p, g))
}

fn may_accept(facts: &Facts, parameter: &Type, given: &Given) -> bool {
    let Given::Of(given) = given else { return parameter.is_reference() };
    match (parameter.is_reference(), given.is_reference()) {
        (true, true) => facts.is_subtype(given, parameter) != Some(false),
        (false, false) => widens(given, parameter),
        // A box fits whatever its class could be.
        (true, false) => !matches!(parameter, Type::Array(_)) && Slot::of(parameter) != Some(Slot::Text),
        (false, true) => matches!(Slot::of(given), Some(Slot::Boxed(_))),
    }
}

/// Whether a number is converted to another type without a cast.
pub(crate) fn widens(given: &Type, wanted: &Type) -> bool {
    let rank = |ty: &Type| match Primitive::of(ty) {
        Some(Primitive::Byte) => Some(1),
        Some(Primitive::Short) => Some(2),
        Some(Primitive::Char) => Some(2),
        Some(Primitive::Int) => Some(3),
        Some(Primitive::Long) => Some(4),
        Some(Primitive::Float) => Some(5),
        Some(Primitive::Double) => Some(6),
        Some(Primitive::Boolean) | None => None,
    };
    if given == wanted {
        return true;
    }
    let to_char = *wanted == Type::Char;
    matches!((rank(given), rank(wanted)), (Some(from), Some(to)) if from < to && !to_char)
}
