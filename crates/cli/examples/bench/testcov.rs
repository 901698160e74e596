//! TestCov, the executor of the Test-Comp competition, on suites in its format: it must accept them and count what we do.
//!
//! It comes from the Python package index into a virtual environment below the build folder. Containers and cgroups are
//! left out (`--no-isolation`), and gcov counts, of which the compiler has one; what it counts are the conditions that
//! llvm-cov counts too, as long as there is no `switch` and no test aborts: such a run leaves gcov nothing. (With `lcov`
//! and `clang-tidy` at hand TestCov counts decisions instead of conditions, those of aborting runs as well.)

use crate::speed::verdict;
use crate::subject::fixtures;
use anyhow::{Context, Result, bail};
use emit::program::{ProgramBuild, ProgramKind, ProgramSuite, formats};
use std::path::{Path, PathBuf};
use std::process::Command;
use suite::{HarnessValue, ProgramTest, ValueKind};

const PACKAGE: &str = "testcov==3.7";

/// A program, the numbers of each test, and what they cover.
struct Case {
    file: &'static str,
    tests: Vec<Vec<HarnessValue>>,
    goals: usize,
    covered: usize,
}

/// By hand, so that nothing of ours but the format is on trial.
fn cases() -> Vec<Case> {
    let command = |n: i32| value("int", ValueKind::Signed, &n.to_le_bytes());
    let numbers = |x: i32, c: u8, d: f64, l: i64| {
        vec![
            command(x),
            value("unsigned char", ValueKind::Unsigned, &[c]),
            value("double", ValueKind::Float, &d.to_le_bytes()),
            value("long", ValueKind::Signed, &l.to_le_bytes()),
        ]
    };
    let commands = |all: [i32; 3]| all.map(command).to_vec();
    vec![
        // That x is above 5 and below 3 cannot be.
        Case {
            file: "numbers.c",
            tests: vec![numbers(-1_234_567, 201, 0.25, 0), numbers(7, 3, 0.5, 0x1234_5678_9abc)],
            goals: 14,
            covered: 13,
        },
        // Neither of the two commands that lead to the error, and so not the error.
        Case {
            file: "states.c",
            tests: vec![commands([17, 6, 0]), commands([0, 17, 3])],
            goals: 14,
            covered: 11,
        },
    ]
}

fn value(name: &str, kind: ValueKind, bytes: &[u8]) -> HarnessValue {
    HarnessValue { name: name.to_owned(), kind, bytes: bytes.to_vec() }
}

pub(crate) fn report() -> Result<()> {
    println!("### Test-Comp suites, scored by {PACKAGE}\n");
    let testcov = match install() {
        Ok(testcov) => testcov,
        Err(why) => {
            println!("Not measured: TestCov cannot be installed.\n\n{why:#}");
            return Ok(());
        }
    };
    println!("| program | tests | goals | covered | TestCov's goals | TestCov's coverage | |");
    println!("|---|--:|--:|--:|--:|--:|---|");
    for case in cases() {
        let (goals, percent) = score(&testcov, &case)?;
        let claimed = format!("{:.2}", case.covered as f64 * 100.0 / case.goals as f64);
        println!(
            "| `{}` | {} | {} | {} | {goals} | {percent} % | {} |",
            case.file,
            case.tests.len(),
            case.goals,
            case.covered,
            verdict(goals == case.goals && percent == claimed)
        );
    }
    Ok(())
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

/// Number of goals and covered percent by TestCov.
fn score(testcov: &Path, case: &Case) -> Result<(usize, String)> {
    let source = fixtures().join("../testcomp").join(case.file).canonicalize()?;
    let folder = tempfile::tempdir()?;
    let zip = folder.path().join("suite.zip");
    std::fs::write(&zip, suite(&source, case)?)?;
    let mut command = Command::new(testcov);
    command.args(["--no-isolation", "--use-gcov", "--no-plots", "-64", "--output", "out", "--test-suite"]);
    let printed = succeed(command.arg(&zip).arg(&source).current_dir(folder.path()))?;
    let field = |name: &str| {
        let line = printed.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|rest| rest.trim().to_owned()).with_context(|| format!("no `{name}` in:\n{printed}"))
    };
    let run: usize = field("Tests run:")?.parse()?;
    // It stops where everything is covered.
    if run != case.tests.len() && case.covered < case.goals {
        bail!("{} of {} tests run:\n{printed}", run, case.tests.len());
    }
    Ok((field("Number of goals:")?.parse()?, field("Coverage:")?.trim_end_matches('%').to_owned()))
}

fn suite(source: &Path, case: &Case) -> Result<Vec<u8>> {
    let text = std::fs::read_to_string(source)?;
    let unit = emit::Unit {
        file: 0,
        path: source.to_string_lossy().into_owned(),
        stem: "program".to_owned(),
        flags: Vec::new(),
        directory: String::new(),
        source: Some(text),
    };
    let test = |(i, values): (usize, &Vec<HarnessValue>)| ProgramTest {
        name: format!("test_{i}"),
        values: values.clone(),
        ..ProgramTest::default()
    };
    let suite = ProgramSuite {
        tests: case.tests.iter().enumerate().map(test).collect(),
        build: ProgramBuild { units: vec![unit], kind: ProgramKind::Harness, ..ProgramBuild::default() },
        producer: "branchwise".to_owned(),
    };
    let format = formats().iter().find(|f| f.name() == "testcomp").context("the format")?;
    let files = format.emit(&suite)?;
    Ok(files.into_iter().next().context("a zip file")?.contents)
}

fn succeed(command: &mut Command) -> Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    if !out.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}
