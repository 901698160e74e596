//! Protected ranges around inserted code.
//!
//! ```text
//!   range 0..20, code at 8..12 that must lie outside   →   ranges 0..8 and 12..20
//! ```

use super::Why;
use super::layout::Layout;
use crate::code::{Code, Handler};
use crate::instruction::{Instruction, Kind, Pc};
use std::ops::Range;

/// The exception table. `outside` are new offsets in order, which no handler may protect unless it only leaves monitors.
pub(super) fn write(code: &Code, layout: &Layout, outside: &[Range<Pc>]) -> Result<Vec<u8>, Why> {
    let mut entries: Vec<u8> = Vec::new();
    let mut count = 0_usize;
    for handler in &code.handlers {
        let new = |pc| layout.start(code, pc).unwrap_or(0) as u16;
        let whole = Pc::from(new(handler.start))..Pc::from(new(handler.end));
        let gaps = if only_leaves_monitors(code, handler) { &[] } else { outside };
        for range in without(whole, gaps) {
            entries.extend((range.start as u16).to_be_bytes());
            entries.extend((range.end as u16).to_be_bytes());
            entries.extend(new(handler.handler).to_be_bytes());
            entries.extend(handler.catches.map_or(0, |class| class.0).to_be_bytes());
            count += 1;
        }
    }
    let count = u16::try_from(count).map_err(|_| Why::TooManyRanges)?;
    Ok([&count.to_be_bytes()[..], &entries].concat())
}

/// What is left of a range.
fn without(range: Range<Pc>, gaps: &[Range<Pc>]) -> Vec<Range<Pc>> {
    let mut left = Vec::new();
    let mut start = range.start;
    for gap in gaps.iter().filter(|gap| gap.start < range.end && gap.end > range.start) {
        if start < gap.start {
            left.push(start..gap.start);
        }
        start = gap.end;
    }
    if start < range.end {
        left.push(start..range.end);
    }
    left
}

/// Whether a handler leaves monitors and throws the exception on, and does nothing else.
fn only_leaves_monitors(code: &Code, handler: &Handler) -> bool {
    let Some(position) = code.position(handler.handler) else { return false };
    let mut leaves = false;
    for (_, instruction) in &code.instructions[position..] {
        match instruction {
            Instruction::MonitorExit => leaves = true,
            Instruction::Load { kind: Kind::Ref, .. } | Instruction::Store { kind: Kind::Ref, .. } => {}
            Instruction::Throw => return leaves,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "a list of ranges may have one")]
    fn a_range_is_split_around_gaps() {
        assert_eq!(without(0..20, &[8..12]), [0..8, 12..20]);
        assert_eq!(without(5..20, &[0..5, 5..7, 7..9, 18..20, 20..22]), [9..18]);
        assert_eq!(without(5..20, &[5..20]), []);
        assert_eq!(without(5..20, &[]), [5..20]);
    }
}
