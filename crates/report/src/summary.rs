//! The types behind `summary.json`, field by field as documented in `docs/SUMMARY.md`.
//!
//! They mirror the core types and change only together with [`VERSION`].

use crate::candidates::CandidatesSummary;
use crate::graph::ObjectSummary;
use crate::making::MakingSummary;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the format: raised when a field changes its meaning or disappears.
pub const VERSION: u32 = 1;

/// A whole run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the format.
    pub version: u32,
    /// Name and version of the tool.
    pub tool: String,
    /// Command line of the run.
    pub command: String,
    /// How the run was made.
    pub settings: SettingsSummary,
    /// Compiled files.
    pub units: Vec<UnitSummary>,
    /// Sums over all functions.
    pub totals: Totals,
    /// How the tests came about, where the search tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<MakingSummary>,
    /// Functions called but defined nowhere.
    pub undefined: Vec<String>,
    /// Functions and variables that stubs stand in for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stubs: Vec<String>,
    /// What of the input could not be worked with, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The functions in the order they were worked on.
    pub functions: Vec<FunctionSummary>,
    /// The tests of a whole program; the functions then have none of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramSummary>,
}

/// The run of a whole program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProgramSummary {
    /// The tests; goals name those that reach them.
    pub tests: Vec<ProgramTestSummary>,
    /// Tests that were left out because the plain program ends otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ProgramTestSummary>,
    /// What the plain program does with tests, and with how many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plain: Vec<PlainCount>,
    /// Faults and hangs.
    pub findings: Vec<ProgramFinding>,
    /// Runs.
    pub executions: u64,
    /// Time; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seed of the search.
    pub seed: u64,
    /// `[execution, goals covered]`.
    pub curve: Vec<(u64, u32)>,
    /// What did not repeat itself.
    pub unstable: Vec<String>,
    /// Approximations made on the way.
    pub approximations: Vec<Approximation>,
    /// What symbolic exploration did, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationSummary>,
}

/// Something that the plain program does with tests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlainCount {
    /// `same`, `output-differs`, `end-differs`, `timed-out`, or why they were not run.
    pub plain: String,
    /// The same in words.
    pub why: String,
    /// How many tests.
    pub count: usize,
}

/// A test of a whole program. Bytes are written as string literals of C, long ones not to their end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramTestSummary {
    /// Its name, also of its folder.
    pub name: String,
    /// Arguments behind the name of the program.
    pub arguments: Vec<String>,
    /// Standard input, if it plays a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Files that are there when it starts.
    pub files: Vec<Input>,
    /// What a harness is asked for, in order.
    pub values: Vec<Input>,
    /// How it ends, in words.
    pub end: String,
    /// What it prints; absent if that is not the same every time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// What the plain program does with it, see [`PlainCount`]; absent for findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
    /// Number of goals it reaches.
    pub covers: usize,
}

/// Something with a name that goes into a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Name of the file, name or type of the value.
    pub name: String,
    /// Its contents.
    pub value: String,
}

/// An input on which a whole program faults or hangs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramFinding {
    /// What goes in.
    #[serde(flatten)]
    pub test: ProgramTestSummary,
    /// What happens, in words.
    pub what: String,
    /// `file:line`, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Stack, innermost first.
    pub stack: Vec<String>,
    /// Number of goals reached on the way that no test reaches.
    pub reaches: usize,
}

/// How the run was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SettingsSummary {
    /// Engine.
    pub engine: String,
    /// Coverage criterion.
    pub criterion: String,
    /// What shows a condition of a decision, if these are goals: `unique-cause`, `masking`, `unique-cause+masking`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcdc: Option<String>,
    /// The file of obligations, if only those were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligations: Option<String>,
    /// Budget per function, as the user wrote it.
    pub budget: String,
    /// Seed.
    pub seed: u64,
}

/// A compiled file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitSummary {
    /// Path of the source.
    pub path: String,
    /// Its test binary is `test_<stem>`.
    pub stem: String,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Folder of the compilation.
    pub directory: String,
}

/// Sums over all functions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Number of functions.
    pub functions: usize,
    /// Goals by state.
    pub goals: GoalTally,
    /// Conditions of decisions by state, if these are goals: covered is what two tests show to decide on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<GoalTally>,
    /// Outcomes of all conditions by state, if decisions are goals: condition coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_outcomes: Option<GoalTally>,
    /// Outcomes of all decisions by state, those of a single condition too, if decisions are goals: decision coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_outcomes: Option<GoalTally>,
    /// Vectors that alone were asked for, by state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obligations: Option<GoalTally>,
    /// Tests.
    pub tests: usize,
    /// Faults and hangs.
    pub findings: usize,
    /// Runs.
    pub executions: u64,
    /// Time; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Goals by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GoalTally {
    /// All goals.
    pub total: usize,
    /// Reached by a test.
    pub covered: usize,
    /// Proven unreachable.
    pub infeasible: usize,
    /// Neither.
    pub unknown: usize,
}

/// One function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FunctionSummary {
    /// Name in the source.
    pub name: String,
    /// File that holds the definition.
    pub file: String,
    /// First line of the definition.
    pub line: u32,
    /// Last line of the definition.
    pub end_line: u32,
    /// Not visible outside its file.
    #[serde(rename = "static")]
    pub is_static: bool,
    /// Goals by state.
    pub tally: GoalTally,
    /// How many goals are unknown for which reason.
    pub unknown_reasons: BTreeMap<String, usize>,
    /// Every goal: for each branch in source order first true, then false.
    pub goals: Vec<GoalSummary>,
    /// The tests.
    pub tests: Vec<TestSummary>,
    /// Faults and hangs.
    pub findings: Vec<FindingSummary>,
    /// Conditions that callers are taken to keep, because the function uses a number as the length of an array:
    /// `elements(buffer) >= length`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Decisions of several conditions, if they are goals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionSummary>,
    /// What became of the vectors that alone were asked for, by decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obligations: Vec<ObligationSummary>,
    /// Decisions that no tests are made for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutSummary>,
    /// Assertions of the source that fail in tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<AssertionSummary>,
    /// Runs.
    pub executions: u64,
    /// Time; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Seed of this function's search.
    pub seed: u64,
    /// `[execution, goals covered]`.
    pub curve: Vec<(u64, u32)>,
    /// What did not repeat itself.
    pub unstable: Vec<String>,
    /// Approximations made on the way.
    pub approximations: Vec<Approximation>,
    /// What symbolic exploration did, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationSummary>,
    /// What became of its candidate sequences of calls, where such are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<CandidatesSummary>,
    /// How goals with several dependence sets were searched for, if data guides searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependence_sets: Vec<SetsSummary>,
}

/// The searches for a goal by each of its dependence sets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SetsSummary {
    /// Line of the condition.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The outcome, `true` or `false`, or the vector of the decision, `TF-`.
    pub goal: String,
    /// Runs by set; the first set is the goal's control dependence alone.
    pub runs: Vec<u64>,
    /// Number of the set, from 0, whose search reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<usize>,
}

/// A decision of several conditions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DecisionSummary {
    /// From its first condition to its last.
    pub place: Place,
    /// The source text there.
    pub text: String,
    /// The judge counts it too.
    pub confirmable: bool,
    /// It has `&` or `|` of truth values, so that llvm-cov counts none of their conditions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bitwise: bool,
    /// Not all ways through it are told apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Its conditions in the order of their evaluation.
    pub conditions: Vec<ConditionSummary>,
    /// The vectors that tests have, and those that no input has.
    pub vectors: Vec<VectorSummary>,
}

/// A decision that no tests are made for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LeftOutSummary {
    /// Where it stands.
    pub place: Place,
    /// The source text there.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// A condition of a decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConditionSummary {
    /// Its name in reports: `A`.
    pub letter: String,
    /// Which branch of the function it is, see [`GoalSummary::branch`]; none if it is constant or an operand of `&` or `|`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<usize>,
    /// Where it stands, if it is no branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its value, if it is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The source text.
    pub text: String,
    /// Covered if it is shown to decide the outcome on its own.
    pub state: State,
    /// The vectors that show it, by their numbers from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<[usize; 2]>,
    /// Why it is not shown, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What was asked of a decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ObligationSummary {
    /// The decision.
    pub place: Place,
    /// The source text there.
    pub text: String,
    /// The vectors.
    pub wanted: Vec<WantedSummary>,
}

/// A vector that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WantedSummary {
    /// As in [`VectorSummary::values`].
    pub values: String,
    /// The outcome of the decision.
    pub outcome: bool,
    /// What became of it.
    pub state: State,
    /// The tests that have it.
    pub tests: Vec<String>,
}

/// What an evaluation of a decision says about its conditions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VectorSummary {
    /// A letter for each condition: `T`, `F`, `C` if it is constant, or `-` if it was not evaluated.
    pub values: String,
    /// The outcome of the decision.
    pub outcome: bool,
    /// The tests that have it.
    pub tests: Vec<String>,
    /// No input has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub infeasible: bool,
}

/// A range of source text; columns count bytes from 1, the end is one past the last character.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Path of the file.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
}

/// What became of a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Reached by a test.
    Covered,
    /// Proven unreachable.
    Infeasible,
    /// Neither.
    Unknown,
    /// Of a condition: the compiler knows its value, so that nothing can be shown.
    Constant,
}

/// One outcome of one branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GoalSummary {
    /// Number of the branch in its function, from 0.
    pub branch: usize,
    /// `condition`, `case`, `default`, `no-default`, `target` or `unevaluated`.
    pub kind: String,
    /// The condition or label.
    #[serde(flatten)]
    pub place: Place,
    /// The wanted outcome.
    pub outcome: bool,
    /// Where the outermost macro expansion stands, if the condition comes from a macro.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expansion: Option<Place>,
    /// What became of it.
    pub state: State,
    /// `budget`, `finding`, `unsupported`, `unstable`, `environment`, `left-out`, `worker`, `never-evaluated`, `optimiser` or
    /// `all-paths`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Index of the finding that alone reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<usize>,
    /// Names of all tests of the run that reach it.
    pub tests: Vec<String>,
    /// Engine that first reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Execution at which it was first reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<u64>,
}

/// A test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TestSummary {
    /// Its name.
    pub name: String,
    /// Inputs: `a = 3, p = {1, 2}`.
    pub inputs: String,
    /// How it ends, in words.
    pub outcome: String,
    /// Whether it ends its process (`exit`, `abort`, a failed `assert`) instead of returning.
    pub death: bool,
    /// The observed result, if there is one that can be written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Number of goals it reaches in its own function.
    pub covers: usize,
}

/// An assertion of the source that fails in a test which expects that.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AssertionSummary {
    /// `file:line`.
    pub place: String,
    /// What is asserted, as far as it stands on that line.
    pub condition: String,
    /// Name of the test.
    pub test: String,
}

/// A fault or a hang.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FindingSummary {
    /// What happens, in words.
    pub what: String,
    /// `file:line`, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Inputs; of Java, the calls.
    pub inputs: String,
    /// The calls one by one, where a test is a sequence of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// The file in the output folder that repeats it, where its name does not follow from the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproducer: Option<String>,
    /// Stack, innermost first.
    pub stack: Vec<String>,
    /// Number of goals reached on the way that no test reaches.
    pub reaches: usize,
    /// Other functions whose inputs show the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What the author is asked: whether a precondition is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The input as a graph, if there are pointers in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectSummary>,
    /// A precondition that would rule it out, as an expression for `requires`, where that is evident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precondition: Option<String>,
}

/// An approximation and how often it was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Approximation {
    /// What was done.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// What symbolic exploration did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExplorationSummary {
    /// Runs whose path was recorded.
    pub traced: u64,
    /// Different paths among them.
    pub paths: u64,
    /// Whether all paths were run.
    pub complete: bool,
    /// Runs that did not do what the solver's answer should make them do.
    pub divergences: u64,
    /// Questions that nobody could answer.
    pub unknown: u64,
    /// The layers of the solver, in the order in which they are asked.
    pub layers: Vec<LayerSummary>,
    /// Where precision was lost, `file:line: what`, the worst first.
    pub losses: Vec<Approximation>,
    /// Runs of all kinds until the search ended.
    pub search_executions: u64,
    /// Time until then; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_seconds: Option<f64>,
    /// What all of it was charged to a budget in executions.
    pub charged: u64,
    /// The part of it that questions to the solver were charged.
    pub charged_for_solving: u64,
}

/// What one layer of the solver did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayerSummary {
    /// Its name.
    pub layer: String,
    /// Questions it was asked.
    pub asked: u64,
    /// Those it answered with values.
    pub sat: u64,
    /// Those it answered with a proof that there are none.
    pub unsat: u64,
    /// Time; absent in a reproducible summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl ExplorationSummary {
    /// Leaves out all times.
    pub(crate) fn without_times(&mut self) {
        self.search_seconds = None;
        self.layers.iter_mut().for_each(|layer| layer.seconds = None);
    }
}

impl Summary {
    /// As indented JSON with a final newline.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("strings, numbers and lists always serialise");
        text.push('\n');
        text
    }
}

impl GoalTally {
    /// Share of covered goals as `100.0%`, rounded down so that only full coverage reads as such.
    #[must_use]
    pub fn percent(&self) -> String {
        if self.total == 0 {
            return "–".to_owned();
        }
        let tenths = self.covered as u128 * 1000 / self.total as u128;
        format!("{}.{}%", tenths / 10, tenths % 10)
    }

    /// The goals of functions of which at least one goal is reached.
    #[must_use]
    pub fn of_reached(functions: &[FunctionSummary]) -> GoalTally {
        let mut sum = GoalTally::default();
        functions.iter().filter(|f| f.tally.covered > 0).for_each(|f| sum.add(f.tally));
        sum
    }

    /// Adds another tally.
    pub(crate) fn add(&mut self, other: GoalTally) {
        self.total += other.total;
        self.covered += other.covered;
        self.infeasible += other.infeasible;
        self.unknown += other.unknown;
    }
}

impl GoalSummary {
    /// Where a reader of the function sees the branch: the macro's use, or the condition itself.
    #[must_use]
    pub fn visible(&self) -> &Place {
        self.expansion.as_ref().unwrap_or(&self.place)
    }
}
