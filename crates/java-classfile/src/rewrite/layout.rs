//! Where everything is when code has been inserted.

use super::Why;
use crate::code::Code;
use crate::instruction::{Instruction, Pc};

/// Code that is inserted, in bytes.
#[derive(Default)]
pub(super) struct Inserted {
    pub(super) bytes: Vec<u8>,
    /// Lies outside of protected ranges.
    pub(super) outside: bool,
}

/// What is inserted next to an instruction.
#[derive(Default)]
pub(super) struct Around {
    pub(super) handler: Vec<Inserted>,
    pub(super) before: Vec<Inserted>,
    pub(super) after: Vec<Inserted>,
}

/// New offsets of the instructions, by their position.
pub(super) struct Layout {
    /// Where jumps, handlers and frames of an instruction lead: to the code inserted before it. One more for the end.
    pub(super) starts: Vec<Pc>,
    /// Where the instruction itself is.
    pub(super) own: Vec<Pc>,
    /// Whether a `goto` or `jsr` takes its long form.
    pub(super) is_long: Vec<bool>,
}

fn length(inserted: &[Inserted]) -> u64 {
    inserted.iter().map(|inserted| inserted.bytes.len() as u64).sum()
}

/// Padding between the opcode of a switch and its operands.
pub(super) fn padding(pc: u64) -> u64 {
    (pc + 1).next_multiple_of(4) - (pc + 1)
}

impl Layout {
    /// Moves everything, and gives `goto` and `jsr` their long form until all of them reach their targets.
    pub(super) fn new(code: &Code, entry: &[Inserted], around: &[Around]) -> Result<Layout, Why> {
        let mut is_long = vec![false; code.instructions.len()];
        loop {
            let layout = place(code, entry, around, is_long)?;
            let Some(longer) = layout.longer(code)? else { return Ok(layout) };
            is_long = longer;
        }
    }

    /// Which jumps need their long form, if more do than have it.
    fn longer(&self, code: &Code) -> Result<Option<Vec<bool>>, Why> {
        let mut is_long = self.is_long.clone();
        for (position, (pc, instruction)) in code.instructions.iter().enumerate() {
            let can_be_long = matches!(instruction, Instruction::Goto { .. } | Instruction::Jsr { .. });
            let is_short = (instruction.is_conditional() || can_be_long) && code.end_of(position) - pc == 3;
            if !is_short || self.is_long[position] {
                continue;
            }
            let reaches = |target: &Pc| i16::try_from(self.distance(code, position, *target)).is_ok();
            if instruction.targets().iter().all(reaches) {
                continue;
            }
            if !can_be_long {
                return Err(Why::TooFar(*pc));
            }
            is_long[position] = true;
        }
        Ok(Some(is_long).filter(|longer| *longer != self.is_long))
    }

    /// Where an old offset leads now, if an instruction is there or the code ends there.
    pub(super) fn start(&self, code: &Code, pc: Pc) -> Option<Pc> {
        if pc == code.length {
            return self.starts.last().copied();
        }
        code.position(pc).map(|position| self.starts[position])
    }

    /// From an instruction to the target of its jump.
    pub(super) fn distance(&self, code: &Code, position: usize, target: Pc) -> i32 {
        // Jumps of a class that was read lead to instructions.
        let target = self.start(code, target).unwrap_or(0);
        target as i32 - self.own[position] as i32
    }
}

fn place(code: &Code, entry: &[Inserted], around: &[Around], is_long: Vec<bool>) -> Result<Layout, Why> {
    let mut starts = Vec::with_capacity(code.instructions.len() + 1);
    let mut own = Vec::with_capacity(code.instructions.len());
    let mut next = length(entry);
    for (position, (pc, instruction)) in code.instructions.iter().enumerate() {
        let around = &around[position];
        starts.push(next);
        next += length(&around.handler) + length(&around.before);
        own.push(next);
        let old_length = u64::from(code.end_of(position) - pc);
        next += match instruction {
            Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => {
                old_length - padding(u64::from(*pc)) + padding(next)
            }
            _ if is_long[position] => 5,
            _ => old_length,
        };
        next += length(&around.after);
    }
    starts.push(next);
    if next > 65_535 {
        return Err(Why::TooLong(next));
    }
    let narrow = |offsets: Vec<u64>| offsets.into_iter().map(|offset| offset as Pc).collect();
    Ok(Layout { starts: narrow(starts), own: narrow(own), is_long })
}
