//! What a run found, for people and for programs: terminal table, `summary.json`, `lcov.info`, `report.html`.
//!
//! Everything here is a pure function of data. Core types are first turned into a [`Summary`], whose serde form
//! is the documented `summary.json`; the other reports are written from it, so that all of them tell the same
//! story. This crate knows no engine, no worker and no file system.

mod assertions;
mod candidates;
mod compare;
mod decisions;
mod graph;
mod html;
mod lcov;
mod making;
mod obligations;
mod place;
mod plot;
mod program;
mod suggest;
mod summarise;
mod summary;
mod table;
mod values;
mod weaker;
mod words;

pub use candidates::CandidatesSummary;
pub use compare::{Curve, compared};
pub use decisions::mcdc_csv;
pub use graph::{FieldSummary, ObjectSummary};
pub use html::html;
pub use lcov::lcov;
pub use making::{Making, MakingSummary, PhaseSummary};
pub use obligations::{
    Asked, Chosen, ConditionObligations, DecisionObligations, FileObligations, FunctionObligations,
    OBLIGATIONS_VERSION, ObligationFault, ObligationPlace, Obligations, ObligationsFormat, PairObligation,
    VectorObligation, WantedVector, choose, describe,
};
pub use program::plain_counts;
pub use summary::{
    Approximation, AssertionSummary, ConditionSummary, DecisionSummary, ExplorationSummary, FindingSummary,
    FunctionSummary, GoalSummary, GoalTally, Input, LayerSummary, LeftOutSummary, ObligationSummary, Place,
    PlainCount, ProgramFinding, ProgramSummary, ProgramTestSummary, SettingsSummary, State, Summary,
    TestSummary, Totals, UnitSummary, VERSION, VectorSummary, WantedSummary,
};
pub use table::{table, table_of};

use model::{FunctionId, Program};
use std::collections::BTreeMap;
use suite::{FunctionResult, ProgramTest};

/// All there is to report about one run.
#[derive(Clone, Debug)]
pub struct RunReport<'a> {
    /// The program under test.
    pub program: &'a Program,
    /// What became of each function.
    pub results: &'a [FunctionResult],
    /// Tests and findings of a whole program. The one result is then that of the function that begins it, with the
    /// goals of all functions; its findings and those among the tests are the same, in the same order.
    pub whole: Option<ProgramTests<'a>>,
    /// Source texts by index into [`Program::files`]; a missing one is not shown.
    pub sources: &'a [(u32, String)],
    /// How the run was made.
    pub settings: ReportSettings,
}

/// Tests of a whole program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramTests<'a> {
    /// Those of the suite, and findings.
    pub written: &'a [ProgramTest],
    /// Those that are in no suite, because the plain program ends otherwise.
    pub left_out: &'a [ProgramTest],
}

/// How a run was made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportSettings {
    /// Engine as named on the command line.
    pub engine: String,
    /// Seed of the whole run.
    pub seed: u64,
    /// Budget per function as the user wrote it.
    pub budget: String,
    /// Coverage criterion: `branch` or `mcdc`.
    pub criterion: String,
    /// What shows a condition of a decision, if these are goals.
    pub mcdc: Option<String>,
    /// The file of obligations, if only those were asked for.
    pub obligations: Option<String>,
    /// Version of the tool.
    pub version: String,
    /// The command line.
    pub command: String,
    /// Compiled files.
    pub units: Vec<Unit>,
    /// How the tests came about, where the search tells.
    pub making: Option<Making>,
    /// By function: what became of its sequences of calls, where such are tried.
    pub candidates: BTreeMap<FunctionId, CandidatesSummary>,
    /// Leave out everything that differs between two equal runs: times.
    pub deterministic: bool,
    /// What of the input could not be worked with, in words.
    pub problems: Vec<String>,
}

/// One compiled source file and the test binary that belongs to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Index into [`Program::files`].
    pub file: u32,
    /// The binary is `test_<stem>`.
    pub stem: String,
    /// Path of the source file.
    pub path: String,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Folder the compiler runs in.
    pub directory: String,
}

/// A report that is written to a file of the output folder.
#[derive(Clone, Copy)]
pub struct Report {
    /// Name on the command line.
    pub name: &'static str,
    /// File in the output folder, not written if there is nothing to write; `None` goes to the terminal.
    pub file: Option<&'static str>,
    /// Its text.
    pub render: fn(&RunReport) -> String,
}

/// Every report.
#[must_use]
pub fn all() -> &'static [Report] {
    &[
        Report { name: "table", file: None, render: table },
        Report { name: "json", file: Some("summary.json"), render: json },
        Report { name: "lcov", file: Some("lcov.info"), render: lcov },
        Report { name: "html", file: Some("report.html"), render: html },
        Report { name: "mcdc", file: Some("mcdc.csv"), render: mcdc_csv },
    ]
}

/// The text of `summary.json`.
#[must_use]
pub fn json(run: &RunReport) -> String {
    Summary::of(run).to_json()
}
