//! An SMT solver as a child process: kept warm between questions, watched, killed and started anew when it hangs,
//! dies, talks nonsense or wants too much memory.

use crate::smt::{Smt, SmtAnswer};
use crate::{SmtLimits, Why};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Starts in a row that may fail before the solver counts as absent.
const FAILURES: u32 = 5;
/// Lines of the solver that wait to be read, and their longest length: it may be talking nonsense without end.
const LINES: usize = 64;
const LINE_BYTES: u64 = 64 << 20;
/// Printed by the solver after its values.
const END: &str = "branchwise-end";

/// How a solver is started and how each question begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Commands that forget the last question and set the limits; `{resources}` stands for
    /// [`SmtLimits::resources`].
    pub preamble: String,
}

impl Command {
    /// cvc5 over a pipe.
    #[must_use]
    pub fn cvc5() -> Command {
        Command {
            program: "cvc5".to_owned(),
            arguments: ["--incremental", "--lang=smt2", "-"].map(str::to_owned).to_vec(),
            preamble: "(reset)(set-option :produce-models true)(set-option :rlimit-per {resources})"
                .to_owned(),
        }
    }

    /// z3 over a pipe. Its resource units are smaller than those of cvc5 by about a hundred.
    #[must_use]
    pub fn z3() -> Command {
        Command {
            program: "z3".to_owned(),
            arguments: ["-in", "-smt2"].map(str::to_owned).to_vec(),
            preamble: "(reset)(set-option :produce-models true)(set-option :rlimit {resources}00)".to_owned(),
        }
    }
}

/// A solver process.
pub struct SmtProcess {
    command: Command,
    running: Option<Running>,
    failures: u32,
    /// How often it was started.
    pub starts: u64,
}

impl SmtProcess {
    /// A solver that is started with the first question.
    #[must_use]
    pub fn new(command: Command) -> SmtProcess {
        SmtProcess { command, running: None, failures: 0, starts: 0 }
    }

    fn running(&mut self, limits: &SmtLimits) -> Result<&mut Running, Why> {
        if self.running.is_none() {
            if self.failures >= FAILURES {
                return Err(Why::NoSolver);
            }
            self.starts += 1;
            self.running = Running::start(&self.command, limits).ok();
        }
        self.running.as_mut().ok_or_else(|| {
            self.failures += 1;
            Why::NoSolver
        })
    }
}

impl Smt for SmtProcess {
    fn check(&mut self, script: &str, values: &str, limits: &SmtLimits) -> SmtAnswer {
        let preamble = self.command.preamble.replace("{resources}", &limits.resources.to_string());
        let answer = match self.running(limits) {
            Ok(running) => running.check(format!("{preamble}\n{script}"), values, limits),
            Err(why) => return SmtAnswer::Unknown(why),
        };
        match answer {
            Ok(answer) => {
                self.failures = 0;
                answer
            }
            // Whatever went wrong, the next question meets a fresh process.
            Err(why) => {
                self.running = None;
                self.failures += u32::from(why != Why::TimeLimit);
                SmtAnswer::Unknown(why)
            }
        }
    }
}

/// A process at work. Threads carry text to and from it, so that neither a full pipe nor silence can block us.
struct Running {
    child: Child,
    questions: Sender<String>,
    lines: Receiver<String>,
}

impl Running {
    fn start(command: &Command, limits: &SmtLimits) -> std::io::Result<Running> {
        let mut child = std::process::Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        limit_memory(&child, limits.memory_bytes);
        let (questions, to_write) = channel();
        let (to_read, lines) = sync_channel(LINES);
        if let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) {
            std::thread::spawn(move || write_all(input, &to_write));
            std::thread::spawn(move || read_all(output, &to_read));
        }
        Ok(Running { child, questions, lines })
    }

    fn check(&mut self, script: String, values: &str, limits: &SmtLimits) -> Result<SmtAnswer, Why> {
        let deadline = Instant::now() + Duration::from_millis(limits.millis);
        self.say(script)?;
        match self.line(deadline)?.as_str() {
            "sat" => {
                self.say(format!("{values}\n(echo \"{END}\")\n"))?;
                Ok(SmtAnswer::Sat(self.until_end(deadline, limits.script_bytes)?))
            }
            "unsat" => Ok(SmtAnswer::Unsat),
            "unknown" => Ok(SmtAnswer::Unknown(Why::TimeLimit)),
            _ => Err(Why::BadAnswer),
        }
    }

    fn say(&self, text: String) -> Result<(), Why> {
        self.questions.send(text).map_err(|_| Why::SolverDied)
    }

    /// The next line that is not empty.
    fn line(&self, deadline: Instant) -> Result<String, Why> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => return Ok(line.trim().to_owned()),
                Err(RecvTimeoutError::Timeout) => return Err(Why::TimeLimit),
                Err(RecvTimeoutError::Disconnected) => return Err(Why::SolverDied),
            }
        }
    }

    fn until_end(&self, deadline: Instant, bytes: usize) -> Result<String, Why> {
        let mut text = String::new();
        while text.len() <= bytes {
            let line = self.line(deadline)?;
            if line.trim_matches('"') == END {
                return Ok(text);
            }
            text.push_str(&line);
            text.push('\n');
        }
        Err(Why::BadAnswer)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut input: ChildStdin, questions: &Receiver<String>) {
    while let Ok(text) = questions.recv() {
        if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_all(output: ChildStdout, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        let text = String::from_utf8_lossy(&line).into_owned();
        if lines.send(text).is_err() {
            return;
        }
        line.clear();
    }
}

fn limit_memory(child: &Child, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: prlimit reads the limit it is given and writes to no pointer of ours.
    unsafe { libc::prlimit(child.id() as libc::pid_t, libc::RLIMIT_AS, &limit, std::ptr::null_mut()) };
}
