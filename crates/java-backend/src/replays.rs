//! What symbolic replay and exploration did for a method: how many of its paths they know, and where precision was lost.

use java_classfile::Pc;
use java_frontend::{java_name, source_path};
use java_replay::{Approximation, End, Program, Replayed, What};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use suite::{Exploration, LayerAccount};

const MISMATCH: &str = "runs whose replay parts from their trace: their paths are abandoned there";
const STOPPED: &str = "runs replayed in part: they were stopped, or told more than there is room for";
const CUT: &str = "runs with more decisions than are kept";
const LOST: &str = "runs that took their machine with them before they could be replayed";
const KEPT: &str = "values and conditions kept as they were";
const INDICES: &str = "indices taken as numbers";
const NOT_EXECUTED: &str = "calls of the platform that replay could not execute";

/// Places with losses that are told.
const PLACES: usize = 100;

/// Of all scripts for a method together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Replays {
    /// Approximations that were made, in words, and how often.
    pub approximations: BTreeMap<String, u64>,
    /// Some of them by place, `file:line: what`. What the platform does has no place.
    pub losses: BTreeMap<String, u64>,
    /// What explorations did, but for losses; nothing if none was asked.
    pub explored: Option<Exploration>,
}

impl Replays {
    /// Takes in what a replay lost.
    pub(crate) fn replayed(&mut self, program: &Program, replayed: &Replayed) {
        for (approximation, &count) in &replayed.approximations {
            // Each has a decision for the index, which counts it.
            if *approximation != Approximation::Index {
                self.approximate(&approximation.to_string().replace('/', "."), count);
            }
        }
        for decision in replayed.decisions.iter().filter(|decision| decision.condition.is_some()) {
            let what = match decision.what {
                What::Pin if decision.others.is_empty() => KEPT,
                What::Index { .. } => INDICES,
                _ => continue,
            };
            self.approximate(what, 1);
            self.lose(program, decision.method, decision.pc, what);
        }
        for (why, &count) in &replayed.given_up {
            self.approximate(NOT_EXECUTED, count);
            *self.losses.entry(not_executed(why)).or_default() += count;
        }
        match &replayed.end {
            End::Diverged(mismatch) => {
                self.approximate(MISMATCH, 1);
                self.lose(program, mismatch.method, mismatch.pc, "replay and trace part");
            }
            End::OutOfTrace => self.approximate(STOPPED, 1),
            End::Returned | End::Threw { .. } => {}
        }
        if replayed.cut {
            self.approximate(CUT, 1);
        }
    }

    /// Takes in a run that left nothing to replay.
    pub(crate) fn lost(&mut self) {
        self.approximate(LOST, 1);
    }

    /// Takes in an exploration; all paths of the method are known only if no other script could have others.
    pub(crate) fn explored(&mut self, exploration: &Exploration, is_only: bool) {
        let complete = exploration.complete && is_only;
        self.add_exploration(&Exploration { complete, ..exploration.clone() });
        for (what, count) in &exploration.losses {
            *self.losses.entry(what.clone()).or_default() += count;
        }
    }

    /// Takes in others.
    pub fn add(&mut self, other: &Replays) {
        for (what, count) in &other.approximations {
            self.approximate(what, *count);
        }
        for (what, count) in &other.losses {
            *self.losses.entry(what.clone()).or_default() += count;
        }
        if let Some(explored) = &other.explored {
            self.add_exploration(explored);
        }
    }

    /// What explorations did, with the worst of the losses.
    #[must_use]
    pub fn exploration(&self) -> Option<Exploration> {
        let mut losses: Vec<(String, u64)> =
            self.losses.iter().map(|(what, &count)| (what.clone(), count)).collect();
        losses.sort_by_key(|(_, count)| Reverse(*count));
        losses.truncate(PLACES);
        Some(Exploration { losses, ..self.explored.clone()? })
    }

    fn approximate(&mut self, what: &str, count: u64) {
        *self.approximations.entry(what.to_owned()).or_default() += count;
    }

    fn lose(&mut self, program: &Program, method: u32, pc: Pc, what: &str) {
        let place = program.place(method, pc).map(|(class, line)| format!("{}:{line}: ", source_path(class)));
        *self.losses.entry(place.unwrap_or_default() + what).or_default() += 1;
    }

    fn add_exploration(&mut self, other: &Exploration) {
        let sum = self.explored.get_or_insert_default();
        sum.traced += other.traced;
        sum.paths += other.paths;
        sum.complete |= other.complete;
        sum.divergences += other.divergences;
        sum.unknown += other.unknown;
        sum.search_executions += other.search_executions;
        sum.search_seconds += other.search_seconds;
        sum.charged += other.charged;
        sum.charged_for_solving += other.charged_for_solving;
        for layer in &other.layers {
            match sum.layers.iter_mut().find(|known| known.layer == layer.layer) {
                Some(known) => add_layer(known, layer),
                None => sum.layers.push(layer.clone()),
            }
        }
    }
}

fn add_layer(sum: &mut LayerAccount, other: &LayerAccount) {
    sum.asked += other.asked;
    sum.sat += other.sat;
    sum.unsat += other.unsat;
    sum.seconds += other.seconds;
}

/// `java/util/HashMap.resize: why` in words.
fn not_executed(why: &str) -> String {
    match why.split_once(": ") {
        Some((method, why)) => format!("{} is not executed: {}", java_name(method), why.replace('/', ".")),
        None => format!("a call of the platform is not executed: {}", why.replace('/', ".")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_replay::Mismatch;

    fn replayed(end: End) -> Replayed {
        Replayed {
            decisions: Vec::new(),
            cut: true,
            accesses: Vec::new(),
            untold: std::collections::BTreeSet::new(),
            kinds: BTreeMap::new(),
            fields: Vec::new(),
            approximations: BTreeMap::from([
                (Approximation::Call("java/lang/String.format".into()), 2),
                (Approximation::Index, 5),
            ]),
            lack: None,
            given_up: BTreeMap::from([("java/util/HashMap.resize: too many instructions".to_owned(), 3)]),
            overflows: Vec::new(),
            comparisons: Vec::new(),
            edges: Vec::new(),
            left: None,
            end,
        }
    }

    #[test]
    fn what_is_lost_is_counted_in_the_words_of_java() {
        let mismatch = || Mismatch { method: 7, pc: 0, event: 1, expected: "a".into(), seen: "b".into() };
        let mut replays = Replays::default();
        replays.replayed(&Program::default(), &replayed(End::Diverged(mismatch())));
        replays.replayed(&Program::default(), &replayed(End::Returned));
        replays.lost();
        let told: Vec<(&str, u64)> =
            replays.approximations.iter().map(|(what, count)| (what.as_str(), *count)).collect();
        let format = "results of java.lang.String.format taken as numbers";
        assert_eq!(told, [(NOT_EXECUTED, 6), (format, 4), (LOST, 1), (MISMATCH, 1), (CUT, 2)]);
        let losses = [
            ("java.util.HashMap.resize is not executed: too many instructions".to_owned(), 6),
            ("replay and trace part".to_owned(), 1),
        ];
        assert_eq!(replays.exploration(), None, "none was asked");
        replays.explored(&Exploration::default(), false);
        assert_eq!(replays.exploration().expect("one").losses, losses);
    }

    #[test]
    fn explorations_add_up_and_only_one_that_is_alone_is_complete() {
        let layer = |sat| LayerAccount { layer: "cvc5".into(), asked: 4, sat, ..LayerAccount::default() };
        let one = |sat| Exploration {
            traced: 3,
            divergences: 1,
            complete: true,
            layers: vec![layer(sat)],
            losses: vec![("A.java:3: another way than computed".to_owned(), 1)],
            ..Exploration::default()
        };
        let (mut first, mut second) = (Replays::default(), Replays::default());
        first.explored(&one(1), false);
        second.explored(&one(2), false);
        first.add(&second);
        let sum = first.exploration().expect("a sum");
        assert_eq!((sum.traced, sum.divergences, sum.complete), (6, 2, false));
        assert_eq!((sum.layers[0].asked, sum.layers[0].sat, sum.layers.len()), (8, 3, 1));
        assert_eq!(sum.losses, [("A.java:3: another way than computed".to_owned(), 2)]);
        first.explored(&one(0), true);
        assert!(first.exploration().expect("a sum").complete);
    }
}
