//! One run, the ways to leave it, and what a forced run is asked to do.

use expr::{Term, Terms};
use model::Goal;
use target::{Decision, Path};

/// A run that was made.
#[derive(Clone, PartialEq, Debug)]
pub struct Execution {
    /// Its number, from 1.
    pub number: u64,
    /// Its input.
    pub assignment: Vec<u128>,
    /// Its decisions.
    pub path: Path,
    /// All branch outcomes it took, those that the input cannot change included; sorted.
    pub hit: Vec<Goal>,
    /// The same in order of time, if the program keeps it.
    pub trace: Option<Vec<Step>>,
    /// The outcomes that no run before it took.
    pub new: Vec<Goal>,
    /// Its decisions of a kind that no run before it made, by index.
    pub novel: Vec<u32>,
    /// The input first lacked something that the run needed.
    pub supplied: bool,
    /// How near it came to goals, see [`crate::Run::near`].
    pub near: Vec<(Goal, (u32, u128))>,
}

/// A branch outcome in the order of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The outcome.
    pub goal: Goal,
    /// Its index in [`Path::decisions`] if the input could have changed it.
    pub decision: Option<u32>,
}

/// Another way out of a decision of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    /// Index in [`Path::decisions`].
    pub decision: u32,
    /// Index in [`Decision::others`].
    pub way: u32,
}

impl Execution {
    /// The decision with this index.
    #[must_use]
    pub fn decision(&self, index: u32) -> &Decision {
        &self.path.decisions[index as usize]
    }

    /// All flips at decision `from` and later, in order. Pins have none.
    pub fn flips(&self, from: u32) -> impl Iterator<Item = Flip> + '_ {
        let decisions = self.path.decisions.iter().enumerate().skip(from as usize);
        decisions.flat_map(|(i, decision)| {
            (0..decision.others.len() as u32).map(move |way| Flip { decision: i as u32, way })
        })
    }

    /// The outcome that a flip leads to.
    #[must_use]
    pub fn goal(&self, flip: Flip) -> Option<Goal> {
        self.decision(flip.decision).others[flip.way as usize].goal
    }

    /// What a run must do to take a flip: all that this one did before, then the other way.
    #[must_use]
    pub fn forcing(&self, flip: Flip) -> Forcing {
        let before = &self.path.decisions[..flip.decision as usize];
        Forcing {
            prefix: before.iter().map(|decision| decision.taken.condition).collect(),
            wanted: Wanted::Way(self.decision(flip.decision).others[flip.way as usize].condition),
        }
    }
}

/// What a forced run is asked to do: follow a prefix, pins included, and then something new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forcing {
    /// The conditions of the ways to take, one a decision.
    pub prefix: Vec<Term>,
    /// What to do at the decision after them.
    pub wanted: Wanted,
}

/// The last step of a [`Forcing`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Take the way with this condition.
    Way(Term),
    /// The decision is a pin: use a number other than those.
    OtherThan(Vec<Term>),
}

impl Forcing {
    /// What the solver has to satisfy.
    pub fn constraints(&self, terms: &mut Terms) -> Vec<Term> {
        let mut constraints = self.prefix.clone();
        match &self.wanted {
            Wanted::Way(condition) => constraints.push(*condition),
            Wanted::OtherThan(pins) => constraints.extend(pins.iter().map(|&pin| terms.not(pin))),
        }
        constraints
    }

    /// The outcome at which a run left what was asked, or the last one before.
    #[must_use]
    pub fn left_at(&self, path: &Path) -> Option<Goal> {
        let agreed = path.decisions.iter().zip(&self.prefix);
        let agreed = agreed.take_while(|(decision, wanted)| decision.taken.condition == **wanted).count();
        let before = &path.decisions[..path.decisions.len().min(agreed + 1)];
        before.iter().rev().find_map(|decision| decision.taken.goal)
    }

    /// Whether a run did what was asked.
    #[must_use]
    pub fn is_followed_by(&self, path: &Path) -> bool {
        let taken = path.decisions.iter().map(|decision| &decision.taken.condition);
        let Some(last) = path.decisions.get(self.prefix.len()) else { return false };
        self.prefix.iter().eq(taken.take(self.prefix.len()))
            && match &self.wanted {
                Wanted::Way(condition) => last.taken.condition == *condition,
                Wanted::OtherThan(pins) => last.is_pin() && !pins.contains(&last.taken.condition),
            }
    }
}
