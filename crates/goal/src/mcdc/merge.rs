//! Few vectors that show all conditions.

use std::collections::BTreeSet;

/// Steps of the search for the fewest; what was found until then is good as well.
const STEPS: usize = 20_000;

/// Chooses one of the pairs of every condition so that few vectors are needed: n + 1 for n conditions where that is possible. A
/// condition without a pair is left out. Returns the choices, in the order of the conditions.
///
/// Conditions with the fewest pairs come first; a pair that needs no new vectors is always right.
#[must_use]
pub fn merge(pairs: &[Vec<[usize; 2]>]) -> Vec<Option<[usize; 2]>> {
    let mut order: Vec<usize> = (0..pairs.len()).filter(|&c| !pairs[c].is_empty()).collect();
    order.sort_by_key(|&condition| pairs[condition].len());
    let mut search = Search { pairs, order, chosen: vec![None; pairs.len()], best: None, steps: STEPS };
    search.go(0, &BTreeSet::new());
    search.best.map_or_else(|| vec![None; pairs.len()], |(_, chosen)| chosen)
}

struct Search<'a> {
    pairs: &'a [Vec<[usize; 2]>],
    order: Vec<usize>,
    chosen: Vec<Option<[usize; 2]>>,
    best: Option<(usize, Vec<Option<[usize; 2]>>)>,
    steps: usize,
}

impl Search<'_> {
    fn go(&mut self, at: usize, used: &BTreeSet<usize>) {
        let bound = self.best.as_ref().map_or(usize::MAX, |(size, _)| *size);
        if used.len() >= bound {
            return;
        }
        let Some(&condition) = self.order.get(at) else {
            self.best = Some((used.len(), self.chosen.clone()));
            return;
        };
        if self.steps == 0 && self.best.is_some() {
            return;
        }
        self.steps = self.steps.saturating_sub(1);
        let new = |pair: &[usize; 2]| pair.iter().filter(|vector| !used.contains(vector)).count();
        let mut options = self.pairs[condition].clone();
        options.sort_by_key(|pair| (new(pair), *pair));
        for pair in options {
            let is_free = new(&pair) == 0;
            let mut more = used.clone();
            more.extend(pair);
            self.chosen[condition] = Some(pair);
            self.go(at + 1, &more);
            self.chosen[condition] = None;
            if is_free || self.steps == 0 {
                break;
            }
        }
    }
}
