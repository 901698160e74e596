//! From the records of many runs to the numbers of tables: a setting for each subject, domain, criterion and budget, in
//! it a column for each way to search.

mod csv;
mod grid;

pub(crate) use grid::Grid;

use crate::plan::{Budget, Criterion, Key, Plan, Sets, Variant, key};
use crate::record::{Group, Record};
use crate::stats::{Magnitude, Method, Quartiles, a12, mean, median, rank_sum, standard_deviation, wilson};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What came out of an experiment. Numbers are rounded: the last digits of a double may depend on the machine.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Results {
    /// Runs planned for each cell.
    pub repetitions: u32,
    /// The seed of the first.
    pub first_seed: u64,
    /// Whether runs for one goal counted for others.
    pub collateral: bool,
    /// What each dependence set of a goal had.
    pub sets: Sets,
    /// The columns of all tables.
    pub variants: Vec<Variant>,
    /// In the order of the plan.
    pub settings: Vec<Setting>,
}

/// What was to be done, and how well each variant did it. Lists of cells have one for each variant, `None` where nothing
/// was run.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Setting {
    /// Name of the subject.
    pub subject: String,
    /// What was to be reached.
    pub criterion: Criterion,
    /// Name of the domain.
    pub domain: String,
    /// For how long.
    pub budget: Budget,
    /// Coverage of each decision or function.
    pub groups: Vec<Row>,
    /// Their mean in each run, whatever their sizes: "Total" of the thesis.
    pub mean_of_groups: Row,
    /// Of all goals in each run, every goal weighing the same.
    pub goal_weighted: Row,
    /// How often each goal was reached.
    pub successes: Vec<SuccessRow>,
    /// Goals that a run proved infeasible, on average; they are left out of all other numbers. Nothing if no run did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved: Option<Vec<Option<Spread>>>,
    /// Of each variant with each later one. They are many: p is not corrected for that.
    pub comparisons: Vec<Comparison>,
    /// Single runs, by seed.
    pub runs: Vec<Runs>,
}

/// Coverage in percent.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Row {
    /// Of what.
    pub name: String,
    /// How many goals that is.
    pub goals: usize,
    /// By variant.
    pub cells: Vec<Option<Spread>>,
}

/// A sample in numbers.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Spread {
    /// How many values.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, if there are two.
    pub standard_deviation: Option<f64>,
    /// The first quartile.
    pub lower: f64,
    /// The second.
    pub median: f64,
    /// The third.
    pub upper: f64,
}

/// How often one goal was reached.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SuccessRow {
    /// The decision or function.
    pub group: String,
    /// The goal in it.
    pub goal: String,
    /// By variant.
    pub cells: Vec<Option<Success>>,
}

/// A rate of success.
#[derive(Clone, Copy, PartialEq, Serialize, Debug)]
pub struct Success {
    /// Runs that reached the goal.
    pub reached: usize,
    /// All runs.
    pub runs: usize,
    /// The former by the latter.
    pub rate: f64,
    /// Wilson's interval for it, 95 %.
    pub interval: (f64, f64),
    /// Median of the evaluations that successful runs took.
    pub evaluations: Option<f64>,
}

/// Two variants side by side.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Comparison {
    /// In what.
    pub measure: Measure,
    /// Name of the one.
    pub first: String,
    /// Name of the other.
    pub second: String,
    /// How likely the first has more of it.
    pub a12: f64,
    /// How much that is.
    pub magnitude: Magnitude,
    /// Two-sided significance of the rank-sum test.
    pub p: f64,
    /// How it was computed.
    pub method: Method,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The mean over the groups: more is better.
    Coverage,
    /// Executions of a whole run: less is better.
    Evaluations,
    /// Its time: less is better.
    Seconds,
}

/// The runs of one variant that had goals.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Runs {
    /// Their seeds.
    pub seeds: Vec<u64>,
    /// Mean coverage of the groups.
    pub coverage: Vec<f64>,
    /// Executions.
    pub evaluations: Vec<u64>,
    /// Time, if all records have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Vec<f64>>,
}

impl Results {
    /// Brings the records of a plan together. Cells without a record are left out of the numbers, and so are records of
    /// other plans. Neither the order of the records nor what runs beside them matters.
    #[must_use]
    pub fn of(plan: &Plan, records: &[Record]) -> Results {
        let records: BTreeMap<&Key, &Record> = records.iter().map(|record| (&record.key, record)).collect();
        let variants = plan.variants();
        let mut settings = Vec::new();
        for (subject, criterion, domain) in plan.places() {
            for &budget in &plan.budgets {
                let record = |variant: &Variant, seed| {
                    records.get(&key(subject, criterion, domain, variant, budget, seed)).copied()
                };
                let column = |variant| plan.seeds().filter_map(|seed| record(variant, seed)).collect();
                let columns = Columns(variants.iter().map(column).collect());
                let (subject, domain) = (subject.name.clone(), domain.name.clone());
                settings.push(columns.setting(subject, criterion, domain, budget, &variants));
            }
        }
        Results {
            repetitions: plan.repetitions,
            first_seed: plan.first_seed,
            collateral: plan.collateral,
            sets: plan.sets,
            variants,
            settings,
        }
    }

    /// Everything, for programs.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts have a form in JSON") + "\n"
    }
}

/// The records of a setting by variant, each by seed.
struct Columns<'a>(Vec<Vec<&'a Record>>);

impl Columns<'_> {
    fn setting(
        &self,
        subject: String,
        criterion: Criterion,
        domain: String,
        budget: Budget,
        variants: &[Variant],
    ) -> Setting {
        let runs: Vec<Runs> = self.0.iter().map(|column| Runs::of(column)).collect();
        Setting {
            subject,
            criterion,
            domain,
            budget,
            groups: self.group_names().map(|name| self.group(name)).collect(),
            mean_of_groups: self.total(&format!("mean of {}s", criterion.group()), Record::mean_of_groups),
            goal_weighted: self.total("weighted by goals", Record::goal_weighted),
            successes: self.successes(),
            proved: self.proved(),
            comparisons: comparisons(variants, &runs),
            runs,
        }
    }

    fn proved(&self) -> Option<Vec<Option<Spread>>> {
        let count = |record: &Record| record.groups.iter().map(|group| group.proved.len()).sum::<usize>();
        let is_any = self.records().any(|record| count(record) > 0);
        is_any.then(|| self.spreads(|record| Some(count(record) as f64)))
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.0.iter().flatten().copied()
    }

    /// Those of any record, in the order of the first that has them.
    fn group_names(&self) -> impl Iterator<Item = &str> {
        let mut seen = BTreeSet::new();
        let names = self.records().flat_map(|record| &record.groups).map(|group| group.name.as_str());
        names.filter(move |name| seen.insert(*name))
    }

    fn group(&self, name: &str) -> Row {
        let goals = self.records().filter_map(|record| find(record, name)).map(Group::total).max();
        Row {
            name: name.to_owned(),
            goals: goals.unwrap_or(0),
            cells: self.spreads(|record| find(record, name)?.coverage()),
        }
    }

    fn total(&self, name: &str, of: impl Fn(&Record) -> Option<f64>) -> Row {
        let goals = |record: &Record| record.groups.iter().map(Group::total).sum();
        Row {
            name: name.to_owned(),
            goals: self.records().map(goals).max().unwrap_or(0),
            cells: self.spreads(of),
        }
    }

    fn spreads(&self, of: impl Fn(&Record) -> Option<f64>) -> Vec<Option<Spread>> {
        let sample =
            |column: &Vec<&Record>| column.iter().filter_map(|r| of(r).map(rounded)).collect::<Vec<f64>>();
        self.0.iter().map(|column| Spread::of(&sample(column))).collect()
    }

    /// Goals of any record, in the order of the first that has them; one pass, since goals may be many.
    fn successes(&self) -> Vec<SuccessRow> {
        let mut rows = BTreeMap::new();
        let mut tries: Vec<Vec<Vec<Option<u64>>>> = Vec::new();
        for (column, records) in self.0.iter().enumerate() {
            for group in records.iter().flat_map(|record| &record.groups) {
                for goal in &group.goals {
                    let row = *rows.entry((&group.name, &goal.name)).or_insert(tries.len());
                    if row == tries.len() {
                        tries.push(vec![Vec::new(); self.0.len()]);
                    }
                    tries[row][column].push(goal.reached_after);
                }
            }
        }
        let mut names: Vec<_> = rows.into_iter().collect();
        names.sort_by_key(|(_, row)| *row);
        let row = |((group, goal), row): ((&String, &String), usize)| SuccessRow {
            group: group.clone(),
            goal: goal.clone(),
            cells: tries[row].iter().map(|tries| Success::of(tries)).collect(),
        };
        names.into_iter().map(row).collect()
    }
}

fn find<'a>(record: &'a Record, group: &str) -> Option<&'a Group> {
    record.groups.iter().find(|g| g.name == group)
}

impl Spread {
    fn of(sample: &[f64]) -> Option<Spread> {
        let Quartiles { lower, median, upper } = Quartiles::of(sample)?;
        Some(Spread {
            runs: sample.len(),
            mean: rounded(mean(sample)?),
            standard_deviation: standard_deviation(sample).map(rounded),
            lower: rounded(lower),
            median: rounded(median),
            upper: rounded(upper),
        })
    }
}

impl Success {
    fn of(tries: &[Option<u64>]) -> Option<Success> {
        let evaluations: Vec<f64> = tries.iter().flatten().map(|&n| n as f64).collect();
        let (low, high) = wilson(evaluations.len(), tries.len())?;
        Some(Success {
            reached: evaluations.len(),
            runs: tries.len(),
            rate: rounded(evaluations.len() as f64 / tries.len() as f64),
            interval: (rounded(low), rounded(high)),
            evaluations: median(&evaluations),
        })
    }
}

impl Runs {
    fn of(records: &[&Record]) -> Runs {
        let with_goals = || records.iter().filter_map(|r| Some((r, r.mean_of_groups()?)));
        Runs {
            seeds: with_goals().map(|(record, _)| record.key.seed).collect(),
            coverage: with_goals().map(|(_, coverage)| rounded(coverage)).collect(),
            evaluations: with_goals().map(|(record, _)| record.evaluations).collect(),
            seconds: with_goals().map(|(record, _)| record.seconds).collect(),
        }
    }

    fn sample(&self, measure: Measure) -> Vec<f64> {
        match measure {
            Measure::Coverage => self.coverage.clone(),
            Measure::Evaluations => self.evaluations.iter().map(|&n| n as f64).collect(),
            Measure::Seconds => self.seconds.clone().unwrap_or_default(),
        }
    }
}

fn comparisons(variants: &[Variant], runs: &[Runs]) -> Vec<Comparison> {
    let mut all = Vec::new();
    for measure in [Measure::Coverage, Measure::Evaluations, Measure::Seconds] {
        for first in 0..runs.len() {
            let pair = |second| compared(measure, (&variants[first], &runs[first]), second);
            all.extend(variants.iter().zip(runs).skip(first + 1).filter_map(pair));
        }
    }
    all
}

fn compared(measure: Measure, first: (&Variant, &Runs), second: (&Variant, &Runs)) -> Option<Comparison> {
    let (a, b) = (first.1.sample(measure), second.1.sample(measure));
    let (effect, test) = (a12(&a, &b)?, rank_sum(&a, &b)?);
    Some(Comparison {
        measure,
        first: first.0.name.clone(),
        second: second.0.name.clone(),
        a12: rounded(effect),
        magnitude: Magnitude::of(effect),
        p: ten_digits(test.p),
        method: test.method,
    })
}

/// Nine decimals: coverage that is equal as a fraction is equal as a number again, whatever the order of its sum.
fn rounded(x: f64) -> f64 {
    (x * 1e9).round() / 1e9
}

/// Ten digits, for what may be very small.
fn ten_digits(x: f64) -> f64 {
    format!("{x:.9e}").parse().expect("what was printed is a number")
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Measure::Coverage => "coverage",
            Measure::Evaluations => "evaluations",
            Measure::Seconds => "seconds",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_coverage_is_a_tie_whatever_the_order_of_its_sum() {
        let third = 100.0 / 3.0;
        let (one, other) = ((third + 0.1) + 0.2, third + (0.1 + 0.2));
        assert_ne!(one, other);
        assert_eq!(rounded(one), rounded(other));
        let spread = Spread::of(&[rounded(third); 7]).expect("values");
        assert_eq!((spread.mean, spread.standard_deviation), (33.333333333, Some(0.0)));
    }

    #[test]
    fn small_probabilities_stay_what_they_are() {
        assert_eq!(ten_digits(1.234_567_890_12e-17), 1.234_567_89e-17);
    }
}
