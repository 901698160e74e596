//! A script as a target: values in, distances out.

use crate::account::Ends;
use crate::confirm::is_repeatable;
use crate::doubt::doubtful;
use crate::replays::Replays;
use crate::rules::Rules;
use crate::slots::Slots;
use crate::suspect::{Sight, Suspects};
use crate::times::{Times, timed};
use input::{Input, Space};
use java_frontend::{JavaModel, Judge};
use java_replay::{Replayed, Run, Way, replay};
use java_wire::event::{Code, Events};
use java_wire::message::{End, Manner};
use java_wire::{Action, Script, Value};
use java_worker::{Answer, Gone, Host, ScriptId};
use model::{BranchId, FunctionId, Goal, Program};
use std::collections::BTreeSet;
use std::time::Instant;
use target::{
    Access, Approximation, Crash, CrashKind, Distance, NOT_EVALUATED, Observation, Outcome, Path, Target,
};

/// A run that takes its machine with it costs as much time as so many others.
pub(crate) const COST_OF_A_MACHINE: u64 = 5_000;

/// So do runs that fill the stack or the memory.
const COST_OF_A_STACK: u64 = 25;
const COST_OF_A_HEAP: u64 = 100;
/// Ticks that take as long as a short run.
const TICKS_OF_A_RUN: u64 = 1 << 12;
/// The most ticks of a run: what takes more has a trace that is too long for a test.
const MOST_TICKS: u64 = 1 << 18;

/// A script without fresh classes is run 20,000 times a second, a small C function a million times.
const WEIGHT: u64 = 20;

/// A script, and the number under which a host has learnt it.
#[derive(Clone, Copy)]
pub struct Learnt<'a> {
    /// The number.
    pub number: ScriptId,
    /// The script.
    pub script: &'a Script,
}

/// One script in a machine.
pub struct JavaTarget<'a> {
    model: &'a JavaModel,
    host: &'a mut Host,
    /// What is executed again to get terms, and how; without it runs have no paths.
    code: Option<(&'a java_replay::Program, java_replay::Settings)>,
    script: Learnt<'a>,
    slots: &'a Slots,
    /// The step under test: what throws before it rules an input out.
    last: u32,
    /// Static fields are as at first in every run.
    fresh: bool,
    tick_limit: u64,
    /// What the user asks of every test.
    rules: Rules,
    /// By outcome of a branch: the least distance of the last run.
    distances: Vec<Distance>,
    touched: Vec<BranchId>,
    judge: Judge<'a>,
    /// Where runs are noted that no test can state, and the method under test.
    noted: Option<(&'a mut Suspects, FunctionId)>,
    /// What the last run counts.
    cost: u64,
    spent: u64,
    times: Times,
    ends: Ends,
    replays: Replays,
}

impl<'a> JavaTarget<'a> {
    /// A script that the host has learnt.
    #[must_use]
    pub fn new(
        model: &'a JavaModel,
        host: &'a mut Host,
        script: Learnt<'a>,
        slots: &'a Slots,
        fresh: bool,
    ) -> JavaTarget<'a> {
        let room = model.program.branch_count as usize * 2;
        let steps = script.script.steps.len();
        JavaTarget {
            model,
            host,
            code: None,
            script,
            slots,
            last: steps.saturating_sub(1) as u32,
            fresh,
            tick_limit: 1 << 14,
            rules: Rules::default(),
            distances: vec![NOT_EVALUATED; room],
            touched: Vec::new(),
            judge: Judge::following(model),
            noted: None,
            cost: 1,
            spent: 0,
            times: Times::default(),
            ends: Ends::default(),
            replays: Replays::default(),
        }
    }

    /// The same with paths as terms.
    #[must_use]
    pub fn replaying(
        mut self,
        program: &'a java_replay::Program,
        settings: java_replay::Settings,
    ) -> JavaTarget<'a> {
        self.code = Some((program, settings));
        self
    }

    /// The same, noting runs that end as no test can; the last step calls this method.
    #[must_use]
    pub(crate) fn noting(mut self, suspects: &'a mut Suspects, method: FunctionId) -> JavaTarget<'a> {
        self.noted = Some((suspects, method));
        self
    }

    /// The same for tests that keep to rules.
    #[must_use]
    pub(crate) fn keeping(mut self, rules: &Rules) -> JavaTarget<'a> {
        self.rules = rules.clone();
        self
    }

    /// What all runs counted.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// How long its runs and replays took.
    pub(crate) fn times(&self) -> Times {
        self.times
    }

    /// How its runs ended since this was asked last.
    pub(crate) fn take_ends(&mut self) -> Ends {
        std::mem::take(&mut self.ends)
    }

    /// What its replays have lost since this was asked last.
    pub(crate) fn take_replays(&mut self) -> Replays {
        std::mem::take(&mut self.replays)
    }

    /// The outcomes that happened in the last run.
    fn reached(&self) -> BTreeSet<Goal> {
        let outcomes = |&branch: &BranchId| [true, false].map(|outcome| Goal { branch, outcome });
        self.touched.iter().flat_map(outcomes).filter(|&goal| self.distance(goal) == 0).collect()
    }

    /// What a campaign wants to know of a run that was executed again.
    fn path(&self, input: &Input, replayed: &Replayed) -> Path {
        let sites = &self.model.sites;
        let mut path = replayed.path(|way| match way {
            Way::Jump { jump, target } => sites.goal(jump, target),
            Way::Boundary { jump, holds } => self.model.boundaries.goal(sites.get(jump)?, holds),
        });
        // Steps before the last lead to a state, and what they do is no goal.
        let steps = replayed.decisions.iter().filter(|decision| decision.condition.is_some());
        for (number, (decision, replayed)) in path.decisions.iter_mut().zip(steps).enumerate() {
            while path.calls.len() <= replayed.step as usize {
                path.calls.push(number as u32);
            }
            if replayed.step < self.last {
                decision.taken.goal = None;
                decision.others.iter_mut().for_each(|way| way.goal = None);
            }
        }
        path.cut |= matches!(replayed.end, java_replay::End::Diverged(_) | java_replay::End::OutOfTrace);
        if let java_replay::End::Diverged(_) = replayed.end {
            *path.approximations.entry(Approximation::Mismatch).or_default() += 1;
        }
        // Whether two references are the same is not asked of the solver, so that not all inputs are seen.
        path.has_written = true;
        path.fault = replayed.lack.and_then(|lack| {
            let object = self.slots.text(input, lack.slot)?;
            let access = Access::Beyond { object, offset: u64::from(lack.cells.saturating_sub(1)) };
            Some(Crash { kind: CrashKind::Segmentation, site: 0, access })
        });
        path
    }

    /// How many short runs take as long as one with this end.
    fn cost_of(&self, end: &End) -> u64 {
        match end {
            End::OutOfTicks { .. } => 1 + self.tick_limit / TICKS_OF_A_RUN,
            End::Threw { thrown, .. } => match thrown.class.as_str() {
                "java/lang/StackOverflowError" => COST_OF_A_STACK,
                "java/lang/OutOfMemoryError" => COST_OF_A_HEAP,
                _ => 1,
            },
            End::Returned | End::Exited { .. } | End::Unusable { .. } => 1,
        }
    }

    /// Notes a run that no test can state, or that does what nobody wants. What an earlier step does is the business of the method that it calls.
    fn note(&mut self, sight: Sight, values: &[Value]) {
        let Some((suspects, method)) = self.noted.take() else { return };
        let caller = match sight.step >= self.last {
            true => Some(method),
            false => called(self.model, self.script.script, sight.step),
        };
        if let Some(caller) = caller {
            let is_reached = caller == method && !sight.kind.goes_on();
            let reached = || if is_reached { self.reached() } else { BTreeSet::new() };
            suspects.note(&sight, caller, (self.script.script, values), reached);
        }
        self.noted = Some((suspects, method));
    }

    fn execute(&mut self, values: &[Value]) -> Outcome {
        for branch in self.touched.drain(..) {
            let first = branch.0 as usize * 2;
            self.distances[first..first + 2].fill(NOT_EVALUATED);
        }
        let manner =
            Manner { ticks: self.tick_limit, full: false, fresh: self.fresh, observe: false, watched: false };
        self.cost = COST_OF_A_MACHINE;
        let ran = match self.host.run(self.script.number, values, manner) {
            Ok(Answer::Ran(ran)) => ran,
            Ok(Answer::Gone(gone)) => {
                if let Some((suspects, method)) = &mut self.noted {
                    let sight = Sight::of_gone(&gone, self.last, Vec::new());
                    suspects.note(&sight, *method, (self.script.script, values), BTreeSet::new);
                }
                return if matches!(gone, Gone::Hung(_)) { Outcome::TimedOut } else { Outcome::WorkerDied };
            }
            // A machine that cannot be started is told by the next script that is learnt.
            Err(_) => return Outcome::WorkerDied,
        };
        self.judge.reset();
        let (judge, distances, touched) = (&mut self.judge, &mut self.distances, &mut self.touched);
        let mut is_last = false;
        for event in Events::new(ran.words) {
            // What follows garbage is not believed.
            let Ok(event) = event else { break };
            // A test is for what its last step does; what comes before has tests of its own.
            is_last |= event.code == Code::Step && event.id == self.last;
            if !is_last {
                continue;
            }
            judge.event(&event, |branch, found| {
                let first = branch.0 as usize * 2;
                let Some([to_true, to_false]) = distances.get_mut(first..first + 2) else { return };
                if *to_true == NOT_EVALUATED && *to_false == NOT_EVALUATED {
                    touched.push(branch);
                }
                *to_true = found.to_true.min(*to_true);
                *to_false = found.to_false.min(*to_false);
            });
        }
        self.ends.add(self.script.script, &ran.reply.end, is_last);
        if let End::Threw { thrown, .. } = &ran.reply.end {
            // Nobody would see that they happened.
            for goal in doubtful(self.model, ran.words, thrown) {
                self.distances[goal.index()] = 1;
            }
        }
        let reply = ran.reply;
        self.cost = self.cost_of(&reply.end);
        if let Some(sight) = Sight::of(&reply, self.last) {
            self.note(sight, values);
        }
        if reply.litters {
            return Outcome::Unsteady;
        }
        match reply.end {
            End::Returned => Outcome::Returned,
            End::Threw { ref thrown, .. } if !is_repeatable(thrown) => Outcome::Unsteady,
            End::Threw { step, .. } if step >= self.last && self.rules.exceptions => Outcome::Returned,
            End::OutOfTicks { .. } => Outcome::OutOfTicks,
            // No test ends its machine: it would be the end of all others.
            End::Exited { step, .. } if step >= self.last => Outcome::Unsteady,
            End::Threw { .. } | End::Exited { .. } | End::Unusable { .. } => Outcome::Rejected,
        }
    }
}

/// The own method that a step calls.
pub(crate) fn called(model: &JavaModel, script: &Script, step: u32) -> Option<FunctionId> {
    match &script.steps.get(step as usize)?.action {
        Action::Construct { class, descriptor } => {
            model.methods.get(class, "<init>", &descriptor.to_string())
        }
        Action::Invoke { class, name, descriptor, .. } => {
            model.methods.get(class, name, &descriptor.to_string())
        }
        _ => None,
    }
}

impl Target for JavaTarget<'_> {
    fn program(&self) -> &Program {
        &self.model.program
    }

    fn select(&mut self, _function: FunctionId, _space: &Space) {}

    fn run(&mut self, input: &Input) -> Outcome {
        let begun = Instant::now();
        let outcome = self.execute(&self.slots.values(input));
        self.times.execution += begun.elapsed();
        self.spent += self.cost;
        outcome
    }

    fn touched(&self) -> &[BranchId] {
        &self.touched
    }

    fn distance(&self, goal: Goal) -> Distance {
        self.distances.get(goal.index()).copied().unwrap_or(NOT_EVALUATED)
    }

    fn ticks(&self) -> u64 {
        0
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn weight(&self) -> u64 {
        WEIGHT
    }

    fn set_tick_limit(&mut self, ticks: u64) {
        self.tick_limit = ticks.min(MOST_TICKS);
    }

    fn observe(&mut self) -> Observation {
        Observation::default()
    }

    fn trace(&mut self, input: &Input, names: &[u32], terms: &mut expr::Terms) -> Option<(Outcome, Path)> {
        let (program, settings) = self.code?;
        let values = self.slots.values(input);
        let manner =
            Manner { ticks: self.tick_limit, full: true, fresh: self.fresh, observe: false, watched: false };
        self.spent += 1;
        let ran = timed(&mut self.times.execution, || self.host.run(self.script.number, &values, manner));
        let Ok(Answer::Ran(ran)) = ran else {
            self.replays.lost();
            return None;
        };
        let variables = self.slots.symbols(input, names);
        let run = Run {
            script: self.script.script,
            values: &values,
            variables: &variables,
            trace: ran.words,
            classes: ran.classes,
            end: (!ran.reply.cut).then_some(&ran.reply.end),
        };
        let mut replayed = timed(&mut self.times.replay, || replay(program, &run, &settings, terms));
        self.replays.replayed(program, &replayed);
        for overflow in std::mem::take(&mut replayed.overflows) {
            self.note(Sight::of_overflow(overflow), &values);
        }
        Some((Outcome::Returned, self.path(input, &replayed)))
    }

    fn addresses(&mut self, input: &Input) -> Vec<u64> {
        // References are no numbers: any that are far apart will do. What the slots themselves are has no address.
        let roots = self.slots.space().roots.len();
        (0..input.objects.len())
            .map(|object| if object < roots { 0 } else { (object as u64 + 1) << 24 })
            .collect()
    }
}
