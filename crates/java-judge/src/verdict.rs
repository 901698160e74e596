//! What the judge says, as data and in words.

use std::fmt;

/// What the judge found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Tests that passed in every order.
    pub passed: usize,
    /// Tests that failed in some order.
    pub failures: Vec<Failure>,
    /// What went wrong with the suite as a whole.
    pub problems: Vec<Problem>,
    /// In what claims and measurement differ.
    pub differences: Vec<Difference>,
    /// What JaCoCo counted in all measured classes.
    pub totals: Totals,
    /// Classes that JaCoCo cannot read; claims of their methods are not judged.
    pub unread: Vec<Unread>,
}

impl Verdict {
    /// Whether all tests passed in all orders and all claims hold.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.failures.is_empty() && self.problems.is_empty() && self.differences.is_empty()
    }
}

/// A test that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Its class, with dots.
    pub class: String,
    /// Its method.
    pub method: String,
    /// What it said the first time.
    pub message: String,
    /// Seeds of the orders in which it failed.
    pub failed: Vec<u64>,
    /// Seeds of the orders in which it passed: if there are any, it depends on other tests or on chance.
    pub passed: Vec<u64>,
}

/// What keeps a suite from being run to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The compiler refuses it.
    DoesNotCompile {
        /// What the compiler says.
        output: String,
    },
    /// A JVM did not end in time.
    TimedOut {
        /// The order.
        seed: u64,
        /// The test that was running, as class and method.
        test: Option<(String, String)>,
        /// The limit.
        seconds: u64,
    },
    /// A JVM ended before the last test.
    Died {
        /// The order.
        seed: u64,
        /// The test that was running, as class and method.
        test: Option<(String, String)>,
        /// What was printed last.
        output: String,
    },
}

/// A method or line and in what it differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The class, by internal name.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The line; `None` if the whole method is meant.
    pub line: Option<u32>,
    /// What differs.
    pub kind: Kind,
}

/// In what claim and measurement differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// More branches are claimed to be covered than JaCoCo counts.
    Overclaimed {
        /// In the claim.
        claimed: u32,
        /// By JaCoCo.
        measured: u32,
    },
    /// JaCoCo counts more covered branches than are claimed.
    Underclaimed {
        /// In the claim.
        claimed: u32,
        /// By JaCoCo.
        measured: u32,
    },
    /// The numbers of branches differ.
    Total {
        /// In the claim.
        claimed: u32,
        /// By JaCoCo.
        measured: u32,
    },
    /// JaCoCo knows no such method.
    MissingMethod,
    /// Nothing is claimed of a method with branches.
    UnclaimedMethod {
        /// How many it has.
        branches: u32,
    },
}

/// Covered of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// How many are covered.
    pub covered: u32,
    /// How many there are.
    pub total: u32,
}

/// Coverage of all measured classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Instructions of bytecode.
    pub instructions: Count,
    /// Branches.
    pub branches: Count,
    /// Lines, as the methods have them.
    pub lines: Count,
    /// Methods.
    pub methods: Count,
}

/// A class that JaCoCo cannot read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The class, by internal name.
    pub class: String,
    /// Why.
    pub why: String,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.covered += other.covered;
        self.total += other.total;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.covered, self.total)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} failed", self.class, self.method)?;
        if !self.passed.is_empty() {
            write!(f, " in {} of {} orders", self.failed.len(), self.failed.len() + self.passed.len())?;
        }
        write!(f, ": {}", self.message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let during = |test: &Option<(String, String)>| match test {
            Some((class, method)) => format!(" during {class}.{method}"),
            None => String::new(),
        };
        match self {
            Problem::DoesNotCompile { output } => write!(f, "the suite does not compile:\n{output}"),
            Problem::TimedOut { test, seconds, .. } => {
                write!(f, "the tests did not end within {seconds} s{}", during(test))
            }
            Problem::Died { test, output, .. } => write!(f, "the JVM ended{}:\n{output}", during(test)),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.class.replace('/', "."), self.method, self.descriptor)?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        match self.kind {
            Kind::Overclaimed { claimed, measured } => {
                write!(f, ": {claimed} branches are claimed, JaCoCo counts {measured}")
            }
            Kind::Underclaimed { claimed, measured } => {
                write!(f, ": only {claimed} branches are claimed, JaCoCo counts {measured}")
            }
            Kind::Total { claimed, measured } => {
                write!(f, ": {claimed} branches are there by the claim, {measured} by JaCoCo")
            }
            Kind::MissingMethod => write!(f, ": JaCoCo knows no such method"),
            Kind::UnclaimedMethod { branches } => {
                write!(f, ": nothing is claimed of its {branches} branches")
            }
        }
    }
}
