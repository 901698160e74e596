//! What crosses the border between driver, worker and instrumented code.
//!
//! Jobs go to the worker's standard input and replies come back through a pipe, as frames: a length and a
//! postcard message. They are few (a discovery, a result), and what was written survives the writer. What
//! changes with every run, the number of the execution, is a word of shared memory ([`Counters`]): when a worker
//! dies, it tells which execution killed it.

pub mod abi;
mod frame;
mod shared;
pub mod symbolic;

pub use frame::{FrameError, decode, encode, read_frame, write_frame};
pub use shared::{Counters, SharedCounters};

use campaign::{CampaignResult, Event, Settings};
use input::{Input, RangeRule, Space, SpaceError, SpaceLimits};
use model::{FunctionId, Goal};
use serde::{Deserialize, Serialize};
use solver::{SmtAnswer, SmtLimits};
use std::path::PathBuf;
use target::{Observation, Outcome};

/// File descriptor on which a worker writes replies, until it has moved it out of the target's way.
pub const REPLY_FD: i32 = 1;
/// File descriptor of the shared counters when a worker starts.
pub const COUNTERS_FD: i32 = 2;
/// First argument of a worker that is to run a command in the sandbox instead. Behind it: how many seconds, the scratch
/// folder, files and folders that the command needs, `--`, the command.
pub const CONFINED: &str = "--confined";

/// How runs are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Isolation {
    /// In the worker where the function allows it, in forked children where it does not.
    #[default]
    Auto,
    /// Every run in a forked child.
    Fork,
}

/// What a worker is told when it starts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The instrumented shared object.
    pub image: PathBuf,
    /// A postcard file with the [`model::Program`].
    pub program: PathBuf,
    /// Folder the target may write to.
    pub scratch: PathBuf,
    /// How runs are kept apart.
    pub isolation: Isolation,
    /// Memory of the target lies elsewhere than in other workers.
    pub displaced: bool,
    /// Bytes the target's heap may hold.
    pub heap_bytes: u64,
    /// Milliseconds after which a run is stopped by the clock.
    pub run_millis: u64,
    /// Accesses outside of objects are looked for.
    pub find_errors: bool,
    /// The symbolic twins, if paths are wanted.
    pub twins: Option<Twins>,
}

/// [`Twins::choices`] unless told otherwise: a table with an entry for every value of `char`, whether it has a sign or not, like that of `isspace`.
pub const DEFAULT_CHOICES: u32 = 384;

/// Where the symbolic twins of an image are.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Twins {
    /// The shared object.
    pub object: PathBuf,
    /// A postcard file with a list of [`symbolic::LossSite`].
    pub sites: PathBuf,
    /// Cells of an object that a load or a store at an address of the input may choose from; in a larger object the
    /// address is taken as a number.
    pub choices: u32,
}

/// Work for a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Job {
    /// Search tests for a function.
    Campaign {
        /// Which function.
        function: FunctionId,
        /// How.
        settings: Box<Settings>,
        /// Inputs to try first.
        seeds: Vec<Input>,
    },
    /// Run given inputs and say what happens.
    Replay {
        /// Which function.
        function: FunctionId,
        /// Bounds of its input space.
        limits: SpaceLimits,
        /// The user's ranges.
        rules: Vec<RangeRule>,
        /// The inputs.
        inputs: Vec<Input>,
        /// Ticks after which a run is stopped.
        tick_limit: u64,
        /// Each is run a second time under strict watch, see [`target::Target::run_strictly`].
        watched: bool,
    },
    /// The answer to [`Reply::Ask`].
    Answer(SmtAnswer),
}

/// What a worker answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The image is loaded; what the sandbox enforces, in words.
    Ready {
        /// One line for each protection.
        enforced: Vec<String>,
    },
    /// Something happened in a campaign.
    Event(Event),
    /// A question for an SMT solver, which a confined process cannot start; answered by [`Job::Answer`].
    Ask {
        /// The script up to `(check-sat)`.
        script: String,
        /// The command that asks for the model.
        values: String,
        /// Bounds.
        limits: SmtLimits,
    },
    /// The campaign ended. The space comes along with what was learnt about initial values.
    Campaign(Box<Space>, Box<CampaignResult>),
    /// No inputs can be made for this function.
    Unsupported(SpaceError),
    /// One answer for each input.
    Replay(Vec<Replayed>),
    /// The worker could not do its work: in words.
    Failed(String),
}

/// What one replayed input did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Replayed {
    /// How it ended.
    pub outcome: Outcome,
    /// Goals of the function it reached.
    pub covers: Vec<Goal>,
    /// What it left behind.
    pub observation: Observation,
    /// Whether it called something whose result depends on the machine, see [`abi::ENVIRONMENT`].
    pub environment: bool,
    /// What was being called when it was stopped; empty after a normal end.
    pub calls: Calls,
    /// What was being called when a block was allocated that nothing leads to in the end. Only of watched runs.
    pub leaks: Vec<Calls>,
}

/// A stack of calls: code addresses relative to the start of the image, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Calls {
    /// From where the run was stopped outwards.
    pub inner: Vec<u64>,
    /// How many calls between the two are not listed: recursion goes deep.
    pub left_out: u64,
    /// The rest, up to the function under test.
    pub outer: Vec<u64>,
}
