//! How many paths of one call are explored: a call in a sequence of calls is entered in as many states as there are paths of what comes
//! before it, and from each of them so many of its own paths are followed (den Hollander's limit of paths per invokable).

use crate::execution::Forcing;
use expr::Term;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use target::Path;

/// A path up to some decision, by its hash.
type Prefix = u64;

/// The paths of calls that runs have taken.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    /// No limit if there is none.
    limit: Option<u64>,
    /// By what comes before a decision: where the call that makes it begins.
    begins: HashMap<Prefix, Prefix>,
    /// By where a call begins: its paths.
    paths: HashMap<Prefix, HashSet<Prefix>>,
}

impl Quota {
    pub(crate) fn new(limit: Option<u64>) -> Quota {
        Quota { limit, ..Quota::default() }
    }

    /// Counts the paths of the calls of a run.
    pub(crate) fn add(&mut self, path: &Path) {
        if self.limit.is_none() {
            return;
        }
        let mut at = Hashed::default();
        let (mut begin, mut is_inside) = (at.prefix(), false);
        let mut calls = path.calls.iter().copied().peekable();
        for (number, decision) in path.decisions.iter().enumerate() {
            while calls.next_if(|&first| first as usize <= number).is_some() {
                self.end(begin, at.prefix(), is_inside);
                (begin, is_inside) = (at.prefix(), false);
            }
            self.begins.insert(at.prefix(), begin);
            at.push(decision.taken.condition);
            is_inside = true;
        }
        self.end(begin, at.prefix(), is_inside);
    }

    /// A call without decisions has one path, which nobody forces.
    fn end(&mut self, begin: Prefix, end: Prefix, has_decisions: bool) {
        if has_decisions {
            self.paths.entry(begin).or_default().insert(end);
        }
    }

    /// Whether another path of the call that makes a decision is wanted.
    pub(crate) fn allows(&self, forcing: &Forcing) -> bool {
        let Some(limit) = self.limit else { return true };
        let mut at = Hashed::default();
        forcing.prefix.iter().for_each(|&condition| at.push(condition));
        let begin = self.begins.get(&at.prefix());
        let paths = begin.and_then(|begin| self.paths.get(begin));
        paths.is_none_or(|paths| (paths.len() as u64) < limit)
    }
}

/// Hashes conditions one by one.
#[derive(Default)]
struct Hashed(DefaultHasher);

impl Hashed {
    fn push(&mut self, condition: Term) {
        condition.hash(&mut self.0);
    }

    fn prefix(&self) -> Prefix {
        self.0.finish()
    }
}
