//! The stack map: what the verifier knows about variables and stack where jumps lead to.

use crate::cursor::{Cursor, Located};
use crate::decode::check_target;
use crate::error::{ClassError, Malformed};
use crate::instruction::{Instruction, Pc};
use crate::pool::{Pool, PoolIndex};

/// What holds at an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction.
    pub pc: Pc,
    /// The difference from the frame before.
    pub shape: FrameShape,
}

/// How a frame differs from the one before it, or from the parameters of the method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameShape {
    /// Same variables, empty stack.
    Same,
    /// Same variables, one value on the stack.
    One(VerificationType),
    /// So many variables less, empty stack.
    Chop(u8),
    /// One to three more variables, empty stack.
    Append(Vec<VerificationType>),
    /// All of it.
    Full {
        /// The variables; `long` and `double` stand once.
        locals: Vec<VerificationType>,
        /// The stack, top last.
        stack: Vec<VerificationType>,
    },
}

/// What the verifier knows of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerificationType {
    /// Nothing.
    Top,
    /// `int` and everything shorter.
    Integer,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long`
    Long,
    /// `null`
    Null,
    /// The object whose constructor runs, before it has called another one.
    UninitializedThis,
    /// An object of a class.
    Object(PoolIndex),
    /// What the `new` at this offset has made, before its constructor has run.
    Uninitialized(Pc),
}

/// Reads the frames of a method, all of which stand at instructions.
pub(crate) fn read(
    cursor: &mut Cursor<'_>,
    pool: &Pool,
    instructions: &[(Pc, Instruction)],
) -> Result<Vec<Frame>, ClassError> {
    let mut next = 0;
    cursor.list(|cursor| {
        let at = cursor.at();
        let (delta, shape) = read_frame(cursor, pool, instructions)?;
        let pc = next + Pc::from(delta);
        check_target(instructions, pc).located(at)?;
        next = pc + 1;
        Ok(Frame { pc, shape })
    })
}

fn read_frame(
    cursor: &mut Cursor<'_>,
    pool: &Pool,
    instructions: &[(Pc, Instruction)],
) -> Result<(u16, FrameShape), ClassError> {
    let at = cursor.at();
    let mut value = |cursor: &mut Cursor<'_>| read_type(cursor, pool, instructions);
    Ok(match cursor.u1()? {
        tag @ 0..=63 => (u16::from(tag), FrameShape::Same),
        tag @ 64..=127 => (u16::from(tag - 64), FrameShape::One(value(cursor)?)),
        247 => (cursor.u2()?, FrameShape::One(value(cursor)?)),
        tag @ 248..=250 => (cursor.u2()?, FrameShape::Chop(251 - tag)),
        251 => (cursor.u2()?, FrameShape::Same),
        tag @ 252..=254 => {
            let delta = cursor.u2()?;
            let more = (251..tag).map(|_| value(cursor)).collect::<Result<_, _>>()?;
            (delta, FrameShape::Append(more))
        }
        255 => {
            let delta = cursor.u2()?;
            (delta, FrameShape::Full { locals: cursor.list(&mut value)?, stack: cursor.list(&mut value)? })
        }
        tag => return Err(ClassError { at, what: Malformed::Frame(tag) }),
    })
}

fn read_type(
    cursor: &mut Cursor<'_>,
    pool: &Pool,
    instructions: &[(Pc, Instruction)],
) -> Result<VerificationType, ClassError> {
    let at = cursor.at();
    Ok(match cursor.u1()? {
        0 => VerificationType::Top,
        1 => VerificationType::Integer,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => {
            let class = cursor.index()?;
            pool.class_name(class).located(at)?;
            VerificationType::Object(class)
        }
        8 => {
            let pc = Pc::from(cursor.u2()?);
            check_target(instructions, pc).located(at)?;
            VerificationType::Uninitialized(pc)
        }
        tag => return Err(ClassError { at, what: Malformed::VerificationType(tag) }),
    })
}
