//! Runs functions and their symbolic twins on the same inputs and says where they differ. Shared with `make bench`.

#![allow(dead_code, reason = "every user needs its own part")]

pub(crate) mod plain;
pub(crate) mod random;

use c_frontend::{Built, Clang, SourceUnit, Symbolic, build, build_symbolic};
use c_worker::{CTarget, Image, Isolation, Limits};
use explore::{Forcing, Wanted};
use expr::{Tape, Term, Terms};
use input::{Input, LeafKind, Place, Pointer, Space, SpaceLimits, Var};
use model::{Function, FunctionId};
use solver::{Answer, Chain, NoSmt};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use target::{Approximation, Outcome, Seen, Target};

/// A process has one target at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Inputs solved for and run again, of one function.
const MOST_FLIPS: usize = 12;

/// What was done.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    /// Functions that were run.
    pub(crate) functions: usize,
    /// Runs of twins.
    pub(crate) runs: usize,
    /// Decisions that depended on the input.
    pub(crate) decisions: usize,
    /// Inputs solved for another way out of a decision, and run: all took it.
    pub(crate) forced: usize,
    /// Results compared with those of a plain build.
    pub(crate) plain: usize,
    /// Runs that did not return.
    pub(crate) faults: usize,
    /// Precision lost, and how often.
    pub(crate) lost: BTreeMap<Approximation, u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.functions += other.functions;
        self.runs += other.runs;
        self.decisions += other.decisions;
        self.forced += other.forced;
        self.plain += other.plain;
        self.faults += other.faults;
        for (what, count) in &other.lost {
            *self.lost.entry(what.clone()).or_default() += count;
        }
    }
}

/// A program in both builds.
pub(crate) struct Builds {
    built: Built,
    symbolic: Symbolic,
    _work: tempfile::TempDir,
}

impl Builds {
    pub(crate) fn of(path: &Path) -> Builds {
        let work = tempfile::tempdir().expect("a temporary folder");
        let directory = path.parent().expect("a file stands in a folder").to_owned();
        let unit = SourceUnit { path: path.to_owned(), flags: Vec::new(), directory };
        let clang = Clang::default();
        let built = build(&[unit], &clang, work.path()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let symbolic = build_symbolic(&built, &clang, work.path()).expect("twins can be built");
        Builds { built, symbolic, _work: work }
    }

    pub(crate) fn load(&self) -> Loaded<'_> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let image = Image::load(&self.built.image, Arc::new(self.built.program.clone())).expect("it loads");
        let mut target = CTarget::new(image, Isolation::InProcess, Limits::default()).expect("a target");
        target.load_twins(&self.symbolic.object, self.symbolic.sites.clone()).expect("twins load");
        Loaded { builds: self, target, _one: one }
    }
}

/// A program that can be run.
pub(crate) struct Loaded<'a> {
    builds: &'a Builds,
    target: CTarget,
    _one: MutexGuard<'a, ()>,
}

/// One function, and what is remembered between its runs.
struct Session<'a, 'b> {
    target: &'a mut CTarget,
    function: &'b Function,
    space: &'a Space,
    terms: Terms,
    chain: Chain,
    tally: Tally,
}

impl Loaded<'_> {
    /// Compares every function with its twin on so many inputs; what stands behind `...` is not part of an input.
    pub(crate) fn compare(&mut self, inputs: usize) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for id in 0..self.builds.built.program.functions.len() {
            let id = FunctionId(id as u32);
            if self.builds.built.program.function(id).variadic {
                continue;
            }
            if let Some(space) = self.space(id) {
                tally.add(&self.session(id, &space).all(inputs)?);
            }
        }
        Ok(tally)
    }

    /// Traces a function of one number, however long it takes: how it ended, its path and the terms of that.
    pub(crate) fn trace(&mut self, name: &str, number: u64) -> (Outcome, target::Path, Terms) {
        let functions = &self.builds.built.program.functions;
        let id = functions.iter().position(|f| f.name == name).expect("there is such a function");
        let id = FunctionId(id as u32);
        let space = self.space(id).expect("it can be called");
        let input = plain::seeded(&space, number);
        let mut session = self.session(id, &space);
        session.target.set_tick_limit(1 << 40);
        let (outcome, path) =
            session.target.trace(&input, &names(&input), &mut session.terms).expect("there is a twin");
        (outcome, path, session.terms)
    }

    /// The inputs of a function, with the initial values of its globals.
    fn space(&mut self, id: FunctionId) -> Option<Space> {
        let program = &self.builds.built.program;
        let function = program.function(id);
        let mut space = Space::new(program, function, SpaceLimits::default(), &[]).ok()?;
        if function.uncallable.is_some() {
            return None;
        }
        self.target.select(id, &space);
        let seen = self.target.initial(&Input::zero(&space));
        for (root, cells) in space.roots.iter_mut().zip(seen) {
            if matches!(root.place, Place::Global(_)) {
                root.initial = Some(cells.into_iter().map(initial).collect());
            }
        }
        Some(space)
    }

    fn session<'a>(&'a mut self, id: FunctionId, space: &'a Space) -> Session<'a, 'a> {
        self.target.select(id, space);
        self.target.set_tick_limit(20_000);
        let mut limits = solver::Limits::default();
        limits.descent_float = limits.descent_integer;
        Session {
            target: &mut self.target,
            function: self.builds.built.program.function(id),
            space,
            terms: Terms::new(),
            chain: Chain::new(limits, Box::new(NoSmt)),
            tally: Tally { functions: 1, ..Tally::default() },
        }
    }
}

impl Session<'_, '_> {
    fn all(mut self, inputs: usize) -> Result<Tally, String> {
        let mut rng = fastrand::Rng::with_seed(7);
        for i in 0..inputs {
            let input = match i {
                0 => Input::zero(self.space),
                1 => Input::instantiated(self.space),
                _ => Input::random(self.space, &mut rng),
            };
            let (_, path) = self.compare(&input)?;
            self.force(&input, &path, &mut rng)?;
        }
        Ok(self.tally)
    }

    fn complaint(&self, what: &str, input: &Input) -> String {
        format!("{}: {what}\n{input:?}", self.function.name)
    }

    /// Runs an input both ways.
    fn compare(&mut self, input: &Input) -> Result<(Outcome, target::Path), String> {
        let outcome = self.target.run(input);
        let covered: Vec<_> = self.function.goals().filter(|&g| self.target.distance(g) == 0).collect();
        let observed = self.target.observe();
        let (traced, path) =
            self.target.trace(input, &names(input), &mut self.terms).ok_or("there is no twin")?;
        self.tally.runs += 1;
        self.tally.decisions += path.decisions.len();
        self.tally.faults += usize::from(outcome != Outcome::Returned);
        for (what, count) in &path.approximations {
            *self.tally.lost.entry(what.clone()).or_default() += count;
        }
        // Ticks of code that only one build has may end one run earlier than the other.
        if outcome == Outcome::OutOfTicks || traced == Outcome::OutOfTicks {
            return Ok((Outcome::OutOfTicks, path));
        }
        let same = match (outcome, traced) {
            (Outcome::Crashed(a), Outcome::Crashed(b)) => a.kind == b.kind,
            _ => outcome == traced,
        };
        if !same {
            return Err(self.complaint(&format!("{outcome:?}, its twin {traced:?}"), input));
        }
        if outcome == Outcome::Returned {
            let twin = self.target.observe();
            if twin != observed {
                return Err(self.complaint(&format!("left\n{observed:?}, its twin\n{twin:?}"), input));
            }
        }
        for goal in path.decisions.iter().filter_map(|d| d.taken.goal) {
            let own = self.function.branch(goal.branch).is_some_and(|b| b.counted);
            if own && !covered.contains(&goal) {
                return Err(self.complaint(&format!("only its twin took {goal:?}"), input));
            }
        }
        self.check_terms(input, &path)?;
        Ok((outcome, path))
    }

    /// Every condition, simplified or not, has the value that the program computed.
    fn check_terms(&mut self, input: &Input, path: &target::Path) -> Result<(), String> {
        if let Some(count) = path.approximations.get(&Approximation::Mismatch) {
            return Err(self.complaint(&format!("{count} terms with another value"), input));
        }
        let conditions: Vec<_> = path.decisions.iter().map(|d| d.taken.condition).collect();
        let mut tape = Tape::new(&self.terms, &conditions);
        tape.run(&self.assignment(input));
        match conditions.iter().position(|&c| tape.value(c) != 1) {
            Some(wrong) => Err(self.complaint(&format!("decision {wrong} was simplified to a lie"), input)),
            None => Ok(()),
        }
    }

    /// Solves for other ways out of some decisions: the new inputs must take them.
    fn force(&mut self, input: &Input, path: &target::Path, rng: &mut fastrand::Rng) -> Result<(), String> {
        let exact = |what: &Approximation| matches!(what, Approximation::Address | Approximation::Switch);
        if self.tally.forced >= MOST_FLIPS
            || path.decisions.is_empty()
            || !path.approximations.keys().all(exact)
        {
            return Ok(());
        }
        for _ in 0..3 {
            let index = rng.usize(..path.decisions.len());
            let Some(way) = path.decisions[index].others.first() else { continue };
            let forcing = Forcing {
                prefix: path.decisions[..index].iter().map(|d| d.taken.condition).collect(),
                wanted: Wanted::Way(way.condition),
            };
            let constraints = forcing.constraints(&mut self.terms);
            let before = self.assignment(input);
            let Answer::Sat(values) = self.chain.solve(&mut self.terms, &constraints, &before) else {
                continue;
            };
            let Some(solved) = with(self.space, input, &before, &values) else { continue };
            let (outcome, followed) = self.compare(&solved)?;
            // A fault on the way is no decision.
            if outcome != Outcome::Returned || !followed.approximations.keys().all(exact) {
                continue;
            }
            self.tally.forced += 1;
            if !forcing.is_followed_by(&followed) {
                let differs = self.first_difference(&forcing, &followed);
                let what = format!(
                    "does not take the other way of decision {index}: {differs} for\n{solved:?}\nafter"
                );
                return Err(self.complaint(&what, input));
            }
        }
        Ok(())
    }
}

impl Session<'_, '_> {
    /// The values of the variables of an input; those of pointers are addresses.
    fn assignment(&mut self, input: &Input) -> Vec<u128> {
        let addresses = self.target.addresses(input);
        let mut values = Vec::new();
        for (object, o) in (0..).zip(&input.objects) {
            for cell in 0..o.cells.len() as u32 {
                let var = Var { object, cell };
                let is_pointer = matches!(input.leaf(self.space, var).kind, LeafKind::Pointer { .. });
                values.push(match Pointer::decode(input.cell(var)) {
                    Pointer::Element { object: to, element } if is_pointer => {
                        let stride = self.space.table(input.objects[to as usize].table).stride;
                        u128::from(addresses[to as usize]) + u128::from(element * stride)
                    }
                    _ => input.cell(var),
                });
            }
        }
        values
    }

    /// Where a path leaves what was asked of it.
    fn first_difference(&self, forcing: &Forcing, path: &target::Path) -> String {
        let text = |condition: Option<&Term>| match condition {
            Some(&condition) => self.terms.text(condition, |v| format!("v{}", v.0), 400),
            None => "nothing".to_owned(),
        };
        let wanted = |i: usize| match (&forcing.wanted, forcing.prefix.get(i)) {
            (Wanted::Way(condition), None) => Some(condition),
            (_, condition) => condition,
        };
        let taken = |i: usize| path.decisions.get(i).map(|decision| &decision.taken.condition);
        let place =
            (0..forcing.prefix.len()).find(|&i| wanted(i) != taken(i)).unwrap_or(forcing.prefix.len());
        format!("decision {place} is {} instead of {}", text(taken(place)), text(wanted(place)))
    }
}

/// A cell of a global as an input would hold it.
fn initial(seen: Seen) -> u128 {
    match seen {
        Seen::Bits(bits) => bits,
        Seen::Null | Seen::Unstable => 0,
        Seen::Element { .. } | Seen::Elsewhere | Seen::Allocated => Pointer::Initial.encode(),
    }
}

/// The variables of an input: one a cell, in order.
pub(crate) fn names(input: &Input) -> Vec<u32> {
    (0..input.size() as u32).collect()
}

/// The input with other numbers, if they are allowed, and nothing but numbers is to change.
fn with(space: &Space, input: &Input, before: &[u128], values: &[u128]) -> Option<Input> {
    let mut new = input.clone();
    let mut values = before.iter().zip(values);
    for (object, cells) in input.objects.iter().enumerate() {
        for cell in 0..cells.cells.len() {
            let var = Var { object: object as u32, cell: cell as u32 };
            let Some((&before, &value)) = values.next() else { return Some(new) };
            let leaf = input.leaf(space, var);
            if matches!(leaf.kind, LeafKind::Pointer { .. } | LeafKind::Selector { .. }) {
                if value != before {
                    return None;
                }
                continue;
            }
            if value != input.cell(var) && !leaf.allows(value) {
                return None;
            }
            *new.cell_mut(var) = value;
        }
    }
    Some(new)
}
