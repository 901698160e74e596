//! The code of a method.

use crate::attributes::Attributes;
use crate::cursor::{Cursor, Located};
use crate::decode::{check_target, decode};
use crate::error::{ClassError, Malformed};
use crate::frames::{self, Frame};
use crate::instruction::{Instruction, Pc};
use crate::pool::{Pool, PoolIndex};
use std::ops::Range;

/// The code of a method.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// Slots of the stack.
    pub max_stack: u16,
    /// Slots of local variables, parameters among them.
    pub max_locals: u16,
    /// Length of the bytecode.
    pub length: Pc,
    /// The instructions in order. All jumps lead to one of them.
    pub instructions: Vec<(Pc, Instruction)>,
    /// Where exceptions lead. The first that fits is taken.
    pub handlers: Vec<Handler>,
    /// Lines of the source, in the order of the file.
    pub lines: Vec<Line>,
    /// Names of local variables, if the class was compiled with them.
    pub variables: Vec<LocalVariable>,
    /// Generic types of some local variables: the same as above, with a signature in place of a descriptor.
    pub variable_types: Vec<LocalVariable>,
    /// What in the source instructions are of, if the class was compiled with `-Xjcov`.
    pub ranges: Vec<CharacterRange>,
    /// The stack map; nothing in classes before Java 6, or if no jump needs it.
    pub frames: Option<Vec<Frame>>,
    /// The whole attribute in the file, with its head.
    pub(crate) attribute: Range<usize>,
    /// The bytecode in the file.
    pub(crate) bytecode: Range<usize>,
}

/// A handler of exceptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handler {
    /// First instruction that is protected.
    pub start: Pc,
    /// First instruction after those that are protected, or the length of the bytecode.
    pub end: Pc,
    /// Where it begins.
    pub handler: Pc,
    /// What it catches; nothing if it catches everything.
    pub catches: Option<PoolIndex>,
}

/// A line of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Where its code begins.
    pub pc: Pc,
    /// Its number.
    pub line: u16,
}

/// A part of the source, and the instructions that it became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharacterRange {
    /// Its first instruction.
    pub first: Pc,
    /// An offset in its last one.
    pub last: Pc,
    /// Line and column where it begins, both from 1.
    pub start: (u32, u32),
    /// Line and column behind it.
    pub end: (u32, u32),
    /// What it is.
    pub flags: u16,
}

impl CharacterRange {
    /// It is a statement or a block.
    pub const STATEMENT: u16 = 0x1 | 0x2;
    /// It decides where control goes.
    pub const CONTROLLER: u16 = 0x8;
    /// It is evaluated or not, as something else decides.
    pub const TARGET: u16 = 0x10;
    /// A jump that is taken if it is true.
    pub const IF_TRUE: u16 = 0x80;
    /// A jump that is taken if it is false.
    pub const IF_FALSE: u16 = 0x100;
}

/// A local variable with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalVariable {
    /// Where it begins to have a value.
    pub start: Pc,
    /// Where it ceases to exist.
    pub end: Pc,
    /// Its name.
    pub name: PoolIndex,
    /// Its descriptor or signature.
    pub descriptor: PoolIndex,
    /// Its slot.
    pub index: u16,
}

impl Code {
    /// Reads the inside of an attribute that spans `attribute`.
    pub(crate) fn read(
        cursor: &mut Cursor<'_>,
        pool: &Pool,
        attribute: Range<usize>,
    ) -> Result<Code, ClassError> {
        let (max_stack, max_locals) = (cursor.u2()?, cursor.u2()?);
        let length = cursor.u4()?;
        if !(1..=65_535).contains(&length) {
            return cursor.fail(Malformed::CodeLength(length));
        }
        let bytecode = cursor.part(length as usize)?;
        let span = bytecode.rest();
        let instructions = decode(bytecode, pool)?;
        let handlers = cursor.list(|cursor| read_handler(cursor, pool, &instructions, length))?;
        let mut code = Code {
            max_stack,
            max_locals,
            length,
            instructions,
            handlers,
            lines: Vec::new(),
            variables: Vec::new(),
            variable_types: Vec::new(),
            ranges: Vec::new(),
            frames: None,
            attribute,
            bytecode: span,
        };
        code.read_attributes(cursor, pool)?;
        Ok(code)
    }

    fn read_attributes(&mut self, cursor: &mut Cursor<'_>, pool: &Pool) -> Result<(), ClassError> {
        let mut attributes = Attributes::begin(cursor, pool)?;
        while let Some(attribute) = attributes.next()? {
            let mut body = attribute.body;
            match attribute.name {
                "LineNumberTable" => self.lines.extend(body.list(read_line)?),
                "LocalVariableTable" => self.variables.extend(body.list(|c| read_variable(c, pool))?),
                "LocalVariableTypeTable" => {
                    self.variable_types.extend(body.list(|c| read_variable(c, pool))?);
                }
                "CharacterRangeTable" => self.ranges.extend(body.list(read_range)?),
                "StackMapTable" => {
                    let frames = frames::read(&mut body, pool, &self.instructions)?;
                    if self.frames.replace(frames).is_some() {
                        return body.fail(Malformed::Twice("StackMapTable"));
                    }
                }
                _ => continue,
            }
            body.finish()?;
        }
        Ok(())
    }

    /// Position in [`Code::instructions`] of the one at an offset.
    #[must_use]
    pub fn position(&self, pc: Pc) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |(pc, _)| *pc).ok()
    }

    /// The instruction at an offset.
    #[must_use]
    pub fn at(&self, pc: Pc) -> Option<&Instruction> {
        self.position(pc).map(|position| &self.instructions[position].1)
    }

    /// Offset of the instruction after the one at a position; the length of the bytecode after the last.
    #[must_use]
    pub fn end_of(&self, position: usize) -> Pc {
        self.instructions.get(position + 1).map_or(self.length, |(pc, _)| *pc)
    }

    /// Where the bytecode is among the bytes of the class.
    #[must_use]
    pub fn bytes(&self) -> Range<usize> {
        self.bytecode.clone()
    }

    /// The line of the source that an instruction belongs to, if that is known.
    #[must_use]
    pub fn line(&self, pc: Pc) -> Option<u16> {
        let before = self.lines.iter().filter(|line| line.pc <= pc);
        before.max_by_key(|line| line.pc).map(|line| line.line)
    }
}

fn read_handler(
    cursor: &mut Cursor<'_>,
    pool: &Pool,
    instructions: &[(Pc, Instruction)],
    length: Pc,
) -> Result<Handler, ClassError> {
    let at = cursor.at();
    let (start, end, handler) = (Pc::from(cursor.u2()?), Pc::from(cursor.u2()?), Pc::from(cursor.u2()?));
    let catches = Some(cursor.index()?).filter(|class| class.0 != 0);
    check_target(instructions, start).located(at)?;
    check_target(instructions, handler).located(at)?;
    if end != length {
        check_target(instructions, end).located(at)?;
    }
    if start >= end {
        return Err(ClassError { at, what: Malformed::Range });
    }
    if let Some(class) = catches {
        pool.class_name(class).located(at)?;
    }
    Ok(Handler { start, end, handler, catches })
}

fn read_line(cursor: &mut Cursor<'_>) -> Result<Line, ClassError> {
    Ok(Line { pc: Pc::from(cursor.u2()?), line: cursor.u2()? })
}

fn read_range(cursor: &mut Cursor<'_>) -> Result<CharacterRange, ClassError> {
    let (first, last) = (Pc::from(cursor.u2()?), Pc::from(cursor.u2()?));
    let [start, end] = [cursor.u4()?, cursor.u4()?].map(|place| (place >> 10, place & 0x3FF));
    Ok(CharacterRange { first, last, start, end, flags: cursor.u2()? })
}

fn read_variable(cursor: &mut Cursor<'_>, pool: &Pool) -> Result<LocalVariable, ClassError> {
    let at = cursor.at();
    let start = Pc::from(cursor.u2()?);
    let end = start + Pc::from(cursor.u2()?);
    let (name, descriptor) = (cursor.index()?, cursor.index()?);
    pool.text(name).located(at)?;
    pool.text(descriptor).located(at)?;
    Ok(LocalVariable { start, end, name, descriptor, index: cursor.u2()? })
}
