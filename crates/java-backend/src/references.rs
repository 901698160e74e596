//! Which objects the steps of a candidate work on, without running it: every way to fill their places, the most connected first.
//!
//! Den Hollander tries null and every earlier result in every place (section 4.4). That is a tree with a level a step, visited depth first; how
//! wide it is and how many of its leaves are handed out grows from round to round.

use sequence::{Assignments, InvokableId, Kind, Product, Reference, Universe};

/// Ways that are looked at for one candidate: most have something that nobody works on.
const MOST_LOOKED_AT: usize = 1 << 14;

/// How many ways are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    /// For one candidate.
    pub(crate) most: usize,
    /// For one of its steps, after one way for the steps before it.
    pub(crate) width: usize,
}

impl Ways {
    /// In the first round.
    pub(crate) const FIRST: Ways = Ways { most: 4, width: 3 };

    /// In the round after this one.
    pub(crate) fn grown(self) -> Ways {
        Ways { most: self.most.saturating_mul(2), width: self.width.saturating_mul(2) }
    }
}

/// The ways to fill the places of all steps of a candidate.
pub(crate) struct Fillings<'a> {
    universe: &'a Universe,
    sequence: &'a [InvokableId],
    ways: Ways,
    nulls: bool,
    /// Only those in which something works on whatever is made.
    linked: bool,
    /// Of each step that is filled, the ways that were not tried, and how many were.
    levels: Vec<(Assignments, usize)>,
    chosen: Vec<Vec<Reference>>,
    found: usize,
    looked_at: usize,
    is_cut: bool,
}

impl<'a> Fillings<'a> {
    /// Those of a candidate. What nobody works on is of no use, but for what leaves nothing to work on.
    pub(crate) fn new(
        universe: &'a Universe,
        sequence: &'a [InvokableId],
        ways: Ways,
        nulls: bool,
    ) -> Fillings<'a> {
        let mut fillings = Fillings {
            universe,
            sequence,
            ways,
            nulls,
            linked: true,
            levels: Vec::new(),
            chosen: Vec::new(),
            found: 0,
            looked_at: 0,
            is_cut: false,
        };
        fillings.descend();
        fillings
    }

    /// Those of the first steps of candidates: what is made may be worked on later.
    pub(crate) fn of_beginning(
        universe: &'a Universe,
        sequence: &'a [InvokableId],
        ways: Ways,
        nulls: bool,
    ) -> Fillings<'a> {
        Fillings { linked: false, ..Fillings::new(universe, sequence, ways, nulls) }
    }

    /// The next one.
    pub(crate) fn step(&mut self) -> Option<&[Vec<Reference>]> {
        while let Some((ways, tried)) = self.levels.last_mut() {
            let way = ways.next();
            self.is_cut |= way.is_some() && (*tried == self.ways.width || self.looked_at == MOST_LOOKED_AT);
            let way = way.filter(|_| *tried < self.ways.width && self.looked_at < MOST_LOOKED_AT);
            *tried += 1;
            self.chosen.truncate(self.levels.len() - 1);
            let Some(way) = way else {
                self.levels.pop();
                continue;
            };
            self.looked_at += 1;
            self.chosen.push(way);
            if self.chosen.len() < self.sequence.len() {
                self.descend();
            } else if !self.linked || self.is_linked() {
                if self.found == self.ways.most {
                    self.is_cut = true;
                    self.levels.clear();
                    return None;
                }
                self.found += 1;
                return Some(&self.chosen);
            }
        }
        None
    }

    /// Leaves out all that fill so many first steps as the one handed out last does.
    pub(crate) fn skip(&mut self, steps: usize) {
        self.levels.truncate(steps);
    }

    /// Whether there are more than were handed out or left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn descend(&mut self) {
        if let Some(&id) = self.sequence.get(self.levels.len()) {
            let products = self.products();
            self.levels.push((Assignments::new(self.universe, id, &products, self.nulls), 0));
        }
    }

    /// What the steps so far leave.
    fn products(&self) -> Vec<Product> {
        let product = |(position, &producer): (usize, &InvokableId)| {
            let class = self.universe.get(producer)?.returns?;
            Some(Product { position, producer, class, linked: self.is_used(position) })
        };
        self.sequence[..self.chosen.len()].iter().enumerate().filter_map(product).collect()
    }

    fn is_used(&self, position: usize) -> bool {
        self.chosen.iter().flatten().any(|&reference| reference == Reference::Result(position))
    }

    fn is_linked(&self) -> bool {
        let last = self.sequence.len() - 1;
        (0..last).all(|position| {
            let kind = self.universe.get(self.sequence[position]).map(|invokable| invokable.kind);
            let only_makes = matches!(kind, Some(Kind::Constructor | Kind::ArrayConstructor));
            !only_makes || self.is_used(position)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sequence::{Invokable, UniverseBuilder};

    /// Three objects, and a method that takes two beside its receiver.
    fn meeting() -> (Universe, Vec<InvokableId>) {
        let mut builder = UniverseBuilder::new();
        let person = builder.reference_type();
        let new = builder.invokable(Invokable::new(Kind::Constructor).returns(person));
        let meet = Invokable::new(Kind::InstanceMethod).on(person).takes(person).takes(person);
        let meet = builder.invokable(meet);
        (builder.build().expect("a universe"), vec![new, new, new, meet])
    }

    fn count(fillings: &mut Fillings<'_>) -> usize {
        let mut count = 0;
        while fillings.step().is_some() {
            count += 1;
        }
        count
    }

    #[test]
    fn c54_every_earlier_result_gets_its_turn_in_some_round() {
        let (universe, sequence) = meeting();
        let (mut ways, mut counts) = (Ways::FIRST, Vec::new());
        loop {
            let mut fillings = Fillings::new(&universe, &sequence, ways, true);
            counts.push(count(&mut fillings));
            if !fillings.is_cut() {
                break;
            }
            ways = ways.grown();
        }
        // All three are somewhere in six orders. The first ways have one object in several places, the last ones have nulls.
        assert_eq!((counts.first(), counts.last()), (Some(&0), Some(&6)));
        assert!(counts.is_sorted(), "{counts:?}");
    }

    #[test]
    fn c54_beginnings_leave_objects_for_later() {
        let (universe, sequence) = meeting();
        let ways = Ways { most: 100, width: 100 };
        let mut fillings = Fillings::of_beginning(&universe, &sequence, ways, true);
        // A receiver, and for each argument one of three or null.
        assert_eq!(count(&mut fillings), 3 * 4 * 4);
        assert!(!fillings.is_cut());
        let mut fillings = Fillings::of_beginning(&universe, &sequence, Ways { most: 47, width: 100 }, true);
        assert_eq!((count(&mut fillings), fillings.is_cut()), (47, true));
        let mut fillings = Fillings::of_beginning(&universe, &sequence, ways, true);
        assert!(fillings.step().is_some());
        // All have the same first step.
        fillings.skip(1);
        assert_eq!(fillings.step(), None);
    }
}
