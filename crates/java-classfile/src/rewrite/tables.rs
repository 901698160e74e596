//! Tables of a method that name offsets: lines, variables, the stack map.

use super::layout::Layout;
use crate::code::{Code, LocalVariable};
use crate::frames::{Frame, FrameShape, VerificationType};
use crate::instruction::Pc;

/// Numbers at the end of a file.
pub(super) trait Write {
    fn u2(&mut self, value: u16);
    fn u4(&mut self, value: u32);
}

impl Write for Vec<u8> {
    fn u2(&mut self, value: u16) {
        self.extend(value.to_be_bytes());
    }

    fn u4(&mut self, value: u32) {
        self.extend(value.to_be_bytes());
    }
}

/// Entries with their number before them.
fn counted(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut table = Vec::new();
    table.u2(entries.len() as u16);
    entries.iter().for_each(|entry| table.extend_from_slice(entry));
    table
}

/// Lines. Code at the beginning of the method belongs to the line of the first instruction, so that a stack trace has one.
pub(super) fn lines(code: &Code, layout: &Layout) -> Vec<Vec<u8>> {
    let entry = |line: &crate::code::Line| {
        let pc = if line.pc == 0 { 0 } else { layout.start(code, line.pc)? };
        let mut entry = Vec::new();
        entry.u2(pc as u16);
        entry.u2(line.line);
        Some(entry)
    };
    split(code.lines.iter().filter_map(entry).collect())
}

/// Variables, with their names and types. Those that begin or end inside of instructions are left out.
pub(super) fn variables(code: &Code, layout: &Layout, variables: &[LocalVariable]) -> Vec<Vec<u8>> {
    let entry = |variable: &LocalVariable| {
        let (start, end) = (layout.start(code, variable.start)?, layout.start(code, variable.end)?);
        let mut entry = Vec::new();
        entry.u2(start as u16);
        entry.u2(end.checked_sub(start)? as u16);
        entry.u2(variable.name.0);
        entry.u2(variable.descriptor.0);
        entry.u2(variable.index);
        Some(entry)
    };
    split(variables.iter().filter_map(entry).collect())
}

/// Tables of at most 65,535 entries: a method may have several of a kind.
fn split(entries: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    entries.chunks(usize::from(u16::MAX)).map(counted).collect()
}

/// The stack map: frames stay the same and move.
pub(super) fn frames(code: &Code, layout: &Layout, frames: &[Frame]) -> Vec<u8> {
    let mut next = 0;
    let entry = |frame: &Frame| {
        // Frames of a class that was read stand at instructions.
        let pc = layout.start(code, frame.pc).unwrap_or(next);
        let delta = pc.saturating_sub(next) as u16;
        next = pc + 1;
        write_frame(code, layout, &frame.shape, delta)
    };
    counted(&frames.iter().map(entry).collect::<Vec<_>>())
}

fn write_frame(code: &Code, layout: &Layout, shape: &FrameShape, delta: u16) -> Vec<u8> {
    let mut frame = Vec::new();
    let values = |frame: &mut Vec<u8>, values: &[VerificationType]| {
        values.iter().for_each(|value| write_type(code, layout, *value, frame));
    };
    match shape {
        FrameShape::Same if delta < 64 => frame.push(delta as u8),
        FrameShape::Same => tagged(&mut frame, 251, delta),
        FrameShape::One(value) => {
            if delta < 64 {
                frame.push(64 + delta as u8);
            } else {
                tagged(&mut frame, 247, delta);
            }
            values(&mut frame, &[*value]);
        }
        FrameShape::Chop(count) => tagged(&mut frame, 251 - count, delta),
        FrameShape::Append(more) => {
            tagged(&mut frame, 251 + more.len() as u8, delta);
            values(&mut frame, more);
        }
        FrameShape::Full { locals, stack } => {
            tagged(&mut frame, 255, delta);
            for list in [locals, stack] {
                frame.u2(list.len() as u16);
                values(&mut frame, list);
            }
        }
    }
    frame
}

fn tagged(frame: &mut Vec<u8>, tag: u8, delta: u16) {
    frame.push(tag);
    frame.u2(delta);
}

fn write_type(code: &Code, layout: &Layout, value: VerificationType, frame: &mut Vec<u8>) {
    match value {
        VerificationType::Top => frame.push(0),
        VerificationType::Integer => frame.push(1),
        VerificationType::Float => frame.push(2),
        VerificationType::Double => frame.push(3),
        VerificationType::Long => frame.push(4),
        VerificationType::Null => frame.push(5),
        VerificationType::UninitializedThis => frame.push(6),
        VerificationType::Object(class) => tagged(frame, 7, class.0),
        VerificationType::Uninitialized(pc) => tagged(frame, 8, own(code, layout, pc) as u16),
    }
}

/// Where an instruction itself is now.
fn own(code: &Code, layout: &Layout, pc: Pc) -> Pc {
    code.position(pc).map_or(0, |position| layout.own[position])
}
