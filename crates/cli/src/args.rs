//! The command line.

use crate::java::HeapArg;
use crate::run_args::RunArgs;
use campaign::Budget;
use campaign::{Guidance, Variant};
use clap::{Args, Parser, Subcommand, ValueEnum};
use report::ObligationsFormat;
use std::ffi::OsString;
use std::path::PathBuf;

/// Writes unit tests that reach every feasible branch, and proves it.
#[derive(Parser, Debug)]
#[command(version, about, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 goals left unknown (with --strict) or differences found by check; \
2 the input is at fault; 70 a bug in branchwise; 130 interrupted.";

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Generate a test suite
    Gen(Box<GenArgs>),
    /// Explore a whole program or a harness: arguments, standard input, files
    Run(Box<RunArgs>),
    /// List the functions of a program
    List(ListArgs),
    /// Print what MC/DC asks of every decision: its vectors, and the pairs that show each condition
    Obligations(ObligationsArgs),
    /// Rebuild a suite without our instrumentation, measure it with llvm-cov or JaCoCo and compare with our claims
    Check(CheckArgs),
    /// Compare engines: every cell of a plan is run many times, and the results are put into tables
    Experiment(ExperimentArgs),
    /// Show the results of an earlier run again
    Report(CheckArgs),
    /// Compile C as clang does, with the bitcode riding along: CC="branchwise cc" make
    #[command(disable_help_flag = true)]
    Cc(CcArgs),
    /// List the engines and their parameters
    Engines,
    /// Check this machine and say how to repair what is missing
    Doctor,
}

/// Where the program is.
#[derive(Args, Debug)]
pub(crate) struct SourceArgs {
    /// C files, folders, or a compile_commands.json; for Java sources, classes, jars or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Flags for the compiler, after `--`
    #[arg(last = true, value_name = "CFLAGS")]
    pub(crate) cflags: Vec<String>,
}

/// Options of `gen`.
#[derive(Args, Debug)]
pub(crate) struct GenArgs {
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    /// Test only this function (may be repeated)
    #[arg(long = "function", short = 'f', value_name = "NAME")]
    pub(crate) functions: Vec<String>,
    /// What the tests must reach
    #[arg(long, value_enum, default_value_t = Criterion::Branch)]
    pub(crate) criterion: Criterion,
    /// With `--criterion mcdc`: what shows that a condition decides
    #[arg(long, value_enum, default_value_t = McdcArg::UniqueCause, value_name = "VARIANT")]
    pub(crate) mcdc: McdcArg,
    /// With `--criterion mcdc`: `&` and `|` of truth values make decisions too
    #[arg(long)]
    pub(crate) bitwise_decisions: bool,
    /// With `--criterion mcdc`: reach only what this file asks for, see `branchwise obligations`
    #[arg(long, value_name = "FILE")]
    pub(crate) obligations: Option<PathBuf>,
    /// What guides searches towards a goal
    #[arg(long, value_enum, default_value_t = FitnessArg::Control, value_name = "KIND")]
    pub(crate) fitness: FitnessArg,
    /// Engine, see `branchwise engines`
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Work per function: 60s, 500ms, 2m, or 100000x for executions (repeatable)
    #[arg(long, value_parser = parse_budget, value_name = "AMOUNT")]
    pub(crate) budget: Option<Amount>,
    /// Executions per goal before it is given up; default: the budget is shared in growing rounds
    #[arg(long, value_name = "N")]
    pub(crate) goal_budget: Option<u64>,
    /// Order in which goals are attacked
    #[arg(long, value_enum, default_value_t = Order::Deepest)]
    pub(crate) order: Order,
    /// Whose goals a function's tests are for, beside its own: none, those it reaches in its file, or all it reaches
    #[arg(long, value_enum, default_value_t = ScopeArg::Function)]
    pub(crate) scope: ScopeArg,
    /// Look for errors as well: overflow, division by zero, indices out of bounds, null pointers and the like; of Java, overflow
    #[arg(long)]
    pub(crate) find_errors: bool,
    /// Call the real function instead of a stub whose results are inputs (may be repeated): time, rand, getenv, …
    #[arg(long, value_name = "NAME")]
    pub(crate) real: Vec<String>,
    /// Let an input decide which call of malloc, calloc or realloc fails
    #[arg(long, value_name = "BOOL", default_value_t = true, default_missing_value = "true", num_args = 0..=1)]
    #[arg(require_equals = true, action = clap::ArgAction::Set)]
    pub(crate) fail_alloc: bool,

    /// Ways to find the shape of inputs, for experiments: default all of them
    #[arg(long, value_name = "WAYS", value_delimiter = ',', value_enum, hide_short_help = true)]
    pub(crate) shapes: Vec<Way>,
    /// Seed of all randomness
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Functions worked on at the same time; default: one per core
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Folder for the suite and the reports
    #[arg(long, short = 'o', default_value = "branchwise-out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Format of the tests
    #[arg(long, default_value = "c", value_name = "FORMAT")]
    pub(crate) emit: String,
    /// How runs of the target are kept apart
    #[arg(long, value_enum, default_value_t = IsolationArg::Auto)]
    pub(crate) isolation: IsolationArg,
    /// With Java: folders and jars that the classes under test need (may be repeated)
    #[arg(long, value_name = "PATH", value_delimiter = ':')]
    pub(crate) classpath: Vec<PathBuf>,
    /// With Java: what solvers know of arrays; default: reasoning
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) heap: Option<HeapArg>,
    /// Settings file; default: branchwise.toml in the current folder, if there is one
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Exit with 1 if a goal is left unknown
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print nothing but errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

/// Options of `list`.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
}

/// Options of `obligations`.
#[derive(Args, Debug)]
pub(crate) struct ObligationsArgs {
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    /// Only this function (may be repeated)
    #[arg(long = "function", short = 'f', value_name = "NAME")]
    pub(crate) functions: Vec<String>,
    /// What shows that a condition decides
    #[arg(long, value_enum, default_value_t = McdcArg::UniqueCause, value_name = "VARIANT")]
    pub(crate) mcdc: McdcArg,
    /// `&` and `|` of truth values make decisions too
    #[arg(long)]
    pub(crate) bitwise_decisions: bool,
    /// How they are written
    #[arg(long, value_enum, default_value_t = FormatArg::Xml)]
    pub(crate) format: FormatArg,
    /// File to write; default: standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Formats of obligations.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FormatArg {
    /// XML
    Xml,
    /// JSON
    Json,
}

impl From<FormatArg> for ObligationsFormat {
    fn from(arg: FormatArg) -> ObligationsFormat {
        match arg {
            FormatArg::Xml => ObligationsFormat::Xml,
            FormatArg::Json => ObligationsFormat::Json,
        }
    }
}

/// Options of `check` and `report`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Folder written by `branchwise gen`
    #[arg(default_value = "branchwise-out")]
    pub(crate) dir: PathBuf,
}

/// Options of `experiment`.
#[derive(Args, Debug)]
pub(crate) struct ExperimentArgs {
    /// The plan: subjects, engines, budgets, repetitions
    #[arg(value_name = "FILE.toml")]
    pub(crate) plan: PathBuf,
    /// Folder for records, tables and the page; records of the same plan that are there are kept
    #[arg(long, short = 'o', default_value = "experiment-out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Runs at the same time; default: one per core
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print nothing but errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

/// The compiler's own command line.
#[derive(Args, Debug)]
pub(crate) struct CcArgs {
    /// Whatever the compiler understands
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

/// Coverage criteria.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Criterion {
    /// Both outcomes of every branch that llvm-cov counts
    Branch,
    /// That, and every condition of a decision shown to decide its outcome on its own
    Mcdc,
}

impl Criterion {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Criterion::Branch => "branch",
            Criterion::Mcdc => "mcdc",
        }
    }
}

/// What guides searches.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FitnessArg {
    /// The branches that control a goal
    Control,
    /// Those that control the definitions of what the goal looks at, too: where flags hide the way
    DataDependence,
}

impl From<FitnessArg> for Guidance {
    fn from(arg: FitnessArg) -> Guidance {
        match arg {
            FitnessArg::Control => Guidance::Control,
            FitnessArg::DataDependence => Guidance::DataDependence,
        }
    }
}

/// What shows a condition of a decision.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum McdcArg {
    /// Two evaluations that differ in it alone; what C does not evaluate counts as held. This is what llvm-cov measures
    UniqueCause,
    /// Two evaluations whose outcomes hang on it, whatever else differs
    Masking,
    /// The first where there are such evaluations, else the second
    #[value(name = "unique-cause+masking")]
    UniqueCauseOrMasking,
}

impl McdcArg {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            McdcArg::UniqueCause => "unique-cause",
            McdcArg::Masking => "masking",
            McdcArg::UniqueCauseOrMasking => "unique-cause+masking",
        }
    }
}

impl From<Variant> for McdcArg {
    fn from(variant: Variant) -> McdcArg {
        match variant {
            Variant::UniqueCause => McdcArg::UniqueCause,
            Variant::Masking => McdcArg::Masking,
            Variant::UniqueCauseOrMasking => McdcArg::UniqueCauseOrMasking,
        }
    }
}

impl From<McdcArg> for Variant {
    fn from(arg: McdcArg) -> Variant {
        match arg {
            McdcArg::UniqueCause => Variant::UniqueCause,
            McdcArg::Masking => Variant::Masking,
            McdcArg::UniqueCauseOrMasking => Variant::UniqueCauseOrMasking,
        }
    }
}

/// Orders of goals.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Deepest in the function first
    Deepest,
    /// As in the source
    Source,
}

/// Whose goals count.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeArg {
    /// Those of the function under test
    Function,
    /// Also those of functions in the same file that it calls, directly or not
    File,
    /// Also those of functions in other files
    Reachable,
}

/// Ways to keep runs apart.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IsolationArg {
    /// In one warm process where the function allows it, forked where it does not
    Auto,
    /// Every run in a process of its own
    Fork,
}

/// A budget with the user's own spelling of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Amount {
    pub(crate) budget: Budget,
    pub(crate) text: String,
}

/// Reads `60s`, `1.5m`, `200ms` or `100000x`.
pub(crate) fn parse_budget(text: &str) -> Result<Amount, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let wrong = || format!("`{text}` is no budget; write 60s, 500ms, 2m or 100000x");
    let seconds = |factor: f64| {
        let value: f64 = number.parse().map_err(|_| wrong())?;
        if value.is_finite() && value >= 0.0 { Ok(Budget::Seconds(value * factor)) } else { Err(wrong()) }
    };
    let budget = match unit {
        "x" => Budget::Executions(number.replace('_', "").parse().map_err(|_| wrong())?),
        "ms" => seconds(0.001)?,
        "s" => seconds(1.0)?,
        "m" => seconds(60.0)?,
        "h" => seconds(3600.0)?,
        _ => return Err(wrong()),
    };
    Ok(Amount { budget, text: text.to_owned() })
}

/// See [`input::Ways`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Way {
    /// Conditions on pointers are solved
    Solver,
    /// The search puts objects in and makes them longer
    Growth,
    /// What a run lacked is there in the next
    Demand,
}

/// All of them unless some are named.
pub(crate) fn ways(named: &[Way]) -> input::Ways {
    let has = |way| named.is_empty() || named.contains(&way);
    input::Ways { solver: has(Way::Solver), growth: has(Way::Growth), demand: has(Way::Demand) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        assert_eq!(parse_budget("100_000x").unwrap().budget, Budget::Executions(100_000));
        assert_eq!(parse_budget("1.5m").unwrap().budget, Budget::Seconds(90.0));
        assert_eq!(parse_budget("200ms").unwrap().budget, Budget::Seconds(0.2));
        for wrong in ["", "10", "x", "-5s", "nans", "5 s", "3d"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
