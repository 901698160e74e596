//! The function under test as a program to explore: its paths as terms over the cells of its input, see
//! [`crate::shapes`].
//!
//! *Demand.* A run that follows a null pointer of its input, or reads behind the end of an object, says what it needed;
//! it gets that, and runs again. So no check for null has to be there for an object to be made. A run that asks which of
//! two pointers comes first gets two that lead to one object: for others C has no answer. One that walks off an object
//! because a pointer never became the same as another gets the other at the end of that object.

use crate::Session;
use crate::session::is_failed_check;
use crate::shapes::{Shapes, by_cast, by_use};
use explore::{Program, Run};
use expr::{Op, Term, Terms, Variable, VariableSets};
use input::{Input, Leaf, LeafKind, Object, Place, Rng, Root, Settled, Space, TableId};
use model::FloatKind;
use solver::{Answer, Chain, Layer, Limits, Smt, Stats};
use std::cell::RefCell;
use std::collections::BTreeMap;
use target::{Access, Approximation, Crash, Decision, Outcome, Path};

/// A session that searches and explorations take turns with.
pub(crate) type Shared<'s, 'a> = RefCell<&'s mut Session<'a>>;

/// The function as a program to explore.
pub(crate) struct Runner<'r, 's, 'a> {
    session: &'s Shared<'s, 'a>,
    shapes: &'r RefCell<Shapes<'s, 'a>>,
    space: &'a Space,
    /// All inputs have one shape, so what is learned about a cell is true for all.
    is_only: bool,
    variables: RefCell<VariableSets>,
    /// Where precision was lost, and how often.
    pub(crate) approximations: BTreeMap<Approximation, u64>,
    /// The same by place.
    pub(crate) losses: BTreeMap<u32, u64>,
}

/// How often one run may ask for more objects, or for longer ones.
const DEMANDS: usize = 48;

impl<'r, 's, 'a> Runner<'r, 's, 'a> {
    pub(crate) fn new(
        session: &'s Shared<'s, 'a>,
        shapes: &'r RefCell<Shapes<'s, 'a>>,
        space: &'a Space,
    ) -> Runner<'r, 's, 'a> {
        Runner {
            session,
            shapes,
            space,
            is_only: has_one_shape(space),
            variables: RefCell::default(),
            approximations: BTreeMap::new(),
            losses: BTreeMap::new(),
        }
    }

    /// Tells a search which cells the goals that this run passed hang on.
    fn tell_what_matters(&mut self, terms: &Terms, path: &Path) {
        let mut session = self.session.borrow_mut();
        let variables = &mut *self.variables.borrow_mut();
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

    /// Takes the ways from a path that another pointer would lead to.
    fn keep_pointers(&self, terms: &Terms, path: &mut Path) {
        let shapes = self.shapes.borrow();
        for decision in &mut path.decisions {
            let variables = terms.variables_of(decision.taken.condition);
            if variables.into_iter().any(|variable| shapes.is_pointer(variable)) {
                *decision = Decision::assumption(decision.taken.condition);
            }
        }
    }

    /// Runs an input and records its path.
    fn run_once(&mut self, terms: &mut Terms, input: &Input) -> (Outcome, Run) {
        let names = self.shapes.borrow_mut().names(input);
        let mut session = self.session.borrow_mut();
        let (outcome, mut hit) = session.run(input);
        let near = session.near();
        if !outcome.is_testable() {
            // What only a fault reaches is not covered by it, but for the fault itself.
            hit.clear();
            hit.extend(session.error_of_last_run().filter(|_| is_failed_check(outcome)));
        }
        if outcome != Outcome::Rejected {
            hit.extend(session.accepting());
        }
        // What takes seconds, or the process with it, is not done twice.
        let traced = match outcome {
            Outcome::TimedOut | Outcome::WorkerDied => None,
            _ => session.trace(input, &names, terms),
        };
        let mut path = traced.unwrap_or_else(|| Path { cut: true, ..Path::default() });
        let fault = fault(outcome, &path);
        let is_lacking = matches!(fault, Some(Crash { access: Access::Null | Access::Beyond { .. }, .. }));
        path.cut |= matches!(outcome, Outcome::OutOfTicks | Outcome::Unsteady) || is_lacking;
        (outcome, Run { path, hit, near, ..Run::default() })
    }

    /// Adds to an input what its run asked for in vain: an argument behind `...`, something behind a null pointer, another
    /// type behind a `void *`, a pointer to the end that it looked for, or more behind an end. Returns whether there is
    /// something new.
    fn supply(&self, terms: &Terms, input: &mut Input, outcome: Outcome, path: &Path) -> bool {
        if input.settle(self.space, &path.extras) == Settled::Changed
            || self.shapes.borrow_mut().retype(input, &path.uses)
        {
            return true;
        }
        if self.space.limits.ways.demand && self.shapes.borrow_mut().choose_members(input, &path.members) {
            return true;
        }
        let Some(crash) = fault(outcome, path).filter(|_| self.space.limits.ways.demand) else {
            return false;
        };
        match (crash.access, path.missing) {
            (Access::Beyond { object, offset }, _) => {
                self.shapes.borrow_mut().bound(input, terms, path, object)
                    || lengthen(self.space, input, object, offset, !path.uses.is_empty())
            }
            (Access::Null, Some(missing)) => self.shapes.borrow_mut().supply(input, missing, &path.uses),
            // Somewhere in a library that is not instrumented.
            (Access::Null, None) => input.instantiate_roots(self.space) || input.instantiate(self.space),
            _ => false,
        }
    }
}

/// What a run, or the question whether its precondition holds, died of.
fn fault(outcome: Outcome, path: &Path) -> Option<Crash> {
    match outcome {
        Outcome::Crashed(crash) => Some(crash),
        _ => path.fault,
    }
}

/// Elements that are supplied to a run which reads one after the other. One that goes on behind them takes some number for
/// a count that is not meant as one, and goes on to the end of whatever there is: a run with a smaller count is worth more.
/// Bytes are cheap, and often reached many at once.
const MOST_IN_ORDER: u32 = 64;

/// Makes room for an offset behind the end of an object, and for as much again as there was: whoever reads on needs it
/// soon. Where no access told its type, an object behind a `void *` becomes one of a larger type instead.
fn lengthen(space: &Space, input: &mut Input, object: u32, offset: u64, is_used: bool) -> bool {
    let Some(Object { table, len, .. }) = input.objects.get(object as usize) else { return false };
    let is_opaque = space.is_opaque(*table);
    if (is_opaque || !is_used) && input.is_untyped(space, object) {
        let larger = if is_opaque { by_cast(space, offset + 1) } else { by_use(space, offset + 1) };
        if let Some(larger) = larger {
            input.objects[object as usize] = Object::zero(space, larger, 1);
            return true;
        }
    }
    if let Some(tail) = space.table(*table).tail {
        return lengthen_tail(space, input, object, offset, tail.elements);
    }
    let stride = u64::from(space.table(*table).stride).max(1);
    let needed = u32::try_from(offset / stride + 1).unwrap_or(u32::MAX);
    let generous = needed.max(len.saturating_mul(2)).min(space.limits.elements);
    let goes_on_and_on = stride > 1 && needed == len + 1 && *len >= MOST_IN_ORDER;
    needed > *len && !goes_on_and_on && input.lengthen(space, object, needed.max(generous))
}

/// The same for the array at the end of a structure.
fn lengthen_tail(space: &Space, input: &mut Input, object: u32, offset: u64, elements: u32) -> bool {
    let table = input.objects[object as usize].table;
    let Some(needed) = space.with_room(table, offset + 1) else { return false };
    let has_twice = |&id: &TableId| space.table(id).tail.is_some_and(|tail| tail.elements >= 2 * elements);
    let generous = space.lengths(needed).skip_while(|&id| id != needed).find(has_twice);
    input.set_tail(space, object, generous.unwrap_or(needed))
}

impl Program for Runner<'_, '_, '_> {
    fn run(&mut self, terms: &mut Terms, assignment: &[u128]) -> Run {
        let mut input = self.shapes.borrow_mut().input(assignment);
        let (mut outcome, mut run) = self.run_once(terms, &input);
        for _ in 0..DEMANDS {
            if self.session.borrow().is_stopped()
                || !self.shapes.borrow_mut().relate(&mut input, terms, &run.path)
                    && !self.supply(terms, &mut input, outcome, &run.path)
            {
                break;
            }
            (outcome, run) = self.run_once(terms, &input);
            run.supplied = true;
        }
        for (what, count) in &run.path.approximations {
            *self.approximations.entry(what.clone()).or_default() += count;
        }
        for &(place, count) in &run.path.losses {
            *self.losses.entry(place).or_default() += count;
        }
        if run.path.has_written {
            self.shapes.borrow_mut().has_written = true;
        }
        if self.is_only {
            self.tell_what_matters(terms, &run.path);
        }
        if !self.space.limits.ways.solver {
            self.keep_pointers(terms, &mut run.path);
        }
        run.instead = Some(self.shapes.borrow_mut().assignment(&input));
        run
    }

    fn beside(&self, assignment: &[u128], variable: Variable) -> Option<u128> {
        self.shapes.borrow().beside(assignment, variable)
    }

    fn grows(&self, terms: &Terms, assignment: &[u128], condition: Term) -> bool {
        // This is asked of the same conditions again and again, and some are made of a hundred thousand terms.
        let mut variables = self.variables.borrow_mut();
        let set = variables.of(terms, condition);
        let Some(variable) = variables.only(set) else { return false };
        let is_null = assignment.get(variable.0 as usize).is_none_or(|&value| value == 0);
        is_null && self.shapes.borrow().is_pointer(variable)
    }

    fn random(&mut self, rng: &mut Rng) -> Option<Vec<u128>> {
        let mut input = Input::zero(self.space);
        if input.size() == 0 {
            return None;
        }
        if self.is_only {
            for var in input.vars(self.space).collect::<Vec<_>>() {
                let width = input.leaf(self.space, var).width.clamp(1, 128);
                *input.cell_mut(var) = rng.u128(..) & expr::mask(width.into());
            }
        } else {
            input = Input::random(self.space, rng);
        }
        Some(self.shapes.borrow_mut().assignment(&input))
    }
}

/// The solver chain, bound to the values that the user allows, its work charged to the budget.
pub(crate) struct Solver<'s, 'a> {
    session: &'s Shared<'s, 'a>,
    chain: Chain,
    ranges: Vec<(Variable, Leaf)>,
    /// What is as dear as one execution.
    unit: u64,
    /// What was not charged yet, since it is less.
    owed: u64,
}

/// What questions cost, in executions: about as many as take the same time.
const CONSTRAINTS_PER_EXECUTION: u64 = 4;
const COST_OF_DESCENT: u64 = 500;
const TRIED_PER_EXECUTION: u64 = 200;
const SMT_WORK_PER_EXECUTION: u64 = 2;
/// An execution of a whole program takes as long as so many of a small function.
const WHOLE_PROGRAM: u64 = 100;

impl<'s, 'a> Solver<'s, 'a> {
    pub(crate) fn new(
        session: &'s Shared<'s, 'a>,
        limits: Limits,
        smt: Box<dyn Smt>,
        space: &Space,
    ) -> Solver<'s, 'a> {
        let chain = Chain::new(limits, smt);
        let restricted = |leaf: &Leaf| leaf.range.bounds.is_some() || !leaf.range.exclude.is_empty();
        // Only parameters and globals can be restricted, and their cells are the first variables.
        let ranges = leaves(space, &Input::zero(space))
            .enumerate()
            .filter(|(_, leaf)| is_number(leaf) && restricted(leaf))
            .map(|(i, leaf)| (Variable(i as u32), leaf.clone()))
            .collect();
        let unit = if session.borrow().is_whole() { WHOLE_PROGRAM } else { session.borrow().weight() };
        Solver { session, chain, ranges, unit, owed: 0 }
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
        let (descents, tried, work) = (self.descents(), self.chain.enumerated(), self.chain.smt_work());
        let answer = self.chain.solve(terms, &all, hint);
        let cost = 1
            + all.len() as u64 / CONSTRAINTS_PER_EXECUTION
            + (self.descents() - descents) * COST_OF_DESCENT
            + (self.chain.enumerated() - tried) / TRIED_PER_EXECUTION
            + (self.chain.smt_work() - work) / SMT_WORK_PER_EXECUTION;
        self.owed += cost;
        self.session.borrow_mut().charge_for_solving(self.owed / self.unit);
        self.owed %= self.unit;
        match answer {
            Answer::Sat(values) if is_allowed(&values) => explore::Answer::Sat(values),
            Answer::Sat(_) | Answer::Unknown(_) => explore::Answer::Unknown,
            Answer::Unsat => explore::Answer::Unsat,
        }
    }
}

/// Whether all inputs have one shape, and every number of it is a variable that terms can speak of.
pub(crate) fn has_one_shape(space: &Space) -> bool {
    space.roots.iter().filter(|root| !root.observed_only).all(|root| {
        let table = space.table(root.table);
        table.truncated == 0 && table.leaves.iter().all(is_variable)
    })
}

/// Whether terms can speak of a cell.
fn is_variable(leaf: &Leaf) -> bool {
    is_number(leaf) && !matches!(leaf.kind, LeafKind::Float(FloatKind::F80))
}

fn is_number(leaf: &Leaf) -> bool {
    !matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. })
}

/// Whether all that shapes differ in are objects and typed pointers to them, and every number is a variable.
pub(crate) fn has_plain_shapes(space: &Space) -> bool {
    let is_plain = |leaf: &Leaf| match leaf.kind {
        LeafKind::Pointer { to: Some(to), untyped: false } => !space.is_function(to),
        _ => is_variable(leaf),
    };
    // A global may be what a pointer leads to.
    let is_global = |root: &Root| matches!(root.place, Place::Global(_));
    !space.roots.iter().any(is_global)
        && space.tables().all(|table| table.truncated == 0 && table.leaves.iter().all(is_plain))
}

/// The descriptions of all cells in order.
fn leaves<'x>(space: &'x Space, input: &'x Input) -> impl Iterator<Item = &'x Leaf> {
    input
        .objects
        .iter()
        .flat_map(|object| space.table(object.table).leaves.iter().cycle().take(object.cells.len()))
}
