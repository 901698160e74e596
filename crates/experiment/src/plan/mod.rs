//! The file that says what is compared.
//!
#![doc = concat!("```toml\n", include_str!("../../assets/example.toml"), "```")]

mod raw;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

/// What an experiment varies and how often it repeats. Every list has at least one element and no two equal ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The programs.
    pub subjects: Vec<Subject>,
    /// Names of engines.
    pub engines: Vec<String>,
    /// What guides them.
    pub fitness: Vec<Fitness>,
    /// What they must reach.
    pub criteria: Vec<Criterion>,
    /// For how long.
    pub budgets: Vec<Budget>,
    /// Runs of each cell.
    pub repetitions: u32,
    /// The seed of the first of them; each other has the next.
    pub first_seed: u64,
    /// Whether a run made for one goal counts for the others it reaches. Without, as in the thesis, each goal is
    /// searched for on its own, and decisions that always fall together may differ in coverage.
    pub collateral: bool,
    /// What each dependence set of a goal has, where every goal is searched for on its own.
    pub sets: Sets,
    /// Random whole numbers are uniform over their ranges, as in the thesis; otherwise small ones are preferred.
    pub uniform: bool,
}

/// A program and where its inputs come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// Its name in tables.
    pub name: String,
    /// The file, as written: relative to the plan's.
    pub path: PathBuf,
    /// Functions under test; none means all.
    pub functions: Vec<String>,
    /// Flags for the compiler.
    pub cflags: Vec<String>,
    /// Sets of ranges to compare.
    pub domains: Vec<Domain>,
}

/// Ranges of inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// Its name in tables.
    pub name: String,
    /// By parameter or global variable; what is not named may have every value of its type.
    pub ranges: BTreeMap<String, RangeInclusive<i64>>,
}

/// What guides a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    /// Approach level and branch distance by control dependence: the "old" fitness of the thesis.
    Control,
    /// Data dependences as well: its "new" one.
    DataDependence,
}

/// What each of several dependence sets of a goal has of the goal's executions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Sets {
    /// An equal share.
    #[default]
    Shared,
    /// All of them: a search for each set.
    Each,
}

/// What tests must reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Both outcomes of every branch; goals are grouped by function.
    Branch,
    /// Every condition shown to decide; goals are grouped by decision.
    Mcdc,
}

/// Executions allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// For each goal.
    PerGoal(u64),
    /// For all goals of a function together.
    PerFunction(u64),
}

/// A way to search: a column of the tables.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Variant {
    /// The engine, with the fitness if the plan has several.
    pub name: String,
    /// The engine.
    pub engine: String,
    /// What guides it.
    pub fitness: Fitness,
}

/// What tells a run from all others of an experiment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Name of the subject.
    pub subject: String,
    /// What is to be reached.
    pub criterion: Criterion,
    /// Name of the domain.
    pub domain: String,
    /// Name of the engine.
    pub engine: String,
    /// What guides it.
    pub fitness: Fitness,
    /// For how long.
    pub budget: Budget,
    /// The source of its randomness.
    pub seed: u64,
}

/// One run to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// Where its inputs come from.
    pub domain: &'a Domain,
    /// The rest, and the names of both.
    pub key: Key,
}

/// What is wrong with a plan.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Debug)]
#[error("line {line}: {message}")]
pub struct PlanError {
    /// Where, from 1.
    pub line: usize,
    /// What.
    pub message: String,
}

impl Plan {
    /// Reads a plan that names only `engines`.
    pub fn parse(text: &str, engines: &[&str]) -> Result<Plan, PlanError> {
        raw::parse(text, engines)
    }

    /// Every run: subjects, in each criteria, then its domains, engines, kinds of fitness, budgets and seeds, each in
    /// the order of the file. The seed changes fastest.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = Vec::new();
        for (subject, criterion, domain) in self.places() {
            for variant in self.variants() {
                for &budget in &self.budgets {
                    let key = |seed| key(subject, criterion, domain, &variant, budget, seed);
                    cells.extend(self.seeds().map(|seed| Cell { subject, domain, key: key(seed) }));
                }
            }
        }
        cells
    }

    /// The columns of tables: the kinds of fitness of an engine stand side by side.
    #[must_use]
    pub fn variants(&self) -> Vec<Variant> {
        let pairs = self.engines.iter().flat_map(|engine| self.fitness.iter().map(move |&f| (engine, f)));
        pairs
            .map(|(engine, fitness)| {
                let name = match self.fitness.len() {
                    1 => engine.clone(),
                    _ => format!("{engine} ({fitness})"),
                };
                Variant { name, engine: engine.clone(), fitness }
            })
            .collect()
    }

    /// The seeds of a cell.
    #[must_use]
    pub fn seeds(&self) -> Range<u64> {
        self.first_seed..self.first_seed + u64::from(self.repetitions)
    }

    /// What is searched, without how.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Subject, Criterion, &Domain)> {
        self.subjects.iter().flat_map(move |subject| {
            self.criteria.iter().flat_map(move |&criterion| {
                subject.domains.iter().map(move |domain| (subject, criterion, domain))
            })
        })
    }
}

/// The key of a run.
pub(crate) fn key(
    subject: &Subject,
    criterion: Criterion,
    domain: &Domain,
    variant: &Variant,
    budget: Budget,
    seed: u64,
) -> Key {
    Key {
        subject: subject.name.clone(),
        criterion,
        domain: domain.name.clone(),
        engine: variant.engine.clone(),
        fitness: variant.fitness,
        budget,
        seed,
    }
}

impl Criterion {
    /// What one of its groups of goals is.
    #[must_use]
    pub fn group(self) -> &'static str {
        match self {
            Criterion::Branch => "function",
            Criterion::Mcdc => "decision",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Display for Fitness {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Fitness::Control => "control",
            Fitness::DataDependence => "data-dependence",
        })
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Criterion::Branch => "branch",
            Criterion::Mcdc => "mcdc",
        })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Budget::PerGoal(n) => write!(f, "{n} per goal"),
            Budget::PerFunction(n) => write!(f, "{n} per function"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINES: [&str; 3] = ["ga", "hc", "random"];
    const SMALL: &str = "engines = [\"ga\"]\nbudgets = [{ per_goal = 9 }]\n[[subject]]\npath = \"a/b.c\"\n";

    fn plan(text: &str) -> Plan {
        Plan::parse(text, &ENGINES).unwrap_or_else(|e| panic!("{e}"))
    }

    /// `SMALL` with one piece replaced, and what is said about it.
    fn slip(old: &str, new: &str) -> String {
        assert!(SMALL.contains(old));
        Plan::parse(&SMALL.replace(old, new), &ENGINES).expect_err("a slip").to_string()
    }

    #[test]
    fn the_documented_example_says_what_it_seems_to() {
        let plan = plan(include_str!("../../assets/example.toml"));
        assert_eq!(plan.engines, ENGINES);
        assert_eq!(plan.fitness, [Fitness::Control, Fitness::DataDependence]);
        assert_eq!(plan.criteria, [Criterion::Mcdc]);
        assert_eq!(plan.budgets, [Budget::PerGoal(5_000), Budget::PerGoal(10_000)]);
        assert_eq!((plan.repetitions, plan.seeds(), plan.collateral), (30, 1..31, false));
        assert_eq!((plan.sets, plan.uniform), (Sets::Each, true));
        let [triangle] = plan.subjects.as_slice() else { panic!("one subject") };
        assert_eq!((triangle.name.as_str(), triangle.path.to_str()), ("Triangle", Some("triangle.c")));
        assert_eq!(
            (triangle.functions.as_slice(), triangle.cflags.as_slice()),
            (&["triangle".to_owned()][..], &["-std=c11".to_owned()][..])
        );
        let names: Vec<&str> = triangle.domains.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["±16000", "int"]);
        assert_eq!(triangle.domains[0].ranges["side2"], -16_000..=16_000);
        assert!(triangle.domains[1].ranges.is_empty());
    }

    #[test]
    fn most_of_a_plan_has_defaults() {
        let plan = plan(SMALL);
        assert_eq!(
            (plan.fitness.as_slice(), plan.criteria.as_slice()),
            (&[Fitness::Control][..], &[Criterion::Branch][..])
        );
        assert_eq!((plan.repetitions, plan.first_seed, plan.collateral), (30, 1, true));
        assert_eq!((plan.sets, plan.uniform), (Sets::Shared, false));
        let subject = &plan.subjects[0];
        assert_eq!((subject.name.as_str(), subject.domains[0].name.as_str()), ("b.c", "whole types"));
    }

    #[test]
    fn ranges_name_a_domain() {
        let domains = "[[subject.domain]]\nranges = { x = [0, 5], y = [0, 5] }\n\
                       [[subject.domain]]\nranges = { y = [-1, 1], x = [0, 5] }\n";
        let plan = plan(&format!("{SMALL}{domains}"));
        let names: Vec<&str> = plan.subjects[0].domains.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["[0, 5]", "x [0, 5], y [-1, 1]"]);
    }

    #[test]
    fn cells_come_in_the_documented_order() {
        let text = "engines = [\"hc\", \"ga\"]\nfitness = [\"data-dependence\", \"control\"]\n\
            criteria = [\"mcdc\", \"branch\"]\nbudgets = [{ per_goal = 2 }, { per_function = 1 }]\n\
            repetitions = 2\nfirst_seed = 7\n[[subject]]\npath = \"z.c\"\n\
            [[subject.domain]]\nname = \"b\"\n[[subject.domain]]\nname = \"a\"\n[[subject]]\npath = \"y.c\"\n";
        let plan = plan(text);
        let cells = plan.cells();
        assert_eq!(cells.len(), (2 + 1) * 2 * 2 * 2 * 2 * 2);
        let place = |list: &[&str], name: &str| list.iter().position(|n| *n == name).expect("in the plan");
        let positions: Vec<_> = cells
            .iter()
            .map(|cell| {
                let key = &cell.key;
                assert_eq!((&cell.subject.name, &cell.domain.name), (&key.subject, &key.domain));
                (
                    place(&["z.c", "y.c"], &key.subject),
                    place(&["mcdc", "branch"], &key.criterion.to_string()),
                    place(&["b", "a", "whole types"], &key.domain),
                    place(&["hc", "ga"], &key.engine),
                    place(&["data-dependence", "control"], &key.fitness.to_string()),
                    place(&["2 per goal", "1 per function"], &key.budget.to_string()),
                    key.seed,
                )
            })
            .collect();
        assert!(positions.is_sorted_by(|a, b| a < b), "{positions:?}");
    }

    #[test]
    fn columns_name_the_fitness_where_it_varies() {
        let names = |text: &str| plan(text).variants().into_iter().map(|v| v.name).collect::<Vec<_>>();
        assert_eq!(names(SMALL), ["ga"]);
        let both = format!("fitness = [\"control\", \"data-dependence\"]\n{SMALL}");
        assert_eq!(names(&both), ["ga (control)", "ga (data-dependence)"]);
    }

    #[test]
    fn slips_are_told_with_their_lines() {
        assert_eq!(slip("ga", "gaa"), "line 1: no engine is `gaa`; there are ga, hc, random");
        assert_eq!(slip("\"ga\"", "\"ga\",\n\"ga\""), "line 2: engine `ga` is named twice");
        assert_eq!(slip("\"ga\"", ""), "line 1: at least one engine is needed");
        assert_eq!(slip("= 9", "= 0"), "line 2: a budget of no executions finds nothing");
        assert_eq!(slip("a/b.c", ".."), "line 4: this is not the path of a file");
        assert_eq!(slip("[[", "repetitions = 0\n[["), "line 3: an experiment without runs has no result");
        assert_eq!(
            slip("per_goal = 9 }]", "per_function = 9 }]\ncollateral = false"),
            "line 2: where every goal is searched for on its own, budgets are per goal"
        );
        let range = "b.c\"\n[[subject.domain]]\n[subject.domain.ranges]\nx = [0, 1]\ny = [2, -2]\n#";
        assert_eq!(slip("b.c", range), "line 8: no value of `y` is at least 2 and at most -2");
    }

    #[test]
    fn what_toml_and_serde_reject_has_a_line_too() {
        let says = |old, new, line: &str, word: &str| {
            let text = slip(old, new);
            assert!(text.starts_with(line) && text.contains(word), "{text}");
        };
        says("path", "paths", "line 4: ", "unknown field `paths`");
        says("[[", "seeds = 3\n[[", "line 3: ", "unknown field `seeds`");
        says("per_goal", "per_gaol", "line 2: ", "unknown variant `per_gaol`");
        says("[[", "fitness = [\"contrl\"]\n[[", "line 3: ", "unknown variant `contrl`");
        says("= 9", "= -9", "line 2: ", "-9");
        says("= 9 }", "= 9, per_function = 3 }", "line 2: ", "");
        says("b.c\"", "b.c", "line 4: ", "");
        says("b.c\"", "b.c\"\n[[subject]]\nname = \"b\"\n#", "line 5: ", "missing field `path`");
        says("[[subject]]\npath = \"a/b.c\"\n", "", "line 1: ", "missing field `subject`");
    }
}
