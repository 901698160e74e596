//! Java class files: read, decoded, and rewritten with code inserted into their methods.
//!
//! [`ClassFile::read`] takes classes of Java 1.1 to 21 and later apart, down to their instructions.
//! [`rewrite`](rewrite::rewrite) puts hooks into their methods: code that runs along and leaves everything as it was.
//!
//! Nothing here starts a process or knows what the inserted code is for.

mod attributes;
mod class;
mod code;
mod cursor;
mod decode;
mod descriptor;
mod effect;
mod error;
mod frames;
mod initialization;
pub mod instruction;
mod pool;
pub mod rewrite;
mod signature;
mod text;
mod words;

pub use attributes::{BootstrapMethod, ClassAttributes, EnclosingMethod, InnerClass, RecordComponent};
pub use class::{Access, ClassFile, Field, Method, MethodParameter};
pub use code::{CharacterRange, Code, Handler, Line, LocalVariable};
pub use descriptor::{MethodDescriptor, Type};
pub use effect::StackEffect;
pub use error::{ClassError, Malformed};
pub use frames::{Frame, FrameShape, VerificationType};
pub use initialization::{Constructed, FlowError, FlowProblem, Initialization, Slot};
pub use instruction::{Instruction, Pc};
pub use pool::{Bootstrapped, Constant, DynamicRef, Member, MemberRef, Pool, PoolIndex};
pub use rewrite::{Place, Plan, Rewritten, Snippet, rewrite};
pub use signature::{ClassSignature, Generic, MethodSignature, TypeVariable};
pub use text::JavaText;
pub use words::RESERVED;
