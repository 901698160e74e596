//! Decisions and what the tests show of them.

use crate::summary::{
    ConditionSummary, DecisionSummary, FunctionSummary, GoalTally, ObligationSummary, Place, State, Summary,
    VectorSummary, WantedSummary,
};
use crate::{RunReport, words};
use model::{Branch, BranchId, Decision, Function, Span};
use suite::{ConditionResult, Coupling, DecisionResult, FunctionResult, GoalState, Reason, VectorResult};

/// The decisions of a function as told.
pub(crate) fn of(run: &RunReport, function: &Function, result: &FunctionResult) -> Vec<DecisionSummary> {
    let pairs = function.decisions.iter().zip(&result.decisions);
    pairs.map(|(decision, shown)| one(run, function, result, (decision, shown))).collect()
}

fn one(
    run: &RunReport,
    function: &Function,
    of: &FunctionResult,
    (decision, result): (&Decision, &DecisionResult),
) -> DecisionSummary {
    let conditions = decision.conditions.len();
    // What was neither reached nor ruled out is no news.
    let told: Vec<usize> = (0..result.vectors.len())
        .filter(|&i| !result.vectors[i].tests.is_empty() || result.vectors[i].is_infeasible)
        .collect();
    let number = |vector: usize| told.iter().position(|&other| other == vector).map(|index| index + 1);
    let vector = |&index: &usize| {
        let found = &result.vectors[index];
        VectorSummary {
            values: found.vector.letters(conditions),
            outcome: found.vector.outcome,
            tests: found.tests.clone(),
            infeasible: found.is_infeasible,
        }
    };
    let condition = |(index, (&branch, shown)): (usize, (&BranchId, &ConditionResult))| {
        let (state, pair) = match shown {
            ConditionResult::Shown([a, b]) => (State::Covered, number(*a).zip(number(*b))),
            ConditionResult::Infeasible => (State::Infeasible, None),
            ConditionResult::Unknown => (State::Unknown, None),
        };
        let counted = function.branches.iter().filter(|branch| branch.counted);
        ConditionSummary {
            letter: letter(index),
            branch: counted.map(|counted| counted.id).position(|id| id == branch).unwrap_or_default(),
            text: function
                .branch(branch)
                .map(|branch| text_of(run.sources, visible(branch)))
                .unwrap_or_default(),
            state,
            pair: pair.map(|(a, b)| [a, b]),
            why: match state {
                State::Infeasible => Some(infeasible(result, index)),
                State::Covered | State::Unknown => why(run, of, decision, (branch, state)),
            },
        }
    };
    DecisionSummary {
        place: Place::of(run.program, decision.span),
        text: text_of(run.sources, decision.span),
        confirmable: decision.is_confirmable,
        incomplete: decision.is_cut,
        conditions: decision.conditions.iter().zip(&result.conditions).enumerate().map(condition).collect(),
        vectors: told.iter().map(vector).collect(),
    }
}

/// Why a condition cannot be shown.
fn infeasible(result: &DecisionResult, condition: usize) -> String {
    let what = match result.coupling(condition) {
        Some(Coupling::Always(value)) => format!("where it is evaluated it is always {value}"),
        Some(Coupling::With { condition, is_same: true }) => {
            format!("it always has the value of {}", letter(condition))
        }
        Some(Coupling::With { condition, is_same: false }) => {
            format!("it always has the opposite value of {}", letter(condition))
        }
        None => "every pair that would show it has a vector that no input has".to_owned(),
    };
    format!("infeasible: {what}")
}

/// Why a condition is not shown, though it may be possible.
fn why(
    run: &RunReport,
    of: &FunctionResult,
    decision: &Decision,
    (branch, state): (BranchId, State),
) -> Option<String> {
    let is_open = |wanted: &VectorResult| state_of(wanted) == State::Unknown;
    let obligation = of.obligations.iter().find(|obligation| obligation.span == decision.span);
    let is_asked = match run.settings.obligations {
        Some(_) => obligation.is_some_and(|obligation| obligation.wanted.iter().any(is_open)),
        None => true,
    };
    // What keeps its branch from being reached keeps it from being shown.
    let own = of.goals.iter().filter(|(goal, _)| goal.branch == branch);
    let reason = own.into_iter().find_map(|(_, state)| match state {
        GoalState::Unknown(Reason::Budget { .. } | Reason::NotAsked) => None,
        GoalState::Unknown(reason) => Some(reason),
        GoalState::Covered { .. } | GoalState::Infeasible(_) => None,
    });
    match (state, reason) {
        (State::Covered | State::Infeasible, _) => None,
        (State::Unknown, Some(reason)) => Some(words::reason(run.program, of, reason).1),
        (State::Unknown, None) if !is_asked => Some(words::NOT_ASKED.to_owned()),
        (State::Unknown, None) => Some("budget spent".to_owned()),
    }
}

fn state_of(vector: &VectorResult) -> State {
    match (vector.tests.is_empty(), vector.is_infeasible) {
        (false, _) => State::Covered,
        (true, true) => State::Infeasible,
        (true, false) => State::Unknown,
    }
}

/// What became of the vectors that were asked for.
pub(crate) fn obligations(run: &RunReport, result: &FunctionResult) -> Vec<ObligationSummary> {
    let one = |obligation: &suite::ObligationResult| ObligationSummary {
        place: Place::of(run.program, obligation.span),
        text: text_of(run.sources, obligation.span),
        wanted: obligation
            .wanted
            .iter()
            .map(|wanted| WantedSummary {
                values: wanted.vector.letters(obligation.conditions),
                outcome: wanted.vector.outcome,
                state: state_of(wanted),
                tests: wanted.tests.clone(),
            })
            .collect(),
    };
    result.obligations.iter().map(one).collect()
}

fn tally(states: impl Iterator<Item = State>) -> GoalTally {
    let mut tally = GoalTally::default();
    for state in states {
        tally.total += 1;
        match state {
            State::Covered => tally.covered += 1,
            State::Infeasible => tally.infeasible += 1,
            State::Unknown => tally.unknown += 1,
        }
    }
    tally
}

/// The vectors that were asked for.
pub(crate) fn asked_vectors(functions: &[FunctionSummary]) -> GoalTally {
    let asked = functions.iter().flat_map(|f| &f.obligations).flat_map(|obligation| &obligation.wanted);
    tally(asked.map(|wanted| wanted.state))
}

/// Condition coverage: both outcomes of every condition.
pub(crate) fn condition_outcomes(functions: &[FunctionSummary]) -> GoalTally {
    let goals = functions.iter().flat_map(|f| &f.goals);
    tally(goals.filter(|goal| goal.kind == "condition").map(|goal| goal.state))
}

/// Decision coverage: both outcomes of every decision, those of a single condition being the condition's.
pub(crate) fn decision_outcomes(results: &[FunctionResult], functions: &[FunctionSummary]) -> GoalTally {
    let mut states = Vec::new();
    for f in functions {
        let is_part =
            |branch: usize| f.decisions.iter().flat_map(|d| &d.conditions).any(|c| c.branch == branch);
        let single = f.goals.iter().filter(|goal| goal.kind == "condition" && !is_part(goal.branch));
        states.extend(single.map(|goal| goal.state));
    }
    for (decision, summary) in
        results.iter().flat_map(|r| &r.decisions).zip(functions.iter().flat_map(|f| &f.decisions))
    {
        for outcome in [false, true] {
            let mut vectors = decision.vectors.iter().filter(|v| v.vector.outcome == outcome).map(state_of);
            states.push(match summary.outcomes()[usize::from(outcome)] {
                true => State::Covered,
                false if !summary.incomplete && vectors.all(|s| s == State::Infeasible) => State::Infeasible,
                false => State::Unknown,
            });
        }
    }
    tally(states.into_iter())
}

pub(crate) fn visible(branch: &Branch) -> Span {
    branch.expansion.unwrap_or(branch.span)
}

/// `A` to `Z`, then `A1` and so on.
pub(crate) fn letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// The source text of a span on one line.
pub(crate) fn text_of(sources: &[(u32, String)], span: Span) -> String {
    let Some((_, source)) = sources.iter().find(|(file, _)| *file == span.file) else {
        return String::new();
    };
    let mut text = String::new();
    let lines = source.lines().enumerate().map(|(i, line)| (i as u32 + 1, line));
    for (number, line) in lines.filter(|(number, _)| (span.start.line..=span.end.line).contains(number)) {
        let from = if number == span.start.line { span.start.column as usize - 1 } else { 0 };
        let to = if number == span.end.line { span.end.column as usize - 1 } else { line.len() };
        text += line.get(from..to.min(line.len())).unwrap_or_default();
        text.push(' ');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl FunctionSummary {
    /// Conditions of its decisions by state.
    #[must_use]
    pub fn conditions(&self) -> GoalTally {
        tally(self.decisions.iter().flat_map(|d| &d.conditions).map(|c| c.state))
    }
}

impl DecisionSummary {
    /// The outcomes that tests have.
    #[must_use]
    pub fn outcomes(&self) -> [bool; 2] {
        [false, true].map(|outcome| self.vectors.iter().any(|v| v.outcome == outcome && !v.tests.is_empty()))
    }
}

/// A row for each condition: where it stands, its state, the two vectors that show it with the tests that have them, or why
/// nothing shows it. Empty where decisions are no goals.
#[must_use]
pub fn mcdc_csv(run: &RunReport) -> String {
    let summary = Summary::of(run);
    if summary.settings.criterion != "mcdc" {
        return String::new();
    }
    let mut text =
        "file,line,function,decision,condition,letter,state,false vector,false tests,true vector,true tests,reason\n"
            .to_owned();
    for function in &summary.functions {
        for decision in &function.decisions {
            for (index, condition) in decision.conditions.iter().enumerate() {
                let mut sides =
                    condition.pair.into_iter().flatten().map(|number| &decision.vectors[number - 1]);
                let (one, other) = (sides.next(), sides.next());
                let is_true = |vector: &&VectorSummary| vector.values.as_bytes().get(index) == Some(&b'T');
                let (when_false, when_true) = match one.filter(is_true) {
                    Some(_) => (other, one),
                    None => (one, other),
                };
                let state = match condition.state {
                    State::Covered => "shown",
                    State::Infeasible => "infeasible",
                    State::Unknown => "unknown",
                };
                let values = |v: Option<&VectorSummary>| v.map(|v| v.values.clone()).unwrap_or_default();
                let tests = |v: Option<&VectorSummary>| v.map(|v| v.tests.join(" ")).unwrap_or_default();
                let cells = [
                    decision.place.file.clone(),
                    decision.place.line.to_string(),
                    function.name.clone(),
                    decision.text.clone(),
                    condition.text.clone(),
                    condition.letter.clone(),
                    state.to_owned(),
                    values(when_false),
                    tests(when_false),
                    values(when_true),
                    tests(when_true),
                    condition.why.clone().unwrap_or_default(),
                ];
                text += &cells.map(|cell| quoted(&cell)).join(",");
                text.push('\n');
            }
        }
    }
    text
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
