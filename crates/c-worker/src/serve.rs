//! The worker process: takes jobs from the driver, works on them beside the target, and reports.

use crate::region;
use crate::sandbox::{self, Enforced, SandboxPolicy, SandboxReport};
use crate::{CTarget, Image, Isolation, Limits, StdoutCapture};
use campaign::{Clock, Scope, run_function};
use expr::Terms;
use input::{Input, Pointer, Space};
use model::{BranchId, FunctionId, Goal, Program};
use solver::{NoSmt, Smt, SmtAnswer, SmtLimits, Why};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use target::{Distance, Observation, Outcome, Path, Seen, Target};
use wire::{COUNTERS_FD, Job, REPLY_FD, Replayed, Reply, Setup, SharedCounters, read_frame, write_frame};

/// Runs until the driver hangs up.
pub fn serve() -> ExitCode {
    match Server::connect() {
        Ok(mut server) => {
            while server.next_job() {}
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("branchwise-worker: {error}; it is started by branchwise, not by hand");
            ExitCode::FAILURE
        }
    }
}

struct Server {
    jobs: File,
    replies: File,
    /// The same pipe as `replies`, for questions in the middle of a campaign.
    asking: File,
    counters: SharedCounters,
    target: CTarget,
    program: Arc<Program>,
    /// By [`Goal::index`]: whether it is a goal.
    goals: Vec<bool>,
}

impl Server {
    fn connect() -> io::Result<Server> {
        let counters = SharedCounters::open(COUNTERS_FD)?;
        let (mut jobs, mut replies) = take_streams()?;
        live_apart();
        let setup: Setup = read_frame(&mut jobs).map_err(io::Error::other)?;
        match prepare(&setup) {
            Ok((target, program, enforced)) => {
                write_frame(&mut replies, &Reply::Ready { enforced }).map_err(io::Error::other)?;
                let goals = goals_of(&program);
                let asking = replies.try_clone()?;
                Ok(Server { jobs, replies, asking, counters, target, program, goals })
            }
            Err(reason) => {
                write_frame(&mut replies, &Reply::Failed(reason.clone())).map_err(io::Error::other)?;
                Err(io::Error::other(reason))
            }
        }
    }

    /// Does one job; false when the driver is gone.
    fn next_job(&mut self) -> bool {
        let Ok(job) = read_frame::<Job>(&mut self.jobs) else { return false };
        let reply = match job {
            Job::Campaign { function, settings, seeds } => {
                let space = self.space(function, settings.limits, &settings.rules);
                match space {
                    Ok(space) => self.campaign(function, space, &settings, &seeds),
                    Err(error) => Reply::Unsupported(error),
                }
            }
            Job::Replay { function, limits, rules, inputs, tick_limit, watched } => {
                match self.space(function, limits, &rules) {
                    Ok(space) => self.replay(function, &space, &inputs, tick_limit, watched),
                    Err(error) => Reply::Unsupported(error),
                }
            }
            Job::Answer(_) => return true,
        };
        write_frame(&mut self.replies, &reply).is_ok()
    }

    /// The inputs of a function, with the initial values of its globals filled in.
    fn space(
        &mut self,
        function: FunctionId,
        limits: input::SpaceLimits,
        rules: &[input::RangeRule],
    ) -> Result<Space, input::SpaceError> {
        let mut space = Space::new(&self.program, self.program.function(function), limits, rules)?;
        self.target.select(function, &space);
        let seen = self.target.initial(&Input::zero(&space));
        for (root, cells) in space.roots.iter_mut().zip(seen) {
            if matches!(root.place, input::Place::Global(_)) {
                root.initial = Some(cells.into_iter().map(initial_cell).collect());
            }
        }
        Ok(space)
    }

    fn campaign(
        &mut self,
        id: FunctionId,
        space: Space,
        settings: &campaign::Settings,
        seeds: &[Input],
    ) -> Reply {
        let program = Arc::clone(&self.program);
        let function = program.function(id);
        let scope = match settings.whole {
            true => Scope::program(&program, function),
            false => Scope::reaching(&program, id, settings.reach),
        };
        let mut counted = Counted {
            target: &mut self.target,
            counters: &self.counters,
            execution: 0,
            skip: settings.skip.clone(),
        };
        let replies = &mut self.replies;
        let mut sink = |event| {
            // A driver that hung up kills us; nothing to do about it here.
            let _ = write_frame(replies, &Reply::Event(event));
        };
        let clock = Stopwatch(Instant::now());
        let (jobs, asking) = (&self.jobs, &self.asking);
        let connect = || -> Box<dyn Smt> {
            match (jobs.try_clone(), asking.try_clone()) {
                (Ok(answers), Ok(questions)) => Box::new(Driver { questions, answers }),
                _ => Box::new(NoSmt),
            }
        };
        let result = run_function(&mut counted, &scope, &space, settings, seeds, &clock, &connect, &mut sink);
        Reply::Campaign(Box::new(space), Box::new(result))
    }

    fn replay(
        &mut self,
        id: FunctionId,
        space: &Space,
        inputs: &[Input],
        tick_limit: u64,
        watched: bool,
    ) -> Reply {
        self.target.select(id, space);
        self.target.set_tick_limit(tick_limit);
        self.target.trace_calls(true);
        let mut answers = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            self.counters.get().execution.store(i as u64 + 1, Ordering::Relaxed);
            let outcome = self.target.run(input);
            let covers = covered(&self.goals, &self.target);
            let calls = self.target.calls();
            let observation = self.target.observe();
            let environment = self.target.asked_environment();
            let mut replayed =
                Replayed { outcome, covers, observation, environment, calls, leaks: Vec::new() };
            if watched && outcome.is_testable() {
                self.watch(input, &mut replayed);
            }
            answers.push(replayed);
        }
        self.target.trace_calls(false);
        Reply::Replay(answers)
    }

    /// Runs an input again under strict watch: the errors that it shows then are what it does, and what it leaks is noted.
    fn watch(&mut self, input: &Input, replayed: &mut Replayed) {
        let outcome = self.target.run_strictly(input);
        if outcome.is_testable() {
            replayed.leaks = self.target.leaks(input);
        } else {
            replayed.outcome = outcome;
            replayed.calls = self.target.calls();
        }
    }
}

/// The driver hands everything over as standard streams. The target is to see none of it: jobs and replies
/// move to other descriptors, and the streams lead nowhere.
fn take_streams() -> io::Result<(File, File)> {
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    // SAFETY: plain system calls; the descriptors that are moved to are ours.
    unsafe {
        let jobs = libc::fcntl(libc::STDIN_FILENO, libc::F_DUPFD_CLOEXEC, 16);
        let replies = libc::fcntl(REPLY_FD, libc::F_DUPFD_CLOEXEC, 16);
        let cleared = (0..=libc::STDERR_FILENO).all(|fd| libc::dup2(nowhere.as_raw_fd(), fd) >= 0);
        if jobs < 0 || replies < 0 || !cleared {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(jobs), File::from_raw_fd(replies)))
    }
}

/// This process dies with the thread of the driver that has started it, and has no terminal on which a target could wait.
fn live_apart() {
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    leave_terminal();
}

/// This process has no terminal on which a target could wait.
pub(crate) fn leave_terminal() {
    // SAFETY: plain system calls.
    unsafe {
        let terminal = libc::open(c"/dev/tty".as_ptr(), libc::O_RDONLY | libc::O_NONBLOCK | libc::O_CLOEXEC);
        if terminal >= 0 {
            libc::ioctl(terminal, libc::TIOCNOTTY);
            libc::close(terminal);
        }
    }
}

/// A cell of a global before the first run, as an input would hold it.
fn initial_cell(seen: Seen) -> u128 {
    match seen {
        Seen::Bits(bits) => bits,
        Seen::Null | Seen::Unstable => 0,
        Seen::Element { .. } | Seen::Elsewhere | Seen::Allocated => Pointer::Initial.encode(),
    }
}

fn goals_of(program: &Program) -> Vec<bool> {
    let mut goals = vec![false; program.branch_count as usize * 2];
    for goal in program.functions.iter().flat_map(|f| f.goals().chain(f.vectors())) {
        goals[goal.index()] = true;
    }
    goals
}

/// All goals of the program that the last run reached, also those of other functions.
fn covered(is_goal: &[bool], target: &CTarget) -> Vec<Goal> {
    let outcomes = |&branch: &BranchId| [true, false].map(|outcome| Goal { branch, outcome });
    let touched = target.touched().iter().flat_map(outcomes);
    let goals = touched.filter(|goal| is_goal.get(goal.index()).is_some_and(|&is| is));
    let mut goals: Vec<Goal> = goals.filter(|&goal| target.distance(goal) == 0).collect();
    goals.sort_unstable();
    goals
}

/// Confines this process and loads the image, in this order: loading already runs code of the target.
fn prepare(setup: &Setup) -> Result<(CTarget, Arc<Program>, Vec<String>), String> {
    let bytes = std::fs::read(&setup.program).map_err(|e| format!("{}: {e}", setup.program.display()))?;
    let program: Arc<Program> = Arc::new(wire::decode(&bytes).map_err(|e| format!("program model: {e}"))?);
    std::env::set_current_dir(&setup.scratch).map_err(|e| format!("{}: {e}", setup.scratch.display()))?;
    if setup.displaced {
        region::displace();
    }
    let capture = StdoutCapture::install().map_err(|e| format!("cannot capture output: {e}"))?;
    let report = sandbox::enter(&SandboxPolicy::new(&setup.scratch));
    let image = Image::load(&setup.image, Arc::clone(&program)).map_err(|e| e.to_string())?;
    let isolation = match setup.isolation {
        wire::Isolation::Auto => Isolation::InProcess,
        wire::Isolation::Fork => Isolation::Fork,
    };
    let limits = Limits {
        heap_bytes: setup.heap_bytes as usize,
        run_millis: setup.run_millis,
        find_errors: setup.find_errors,
        ..Limits::default()
    };
    let mut target = CTarget::new(image, isolation, limits).map_err(|e| e.to_string())?;
    target.capture_stdout(capture);
    if let Some(twins) = &setup.twins {
        let bytes = std::fs::read(&twins.sites).map_err(|e| format!("{}: {e}", twins.sites.display()))?;
        let sites = wire::decode(&bytes).map_err(|e| format!("places of the twins: {e}"))?;
        target.load_twins(&twins.object, sites).map_err(|e| e.to_string())?;
        target.set_choices(twins.choices as usize);
    }
    Ok((target, program, describe(&report)))
}

fn describe(report: &SandboxReport) -> Vec<String> {
    let word = |enforced| match enforced {
        Enforced::Fully => "yes",
        Enforced::Partly => "partly",
        Enforced::No => "NO",
    };
    let mut lines = vec![
        format!("{:<6} no writes outside the scratch folder (landlock)", word(report.files)),
        format!("{:<6} no network, no system administration (seccomp)", word(report.system_calls)),
        format!("{:<6} bounded files and descriptors, no core dumps (rlimits)", word(report.limits)),
    ];
    lines.extend(report.problems.iter().cloned());
    lines
}

/// The driver asks SMT solvers for us.
struct Driver {
    questions: File,
    answers: File,
}

impl Smt for Driver {
    fn check(&mut self, script: &str, values: &str, limits: &SmtLimits) -> SmtAnswer {
        let question =
            Reply::Ask { script: script.to_owned(), values: values.to_owned(), limits: limits.clone() };
        let sent = write_frame(&mut self.questions, &question);
        match sent.and_then(|()| read_frame::<Job>(&mut self.answers)) {
            Ok(Job::Answer(answer)) => answer,
            _ => SmtAnswer::Unknown(Why::SolverDied),
        }
    }
}

struct Stopwatch(Instant);

impl Clock for Stopwatch {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A target that writes the number of every execution where it survives the process.
struct Counted<'a> {
    target: &'a mut CTarget,
    counters: &'a SharedCounters,
    execution: u64,
    skip: Vec<u64>,
}

impl Counted<'_> {
    #[inline]
    fn number_execution(&mut self) {
        self.execution += 1;
        // The campaign counts skipped executions without running them.
        while !self.skip.is_empty() && self.skip.contains(&self.execution) {
            self.execution += 1;
        }
        self.counters.get().execution.store(self.execution, Ordering::Relaxed);
    }
}

impl Target for Counted<'_> {
    fn program(&self) -> &Program {
        self.target.program()
    }

    fn select(&mut self, function: FunctionId, space: &Space) {
        self.target.select(function, space);
    }

    #[inline]
    fn run(&mut self, input: &Input) -> Outcome {
        self.number_execution();
        self.target.run(input)
    }

    #[inline]
    fn touched(&self) -> &[BranchId] {
        self.target.touched()
    }

    #[inline]
    fn distance(&self, goal: Goal) -> Distance {
        self.target.distance(goal)
    }

    #[inline]
    fn ticks(&self) -> u64 {
        self.target.ticks()
    }

    #[inline]
    fn cost(&self) -> u64 {
        self.target.cost()
    }

    fn set_tick_limit(&mut self, ticks: u64) {
        self.target.set_tick_limit(ticks);
    }

    fn observe(&mut self) -> Observation {
        self.target.observe()
    }

    fn run_strictly(&mut self, input: &Input) -> Outcome {
        self.number_execution();
        self.target.run_strictly(input)
    }

    fn trace(&mut self, input: &Input, names: &[u32], terms: &mut Terms) -> Option<(Outcome, Path)> {
        self.number_execution();
        self.target.trace(input, names, terms)
    }

    fn addresses(&mut self, input: &Input) -> Vec<u64> {
        self.target.addresses(input)
    }

    fn loss(&self, place: u32) -> Option<String> {
        self.target.loss(place)
    }
}
