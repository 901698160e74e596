//! Sets that hold together: figure 4.12 of the thesis.
//!
//! The thesis unites two sets at a time, which is too few for `f1 && f2 && f3`. Here all unions without a contradiction are
//! taken. There may be 2^n of n sets, so they are bounded. What a goal needs is often *all* of its flags; so the widest unions
//! come right behind the sets themselves, and the others fill what room there is, the smallest first.

use super::DependenceSet;
use std::collections::{BTreeSet, HashSet};

/// At most `most` sets, in no particular order, and whether there are more. The empty one is always among them.
pub(super) fn merge(
    dep_sets: &BTreeSet<DependenceSet>,
    most: usize,
    conflict: impl Fn(&DependenceSet, &DependenceSet) -> bool,
) -> (Vec<DependenceSet>, bool) {
    let mut singles: Vec<&DependenceSet> = dep_sets.iter().collect();
    singles.sort_by_key(|set| set.len());
    let widest = |from: &DependenceSet| {
        let mut union = from.clone();
        for set in &singles {
            if !conflict(&union, set) {
                union.extend(set.iter());
            }
        }
        union
    };
    let mut merged = Merged { sets: vec![DependenceSet::new()], known: [DependenceSet::new()].into(), most };
    let widest_of_all = widest(&DependenceSet::new());
    let first = [widest_of_all].into_iter().chain(singles.iter().map(|&set| set.clone()));
    let all_kept = first.chain(singles.iter().map(|set| widest(set))).all(|set| merged.add(set));
    let is_cut = !all_kept || !close(&mut merged, &singles, conflict);
    (merged.sets, is_cut)
}

/// Adds all unions; false if there is no room for them.
fn close(
    merged: &mut Merged,
    singles: &[&DependenceSet],
    conflict: impl Fn(&DependenceSet, &DependenceSet) -> bool,
) -> bool {
    let mut at = 0;
    while let Some(si) = merged.sets.get(at).cloned() {
        for sj in singles {
            if !conflict(&si, sj) && !merged.add(&si | sj) {
                return false;
            }
        }
        at += 1;
    }
    true
}

struct Merged {
    sets: Vec<DependenceSet>,
    known: HashSet<DependenceSet>,
    most: usize,
}

impl Merged {
    /// False if the set is new and there is no room for it.
    fn add(&mut self, set: DependenceSet) -> bool {
        if self.known.contains(&set) {
            return true;
        }
        if self.sets.len() >= self.most {
            return false;
        }
        self.known.insert(set.clone());
        self.sets.push(set);
        true
    }
}
