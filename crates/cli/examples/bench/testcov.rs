//! TestCov, the executor of the Test-Comp competition, on suites that `branchwise run --emit testcomp` makes: it must
//! accept them and count what `summary.json` claims.
//!
//! It comes from the Python package index into a virtual environment below the build folder. Containers and cgroups are
//! left out (`--no-isolation`), and gcov counts, of which the compiler has one; what it counts are the conditions that
//! llvm-cov counts too, as long as there is no `switch`. A test that aborts leaves gcov nothing, so what only such tests
//! reach is not expected of it. (With `lcov` and `clang-tidy` at hand TestCov counts decisions instead of conditions, those
//! of aborting runs as well.)

use crate::explored::explore;
use crate::speed::verdict;
use crate::subject::fixtures;
use anyhow::{Context, Result, bail};
use report::Summary;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "testcov==3.7";
/// Work on each program.
const SECONDS: u64 = 5;

/// Harnesses that ask for numbers.
const PROGRAMS: [&str; 3] = ["testcomp/numbers.c", "testcomp/states.c", "testcomp/queue.c"];

pub(crate) fn report() -> Result<()> {
    println!("### Test-Comp suites, scored by {PACKAGE}\n");
    let testcov = match install() {
        Ok(testcov) => testcov,
        Err(why) => {
            println!("Not measured: TestCov cannot be installed.\n\n{why:#}");
            return Ok(());
        }
    };
    println!(
        "| program | tests | goals | covered | without tests that abort | TestCov's goals | TestCov's coverage | |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|---|");
    for program in PROGRAMS {
        if let Err(error) = row(&testcov, program) {
            println!("| `{program}` | {error:#} |");
        }
    }
    Ok(())
}

fn row(testcov: &Path, program: &str) -> Result<()> {
    let source = fixtures().join("..").join(program).canonicalize()?;
    let folder = tempfile::tempdir()?;
    let summary = explore(&source, SECONDS, &folder.path().join("suite"), &["--emit", "testcomp"])?;
    let claim = Claim::of(&summary)?;
    let score = score(testcov, &source, folder.path())?;
    // It stops where everything is covered.
    if score.tests != claim.tests && claim.counted < claim.goals {
        bail!("{} of {} tests run", score.tests, claim.tests);
    }
    let expected = format!("{:.2}", claim.counted as f64 * 100.0 / claim.goals as f64);
    println!(
        "| `{program}` | {} | {} | {} | {} | {} | {} % | {} |",
        claim.tests,
        claim.goals,
        claim.covered,
        claim.counted,
        score.goals,
        score.percent,
        verdict(score.goals == claim.goals && score.percent == expected)
    );
    Ok(())
}

/// What our summary says.
struct Claim {
    tests: usize,
    goals: usize,
    covered: usize,
    /// Those that a test reaches which does not abort.
    counted: usize,
}

impl Claim {
    fn of(summary: &Summary) -> Result<Claim> {
        let whole = summary.program.as_ref().context("a program")?;
        let living = whole.tests.iter().filter(|test| test.end != "aborts");
        let living: HashSet<&String> = living.map(|test| &test.name).collect();
        let goals = summary.functions.iter().flat_map(|function| &function.goals);
        let counted = goals.filter(|goal| goal.tests.iter().any(|test| living.contains(test)));
        Ok(Claim {
            tests: whole.tests.len(),
            goals: summary.totals.goals.total,
            covered: summary.totals.goals.covered,
            counted: counted.count(),
        })
    }
}

/// What TestCov says.
struct Score {
    tests: usize,
    goals: usize,
    percent: String,
}

/// Installs TestCov unless it is there; gives its path.
fn install() -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let target = this.ancestors().nth(3).context("the build folder")?;
    let folder = target.join("testcov");
    let testcov = folder.join("bin/testcov");
    if !testcov.is_file() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        succeed(Command::new(folder.join("bin/pip")).args(["install", "--quiet", PACKAGE]))?;
    }
    Ok(testcov)
}

/// Scores the suite in a folder.
fn score(testcov: &Path, source: &Path, folder: &Path) -> Result<Score> {
    let mut command = Command::new(testcov);
    command.args(["--no-isolation", "--use-gcov", "--no-plots", "-64", "--output", "out", "--test-suite"]);
    let zip = folder.join("suite/test-suite.zip");
    let printed = succeed(command.arg(&zip).arg(source).current_dir(folder))?;
    let field = |name: &str| {
        let line = printed.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|rest| rest.trim().to_owned()).with_context(|| format!("no `{name}` in:\n{printed}"))
    };
    Ok(Score {
        tests: field("Tests run:")?.parse()?,
        goals: field("Number of goals:")?.parse()?,
        percent: field("Coverage:")?.trim_end_matches('%').to_owned(),
    })
}

fn succeed(command: &mut Command) -> Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    if !out.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}
