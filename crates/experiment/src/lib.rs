//! Experiments with search engines: what is run how often, what came out, and what may be concluded from it.
//!
//! ```text
//! FILE.toml ──► Plan ──► cells ──► (somebody runs them) ──► Records ──► Results ──► CSV, JSON, Markdown, page
//! ```
//!
//! The layout of the tables is that of chapter 5 of Awedikian's thesis (2009), to which this adds what it lacks: the
//! spread over the runs, evaluations to success, and comparisons by effect size and rank-sum test as Arcuri and
//! Briand advise ("A practical guide for using statistical tests to assess randomized algorithms in software
//! engineering", ICSE 2011).
//!
//! Nothing here starts a process, reads a file or asks a clock: the same records give the same bytes.

mod page;
mod plan;
mod record;
pub mod stats;
mod table;

pub use page::html;
pub use plan::{Budget, Cell, Criterion, Domain, Fitness, Key, Plan, PlanError, Sets, Subject, Variant};
pub use record::{Goal, Group, Record};
pub use table::{Comparison, Measure, Results, Row, Runs, Setting, Spread, Success, SuccessRow};
