//! Where members lie and what enumerators are worth: the arithmetic behind the attributes.

use super::DwarfError;
use super::die::Die;
use gimli::AttributeValue;

/// Sizes beyond this are damaged input; below it, sizes in bits cannot overflow.
const LARGEST: u64 = 1 << 60;

/// A size in bytes, or the error that `die` has none that can be.
pub(super) fn plausible(die: &Die<'_, '_>, size: Option<u64>) -> Result<u64, DwarfError> {
    size.filter(|size| *size <= LARGEST).ok_or_else(|| die.malformed("size"))
}

/// `DW_AT_alignment`, present where the source says `_Alignas` or `aligned`.
pub(super) fn explicit_align(die: &Die<'_, '_>) -> Result<Option<u64>, DwarfError> {
    match die.unsigned(gimli::DW_AT_alignment) {
        Some(align) if !align.is_power_of_two() => Err(die.malformed("alignment")),
        align => Ok(align),
    }
}

/// Where a member of a struct or union lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// From the start of the aggregate.
    pub(super) bit_offset: u64,
    /// Width of a bit-field.
    pub(super) bit_size: Option<u16>,
    /// Alignment its type or its declaration asks for.
    pub(super) align: u64,
}

impl Slot {
    /// The slot of `member`, whose type has the given size and alignment, in `size` bytes of aggregate.
    pub(super) fn of(
        member: &Die<'_, '_>,
        type_size: u64,
        align: u64,
        size: u64,
    ) -> Result<Self, DwarfError> {
        let bit_size = bit_size(member, type_size)?;
        let width = bit_size.map_or(type_size * 8, u64::from);
        let bit_offset = bit_offset(member, type_size, bit_size)?;
        if bit_offset.checked_add(width).is_none_or(|end| end > size * 8) {
            return Err(member.malformed("member location"));
        }
        let align = explicit_align(member)?.unwrap_or(align);
        Ok(Self { bit_offset, bit_size, align })
    }

    /// The alignment this member can have had: in a packed struct less than its type's.
    fn effective_align(self) -> u64 {
        if self.bit_size.is_some() || self.bit_offset == 0 {
            return self.align;
        }
        let divisor = 1 << (self.bit_offset / 8).trailing_zeros().min(63);
        self.align.min(divisor)
    }
}

/// Alignment of a struct or union without an explicit one. Debug information does not tell whether a
/// struct is packed; where the layout does not show it either, this is more than the compiler's, never less.
pub(super) fn aggregate_align(size: u64, members: &[Slot]) -> u64 {
    let mut align = members.iter().map(|slot| slot.effective_align()).max().unwrap_or(1);
    while !size.is_multiple_of(align) {
        align /= 2;
    }
    align
}

fn bit_size(member: &Die<'_, '_>, type_size: u64) -> Result<Option<u16>, DwarfError> {
    if !member.has(gimli::DW_AT_bit_size) {
        return Ok(None);
    }
    let bits = member.unsigned(gimli::DW_AT_bit_size).filter(|bits| (1..=type_size * 8).contains(bits));
    let bits = bits.and_then(|bits| u16::try_from(bits).ok());
    bits.map(Some).ok_or_else(|| member.malformed("bit-field width"))
}

fn bit_offset(member: &Die<'_, '_>, type_size: u64, bit_size: Option<u16>) -> Result<u64, DwarfError> {
    let byte_offset = match member.value(gimli::DW_AT_data_member_location) {
        None => Some(0),
        Some(value) => value.udata_value(),
    };
    let start = byte_offset.map(|bytes| i128::from(bytes) * 8);
    let offset = match (member.value(gimli::DW_AT_data_bit_offset), member.value(gimli::DW_AT_bit_offset)) {
        (Some(offset), _) => integer(&offset),
        // Up to DWARF 3: counted from the most significant bit of a storage unit.
        (None, Some(from_top)) => {
            let storage = member.unsigned(gimli::DW_AT_byte_size).unwrap_or(type_size);
            let below = integer(&from_top)
                .map(|top| i128::from(storage) * 8 - top - i128::from(bit_size.unwrap_or(0)));
            start.zip(below).map(|(start, below)| start + below)
        }
        (None, None) => start,
    };
    offset.and_then(|bits| u64::try_from(bits).ok()).ok_or_else(|| member.malformed("member location"))
}

/// The value of an enumerator in a representation of `bits` bits. Forms without a sign leave its
/// reading to the type.
pub(super) fn enumerator(die: &Die<'_, '_>, bits: u16, signed: bool) -> Result<i128, DwarfError> {
    let value = die.value(gimli::DW_AT_const_value).ok_or_else(|| die.malformed("value"))?;
    let as_signed = value.sdata_value().map(i128::from);
    let as_unsigned = value.udata_value().map(i128::from);
    let value = if signed { as_signed.or(as_unsigned) } else { as_unsigned.or(as_signed) };
    value.map(|value| wrap(value, bits, signed)).ok_or_else(|| die.malformed("value"))
}

fn wrap(value: i128, bits: u16, signed: bool) -> i128 {
    let spare = 128 - u32::from(bits.clamp(1, 128));
    if signed { value << spare >> spare } else { ((value as u128) << spare >> spare) as i128 }
}

fn integer<R: gimli::Reader>(value: &AttributeValue<R>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(value) => Some(i128::from(*value)),
        value => value.udata_value().map(i128::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(byte: u64, align: u64) -> Slot {
        Slot { bit_offset: byte * 8, bit_size: None, align }
    }

    #[test]
    fn alignment_is_the_largest_a_member_can_have_had() {
        assert_eq!(aggregate_align(0, &[]), 1);
        assert_eq!(aggregate_align(16, &[slot(0, 1), slot(8, 8)]), 8);
        assert_eq!(aggregate_align(5, &[slot(0, 1), slot(1, 4)]), 1, "packed");
        assert_eq!(aggregate_align(6, &[slot(0, 1), slot(2, 4)]), 2, "pragma pack(2)");
        assert_eq!(aggregate_align(5, &[slot(0, 4), slot(4, 1)]), 1, "packed, seen in the size only");
        assert_eq!(aggregate_align(16, &[slot(0, 1), slot(1, 4), slot(8, 8)]), 8, "one packed member");
    }

    #[test]
    fn enumerators_wrap_to_their_representation() {
        assert_eq!(wrap(-1, 8, false), 255);
        assert_eq!(wrap(255, 8, true), -1);
        assert_eq!(wrap(i128::from(u64::MAX), 64, false), i128::from(u64::MAX));
        assert_eq!(wrap(i128::from(u64::MAX), 64, true), -1);
        assert_eq!(wrap(127, 8, true), 127);
    }
}
