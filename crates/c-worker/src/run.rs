//! The C target: one function of a loaded image, run again and again.

use crate::arena::Arena;
use crate::capture::StdoutCapture;
use crate::fork::{self, End, Views};
use crate::guard::{Claim, Guard};
use crate::heap::{self, Heap};
use crate::image::{Image, Trampoline};
use crate::layout::Placed;
use crate::observe;
use crate::owned;
use crate::probes::Probes;
use crate::region::{self, Region};
use crate::select::Selected;
use crate::snapshot::Snapshot;
use crate::stack::Stack;
use crate::stop::{self, Map, Report, Scene, how};
use crate::symbolic::{SymbolicError, Twins};
use crate::trace::{self, Trace};
use input::{Input, Space};
use model::{BranchId, FunctionId, Goal, Program};
use std::io;
use target::{Crash, Distance, Observation, Outcome, Path, Target};
use wire::symbolic::LossSite;

/// Where runs happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// In this process, except for functions that call one of [`wire::abi::NEEDS_FORK`].
    InProcess,
    /// Every run in a child of its own.
    Fork,
}

/// Bounds on one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Heap; allocations beyond it fail.
    pub heap_bytes: usize,
    /// Stack.
    pub stack_bytes: usize,
    /// Time, as the net under the tick limit.
    pub run_millis: u64,
    /// Errors are looked for: accesses behind blocks of the heap fault, and paths tell where an access could leave its
    /// object.
    pub find_errors: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { heap_bytes: 256 << 20, stack_bytes: 8 << 20, run_millis: 1000, find_errors: false }
    }
}

/// Why there is no target.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Signal handlers and arenas belong to the process.
    #[error("this process already has a target")]
    Busy,
    /// The system refuses memory or a timer.
    #[error("cannot set up the target: {0}")]
    System(#[from] io::Error),
}

/// Functions of an image, to be run.
///
/// Belongs to the thread that made it. There is one at a time in a process.
#[derive(Debug)]
pub struct CTarget {
    // In the order in which they have to go.
    twins: Option<Twins>,
    snapshot: Snapshot,
    probes: Probes,
    heap: Heap,
    arena: Arena,
    views: Views,
    guard: Guard,
    stack: Stack,
    shared: Region,
    result: Region,
    capture: Option<StdoutCapture>,
    selected: Option<Box<Selected>>,
    placed: Vec<Placed>,
    isolation: Isolation,
    limits: Limits,
    tick_limit: i64,
    last: Outcome,
    /// What happened while the precondition was asked for.
    fault: Option<Crash>,
    ticks: u64,
    suspect: bool,
    /// The last run had a process of its own.
    was_forked: bool,
    traces: bool,
    watch: Watch,
    runs: u32,
    library_heap: usize,
    image: Image,
    _claim: Claim,
}

/// How closely a run is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Watch {
    /// As far as it costs nothing.
    Lightly,
    /// Objects stand elsewhere, blocks of the heap are guarded, and what is freed is closed.
    Strictly {
        /// The allocation at which the run is stopped; 0 for none.
        stop_at: usize,
    },
}

/// Lost blocks that are told of one run.
const MOST_LOST: usize = 16;

/// What a run says about itself; shared with forked children.
#[derive(Default)]
#[repr(C)]
struct Said {
    report: Report,
    ticks: i64,
    heap: u64,
    finished: u32,
    /// Whether the precondition holds is still open.
    asking: u32,
    /// See [`Heap::is_starved`].
    starved: u32,
    environment: i32,
    scene: Scene,
    trace: Trace,
    /// The blocks that a watched run lost, by number of allocation; 0 behind the last.
    lost: [u32; MOST_LOST],
}

/// A run of a twin.
struct Traced<'a> {
    /// What records it.
    twins: &'a mut Twins,
    /// How to call it.
    trampoline: Trampoline,
    /// How to call the twin of its guard.
    guard: Option<Trampoline>,
    /// The variables of the input's cells.
    names: &'a [u32],
}

unsafe extern "C" {
    /// Whether the run has a process of its own; see [`wire::abi::Slot::Alone`].
    static mut bw_is_alone: i32;
}

/// A forked run takes as long as hundreds of others; so much of it is charged that a budget still ends.
const COST_OF_FORK: u64 = 50;
/// A run that the clock had to stop took seconds.
const COST_OF_TIME_OUT: u64 = 40_000;
/// Bytes allocated or printed that take about as long as one tick.
const HEAP_BYTES_PER_TICK: u64 = 16;
const PRINTED_BYTES_PER_TICK: u64 = 4;

const DEFAULT_TICKS: i64 = 1_000_000;
/// Runs between two looks at the library's heap, and how much it may grow.
const LEAK_CHECK: u32 = 1 << 14;
const LEAK_BYTES: usize = 256 << 20;

impl CTarget {
    /// Prepares to run functions of `image`.
    ///
    /// # Errors
    /// When the process already has a target, or the system refuses memory.
    pub fn new(image: Image, isolation: Isolation, limits: Limits) -> Result<CTarget, SetupError> {
        let claim = Claim::take().ok_or(SetupError::Busy)?;
        region::keep_clear_of(&image.segments.extent);
        let shared = Region::shared(size_of::<Said>())?;
        let stack = Stack::new(limits.stack_bytes)?;
        let target = CTarget {
            twins: None,
            snapshot: Snapshot::take(&image.segments, image.ticks as usize),
            probes: Probes::new(image.program())?,
            heap: Heap::new(limits.heap_bytes, limits.find_errors)?,
            arena: Arena::new()?,
            views: Views::new()?,
            guard: Guard::install(limits.run_millis, shared.base().cast())?,
            stack,
            shared,
            result: Region::shared(1)?,
            capture: None,
            selected: None,
            placed: Vec::new(),
            isolation,
            limits,
            tick_limit: DEFAULT_TICKS,
            last: Outcome::WorkerDied,
            fault: None,
            ticks: 0,
            suspect: false,
            was_forked: false,
            traces: false,
            watch: Watch::Lightly,
            runs: 0,
            library_heap: 0,
            image,
            _claim: claim,
        };
        let image = target.image.segments.extent.clone();
        owned::set_forbidden([target.arena.range(), target.stack.range(), image]);
        Ok(target)
    }

    /// Observes standard output from now on.
    pub fn capture_stdout(&mut self, capture: StdoutCapture) {
        self.capture = Some(capture);
    }

    /// Loads the twins of the image's functions, so that runs can be traced.
    ///
    /// # Errors
    /// When they cannot be loaded or there is no room for shadows.
    pub fn load_twins(&mut self, path: &std::path::Path, sites: Vec<LossSite>) -> Result<(), SymbolicError> {
        let image = self.image.segments.extent.clone();
        let stack = self.stack.range();
        let areas = [self.arena.range(), stack, self.heap.range(), image];
        self.twins = Some(Twins::load(path, sites, &self.image, &areas, self.limits.find_errors)?);
        Ok(())
    }

    /// From now on a load or a store at an address of the input chooses from so many cells at most.
    pub fn set_choices(&mut self, cells: usize) {
        if let Some(twins) = &mut self.twins {
            twins.set_choices(cells);
        }
    }

    /// Whether a run may have damaged the process, so that it should be replaced.
    #[must_use]
    pub fn suspect(&self) -> bool {
        self.suspect
    }

    /// Whether the last run called something whose result depends on the machine.
    #[must_use]
    pub fn asked_environment(&self) -> bool {
        self.said().environment != 0
    }

    /// Whether the selected function runs in children.
    #[must_use]
    pub fn is_forking(&self) -> bool {
        self.selected.as_ref().is_some_and(|s| s.forked)
    }

    /// The globals among the objects of `input` as the program initialises them; other objects come as zeros.
    /// To be asked before the first run of a selected function.
    pub fn initial(&mut self, input: &Input) -> Vec<Vec<target::Seen>> {
        let Some(selected) = self.selected.take() else { return Vec::new() };
        selected.plan.place(input, &mut self.arena, &mut self.placed);
        self.reset(&selected);
        // SAFETY: parameters and heap objects lie in our arena, globals in the image.
        let seen = unsafe { observe::objects(&selected.plan, &self.placed) };
        self.selected = Some(selected);
        seen
    }

    /// From now on, remembers the calls that lead to where runs are stopped.
    pub fn trace_calls(&mut self, traces: bool) {
        self.traces = traces;
    }

    /// What the last run was doing when it was stopped, if it was to be traced and was stopped.
    #[must_use]
    pub fn calls(&self) -> wire::Calls {
        match self.last.is_testable() || !self.traces {
            true => wire::Calls::default(),
            false => self.said().trace.calls(),
        }
    }

    /// Everything as after loading; the input is not there yet.
    #[inline]
    fn reset(&mut self, selected: &Selected) {
        self.snapshot.restore();
        self.heap.reset();
        if selected.prints {
            self.guard.purge_stdio();
            if let Some(capture) = &self.capture {
                capture.clear();
            }
        }
        if selected.random {
            // SAFETY: the state every C program starts with.
            unsafe { libc::srand(1) };
        }
    }

    /// Blocks of the library's own heap cannot be taken back: too many of them, and the process has to go.
    fn watch_library_heap(&mut self) {
        self.runs = self.runs.wrapping_add(1);
        if self.runs.is_multiple_of(LEAK_CHECK) {
            self.suspect |= library_heap().saturating_sub(self.library_heap) > LEAK_BYTES;
        }
    }

    /// Lays out the input and calls the function.
    #[inline]
    fn call(&self, selected: &Selected, input: &Input, arguments: usize, traced: Option<Traced<'_>>) -> i32 {
        if let Watch::Strictly { stop_at } = self.watch {
            heap::guard(stop_at);
        }
        // SAFETY: `place` was called for this input, and the image is writable or opens itself on demand.
        unsafe {
            selected.plan.write(input, &self.placed);
            let mut trampoline = selected.trampoline;
            let mut guard = selected.guard.map(|(_, guard)| guard);
            if let Some(traced) = traced {
                traced.twins.begin(&selected.plan, input, &self.placed, traced.names);
                (trampoline, guard) = (traced.trampoline, traced.guard);
            }
            self.image.ticks.write_volatile(self.tick_limit);
            let call = |what| self.guard.call(what, arguments, self.result.base(), self.stack.top());
            let mut how = how::RETURNED;
            if let Some(guard) = guard {
                self.said().asking = 1;
                how = call(guard);
            }
            if how == how::RETURNED {
                self.said().asking = 0;
                // What the precondition is made of is no part of the run.
                self.probes.reset();
                how = call(trampoline);
            }
            self.said().report.how = how;
            self.said().ticks = self.image.ticks.read_volatile();
            self.said().heap = self.heap.used() as u64;
            if !self.image.environment.is_null() {
                self.said().environment = self.image.environment.read_volatile();
            }
            if how != how::RETURNED {
                self.look_back();
            }
            if self.watch != Watch::Lightly {
                owned::reopen(&self.placed);
                self.said().lost =
                    if how == how::RETURNED { self.lost(selected, arguments) } else { [0; MOST_LOST] };
            }
            how
        }
    }

    /// The blocks that nothing leads to after the run: neither its result, nor variables, nor objects of the input.
    unsafe fn lost(&self, selected: &Selected, arguments: usize) -> [u32; MOST_LOST] {
        let result = self.result.base() as usize;
        let segments = &self.image.segments;
        let variables = segments.writable.iter().chain(&segments.thread_local).cloned();
        let objects = self.placed.iter().filter(|place| place.start != 0 && !place.freed);
        let objects = objects.map(|place| place.start..place.start + place.size);
        let own = [result..result + selected.result.stride, arguments..arguments + selected.plan.arguments()];
        let roots: Vec<_> = variables.chain(objects).chain(own).collect();
        // SAFETY: all of it is readable.
        let lost = unsafe { heap::lost(&roots) };
        let mut told = [0; MOST_LOST];
        told.iter_mut().zip(lost).for_each(|(place, number)| *place = number as u32);
        told
    }

    /// Notes where the run was stopped, while its stack is there.
    fn look_back(&self) {
        let (report, map) = (self.said().report, self.map());
        self.said().scene = stop::scene(&report, &map);
        if self.traces {
            self.said().trace = trace::walk(&report, &map);
        }
    }

    /// Brings the target's output to its descriptor. `abort` and `_exit` lose what is still in the buffer.
    fn finish_output(&self, how: i32) {
        if matches!(how, how::ABORTED | how::EXITED_UNFLUSHED) {
            self.guard.purge_stdio();
        } else {
            self.guard.flush_stdout(self.stack.top());
        }
    }

    /// `None` if the run needs a process of its own.
    #[inline]
    fn run_here(
        &mut self,
        selected: &Selected,
        input: &Input,
        arguments: usize,
        traced: Option<Traced<'_>>,
    ) -> Option<Outcome> {
        self.reset(selected);
        if selected.leaks {
            self.watch_library_heap();
        }
        let how = self.call(selected, input, arguments, traced);
        self.said().starved = self.heap.is_starved().into();
        match how {
            how::RETURNED => return Some(self.if_steady(Outcome::Returned)),
            how::NOT_ALONE => return None,
            _ => {}
        }
        let (report, scene) = (self.said().report, self.said().scene);
        self.suspect |= stop::is_suspect(&report, &self.map());
        let outcome = stop::outcome(&report, scene, &self.map());
        Some(self.or_rejected(outcome))
    }

    /// How a run ended, if it would end so with more memory as well.
    fn if_steady(&mut self, outcome: Outcome) -> Outcome {
        if self.said().starved != 0 && outcome.is_testable() { Outcome::Unsteady } else { outcome }
    }

    /// How a run ended, if its precondition held. Where that could not even be found out, it did not.
    fn or_rejected(&mut self, outcome: Outcome) -> Outcome {
        if self.said().asking == 0 {
            return self.if_steady(outcome);
        }
        if let Outcome::Crashed(crash) = outcome {
            self.fault = Some(crash);
        }
        Outcome::Rejected
    }

    /// A run that turned out to need a process of its own begins there again.
    fn run_again_in_child(
        &mut self,
        selected: &Selected,
        input: &Input,
        arguments: usize,
        traced: Option<Traced<'_>>,
    ) -> Outcome {
        self.reset(selected);
        self.probes.reset();
        self.was_forked = true;
        self.run_in_child(selected, input, arguments, traced)
    }

    /// The same in a child. The parent stays as after loading, so there is nothing to reset.
    fn run_in_child(
        &mut self,
        selected: &Selected,
        input: &Input,
        arguments: usize,
        traced: Option<Traced<'_>>,
    ) -> Outcome {
        if let Some(capture) = &self.capture {
            capture.clear();
        }
        *self.said() = Said::default();
        if self.views.assign(&mut self.placed).is_err() {
            return Outcome::WorkerDied;
        }
        let story = [&self.shared, &self.result, self.probes.memory(), self.views.memory()];
        let end = fork::in_child(self.limits.run_millis, selected.signals, story, || {
            // SAFETY: this process has one thread.
            unsafe { bw_is_alone = 1 };
            let how = self.call(selected, input, arguments, traced);
            self.said().starved = self.heap.is_starved().into();
            self.finish_output(how);
            // SAFETY: a target that unmapped them ends this child with a fault.
            unsafe { Views::save(&self.placed) };
            self.said().finished = 1;
            match how {
                how::EXITED | how::EXITED_UNFLUSHED => self.said().report.code,
                _ => libc::EXIT_FAILURE,
            }
        });
        let (report, scene) = (self.said().report, self.said().scene);
        match self.said().finished {
            0 => self.placed.iter_mut().for_each(|place| place.view = 0),
            _ => Views::recall(&mut self.placed),
        }
        let outcome = match end {
            End::Exited(_) if self.said().finished == 1 => stop::outcome(&report, scene, &self.map()),
            End::Exited(status) => Outcome::Exited(status),
            End::Signalled(signal) => stop::killed_by(signal),
            End::TimedOut => Outcome::TimedOut,
            End::Failed => Outcome::WorkerDied,
        };
        self.or_rejected(outcome)
    }

    /// A run that is watched strictly and stopped at an allocation.
    fn watched(&mut self, input: &Input, stop_at: usize) -> Outcome {
        self.watch = Watch::Strictly { stop_at };
        self.arena.in_front = true;
        owned::close_freed(true);
        let outcome = self.run_with(input, None);
        owned::close_freed(false);
        self.arena.in_front = false;
        self.watch = Watch::Lightly;
        outcome
    }

    /// After a run that was watched strictly: the calls that led to where blocks were allocated that nothing leads to
    /// any more, a few at most. Runs the input again for each. Nothing is known where the library may hold blocks.
    pub fn leaks(&mut self, input: &Input) -> Vec<wire::Calls> {
        if self.last != Outcome::Returned || self.selected.as_ref().is_none_or(|selected| selected.leaks) {
            return Vec::new();
        }
        let lost = self.said().lost;
        let traces = std::mem::replace(&mut self.traces, true);
        let lost = lost.into_iter().take_while(|&number| number != 0);
        let calls = lost
            .map(|number| {
                self.watched(input, number as usize);
                self.calls()
            })
            .collect();
        self.traces = traces;
        calls
    }

    fn map(&self) -> Map<'_> {
        Map { segments: &self.image.segments, stack: &self.stack, placed: &self.placed }
    }

    #[inline]
    fn run_with(&mut self, input: &Input, mut traced: Option<Traced<'_>>) -> Outcome {
        // Taken out for the run, so that it can be borrowed beside everything else.
        let Some(selected) = self.selected.take() else { return Outcome::WorkerDied };
        self.probes.reset();
        let arguments = selected.plan.place(input, &mut self.arena, &mut self.placed);
        // SAFETY: `placed` changes only before a run.
        unsafe { owned::set_objects(&mut self.placed) };
        self.was_forked = selected.forked;
        self.said().asking = 0;
        self.fault = None;
        self.last = if selected.forked {
            self.run_in_child(&selected, input, arguments, traced)
        } else {
            let first = traced.as_mut().map(|traced| Traced { twins: &mut *traced.twins, ..*traced });
            match self.run_here(&selected, input, arguments, first) {
                Some(outcome) => outcome,
                None => self.run_again_in_child(&selected, input, arguments, traced),
            }
        };
        self.ticks = self.tick_limit.saturating_sub(self.said().ticks.max(0)).max(0) as u64
            + self.said().heap / HEAP_BYTES_PER_TICK;
        if selected.prints
            && let Some(capture) = &self.capture
        {
            self.ticks += capture.len() / PRINTED_BYTES_PER_TICK;
        }
        self.selected = Some(selected);
        self.last
    }

    #[inline]
    #[expect(clippy::mut_from_ref, reason = "memory shared with the handlers and with children")]
    fn said(&self) -> &mut Said {
        // SAFETY: made for it; only this thread and a child that has ended write to it.
        unsafe { &mut *self.shared.base().cast() }
    }
}

impl Target for CTarget {
    fn program(&self) -> &Program {
        self.image.program()
    }

    fn select(&mut self, function: FunctionId, space: &Space) {
        self.snapshot.restore();
        self.heap.reset();
        self.arena.scrub();
        self.probes.reset();
        self.guard.purge_stdio();
        self.last = Outcome::WorkerDied;
        self.library_heap = library_heap();
        self.placed.clear();
        self.selected = Selected::new(&self.image, function, space, self.isolation).map(Box::new);
        let Some(selected) = &self.selected else { return };
        let externals = &self.image.program().function(function).externals;
        self.snapshot.prepare_for(externals, selected.forked);
        if selected.result.stride > self.result.len() {
            match Region::shared(selected.result.stride) {
                Ok(region) => self.result = region,
                Err(_) => self.selected = None,
            }
        }
    }

    #[inline]
    fn run(&mut self, input: &Input) -> Outcome {
        self.run_with(input, None)
    }

    fn run_strictly(&mut self, input: &Input) -> Outcome {
        self.watched(input, 0)
    }

    fn trace(&mut self, input: &Input, names: &[u32], terms: &mut expr::Terms) -> Option<(Outcome, Path)> {
        let mut twins = self.twins.take()?;
        let selected = self.selected.as_ref().map(|s| (s.function, s.guard));
        let twin = |id| twins.trampoline(self.image.program().function(id));
        let twin =
            selected.and_then(|(id, guard)| Some((twin(id)?, guard.and_then(|(guard, _)| twin(guard)))));
        let found = twin.map(|(trampoline, guard)| {
            let traced = Traced { twins: &mut twins, trampoline, guard, names };
            let outcome = self.run_with(input, Some(traced));
            let mut path = twins.end(terms);
            path.fault = self.fault;
            (outcome, path)
        });
        self.twins = Some(twins);
        found
    }

    fn addresses(&mut self, input: &Input) -> Vec<u64> {
        let Some(selected) = &self.selected else { return vec![0; input.objects.len()] };
        selected.plan.place(input, &mut self.arena, &mut self.placed);
        self.placed.iter().map(|place| place.start as u64).collect()
    }

    fn loss(&self, place: u32) -> Option<String> {
        self.twins.as_ref()?.loss(place)
    }

    #[inline]
    fn touched(&self) -> &[BranchId] {
        self.probes.touched()
    }

    #[inline]
    fn distance(&self, goal: Goal) -> Distance {
        self.probes.distance(goal.index())
    }

    #[inline]
    fn ticks(&self) -> u64 {
        self.ticks
    }

    #[inline]
    fn cost(&self) -> u64 {
        match self.last {
            Outcome::TimedOut => COST_OF_TIME_OUT,
            _ if self.was_forked => COST_OF_FORK,
            _ => 1,
        }
    }

    fn set_tick_limit(&mut self, ticks: u64) {
        self.tick_limit = i64::try_from(ticks).unwrap_or(i64::MAX);
    }

    fn observe(&mut self) -> Observation {
        let Some(selected) = &self.selected else { return Observation::default() };
        if selected.prints && !self.was_forked {
            self.finish_output(self.said().report.how);
        }
        let stdout = match &self.capture {
            Some(capture) if selected.prints || self.was_forked => capture.read(),
            _ => Vec::new(),
        };
        // SAFETY: nothing ran since; the result has room for its type.
        unsafe {
            let result = match self.last {
                Outcome::Returned => {
                    observe::value(&selected.result, self.result.base(), &selected.plan, &self.placed)
                }
                _ => Vec::new(),
            };
            Observation {
                result,
                objects: observe::objects(&selected.plan, &self.placed),
                freed: (0..).zip(&self.placed).filter(|(_, place)| place.freed).map(|(i, _)| i).collect(),
                stdout: Some(stdout),
            }
        }
    }
}

/// Bytes in use of the library's own heap.
fn library_heap() -> usize {
    // SAFETY: only adds up.
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}
