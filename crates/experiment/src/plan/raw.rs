//! The plan as written, and what is checked on the way to the one in force.

use super::{Budget, Criterion, Domain, Fitness, Plan, PlanError, Sets, Subject};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use toml::Spanned;

/// What the thesis means to have done.
const REPETITIONS: u32 = 30;

type List<T> = Spanned<Vec<Spanned<T>>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPlan {
    engines: List<String>,
    fitness: Option<List<Fitness>>,
    criteria: Option<List<Criterion>>,
    budgets: List<Budget>,
    repetitions: Option<Spanned<u32>>,
    first_seed: Option<u64>,
    collateral: Option<bool>,
    sets: Option<Sets>,
    uniform: Option<bool>,
    subject: List<RawSubject>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSubject {
    name: Option<String>,
    path: Spanned<PathBuf>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    cflags: Vec<String>,
    domain: Option<List<RawDomain>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawDomain {
    name: Option<String>,
    #[serde(default)]
    ranges: BTreeMap<String, Spanned<[i64; 2]>>,
}

pub(super) fn parse(text: &str, engines: &[&str]) -> Result<Plan, PlanError> {
    let source = Source { text };
    let raw: RawPlan =
        toml::from_str(text).map_err(|e| source.slip(&e.span().unwrap_or_default(), e.message()))?;
    let fitness = |list| source.collect("fitness", list, |_, fitness| Ok(fitness));
    let criteria = |list| source.collect("criterion", list, |_, criterion| Ok(criterion));
    Ok(Plan {
        subjects: source.collect("subject", raw.subject, |_, raw| source.subject(raw))?,
        engines: source.collect("engine", raw.engines, |span, name| source.engine(span, name, engines))?,
        fitness: raw.fitness.map_or(Ok(vec![Fitness::Control]), fitness)?,
        criteria: raw.criteria.map_or(Ok(vec![Criterion::Branch]), criteria)?,
        budgets: source.collect("budget", raw.budgets, |span, budget| {
            source.budget(span, budget, raw.collateral.unwrap_or(true))
        })?,
        repetitions: raw.repetitions.map_or(Ok(REPETITIONS), |r| source.repetitions(&r))?,
        first_seed: raw.first_seed.unwrap_or(1),
        collateral: raw.collateral.unwrap_or(true),
        sets: raw.sets.unwrap_or_default(),
        uniform: raw.uniform.unwrap_or(false),
    })
}

/// The text that errors point into.
struct Source<'a> {
    text: &'a str,
}

impl Source<'_> {
    fn slip(&self, span: &Range<usize>, message: impl Into<String>) -> PlanError {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        PlanError { line, message: message.into() }
    }

    /// What is made of the elements of a list, of which there are some and no two alike.
    fn collect<R, T: Display>(
        &self,
        what: &str,
        list: List<R>,
        make: impl Fn(&Range<usize>, R) -> Result<T, PlanError>,
    ) -> Result<Vec<T>, PlanError> {
        if list.get_ref().is_empty() {
            return Err(self.slip(&list.span(), format!("at least one {what} is needed")));
        }
        let mut names = BTreeSet::new();
        let mut all = Vec::new();
        for element in list.into_inner() {
            let span = element.span();
            let made = make(&span, element.into_inner())?;
            if !names.insert(made.to_string()) {
                return Err(self.slip(&span, format!("{what} `{made}` is named twice")));
            }
            all.push(made);
        }
        Ok(all)
    }

    fn engine(&self, span: &Range<usize>, name: String, engines: &[&str]) -> Result<String, PlanError> {
        match engines.contains(&name.as_str()) {
            true => Ok(name),
            false => Err(self.slip(span, format!("no engine is `{name}`; there are {}", engines.join(", ")))),
        }
    }

    fn budget(&self, span: &Range<usize>, budget: Budget, collateral: bool) -> Result<Budget, PlanError> {
        match budget {
            Budget::PerFunction(_) if !collateral => {
                Err(self.slip(span, "where every goal is searched for on its own, budgets are per goal"))
            }
            Budget::PerGoal(0) | Budget::PerFunction(0) => {
                Err(self.slip(span, "a budget of no executions finds nothing"))
            }
            some => Ok(some),
        }
    }

    fn repetitions(&self, repetitions: &Spanned<u32>) -> Result<u32, PlanError> {
        match *repetitions.get_ref() {
            0 => Err(self.slip(&repetitions.span(), "an experiment without runs has no result")),
            some => Ok(some),
        }
    }

    fn subject(&self, raw: RawSubject) -> Result<Subject, PlanError> {
        let Some(file) = raw.path.get_ref().file_name() else {
            return Err(self.slip(&raw.path.span(), "this is not the path of a file"));
        };
        Ok(Subject {
            name: raw.name.unwrap_or_else(|| file.to_string_lossy().into_owned()),
            domains: match raw.domain {
                Some(list) => self.collect("domain", list, |_, raw| self.domain(raw))?,
                None => vec![self.domain(RawDomain::default())?],
            },
            path: raw.path.into_inner(),
            functions: raw.functions,
            cflags: raw.cflags,
        })
    }

    fn domain(&self, raw: RawDomain) -> Result<Domain, PlanError> {
        let mut ranges = BTreeMap::new();
        for (parameter, range) in raw.ranges {
            let [low, high] = *range.get_ref();
            if low > high {
                let message = format!("no value of `{parameter}` is at least {low} and at most {high}");
                return Err(self.slip(&range.span(), message));
            }
            ranges.insert(parameter, low..=high);
        }
        Ok(Domain { name: raw.name.unwrap_or_else(|| name_of(&ranges)), ranges })
    }
}

/// A name for ranges that were given none: once what is the same for all.
fn name_of(ranges: &BTreeMap<String, RangeInclusive<i64>>) -> String {
    let text = |range: &RangeInclusive<i64>| format!("[{}, {}]", range.start(), range.end());
    let Some(first) = ranges.values().next() else { return "whole types".to_owned() };
    if ranges.values().all(|range| range == first) {
        return text(first);
    }
    let each: Vec<String> = ranges.iter().map(|(name, range)| format!("{name} {}", text(range))).collect();
    each.join(", ")
}
