//! What the judge says, as data and in words.

use std::fmt;

/// What the judge found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Functions compared.
    pub functions: usize,
    /// Goals compared.
    pub goals: usize,
    /// Conditions of decisions compared.
    pub conditions: usize,
    /// Tests that passed.
    pub passed: usize,
    /// Everything in which claims and measurement differ.
    pub differences: Vec<Difference>,
    /// What is worth knowing but no difference.
    pub notes: Vec<Note>,
}

impl Verdict {
    /// Whether the claims hold.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

/// A place and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Function; empty if a binary or the whole suite is meant.
    pub function: String,
    /// File of the function or condition, or the binary.
    pub file: String,
    /// Line of the function or condition.
    pub line: u32,
    /// Column of the condition; 0 if the whole function is meant.
    pub column: u32,
    /// The outcome concerned.
    pub outcome: Option<bool>,
    /// What differs.
    pub kind: Kind,
}

/// A remark that is no difference.
pub type Note = Difference;

/// In what claim and measurement differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Claimed covered, but llvm-cov counts nothing.
    Overclaimed {
        /// The tests that are said to reach it.
        by: Vec<String>,
    },
    /// llvm-cov counts it, but it is not claimed.
    Underclaimed {
        /// What the summary says of the goal.
        state: String,
        /// llvm-cov's count.
        count: u64,
    },
    /// The numbers of branch outcomes differ.
    Total {
        /// In the summary.
        claimed: usize,
        /// In llvm-cov.
        measured: usize,
    },
    /// The number of branches at one place differs.
    Branches {
        /// In the summary.
        claimed: usize,
        /// In llvm-cov.
        measured: usize,
    },
    /// llvm-cov knows no such function.
    MissingFunction,
    /// llvm-cov knows no such decision.
    MissingDecision,
    /// A decision cannot be judged: not llvm-cov's records but single tests would, and they evaluate it several times, or its text is
    /// not that of its conditions.
    Unjudged,
    /// A test has another vector of a decision than claimed.
    Vector {
        /// The test.
        test: String,
        /// In the summary.
        claimed: String,
        /// By llvm-cov's counts.
        measured: String,
    },
    /// A condition of a decision is claimed to be shown and is not, or the other way round.
    Condition {
        /// Its source text.
        condition: String,
        /// It is claimed.
        claimed: bool,
    },
    /// A goal names a test that the summary does not list, or is covered by none.
    NoSuchTest(String),
    /// The binaries ran another number of tests.
    TestCount {
        /// In the summary.
        claimed: usize,
        /// Passed and failed.
        ran: usize,
    },
    /// Tests fail.
    FailedTests {
        /// The binary's last lines.
        output: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        if !self.function.is_empty() {
            write!(f, " {}", self.function)?;
        }
        if let Some(outcome) = self.outcome {
            write!(f, " {outcome}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Overclaimed { by } if by.is_empty() => f.write_str("claimed covered; llvm-cov counts 0"),
            Kind::Overclaimed { by } => write!(f, "claimed covered by {}; llvm-cov counts 0", by.join(", ")),
            Kind::Underclaimed { state, count } => write!(f, "claimed {state}; llvm-cov counts {count}"),
            Kind::Total { claimed, measured } => {
                write!(f, "{claimed} branch outcomes claimed; llvm-cov has {measured}")
            }
            Kind::Branches { claimed, measured } => {
                write!(f, "{claimed} branches claimed here; llvm-cov has {measured}")
            }
            Kind::MissingFunction => f.write_str("llvm-cov knows no such function"),
            Kind::MissingDecision => f.write_str("llvm-cov knows no such decision"),
            Kind::Unjudged => {
                f.write_str("nobody but Branchwise can tell what the tests show of this decision")
            }
            Kind::Vector { test, claimed, measured } => {
                write!(f, "{claimed} claimed for {test}; by llvm-cov's counts it is {measured}")
            }
            Kind::Condition { condition, claimed: true } => {
                write!(f, "`{condition}` is claimed to decide on its own; by llvm-cov it does not")
            }
            Kind::Condition { condition, claimed: false } => {
                write!(f, "`{condition}` is not claimed to decide on its own; by llvm-cov it does")
            }
            Kind::NoSuchTest(name) => write!(f, "claimed covered by {name}, which the summary does not list"),
            Kind::TestCount { claimed, ran } => write!(f, "{claimed} tests claimed; {ran} ran"),
            Kind::FailedTests { output } => write!(f, "tests fail:\n{output}"),
        }
    }
}
