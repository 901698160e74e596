//! One run of an experiment: a campaign on each function, or searches for single goals, and what they reached.

use super::rules;
use crate::failure::Failure;
use crate::generate::Generator;
use c_backend::Campaigned;
use campaign::{CampaignResult, Guidance, SetBudget, Settings, Trial};
use experiment::{Budget, Cell, Criterion, Fitness, Goal, Group, Plan, Record, Sets};
use goal::mcdc::{Progress, Shown, planned};
use model::{BranchKind, Decision, Function, FunctionId};
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

/// A goal of the program, as against one of an experiment.
type Aim = model::Goal;

/// A program that cells can be run on.
pub(crate) struct Bench<'a> {
    pub(crate) generator: Generator<'a>,
    pub(crate) functions: &'a [FunctionId],
    pub(crate) criterion: Criterion,
}

impl Bench<'_> {
    /// Runs a cell.
    pub(crate) fn run(&self, plan: &Plan, cell: &Cell<'_>) -> Result<Record, Failure> {
        let begun = Instant::now();
        let (mut groups, mut evaluations) = (Vec::new(), 0);
        for &id in self.functions {
            let function = self.generator.built.program.function(id);
            let parts = self.parts(function);
            let result = self.campaign(plan, cell, id, &parts)?;
            evaluations += result.executions;
            let impossible = |aim: &Aim| self.generator.impossible.contains(aim);
            let told = Told::new(&result, impossible);
            let made = parts.iter().map(|part| part.group(function, &told, plan.collateral));
            groups.extend(made.map(|(name, group)| self.named(function, name, group)));
        }
        // Ranges are of inputs and change no goal; the time does not belong to what can be repeated.
        let seconds = Some(begun.elapsed().as_secs_f64());
        Ok(Record { key: cell.key.clone(), groups, evaluations, seconds })
    }

    fn campaign(
        &self,
        plan: &Plan,
        cell: &Cell<'_>,
        id: FunctionId,
        parts: &[Part<'_>],
    ) -> Result<CampaignResult, Failure> {
        let function = self.generator.built.program.function(id);
        let aims: Vec<Aim> = parts.iter().flat_map(Part::aims).collect();
        let mut settings = Settings {
            engine: cell.key.engine.clone(),
            seed: cell.key.seed,
            rules: rules(cell),
            guidance: match cell.key.fitness {
                Fitness::Control => Guidance::Control,
                Fitness::DataDependence => Guidance::DataDependence,
            },
            ..self.generator.settings.clone()
        };
        settings.limits.uniform = plan.uniform;
        let count = aims.len() as u64;
        (settings.budget, settings.goal_budget) = match cell.key.budget {
            Budget::PerFunction(runs) => (campaign::Budget::Executions(runs), None),
            Budget::PerGoal(runs) => (campaign::Budget::Executions(runs.saturating_mul(count)), Some(runs)),
        };
        if let (false, Budget::PerGoal(runs)) = (plan.collateral, cell.key.budget) {
            let sets = match plan.sets {
                Sets::Shared => SetBudget::Shared,
                Sets::Each => SetBudget::Each,
            };
            settings.trial = Some(Trial { goals: aims, runs, sets });
        } else {
            let of_function = function.goals().chain(function.vectors());
            settings.impossible = of_function.filter(|aim| self.generator.impossible.contains(aim)).collect();
        }
        match self.generator.campaign(id, &mut settings, &[], &mut |_| {})? {
            Campaigned::Finished { result, .. } => Ok(*result),
            Campaigned::Unsupported(error) => Err(Failure::input(format!(
                "{}: no input can be made: {} {}",
                function.name, error.type_name, error.place
            ))),
            Campaigned::Stopped(why) => Err(why.into()),
        }
    }

    /// What is to be reached in a function, by decision or as a whole.
    fn parts<'f>(&self, function: &'f Function) -> Vec<Part<'f>> {
        let never = &self.generator.never_evaluated;
        let aims: Vec<Aim> = function.goals().filter(|aim| !never.contains(aim)).collect();
        if self.criterion == Criterion::Branch {
            return vec![Part::Function(aims)];
        }
        let decided: HashSet<_> = function.decisions.iter().flat_map(|d| &d.conditions).collect();
        let is_single = |aim: &&Aim| {
            let branch = function.branch(aim.branch);
            !decided.contains(&aim.branch) && branch.is_some_and(|b| b.kind == BranchKind::Condition)
        };
        let mut parts: Vec<Part<'f>> = function.decisions.iter().map(Part::Decision).collect();
        let mut singles: BTreeMap<_, Vec<Aim>> = BTreeMap::new();
        for &aim in aims.iter().filter(is_single) {
            singles.entry(aim.branch).or_default().push(aim);
        }
        parts.extend(singles.into_values().map(Part::Single));
        parts.sort_by_key(|part| part.place(function));
        parts
    }

    /// The names of groups tell them apart: by function where there are several.
    fn named(&self, function: &Function, name: String, group: Group) -> Group {
        let name = match (self.functions.len(), name.as_str()) {
            (_, "") => function.name.clone(),
            (1, _) => name,
            _ => format!("{} {name}", function.name),
        };
        Group { name, ..group }
    }
}

/// What became of a goal.
struct Fate {
    goal: Goal,
    is_proved: bool,
}

/// What a campaign told.
struct Told {
    reached: BTreeMap<Aim, u64>,
    by_set: BTreeMap<Aim, Vec<u64>>,
    proved: HashSet<Aim>,
}

impl Told {
    fn new(result: &CampaignResult, impossible: impl Fn(&Aim) -> bool) -> Told {
        let reached: BTreeMap<Aim, u64> =
            result.goals.iter().filter_map(|record| Some((record.goal, record.execution?))).collect();
        let all = result.infeasible.iter().chain(result.goals.iter().map(|record| &record.goal));
        let explored: HashSet<&Aim> = result.infeasible.iter().collect();
        let proved =
            all.filter(|aim| !reached.contains_key(aim) && (explored.contains(aim) || impossible(aim)));
        let by_set = result.sets.iter().map(|(aim, searches)| (*aim, searches.runs.clone())).collect();
        Told { proved: proved.copied().collect(), reached, by_set }
    }
}

/// Goals that belong together.
enum Part<'f> {
    /// Those of a whole function.
    Function(Vec<Aim>),
    /// A decision of several conditions.
    Decision(&'f Decision),
    /// One of a single condition: both its outcomes.
    Single(Vec<Aim>),
}

impl Part<'_> {
    /// What single searches aim at: of a decision the vectors of a smallest set, as the thesis has it.
    fn aims(&self) -> Vec<Aim> {
        match self {
            Part::Function(aims) | Part::Single(aims) => aims.clone(),
            Part::Decision(decision) => planned(decision).into_iter().map(|(aim, _)| aim).collect(),
        }
    }

    /// Line and column.
    fn place(&self, function: &Function) -> (u32, u32) {
        match self {
            Part::Function(_) => (0, 0),
            Part::Decision(decision) => (decision.span.start.line, decision.span.start.column),
            Part::Single(aims) => place(function, aims[0]),
        }
    }

    /// Its name within the function, and what became of its goals. With collateral coverage the goals of a decision are
    /// conditions to be shown, by whichever pair; without, single vectors.
    fn group(&self, function: &Function, told: &Told, collateral: bool) -> (String, Group) {
        let (line, column) = self.place(function);
        let name = match self {
            Part::Function(_) => String::new(),
            Part::Decision(_) | Part::Single(_) => format!("{line}:{column}"),
        };
        let fates: Vec<Fate> = match self {
            Part::Decision(decision) if collateral => shown(decision, told),
            Part::Decision(decision) => {
                let goals = planned(decision).into_iter();
                goals.map(|(aim, vector)| told.fate(decision.letters(&vector), aim)).collect()
            }
            Part::Single(aims) => aims.iter().map(|&aim| told.fate(aim.outcome.to_string(), aim)).collect(),
            Part::Function(aims) => {
                let name = |aim: Aim| {
                    let (line, column) = place(function, aim);
                    format!("{line}:{column} {} {}", aim.branch.0, aim.outcome)
                };
                aims.iter().map(|&aim| told.fate(name(aim), aim)).collect()
            }
        };
        let (proved, open): (Vec<Fate>, Vec<Fate>) = fates.into_iter().partition(|fate| fate.is_proved);
        let goals = open.into_iter().map(|fate| fate.goal).collect();
        let proved = proved.into_iter().map(|fate| fate.goal.name).collect();
        (name, Group { name: String::new(), goals, proved })
    }
}

impl Told {
    fn fate(&self, name: String, aim: Aim) -> Fate {
        let reached_after = self.reached.get(&aim).copied();
        let by_set = self.by_set.get(&aim).cloned().unwrap_or_default();
        Fate { goal: Goal { name, reached_after, by_set }, is_proved: self.proved.contains(&aim) }
    }
}

/// For each condition of a decision that is not constant, when it was shown, or that it cannot be.
fn shown(decision: &Decision, told: &Told) -> Vec<Fate> {
    let mut progress = Progress::new([decision], campaign::Variant::default());
    told.proved.iter().for_each(|&aim| progress.rule_out(aim));
    let vectors = decision.vectors();
    let reached = vectors.iter().filter_map(|(aim, _)| Some((*told.reached.get(aim)?, *aim)));
    let mut reached: Vec<(u64, Aim)> = reached.collect();
    reached.sort_unstable();
    let mut when = vec![None; decision.conditions.len()];
    for (run, aim) in reached {
        progress.reach(aim);
        let (_, conditions) = progress.conclusion(0);
        for (when, state) in when.iter_mut().zip(conditions) {
            if when.is_none() && matches!(state, Shown::By(_)) {
                *when = Some(run);
            }
        }
    }
    let (_, conditions) = progress.conclusion(0);
    let fates = when.into_iter().zip(conditions).enumerate();
    let fates = fates.filter(|(i, _)| decision.constants() >> i & 1 == 0);
    let fate = |(i, (reached_after, state))| Fate {
        goal: Goal { name: format!("condition {}", i + 1), reached_after, by_set: Vec::new() },
        is_proved: state == Shown::Impossible,
    };
    fates.map(fate).collect()
}

fn place(function: &Function, aim: Aim) -> (u32, u32) {
    let start = function.branch(aim.branch).map(|branch| branch.span.start);
    start.map_or((0, 0), |start| (start.line, start.column))
}
