//! Tests with their observed results, and what became of every goal.
//!
//! This crate does not know how tests were found, nor in which format they will be written.

mod decision;
mod findings;
mod minimise;
mod name;
mod program;

pub use decision::{ConditionResult, Coupling, DecisionResult, ObligationResult, VectorResult};
pub use findings::tell_once;
pub use minimise::minimise;
pub use name::{decision_of, name_tests, vector_letters};
pub use program::{HarnessValue, NotRun, Plain, ProgramEnd, ProgramTest, ValueKind};

use input::{Input, Space, SpaceError};
use model::{FunctionId, Goal};
use serde::{Deserialize, Serialize};
use target::{Observation, Outcome};

/// A finished test of one function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestCase {
    /// Unique in the function: `triangle_line_14_true`.
    pub name: String,
    /// What it supplies.
    pub input: Input,
    /// How the run ends: it returns, exits or aborts.
    pub outcome: Outcome,
    /// What was observed, unstable parts marked.
    pub observation: Observation,
    /// All goals it reaches, those of called functions included, sorted.
    pub covers: Vec<Goal>,
    /// The goals of its own function it is in the suite for: no earlier test reaches them.
    pub purpose: Vec<Goal>,
    /// Where blocks are allocated that the function loses on the way, `file:line`, each place once.
    pub leaks: Vec<String>,
    /// What C leaves undefined on the way, in words: what the test expects is what one compiler made of it.
    pub undefined: Option<String>,
    /// What there is instead of input, outcome and observation where a test is a sequence of calls.
    #[serde(default)]
    pub calls: Option<TestCalls>,
}

/// A test of a language whose tests are sequences of calls: Java.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TestCalls {
    /// The statements, in order.
    pub statements: Vec<String>,
    /// How the last of them ends, in words.
    pub end: String,
    /// What it gives, as an expression, if that has one.
    pub result: Option<String>,
}

/// An input on which the function faults, hangs or loses memory.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What supplies it.
    pub input: Input,
    /// What happens.
    pub outcome: Outcome,
    /// Source position of the fault, `file:line`, if known; of a leak that of the allocation.
    pub place: Option<String>,
    /// Calls from the fault up to the function under test, innermost first, as `function (file:line)`; of
    /// recursion, once and how often.
    pub stack: Vec<String>,
    /// Goals that no passing test reaches, but inputs with this fault do, this one or others.
    pub reaches: Vec<Goal>,
    /// What of the input is at fault, if that is known.
    #[serde(default)]
    pub culprit: Option<Culprit>,
    /// Other functions whose inputs show the same, see [`tell_once`].
    #[serde(default)]
    pub also: Vec<String>,
    /// What there is instead of an input where that is a sequence of calls.
    #[serde(default)]
    pub calls: Option<Calls>,
}

/// A finding of a language whose tests are sequences of calls: Java.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Calls {
    /// What happens, in words: the outcome knows less.
    pub what: String,
    /// The statements, in order.
    pub statements: Vec<String>,
    /// The file in the output folder that repeats it.
    pub reproducer: Option<String>,
}

/// The part of an input that a fault hangs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Culprit {
    /// A null pointer that is followed: with an object behind it the fault is gone.
    Null {
        /// Index of the object that holds it.
        object: u32,
        /// Which cell of that.
        cell: u32,
    },
    /// An object behind whose end something is.
    End {
        /// Index of the object.
        object: u32,
    },
    /// A number that says how long an object is: the fault comes with it.
    Length {
        /// Index of the object.
        object: u32,
        /// Index of the object that holds the number.
        holder: u32,
        /// Which cell of that.
        cell: u32,
        /// It counts bytes and not elements.
        in_bytes: bool,
    },
}

/// What became of one goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum GoalState {
    /// A test reaches it, perhaps one of another function: see [`TestCase::covers`].
    Covered {
        /// Engine that found it.
        engine: String,
        /// Execution at which it was first reached.
        execution: u64,
    },
    /// It cannot be reached.
    Infeasible(Proof),
    /// It was not reached, and this is what stopped us.
    Unknown(Reason),
}

/// Why a goal cannot be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Proof {
    /// The condition is not decided at run time: the operand of a `sizeof`, or folded by the compiler.
    NeverEvaluated,
    /// The optimiser proved the outcome unreachable.
    Optimiser,
    /// Every path through the function was run.
    AllPaths,
    /// It is what a Java assertion does when assertions are off, and tests have them on.
    AssertionsOn,
}

/// Why a goal was not reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Reason {
    /// The budget ran out.
    Budget {
        /// Controlling branches still missing at the best try; `None` if none was ever evaluated.
        level: Option<u32>,
    },
    /// Only inputs that fault or hang reach it: index into the function's findings.
    OnlyByFinding(usize),
    /// The function takes something no value can be made for.
    Unsupported(SpaceError),
    /// The only tests that reach it did not repeat themselves in a fresh process.
    Unstable,
    /// The only runs that reach it ask the machine something: files, network, time, processes.
    Environment,
    /// No input was found that satisfies the precondition of its function.
    Precondition,
    /// The tests that reach it were left out: those of a whole program, see [`Plain`]; those of Java code that do not compile.
    LeftOut,
    /// Only obligations were asked for, and it is none of them.
    NotAsked,
    /// No test can call its function, for the reason that is told.
    NotCallable(String),
    /// It was decided once, before any test did something, as is told.
    Settled(String),
    /// No object was made that its function could be called on, as is told.
    NoObject(String),
    /// No run came to its function, because of an earlier step, as is told.
    EarlierStep(String),
    /// Nobody sees what its class does, as is told.
    NotWatched(String),
    /// The worker could not go on.
    WorkerFailed(String),
}

/// All that was found out about one function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionResult {
    /// Which function.
    pub function: FunctionId,
    /// Where its inputs come from; `None` if unsupported.
    pub space: Option<Space>,
    /// Every goal in source order.
    pub goals: Vec<(Goal, GoalState)>,
    /// The tests.
    pub tests: Vec<TestCase>,
    /// Faults, hangs and leaks, each kind and place once.
    pub findings: Vec<Finding>,
    /// What would be findings if a number did not say how long an array is: no caller is expected to pass a shorter one.
    #[serde(default)]
    pub assumed: Vec<Finding>,
    /// What the tests show of its decisions, in their order; empty unless their vectors are goals.
    #[serde(default)]
    pub decisions: Vec<DecisionResult>,
    /// If only obligations were asked for: what became of them, by decision.
    #[serde(default)]
    pub obligations: Vec<ObligationResult>,
    /// Runs of the function.
    pub executions: u64,
    /// Time spent.
    pub seconds: f64,
    /// Seed of the search.
    pub seed: u64,
    /// Covered goals over executions: `(execution, goals covered)`.
    pub curve: Vec<(u64, u32)>,
    /// Things observed once that did not repeat: in words.
    pub unstable: Vec<String>,
    /// Approximations made, with counts: `("array cut at 4096 leaves", 1)`.
    pub approximations: Vec<(String, u64)>,
    /// What symbolic exploration did, if it was asked.
    #[serde(default)]
    pub exploration: Option<Exploration>,
    /// How goals with several dependence sets were searched for, if data guides searches.
    #[serde(default)]
    pub sets: Vec<(Goal, SetSearches)>,
}

/// The searches for a goal by each of its dependence sets; they share what the goal has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SetSearches {
    /// Runs by set; the first set is the goal's control dependence alone.
    pub runs: Vec<u64>,
    /// The set that led there.
    pub found_by: Option<usize>,
}

/// What symbolic exploration did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Exploration {
    /// Runs whose path was recorded.
    pub traced: u64,
    /// Different paths among them.
    pub paths: u64,
    /// All paths were run: what no run reached is infeasible.
    pub complete: bool,
    /// Runs that did not do what the solver's answer should make them do.
    pub divergences: u64,
    /// Questions that nobody could answer.
    pub unknown: u64,
    /// What became of the questions.
    pub layers: Vec<LayerAccount>,
    /// Where precision was lost, `file:line: what`, and how often; the worst first.
    pub losses: Vec<(String, u64)>,
    /// Runs of all kinds until the search ended, and the seconds they took with everything around them; what makes
    /// tests of what was found comes after.
    pub search_executions: u64,
    /// See [`Exploration::search_executions`].
    pub search_seconds: f64,
    /// What all of it was charged to a budget in executions: a recorded run, a slow one or a question to the solver costs as
    /// many as take the same time.
    pub charged: u64,
    /// The part of it that questions were charged.
    pub charged_for_solving: u64,
}

/// What one layer of the solver did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LayerAccount {
    /// Its name.
    pub layer: String,
    /// Questions it was asked.
    pub asked: u64,
    /// Those it answered with values.
    pub sat: u64,
    /// Those it answered with a proof that there are none.
    pub unsat: u64,
    /// Time it took.
    pub seconds: f64,
}

impl FunctionResult {
    /// Goals covered, infeasible and unknown.
    #[must_use]
    pub fn tally(&self) -> (usize, usize, usize) {
        self.goals.iter().fold((0, 0, 0), |(covered, infeasible, unknown), (_, state)| match state {
            GoalState::Covered { .. } => (covered + 1, infeasible, unknown),
            GoalState::Infeasible(_) => (covered, infeasible + 1, unknown),
            GoalState::Unknown(_) => (covered, infeasible, unknown + 1),
        })
    }
}
