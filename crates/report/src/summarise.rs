//! From core types to the [`Summary`].

use crate::making::MakingSummary;
use crate::place::file_path;
use crate::program::Whole;
use crate::summary::{
    Approximation, ExplorationSummary, FindingSummary, FunctionSummary, GoalSummary, GoalTally, LayerSummary,
    Place, ProgramSummary, SetsSummary, SettingsSummary, State, Summary, TestSummary, Totals, UnitSummary,
    VERSION,
};
use crate::{ReportSettings, RunReport, Unit, assertions, decisions, graph, suggest, values, weaker, words};
use model::{Branch, Decision, Function, Goal, Program};
use std::collections::{BTreeMap, BTreeSet};
use suite::{
    Exploration, Finding, FunctionResult, GoalState, LayerAccount, SetSearches, TestCalls, TestCase,
};
use target::Outcome;

/// Names of the tests that reach each goal, over all functions: a test also covers what its function calls.
pub(crate) type Reached<'a> = BTreeMap<Goal, Vec<&'a str>>;

impl Summary {
    /// The summary of a run; times are left out if the run is to be reproducible.
    #[must_use]
    pub fn of(run: &RunReport) -> Summary {
        let mut summary = Summary::with_times(run);
        if run.settings.deterministic {
            summary.leave_out_times();
        }
        summary
    }

    fn leave_out_times(&mut self) {
        self.totals.seconds = None;
        self.making.iter_mut().for_each(|making| making.phases.clear());
        if let Some(program) = &mut self.program {
            program.seconds = None;
            program.exploration.iter_mut().for_each(ExplorationSummary::without_times);
        }
        for function in &mut self.functions {
            function.seconds = None;
            function.exploration.iter_mut().for_each(ExplorationSummary::without_times);
        }
    }

    /// The summary with times, for the eyes of the one who waited.
    pub(crate) fn with_times(run: &RunReport) -> Summary {
        let whole = Whole::of(run);
        let functions: Vec<FunctionSummary> = match &whole {
            Some(whole) => whole.functions(run.program, &whole.reached()),
            None => {
                let reached = reached(run.results);
                run.results.iter().map(|result| function(run, result, &reached)).collect()
            }
        };
        let program = whole.map(|whole| whole.summary(run.program));
        let ReportSettings {
            engine,
            criterion,
            mcdc,
            obligations,
            budget,
            seed,
            version,
            command,
            units,
            ..
        } = &run.settings;
        Summary {
            version: VERSION,
            tool: format!("branchwise {version}"),
            command: command.clone(),
            settings: SettingsSummary {
                engine: engine.clone(),
                criterion: criterion.clone(),
                mcdc: mcdc.clone(),
                obligations: obligations.clone(),
                budget: budget.clone(),
                seed: *seed,
            },
            units: units.iter().map(unit).collect(),
            totals: Totals {
                conditions: (criterion == "mcdc").then(|| conditions(&functions)),
                condition_outcomes: (criterion == "mcdc")
                    .then(|| weaker::condition_outcomes(run, &functions)),
                decision_outcomes: (criterion == "mcdc").then(|| weaker::decision_outcomes(run, &functions)),
                obligations: obligations.as_ref().map(|_| weaker::asked_vectors(&functions)),
                ..totals(&functions, program.as_ref())
            },
            making: run.settings.making.as_ref().map(MakingSummary::of),
            undefined: run.program.undefined.clone(),
            stubs: stubbed(run.program),
            problems: run.settings.problems.clone(),
            functions,
            program,
        }
    }
}

/// What stubs stand in for, each once.
fn stubbed(program: &Program) -> Vec<String> {
    let names: BTreeSet<&String> = program.stubs.iter().filter(|s| !s.is_callback).map(|s| &s.name).collect();
    names.into_iter().cloned().collect()
}

fn reached(results: &[FunctionResult]) -> Reached<'_> {
    let mut reached = Reached::new();
    for test in results.iter().flat_map(|r| &r.tests) {
        for goal in &test.covers {
            reached.entry(*goal).or_default().push(&test.name);
        }
    }
    reached
}

fn unit(unit: &Unit) -> UnitSummary {
    let Unit { path, stem, flags, directory, .. } = unit.clone();
    UnitSummary { path, stem, flags, directory }
}

fn conditions(functions: &[FunctionSummary]) -> GoalTally {
    let mut all = GoalTally::default();
    functions.iter().for_each(|f| all.add(f.conditions()));
    all
}

fn totals(functions: &[FunctionSummary], program: Option<&ProgramSummary>) -> Totals {
    let mut goals = GoalTally::default();
    functions.iter().for_each(|f| goals.add(f.tally));
    if let Some(program) = program {
        return Totals {
            functions: functions.len(),
            goals,
            tests: program.tests.len(),
            findings: program.findings.len(),
            executions: program.executions,
            seconds: program.seconds,
            ..Totals::default()
        };
    }
    Totals {
        functions: functions.len(),
        goals,
        tests: functions.iter().map(|f| f.tests.len()).sum(),
        findings: functions.iter().map(|f| f.findings.len()).sum(),
        executions: functions.iter().map(|f| f.executions).sum(),
        seconds: functions.iter().map(|f| f.seconds).sum(),
        ..Totals::default()
    }
}

fn function(run: &RunReport, result: &FunctionResult, reached: &Reached) -> FunctionSummary {
    let program = run.program;
    let function = program.function(result.function);
    let goals = goals(program, function, (result, result.goals.iter()), reached);
    let (covered, infeasible, unknown) = result.tally();
    FunctionSummary {
        tally: GoalTally { total: result.goals.len(), covered, infeasible, unknown },
        tests: result.tests.iter().map(|t| test(program, function, result, t)).collect(),
        findings: result.findings.iter().map(|f| finding(program, result, f)).collect(),
        assumed: assumed(result),
        decisions: decisions::of(run, function, result),
        obligations: decisions::obligations(run, result),
        left_out: decisions::left_out(run, function),
        assertions: assertions::broken(run, result),
        executions: result.executions,
        seconds: Some(result.seconds),
        seed: result.seed,
        curve: result.curve.clone(),
        unstable: result.unstable.clone(),
        approximations: counted(&result.approximations),
        exploration: result.exploration.as_ref().map(exploration),
        candidates: run.settings.candidates.get(&result.function).cloned(),
        dependence_sets: dependence_sets(function, result),
        ..bare_function(program, function, goals)
    }
}

/// What callers are taken to keep.
fn assumed(result: &FunctionResult) -> Vec<String> {
    let Some(space) = &result.space else { return Vec::new() };
    let conditions = result.assumed.iter().filter_map(|finding| suggest::precondition(space, finding));
    let all: BTreeSet<String> = conditions.collect();
    all.into_iter().collect()
}

/// Things in words with how often each happened.
pub(crate) fn counted(things: &[(String, u64)]) -> Vec<Approximation> {
    things.iter().map(|(what, count)| Approximation { what: what.clone(), count: *count }).collect()
}

/// What exploration did, as told.
pub(crate) fn exploration(exploration: &Exploration) -> ExplorationSummary {
    ExplorationSummary {
        traced: exploration.traced,
        paths: exploration.paths,
        complete: exploration.complete,
        divergences: exploration.divergences,
        unknown: exploration.unknown,
        layers: exploration.layers.iter().map(layer).collect(),
        losses: counted(&exploration.losses),
        search_executions: exploration.search_executions,
        search_seconds: Some(exploration.search_seconds),
        charged: exploration.charged,
        charged_for_solving: exploration.charged_for_solving,
    }
}

fn layer(account: &LayerAccount) -> LayerSummary {
    let LayerAccount { layer, asked, sat, unsat, seconds } = account.clone();
    LayerSummary { layer, asked, sat, unsat, seconds: Some(seconds) }
}

/// A function and its goals, without tests and without work of its own.
pub(crate) fn bare_function(
    program: &Program,
    function: &Function,
    goals: Vec<GoalSummary>,
) -> FunctionSummary {
    let count = |state| goals.iter().filter(|g| g.state == state).count();
    FunctionSummary {
        name: function.name.clone(),
        file: file_path(program, function.span.file),
        line: function.span.start.line,
        end_line: function.span.end.line,
        is_static: function.is_static,
        tally: GoalTally {
            total: goals.len(),
            covered: count(State::Covered),
            infeasible: count(State::Infeasible),
            unknown: count(State::Unknown),
        },
        unknown_reasons: unknown_reasons(&goals),
        goals,
        tests: Vec::new(),
        findings: Vec::new(),
        assumed: Vec::new(),
        decisions: Vec::new(),
        obligations: Vec::new(),
        left_out: Vec::new(),
        assertions: Vec::new(),
        executions: 0,
        seconds: None,
        seed: 0,
        curve: Vec::new(),
        unstable: Vec::new(),
        approximations: Vec::new(),
        exploration: None,
        candidates: None,
        dependence_sets: Vec::new(),
    }
}

fn dependence_sets(function: &Function, result: &FunctionResult) -> Vec<SetsSummary> {
    let vector = |goal: Goal| {
        let of = |d: &Decision| Some(d.letters(&d.vectors().iter().find(|(g, _)| *g == goal)?.1));
        function.decisions.iter().find_map(of)
    };
    let one = |(goal, searches): &(Goal, SetSearches)| {
        let start = function.branch(goal.branch)?.span.start;
        Some(SetsSummary {
            line: start.line,
            column: start.column,
            goal: vector(*goal).unwrap_or_else(|| goal.outcome.to_string()),
            runs: searches.runs.clone(),
            found_by: searches.found_by,
        })
    };
    result.sets.iter().filter_map(one).collect()
}

fn unknown_reasons(goals: &[GoalSummary]) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for goal in goals.iter().filter(|g| g.state == State::Unknown) {
        *reasons.entry(goal.reason.clone().unwrap_or_default()).or_default() += 1;
    }
    reasons
}

/// Summaries of goals, which all belong to the function.
pub(crate) fn goals<'g>(
    program: &Program,
    function: &Function,
    (result, goals): (&FunctionResult, impl Iterator<Item = &'g (Goal, GoalState)>),
    reached: &Reached,
) -> Vec<GoalSummary> {
    let counted: Vec<&Branch> = function.branches.iter().filter(|b| b.counted).collect();
    let number: BTreeMap<_, _> = counted.iter().enumerate().map(|(i, b)| (b.id, i)).collect();
    let known = |(goal, state): &(Goal, GoalState)| {
        let index = *number.get(&goal.branch)?;
        Some(goal_summary(program, result, (index, counted[index]), (*goal, state), reached))
    };
    goals.filter_map(known).collect()
}

fn goal_summary(
    program: &Program,
    result: &FunctionResult,
    (index, branch): (usize, &Branch),
    (goal, state): (Goal, &GoalState),
    reached: &Reached,
) -> GoalSummary {
    let names = reached.get(&goal).map(Vec::as_slice).unwrap_or_default();
    let mut summary = GoalSummary {
        branch: index,
        kind: words::kind(branch.kind).to_owned(),
        place: Place::of(program, branch.span),
        outcome: goal.outcome,
        expansion: branch.expansion.map(|span| Place::of(program, span)),
        state: State::Covered,
        reason: None,
        why: None,
        finding: None,
        tests: names.iter().map(|&name| name.to_owned()).collect(),
        engine: None,
        execution: None,
    };
    summary.settle(program, result, state);
    summary
}

impl GoalSummary {
    fn settle(&mut self, program: &Program, result: &FunctionResult, state: &GoalState) {
        match state {
            GoalState::Covered { engine, execution, .. } => {
                self.engine = Some(engine.clone());
                self.execution = Some(*execution);
            }
            GoalState::Infeasible(proof) => {
                let (code, text) = words::proof(*proof);
                self.state = State::Infeasible;
                self.reason = Some(code.to_owned());
                self.why = Some(text.to_owned());
            }
            GoalState::Unknown(reason) => {
                let (code, text) = words::reason(program, result, reason);
                self.state = State::Unknown;
                self.reason = Some(code.to_owned());
                self.why = Some(text);
                self.finding = match reason {
                    suite::Reason::OnlyByFinding(index) => Some(*index),
                    _ => None,
                };
            }
        }
    }
}

fn test(program: &Program, function: &Function, result: &FunctionResult, test: &TestCase) -> TestSummary {
    let covers = test.covers.iter().filter(|g| function.branch(g.branch).is_some_and(|b| b.counted)).count();
    if let Some(TestCalls { statements, end, result }) = test.calls.clone() {
        let (name, inputs) = (test.name.clone(), statements.join(" "));
        return TestSummary { name, inputs, outcome: end, death: false, result, covers };
    }
    let returned = test.outcome == Outcome::Returned;
    TestSummary {
        name: test.name.clone(),
        inputs: inputs(program, result, &test.input),
        outcome: words::outcome(program, test.outcome),
        death: !returned,
        result: returned
            .then(|| values::result_text(&program.types, function.ret, &test.observation.result))
            .flatten(),
        covers,
    }
}

fn finding(program: &Program, result: &FunctionResult, finding: &Finding) -> FindingSummary {
    let objects = match &result.space {
        Some(space) => graph::objects(&program.types, space, &finding.input, finding.culprit),
        None => Vec::new(),
    };
    FindingSummary {
        also: finding.also.clone(),
        question: words::question(finding, &objects),
        objects,
        what: words::what(program, finding),
        place: finding.place.clone(),
        inputs: match &finding.calls {
            Some(calls) => calls.statements.join(" "),
            None => inputs(program, result, &finding.input),
        },
        calls: finding.calls.as_ref().map(|calls| calls.statements.clone()).unwrap_or_default(),
        reproducer: finding.calls.as_ref().and_then(|calls| calls.reproducer.clone()),
        stack: finding.stack.clone(),
        reaches: finding.reaches.len(),
        precondition: result.space.as_ref().and_then(|space| suggest::precondition(space, finding)),
    }
}

fn inputs(program: &Program, result: &FunctionResult, input: &input::Input) -> String {
    result.space.as_ref().map(|space| values::input_text(&program.types, space, input)).unwrap_or_default()
}
