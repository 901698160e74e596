//! What can be wrong with a class file.

use thiserror::Error;

/// A class file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}, at byte {at}")]
pub struct ClassError {
    /// Offset in the file.
    pub at: usize,
    /// What is wrong there.
    pub what: Malformed,
}

/// Something in a class file that breaks the rules of its format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Malformed {
    /// Something reaches beyond the end of what contains it.
    #[error("the file ends early")]
    Truncated,
    /// Something is shorter than what contains it.
    #[error("{0} bytes too many")]
    Excess(usize),
    /// The first four bytes are not those of a class file.
    #[error("not a class file")]
    Magic,
    /// Class files begin at version 45.
    #[error("no class file has version {0}")]
    Version(u16),
    /// A constant of an unknown kind.
    #[error("unknown kind of constant {0}")]
    ConstantTag(u8),
    /// A constant is missing or is not what its user needs.
    #[error("constant {index} is not {wanted}")]
    Constant {
        /// Its index.
        index: u16,
        /// What it should be.
        wanted: &'static str,
    },
    /// Text that is not in modified UTF-8.
    #[error("malformed text")]
    Text,
    /// Not the descriptor of a field or method.
    #[error("malformed descriptor {0:?}")]
    Descriptor(String),
    /// A byte that begins no instruction.
    #[error("unknown instruction {0}")]
    Opcode(u8),
    /// `newarray` of a type that is not primitive.
    #[error("unknown type of elements {0}")]
    ElementType(u8),
    /// A `tableswitch` whose highest case is below its lowest, or a `lookupswitch` with a negative number of cases.
    #[error("malformed switch")]
    Switch,
    /// Bytecode of no or more than 65,535 bytes.
    #[error("bytecode of {0} bytes")]
    CodeLength(u32),
    /// A jump, a table or a frame names an offset at which no instruction begins.
    #[error("no instruction begins at {0}")]
    NotAnInstruction(i64),
    /// A protected range that ends where it begins or before.
    #[error("empty protected range")]
    Range,
    /// A stack map frame of an unknown kind.
    #[error("unknown kind of frame {0}")]
    Frame(u8),
    /// A type in a stack map frame of an unknown kind.
    #[error("unknown verification type {0}")]
    VerificationType(u8),
    /// A value in an annotation of an unknown kind.
    #[error("unknown annotation value {0}")]
    AnnotationValue(u8),
    /// An attribute that may stand once stands twice.
    #[error("two attributes {0}")]
    Twice(&'static str),
}
