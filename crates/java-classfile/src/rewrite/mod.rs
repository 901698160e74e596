//! Insertion of straight-line code into the methods of a class.
//!
//! Hooks fall through and leave the stack as it was, so what the verifier knows at every instruction stays true and no
//! stack map has to be computed: code moves, and everything that names an offset moves with it.
//!
//! ```text
//! before                       with Before(4) = dup, sipush 7, invokestatic Hooks.branch:(II)V
//!   0: iload_0                   0: iload_0
//!   1: goto 4                    1: goto 4
//!   4: ifeq 9                    4: dup; sipush 7; invokestatic ...     jumps to 4 run this too
//!   7: iload_0                  11: ifeq 16
//!   8: ireturn                  14: iload_0
//!   9: iconst_1                 15: ireturn
//!  10: ireturn                  16: iconst_1
//!                               17: ireturn
//! ```

mod handlers;
mod layout;
mod method;
mod pool;
mod snippet;
mod tables;

use crate::class::ClassFile;
use crate::code::Code;
use crate::error::{ClassError, Malformed};
use crate::instruction::Pc;
use pool::PoolBuilder;
pub use snippet::Snippet;
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// What is to be inserted into a class.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Plan {
    methods: BTreeMap<usize, Vec<Insertion>>,
}

/// A piece of code and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Insertion {
    /// Where it goes. Of several at one place, those that were planned first run first.
    pub place: Place,
    /// What runs there. It must leave the stack as high as it was.
    pub snippet: Snippet,
    /// Who catches what it throws.
    pub protection: Protection,
}

/// Where code is inserted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// At the beginning of the method: once a call, also if jumps lead to the first instruction. No handler of the method
    /// catches what is thrown there.
    Entry,
    /// Where a handler of exceptions begins: when an exception leads there. The exception is on the stack.
    Handler(Pc),
    /// Before an instruction: whenever it is about to run, whether it is fallen or jumped into.
    Before(Pc),
    /// After an instruction: when it has run and goes on to the one that follows it; of a conditional jump, when it does not
    /// jump. After `jsr`, when the subroutine has come back.
    After(Pc),
}

/// Who catches what inserted code throws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Protection {
    /// The handlers that protect the instruction next to which it stands.
    #[default]
    AsInstruction,
    /// No handler of the method: protected ranges are split around the code. Handlers that do nothing but leave monitors and
    /// throw on, as compilers make them for `synchronized` blocks, stay in charge: they swallow nothing, and without
    /// them a monitor would stay locked.
    Outside,
}

impl Plan {
    /// Nothing is inserted.
    #[must_use]
    pub fn new() -> Plan {
        Plan::default()
    }

    /// Adds code to a method, by its position in [`ClassFile::methods`].
    pub fn insert(&mut self, method: usize, place: Place, snippet: Snippet) {
        self.push(method, Insertion { place, snippet, protection: Protection::AsInstruction });
    }

    /// Adds code to a method whose exceptions no handler of the method catches.
    pub fn insert_outside(&mut self, method: usize, place: Place, snippet: Snippet) {
        self.push(method, Insertion { place, snippet, protection: Protection::Outside });
    }

    /// Adds code to a method.
    pub fn push(&mut self, method: usize, insertion: Insertion) {
        self.methods.entry(method).or_default().push(insertion);
    }

    /// Whether there is nothing to insert.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }
}

/// A class with code inserted.
#[derive(Clone, PartialEq, Debug)]
pub struct Rewritten {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Methods of the plan that are as they were.
    pub untouched: Vec<Untouched>,
    /// Where the instructions of the other methods of the plan are now.
    pub moved: BTreeMap<usize, Moved>,
}

/// A method into which nothing could be inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Untouched {
    /// Its position in [`ClassFile::methods`].
    pub method: usize,
    /// What is in the way.
    pub why: Why,
}

/// Why a method is left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Why {
    /// Methods have at most 65,535 bytes of code.
    #[error("its code would have {0} bytes")]
    TooLong(u64),
    /// Conditional jumps reach 32,767 bytes.
    #[error("the conditional jump at {0} would not reach its target")]
    TooFar(Pc),
    /// A class has at most 65,534 constants.
    #[error("the class has no room for more constants")]
    PoolFull,
    /// A stack has at most 65,535 slots.
    #[error("its stack would be too large")]
    StackTooLarge,
    /// A method has at most 65,535 variables.
    #[error("it would have too many variables")]
    TooManyVariables,
    /// A method has at most 65,535 protected ranges.
    #[error("it would have too many protected ranges")]
    TooManyRanges,
    /// The code of a handler also runs without an exception, so that nothing can stand where it begins.
    #[error("the handler at {0} is also reached without an exception")]
    SharedHandler(Pc),
    /// Classes before Java 5 cannot push classes.
    #[error("its class is too old to name classes as values")]
    ClassConstant,
}

/// Where the instructions of a method are after rewriting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Old and new offsets, both ascending.
    pairs: Vec<(Pc, Pc)>,
}

impl Moved {
    /// Old and new offsets of all instructions, ascending.
    #[must_use]
    pub fn pairs(&self) -> &[(Pc, Pc)] {
        &self.pairs
    }

    /// Where an instruction is now; not the code that was inserted before it.
    #[must_use]
    pub fn new_pc(&self, old: Pc) -> Option<Pc> {
        let position = self.pairs.binary_search_by_key(&old, |pair| pair.0).ok()?;
        Some(self.pairs[position].1)
    }

    /// Where an instruction was; nothing for inserted code.
    #[must_use]
    pub fn old_pc(&self, new: Pc) -> Option<Pc> {
        let position = self.pairs.binary_search_by_key(&new, |pair| pair.1).ok()?;
        Some(self.pairs[position].0)
    }
}

/// A plan that does not fit its class, or no class at all.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RewriteError {
    /// The class cannot be read.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The class has fewer methods, or this one has no code.
    #[error("there is no code in a method {0}")]
    NoCode(usize),
    /// Nothing can be inserted there: no instruction, no handler, or nothing that goes on to the next instruction.
    #[error("method {method} has no such place as {place:?}")]
    NoSuchPlace {
        /// The method.
        method: usize,
        /// The place.
        place: Place,
    },
    /// The code would leave the stack higher or lower.
    #[error("what is inserted into method {method} at {place:?} changes the height of the stack by {by}")]
    Unbalanced {
        /// The method.
        method: usize,
        /// The place.
        place: Place,
        /// Slots.
        by: i64,
    },
    /// The code names something that cannot be written.
    #[error("malformed code to insert: {0}")]
    Snippet(Malformed),
}

/// Why a method is not rewritten.
pub(crate) enum Refused {
    /// The plan is wrong.
    Error(RewriteError),
    /// The format has no room.
    LeftAlone(Why),
}

impl From<Why> for Refused {
    fn from(why: Why) -> Refused {
        Refused::LeftAlone(why)
    }
}

/// Inserts code into a class.
pub fn rewrite(file: &[u8], plan: &Plan) -> Result<Rewritten, RewriteError> {
    let class = ClassFile::read(file)?;
    let mut pool = PoolBuilder::new(file, &class.pool);
    let mut changed: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let mut rewritten = Rewritten { bytes: Vec::new(), untouched: Vec::new(), moved: BTreeMap::new() };
    for (&method, insertions) in &plan.methods {
        let code = class.methods.get(method).and_then(|method| method.code.as_ref());
        let code: &Code = code.ok_or(RewriteError::NoCode(method))?;
        let mark = pool.mark();
        let job = method::Job { file, major: class.major, method, code, insertions };
        match job.rewrite(&mut pool) {
            Ok((attribute, moved)) => {
                changed.push((code.attribute.clone(), attribute));
                rewritten.moved.insert(method, moved);
            }
            Err(Refused::LeftAlone(why)) => {
                pool.forget(mark);
                rewritten.untouched.push(Untouched { method, why });
            }
            Err(Refused::Error(error)) => return Err(error),
        }
    }
    rewritten.bytes = assemble(file, &pool, &changed);
    Ok(rewritten)
}

/// The file with more constants and some parts replaced, which are in the order of the file.
fn assemble(file: &[u8], pool: &PoolBuilder<'_>, changed: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = pool.head();
    let mut copied = pool.end();
    for (span, replacement) in changed {
        bytes.extend_from_slice(&file[copied..span.start]);
        bytes.extend_from_slice(replacement);
        copied = span.end;
    }
    bytes.extend_from_slice(&file[copied..]);
    bytes
}
