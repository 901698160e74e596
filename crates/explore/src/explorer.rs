//! The explorer: runs, forces, counts, and says when to stop.

use crate::account::{Forced, Limits, Progress, Statistics, Stop};
use crate::cfcg::Cfcg;
use crate::execution::{Execution, Flip, Forcing};
use crate::novelty::Novelty;
use crate::program::{Answer, Program, Run, Solve};
use crate::quota::Quota;
use crate::tree::{Added, Leaf, LeafId, Tree};
use expr::{Assignment, Term, Terms, VariableSets};
use fastrand::Rng;
use model::Goal;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use target::Decision;

/// How many inputs are remembered as hints for leaves of the tree.
const HINTS: usize = 4096;
/// Decisions of all runs that are remembered because they covered something new.
const REMEMBERED: usize = 1 << 20;

type Sink<'a> = Box<dyn FnMut(&Progress<'_>) + 'a>;
type Interrupt<'a> = Box<dyn FnMut() -> bool + 'a>;

/// The state of an exploration.
pub struct Explorer<'a> {
    /// All terms.
    pub terms: Terms,
    /// The only source of chance.
    pub rng: Rng,
    variables: VariableSets,
    program: &'a mut dyn Program,
    solver: &'a mut dyn Solve,
    limits: Limits,
    tree: Tree,
    quota: Quota,
    graph: Rc<Cfcg>,
    has_goals: bool,
    uncovered: BTreeSet<Goal>,
    covered: Vec<bool>,
    covered_count: usize,
    novelty: Novelty,
    statistics: Statistics,
    diverged: BTreeMap<Option<Goal>, u64>,
    recent: VecDeque<Vec<u128>>,
    discoveries: VecDeque<Rc<Execution>>,
    /// All their decisions.
    remembered: usize,
    /// The runs that nobody took yet, if somebody wants them.
    latest: Option<Vec<Rc<Execution>>>,
    sink: Sink<'a>,
    interrupt: Interrupt<'a>,
}

impl<'a> Explorer<'a> {
    /// An exploration for these goals; without goals it ends at a limit or when all paths are known.
    pub fn new(
        program: &'a mut dyn Program,
        solver: &'a mut dyn Solve,
        goals: impl IntoIterator<Item = Goal>,
        limits: Limits,
        seed: u64,
    ) -> Explorer<'a> {
        let uncovered: BTreeSet<Goal> = goals.into_iter().collect();
        Explorer {
            terms: Terms::new(),
            variables: VariableSets::new(),
            rng: Rng::with_seed(seed),
            program,
            solver,
            limits,
            tree: Tree::new(limits.nodes),
            quota: Quota::new(limits.paths_per_call),
            graph: Rc::new(Cfcg::default()),
            has_goals: !uncovered.is_empty(),
            uncovered,
            covered: Vec::new(),
            covered_count: 0,
            novelty: Novelty::default(),
            statistics: Statistics::default(),
            diverged: BTreeMap::new(),
            recent: VecDeque::new(),
            discoveries: VecDeque::new(),
            remembered: 0,
            latest: None,
            sink: Box::new(|_| {}),
            interrupt: Box::new(|| false),
        }
    }

    /// Gives it the static graph that directed strategies need.
    #[must_use]
    pub fn with_graph(mut self, graph: impl Into<Rc<Cfcg>>) -> Explorer<'a> {
        self.graph = graph.into();
        self
    }

    /// Reports every run to `sink`: coverage against runs, and the inputs worth keeping.
    #[must_use]
    pub fn with_sink(mut self, sink: impl FnMut(&Progress<'_>) + 'a) -> Explorer<'a> {
        self.sink = Box::new(sink);
        self
    }

    /// Stops when `interrupt` says so; it is asked before every run and every question to the solver.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: impl FnMut() -> bool + 'a) -> Explorer<'a> {
        self.interrupt = Box::new(interrupt);
        self
    }

    /// Keeps all runs for [`Explorer::take_latest`].
    #[must_use]
    pub fn keeping_runs(mut self) -> Explorer<'a> {
        self.latest = Some(Vec::new());
        self
    }

    /// The runs since the last call, in order; none if they are not kept.
    pub fn take_latest(&mut self) -> Vec<Rc<Execution>> {
        self.latest.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Allows so many more runs and questions.
    pub fn extend(&mut self, runs: u64, queries: u64) {
        self.limits.runs = self.statistics.runs.saturating_add(runs);
        self.limits.queries = self.statistics.questions().saturating_add(queries);
    }

    /// Runs an input.
    pub fn run(&mut self, assignment: Vec<u128>) -> ControlFlow<Stop, Rc<Execution>> {
        let execution = self.execute(assignment)?;
        self.go_on()?;
        ControlFlow::Continue(execution)
    }

    /// Takes another way out of a decision of an execution.
    pub fn flip(&mut self, execution: &Execution, flip: Flip) -> ControlFlow<Stop, Forced> {
        let condition = execution.decision(flip.decision).others[flip.way as usize].condition;
        let hint = self.hint(&execution.assignment, condition);
        self.force(&execution.forcing(flip), &hint)
    }

    /// Values to start from when a condition is to hold: where a variable of it is still zero, what stands beside it.
    fn hint(&mut self, assignment: &[u128], condition: Term) -> Vec<u128> {
        let mut hint = assignment.to_vec();
        if condition.index() >= self.terms.len() {
            return hint;
        }
        let set = self.variables.of(&self.terms, condition);
        for variable in self.variables.members(set) {
            if let Some(value @ 0) = hint.get_mut(variable.0 as usize)
                && let Some(beside) = self.program.beside(assignment, variable)
            {
                *value = beside;
            }
        }
        hint
    }

    /// Goes to a leaf of the tree.
    pub fn force_leaf(&mut self, leaf: LeafId) -> ControlFlow<Stop, Forced> {
        let forcing = self.tree.forcing(leaf);
        let age = self.statistics.runs.saturating_sub(self.tree.run_of(leaf).into()) as usize;
        let hint = self.recent.len().checked_sub(1 + age).map(|i| self.recent[i].clone());
        self.force(&forcing, &hint.unwrap_or_default())
    }

    /// Solves for an input that does what is asked, and runs it.
    pub fn force(&mut self, forcing: &Forcing, hint: &Assignment) -> ControlFlow<Stop, Forced> {
        if self.tree.is_infeasible(forcing) {
            self.statistics.spared += 1;
            return ControlFlow::Continue(Forced::Infeasible);
        }
        if !self.quota.allows(forcing) {
            self.statistics.beyond += 1;
            self.tree.settle(forcing, Leaf::Beyond);
            return self.within_queries(Forced::Unknown);
        }
        match self.solve(forcing, hint)? {
            Answer::Sat(assignment) => self.run_forced(forcing, assignment),
            Answer::Unsat => {
                self.tree.settle(forcing, Leaf::Infeasible);
                self.go_on()?;
                ControlFlow::Continue(Forced::Infeasible)
            }
            Answer::Unknown => {
                self.tree.settle(forcing, Leaf::TimedOut);
                ControlFlow::Continue(Forced::Unknown)
            }
        }
    }

    /// Goes on unless there were too many questions, those counted in that nobody had to ask: otherwise nothing would be used up.
    fn within_queries(&self, forced: Forced) -> ControlFlow<Stop, Forced> {
        match self.statistics.questions() >= self.limits.queries {
            true => ControlFlow::Break(Stop::Budget),
            false => ControlFlow::Continue(forced),
        }
    }

    fn solve(&mut self, forcing: &Forcing, hint: &Assignment) -> ControlFlow<Stop, Answer> {
        let statistics = &mut self.statistics;
        if statistics.questions() >= self.limits.queries {
            return ControlFlow::Break(Stop::Budget);
        }
        if (self.interrupt)() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        let constraints = forcing.constraints(&mut self.terms);
        let answer = self.solver.solve(&mut self.terms, &constraints, hint);
        match answer {
            Answer::Sat(_) => statistics.sat += 1,
            Answer::Unsat => statistics.unsat += 1,
            Answer::Unknown => statistics.unknown += 1,
        }
        ControlFlow::Continue(answer)
    }

    fn run_forced(&mut self, forcing: &Forcing, assignment: Vec<u128>) -> ControlFlow<Stop, Forced> {
        let execution = self.execute(assignment)?;
        self.statistics.forced += 1;
        let followed = forcing.is_followed_by(&execution.path);
        let result = match (followed, execution.supplied) {
            (true, _) => Forced::Reached,
            (false, true) => {
                self.tree.settle(forcing, Leaf::Outgrown);
                Forced::Supplied
            }
            (false, false) => {
                self.statistics.divergences += 1;
                *self.diverged.entry(forcing.left_at(&execution.path)).or_default() += 1;
                self.tree.settle(forcing, Leaf::Diverged);
                Forced::Diverged
            }
        };
        self.go_on()?;
        ControlFlow::Continue(result(execution))
    }

    fn execute(&mut self, assignment: Vec<u128>) -> ControlFlow<Stop, Rc<Execution>> {
        if self.statistics.runs >= self.limits.runs {
            return ControlFlow::Break(Stop::Budget);
        }
        if (self.interrupt)() {
            return ControlFlow::Break(Stop::Interrupted);
        }
        self.statistics.runs += 1;
        let Run { path, mut hit, trace, instead, supplied, near } =
            self.program.run(&mut self.terms, &assignment);
        let assignment = instead.unwrap_or(assignment);
        hit.sort_unstable();
        hit.dedup();
        let new = hit.iter().copied().filter(|&goal| self.cover(goal)).collect();
        self.quota.add(&path);
        if self.tree.add(&path, self.statistics.runs as u32) == Added::Known {
            self.statistics.repeats += 1;
        }
        self.recent.push_back(assignment.clone());
        if self.recent.len() > HINTS {
            self.recent.pop_front();
        }
        let number = self.statistics.runs;
        let decisions = path.decisions.iter().enumerate().filter(|(_, decision)| !decision.others.is_empty());
        let mut is_novel = |decision: &Decision| self.novelty.add(&self.terms, decision.taken.condition);
        let novel = decisions.filter(|(_, decision)| is_novel(decision)).map(|(i, _)| i as u32).collect();
        let execution = Execution { number, assignment, path, hit, trace, new, novel, supplied, near };
        (self.sink)(&Progress { covered: self.covered_count, execution: &execution });
        let execution = Rc::new(execution);
        if !execution.new.is_empty() {
            self.remember(&execution);
        }
        if let Some(latest) = &mut self.latest {
            latest.push(Rc::clone(&execution));
        }
        ControlFlow::Continue(execution)
    }

    fn remember(&mut self, execution: &Rc<Execution>) {
        self.remembered += execution.path.decisions.len();
        self.discoveries.push_back(Rc::clone(execution));
        while self.remembered > REMEMBERED
            && self.discoveries.len() > 1
            && let Some(oldest) = self.discoveries.pop_front()
        {
            self.remembered -= oldest.path.decisions.len();
        }
    }

    /// The runs that covered something new, in order; the oldest are forgotten when their paths need too much memory.
    pub fn discoveries(&self) -> impl DoubleEndedIterator<Item = &Rc<Execution>> + ExactSizeIterator {
        self.discoveries.iter()
    }

    fn go_on(&self) -> ControlFlow<Stop> {
        // Without goals from the start there are none left to cover, but paths to run.
        if self.uncovered.is_empty() && self.has_goals && self.limits.stop_when_covered {
            return ControlFlow::Break(Stop::Covered);
        }
        if self.is_finished() {
            return ControlFlow::Break(Stop::Complete);
        }
        ControlFlow::Continue(())
    }

    /// Whether all paths were run and that is a reason to stop.
    pub(crate) fn is_finished(&self) -> bool {
        self.limits.stop_when_complete && self.tree.is_complete()
    }

    /// Whether the outcome is new.
    fn cover(&mut self, goal: Goal) -> bool {
        if self.covered.len() <= goal.index() {
            self.covered.resize(goal.index() + 1, false);
        }
        let new = !std::mem::replace(&mut self.covered[goal.index()], true);
        self.covered_count += usize::from(new);
        self.uncovered.remove(&goal);
        new
    }

    /// Whether an outcome is still to be covered.
    #[must_use]
    pub fn is_uncovered(&self, goal: Goal) -> bool {
        if self.has_goals {
            self.uncovered.contains(&goal)
        } else {
            !self.covered.get(goal.index()).is_some_and(|&covered| covered)
        }
    }

    /// The wanted goals not covered, if all paths were run: proven infeasible for inputs of this shape.
    #[must_use]
    pub fn infeasible(&self) -> Option<&BTreeSet<Goal>> {
        self.tree.is_complete().then_some(&self.uncovered)
    }

    /// The flips at decision `from` and later that no run took yet and that may be possible, in order.
    #[must_use]
    pub fn new_flips(&self, execution: &Execution, from: u32) -> Vec<Flip> {
        self.tree.new_flips(&execution.path, from)
    }

    /// Whether a flip makes the input larger.
    #[must_use]
    pub fn grows(&self, execution: &Execution, flip: Flip) -> bool {
        let condition = execution.decision(flip.decision).others[flip.way as usize].condition;
        self.program.grows(&self.terms, &execution.assignment, condition)
    }

    /// An unexplored leaf of the tree, each with the same probability.
    pub fn random_leaf(&mut self) -> Option<LeafId> {
        self.tree.random_leaf(&mut self.rng)
    }

    /// An input of chance; `None` if there is only one input.
    pub fn random_assignment(&mut self) -> Option<Vec<u128>> {
        self.program.random(&mut self.rng)
    }

    /// All paths so far.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The static graph; empty if none was given.
    #[must_use]
    pub fn graph(&self) -> Rc<Cfcg> {
        Rc::clone(&self.graph)
    }

    /// Counts.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Where forced runs did not do what was asked, and how often.
    #[must_use]
    pub fn diverged(&self) -> &BTreeMap<Option<Goal>, u64> {
        &self.diverged
    }

    /// Outcomes covered so far.
    #[must_use]
    pub fn covered(&self) -> usize {
        self.covered_count
    }
}
