//! Which objects the steps of a candidate work on, without running it: every way to fill their places, the most connected first.

use sequence::{Assignments, InvokableId, Kind, Product, Reference, Universe};

/// Ways that are looked at for one step of a candidate.
const WIDTH: usize = 3;

/// Ways to fill the places of all steps, at most so many.
pub(crate) fn fillings(
    universe: &Universe,
    sequence: &[InvokableId],
    most: usize,
    nulls: bool,
) -> Vec<Vec<Vec<Reference>>> {
    let mut found = Vec::new();
    let mut search = Search { universe, sequence, most, nulls, chosen: Vec::new(), found: &mut found };
    search.go_on();
    found
}

struct Search<'a> {
    universe: &'a Universe,
    sequence: &'a [InvokableId],
    most: usize,
    nulls: bool,
    chosen: Vec<Vec<Reference>>,
    found: &'a mut Vec<Vec<Vec<Reference>>>,
}

impl Search<'_> {
    fn go_on(&mut self) {
        if self.found.len() >= self.most {
            return;
        }
        let Some(&id) = self.sequence.get(self.chosen.len()) else {
            // What nobody works on is of no use, but for what leaves nothing to work on.
            if self.is_linked() {
                self.found.push(self.chosen.clone());
            }
            return;
        };
        let products = self.products();
        for way in Assignments::new(self.universe, id, &products, self.nulls).take(WIDTH) {
            self.chosen.push(way);
            self.go_on();
            self.chosen.pop();
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
