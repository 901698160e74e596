//! Types from debug information entries.
//!
//! Every type entry has one [`TypeId`], handed out when it is first mentioned. It is filled in after
//! the types it *contains* (members, elements, what a typedef names), because its layout depends on
//! theirs; what a pointer or a function type mentions can wait. So recursive types need no special
//! care, containment in a circle is an error, and no input can exhaust the stack.

use super::DwarfError;
use super::base::{base, void};
use super::die::{Die, Place, Units};
use super::layout::{Slot, aggregate_align, enumerator, explicit_align, plausible};
use model::{EnumValue, Field, Type, TypeId, TypeKind, Types};
use std::collections::HashMap;

const POINTER_SIZE: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Mentioned,
    Entered,
    Built,
}

enum Step {
    Enter(Place),
    Build(Place),
}

/// Turns entries into types of the model.
pub(super) struct TypeReader<'u, 'a> {
    units: &'u Units<'a>,
    types: &'u mut Types,
    known: HashMap<Place, (TypeId, State)>,
    waiting: Vec<Place>,
    /// `void` and the base types, shared by all units.
    scalars: Vec<TypeId>,
}

impl<'u, 'a> TypeReader<'u, 'a> {
    pub(super) fn new(units: &'u Units<'a>, types: &'u mut Types) -> Self {
        let scalars = types.iter().filter(|(_, ty)| is_scalar(&ty.kind)).map(|(id, _)| id).collect();
        Self { units, types, known: HashMap::new(), waiting: Vec::new(), scalars }
    }

    /// The id of the type at `place`, no place meaning `void`. Its contents come with [`Self::finish`].
    pub(super) fn id(&mut self, place: Option<Place>) -> Result<TypeId, DwarfError> {
        let Some(place) = place else { return Ok(self.scalar(void())) };
        if let Some((id, _)) = self.known.get(&place) {
            return Ok(*id);
        }
        let die = self.units.die(place)?;
        let (id, state) = if die.tag() == gimli::DW_TAG_base_type {
            (self.scalar(read_base(&die)?), State::Built)
        } else {
            self.waiting.push(place);
            (self.types.push(void()), State::Mentioned)
        };
        self.known.insert(place, (id, state));
        Ok(id)
    }

    fn scalar(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.scalars.iter().find(|id| *self.types.get(**id) == ty) {
            return *id;
        }
        let id = self.types.push(ty);
        self.scalars.push(id);
        id
    }

    /// Fills in all types mentioned so far, and those that they mention.
    pub(super) fn finish(&mut self) -> Result<(), DwarfError> {
        while let Some(place) = self.waiting.pop() {
            self.complete(place)?;
        }
        Ok(())
    }

    fn complete(&mut self, place: Place) -> Result<(), DwarfError> {
        let mut steps = vec![Step::Enter(place)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(place) => self.enter(place, &mut steps)?,
                Step::Build(place) => {
                    let ty = self.build(&self.units.die(place)?)?;
                    let id = self.id(Some(place))?;
                    self.types.set(id, ty);
                    self.known.insert(place, (id, State::Built));
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, place: Place, steps: &mut Vec<Step>) -> Result<(), DwarfError> {
        let id = self.id(Some(place))?;
        if self.known[&place].1 == State::Built {
            return Ok(());
        }
        self.known.insert(place, (id, State::Entered));
        steps.push(Step::Build(place));
        let die = self.units.die(place)?;
        for part in contained(&die)? {
            self.id(Some(part))?;
            match self.known[&part].1 {
                State::Mentioned => steps.push(Step::Enter(part)),
                State::Entered => return Err(DwarfError::Circular),
                State::Built => {}
            }
        }
        Ok(())
    }

    fn build(&mut self, die: &Die<'u, 'a>) -> Result<Type, DwarfError> {
        match die.tag() {
            gimli::DW_TAG_base_type => read_base(die),
            gimli::DW_TAG_pointer_type => self.pointer(die),
            gimli::DW_TAG_typedef => self.wrapper(die, |to| TypeKind::Typedef { to }),
            gimli::DW_TAG_const_type => self.wrapper(die, |to| TypeKind::Const { to }),
            gimli::DW_TAG_volatile_type => self.qualified(die, "volatile"),
            gimli::DW_TAG_restrict_type => self.qualified(die, "restrict"),
            gimli::DW_TAG_atomic_type => self.atomic(die),
            gimli::DW_TAG_array_type if die.flag(gimli::DW_AT_GNU_vector) => self.vector(die),
            gimli::DW_TAG_array_type => self.array(die),
            gimli::DW_TAG_enumeration_type => self.enumeration(die),
            gimli::DW_TAG_structure_type => self.aggregate(die, |fields| TypeKind::Struct { fields }),
            gimli::DW_TAG_union_type => self.aggregate(die, |fields| TypeKind::Union { fields }),
            gimli::DW_TAG_subroutine_type => self.function(die),
            tag => {
                let name = die.name()?;
                let shown = name.clone().unwrap_or_else(|| tag.to_string());
                Ok(Type { kind: TypeKind::Unsupported(shown), size: 0, align: 1, name })
            }
        }
    }

    fn pointer(&mut self, die: &Die<'_, '_>) -> Result<Type, DwarfError> {
        let size = die.unsigned(gimli::DW_AT_byte_size).unwrap_or(POINTER_SIZE);
        let size = plausible(die, Some(size).filter(|size| size.is_power_of_two()))?;
        let kind = TypeKind::Pointer { to: self.id(die.type_place()?)? };
        Ok(Type { kind, size, align: size, name: None })
    }

    /// A type with the layout of the one it refers to.
    fn wrapper(&mut self, die: &Die<'_, '_>, kind: impl Fn(TypeId) -> TypeKind) -> Result<Type, DwarfError> {
        let to = self.id(die.type_place()?)?;
        let Type { size, align, .. } = *self.types.get(to);
        let align = explicit_align(die)?.unwrap_or(align);
        Ok(Type { kind: kind(to), size, align, name: die.name()? })
    }

    fn qualified(&mut self, die: &Die<'_, '_>, keyword: &str) -> Result<Type, DwarfError> {
        self.wrapper(die, |to| TypeKind::Qualified { keyword: keyword.to_owned(), to })
    }

    /// Small atomic types are padded to a size the processor can exchange, and aligned to it. A padded
    /// one has not the layout of the type it qualifies, so it cannot be passed off as that.
    fn atomic(&mut self, die: &Die<'_, '_>) -> Result<Type, DwarfError> {
        let mut ty = self.qualified(die, "_Atomic")?;
        if !(1..=16).contains(&ty.size) {
            return Ok(ty);
        }
        let padded = ty.size.next_power_of_two();
        if padded != ty.size {
            ty.kind = TypeKind::Unsupported("_Atomic with padding".to_owned());
        }
        Ok(Type { size: padded, align: padded.max(ty.align), ..ty })
    }

    /// One array type per dimension, built from the innermost.
    fn array(&mut self, die: &Die<'u, 'a>) -> Result<Type, DwarfError> {
        let mut lengths = dimensions(die)?;
        let outermost = lengths.remove(0);
        let mut of = self.id(die.type_place()?)?;
        for len in lengths.into_iter().rev() {
            let inner = self.dimension(die, of, len)?;
            of = self.types.push(inner);
        }
        self.dimension(die, of, outermost)
    }

    fn dimension(&self, die: &Die<'_, '_>, of: TypeId, len: Option<u64>) -> Result<Type, DwarfError> {
        let Type { size, align, .. } = *self.types.get(of);
        let size = plausible(die, size.checked_mul(len.unwrap_or(0)))?;
        Ok(Type { kind: TypeKind::Array { of, len }, size, align, name: None })
    }

    fn vector(&mut self, die: &Die<'u, 'a>) -> Result<Type, DwarfError> {
        let element = self.id(die.type_place()?)?;
        let Type { size, ref name, .. } = *self.types.resolved(element);
        let name = name.clone().unwrap_or_default();
        let count = dimensions(die)?[0].unwrap_or(0);
        let elements = plausible(die, size.checked_mul(count))?.next_power_of_two();
        let size = plausible(die, Some(die.unsigned(gimli::DW_AT_byte_size).unwrap_or(elements)))?;
        let kind = TypeKind::Unsupported(format!("{name} __attribute__((vector_size({size})))"));
        Ok(Type { kind, size, align: if size.is_power_of_two() { size } else { 1 }, name: None })
    }

    fn enumeration(&mut self, die: &Die<'u, 'a>) -> Result<Type, DwarfError> {
        let name = die.name()?;
        if die.flag(gimli::DW_AT_declaration) {
            let shown = format!("incomplete enum {}", name.as_deref().unwrap_or_default());
            return Ok(Type { kind: TypeKind::Unsupported(shown), size: 0, align: 1, name });
        }
        let size = die.unsigned(gimli::DW_AT_byte_size).filter(|size| matches!(size, 1 | 2 | 4 | 8 | 16));
        let size = plausible(die, size)?;
        let bits = size as u16 * 8;
        let signed = self.is_signed(die)?;
        let values = enumerators(die, bits, signed)?;
        let align = explicit_align(die)?.unwrap_or(size);
        Ok(Type { kind: TypeKind::Enum { bits, signed, values }, size, align, name })
    }

    /// By the underlying type; a compiler that names none leaves `int`.
    fn is_signed(&mut self, die: &Die<'_, '_>) -> Result<bool, DwarfError> {
        let Some(place) = die.type_place()? else { return Ok(true) };
        let underlying = self.id(Some(place))?;
        match self.types.resolved(underlying).kind {
            TypeKind::Int { signed, .. } => Ok(signed),
            TypeKind::Bool => Ok(false),
            _ => Err(die.malformed("underlying type")),
        }
    }

    fn aggregate(
        &mut self,
        die: &Die<'u, 'a>,
        kind: impl Fn(Option<Vec<Field>>) -> TypeKind,
    ) -> Result<Type, DwarfError> {
        let name = die.name()?;
        if die.flag(gimli::DW_AT_declaration) {
            return Ok(Type { kind: kind(None), size: 0, align: 1, name });
        }
        let size = plausible(die, die.unsigned(gimli::DW_AT_byte_size))?;
        let (mut fields, mut slots) = (Vec::new(), Vec::new());
        for member in members(die)? {
            let ty = self.id(member.type_place()?)?;
            let of = self.types.get(ty);
            let slot = Slot::of(&member, of.size, of.align, size)?;
            let Slot { bit_offset, bit_size, .. } = slot;
            fields.push(Field { name: member.name()?, ty, bit_offset, bit_size });
            slots.push(slot);
        }
        let align = explicit_align(die)?.unwrap_or(1).max(aggregate_align(size, &slots));
        Ok(Type { kind: kind(Some(fields)), size, align, name })
    }

    /// `void f()` has unspecified parameters too, but no prototype: it is not variadic.
    fn function(&mut self, die: &Die<'u, 'a>) -> Result<Type, DwarfError> {
        let ret = self.id(die.type_place()?)?;
        let (mut params, mut ellipsis) = (Vec::new(), false);
        for child in die.children()? {
            match child.tag() {
                gimli::DW_TAG_formal_parameter => params.push(self.id(child.type_place()?)?),
                gimli::DW_TAG_unspecified_parameters => ellipsis = true,
                _ => {}
            }
        }
        let variadic = ellipsis && die.flag(gimli::DW_AT_prototyped);
        Ok(Type { kind: TypeKind::Function { ret, params, variadic }, size: 0, align: 1, name: None })
    }
}

fn is_scalar(kind: &TypeKind) -> bool {
    use TypeKind::{Bool, Float, Int, Unsupported, Void};
    matches!(kind, Void | Bool | Int { .. } | Float(_) | Unsupported(_))
}

fn read_base(die: &Die<'_, '_>) -> Result<Type, DwarfError> {
    let name = die.name()?.ok_or_else(|| die.malformed("name"))?;
    let size = plausible(die, die.unsigned(gimli::DW_AT_byte_size))?;
    let Some(gimli::AttributeValue::Encoding(encoding)) = die.value(gimli::DW_AT_encoding) else {
        return Err(die.malformed("encoding"));
    };
    Ok(base(name, encoding, size))
}

/// The types whose layout decides that of this one.
fn contained(die: &Die<'_, '_>) -> Result<Vec<Place>, DwarfError> {
    match die.tag() {
        gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
            members(die)?.iter().filter_map(|member| member.type_place().transpose()).collect()
        }
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_subroutine_type => Ok(Vec::new()),
        _ => Ok(die.type_place()?.into_iter().collect()),
    }
}

fn members<'u, 'a>(die: &Die<'u, 'a>) -> Result<Vec<Die<'u, 'a>>, DwarfError> {
    let mut children = die.children()?;
    children.retain(|child| child.tag() == gimli::DW_TAG_member);
    Ok(children)
}

fn enumerators(die: &Die<'_, '_>, bits: u16, signed: bool) -> Result<Vec<EnumValue>, DwarfError> {
    let mut values = Vec::new();
    for child in die.children()?.iter().filter(|child| child.tag() == gimli::DW_TAG_enumerator) {
        let name = child.name()?.ok_or_else(|| child.malformed("name"))?;
        values.push(EnumValue { name, value: enumerator(child, bits, signed)? });
    }
    Ok(values)
}

/// The lengths of an array, at least one, outermost first; `None` if open or known only at run time.
fn dimensions(die: &Die<'_, '_>) -> Result<Vec<Option<u64>>, DwarfError> {
    let children = die.children()?;
    let ranges = children.iter().filter(|child| child.tag() == gimli::DW_TAG_subrange_type);
    let lengths: Vec<_> = ranges.map(length).collect();
    if lengths.is_empty() { Err(die.malformed("dimension")) } else { Ok(lengths) }
}

fn length(range: &Die<'_, '_>) -> Option<u64> {
    let last = || range.unsigned(gimli::DW_AT_upper_bound)?.checked_add(1);
    range.unsigned(gimli::DW_AT_count).or_else(last)
}
