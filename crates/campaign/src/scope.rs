//! The goals a campaign works on: those of the function it calls, of what that calls, or of a whole program.

use explore::Cfcg;
use goal::dependence::{Dependence, DependencePlan, Limits};
use goal::mcdc::{Progress, Selection, Variant};
use goal::{CallPlans, Plan, Plans};
use model::{Branch, Decision, Function, FunctionId, Goal, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Whose goals count beside those of the function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Reach {
    /// Nobody's.
    #[default]
    Function,
    /// Those of functions of its file that it may reach.
    File,
    /// Those of all functions that it may reach.
    Reachable,
}

/// The functions whose goals count, and the one that is called.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    entry: &'a Function,
    /// By rising branch numbers.
    functions: Vec<&'a Function>,
    first_branch: u32,
    goals: Vec<Goal>,
    is_goal: Vec<bool>,
    /// In the same places: failures of checks.
    is_error: Vec<bool>,
    is_whole: bool,
    /// What leads to each goal; a whole program has too many to look at all after every run.
    plans: Option<CallPlans<'a>>,
    /// What leads through the precondition of the function that is called.
    guard: Option<Plan>,
    /// Some precondition asks how long objects are.
    asks_for_lengths: bool,
    /// Where control goes, if somebody has found that out before.
    graph: Option<Rc<Cfcg>>,
    /// Paths of each call that are explored after one path of the calls before it.
    paths_per_call: Option<u64>,
    /// What others have reached who look for the same goals.
    known: Option<Vec<Goal>>,
}

impl<'a> Scope<'a> {
    /// One function is called, and its own goals count.
    #[must_use]
    pub fn function(function: &'a Function) -> Scope<'a> {
        let plans = Some(CallPlans::single(function));
        Scope { plans, ..Scope::new(function, vec![function], false) }
    }

    /// A function is called under its precondition, and its goals and those of what it reaches count.
    #[must_use]
    pub fn reaching(program: &'a Program, entry: FunctionId, reach: Reach) -> Scope<'a> {
        let ids = reached_functions(program, entry, reach);
        let functions = ids.iter().map(|&id| program.function(id)).collect();
        let guard = program
            .contract(entry)
            .map(|contract| Plans::new(program.function(contract.guard)).plan_to(&contract.accepts));
        let plans = Some(CallPlans::through(program, entry, &ids));
        let mut clauses = program.contracts.iter().flat_map(|contract| &contract.clauses);
        let asks_for_lengths = clauses.any(|clause| clause.text.contains("elements"));
        Scope { plans, guard, asks_for_lengths, ..Scope::new(program.function(entry), functions, false) }
    }

    /// The same with no more goals than these.
    #[must_use]
    pub fn wanting(mut self, is_wanted: impl Fn(Goal) -> bool) -> Scope<'a> {
        self.goals.retain(|&goal| is_wanted(goal));
        self.is_goal.fill(false);
        for goal in &self.goals {
            self.is_goal[goal.index() - self.first_branch as usize * 2] = true;
        }
        self
    }

    /// The same where terms may speak of the lengths of objects.
    #[must_use]
    pub fn with_lengths(self) -> Scope<'a> {
        Scope { asks_for_lengths: true, ..self }
    }

    /// The same with a graph that need not be made again for every campaign.
    #[must_use]
    pub fn along(self, graph: Rc<Cfcg>) -> Scope<'a> {
        Scope { graph: Some(graph), ..self }
    }

    /// The same with a limit of the paths that solvers are asked for: so many of each call after one path of the calls before it.
    #[must_use]
    pub fn limited(self, paths_per_call: Option<u64>) -> Scope<'a> {
        Scope { paths_per_call, ..self }
    }

    /// That limit.
    pub(crate) fn paths_per_call(&self) -> Option<u64> {
        self.paths_per_call
    }

    /// Where control goes, if that is known.
    pub(crate) fn graph(&self) -> Option<Rc<Cfcg>> {
        self.graph.clone()
    }

    /// The same beside others who have reached these goals and may reach more: a condition may be shown by two vectors of which they have one,
    /// so every vector that is still wanted is kept.
    #[must_use]
    pub fn beside(mut self, known: Vec<Goal>) -> Scope<'a> {
        self.known = Some(known);
        self
    }

    /// What others have reached.
    pub(crate) fn known(&self) -> &[Goal] {
        self.known.as_deref().unwrap_or_default()
    }

    /// `entry` is called, and the goals of all functions count.
    #[must_use]
    pub fn program(program: &'a Program, entry: &'a Function) -> Scope<'a> {
        Scope::new(entry, program.functions.iter().collect(), true)
    }

    fn new(entry: &'a Function, mut functions: Vec<&'a Function>, is_whole: bool) -> Scope<'a> {
        let range = |function: &Function| {
            let ids = || function.branches.iter().map(|branch| branch.id.0);
            Some((ids().min()?, ids().max()?))
        };
        let ranges: Vec<(u32, u32)> = functions.iter().filter_map(|f| range(f)).collect();
        let first_branch = ranges.iter().map(|r| r.0).min().unwrap_or(0);
        let end = ranges.iter().map(|r| r.1 + 1).max().unwrap_or(0);
        let mut is_goal = vec![false; (end - first_branch.min(end)) as usize * 2];
        let goals: Vec<Goal> = functions.iter().flat_map(|f| f.aims()).collect();
        for goal in &goals {
            is_goal[goal.index() - first_branch as usize * 2] = true;
        }
        let mut is_error = vec![false; is_goal.len()];
        for goal in functions.iter().flat_map(|f| f.error_goals()) {
            is_error[goal.index() - first_branch as usize * 2] = true;
        }
        functions.retain(|f| !f.branches.is_empty());
        functions.sort_by_key(|f| range(f));
        Scope {
            entry,
            functions,
            first_branch,
            goals,
            is_goal,
            is_error,
            is_whole,
            plans: None,
            guard: None,
            asks_for_lengths: false,
            graph: None,
            paths_per_call: None,
            known: None,
        }
    }

    /// The function that is called.
    #[must_use]
    pub fn entry(&self) -> &'a Function {
        self.entry
    }

    /// Whether the goals are those of a whole program.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// What leads to each goal; not for whole programs.
    #[must_use]
    pub fn plans(&self) -> Option<&CallPlans<'a>> {
        self.plans.as_ref()
    }

    /// What leads through the precondition, if there is one.
    #[must_use]
    pub fn guard(&self) -> Option<&Plan> {
        self.guard.as_ref()
    }

    /// Whether some precondition asks how long objects are.
    #[must_use]
    pub fn asks_for_lengths(&self) -> bool {
        self.asks_for_lengths
    }

    /// The functions with branches.
    #[must_use]
    pub fn functions(&self) -> &[&'a Function] {
        &self.functions
    }

    /// All goals: branch outcomes, vectors of decisions, boundaries.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.goals.iter().copied()
    }

    /// The decisions whose vectors are goals.
    pub fn decisions(&self) -> impl Iterator<Item = &'a Decision> + '_ {
        self.functions.iter().flat_map(|f| &f.decisions)
    }

    /// What of these goals tests are to reach: of vectors those that show a condition, or what was selected.
    #[must_use]
    pub fn needed(
        &self,
        variant: Variant,
        selection: Option<&Selection>,
        reached: impl IntoIterator<Item = Goal>,
    ) -> BTreeSet<Goal> {
        let mut progress = Progress::new(self.decisions(), variant).restricted_to(selection);
        let mut needed: BTreeSet<Goal> = match selection {
            Some(selection) => selection.outcomes().clone(),
            None => self.functions.iter().flat_map(|f| f.goals()).collect(),
        };
        if self.known.is_some() {
            needed.extend(self.goals());
            return needed;
        }
        reached.into_iter().for_each(|goal| progress.reach(goal));
        needed.extend(progress.needed());
        needed
    }

    /// The failures of all checks for errors.
    pub fn error_goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.functions.iter().flat_map(|f| f.error_goals())
    }

    /// Whether an outcome is the failure of a check here.
    #[inline]
    #[must_use]
    pub fn is_error(&self, goal: Goal) -> bool {
        let local = goal.index().checked_sub(self.first_branch as usize * 2);
        local.and_then(|local| self.is_error.get(local)).is_some_and(|&is| is)
    }

    /// Number of goals.
    #[must_use]
    pub fn count(&self) -> usize {
        self.is_goal.iter().filter(|&&is| is).count()
    }

    /// Room for something about every goal, by [`Scope::local`].
    #[must_use]
    pub fn room(&self) -> usize {
        self.is_goal.len()
    }

    /// Where a goal stands in arrays of [`Scope::room`] places.
    #[inline]
    #[must_use]
    pub fn local(&self, goal: Goal) -> usize {
        goal.index() - self.first_branch as usize * 2
    }

    /// The place of an outcome, if it is a goal here.
    #[inline]
    #[must_use]
    pub fn own(&self, goal: Goal) -> Option<usize> {
        let local = goal.index().checked_sub(self.first_branch as usize * 2)?;
        self.is_goal.get(local).is_some_and(|&is| is).then_some(local)
    }

    fn owner(&self, goal: Goal) -> Option<&'a Function> {
        let after = self.functions.partition_point(|f| f.branches.iter().all(|b| b.id.0 <= goal.branch.0));
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let near = near.filter_map(|i| self.functions.get(i));
        // Numbers of nodes may stand behind those of other functions.
        near.chain(&self.functions).copied().find(|f| f.branch(goal.branch).is_some())
    }

    /// The branch of a goal.
    #[must_use]
    pub fn branch(&self, goal: Goal) -> Option<&'a Branch> {
        self.owner(goal)?.branch(goal.branch)
    }

    /// What leads to a goal by its control dependence alone, and by each of its dependence sets; the first is the plain one.
    #[must_use]
    pub fn dependence_plans(&self, goal: Goal) -> Vec<DependencePlan> {
        let plan = match self.plans() {
            Some(plans) => plans.plan(goal),
            None => self.plan(goal),
        };
        let function = self.owner(goal);
        let Some((function, data)) = function.and_then(|function| Some((function, function.data.as_ref()?)))
        else {
            return Vec::new();
        };
        let dependence = Dependence::new(&function.cfg, &function.branches, data);
        dependence.sets(goal, &Limits::default()).plans(&plan).collect()
    }

    /// What leads to a goal within its function.
    #[must_use]
    pub fn plan(&self, goal: Goal) -> Plan {
        match self.owner(goal) {
            Some(function) => Plans::new(function).plan(goal),
            None => Plan { steps: vec![(0, goal)] },
        }
    }
}

/// The function itself and those that it may reach and whose goals count with it, by number.
#[must_use]
pub fn reached_functions(program: &Program, entry: FunctionId, reach: Reach) -> Vec<FunctionId> {
    if reach == Reach::Function {
        return vec![entry];
    }
    let mut called = vec![Vec::new(); program.functions.len()];
    for site in &program.call_sites {
        called[site.caller.0 as usize].push(site.callee);
    }
    let mut found = BTreeSet::from([entry]);
    let mut todo = vec![entry];
    while let Some(caller) = todo.pop() {
        todo.extend(called[caller.0 as usize].iter().filter(|&&callee| found.insert(callee)));
    }
    let file = program.function(entry).span.file;
    found.retain(|&id| reach == Reach::Reachable || program.function(id).span.file == file);
    found.into_iter().collect()
}
