//! Decisions that llvm-cov has no records of, and rules that it does not know: judged from its branch counts of single tests.
//!
//! Where a test evaluates a decision once, how often each condition was true and false says which vector it was. From these vectors, and the
//! decision as the source has it, follows what is shown. This shares no code with what made the claims.

use crate::claims::Claims;
use crate::compare::in_decision;
use crate::copies::Copies;
use crate::coverage::{Measured, Region};
use crate::expression::Expression;
use crate::verdict::{Kind, Verdict};
use report::{ConditionSummary, DecisionSummary, FunctionSummary, State};
use std::collections::{BTreeMap, BTreeSet};

/// Conditions whose values are tried where they are unknown.
const MOST_UNKNOWN: usize = 12;

/// What a test says about the conditions of a decision.
type Values = Vec<Option<bool>>;

/// Functions as measured by tests alone, by the tests' names.
pub(crate) type Singles = BTreeMap<String, Vec<Measured>>;

/// Whether llvm-cov's own records do not judge a decision.
pub(crate) fn is_needed(claims: &Claims, decision: &DecisionSummary) -> bool {
    !decision.confirmable || claims.summary.settings.mcdc.as_deref() != Some("unique-cause")
}

/// Whether there are such decisions without bitwise operators, and with them.
pub(crate) fn kinds(claims: &Claims, f: &FunctionSummary) -> (bool, bool) {
    let has = |bitwise| f.decisions.iter().any(|d| is_needed(claims, d) && d.bitwise == bitwise);
    (has(false), has(true))
}

/// The tests that must be run alone, by name.
pub(crate) fn tests<'s>(claims: &Claims<'s>, f: &'s FunctionSummary) -> BTreeSet<&'s str> {
    let decisions = f.decisions.iter().filter(|decision| is_needed(claims, decision));
    let own: BTreeSet<&str> = f.tests.iter().map(|test| test.name.as_str()).collect();
    let named = decisions.flat_map(|d| &d.vectors).flat_map(|v| &v.tests).map(String::as_str);
    named.filter(|name| own.contains(name)).collect()
}

impl Verdict {
    /// Compares the decisions of a function that need it: those with bitwise operators from `copied`, which were measured where each of
    /// their conditions is counted.
    pub(crate) fn single_tests(
        &mut self,
        claims: &Claims,
        f: &FunctionSummary,
        singles: &Singles,
        copied: Option<(&Copies, &Singles)>,
    ) {
        for decision in f.decisions.iter().filter(|decision| is_needed(claims, decision)) {
            let texts: Vec<&str> = decision.conditions.iter().map(|c| c.text.as_str()).collect();
            let measured = match (decision.bitwise, copied) {
                (false, _) => Some((None, singles)),
                (true, Some((copies, singles))) => Some((Some(copies), singles)),
                (true, None) => None,
            };
            match (Expression::read(&decision.text, &texts), measured) {
                (Some(expression), Some((copies, singles))) => {
                    let measured = measured_values(claims, f, decision, singles, copies);
                    self.recount(claims, f, decision, &expression, &measured);
                }
                _ => self.notes.push(in_decision(f, decision, Kind::Unjudged)),
            }
        }
    }

    fn recount(
        &mut self,
        claims: &Claims,
        f: &FunctionSummary,
        decision: &DecisionSummary,
        expression: &Expression,
        measured: &BTreeMap<&str, Values>,
    ) {
        for vector in &decision.vectors {
            for test in &vector.tests {
                if let Some(seen) =
                    measured.get(test.as_str()).filter(|seen| letters(decision, seen) != vector.values)
                {
                    let (claimed, measured) = (vector.values.clone(), letters(decision, seen));
                    let kind = Kind::Vector { test: test.clone(), claimed, measured };
                    self.differences.push(in_decision(f, decision, kind));
                }
            }
        }
        let seen: BTreeSet<&Values> = measured.values().collect();
        let masking = claims.summary.settings.mcdc.as_deref() != Some("unique-cause");
        let mut is_judged = true;
        let conditions = decision.conditions.iter().enumerate();
        for (number, condition) in conditions.filter(|(_, c)| c.state != State::Constant) {
            let shows = |a: &Values, b: &Values| shows(expression, number, a, b, masking);
            let is_shown = seen.iter().any(|a| seen.iter().any(|b| shows(a, b)));
            let is_claimed = condition.state == State::Covered;
            let pair = condition.pair.into_iter().flatten().filter_map(|n| decision.vectors.get(n - 1));
            let is_measured = pair.clone().count() == 2
                && pair.into_iter().all(|v| v.tests.iter().any(|test| measured.contains_key(test.as_str())));
            match (is_claimed, is_shown) {
                (true, true) | (false, false) => self.conditions += 1,
                (true, false) if !is_measured => is_judged = false,
                (claimed, _) => {
                    let condition = condition.text.clone();
                    let kind = Kind::Condition { condition, claimed };
                    self.differences.push(in_decision(f, decision, kind));
                }
            }
        }
        if !is_judged {
            self.notes.push(in_decision(f, decision, Kind::Unjudged));
        }
    }
}

/// The values of the conditions in a test that evaluated the decision once; `None` if it did so more often, or never.
/// Constants have the value that is claimed: their compiler knows no other.
fn values(
    claims: &Claims,
    f: &FunctionSummary,
    decision: &DecisionSummary,
    measured: &Measured,
    copies: Option<&Copies>,
) -> Option<Values> {
    let mut values = Vec::new();
    for condition in &decision.conditions {
        if condition.state == State::Constant {
            values.push(Some(condition.value?));
            continue;
        }
        let own = condition.branch.and_then(|branch| f.goals.iter().find(|goal| goal.branch == branch));
        let place = own.map(|goal| &goal.place).or(condition.place.as_ref())?;
        let span = match copies {
            Some(copies) => copies.span(place, own.is_none()),
            None => [place.line, place.column, place.end_line, place.end_column],
        };
        let is_it = |region: &&Region| region.span == span && claims.same_file(&place.file, &region.file);
        let mut regions = measured.regions.iter().filter(is_it);
        let region = regions.next().filter(|_| regions.next().is_none())?;
        values.push(match region.counts {
            [0, 0] => None,
            [1, 0] => Some(true),
            [0, 1] => Some(false),
            _ => return None,
        });
    }
    let evaluated = values.iter().zip(&decision.conditions).filter(|(_, c)| c.state != State::Constant);
    evaluated.clone().any(|(value, _)| value.is_some()).then_some(values)
}

/// By the names of tests: what each says about the conditions of a decision.
fn measured_values<'s>(
    claims: &Claims,
    f: &FunctionSummary,
    decision: &DecisionSummary,
    singles: &'s Singles,
    copies: Option<&Copies>,
) -> BTreeMap<&'s str, Values> {
    let of = |(test, functions): (&'s String, &Vec<Measured>)| {
        let found = functions.iter().find(|m| m.name == f.name && claims.same_file(&f.file, &m.file))?;
        Some((test.as_str(), values(claims, f, decision, found, copies)?))
    };
    singles.iter().filter_map(of).collect()
}

fn letters(decision: &DecisionSummary, values: &Values) -> String {
    let letter = |(value, condition): (&Option<bool>, &ConditionSummary)| match value {
        _ if condition.state == State::Constant => 'C',
        Some(true) => 'T',
        Some(false) => 'F',
        None => '-',
    };
    values.iter().zip(&decision.conditions).map(letter).collect()
}

/// Whether two evaluations show a condition: it differs, the outcome differs, and nothing else does that both evaluated; or, with masking,
/// the outcome hangs on it in both.
fn shows(expression: &Expression, condition: usize, a: &Values, b: &Values, masking: bool) -> bool {
    let differs = |number: usize| a[number].zip(b[number]).is_some_and(|(a, b)| a != b);
    let outcome = |values: &Values| {
        let known: Vec<bool> = values.iter().map(|value| value.unwrap_or(false)).collect();
        expression.evaluate(&known, &mut Vec::new())
    };
    differs(condition)
        && outcome(a) != outcome(b)
        && match masking {
            false => (0..a.len()).filter(|&number| differs(number)).count() == 1,
            true => hangs_on(expression, condition, a) && hangs_on(expression, condition, b),
        }
}

/// Whether the outcome is another if the condition is, for some values of what was not evaluated.
fn hangs_on(expression: &Expression, condition: usize, values: &Values) -> bool {
    let unknown: Vec<usize> = (0..values.len()).filter(|&number| values[number].is_none()).collect();
    let mut tries = 0..1u32 << unknown.len().min(MOST_UNKNOWN);
    tries.any(|bits| {
        let mut known: Vec<bool> = values.iter().map(|value| value.unwrap_or(false)).collect();
        for (bit, &number) in unknown.iter().take(MOST_UNKNOWN).enumerate() {
            known[number] = bits >> bit & 1 == 1;
        }
        let before = expression.evaluate(&known, &mut Vec::new());
        known[condition] = !known[condition];
        before != expression.evaluate(&known, &mut Vec::new())
    })
}
