//! The function under test as a program to explore: its paths as terms over the numbers of its input.
//!
//! The *shape* of an input is what no term speaks of: its objects, where its pointers lead, which union members are
//! chosen. Inputs of one shape differ in numbers only, and those are the variables.

use crate::Session;
use crate::session::is_failed_check;
use explore::{Program, Run};
use expr::{Op, Term, Terms, Variable, VariableSets};
use input::{Input, Leaf, LeafKind, Space};
use model::FloatKind;
use solver::{Answer, Chain, Layer, Limits, Smt, Stats};
use std::cell::RefCell;
use std::collections::BTreeMap;
use target::{Approximation, Outcome, Path};

/// A session that searches and explorations take turns with.
pub(crate) type Shared<'s, 'a> = RefCell<&'s mut Session<'a>>;

/// The function on inputs of one shape.
pub(crate) struct Shape<'s, 'a> {
    session: &'s Shared<'s, 'a>,
    input: Input,
    widths: Vec<u32>,
    is_number: Vec<bool>,
    /// All inputs have this shape, so what is learned about a cell is true for all.
    is_only: bool,
    variables: VariableSets,
    /// Where precision was lost, and how often.
    pub(crate) approximations: BTreeMap<Approximation, u64>,
    /// The same by place.
    pub(crate) losses: BTreeMap<u32, u64>,
}

impl<'s, 'a> Shape<'s, 'a> {
    /// The shape of an input.
    pub(crate) fn new(session: &'s Shared<'s, 'a>, space: &Space, input: &Input) -> Shape<'s, 'a> {
        let leaves: Vec<&Leaf> = leaves(space, input).collect();
        let width = |leaf: &Leaf| if is_number(leaf) { u32::from(leaf.width).clamp(1, 128) } else { 1 };
        Shape {
            session,
            input: input.clone(),
            widths: leaves.iter().map(|leaf| width(leaf)).collect(),
            is_number: leaves.iter().map(|leaf| is_number(leaf)).collect(),
            is_only: has_one_shape(space),
            variables: VariableSets::new(),
            approximations: BTreeMap::new(),
            losses: BTreeMap::new(),
        }
    }

    /// Tells a search which cells the goals that this run passed hang on.
    fn tell_what_matters(&mut self, terms: &Terms, path: &Path) {
        let mut session = self.session.borrow_mut();
        let variables = &mut self.variables;
        for decision in &path.decisions {
            for way in &decision.others {
                let Some(goal) = way.goal else { continue };
                session.note_what_matters(goal, || {
                    let set = variables.of(terms, way.condition);
                    variables.members(set).into_iter().map(|variable| variable.0).collect()
                });
            }
        }
    }

    /// The input of this shape with these values.
    fn with(&self, assignment: &[u128]) -> Input {
        let mut input = self.input.clone();
        let cells = input.objects.iter_mut().flat_map(|object| object.cells.iter_mut());
        for ((cell, &value), &number) in cells.zip(assignment).zip(&self.is_number) {
            if number {
                *cell = value;
            }
        }
        input
    }
}

impl Program for Shape<'_, '_> {
    fn run(&mut self, terms: &mut Terms, assignment: &[u128]) -> Run {
        let input = self.with(assignment);
        let mut session = self.session.borrow_mut();
        let (outcome, mut hit) = session.run(&input);
        if !outcome.is_testable() {
            // What only a fault reaches is not covered by it, but for the fault itself.
            hit.clear();
            hit.extend(session.error_of_last_run().filter(|_| is_failed_check(outcome)));
        }
        // What takes seconds, or the process with it, is not done twice.
        let traced = match outcome {
            Outcome::TimedOut | Outcome::WorkerDied => None,
            _ => session.trace(&input, terms),
        };
        let mut path = traced.unwrap_or_else(|| Path { cut: true, ..Path::default() });
        path.cut |= outcome == Outcome::OutOfTicks;
        for (what, count) in &path.approximations {
            *self.approximations.entry(what.clone()).or_default() += count;
        }
        for &(place, count) in &path.losses {
            *self.losses.entry(place).or_default() += count;
        }
        drop(session);
        if self.is_only {
            self.tell_what_matters(terms, &path);
        }
        Run { path, hit, trace: None }
    }

    fn widths(&self) -> &[u32] {
        &self.widths
    }
}

/// The solver chain, bound to the values that the user allows, its work charged to the budget.
pub(crate) struct Solver<'s, 'a> {
    session: &'s Shared<'s, 'a>,
    chain: Chain,
    ranges: Vec<(Variable, Leaf)>,
    /// What is as dear as one execution.
    unit: u64,
}

/// What questions cost, in executions: about as many as take the same time.
const CONSTRAINTS_PER_EXECUTION: u64 = 4;
const COST_OF_DESCENT: u64 = 500;
const SMT_WORK_PER_EXECUTION: u64 = 2;
/// An execution of a whole program takes as long as so many of a small function.
const WHOLE_PROGRAM: u64 = 100;

impl<'s, 'a> Solver<'s, 'a> {
    pub(crate) fn new(
        session: &'s Shared<'s, 'a>,
        limits: Limits,
        smt: Box<dyn Smt>,
        space: &Space,
        input: &Input,
    ) -> Solver<'s, 'a> {
        let chain = Chain::new(limits, smt);
        let restricted = |leaf: &Leaf| leaf.range.bounds.is_some() || !leaf.range.exclude.is_empty();
        let ranges = leaves(space, input)
            .enumerate()
            .filter(|(_, leaf)| is_number(leaf) && restricted(leaf))
            .map(|(i, leaf)| (Variable(i as u32), leaf.clone()))
            .collect();
        let unit = if session.borrow().is_whole() { WHOLE_PROGRAM } else { 1 };
        Solver { session, chain, ranges, unit }
    }

    /// Who settled what.
    pub(crate) fn stats(&self) -> &Stats {
        self.chain.stats()
    }

    fn descents(&self) -> u64 {
        self.chain.stats().of(Layer::Descent).asked
    }

    /// What must hold for a variable to be allowed. Bounds of floating-point numbers are only checked afterwards.
    fn allowed(terms: &mut Terms, variable: Variable, leaf: &Leaf) -> Vec<Term> {
        let width = u32::from(leaf.width);
        let value = terms.variable(variable, width);
        let mut all = Vec::new();
        for &excluded in &leaf.range.exclude {
            let excluded = terms.constant(excluded, width);
            let same = terms.binary(Op::Eq, value, excluded);
            all.push(terms.not(same));
        }
        let less = match leaf.kind {
            LeafKind::Int { signed: true } | LeafKind::Enum { signed: true, .. } => Op::Sle,
            LeafKind::Float(_) => return all,
            _ => Op::Ule,
        };
        let (low, high) = leaf.range.bounds.unwrap_or_default();
        if let Some(low) = low {
            let low = terms.constant(low as u128, width);
            all.push(terms.binary(less, low, value));
        }
        if let Some(high) = high {
            let high = terms.constant(high as u128, width);
            all.push(terms.binary(less, value, high));
        }
        all
    }
}

impl explore::Solve for Solver<'_, '_> {
    fn solve(&mut self, terms: &mut Terms, constraints: &[Term], hint: &[u128]) -> explore::Answer {
        let mut all = constraints.to_vec();
        for (variable, leaf) in &self.ranges {
            all.extend(Solver::allowed(terms, *variable, leaf));
        }
        let is_allowed = |values: &[u128]| {
            self.ranges.iter().all(|(v, leaf)| values.get(v.0 as usize).is_none_or(|&cell| leaf.allows(cell)))
        };
        let (descents, work) = (self.descents(), self.chain.smt_work());
        let answer = self.chain.solve(terms, &all, hint);
        let cost = 1
            + all.len() as u64 / CONSTRAINTS_PER_EXECUTION
            + (self.descents() - descents) * COST_OF_DESCENT
            + (self.chain.smt_work() - work) / SMT_WORK_PER_EXECUTION;
        self.session.borrow_mut().charge(cost.div_ceil(self.unit));
        match answer {
            Answer::Sat(values) if is_allowed(&values) => explore::Answer::Sat(values),
            Answer::Sat(_) | Answer::Unknown(_) => explore::Answer::Unknown,
            Answer::Unsat => explore::Answer::Unsat,
        }
    }
}

/// The values of all cells, one object after the other: the variables of a path.
pub(crate) fn assignment(input: &Input) -> Vec<u128> {
    input.objects.iter().flat_map(|object| object.cells.iter().copied()).collect()
}

/// Whether two inputs differ in numbers only.
pub(crate) fn same_shape(space: &Space, a: &Input, b: &Input) -> bool {
    let same_objects = a.objects.len() == b.objects.len()
        && a.objects.iter().zip(&b.objects).all(|(a, b)| a.table == b.table && a.len == b.len);
    same_objects
        && leaves(space, a)
            .zip(assignment(a).iter().zip(&assignment(b)))
            .all(|(leaf, (a, b))| is_number(leaf) || a == b)
}

/// Whether all inputs have one shape, and every number of it is a variable that terms can speak of.
pub(crate) fn has_one_shape(space: &Space) -> bool {
    space.roots.iter().filter(|root| !root.observed_only).all(|root| {
        let table = space.table(root.table);
        let is_variable =
            |leaf: &Leaf| is_number(leaf) && !matches!(leaf.kind, LeafKind::Float(FloatKind::F80));
        table.truncated == 0 && table.leaves.iter().all(is_variable)
    })
}

fn is_number(leaf: &Leaf) -> bool {
    !matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. })
}

/// The descriptions of all cells in order.
fn leaves<'x>(space: &'x Space, input: &'x Input) -> impl Iterator<Item = &'x Leaf> {
    input
        .objects
        .iter()
        .flat_map(|object| space.table(object.table).leaves.iter().cycle().take(object.cells.len()))
}
