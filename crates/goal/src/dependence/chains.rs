//! From a goal to the definitions that it hangs on: figure 4.11 of the thesis.
//!
//! A chain goes from a place to a last definition of something used there, to what is used in that definition or in a decision
//! that controls it, and so on to inputs and constants. On the way it collects the outcomes that lead to its definitions.
//!
//! `i = i + 1` in a loop is its own last definition. A chain that comes to where it was, and has collected nothing new since,
//! is not followed again. One that never comes to an input or a constant (`i` has no value to begin with) ends before it would
//! turn in circles.

use super::{Bound, Definition, Dependence, DependenceSet, Limits, Place};
use model::{BlockId, Goal};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::rc::Rc;

pub(super) struct Chains<'a> {
    dependence: &'a Dependence<'a>,
    goal: Goal,
    /// The goal's own control dependence. Chains only collect what goes beyond it.
    plain: &'a DependenceSet,
    limits: &'a Limits,
    reached: &'a mut BTreeSet<Bound>,
    /// How chains go on from a place.
    links: BTreeMap<Place, Vec<Link>>,
    ways: BTreeMap<BlockId, BTreeSet<DependenceSet>>,
}

/// From a place to a last definition, in one of the ways that lead there.
struct Link {
    way: DependenceSet,
    /// Where other variables are used: in the definition itself, and in the decisions on the way to it.
    next: BTreeSet<Place>,
}

impl<'a> Chains<'a> {
    pub(super) fn new(
        dependence: &'a Dependence<'a>,
        goal: Goal,
        plain: &'a DependenceSet,
        limits: &'a Limits,
        reached: &'a mut BTreeSet<Bound>,
    ) -> Chains<'a> {
        Chains { dependence, goal, plain, limits, reached, links: BTreeMap::new(), ways: BTreeMap::new() }
    }

    /// What the chains from the goal's decision, and from those that control it, ask for beyond the goal's control dependence.
    ///
    /// Nothing here looks at the order of variables, so that a result that is cut does not depend on it either.
    pub(super) fn get_dependencies(&mut self, target: BlockId) -> BTreeSet<DependenceSet> {
        let mut blocks = self.dependence.control.blocks_before(target);
        blocks.insert(target);
        let start: BTreeSet<Place> =
            blocks.into_iter().flat_map(|block| self.dependence.definitions.decisions(block)).collect();
        self.find_links(start.iter().copied().collect());
        self.drop_circles();
        self.follow(start)
    }

    fn find_links(&mut self, mut open: Vec<Place>) {
        while let Some(place) = open.pop() {
            if self.links.contains_key(&place) {
                continue;
            }
            let definitions = self.dependence.definitions.last_definitions_at(place);
            let links: Vec<Link> = definitions.into_iter().flat_map(|ld| self.links_to(ld)).collect();
            open.extend(links.iter().flat_map(|link| &link.next));
            self.links.insert(place, links);
        }
    }

    fn links_to(&mut self, definition: Definition) -> Vec<Link> {
        let Definition::At(ld) = definition else {
            return vec![Link { way: DependenceSet::new(), next: BTreeSet::new() }];
        };
        let Dependence { control, definitions } = self.dependence;
        let ways = self.ways.entry(ld.block).or_insert_with(|| {
            let ways = control.ways(ld.block, self.limits.ways);
            if ways.is_cut {
                self.reached.insert(Bound::Ways);
            }
            ways.sets
        });
        let link = |way: &DependenceSet| {
            let blocks = way.iter().filter_map(|cd| control.block_of(cd.branch));
            let nodes = blocks.flat_map(|block| definitions.decisions(block)).chain([ld]);
            Link { way: way.clone(), next: nodes.filter(|&node| !definitions.is_constant(node)).collect() }
        };
        ways.iter().map(link).collect()
    }

    /// Forgets the places from which no chain ever ends: their variables have no value but what they make of it themselves.
    fn drop_circles(&mut self) {
        let mut ending: HashSet<Place> = HashSet::new();
        let mut known = usize::MAX;
        while known != ending.len() {
            known = ending.len();
            for (&place, links) in &self.links {
                let ends = |link: &Link| link.next.is_empty() || link.next.iter().any(|n| ending.contains(n));
                if links.iter().any(ends) {
                    ending.insert(place);
                }
            }
        }
        for link in self.links.values_mut().flatten() {
            link.next.retain(|place| ending.contains(place));
        }
    }

    /// `getDependencies` of the thesis, breadth first: if there are too many chains, it is the long ones that end early.
    fn follow(&mut self, start: BTreeSet<Place>) -> BTreeSet<DependenceSet> {
        let mut dep_sets = BTreeSet::new();
        let mut frontier = Frontier { most: self.limits.chains, ..Frontier::default() };
        frontier.open.extend(start.into_iter().map(|place| (place, Rc::default())));
        while let Some((pn, s)) = frontier.open.pop_front() {
            for link in &self.links[&pn] {
                let Some(s_ld) = self.union(&s, &link.way).map(Rc::new) else { continue };
                if dep_sets.len() == self.limits.chains && !dep_sets.contains(&*s_ld) {
                    self.reached.insert(Bound::Chains);
                    return dep_sets;
                }
                let has_room = link.next.iter().all(|&node| frontier.add(node, &s_ld));
                if !has_room {
                    self.reached.insert(Bound::Chains);
                }
                if !has_room || link.next.is_empty() {
                    dep_sets.insert((*s_ld).clone());
                }
            }
        }
        dep_sets
    }

    /// What a chain asks for with one more way; nothing if that cannot be, or if the goal itself would have to come first.
    ///
    /// The goal's control dependence need not be asked: a definition that excludes it has no path to the goal.
    fn union(&self, s: &DependenceSet, way: &DependenceSet) -> Option<DependenceSet> {
        let is_possible = !way.contains(&self.goal) && !self.dependence.control.conflict(way, s);
        is_possible.then(|| s.union(&(way - self.plain)).copied().collect())
    }
}

/// Where chains are to be followed, each with what it has collected.
#[derive(Default)]
struct Frontier {
    open: VecDeque<(Place, Rc<DependenceSet>)>,
    seen: HashSet<(Place, Rc<DependenceSet>)>,
    most: usize,
}

impl Frontier {
    /// False if this is new and there is no room for it.
    fn add(&mut self, place: Place, collected: &Rc<DependenceSet>) -> bool {
        let state = (place, Rc::clone(collected));
        if self.seen.contains(&state) {
            return true;
        }
        if self.seen.len() >= self.most {
            return false;
        }
        self.seen.insert(state.clone());
        self.open.push_back(state);
        true
    }
}
