//! Decisions and what the tests show of them.

use crate::summary::{
    ConditionSummary, DecisionSummary, FunctionSummary, GoalTally, LeftOutSummary, ObligationSummary, Place,
    State, Summary, VectorSummary, WantedSummary,
};
use crate::weaker::{state_of, tally};
use crate::{RunReport, words};
use model::{Branch, BranchId, Decision, Function, LeftOut, Span};
use std::collections::BTreeMap;
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
    let constants: BTreeMap<usize, bool> = decision.shape.constants().into_iter().collect();
    // What was neither reached nor ruled out is no news.
    let told: Vec<usize> = (0..result.vectors.len())
        .filter(|&i| !result.vectors[i].tests.is_empty() || result.vectors[i].is_infeasible)
        .collect();
    let number = |vector: usize| told.iter().position(|&other| other == vector).map(|index| index + 1);
    let vector = |&index: &usize| {
        let found = &result.vectors[index];
        VectorSummary {
            values: decision.letters(&found.vector),
            outcome: found.vector.outcome,
            tests: found.tests.clone(),
            infeasible: found.is_infeasible,
        }
    };
    let condition = |(index, (&branch, shown)): (usize, (&BranchId, &ConditionResult))| {
        let (state, pair) = match shown {
            _ if constants.contains_key(&index) => (State::Constant, None),
            ConditionResult::Shown([a, b]) => (State::Covered, number(*a).zip(number(*b))),
            ConditionResult::Infeasible => (State::Infeasible, None),
            ConditionResult::Unknown => (State::Unknown, None),
        };
        let mut counted = function.branches.iter().filter(|branch| branch.counted);
        let number = counted.position(|counted| counted.id == branch);
        let found = function.branch(branch);
        ConditionSummary {
            letter: letter(index),
            branch: number,
            place: found.filter(|_| number.is_none()).map(|found| Place::of(run.program, found.visible())),
            value: constants.get(&index).copied(),
            text: found.map(|branch| text_of(run.sources, branch.visible())).unwrap_or_default(),
            state,
            pair: pair.map(|(a, b)| [a, b]),
            why: match state {
                State::Covered => None,
                State::Infeasible => Some(infeasible(decision, result, index)),
                State::Unknown => Some(why(run, of, decision, branch)),
                State::Constant => {
                    constants.get(&index).map(|value| format!("constant: it is always {value}"))
                }
            },
        }
    };
    DecisionSummary {
        place: Place::of(run.program, decision.span),
        text: text_of(run.sources, decision.span),
        confirmable: decision.is_confirmable,
        bitwise: decision.shape.is_bitwise(),
        incomplete: decision.is_cut,
        conditions: decision.conditions.iter().zip(&result.conditions).enumerate().map(condition).collect(),
        vectors: told.iter().map(vector).collect(),
    }
}

/// Why a condition cannot be shown.
fn infeasible(decision: &Decision, result: &DecisionResult, condition: usize) -> String {
    let is_cut_off = decision.shape.evaluable() >> condition & 1 == 0;
    let is_idle = || decision.shape.showing(condition as u32, 1).is_empty();
    let what = match result.coupling(condition) {
        _ if is_cut_off => "a constant condition keeps it from being evaluated".to_owned(),
        _ if is_idle() => "a constant condition keeps it from deciding".to_owned(),
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
fn why(run: &RunReport, of: &FunctionResult, decision: &Decision, branch: BranchId) -> String {
    let is_open = |wanted: &VectorResult| state_of(wanted) == State::Unknown;
    let obligation = of.obligations.iter().find(|obligation| obligation.span == decision.span);
    let is_asked = match run.settings.obligations {
        Some(_) => obligation.is_some_and(|obligation| obligation.wanted.iter().any(is_open)),
        None => true,
    };
    // What keeps its branch from being reached keeps it from being shown. A condition of `&` has none, but is a part of one.
    let function = run.program.function(of.function);
    let own = function.branch(branch).filter(|own| !own.counted).map(Branch::visible);
    let holds = |other: BranchId| {
        let other = function.branch(other).map(Branch::visible);
        own.zip(other).is_some_and(|(own, other)| other.contains(own))
    };
    let own = of.goals.iter().filter(|(goal, _)| goal.branch == branch || holds(goal.branch));
    let reason = own.into_iter().find_map(|(_, state)| match state {
        GoalState::Unknown(Reason::Budget { .. } | Reason::NotAsked) => None,
        GoalState::Unknown(reason) => Some(reason),
        GoalState::Covered { .. } | GoalState::Infeasible(_) => None,
    });
    match reason {
        Some(reason) => words::reason(run.program, of, reason).1,
        None if !is_asked => words::NOT_ASKED.to_owned(),
        None => "budget spent".to_owned(),
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
                values: wanted.vector.letters_with(obligation.conditions, obligation.constants),
                outcome: wanted.vector.outcome,
                state: state_of(wanted),
                tests: wanted.tests.clone(),
            })
            .collect(),
    };
    result.obligations.iter().map(one).collect()
}

/// Decisions that no tests are made for.
pub(crate) fn left_out(run: &RunReport, function: &Function) -> Vec<LeftOutSummary> {
    let one = |left: &LeftOut| LeftOutSummary {
        place: Place::of(run.program, left.span),
        text: text_of(run.sources, left.span),
        reason: left.reason.clone(),
    };
    function.left_out.iter().map(one).collect()
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
    /// Conditions of its decisions by state, without those that are constant.
    #[must_use]
    pub fn conditions(&self) -> GoalTally {
        let conditions = self.decisions.iter().flat_map(|d| &d.conditions);
        tally(conditions.map(|c| c.state).filter(|&state| state != State::Constant))
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
                    State::Constant => "constant",
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
