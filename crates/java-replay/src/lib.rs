//! Symbolic replay: a run of Java bytecode once more, with every value as a term over the input.
//!
//! The virtual machine runs the code with hooks and leaves a trace. Here the same bytecode is executed again, slot by slot, each value
//! concrete and, if it depends on the input, a term. Whatever this second execution cannot know by itself comes from the trace: what
//! code without hooks returned, what was in fields it never saw written, which method was called. Whatever it does know is compared with
//! the trace, and where they differ the replay ends with [`End::Diverged`] and keeps what came before.
//!
//! ```text
//! int f(int a, int[] b) {          decisions, with a = 2 and b = {0, 0, 7}
//!     if (b[a] == 7)                 NotNull holds          –
//!         return 1;                  Bounds holds           a < 3, without sign
//!     return 0;                      Index 2                a == 2
//! }                                  Jump to `return 1`     b₂ == 7
//! ```
//!
//! The heap is a mirror of the concrete one (M. den Hollander, *Automatic Unit Test Generation*, 2010, section 3.2): references, types
//! and callees are what they were in the run and no solver is asked about them.
//!
//! | file | holds |
//! |---|---|
//! | `program.rs` | classes, numbers of methods and jumps, subtypes |
//! | `machine.rs`, `frame.rs`, `heap.rs`, `value.rs` | the state of the execution and its loop |
//! | `events.rs`, `trace.rs` | comparison with the trace, identities of objects |
//! | `steps.rs` | the steps of a test, its values as variables |
//! | `ops/` | the instructions, a file a family |
//! | `models/` | methods of the library that are known |
//! | `quiet/`, `library.rs` | methods of the library that are executed though no trace tells of them |
//! | `record.rs`, `outcome.rs` | what is kept of a run and told |
//! | `left.rs` | what is left of the heap in the end |

mod arith;
mod events;
mod frame;
mod heap;
mod left;
mod library;
mod machine;
mod models;
mod ops;
mod outcome;
mod program;
mod quiet;
mod record;
mod steps;
mod trace;
mod value;

pub use heap::ObjectId;
pub use left::{Bits, Held, Left, Remains};
pub use outcome::{
    Access, Approximation, Check, Comparison, Decision, Edge, End, FieldName, Lack, Mismatch, Overflow,
    Place, Relation, Replayed, Way, What,
};
pub use program::{Class, Program};

use expr::{Terms, Variable};
use java_wire::message::{self, ClassFacts};
use java_wire::{Script, Value};

/// A run that is to be executed again.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The calls.
    pub script: &'a Script,
    /// A value for each slot.
    pub values: &'a [Value],
    /// For each slot its variables.
    pub variables: &'a [Symbols],
    /// What the full hooks wrote.
    pub trace: &'a [u32],
    /// The classes that the trace names by number, the first with number 1.
    pub classes: &'a [ClassFacts],
    /// How the run ended, if that is known. Not to be told if the trace was cut: then it ends earlier.
    pub end: Option<&'a message::End>,
}

/// The variables of a slot.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Symbols {
    /// One for a primitive or what is in a box, one a character or element. What has none is a constant. A variable has as many bits as its
    /// primitive, see [`java_wire::Primitive::bits`].
    pub cells: Vec<Variable>,
    /// The reference itself, of 64 bits: zero for null.
    pub reference: Option<Variable>,
    /// The length of an array plus one, of 64 bits, and the most that this can be.
    pub length: Option<(Variable, u32)>,
    /// The text ends where a zero is, or else with the last of its cells, which have 8 bits: the values of those from its end on. So its
    /// length hangs on the cells.
    pub behind: Option<Vec<u8>>,
}

impl From<Vec<Variable>> for Symbols {
    fn from(cells: Vec<Variable>) -> Symbols {
        Symbols { cells, ..Symbols::default() }
    }
}

/// How a run is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What becomes of indices that depend on the input.
    pub arrays: Arrays,
    /// Decisions that are kept. Default: 1,000,000.
    pub decisions: usize,
    /// Whether the steps from one instruction to another are kept. Default: no.
    pub edges: bool,
    /// Whether methods of the library are executed, if the [`Program`] has one. Default: no.
    pub library: bool,
    /// Whether it is told what the steps leave. Default: no.
    pub state: bool,
    /// Whether comparisons of integers also decide how near their operands are. Default: no.
    pub boundaries: bool,
    /// Whether results that `int` and `long` do not hold are looked for. Default: no.
    pub overflow: bool,
    /// Whether it is told which texts are compared in vain. Default: no.
    pub comparisons: bool,
}

/// What becomes of indices that depend on the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrays {
    /// An index is pinned to what it was: the same path is explored once an index.
    Simulation,
    /// Elements of primitive arrays up to this length are chosen by the solver. Of longer ones, and of arrays with elements that
    /// the run has not shown, the index is pinned.
    Reasoning {
        /// Longest array.
        longest: u32,
    },
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            arrays: Arrays::Simulation,
            decisions: 1_000_000,
            edges: false,
            library: false,
            state: false,
            boundaries: false,
            overflow: false,
            comparisons: false,
        }
    }
}

/// Executes a run again.
#[must_use]
pub fn replay(program: &Program, run: &Run<'_>, settings: &Settings, terms: &mut Terms) -> Replayed {
    machine::Machine::new(program, run, settings, terms).run()
}
