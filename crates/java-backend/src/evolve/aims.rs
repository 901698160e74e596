//! How near the steps of a run came to the goals that are looked for.

use crate::doubt::doubtful;
use goal::{Fitness, Plan, Plans};
use java_frontend::{JavaModel, Judge};
use java_wire::event::{Code, Events};
use java_wire::message::Thrown;
use model::{BranchId, FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use target::{Distance, NOT_EVALUATED};

/// What one step did.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Did {
    /// Outcomes that happened, goals or not, in order.
    pub(crate) outcomes: Vec<Goal>,
    /// Goals that it did not reach, and how near it came.
    pub(crate) near: Vec<(Goal, Fitness)>,
    /// It ended with an exception.
    pub(crate) threw: bool,
    /// Outcomes that happened, but which nobody sees for that exception.
    pub(crate) unseen: Vec<Goal>,
}

/// Goals with the ways to them, and the distances of a run.
pub(crate) struct Aims<'p> {
    model: &'p JavaModel,
    judge: Judge<'p>,
    /// By function: its goals that are open.
    plans: BTreeMap<FunctionId, Vec<(Goal, Plan)>>,
    /// By branch: its function.
    functions: Vec<Option<FunctionId>>,
    /// By outcome: the least distance in the step that is looked at.
    distances: Vec<Distance>,
    touched: Vec<BranchId>,
}

impl<'p> Aims<'p> {
    /// At these goals.
    pub(crate) fn new(model: &'p JavaModel, goals: &BTreeSet<Goal>) -> Aims<'p> {
        let program = &model.program;
        let mut functions = vec![None; program.branch_count as usize];
        let mut plans = BTreeMap::new();
        for (number, function) in program.functions.iter().enumerate() {
            let id = FunctionId(number as u32);
            let own: Vec<Goal> = function.aims().collect();
            own.iter().for_each(|goal| functions[goal.branch.0 as usize] = Some(id));
            let wanted: Vec<Goal> = own.into_iter().filter(|goal| goals.contains(goal)).collect();
            if !wanted.is_empty() {
                let ways = Plans::new(function);
                let planned: Vec<(Goal, Plan)> = wanted.iter().map(|&goal| (goal, ways.plan(goal))).collect();
                plans.insert(id, planned);
            }
        }
        Aims {
            model,
            judge: Judge::following(model),
            plans,
            functions,
            distances: vec![NOT_EVALUATED; program.branch_count as usize * 2],
            touched: Vec::new(),
        }
    }

    /// Whether nothing is looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// How many goals there are.
    pub(crate) fn len(&self) -> usize {
        self.plans.values().map(Vec::len).sum()
    }

    /// Whether a goal is looked for.
    pub(crate) fn contains(&self, goal: Goal) -> bool {
        let plans = self.function(goal).and_then(|function| self.plans.get(&function));
        plans.is_some_and(|plans| plans.iter().any(|(aim, _)| *aim == goal))
    }

    /// The function that a goal is in.
    pub(crate) fn function(&self, goal: Goal) -> Option<FunctionId> {
        self.functions.get(goal.branch.0 as usize).copied().flatten()
    }

    /// Leaves out the goals that nobody wants any more.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(Goal) -> bool) {
        self.plans.values_mut().for_each(|plans| plans.retain(|(goal, _)| is_wanted(*goal)));
        self.plans.retain(|_, plans| !plans.is_empty());
    }

    /// What the steps of a run did that came to an end, or threw this.
    pub(crate) fn judge(&mut self, words: &[u32], thrown: Option<&Thrown>) -> Vec<Did> {
        self.judge.reset();
        let mut steps = Vec::new();
        for event in Events::new(words) {
            // What follows garbage is not believed.
            let Ok(event) = event else { break };
            if event.code == Code::Step {
                if event.id > 0 {
                    steps.push(self.step(&[]));
                }
                continue;
            }
            let (distances, touched) = (&mut self.distances, &mut self.touched);
            self.judge.event(&event, |branch, found| {
                let first = branch.0 as usize * 2;
                let Some([to_true, to_false]) = distances.get_mut(first..first + 2) else { return };
                if *to_true == NOT_EVALUATED && *to_false == NOT_EVALUATED {
                    touched.push(branch);
                }
                *to_true = found.to_true.min(*to_true);
                *to_false = found.to_false.min(*to_false);
            });
        }
        let unseen = thrown.map(|thrown| doubtful(self.model, words, thrown)).unwrap_or_default();
        let last = self.step(&unseen);
        steps.push(Did { threw: thrown.is_some(), unseen, ..last });
        steps
    }

    /// What a step did, of which some outcomes would be seen by nobody.
    fn step(&mut self, unseen: &[Goal]) -> Did {
        for goal in unseen {
            if let Some(distance) = self.distances.get_mut(goal.index()) {
                *distance = 1;
            }
        }
        let of = |goal: Goal| self.distances.get(goal.index()).copied().unwrap_or(NOT_EVALUATED);
        let mut outcomes: Vec<Goal> = self
            .touched
            .iter()
            .flat_map(|&branch| [true, false].map(|outcome| Goal { branch, outcome }))
            .filter(|&goal| of(goal) == 0)
            .collect();
        outcomes.sort_unstable();
        let functions: BTreeSet<FunctionId> = self
            .touched
            .iter()
            .filter_map(|branch| self.functions.get(branch.0 as usize).copied()?)
            .collect();
        let plans = functions.iter().filter_map(|function| self.plans.get(function)).flatten();
        let near = plans.map(|(goal, plan)| (*goal, plan.fitness(of)));
        let near = near.filter(|(_, fitness)| *fitness != Fitness::COVERED && *fitness != Fitness::WORST);
        let did = Did { outcomes, near: near.collect(), ..Did::default() };
        for branch in self.touched.drain(..) {
            let first = branch.0 as usize * 2;
            self.distances[first..first + 2].fill(NOT_EVALUATED);
        }
        did
    }
}
