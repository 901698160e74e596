//! Compiles a suite, runs it and has it measured.

use crate::process::{self, Ended};
use crate::report::{self, Measured, Order};
use crate::tools::{Jars, class_path};
use crate::{Case, JudgeError, Problem, Tools};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const RUNNER: &str = include_str!("../java/Runner.java");
const COVERAGE: &str = include_str!("../java/Coverage.java");

/// Options of a JVM that starts quickly: tests are short.
const QUICK: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];

/// Seconds for compilers and our own programs, which never hang by themselves.
const PATIENCE: u64 = 600;

/// A suite and a folder to work on it.
pub(crate) struct Replay<'c> {
    case: &'c Case,
    tools: &'c Tools,
    jars: Jars,
    scratch: TempDir,
    sources: Vec<PathBuf>,
    /// The classes of the sources, with dots.
    classes: Vec<String>,
    agent: PathBuf,
}

impl<'c> Replay<'c> {
    /// Finds everything that is needed.
    pub(crate) fn new(case: &'c Case, tools: &'c Tools) -> Result<Replay<'c>, JudgeError> {
        let jars = Jars::find(&tools.jars)?;
        let usual = case.suite.join("src/test/java");
        let root = if usual.is_dir() { usual } else { case.suite.clone() };
        let mut sources = Vec::new();
        java_files(&root, &mut sources)?;
        if sources.is_empty() {
            return Err(JudgeError::NoSources { path: root });
        }
        sources.sort();
        let classes = sources.iter().filter_map(|source| class_of(&root, source)).collect();
        let scratch = TempDir::new()?;
        let agent = scratch.path().join("jacocoagent.jar");
        Ok(Replay { case, tools, jars, scratch, sources, classes, agent })
    }

    /// Compiles the suite and our programs, and takes the agent out of its jar. Gives what the compiler says if it refuses the suite.
    pub(crate) fn compile(&mut self) -> Result<Option<String>, JudgeError> {
        let mut jar = Command::new(&self.tools.jar);
        jar.current_dir(self.scratch.path()).arg("--extract").arg("--file").arg(&self.jars.agent);
        self.succeed(jar.arg("jacocoagent.jar"), "taking JaCoCo's agent out of its jar")?;
        let programs = self.scratch.path().join("programs/branchwise/judge");
        std::fs::create_dir_all(&programs)?;
        let mut all = self.sources.clone();
        for (name, text) in [("Runner.java", RUNNER), ("Coverage.java", COVERAGE)] {
            std::fs::write(programs.join(name), text)?;
            all.push(programs.join(name));
        }
        let mut javac = Command::new(&self.tools.javac);
        javac.args(QUICK.map(|option| format!("-J{option}")));
        javac.args(["-nowarn", "-encoding", "UTF-8", "-g", "-proc:none", "-d"]).arg(self.folder("classes")?);
        javac.arg("-cp").arg(self.class_path(true)).args(&all);
        let log = self.scratch.path().join("javac.log");
        match process::run(&mut javac, &log, PATIENCE)? {
            Ended::Well => Ok(None),
            Ended::Badly(_) => Ok(Some(String::from_utf8_lossy(&std::fs::read(&log)?).into_owned())),
            Ended::TimedOut => Ok(Some(format!("no end after {PATIENCE} s"))),
        }
    }

    /// Runs all tests in the order of a seed.
    pub(crate) fn run(&mut self, seed: u64) -> Result<(Order, Option<Problem>), JudgeError> {
        let lines = self.scratch.path().join(format!("order-{seed}.txt"));
        let counts = self.folder("counts")?.join(format!("{seed}.exec"));
        let mut java = self.java();
        java.arg("-ea").arg(self.agent_option(&counts));
        java.arg("-cp").arg(self.class_path(false)).arg("branchwise.judge.Runner").arg(&lines);
        java.arg(seed.to_string()).args(&self.classes);
        let log = self.scratch.path().join("run.log");
        let ended = process::run(&mut java, &log, self.tools.seconds)?;
        let order = report::order(&std::fs::read_to_string(&lines).unwrap_or_default());
        let test = order.running.clone();
        let problem = match ended {
            Ended::TimedOut => Some(Problem::TimedOut { seed, test, seconds: self.tools.seconds }),
            _ if !order.is_whole => Some(Problem::Died { seed, test, output: process::tail(&log)? }),
            _ => None,
        };
        Ok((order, problem))
    }

    /// What JaCoCo counted in all runs together.
    pub(crate) fn measure(&mut self) -> Result<Measured, JudgeError> {
        let lines = self.scratch.path().join("coverage.txt");
        let mut java = self.java();
        java.arg("-cp").arg(self.class_path(true)).arg("branchwise.judge.Coverage").arg(&lines);
        java.arg(self.folder("counts")?).arg(class_path(&self.case.class_path)).args(&self.case.classes);
        self.succeed(&mut java, "reading what JaCoCo counted")?;
        let text = std::fs::read_to_string(&lines)?;
        report::coverage(&text)
            .ok_or_else(|| JudgeError::Failed { what: "reading what JaCoCo counted".into(), output: text })
    }

    fn java(&self) -> Command {
        let mut java = Command::new(&self.tools.java);
        java.args(QUICK);
        java.current_dir(self.scratch.path());
        java
    }

    /// Only the classes under test are measured, since the agent would slow down everything else too.
    fn agent_option(&self, counts: &Path) -> String {
        let names: Vec<String> = self.case.classes.iter().map(|class| class.replace('/', ".")).collect();
        let includes = if names.is_empty() { "none".to_owned() } else { names.join(":") };
        let agent = self.agent.display();
        format!("-javaagent:{agent}=destfile={},append=false,includes={includes}", counts.display())
    }

    fn class_path(&self, with_jacoco: bool) -> String {
        let classes = self.scratch.path().join("classes");
        let jacoco = self.jars.jacoco.iter().filter(|_| with_jacoco);
        let libraries = self.jars.junit.iter().chain(jacoco);
        class_path(std::iter::once(&classes).chain(&self.case.class_path).chain(libraries))
    }

    fn succeed(&self, command: &mut Command, what: &str) -> Result<(), JudgeError> {
        process::succeed(command, &self.scratch.path().join("log"), PATIENCE, what)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, JudgeError> {
        let folder = self.scratch.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

fn java_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), JudgeError> {
    let unusable = |source| JudgeError::Folder { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(unusable)? {
        let entry = entry.map_err(unusable)?;
        let path = entry.path();
        // Links are not followed: they may lead in circles.
        if entry.file_type().map_err(unusable)?.is_dir() {
            java_files(&path, files)?;
        } else if path.extension() == Some(OsStr::new("java")) {
            files.push(path);
        }
    }
    Ok(())
}

/// The class that a source file is named after.
fn class_of(root: &Path, source: &Path) -> Option<String> {
    let parts: Vec<String> = source
        .strip_prefix(root)
        .ok()?
        .with_extension("")
        .iter()
        .map(|p| p.to_string_lossy().into_owned())
        .collect();
    Some(parts.join("."))
}
