//! How one function is worked on: which goal next, with how much budget, and what becomes of what is found.
//!
//! A campaign runs beside its target, inside the worker: a hop between processes would cost a thousand times
//! more than a run. It is deterministic: with a budget in executions no clock is read.

mod account;
mod concolic;
mod decisions;
mod function;
mod hybrid;
mod mutate;
mod portfolio;
mod retype;
mod scope;
mod session;
mod shapes;
mod shrink;
mod trial;

pub use decisions::{conclude_decisions, conclude_obligations};
pub use function::{Clock, run_function};
pub use hybrid::Connect;
pub use scope::{Reach, Scope, reached_functions};
pub use session::Session;
pub use trial::{SetBudget, Trial};

pub use goal::mcdc::{Progress, Selection, Variant, Want};
use input::{Input, RangeRule, SpaceLimits};
use model::Goal;
use serde::{Deserialize, Serialize};
use target::Outcome;

/// Name of the engine that searches and explores in turns: the default.
pub const HYBRID: &str = "hybrid";

/// An engine for the list of engines: name, one line, parameters as `(name, value, meaning)`.
pub type EngineEntry = (&'static str, &'static str, &'static [(&'static str, &'static str, &'static str)]);

/// Every engine, the default first.
#[must_use]
pub fn engines() -> Vec<EngineEntry> {
    let hybrid: EngineEntry =
        (HYBRID, "search and symbolic exploration in turns, each from what the other found", &[]);
    let searches = search::all().iter().map(|e| (e.name(), e.summary(), e.parameters()));
    let taken = |name: &str| search::by_name(name).is_some();
    let explorations = explore::all().iter().filter(|s| !taken(s.name()));
    let explorations = explorations.map(|s| (s.name(), s.summary(), s.parameters()));
    std::iter::once(hybrid).chain(searches).chain(explorations).collect()
}

/// Whether an engine needs the paths of runs as terms.
#[must_use]
pub fn is_symbolic(engine: &str) -> bool {
    search::by_name(engine).is_none()
}

/// How much work a function is worth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum Budget {
    /// So many runs of the function; a run in a process of its own counts as 50, one that hangs as 40,000,
    /// and every 64 values of a large input as one more.
    Executions(u64),
    /// So many seconds.
    Seconds(f64),
}

/// Order in which goals are attacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GoalOrder {
    /// Deepest first (AUSTIN): reaching it covers what lies on the way.
    #[default]
    ReverseBreadthFirst,
    /// As in the source.
    Source,
}

/// What tells a search how far a run is from a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Guidance {
    /// The branches that control the goal.
    #[default]
    Control,
    /// Beside them those that control the definitions of what it looks at: a search for each set of them, which share the goal's
    /// budget ([`goal::dependence`]).
    DataDependence,
}

/// Settings of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the search engine.
    pub engine: String,
    /// Seed of all randomness.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// Runs spent on one goal before it is given up; `None` shares the budget in growing rounds.
    pub goal_budget: Option<u64>,
    /// Order of goals.
    pub order: GoalOrder,
    /// Bounds on inputs.
    pub limits: SpaceLimits,
    /// The user's ranges for this function.
    pub rules: Vec<RangeRule>,
    /// Executions (by number) known to kill the worker: not run, reported as [`Outcome::WorkerDied`].
    pub skip: Vec<u64>,
    /// Goals proved impossible: not searched for.
    pub impossible: Vec<Goal>,
    /// The target can say which path a run took.
    pub traced: bool,
    /// The function depends on nothing but its input: it calls nothing whose result is not known as a term.
    pub closed: bool,
    /// The function begins a whole program, and the goals of all its functions count.
    pub whole: bool,
    /// Whose goals count beside its own.
    pub reach: Reach,
    /// What shows a condition of a decision, if the vectors of these are goals.
    pub mcdc: Variant,
    /// What alone is wanted; branch outcomes are not unless it says so.
    pub selection: Option<Selection>,
    /// What searches are guided by.
    pub guidance: Guidance,
    /// Instead of a campaign: goals searched for one by one, for experiments. No tests come of it.
    pub trial: Option<Trial>,
    /// Errors that the code checks for are wanted too: work goes on when all goals are covered.
    pub find_errors: bool,
    /// Tests stay as they were found: somebody else makes them small.
    pub keeps_values: bool,
}

/// Something worth telling at once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Event {
    /// An input reached goals no earlier one did.
    Discovery {
        /// The goals.
        goals: Vec<Goal>,
        /// The input.
        input: Input,
        /// Number of the execution.
        execution: u64,
    },
    /// How far the campaign is.
    Progress {
        /// Goals covered so far.
        covered: u32,
        /// Executions so far.
        executions: u64,
    },
}

/// A test before it was confirmed in a fresh process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// What it supplies.
    pub input: Input,
    /// How it ended.
    pub outcome: Outcome,
    /// Goals it reached.
    pub covers: Vec<Goal>,
}

/// An input that faults or hangs, before it was confirmed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// What supplies it.
    pub input: Input,
    /// What happened.
    pub outcome: Outcome,
    /// Goals it reached.
    pub reached: Vec<Goal>,
}

/// How a goal was first reached, or how close the search came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GoalRecord {
    /// The goal.
    pub goal: Goal,
    /// Execution that first reached it.
    pub execution: Option<u64>,
    /// It is worth reaching: not so a vector of a decision that would show nothing new.
    pub wanted: bool,
    /// Least approach level seen; `None` if no controlling branch was ever evaluated.
    pub level: Option<u32>,
}

/// The result of a campaign.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CampaignResult {
    /// Minimised and shrunk tests.
    pub tests: Vec<Candidate>,
    /// One input for each kind and place of fault.
    pub faults: Vec<Fault>,
    /// Every goal in source order.
    pub goals: Vec<GoalRecord>,
    /// Runs made.
    pub executions: u64,
    /// `(execution, goals covered)` whenever it rose.
    pub curve: Vec<(u64, u32)>,
    /// Goals that no path reaches: all paths were run.
    pub infeasible: Vec<Goal>,
    /// The precondition rejected every input that was tried.
    pub rejected: bool,
    /// Where the terms of paths lost precision, and how often.
    pub approximations: Vec<(String, u64)>,
    /// What symbolic exploration did, if it was asked.
    pub exploration: Option<suite::Exploration>,
    /// How goals with several dependence sets were searched for.
    pub sets: Vec<(Goal, suite::SetSearches)>,
}
