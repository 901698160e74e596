//! What a Java run is to do: flags, then `branchwise.toml`, then what is usual.

use super::table::{HeapArg, Named, SearchArg, StatesArg};
use crate::args::{Amount, GenArgs, parse_budget};
use crate::config::Config;
use crate::failure::Failure;
use crate::generate::{INTERRUPTED, engine_name};
use campaign::Budget;
use java_backend::{Arrays, JavaProgram, Opening, Rules, SearchSettings, States};
use java_frontend::{Names, Options};
use model::FunctionId;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use toml::Spanned;

/// Runs for each method unless told otherwise.
const DEFAULT_BUDGET: &str = "20000x";
/// Statements of a test that candidates may have.
const MOST_STEPS: usize = 63;
/// Elements of an array in each dimension, as in the thesis.
const MOST_ELEMENTS: usize = 64;
/// Paths of a call that somebody may ask for: more are as good as no limit.
const MOST_PATHS: usize = 1_000_000;
/// Objects in an array, if nobody says how many elements there may be: each is a place that something must be found for.
const MOST_OBJECTS: usize = 8;

/// All settings of a run but those of single methods.
pub(crate) struct Settings {
    pub(crate) amount: Amount,
    pub(crate) search: SearchSettings,
}

/// The budget for each method.
pub(crate) fn amount(args: &GenArgs, config: &Config) -> Amount {
    let default = || parse_budget(DEFAULT_BUDGET).expect("a valid constant");
    args.budget.clone().or_else(|| config.budget.clone()).unwrap_or_else(default)
}

/// What a machine may take for one run.
pub(crate) fn run_timeout(config: &Config) -> Duration {
    Duration::from_millis(config.run_millis.max(1))
}

/// A number that tells runs apart that do not find the same: by classes, settings and methods under test.
pub(crate) fn fingerprint(
    args: &GenArgs,
    search: &SearchSettings,
    program: &JavaProgram,
    chosen: &[FunctionId],
) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for entry in &program.classes.own {
        (&entry.name, &entry.bytes).hash(&mut hasher);
    }
    for path in &args.classpath {
        let facts = std::fs::metadata(path).ok().map(|facts| (facts.len(), facts.modified().ok()));
        (path, facts).hash(&mut hasher);
    }
    format!("{search:?} {chosen:?} {:?} {}", args.criterion, program.model.program.branch_count)
        .hash(&mut hasher);
    hasher.finish()
}

impl Settings {
    /// For a program, whose classes settings may name.
    pub(crate) fn resolve(
        args: &GenArgs,
        config: &Config,
        program: &JavaProgram,
    ) -> Result<Settings, Failure> {
        let amount = amount(args, config);
        let (runs, seconds) = match amount.budget {
            Budget::Executions(runs) => (runs, None),
            Budget::Seconds(seconds) => (u64::MAX, Some(seconds)),
        };
        let usual = SearchSettings::default();
        let named = Resolving { config, names: Names::new(&program.classes.own, &program.hierarchy) };
        let java = &config.java;
        let longest =
            java.longest.as_ref().map(|n| named.bounded("longest", n, 1..=MOST_STEPS)).transpose()?;
        let size = java.array_size.as_ref().map(|n| named.bounded("array_size", n, 0..=MOST_ELEMENTS));
        let size = size.transpose()?;
        let paths = java.paths_per_invokable.as_ref();
        let paths = paths.map(|n| named.bounded("paths_per_invokable", n, 1..=MOST_PATHS)).transpose()?;
        let rules = Rules {
            nulls: java.null.unwrap_or(true),
            exceptions: java.exceptions.unwrap_or(true),
            asserts: java.asserts.unwrap_or(true),
            longest,
            array_size: size.unwrap_or(MOST_ELEMENTS),
            opening: named.opening()?,
        };
        let mut limits = usual.limits;
        limits.objects = config.objects.unwrap_or(limits.objects);
        // An array takes a cell more than it has elements.
        let cells = size.map_or(limits.elements, |size| size as u32 + 1);
        limits.elements = config.elements.map_or(cells, |elements| elements.min(cells));
        let options = named.options(size)?;
        let heap = args.heap.or(java.heap).unwrap_or(HeapArg::Reasoning);
        let search = SearchSettings {
            seed: args.seed.or(config.seed).unwrap_or(1),
            runs,
            seconds,
            longest: longest.unwrap_or(usual.longest),
            engine: engine_name(args.engine.as_deref(), config)?,
            arrays: if heap == HeapArg::Simulation { Arrays::Simulation } else { usual.arrays },
            paths_per_invokable: paths.map(|paths| paths as u64),
            evolution: java.search != Some(SearchArg::Candidates),
            connected: java.connected.unwrap_or(usual.connected),
            reduced: java.reduced.unwrap_or(usual.reduced),
            pruned: java.pruned.unwrap_or(usual.pruned),
            states: match java.states {
                Some(StatesArg::New) => States::New,
                Some(StatesArg::All) | None => States::All,
            },
            mcdc: args.mcdc.into(),
            overflow: args.find_errors,
            options,
            rules,
            limits,
            stop: Some(&INTERRUPTED),
        };
        Ok(Settings { amount, search })
    }
}

/// Turns names of the file into symbols.
struct Resolving<'a> {
    config: &'a Config,
    names: Names<'a>,
}

impl Resolving<'_> {
    fn options(&self, array_size: Option<usize>) -> Result<Options, Failure> {
        let (java, usual) = (&self.config.java, Options::default());
        let mut producers = Vec::new();
        for (ty, members) in &java.producers {
            let classes = self.names.classes(ty.get_ref());
            if classes.is_empty() {
                return Err(self.not_named(ty));
            }
            let members = self.symbols(members)?;
            producers.extend(classes.iter().map(|class| (class.name.clone(), members.clone())));
        }
        Ok(Options {
            package_access: java.package_access.unwrap_or(usual.package_access),
            also: self.restricted(&java.also)?,
            only: java.only.as_ref().map(|only| self.symbols(only)).transpose()?,
            excluded: self.symbols(&java.exclude)?,
            producers,
            fields: java.fields.unwrap_or(usual.fields),
            longest_array: array_size.map_or(usual.longest_array, |size| size.min(MOST_OBJECTS)),
            ..usual
        })
    }

    fn symbols(&self, names: &[Named]) -> Result<Vec<String>, Failure> {
        let mut symbols = Vec::new();
        for name in names {
            let found = self.names.symbols(name.get_ref().trim()).map_err(|_| self.not_named(name))?;
            symbols.extend(found);
        }
        Ok(symbols)
    }

    /// Members that are not for everybody. Private ones are for nobody else.
    fn restricted(&self, names: &[Named]) -> Result<Vec<String>, Failure> {
        for name in names {
            let methods = self.names.methods(name.get_ref().trim());
            if !methods.is_empty() && methods.iter().all(|named| named.method.access.is_private()) {
                let what = format!("`{}` is private: no test can call it", name.get_ref());
                return Err(self.config.slip_at(name.span().start, &what));
            }
        }
        self.symbols(names)
    }

    fn opening(&self) -> Result<Opening, Failure> {
        let mut opening = Opening::default();
        for statement in &self.config.java.initial {
            opening.push(&self.names, statement.get_ref()).map_err(|no| {
                let failure = self.config.slip_at(statement.span().start, &format!("initial: {}", no.why));
                match no.hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            })?;
        }
        Ok(opening)
    }

    fn not_named(&self, name: &Named) -> Failure {
        let error = self.names.not_named(name.get_ref().trim());
        let failure = self.config.slip_at(name.span().start, &error.to_string());
        match error.near {
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None => failure.hint("names are those of Java: shop.Cart, shop.Cart.add, shop.Cart.add(int)"),
        }
    }

    fn bounded(
        &self,
        key: &str,
        number: &Spanned<usize>,
        within: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, Failure> {
        let n = *number.get_ref();
        if within.contains(&n) {
            return Ok(n);
        }
        let what = format!("{key}: {n} is not between {} and {}", within.start(), within.end());
        Err(self.config.slip_at(number.span().start, &what))
    }
}
