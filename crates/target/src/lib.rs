//! The one door between the languages and everything else.
//!
//! A [`Target`] runs one function on one input and says what happened: the [`Outcome`], per branch outcome
//! the smallest distance seen, and on request what there is to observe for an oracle.

mod path;

pub use path::{Approximation, Decision, Missing, Path, Use, UseKind, Way};

use input::{Input, Space};
use model::{BranchId, Check, FunctionId, Goal, Program};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::mem::{Discriminant, discriminant};

/// Smallest distance of a branch outcome in one run: 0 exactly when the outcome happened.
pub type Distance = u128;

/// The distance of a branch that was not evaluated.
pub const NOT_EVALUATED: Distance = Distance::MAX;

/// In place of a variable: the length of this object is none, see [`Target::trace`].
pub const NO_LENGTH: u32 = u32::MAX;

/// Something that can run functions of a program.
pub trait Target {
    /// The program.
    fn program(&self) -> &Program;

    /// Chooses the function for the next runs and the space its inputs come from.
    fn select(&mut self, function: FunctionId, space: &Space);

    /// Runs the selected function. All state of the target is as after loading, whatever ran before.
    fn run(&mut self, input: &Input) -> Outcome;

    /// The same where memory is watched: the objects of the input stand at other places, so that what a run finds before
    /// the start of one is not what [`Target::run`] lets it find there, and an access behind a block of the heap, or to
    /// what was freed, is a fault.
    fn run_strictly(&mut self, input: &Input) -> Outcome {
        self.run(input)
    }

    /// Branches evaluated by the last run, each once, in order of first evaluation.
    fn touched(&self) -> &[BranchId];

    /// Smallest distance of the last run to `goal`, or [`NOT_EVALUATED`].
    fn distance(&self, goal: Goal) -> Distance;

    /// Work done by the last run: loop iterations and calls.
    fn ticks(&self) -> u64;

    /// What the last run counts against a budget of executions: 1, or more where runs are far slower.
    fn cost(&self) -> u64 {
        1
    }

    /// How many runs of a small native function take as long as one run here. Budgets count runs, and what else is done is charged in
    /// runs, too: it costs less where these are slower.
    fn weight(&self) -> u64 {
        1
    }

    /// Sets the work after which a run is stopped with [`Outcome::OutOfTicks`].
    fn set_tick_limit(&mut self, ticks: u64);

    /// What the last run returned and left behind.
    fn observe(&mut self) -> Observation;

    /// Runs the selected function like [`Target::run`] and says which path it took. `names` has the variable of every
    /// cell of the input, one object after the other; behind them may stand that of the length of every object, or
    /// [`NO_LENGTH`]. The value of a pointer is an address, see
    /// [`Target::addresses`]. `None` if the target cannot.
    fn trace(&mut self, input: &Input, names: &[u32], terms: &mut expr::Terms) -> Option<(Outcome, Path)> {
        let _ = (input, names, terms);
        None
    }

    /// Where the objects of an input are when it is run; 0 for what is nowhere.
    fn addresses(&mut self, input: &Input) -> Vec<u64> {
        vec![0; input.objects.len()]
    }

    /// What is lost at one of the places of [`Path::losses`], in words: `lib/dfa.c:638: load`.
    fn loss(&self, place: u32) -> Option<String> {
        let _ = place;
        None
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// The function returned.
    Returned,
    /// The target called `exit` or a relative with this status.
    Exited(i32),
    /// `abort`, or a failed `assert`.
    Aborted,
    /// The user ruled this input out: an assumption does not hold.
    Rejected,
    /// It goes another way when the objects of the input stand elsewhere, or when there is more memory, so no test can rely
    /// on it.
    Unsteady,
    /// A fault.
    Crashed(Crash),
    /// Stopped by the tick limit: an endless loop or recursion, or very long work.
    OutOfTicks,
    /// Stopped by the clock: it waited or worked where no tick is counted.
    TimedOut,
    /// The worker process died of it or was damaged beyond repair.
    WorkerDied,
}

impl Outcome {
    /// Whether a test can have this outcome: it returns, or ends its process in a defined way.
    #[must_use]
    pub fn is_testable(self) -> bool {
        matches!(self, Outcome::Returned | Outcome::Exited(_) | Outcome::Aborted)
    }

    /// The sort of outcome, wherever it happened: faults of one sort are of one kind and touched the same sort of memory.
    #[must_use]
    pub fn class(self) -> OutcomeClass {
        let crash = match self {
            Outcome::Crashed(crash) => Some((crash.kind, discriminant(&crash.access))),
            _ => None,
        };
        (discriminant(&self), crash)
    }
}

/// What makes two outcomes of one sort, see [`Outcome::class`].
pub type OutcomeClass = (Discriminant<Outcome>, Option<(CrashKind, Discriminant<Access>)>);

/// A fault and where it happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Crash {
    /// What kind.
    pub kind: CrashKind,
    /// Code address relative to the start of the target's image; 0 if unknown.
    pub site: u64,
    /// What memory was touched.
    pub access: Access,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum CrashKind {
    /// SIGSEGV.
    Segmentation,
    /// SIGBUS.
    Bus,
    /// SIGFPE: integer division by zero or overflow.
    Arithmetic,
    /// SIGILL, or a trap instruction.
    Illegal,
    /// The stack ran out.
    StackOverflow,
    /// Memory ran out: of languages whose machines say so.
    OutOfMemory,
    /// A class or native code cannot be used: it is missing, refused, or fails to get ready.
    Unusable,
    /// A call to a function that is defined nowhere: index into [`Program::undefined`].
    Undefined(u32),
    /// A check for an error failed.
    Check(Check),
    /// The heap is misused.
    Heap(HeapError),
    /// A function was called though its precondition does not hold: number of the [`model::Clause`].
    Contract(u32),
    /// Another signal.
    Signal(i32),
}

/// Ways to misuse the heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum HeapError {
    /// A block, or an object of the input, is touched after it was freed.
    UseAfterFree,
    /// It is freed again.
    DoubleFree,
    /// Something is freed that was never allocated.
    BadFree,
    /// A block that nothing leads to any more when the function returns. No fault: the crash is where it was allocated.
    Leak,
}

/// What a faulting instruction tried to touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Access {
    /// Not a memory access, or unknown.
    None,
    /// Close to address zero: a null pointer was followed.
    Null,
    /// Behind the end of an object of the input.
    Beyond {
        /// Index of the object in the input.
        object: u32,
        /// Byte offset from the start of the object.
        offset: u64,
    },
    /// Somewhere else.
    Wild,
}

/// What can be seen after a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Observation {
    /// Raw cells of the result in the order of its type's leaves (unions: first member); empty for `void`.
    pub result: Vec<Seen>,
    /// For every object of the input, its cells after the run, in the order of the input.
    pub objects: Vec<Vec<Seen>>,
    /// The objects of the input that were freed, by index, in order.
    pub freed: Vec<u32>,
    /// What was written to standard output, cut at 64 KiB; `None` if that differs from process to process.
    pub stdout: Option<Vec<u8>>,
}

/// A cell after a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Seen {
    /// A number: the raw bits.
    Bits(u128),
    /// A null pointer.
    Null,
    /// A pointer into an object of the input.
    Element {
        /// Index of the object.
        object: u32,
        /// Which element.
        element: u32,
    },
    /// A pointer to something the input does not name.
    Elsewhere,
    /// A pointer into memory that the run allocated.
    Allocated,
    /// Not the same in every run: nothing can be asserted.
    Unstable,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Returned => f.write_str("returned"),
            Outcome::Exited(status) => write!(f, "exited with status {status}"),
            Outcome::Aborted => f.write_str("aborted"),
            Outcome::Rejected => f.write_str("an assumption does not hold"),
            Outcome::Unsteady => {
                f.write_str("depends on where objects stand in memory, or on how much there is")
            }
            Outcome::Crashed(crash) => write!(f, "{}", crash.kind),
            Outcome::OutOfTicks => f.write_str("did not end within the tick limit"),
            Outcome::TimedOut => f.write_str("did not end in time"),
            Outcome::WorkerDied => f.write_str("killed its process"),
        }
    }
}

impl fmt::Display for CrashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrashKind::Segmentation => f.write_str("segmentation fault"),
            CrashKind::Bus => f.write_str("bus error"),
            CrashKind::Arithmetic => f.write_str("arithmetic fault"),
            CrashKind::Illegal => f.write_str("illegal instruction"),
            CrashKind::StackOverflow => f.write_str("stack overflow"),
            CrashKind::OutOfMemory => f.write_str("out of memory"),
            CrashKind::Unusable => f.write_str("a class cannot be used"),
            CrashKind::Undefined(_) => f.write_str("call of an undefined function"),
            CrashKind::Check(check) => write!(f, "{check}"),
            CrashKind::Heap(error) => write!(f, "{error}"),
            CrashKind::Contract(_) => f.write_str("broken precondition"),
            CrashKind::Signal(n) => write!(f, "signal {n}"),
        }
    }
}

impl fmt::Display for HeapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HeapError::UseAfterFree => "use after free",
            HeapError::DoubleFree => "double free",
            HeapError::BadFree => "free of what was never allocated",
            HeapError::Leak => "memory leak",
        })
    }
}
