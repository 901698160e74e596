//! Compiles a suite, runs it and has it measured.

use crate::lines::Lines;
use crate::process::{self, Ended, Patience};
use crate::report::{self, Measured, Order};
use crate::tools::{self, Jacoco, OWN_FOLDER, class_path};
use crate::{Case, JudgeError, Problem, Tools};
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const PROGRAMS: [(&str, &str); 3] = [
    ("Runner.java", include_str!("../java/Runner.java")),
    ("Watch.java", include_str!("../java/Watch.java")),
    ("Machine.java", include_str!("../java/Machine.java")),
];
/// Programs that repeat findings lie here; they are no tests.
const REPRODUCERS: &str = "crashes";
const COVERAGE: &str = include_str!("../java/Coverage.java");

/// Options of a JVM that starts quickly: tests are short.
const QUICK: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];

/// Who watches looks at tables of the JVM that it shows nobody. Java 24 warns of that, and later ones refuse it.
const UNSAFE: &str = "-Dsun.misc.unsafe.memory.access=allow";

/// What lets a program watch what is asked of the machine, in versions of Java that refuse it otherwise. Older ones need not be asked,
/// and later ones do not start with it.
const ALLOWED: (RangeInclusive<u32>, &str) = (18..=23, "-Djava.security.manager=allow");

/// What tests need no more of than this.
const HEAP: &str = "-Xmx1g";

/// What a confined JVM is told of our environment.
const TOLD: [&str; 5] = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];

/// Seconds for compilers and our own programs, which never hang by themselves.
const PATIENCE: u64 = 600;

/// A suite and a folder to work on it.
pub(crate) struct Replay<'c> {
    case: &'c Case,
    tools: &'c Tools,
    junit: Vec<PathBuf>,
    /// If it is to be measured.
    jacoco: Option<Jacoco>,
    scratch: TempDir,
    sources: Vec<PathBuf>,
    /// The classes of the sources, with dots.
    classes: Vec<String>,
    /// JVMs that were started.
    started: u32,
}

/// How tests are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Decides the order.
    pub(crate) seed: u64,
    /// The opposite of that order.
    pub(crate) backwards: bool,
    pub(crate) watched: Watched,
}

/// What is looked at besides how tests end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watched {
    Nothing,
    /// What they change that tests share.
    Shared,
    /// Also what they ask of the machine.
    Machine,
}

impl Watched {
    fn word(self) -> &'static str {
        match self {
            Watched::Nothing => "no",
            Watched::Shared => "shared",
            Watched::Machine => "machine",
        }
    }
}

impl<'c> Replay<'c> {
    /// Finds everything that is needed to run a suite.
    pub(crate) fn new(case: &'c Case, tools: &'c Tools) -> Result<Replay<'c>, JudgeError> {
        let junit = tools::junit(&tools.jars)?;
        let usual = case.suite.join("src/test/java");
        let root = if usual.is_dir() { usual } else { case.suite.clone() };
        let mut sources = Vec::new();
        java_files(&root, &mut sources)?;
        sources.retain(|source| !source.starts_with(case.suite.join(REPRODUCERS)));
        sources.sort();
        let classes = sources.iter().filter_map(|source| class_of(&root, source)).collect();
        let scratch = match &tools.scratch {
            Some(folder) => TempDir::new_in(folder)?,
            None => TempDir::new()?,
        };
        Ok(Replay { case, tools, junit, jacoco: None, scratch, sources, classes, started: 0 })
    }

    /// The same to measure it too.
    pub(crate) fn measuring(case: &'c Case, tools: &'c Tools) -> Result<Replay<'c>, JudgeError> {
        let mut replay = Replay::new(case, tools)?;
        replay.jacoco = Some(Jacoco::find(&tools.jars)?);
        replay.unpack_agent()?;
        Ok(replay)
    }

    /// Whether there is anything to run.
    pub(crate) fn has_tests(&self) -> bool {
        !self.sources.is_empty()
    }

    fn unpack_agent(&self) -> Result<(), JudgeError> {
        let Some(jacoco) = &self.jacoco else { return Ok(()) };
        let mut jar = Command::new(&self.tools.jar);
        jar.current_dir(self.scratch.path()).arg("--extract").arg("--file").arg(&jacoco.agent);
        self.succeed(jar.arg("jacocoagent.jar"), "taking JaCoCo's agent out of its jar")
    }

    /// Compiles the suite and our programs. Gives what the compiler says if it refuses the suite.
    pub(crate) fn compile(&mut self) -> Result<Option<String>, JudgeError> {
        let programs = self.folder("programs/branchwise/judge")?;
        let mut all = self.sources.clone();
        let coverage = self.jacoco.iter().map(|_| ("Coverage.java", COVERAGE));
        for (name, text) in coverage.chain(PROGRAMS) {
            std::fs::write(programs.join(name), text)?;
            all.push(programs.join(name));
        }
        let mut javac = Command::new(&self.tools.javac);
        javac.args(QUICK.map(|option| format!("-J{option}")));
        javac.args(["-nowarn", "-encoding", "UTF-8", "-g", "-proc:none", "-d"]).arg(self.folder("classes")?);
        javac.arg("-cp").arg(self.class_path(true)).args(&all);
        let log = self.scratch.path().join("javac.log");
        match process::run(&mut javac, &log, &Patience::of(PATIENCE))? {
            Ended::Well => Ok(None),
            Ended::Badly(_) => Ok(Some(String::from_utf8_lossy(&std::fs::read(&log)?).into_owned())),
            Ended::TimedOut(seconds) => Ok(Some(format!("no end after {seconds} s"))),
        }
    }

    /// Runs all tests in the order of a seed, and has them measured.
    pub(crate) fn run(&mut self, seed: u64) -> Result<(Order, Option<Problem>), JudgeError> {
        let mut lines = Lines::create()?;
        let ended = self.start(Way { seed, backwards: false, watched: Watched::Nothing }, &lines)?;
        let order = report::order(&lines.text()?);
        let test = order.running.clone();
        let problem = match ended {
            Ended::TimedOut(seconds) => Some(Problem::TimedOut { seed, test, seconds }),
            _ if !order.is_whole => Some(Problem::Died { seed, test, output: self.last_words()? }),
            _ => None,
        };
        Ok((order, problem))
    }

    /// Starts a JVM that runs all tests in an order, but those that the lines know already, and waits for its end.
    pub(crate) fn start(&mut self, way: Way, lines: &Lines) -> Result<Ended, JudgeError> {
        self.started += 1;
        // Whatever tests do to the folder they start in, it does not concern others.
        let folder = self.folder(&format!("work-{}", self.started))?;
        let mut java = self.java_for_tests(&folder);
        java.args(self.watching(way.watched));
        java.args([HEAP, "-ea"]).args(self.agent_option()?).arg("-cp").arg(self.class_path(false));
        java.arg("branchwise.judge.Runner").arg(lines.path());
        java.args([way.seed.to_string(), way.backwards.to_string()]).arg(way.watched.word());
        java.args(&self.classes);
        lines.hand_to(&mut java);
        let progress = || lines.len();
        let silent = Some((self.tools.silence, &progress as &dyn Fn() -> u64));
        process::run(&mut java, &self.log(), &Patience { whole: self.tools.seconds, silent })
    }

    /// What a JVM is told so that tests can be watched in it.
    fn watching(&self, watched: Watched) -> Vec<&'static str> {
        let must_be_asked = self.tools.version.is_some_and(|version| ALLOWED.0.contains(&version));
        match watched {
            Watched::Nothing => Vec::new(),
            Watched::Machine if must_be_asked => vec![UNSAFE, ALLOWED.1],
            Watched::Shared | Watched::Machine => vec![UNSAFE],
        }
    }

    /// How many JVMs a trial may lose.
    pub(crate) fn may_lose(&self) -> u32 {
        self.tools.lost
    }

    /// What the last JVM printed last.
    pub(crate) fn last_words(&self) -> Result<String, JudgeError> {
        Ok(process::tail(&self.log())?)
    }

    fn log(&self) -> PathBuf {
        self.scratch.path().join("run.log")
    }

    /// What JaCoCo counted in all runs together.
    pub(crate) fn measure(&mut self) -> Result<Measured, JudgeError> {
        let lines = self.scratch.path().join("coverage.txt");
        let mut java = Command::new(&self.tools.java);
        java.args(QUICK).current_dir(self.scratch.path());
        java.arg("-cp").arg(self.class_path(true)).arg("branchwise.judge.Coverage").arg(&lines);
        java.arg(self.folder("counts")?).arg(class_path(&self.case.class_path)).args(&self.case.classes);
        self.succeed(&mut java, "reading what JaCoCo counted")?;
        let text = std::fs::read_to_string(&lines)?;
        report::coverage(&text)
            .ok_or_else(|| JudgeError::Failed { what: "reading what JaCoCo counted".into(), output: text })
    }

    /// The JVM behind what confines it, if anything does.
    fn java_for_tests(&self, folder: &Path) -> Command {
        let own = |word: &OsString| if word == OWN_FOLDER { folder.into() } else { word.clone() };
        let mut words: Vec<OsString> = self.tools.wrapper.iter().map(own).collect();
        words.push(self.tools.java.clone().into());
        let mut words = words.into_iter();
        let mut java = Command::new(words.next().unwrap_or_default());
        java.args(words).args(QUICK).current_dir(folder);
        if !self.tools.wrapper.is_empty() {
            let told = TOLD.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            java.env_clear().envs(told);
        }
        java
    }

    /// Only the classes under test are measured, since the agent would slow down everything else too.
    fn agent_option(&self) -> Result<Option<String>, JudgeError> {
        if self.jacoco.is_none() {
            return Ok(None);
        }
        let names: Vec<String> = self.case.classes.iter().map(|class| class.replace('/', ".")).collect();
        let includes = if names.is_empty() { "none".to_owned() } else { names.join(":") };
        let agent = self.scratch.path().join("jacocoagent.jar");
        let counts = self.folder("counts")?.join(format!("{}.exec", self.started));
        let (agent, counts) = (agent.display(), counts.display());
        Ok(Some(format!("-javaagent:{agent}=destfile={counts},append=false,includes={includes}")))
    }

    fn class_path(&self, with_jacoco: bool) -> String {
        let classes = self.scratch.path().join("classes");
        let jacoco = self.jacoco.iter().filter(|_| with_jacoco).flat_map(|jacoco| &jacoco.jars);
        let libraries = self.junit.iter().chain(jacoco);
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
