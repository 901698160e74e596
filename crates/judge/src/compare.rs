//! The comparison itself: a pure function of claims and measurements.

use crate::claims::Claims;
use crate::coverage::{Measured, MeasuredDecision, Region};
use crate::replay::Measurement;
use crate::verdict::{Difference, Kind, Verdict};
use report::{ConditionSummary, DecisionSummary, FunctionSummary, GoalSummary, Place, State};

/// Compares all functions.
pub(crate) fn verdict(claims: &Claims, returning: &Measurement, all: &Measurement) -> Verdict {
    let mut verdict = Verdict { passed: all.passed, ..Verdict::default() };
    verdict.tests(claims, returning, all);
    for function in &claims.summary.functions {
        verdict.function(claims, function, returning, all);
    }
    verdict
}

impl Verdict {
    /// Every listed test ran, and none failed.
    fn tests(&mut self, claims: &Claims, returning: &Measurement, all: &Measurement) {
        let claimed = claims.tests();
        let ran = all.passed + all.failed;
        if claimed != ran {
            self.differences.push(whole("the suite", Kind::TestCount { claimed, ran }));
        }
        for (binary, output) in returning.failures.iter().chain(&all.failures) {
            if !self.differences.iter().any(|d| d.file == *binary) {
                self.differences.push(whole(binary, Kind::FailedTests { output: output.clone() }));
            }
        }
    }

    fn function(&mut self, claims: &Claims, f: &FunctionSummary, returning: &Measurement, all: &Measurement) {
        self.functions += 1;
        self.goals += f.goals.len();
        let untested = !f.goals.iter().any(|g| claims.at_all(g));
        let (Some(first), Some(second)) = (find(claims, f, returning), find(claims, f, all)) else {
            let list = if untested && f.tests.is_empty() { &mut self.notes } else { &mut self.differences };
            list.push(about(f, Kind::MissingFunction));
            return;
        };
        // Clang maps an unused static function as one region without branches: there is nothing to compare.
        if untested && second.count == 0 && second.regions.is_empty() {
            return;
        }
        let measured = first.regions.len() * 2;
        if f.tally.total != measured || f.goals.len() != measured {
            self.differences.push(about(f, Kind::Total { claimed: f.tally.total, measured }));
        }
        self.listed_tests(claims, f);
        for group in groups(claims, f, &first, &second) {
            self.group(claims, f, &group);
        }
        self.decisions(claims, f, &second);
    }

    /// Every condition that is claimed to be shown is shown for llvm-cov too, and no other, in every decision that it has records of. A
    /// function that several binaries have is left out: llvm-cov tells of each what it shows, and pairs may be made of both.
    fn decisions(&mut self, claims: &Claims, f: &FunctionSummary, measured: &Measured) {
        if claims.summary.settings.mcdc.as_deref() != Some("unique-cause") || measured.is_sum {
            return;
        }
        let mut left: Vec<&MeasuredDecision> = measured.decisions.iter().collect();
        for decision in f.decisions.iter().filter(|decision| decision.confirmable) {
            let p = &decision.place;
            let is_it = |m: &&MeasuredDecision| {
                [p.line, p.column, p.end_line, p.end_column] == m.span
                    && m.shown.len() == decision.conditions.len()
                    && claims.same_file(&p.file, &m.file)
            };
            let Some(index) = left.iter().position(is_it) else {
                self.differences.push(in_decision(f, decision, Kind::MissingDecision));
                continue;
            };
            let found = left.remove(index);
            let conditions = in_record_order(claims, f, decision, measured);
            self.conditions += conditions.len();
            for (condition, measured) in conditions.iter().zip(without_constants(&conditions, &found.shown)) {
                let claimed = condition.state == State::Covered;
                if claimed != measured {
                    let condition = condition.text.clone();
                    self.differences.push(in_decision(f, decision, Kind::Condition { condition, claimed }));
                }
            }
        }
    }

    fn listed_tests(&mut self, claims: &Claims, f: &FunctionSummary) {
        for goal in &f.goals {
            let missing = match claims.unlisted(goal) {
                Some(name) => name.to_owned(),
                None if goal.state == State::Covered && goal.tests.is_empty() => "no test at all".to_owned(),
                None => continue,
            };
            self.differences.push(at(f, goal, Kind::NoSuchTest(missing)));
        }
    }

    fn group(&mut self, claims: &Claims, f: &FunctionSummary, group: &Group) {
        if group.claimed.len() != group.returning.len() || group.claimed.len() != group.all.len() {
            let kind = Kind::Branches { claimed: group.claimed.len(), measured: group.returning.len() };
            self.differences.push(group.difference(f, kind));
            return;
        }
        for (i, pair) in group.claimed.iter().enumerate() {
            for goal in *pair {
                let side = usize::from(!goal.outcome);
                self.goal(claims, f, goal, group.returning[i].counts[side], group.all[i].counts[side]);
            }
        }
    }

    fn goal(&mut self, claims: &Claims, f: &FunctionSummary, goal: &GoalSummary, returning: u64, all: u64) {
        let claimed = claims.by_returning_test(goal);
        let over = || at(f, goal, Kind::Overclaimed { by: goal.tests.clone() });
        let under = |count| at(f, goal, Kind::Underclaimed { state: state(goal), count });
        match (claimed, returning > 0) {
            (true, false) => self.differences.push(over()),
            (false, true) => self.differences.push(under(returning)),
            (true, true) if goal.state != State::Covered => self.differences.push(under(returning)),
            (true, true) => {}
            (false, false) if claims.at_all(goal) && all == 0 => self.differences.push(over()),
            (false, false) if !claims.at_all(goal) && all > 0 => self.notes.push(under(all)),
            (false, false) => {}
        }
    }
}

/// The conditions of a decision as llvm-cov's record has them: the first one first, then in the order of all branches, those in macros
/// behind the others. Constants are no branches and left out.
fn in_record_order<'d>(
    claims: &Claims,
    f: &FunctionSummary,
    decision: &'d DecisionSummary,
    measured: &Measured,
) -> Vec<&'d ConditionSummary> {
    let number = |condition: &ConditionSummary| {
        let goal = f.goals.iter().find(|goal| Some(goal.branch) == condition.branch)?;
        let Place { file, line, column, end_line, end_column } = &goal.place;
        let used = goal.expansion.as_ref().map(|place| (place.line, place.column));
        measured.regions.iter().position(|region| {
            region.span == [*line, *column, *end_line, *end_column]
                && region.expansion == used
                && claims.same_file(file, &region.file)
        })
    };
    let mut conditions: Vec<(usize, &ConditionSummary)> =
        decision.conditions.iter().enumerate().filter(|(_, c)| c.state != State::Constant).collect();
    conditions.sort_by_key(|&(index, condition)| (index > 0, number(condition)));
    conditions.into_iter().map(|(_, condition)| condition).collect()
}

/// What a record says about conditions that are not constant. It calls constants not shown and does not tell which they are: those are
/// taken for constants that leave the claims right, if some do.
fn without_constants(conditions: &[&ConditionSummary], shown: &[bool]) -> Vec<bool> {
    let mut left = shown.len().saturating_sub(conditions.len());
    let mut kept: Vec<bool> = Vec::new();
    for &is_shown in shown {
        let is_claimed = conditions.get(kept.len()).map(|c| c.state == State::Covered);
        if left > 0 && !is_shown && is_claimed != Some(false) {
            left -= 1;
        } else {
            kept.push(is_shown);
        }
    }
    kept
}

/// The branches at one source text: a macro used twice gives several, paired in order of use.
struct Group<'a> {
    claimed: Vec<&'a [GoalSummary]>,
    returning: Vec<&'a Region>,
    all: Vec<&'a Region>,
}

impl Group<'_> {
    fn difference(&self, f: &FunctionSummary, kind: Kind) -> Difference {
        match (self.claimed.first(), self.returning.first()) {
            (Some(pair), _) => {
                let place = &pair[0].place;
                Difference {
                    file: place.file.clone(),
                    line: place.line,
                    column: place.column,
                    ..about(f, kind)
                }
            }
            (None, Some(region)) => Difference {
                file: region.file.clone(),
                line: region.span[0],
                column: region.span[1],
                ..about(f, kind)
            },
            (None, None) => about(f, kind),
        }
    }
}

fn groups<'a>(
    claims: &Claims,
    f: &'a FunctionSummary,
    first: &'a Measured,
    second: &'a Measured,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for pair in f.goals.chunk_by(|a, b| a.branch == b.branch) {
        match groups.iter_mut().find(|g| g.claimed[0][0].place == pair[0].place) {
            Some(group) => group.claimed.push(pair),
            None => groups.push(Group { claimed: vec![pair], returning: vec![], all: vec![] }),
        }
    }
    for region in &first.regions {
        match groups.iter_mut().find(|g| g.holds(claims, region)) {
            Some(group) => group.returning.push(region),
            None => groups.push(Group { claimed: vec![], returning: vec![region], all: vec![] }),
        }
    }
    for region in &second.regions {
        if let Some(group) = groups.iter_mut().find(|g| g.holds(claims, region)) {
            group.all.push(region);
        }
    }
    groups.iter_mut().for_each(Group::sort);
    groups
}

impl Group<'_> {
    fn holds(&self, claims: &Claims, region: &Region) -> bool {
        match (self.claimed.first(), self.returning.first()) {
            (Some(pair), _) => {
                let p = &pair[0].place;
                [p.line, p.column, p.end_line, p.end_column] == region.span
                    && claims.same_file(&p.file, &region.file)
            }
            (None, Some(other)) => other.span == region.span && other.file == region.file,
            (None, None) => false,
        }
    }

    /// By place of use where all sides know it; the order they came in decides the rest.
    fn sort(&mut self) {
        let known = self.claimed.iter().all(|p| p[0].expansion.is_some())
            && self.returning.iter().all(|r| r.expansion.is_some());
        if known {
            self.claimed.sort_by_key(|p| p[0].expansion.as_ref().map(|e| (e.line, e.column)));
            self.returning.sort_by_key(|r| r.expansion);
            self.all.sort_by_key(|r| r.expansion);
        }
    }
}

/// The measured function, its counts added up over all binaries that contain it: a test of one file may run
/// code of another, and a function of a header is in every binary that includes it.
fn find(claims: &Claims, f: &FunctionSummary, measurement: &Measurement) -> Option<Measured> {
    let candidates = measurement
        .functions
        .iter()
        .flatten()
        .filter(|m| m.name == f.name && claims.same_file(&f.file, &m.file));
    let mut sum: Option<Measured> = None;
    for candidate in candidates {
        match &mut sum {
            None => sum = Some(candidate.clone()),
            Some(sum) if sum.regions.len() < candidate.regions.len() => *sum = candidate.clone(),
            Some(sum) => sum.add(candidate),
        }
    }
    sum
}

impl Measured {
    fn add(&mut self, other: &Measured) {
        self.count += other.count;
        self.is_sum = true;
        if self.regions.len() == other.regions.len() {
            for (a, b) in self.regions.iter_mut().zip(&other.regions) {
                a.counts = [a.counts[0] + b.counts[0], a.counts[1] + b.counts[1]];
            }
        }
    }
}

fn whole(what: &str, kind: Kind) -> Difference {
    Difference { function: String::new(), file: what.to_owned(), line: 0, column: 0, outcome: None, kind }
}

fn about(f: &FunctionSummary, kind: Kind) -> Difference {
    Difference {
        function: f.name.clone(),
        file: f.file.clone(),
        line: f.line,
        column: 0,
        outcome: None,
        kind,
    }
}

pub(crate) fn in_decision(f: &FunctionSummary, decision: &DecisionSummary, kind: Kind) -> Difference {
    let Place { file, line, column, .. } = decision.place.clone();
    Difference { file, line, column, ..about(f, kind) }
}

fn at(f: &FunctionSummary, goal: &GoalSummary, kind: Kind) -> Difference {
    let place = goal.visible();
    Difference {
        function: f.name.clone(),
        file: place.file.clone(),
        line: place.line,
        column: place.column,
        outcome: Some(goal.outcome),
        kind,
    }
}

fn state(goal: &GoalSummary) -> String {
    match goal.state {
        State::Covered => "covered by death tests only",
        State::Infeasible => "infeasible",
        State::Unknown => "unknown",
        State::Constant => "constant",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(state: State) -> ConditionSummary {
        let (letter, text) = (String::new(), String::new());
        ConditionSummary {
            letter,
            branch: None,
            place: None,
            value: None,
            text,
            state,
            pair: None,
            why: None,
        }
    }

    #[test]
    fn constants_are_found_among_what_is_not_shown() {
        let states = [State::Covered, State::Infeasible, State::Covered].map(condition);
        let claimed: Vec<&ConditionSummary> = states.iter().collect();
        assert_eq!(without_constants(&claimed, &[true, false, true, false]), [true, false, true]);
        assert_eq!(without_constants(&claimed, &[false, true, false, true]), [true, false, true]);
        // One more is shown than claimed, or one less: that cannot be hidden.
        assert_eq!(without_constants(&claimed, &[true, true, true, false]), [true, true, true]);
        assert_ne!(without_constants(&claimed, &[true, false, false, false]), [true, false, true]);
        assert_eq!(without_constants(&claimed, &[true, false, true]), [true, false, true]);
    }
}
