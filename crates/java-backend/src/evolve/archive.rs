//! For every goal that is open, the tests that came nearest to it.

use super::genome::Genome;
use goal::Fitness;
use input::Rng;
use model::Goal;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Tests that are kept for one goal.
const KEPT: usize = 8;

/// A goal, and whether the tests end with a call of the method that it is in.
///
/// What a caller checks first may rule a goal out, and yet tests by way of the caller come nearer than direct ones at first. So
/// both are kept, side by side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Lane {
    pub(crate) goal: Goal,
    pub(crate) is_direct: bool,
}

/// A test that came near to a goal.
#[derive(Clone)]
struct Near {
    fitness: Fitness,
    genome: Rc<Genome>,
}

/// What is known of one goal.
#[derive(Clone, Default)]
struct Niche {
    /// The nearest first, of equal ones the shortest.
    tests: Vec<Near>,
    /// The latest that came as near as the nearest, whatever their length. Where nothing tells better from worse, as behind a method that
    /// returns true or false, several calls must come together by chance, and the shortest tests would never have the first of them.
    drift: VecDeque<Rc<Genome>>,
    /// How often one of them was changed since the last that was better.
    tries: u32,
    /// What a solver was asked for values of since then.
    asked: Vec<Rc<Genome>>,
    /// Whose comparisons were looked at since then.
    looked: Vec<Rc<Genome>>,
}

impl Niche {
    /// One of the tests that are as near as any, if changes were in vain so often, or four times as often for each time before.
    fn nearest(
        &self,
        tries: u32,
        before: usize,
        is_wanted: impl Fn(&Rc<Genome>) -> bool,
    ) -> Option<Rc<Genome>> {
        if u64::from(self.tries) < u64::from(tries) << (2 * before).min(32) {
            return None;
        }
        let best = self.tests.first()?.fitness;
        let nearest = self.tests.iter().take_while(|near| near.fitness == best).map(|near| &near.genome);
        nearest.chain(&self.drift).find(|genome| is_wanted(genome)).cloned()
    }
}

/// Tests by goal.
#[derive(Default)]
pub(crate) struct Archive {
    niches: BTreeMap<Lane, Niche>,
}

impl Archive {
    /// A test came so near. Whether none before it did.
    pub(crate) fn offer(&mut self, lane: Lane, fitness: Fitness, genome: &Rc<Genome>) -> bool {
        let niche = self.niches.entry(lane).or_default();
        let key = (fitness, genome.len());
        let best = niche.tests.first().map(|best| best.fitness);
        let is_better = best.is_none_or(|best| fitness < best);
        if is_better {
            niche.tries = 0;
            niche.drift.clear();
            niche.asked.clear();
            niche.looked.clear();
        }
        if is_better || best == Some(fitness) {
            niche.drift.push_back(Rc::clone(genome));
            niche.drift.drain(..niche.drift.len().saturating_sub(KEPT));
        }
        let place = niche.tests.partition_point(|near| (near.fitness, near.genome.len()) <= key);
        if place < KEPT {
            niche.tests.insert(place, Near { fitness, genome: Rc::clone(genome) });
            niche.tests.truncate(KEPT);
        }
        is_better
    }

    /// Goals and ways to them.
    pub(crate) fn len(&self) -> usize {
        self.niches.len()
    }

    /// Forgets the goals that nobody wants any more.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(Goal) -> bool) {
        self.niches.retain(|lane, _| is_wanted(lane.goal));
    }

    /// A test to change: of the goal that was tried least since there was something better. Only the best so many are looked at.
    pub(crate) fn sample(&mut self, best: usize, rng: &mut Rng) -> Option<(Lane, Rc<Genome>)> {
        let least = self.niches.values().map(|niche| niche.tries).min()?;
        let lanes: Vec<Lane> =
            self.niches.iter().filter(|(_, niche)| niche.tries == least).map(|(&lane, _)| lane).collect();
        let lane = lanes[rng.usize(..lanes.len())];
        let niche = self.niches.get_mut(&lane)?;
        niche.tries += 1;
        let among = niche.tests.len().min(best.max(1));
        let genome = match rng.bool() {
            true => &niche.tests[rng.usize(..among)].genome,
            false => &niche.drift[rng.usize(..niche.drift.len())],
        };
        Some((lane, Rc::clone(genome)))
    }

    /// A test as near as any to a goal that was changed so often in vain, if there is one with calls that no solver was asked about. The
    /// next time it takes four times as long: most goals that resist cannot be reached.
    pub(crate) fn stuck(
        &mut self,
        lane: Lane,
        tries: u32,
        was_asked: impl Fn(&Genome) -> bool,
    ) -> Option<Rc<Genome>> {
        let niche = self.niches.get_mut(&lane)?;
        let is_new =
            |genome: &Genome| niche.asked.iter().all(|asked| asked.script.steps != genome.script.steps);
        let next = niche.nearest(tries, niche.asked.len(), |genome| is_new(genome) && !was_asked(genome))?;
        niche.asked.push(Rc::clone(&next));
        Some(next)
    }

    /// The same of a test whose comparisons nobody has looked at. They hang on values as much as on calls.
    pub(crate) fn unseen(
        &mut self,
        lane: Lane,
        tries: u32,
        was_looked_at: impl Fn(&Rc<Genome>) -> bool,
    ) -> Option<Rc<Genome>> {
        let niche = self.niches.get_mut(&lane)?;
        let next = niche.nearest(tries, niche.looked.len(), |genome| !was_looked_at(genome))?;
        niche.looked.push(Rc::clone(&next));
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::{Action, Script, Step};
    use model::BranchId;

    const GOAL: Lane = lane(3, true);
    const OTHER: Lane = lane(4, true);

    const fn lane(branch: u32, is_direct: bool) -> Lane {
        Lane { goal: Goal { branch: BranchId(branch), outcome: true }, is_direct }
    }

    fn of(len: usize) -> Rc<Genome> {
        let step = Step {
            action: Action::Stub { class: "A".into(), parameters: Vec::new(), answers: Vec::new() },
            arguments: Vec::new(),
        };
        let script = Script { steps: vec![step; len], ..Script::default() };
        Rc::new(Genome { script, values: Vec::new() })
    }

    fn at(level: u32, distance: u128) -> Fitness {
        Fitness { level, distance }
    }

    #[test]
    fn the_nearest_and_shortest_are_kept() {
        let mut archive = Archive::default();
        assert!(archive.offer(GOAL, at(2, 5), &of(3)));
        assert!(!archive.offer(GOAL, at(2, 5), &of(2)));
        assert!(archive.offer(GOAL, at(1, 9), &of(7)));
        for _ in 0..KEPT {
            assert!(!archive.offer(GOAL, at(3, 1), &of(1)));
        }
        let lengths: Vec<usize> = archive.niches[&GOAL].tests.iter().map(|near| near.genome.len()).collect();
        assert_eq!(lengths, [7, 2, 3, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn goals_take_turns_and_progress_is_rewarded() {
        let mut archive = Archive::default();
        archive.offer(GOAL, at(1, 1), &of(1));
        archive.offer(OTHER, at(1, 1), &of(2));
        let mut rng = Rng::with_seed(1);
        let mut sampled = |archive: &mut Archive| archive.sample(1, &mut rng).expect("two goals").0;
        let two = [sampled(&mut archive), sampled(&mut archive)];
        assert!(two.contains(&GOAL) && two.contains(&OTHER));
        sampled(&mut archive);
        sampled(&mut archive);
        archive.offer(OTHER, at(0, 1), &of(2));
        assert_eq!([sampled(&mut archive), sampled(&mut archive)], [OTHER, OTHER]);
        archive.retain(|goal| goal != GOAL.goal);
        assert_eq!([sampled(&mut archive), sampled(&mut archive)], [OTHER, OTHER]);
    }

    #[test]
    fn a_solver_is_asked_once_for_each_step_forward() {
        let mut archive = Archive::default();
        archive.offer(GOAL, at(1, 1), &of(1));
        let mut rng = Rng::with_seed(1);
        assert!(archive.stuck(GOAL, 1, |_| false).is_none());
        archive.sample(1, &mut rng);
        assert_eq!(archive.stuck(GOAL, 1, |_| false).map(|genome| genome.len()), Some(1));
        assert!(archive.stuck(GOAL, 1, |_| false).is_none());
        archive.offer(GOAL, at(0, 7), &of(4));
        archive.sample(1, &mut rng);
        assert_eq!(archive.stuck(GOAL, 1, |_| false).map(|genome| genome.len()), Some(4));
    }

    #[test]
    fn what_is_as_near_is_kept_for_a_while_whatever_its_length() {
        let mut archive = Archive::default();
        for len in 1..=KEPT {
            archive.offer(GOAL, at(0, 1), &of(len));
        }
        archive.offer(GOAL, at(0, 1), &of(20));
        archive.offer(GOAL, at(0, 2), &of(21));
        let mut rng = Rng::with_seed(1);
        let sampled: Vec<usize> =
            (0..200).map(|_| archive.sample(1, &mut rng).expect("a goal").1.len()).collect();
        assert!(sampled.contains(&20) && sampled.contains(&1) && !sampled.contains(&21));
        archive.offer(GOAL, at(0, 0), &of(30));
        assert!((0..20).all(|_| archive.sample(1, &mut rng).expect("a goal").1.len() == 30));
    }

    #[test]
    fn a_solver_is_asked_about_other_calls_but_less_and_less() {
        let mut archive = Archive::default();
        archive.offer(GOAL, at(0, 1), &of(1));
        archive.offer(GOAL, at(0, 1), &of(1));
        archive.offer(GOAL, at(0, 1), &of(2));
        let mut rng = Rng::with_seed(1);
        let mut asked = Vec::new();
        for tries in 1..100 {
            archive.sample(1, &mut rng);
            asked.extend(archive.stuck(GOAL, 3, |_| false).map(|genome| (tries, genome.len())));
        }
        assert_eq!(asked, [(3, 1), (12, 2)]);
    }

    #[test]
    fn comparisons_are_looked_at_once_for_each_test() {
        let mut archive = Archive::default();
        let (first, second) = (of(1), of(1));
        archive.offer(GOAL, at(0, 1), &first);
        archive.offer(GOAL, at(0, 1), &second);
        let mut rng = Rng::with_seed(1);
        let mut looked: Vec<(u32, Rc<Genome>)> = Vec::new();
        for tries in 1..100 {
            archive.sample(1, &mut rng);
            let known = looked.clone();
            let was = |genome: &Rc<Genome>| known.iter().any(|(_, other)| Rc::ptr_eq(other, genome));
            looked.extend(archive.unseen(GOAL, 2, was).map(|genome| (tries, genome)));
        }
        let tries: Vec<u32> = looked.iter().map(|(tries, _)| *tries).collect();
        assert_eq!(tries, [2, 8]);
        assert!(Rc::ptr_eq(&looked[0].1, &first) && Rc::ptr_eq(&looked[1].1, &second));
    }

    #[test]
    fn what_was_asked_for_another_goal_is_not_asked_again() {
        let mut archive = Archive::default();
        archive.offer(GOAL, at(0, 1), &of(1));
        archive.offer(GOAL, at(0, 1), &of(2));
        let mut rng = Rng::with_seed(1);
        archive.sample(1, &mut rng);
        let stuck = archive.stuck(GOAL, 1, |genome| genome.len() == 1);
        assert_eq!(stuck.map(|genome| genome.len()), Some(2));
    }

    #[test]
    fn direct_tests_are_kept_beside_nearer_ones_by_way_of_others() {
        let mut archive = Archive::default();
        archive.offer(lane(3, false), at(0, 1), &of(2));
        assert!(archive.offer(GOAL, at(5, 1), &of(3)));
        let mut rng = Rng::with_seed(1);
        let two: Vec<usize> = (0..2).map(|_| archive.sample(1, &mut rng).expect("a goal").1.len()).collect();
        assert!(two.contains(&2) && two.contains(&3));
        archive.retain(|goal| goal != GOAL.goal);
        assert!(archive.sample(1, &mut rng).is_none());
    }
}
