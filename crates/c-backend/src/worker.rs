//! One worker process and the jobs it is given.

use crate::solvers::Solvers;
use campaign::{CampaignResult, Event, Settings};
use input::{Input, RangeRule, Space, SpaceError, SpaceLimits};
use model::FunctionId;
use solver::SmtProcess;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use target::{Observation, Outcome};
use wire::{
    Calls, FrameError, Isolation, Job, Replayed, Reply, Setup, SharedCounters, read_frame, write_frame,
};

/// How often a worker may die on one function before every run gets a process of its own.
const DEATHS_BEFORE_FORK: usize = 8;
/// How often after that before the function is given up.
const DEATHS_BEFORE_GIVING_UP: usize = 24;
/// Pause between two looks at a silent worker.
const LOOK: Duration = Duration::from_millis(50);

/// A worker could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// It did not start.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The worker program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// It died before it was ready: the image cannot be loaded.
    #[error("the worker could not load the program: {0}")]
    Load(String),
    /// It dies whatever it does.
    #[error("the worker died {0} times")]
    DiesAlways(usize),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The pipe to it failed.
    #[error(transparent)]
    Pipe(#[from] FrameError),
}

/// How inputs are run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// Ticks after which a run is stopped.
    pub tick_limit: u64,
    /// Everything lies elsewhere in memory than in other workers.
    pub randomised: bool,
    /// Each input is also run under strict watch, see [`target::Target::run_strictly`].
    pub watched: bool,
}

/// What a campaign in a worker gave.
#[derive(Debug)]
pub enum Campaigned {
    /// It ran to its end.
    Finished {
        /// The space, with initial values of globals.
        space: Box<Space>,
        /// What was found.
        result: Box<CampaignResult>,
    },
    /// No inputs can be made.
    Unsupported(SpaceError),
    /// It was interrupted or cannot go on; what it had told until then remains.
    Stopped(BackendError),
}

/// How to run workers.
#[derive(Clone, Debug)]
pub struct Backend {
    /// The worker program.
    pub program: PathBuf,
    /// What every worker is told.
    pub setup: Setup,
    /// Solvers for questions that workers ask.
    pub solvers: Solvers,
}

struct Worker {
    child: Child,
    jobs: ChildStdin,
    replies: io::PipeReader,
    counters: SharedCounters,
    stall: Duration,
}

/// Why a worker stopped answering.
enum Silence {
    Died,
    Stalled,
    Interrupted,
}

impl Backend {
    /// Works on one function, through as many workers as it takes.
    ///
    /// # Errors
    /// When no worker can be started at all.
    pub fn campaign(
        &self,
        function: FunctionId,
        settings: &Settings,
        seeds: &[Input],
        interrupt: &AtomicBool,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Campaigned, BackendError> {
        let mut settings = settings.clone();
        let mut setup = self.setup.clone();
        for death in 0.. {
            if death == DEATHS_BEFORE_FORK {
                setup.isolation = Isolation::Fork;
                settings.skip.clear();
            }
            if death == DEATHS_BEFORE_GIVING_UP {
                return Ok(Campaigned::Stopped(BackendError::DiesAlways(death)));
            }
            let mut worker = self.start(&setup, false)?;
            let job = Job::Campaign { function, settings: Box::new(settings.clone()), seeds: seeds.to_vec() };
            write_frame(&mut worker.jobs, &job)?;
            match worker.campaign_replies(&self.solvers, interrupt, on_event) {
                Ok(campaigned) => return Ok(campaigned),
                Err(Silence::Interrupted) => return Ok(Campaigned::Stopped(BackendError::Interrupted)),
                Err(Silence::Died | Silence::Stalled) => {
                    settings.skip.push(worker.counters.get().execution.load(Ordering::Relaxed));
                }
            }
        }
        unreachable!("the loop ends by returning")
    }

    /// Runs inputs in fresh workers, in a certain manner; one that kills its worker is reported so and the rest goes on.
    ///
    /// # Errors
    /// When no worker can be started at all.
    pub fn replay(
        &self,
        function: FunctionId,
        limits: SpaceLimits,
        rules: &[RangeRule],
        inputs: &[Input],
        manner: Manner,
    ) -> Result<Vec<Replayed>, BackendError> {
        let Manner { tick_limit, randomised, watched } = manner;
        let never = AtomicBool::new(false);
        let mut done: Vec<Replayed> = Vec::new();
        while done.len() < inputs.len() {
            let setup = Setup { displaced: randomised, ..self.setup.clone() };
            let mut worker = self.start(&setup, randomised)?;
            let rest = inputs[done.len()..].to_vec();
            let job =
                Job::Replay { function, limits, rules: rules.to_vec(), inputs: rest, tick_limit, watched };
            write_frame(&mut worker.jobs, &job)?;
            match worker.reply(&never) {
                Ok(Reply::Replay(replayed)) if !replayed.is_empty() => done.extend(replayed),
                Ok(Reply::Failed(reason)) => return Err(BackendError::Load(reason)),
                _ => {
                    // The runs before the fatal one are repeated one by one in workers of their own.
                    let fatal = worker.counters.get().execution.load(Ordering::Relaxed).max(1) as usize - 1;
                    let before = inputs[done.len()..][..fatal.min(inputs.len() - done.len())].to_vec();
                    drop(worker);
                    if !before.is_empty() {
                        done.extend(self.replay(function, limits, rules, &before, manner)?);
                    }
                    if done.len() < inputs.len() {
                        done.push(Replayed {
                            outcome: Outcome::WorkerDied,
                            covers: Vec::new(),
                            observation: Observation::default(),
                            environment: false,
                            calls: Calls::default(),
                            leaks: Vec::new(),
                        });
                    }
                }
            }
        }
        Ok(done)
    }

    /// What the sandbox of a worker enforces, in words.
    ///
    /// # Errors
    /// When no worker can be started.
    pub fn enforced(&self) -> Result<Vec<String>, BackendError> {
        let mut worker = self.spawn(false)?;
        write_frame(&mut worker.jobs, &self.setup)?;
        match worker.reply(&AtomicBool::new(false)) {
            Ok(Reply::Ready { enforced }) => Ok(enforced),
            Ok(Reply::Failed(reason)) => Err(BackendError::Load(reason)),
            _ => Err(BackendError::Load("it died while loading".into())),
        }
    }

    fn start(&self, setup: &Setup, randomised: bool) -> Result<Worker, BackendError> {
        let mut worker = self.spawn(randomised)?;
        worker.stall = Duration::from_millis(setup.run_millis * 4 + 3000);
        write_frame(&mut worker.jobs, setup)?;
        match worker.reply(&AtomicBool::new(false)) {
            Ok(Reply::Ready { .. }) => Ok(worker),
            Ok(Reply::Failed(reason)) => Err(BackendError::Load(reason)),
            _ => Err(BackendError::Load("it died while loading".into())),
        }
    }

    /// Starts the process in a group of its own, at the same addresses every time unless `randomised`.
    ///
    /// It takes its descriptors as standard streams and does the rest of its preparation itself: any code of
    /// ours between fork and exec would make the kernel copy the page tables of this process, LLVM included.
    fn spawn(&self, randomised: bool) -> Result<Worker, BackendError> {
        let failed = |source| BackendError::Start { program: self.program.display().to_string(), source };
        let counters = SharedCounters::create().map_err(failed)?;
        let (replies, reply_end) = io::pipe().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(reply_end).stderr(counters.file().map_err(failed)?);
        command.process_group(0);
        let started = if randomised { command.spawn() } else { without_randomisation(|| command.spawn()) };
        let mut child = started.map_err(failed)?;
        let jobs = child.stdin.take().expect("piped");
        Ok(Worker { child, jobs, replies, counters, stall: Duration::from_secs(10) })
    }
}

/// The personality belongs to the thread, and children inherit it.
fn without_randomisation<T>(start: impl FnOnce() -> T) -> T {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: changes nothing but how later executions of this thread are laid out, and puts it back.
    unsafe {
        let before = libc::personality(ASK);
        libc::personality(before as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        let started = start();
        libc::personality(before as libc::c_ulong);
        started
    }
}

impl Worker {
    fn campaign_replies(
        &mut self,
        solvers: &Solvers,
        interrupt: &AtomicBool,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Campaigned, Silence> {
        let mut solver = None;
        let result = self.campaign_until_end(solvers, &mut solver, interrupt, on_event);
        solvers.give_back(solver);
        result
    }

    fn campaign_until_end(
        &mut self,
        solvers: &Solvers,
        solver: &mut Option<SmtProcess>,
        interrupt: &AtomicBool,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Campaigned, Silence> {
        loop {
            match self.reply(interrupt)? {
                Reply::Event(event) => on_event(&event),
                Reply::Ask { script, values, limits } => {
                    let answer = solvers.check(solver, &script, &values, &limits);
                    write_frame(&mut self.jobs, &Job::Answer(answer)).map_err(|_| Silence::Died)?;
                }
                Reply::Campaign(space, result) => return Ok(Campaigned::Finished { space, result }),
                Reply::Unsupported(error) => return Ok(Campaigned::Unsupported(error)),
                Reply::Failed(reason) => return Ok(Campaigned::Stopped(BackendError::Load(reason))),
                Reply::Ready { .. } | Reply::Replay(_) => return Err(Silence::Died),
            }
        }
    }

    /// Waits for the next reply while the worker lives and its runs go on.
    fn reply(&mut self, interrupt: &AtomicBool) -> Result<Reply, Silence> {
        let mut last = (self.counters.get().execution.load(Ordering::Relaxed), Instant::now());
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Silence::Interrupted);
            }
            if self.is_readable() {
                return read_frame(&mut self.replies).map_err(|_| Silence::Died);
            }
            let execution = self.counters.get().execution.load(Ordering::Relaxed);
            if execution != last.0 {
                last = (execution, Instant::now());
            } else if last.1.elapsed() > self.stall {
                return Err(Silence::Stalled);
            }
        }
    }

    fn is_readable(&self) -> bool {
        let mut poll = libc::pollfd { fd: self.replies.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid pollfd.
        unsafe { libc::poll(&raw mut poll, 1, LOOK.as_millis() as i32) > 0 }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: kills the worker's own process group, forked children of the target included.
        unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
