//! The chain of layers.

use crate::cache::Cache;
use crate::fold::Folder;
use crate::hint::Hint;
use crate::local::{descent, enumerate, interval, invert};
use crate::query::{Query, assigned};
use crate::slice::{self, Slicer};
use crate::smt::{Asked, Smt, ask};
use crate::{Answer, Layer, Limits, Stats, Why};
use expr::{Term, Terms, Variable};
use std::time::Instant;

/// A solver for the truth terms of one store.
pub struct Chain {
    limits: Limits,
    folder: Folder,
    hint: Hint,
    slicer: Slicer,
    cache: Cache,
    smt: Box<dyn Smt>,
    stats: Stats,
    enumerated: u64,
    smt_work: u64,
}

/// Bits of a character.
const CHARACTER: u32 = 8;

/// What a layer made of a question.
enum Step {
    Model(Vec<u128>),
    /// No values, for these constraints alone.
    Unsat(Vec<Term>),
    GiveUp(Why),
    Pass,
}

impl Chain {
    /// A chain that ends with an SMT solver.
    #[must_use]
    pub fn new(limits: Limits, smt: Box<dyn Smt>) -> Chain {
        Chain {
            limits,
            folder: Folder::default(),
            hint: Hint::default(),
            slicer: Slicer::default(),
            cache: Cache::default(),
            smt,
            stats: Stats::default(),
            enumerated: 0,
            smt_work: 0,
        }
    }

    /// Who settled what so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What SMT solvers were asked to do so far, in units of about a microsecond; the same in every run.
    #[must_use]
    pub fn smt_work(&self) -> u64 {
        self.smt_work
    }

    /// Operations that trying everything took so far.
    #[must_use]
    pub fn enumerated(&self) -> u64 {
        self.enumerated
    }

    /// Values under which all constraints hold. `hint` is an assignment that satisfies most of them, usually that of
    /// an earlier run; all calls must be about the same store.
    pub fn solve(&mut self, terms: &mut Terms, constraints: &[Term], hint: &[u128]) -> Answer {
        let slices = self.timed(Layer::Slice, |chain| {
            chain.hint.set(hint);
            chain.slicer.violated(terms, constraints, &mut chain.hint)
        });
        if slices.is_empty() {
            return self.settled(Layer::Slice, Answer::Sat(hint.to_vec()));
        }
        let mut assignment = hint.to_vec();
        for slice in slices {
            match self.solve_folded(terms, &slice, &assignment) {
                Answer::Sat(solved) => assignment = solved,
                other => return other,
            }
        }
        debug_assert!(constraints.iter().all(|&c| {
            self.hint.set(&assignment);
            self.hint.value(terms, c) == 1
        }));
        Answer::Sat(assignment)
    }

    /// Brings constraints that hang together into their plainest form, and solves that.
    fn solve_folded(&mut self, terms: &mut Terms, constraints: &[Term], start: &[u128]) -> Answer {
        let Some(constraints) = self.timed(Layer::Fold, |chain| chain.folder.fold(terms, constraints)) else {
            return self.settled(Layer::Fold, Answer::Unsat);
        };
        if self.timed(Layer::Cache, |chain| chain.cache.is_unsat(&constraints)) {
            return self.settled(Layer::Cache, Answer::Unsat);
        }
        let order = match slice::order(terms, &constraints, self.limits.nodes) {
            Ok(order) => order,
            Err(why) => return self.unknown(why),
        };
        let mut query = Query::new(terms, constraints, order);
        let mut answer = self.solve_quickly(&mut query, start);
        answer = answer
            .or_else(|| self.ask(Layer::Descent, &mut query, |chain, query| chain.descent(query, start)));
        let is_wide = |&(_, width): &(Variable, u32)| width > CHARACTER;
        let (wide, narrow): (Vec<_>, Vec<_>) = query.variables.iter().copied().partition(is_wide);
        if answer.is_none() && !wide.is_empty() && !narrow.is_empty() {
            let Query { constraints, order, .. } = query;
            answer = self.solve_characters(terms, &constraints, &wide, start);
            query = Query::new(terms, constraints, order);
        }
        let answer = answer
            .or_else(|| self.ask(Layer::Smt, &mut query, |chain, query| chain.smt(query, start)))
            .unwrap_or(Answer::Unknown(Why::Incomplete));
        match &answer {
            Answer::Sat(assignment) => self.cache.learn_model(&query, assignment, self.limits.models),
            Answer::Unsat => {}
            Answer::Unknown(why) => {
                self.cache.learn_given_up(&query.constraints, *why, self.limits.sets);
                self.stats.unknown += 1;
            }
        }
        answer
    }

    /// What can be said about constraints that hang together at little cost.
    fn solve_quickly(&mut self, query: &mut Query, start: &[u128]) -> Option<Answer> {
        self.ask(Layer::Cache, query, |chain, query| chain.recall(query, start))
            .or_else(|| self.ask(Layer::Interval, query, |chain, query| chain.intervals(query, start)))
            .or_else(|| self.ask(Layer::Invert, query, |chain, query| chain.inversion(query, start)))
            .or_else(|| self.ask(Layer::Enumerate, query, |chain, query| chain.enumeration(query, start)))
    }

    /// A text and the pointers into it hang together; mostly the pointers are as they should be. So all that is wider than a
    /// character keeps its value, and what is left is a smaller question. That it has no answer says nothing.
    fn solve_characters(
        &mut self,
        terms: &mut Terms,
        constraints: &[Term],
        wide: &[(Variable, u32)],
        start: &[u128],
    ) -> Option<Answer> {
        let is_wide = |variable| wide.iter().any(|&(other, _)| other == variable);
        let kept = terms.partial(constraints, |v| is_wide(v).then(|| assigned(start, v)));
        let kept = self.folder.fold(terms, &kept)?;
        let order = slice::order(terms, &kept, self.limits.nodes).ok()?;
        let answer = self.solve_quickly(&mut Query::new(terms, kept, order), start);
        answer.filter(|answer| matches!(answer, Answer::Sat(_)))
    }

    /// Runs a layer. Its model is believed only if the constraints evaluate to true under it.
    fn ask(
        &mut self,
        layer: Layer,
        query: &mut Query,
        work: impl FnOnce(&mut Chain, &mut Query) -> Step,
    ) -> Option<Answer> {
        match self.timed(layer, |chain| work(chain, query)) {
            Step::Model(assignment) if query.holds(&assignment) => {
                Some(self.settled(layer, Answer::Sat(assignment)))
            }
            Step::Model(_) => {
                self.stats.of_mut(layer).failed_models += 1;
                None
            }
            Step::Unsat(core) => {
                self.cache.learn_unsat(&core, self.limits.sets);
                Some(self.settled(layer, Answer::Unsat))
            }
            Step::GiveUp(why) => Some(Answer::Unknown(why)),
            Step::Pass => None,
        }
    }

    fn recall(&mut self, query: &mut Query, start: &[u128]) -> Step {
        self.cache.model(query, start).map_or(Step::Pass, Step::Model)
    }

    fn intervals(&mut self, query: &mut Query, start: &[u128]) -> Step {
        match interval::propagate(query, start, self.limits.interval_rounds) {
            interval::Outcome::Contradiction(core) => Step::Unsat(core),
            interval::Outcome::Candidates(candidates) => {
                let holding = candidates.into_iter().find(|candidate| query.holds(candidate));
                holding.map_or(Step::Pass, Step::Model)
            }
        }
    }

    fn inversion(&mut self, query: &mut Query, start: &[u128]) -> Step {
        invert::repair(query, start, self.limits.invert).map_or(Step::Pass, Step::Model)
    }

    fn enumeration(&mut self, query: &mut Query, start: &[u128]) -> Step {
        let (outcome, operations) = {
            let Limits { enumerate: most, interval_rounds, .. } = self.limits;
            enumerate::search(query, start, most, interval_rounds)
        };
        self.enumerated += operations as u64;
        match outcome {
            enumerate::Outcome::Model(assignment) => Step::Model(assignment),
            enumerate::Outcome::Contradiction(core) => Step::Unsat(core),
            enumerate::Outcome::Open => Step::Pass,
        }
    }

    fn descent(&mut self, query: &mut Query, start: &[u128]) -> Step {
        let operations = if query.floats { self.limits.descent_float } else { self.limits.descent_integer };
        descent::search(query, start, operations).map_or(Step::Pass, Step::Model)
    }

    fn smt(&mut self, query: &mut Query, start: &[u128]) -> Step {
        if let Some(why) = self.cache.given_up(&query.constraints) {
            return Step::GiveUp(why);
        }
        match ask(self.smt.as_mut(), query, start, &self.limits.smt, &mut self.smt_work) {
            Asked::Model(assignment) => Step::Model(assignment),
            Asked::Unsat => Step::Unsat(query.constraints.clone()),
            Asked::Unknown(why) => Step::GiveUp(why),
        }
    }

    fn timed<T>(&mut self, layer: Layer, work: impl FnOnce(&mut Chain) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        let count = self.stats.of_mut(layer);
        count.asked += 1;
        count.time += start.elapsed();
        result
    }

    fn settled(&mut self, layer: Layer, answer: Answer) -> Answer {
        let count = self.stats.of_mut(layer);
        match answer {
            Answer::Sat(_) => count.sat += 1,
            Answer::Unsat => count.unsat += 1,
            Answer::Unknown(_) => {}
        }
        answer
    }

    fn unknown(&mut self, why: Why) -> Answer {
        self.stats.unknown += 1;
        Answer::Unknown(why)
    }
}
