//! Who calls whom, and what is touched on the way.

use crate::program::UnitResult;
use crate::streams::STREAMS;
use crate::unit::UnitFunction;
use crate::usage::{Called, Usage};
use crate::whole::REDIRECTION;
use model::{BlockId, CallSite, FunctionId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a function and all it may call touch.
#[derive(Default)]
pub(crate) struct Reach {
    pub(crate) reads: BTreeSet<String>,
    pub(crate) writes: BTreeSet<String>,
    pub(crate) externals: BTreeSet<String>,
    pub(crate) stubs: BTreeSet<String>,
    pub(crate) constants: BTreeSet<i128>,
    /// Symbols of itself and what it may call, itself first.
    pub(crate) functions: Vec<String>,
    pub(crate) strings: BTreeSet<Vec<u8>>,
}

/// The call graph by symbol.
pub(crate) struct Closures<'a> {
    /// Functions that are stubs.
    stubs: HashSet<&'a str>,
    functions: HashMap<&'a str, &'a UnitFunction>,
    /// Functions whose address is taken, by type.
    taken: HashMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Closures<'a> {
    pub(crate) fn new(results: &'a [UnitResult]) -> Self {
        let all = || results.iter().flat_map(|r| &r.info.functions);
        let mut taken: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        let initially = results.iter().flat_map(|r| &r.info.taken);
        for (name, ty) in all().flat_map(|f| &f.usage.taken).chain(initially) {
            taken.entry(ty).or_default().insert(name);
        }
        let stubs = results.iter().filter(|r| r.stubs_of.is_some()).flat_map(|r| &r.info.functions);
        Closures {
            stubs: stubs.filter(|f| !f.is_static).map(|f| f.symbol.as_str()).collect(),
            functions: all().map(|f| (f.symbol.as_str(), f)).collect(),
            taken,
        }
    }

    /// Every call of these functions that may enter one of them.
    pub(crate) fn call_sites(
        &self,
        functions: &[(String, &Usage)],
        ids: &HashMap<&str, FunctionId>,
    ) -> Vec<CallSite> {
        let mut sites = BTreeSet::new();
        for (caller, (_, usage)) in functions.iter().enumerate() {
            for (block, called) in &usage.sites {
                let callees = match called {
                    Called::Name(name) => vec![name.as_str()],
                    Called::Pointer(ty) => {
                        self.taken.get(ty.as_str()).into_iter().flatten().copied().collect()
                    }
                };
                let known = callees.into_iter().filter_map(|name| ids.get(name).copied());
                let caller = FunctionId(caller as u32);
                sites.extend(known.map(|callee| CallSite { caller, block: BlockId(*block), callee }));
            }
        }
        sites.into_iter().collect()
    }

    /// What is touched when these functions are called.
    pub(crate) fn from(&self, symbols: impl Iterator<Item = &'a str>) -> Reach {
        let mut reach = Reach::default();
        // The last is looked at first, and that is to be the first.
        let mut todo: Vec<&str> = symbols.collect();
        todo.reverse();
        let starts: HashSet<&str> = todo.iter().copied().collect();
        let mut seen = starts.clone();
        while let Some(name) = todo.pop() {
            // What stands in for the library is no more looked into than the library.
            if !starts.contains(name) && name.starts_with(STREAMS) {
                reach.externals.insert(name.to_owned());
                continue;
            }
            let Some(function) = self.functions.get(name) else {
                if !name.starts_with("llvm.") {
                    reach.externals.insert(name.to_owned());
                }
                continue;
            };
            reach.functions.push(name.to_owned());
            if self.stubs.contains(name) {
                reach.stubs.insert(name.strip_prefix(REDIRECTION).unwrap_or(name).to_owned());
            }
            let usage = &function.usage;
            reach.reads.extend(usage.reads.iter().cloned());
            reach.writes.extend(usage.writes.iter().cloned());
            // Hundreds of constants, or tens of words, would drown the few that matter.
            if reach.constants.len() < 256 {
                reach.constants.extend(&usage.constants);
            }
            if reach.strings.len() < 64 {
                reach.strings.extend(usage.strings.iter().cloned());
            }
            let indirect =
                usage.indirect.iter().filter_map(|ty| self.taken.get(ty.as_str())).flatten().copied();
            todo.extend(usage.calls.iter().map(String::as_str).chain(indirect).filter(|n| seen.insert(n)));
        }
        reach
    }
}
