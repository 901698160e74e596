//! Decisions and what the tests show of them.

use crate::RunReport;
use crate::summary::{
    ConditionSummary, DecisionSummary, FunctionSummary, GoalTally, LeftOutSummary, Place, State, Summary,
    VectorSummary,
};
use model::{Branch, BranchId, Decision, Function, LeftOut, Span, Vector};
use std::collections::BTreeMap;
use suite::{ConditionResult, DecisionResult, FunctionResult};

/// The decisions of a function as told.
pub(crate) fn of(run: &RunReport, function: &Function, result: &FunctionResult) -> Vec<DecisionSummary> {
    let pairs = function.decisions.iter().zip(&result.decisions);
    pairs.map(|(decision, result)| one(run, function, decision, result)).collect()
}

fn one(
    run: &RunReport,
    function: &Function,
    decision: &Decision,
    result: &DecisionResult,
) -> DecisionSummary {
    let conditions = decision.conditions.len();
    let constants: BTreeMap<usize, bool> = decision.shape.constants().into_iter().collect();
    // What was neither reached nor ruled out is no news.
    let told: Vec<usize> = (0..result.vectors.len())
        .filter(|&i| !result.vectors[i].tests.is_empty() || result.vectors[i].is_infeasible)
        .collect();
    let number = |vector: usize| told.iter().position(|&other| other == vector).map(|index| index + 1);
    let vector = |&index: &usize| {
        let found = &result.vectors[index];
        VectorSummary {
            values: letters(found.vector, conditions, &constants),
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
            place: found.filter(|_| number.is_none()).map(|found| Place::of(run.program, visible(found))),
            value: constants.get(&index).copied(),
            text: found.map(|branch| text_of(run, visible(branch))).unwrap_or_default(),
            state,
            pair: pair.map(|(a, b)| [a, b]),
        }
    };
    DecisionSummary {
        place: Place::of(run.program, decision.span),
        text: text_of(run, decision.span),
        confirmable: decision.is_confirmable,
        bitwise: decision.shape.is_bitwise(),
        incomplete: decision.is_cut,
        conditions: decision.conditions.iter().zip(&result.conditions).enumerate().map(condition).collect(),
        vectors: told.iter().map(vector).collect(),
    }
}

/// Decisions that no tests are made for.
pub(crate) fn left_out(run: &RunReport, function: &Function) -> Vec<LeftOutSummary> {
    let one = |left: &LeftOut| LeftOutSummary {
        place: Place::of(run.program, left.span),
        text: text_of(run, left.span),
        reason: left.reason.clone(),
    };
    function.left_out.iter().map(one).collect()
}

/// A vector in letters; a constant is `C`, whether it would be evaluated or not.
fn letters(vector: Vector, conditions: usize, constants: &BTreeMap<usize, bool>) -> String {
    let letters = vector.letters(conditions);
    letters.chars().enumerate().map(|(i, c)| if constants.contains_key(&i) { 'C' } else { c }).collect()
}

fn visible(branch: &Branch) -> Span {
    branch.expansion.unwrap_or(branch.span)
}

/// `A` to `Z`, then `A1` and so on.
fn letter(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}

/// The source text of a span on one line.
fn text_of(run: &RunReport, span: Span) -> String {
    let Some((_, source)) = run.sources.iter().find(|(file, _)| *file == span.file) else {
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
        let conditions = || self.decisions.iter().flat_map(|d| &d.conditions);
        let states = || conditions().map(|c| c.state).filter(|&state| state != State::Constant);
        let count = |state| states().filter(|&other| other == state).count();
        GoalTally {
            total: states().count(),
            covered: count(State::Covered),
            infeasible: count(State::Infeasible),
            unknown: count(State::Unknown),
        }
    }
}

impl DecisionSummary {
    /// The outcomes that tests have.
    #[must_use]
    pub fn outcomes(&self) -> [bool; 2] {
        [false, true].map(|outcome| self.vectors.iter().any(|v| v.outcome == outcome && !v.tests.is_empty()))
    }
}

/// A row for each condition: where it stands, its state, and the two tests that show it. Empty where decisions are no goals.
#[must_use]
pub fn mcdc_csv(run: &RunReport) -> String {
    let summary = Summary::of(run);
    if summary.settings.criterion != "mcdc" {
        return String::new();
    }
    let mut text =
        "file,line,function,decision,condition,letter,state,false vector,false test,true vector,true test\n"
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
                    State::Covered => "covered",
                    State::Infeasible => "infeasible",
                    State::Unknown => "unknown",
                    State::Constant => "constant",
                };
                let values = |v: Option<&VectorSummary>| v.map(|v| v.values.clone()).unwrap_or_default();
                let test =
                    |v: Option<&VectorSummary>| v.and_then(|v| v.tests.first().cloned()).unwrap_or_default();
                let cells = [
                    decision.place.file.clone(),
                    decision.place.line.to_string(),
                    function.name.clone(),
                    decision.text.clone(),
                    condition.text.clone(),
                    condition.letter.clone(),
                    state.to_owned(),
                    values(when_false),
                    test(when_false),
                    values(when_true),
                    test(when_true),
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
