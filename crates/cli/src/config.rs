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
//! choices = 256           # cells that an unknown address may choose from
//!
//! [function.triangle.a]   # parameter or global `a` of `triangle`
//! min = 1
//! max = 1000
//! exclude = [13]
//! ```
//!
//! Flags on the command line win. Every setting takes part in the seed's promise: same settings, same suite.

use crate::args::{Amount, parse_budget};
use crate::failure::Failure;
use input::{RangeRule, Space, SpaceLimits};
use model::{FunctionId, Program};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file as written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    engine: Option<String>,
    budget: Option<String>,
    seed: Option<u64>,
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    function: BTreeMap<String, BTreeMap<String, RawRange>>,
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
}

/// The settings in force.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) engine: Option<String>,
    pub(crate) budget: Option<Amount>,
    pub(crate) seed: Option<u64>,
    pub(crate) space: SpaceLimits,
    pub(crate) heap_bytes: u64,
    pub(crate) run_millis: u64,
    pub(crate) choices: u32,
    path: PathBuf,
    rules: BTreeMap<String, Vec<RangeRule>>,
}

impl Config {
    /// Reads the named file, or `branchwise.toml` here if there is one.
    pub(crate) fn load(named: Option<&Path>) -> Result<Config, Failure> {
        let default = PathBuf::from("branchwise.toml");
        let path = match named {
            Some(path) => path.to_owned(),
            None if default.is_file() => default,
            None => return Config::resolve(default, RawConfig::default()),
        };
        let text = std::fs::read_to_string(&path).map_err(|e| Failure::file(&path, &e))?;
        let raw = toml::from_str(&text).map_err(|e| slip(&path, &e.to_string()))?;
        Config::resolve(path, raw)
    }

    fn resolve(path: PathBuf, raw: RawConfig) -> Result<Config, Failure> {
        let space = SpaceLimits::default();
        let slip = |what: String| slip(&path, &what);
        let mut rules = BTreeMap::new();
        for (function, ranges) in raw.function {
            let ranges: Result<_, String> =
                ranges.into_iter().map(|(target, raw)| rule(target, &raw)).collect();
            rules.insert(function, ranges.map_err(slip)?);
        }
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
            heap_bytes: raw.limits.heap.map_or(Ok(64 << 20), |h| parse_bytes(&h)).map_err(slip)?,
            run_millis: raw.limits.run_millis.unwrap_or(2000),
            choices: raw.limits.choices.unwrap_or(wire::DEFAULT_CHOICES),
            rules,
            path,
        })
    }

    /// The ranges set for one function.
    pub(crate) fn rules(&self, function: &str) -> Vec<RangeRule> {
        self.rules.get(function).cloned().unwrap_or_default()
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
        let config = Config::resolve("x".into(), toml::from_str(text).unwrap()).unwrap();
        assert_eq!((config.seed, config.heap_bytes), (Some(7), 1 << 30));
        let expected = RangeRule { target: "a".into(), min: Some(-3), max: None, exclude: vec![0] };
        assert_eq!(config.rules("f"), [expected]);
        assert!(config.rules("g").is_empty());
    }

    #[test]
    fn a_slip_is_told() {
        assert!(toml::from_str::<RawConfig>("sead = 1").is_err());
        let raw = toml::from_str::<RawConfig>("budget = \"soon\"").unwrap();
        assert!(Config::resolve("x".into(), raw).is_err());
    }
}
