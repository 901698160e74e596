//! `branchwise.toml`.
//!
//! ```toml
//! engine = "avm"          # search engine; default avm
//! budget = "200000x"      # per function; default 200000x
//! seed = 1                # default 1
//!
//! [limits]
//! objects = 32            # heap objects in one input
//! elements = 1024         # elements of one array
//! heap = "64M"            # heap of the target
//! run_millis = 2000       # wall clock of one run
//! choices = 384           # cells that an unknown address may choose from
//!
//! [function.triangle.a]   # parameter or global `a` of `triangle`
//! min = 1
//! max = 1000
//! exclude = [13]
//!
//! [function.push]         # what its callers promise, in C
//! requires = ["ring->count <= ring->size", "elements(buf) >= len"]
//!
//! [function.push.buf]
//! nonnull = true
//! min_elements = 4        # of what the pointer leads to
//! max_elements = 16
//! ```
//!
//! What is of Java stands in `[java]`, see `java/table.rs`. Flags on the command line win. Every setting takes part in the seed's promise: same settings, same suite.

use crate::args::{Amount, parse_budget};
use crate::failure::Failure;
use crate::java::JavaTable;
use c_frontend::{Contracts, Requirement};
use input::{RangeRule, Space, SpaceLimits};
use model::{FunctionId, Program};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The file as written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    engine: Option<String>,
    budget: Option<String>,
    seed: Option<u64>,
    #[serde(default)]
    limits: RawLimits,
    /// Whether functions `pre_…` are preconditions; default true.
    preconditions: Option<bool>,
    /// A file with further such functions.
    precondition_file: Option<PathBuf>,
    #[serde(default)]
    java: JavaTable,
    #[serde(default)]
    function: BTreeMap<String, BTreeMap<String, Spanned<toml::Value>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawLimits {
    objects: Option<usize>,
    elements: Option<u32>,
    heap: Option<String>,
    run_millis: Option<u64>,
    choices: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawRange {
    min: Option<i64>,
    max: Option<i64>,
    #[serde(default)]
    exclude: Vec<i64>,
    #[serde(default)]
    nonnull: bool,
    min_elements: Option<u32>,
    max_elements: Option<u32>,
}

/// The key that no parameter has: its value is a list, and that of a parameter a table.
const REQUIRES: &str = "requires";

/// The settings in force.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) engine: Option<String>,
    pub(crate) budget: Option<Amount>,
    pub(crate) seed: Option<u64>,
    pub(crate) space: SpaceLimits,
    /// Of those what the file says: languages differ in what is usual.
    pub(crate) objects: Option<usize>,
    pub(crate) elements: Option<u32>,
    pub(crate) heap_bytes: u64,
    pub(crate) run_millis: u64,
    pub(crate) choices: u32,
    /// What callers promise.
    pub(crate) contracts: Contracts,
    /// What is of Java.
    pub(crate) java: JavaTable,
    path: PathBuf,
    text: String,
    rules: BTreeMap<String, Vec<RangeRule>>,
}

impl Config {
    /// Reads the named file, or `branchwise.toml` here if there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Config, Failure> {
        let default = PathBuf::from("branchwise.toml");
        let path = match named {
            Some(path) => path.to_owned(),
            None if default.is_file() => default,
            None => return Config::resolve(default, ""),
        };
        let text = std::fs::read_to_string(&path).map_err(|e| Failure::file(&path, &e))?;
        Config::resolve(path, &text)
    }

    fn resolve(path: PathBuf, text: &str) -> Result<Config, Failure> {
        let raw: RawConfig = toml::from_str(text).map_err(|e| slip(&path, &e.to_string()))?;
        let space = SpaceLimits::default();
        let mut contracts = Contracts {
            by_name: raw.preconditions.unwrap_or(true),
            file: raw.precondition_file.map(|file| beside(&path, &file)).transpose()?,
            ..Contracts::default()
        };
        let mut rules = BTreeMap::new();
        for (function, settings) in raw.function {
            let source = Source { path: &path, text, function: &function };
            let mut ranges = Vec::new();
            let (lists, inputs): (Vec<_>, Vec<_>) =
                settings.into_iter().partition(|(key, value)| key == REQUIRES && value.get_ref().is_array());
            // What is said about single inputs comes first: conditions may rely on it.
            for (key, value) in inputs {
                let line = line_at(text, value.span().start);
                let raw = RawRange::deserialize(value.get_ref().clone()).map_err(|e| {
                    let line = source.line_of_slip(&value);
                    slip(&path, &format!("line {line}: [function.{function}.{key}]: {}", e.message()))
                })?;
                contracts.requires.extend(source.promises(&key, &raw, line));
                ranges.push(rule(key, &raw).map_err(|e| slip(&path, &e))?);
            }
            for (_, list) in &lists {
                contracts.requires.extend(source.conditions(list)?);
            }
            rules.insert(function, ranges);
        }
        let slip = |what: String| slip(&path, &what);
        if let Some(engine) =
            raw.engine.as_deref().filter(|name| !campaign::engines().iter().any(|engine| engine.0 == *name))
        {
            return Err(
                slip(format!("there is no engine `{engine}`")).hint("`branchwise engines` lists them")
            );
        }
        Ok(Config {
            engine: raw.engine,
            budget: raw.budget.map(|b| parse_budget(&b)).transpose().map_err(slip)?,
            seed: raw.seed,
            space: SpaceLimits {
                objects: raw.limits.objects.unwrap_or(space.objects),
                elements: raw.limits.elements.unwrap_or(space.elements),
                ..space
            },
            objects: raw.limits.objects,
            elements: raw.limits.elements,
            java: raw.java,
            text: text.to_owned(),
            heap_bytes: raw.limits.heap.map_or(Ok(64 << 20), |h| parse_bytes(&h)).map_err(slip)?,
            run_millis: raw.limits.run_millis.unwrap_or(2000),
            choices: raw.limits.choices.unwrap_or(wire::DEFAULT_CHOICES),
            contracts,
            rules,
            path,
        })
    }

    /// The ranges set for one function.
    pub(crate) fn rules(&self, function: &str) -> Vec<RangeRule> {
        self.rules.get(function).cloned().unwrap_or_default()
    }

    /// A mistake at an offset of the file.
    pub(crate) fn slip_at(&self, offset: usize, what: &str) -> Failure {
        slip(&self.path, &format!("line {}: {what}", line_at(&self.text, offset)))
    }

    /// A rule for an input that its function does not have is a slip. Functions that are not tested now may well
    /// belong to other files of the same project.
    pub(crate) fn expect_inputs(&self, program: &Program, functions: &[FunctionId]) -> Result<(), Failure> {
        for (name, rules) in &self.rules {
            let named = functions.iter().map(|&id| program.function(id)).filter(|f| f.name == *name);
            let spaces: Vec<Space> =
                named.flat_map(|function| Space::new(program, function, self.space, &[])).collect();
            let missing = rules.iter().find(|rule| !spaces.iter().any(|space| space.has_leaf(&rule.target)));
            if let Some(rule) = missing.filter(|_| !spaces.is_empty()) {
                return Err(slip(&self.path, &format!("`{name}` has no input `{}`", rule.target)));
            }
        }
        Ok(())
    }
}

/// Where the settings of a function stand.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
    function: &'a str,
}

impl Source<'_> {
    /// The expressions of a list, each with its line.
    fn conditions(&self, list: &Spanned<toml::Value>) -> Result<Vec<Requirement>, Failure> {
        let mut from = list.span().start;
        let mut found = Vec::new();
        for value in list.get_ref().as_array().into_iter().flatten() {
            let Some(condition) = value.as_str() else {
                let what = format!("[function.{}]: `{value}` in `{REQUIRES}` is no text", self.function);
                return Err(slip(self.path, &what).hint("write expressions in quotes: [\"len <= cap\"]"));
            };
            // Escapes are written in another way than they are read: such a condition gets the line of the one before.
            from = self.text[from..].find(condition).map_or(from, |offset| from + offset);
            found.push(self.requirement(condition.to_owned(), line_at(self.text, from)));
            from += 1;
        }
        Ok(found)
    }

    /// The line of the first setting of a table that cannot be read; of the table itself if it is none.
    fn line_of_slip(&self, table: &Spanned<toml::Value>) -> u32 {
        let start = table.span().start;
        let cannot_be_read = |(name, value): &(&String, &toml::Value)| {
            let alone = toml::Table::from_iter([((*name).clone(), (*value).clone())]);
            RawRange::deserialize(toml::Value::Table(alone)).is_err()
        };
        let settings = table.get_ref().as_table().into_iter().flatten();
        let slip = settings.into_iter().find(cannot_be_read);
        let line = slip.and_then(|(name, _)| {
            self.text[start..].lines().position(|line| line.trim_start().starts_with(name.as_str()))
        });
        line_at(self.text, start) + line.unwrap_or(0) as u32
    }

    /// What a table says about a pointer, as expressions.
    fn promises(&self, pointer: &str, raw: &RawRange, line: u32) -> Vec<Requirement> {
        let mut promises = Vec::new();
        if raw.nonnull || raw.min_elements.is_some_and(|least| least > 0) {
            promises.push(format!("{pointer} != NULL"));
        }
        promises.extend(raw.min_elements.map(|least| format!("elements({pointer}) >= {least}")));
        promises.extend(raw.max_elements.map(|most| format!("elements({pointer}) <= {most}")));
        promises.into_iter().map(|condition| self.requirement(condition, line)).collect()
    }

    fn requirement(&self, condition: String, line: u32) -> Requirement {
        let file = self.path.display().to_string();
        Requirement { function: self.function.to_owned(), condition, file, line }
    }
}

/// The line of an offset, from 1.
fn line_at(text: &str, offset: usize) -> u32 {
    1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count() as u32
}

/// A file that the settings name, relative to where they stand.
fn beside(settings: &Path, file: &Path) -> Result<PathBuf, Failure> {
    let path = settings.parent().unwrap_or(Path::new("")).join(file);
    path.canonicalize().map_err(|e| Failure::file(&path, &e))
}

fn slip(path: &Path, what: &str) -> Failure {
    Failure::input(format!("{}: {what}", path.display()))
}

fn rule(target: String, raw: &RawRange) -> Result<RangeRule, String> {
    if let (Some(min), Some(max)) = (raw.min, raw.max)
        && min > max
    {
        return Err(format!("`{target}`: min {min} is above max {max}"));
    }
    Ok(RangeRule {
        target,
        min: raw.min.map(i128::from),
        max: raw.max.map(i128::from),
        exclude: raw.exclude.iter().map(|&v| i128::from(v)).collect(),
    })
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size; write 65536, 64K, 64M or 1G");
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place() {
        let text =
            "seed = 7\nbudget = \"5s\"\n[limits]\nheap = \"1G\"\n[function.f.a]\nmin = -3\nexclude = [0]\n";
        let config = Config::resolve("x".into(), text).unwrap();
        assert_eq!((config.seed, config.heap_bytes), (Some(7), 1 << 30));
        let expected = RangeRule { target: "a".into(), min: Some(-3), max: None, exclude: vec![0] };
        assert_eq!(config.rules("f"), [expected]);
        assert!(config.rules("g").is_empty());
    }

    #[test]
    fn a_slip_is_told() {
        for text in [
            "sead = 1",
            "budget = \"soon\"",
            "[function.f.a]\nmn = 1",
            "[function.f.a]\nmin = 2\nmax = 1",
            "[function.f]\nrequires = [1]",
            "precondition_file = \"nowhere.c\"",
        ] {
            assert!(Config::resolve("x".into(), text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_callers_promise_has_its_line() {
        let text = "[function.f]\nrequires = [\n  \"a < b\",\n  \"b < 9\",\n]\n[function.f.p]\nnonnull = true\n\
                    min_elements = 2\n[function.g.requires]\nmax = 3\n";
        let config = Config::resolve("x.toml".into(), text).unwrap();
        let found: Vec<(&str, &str, u32)> = config
            .contracts
            .requires
            .iter()
            .map(|r| (r.function.as_str(), r.condition.as_str(), r.line))
            .collect();
        let expected =
            [("f", "p != NULL", 6), ("f", "elements(p) >= 2", 6), ("f", "a < b", 3), ("f", "b < 9", 4)];
        assert_eq!(found, expected);
        assert_eq!(config.rules("g").len(), 1, "a parameter may be called that");
    }
}
