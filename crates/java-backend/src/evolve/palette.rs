//! What tests of a class are made of, and how one becomes another.

use super::dictionary::Dictionary;
use super::genome::Genome;
use crate::pool::{Pool, Recipe, package_of};
use input::Rng;
use java_classfile::Type;
use java_frontend::{Hierarchy, Parameter, Sequences, Statement};
use java_wire::{Action, Argument, Slot, Step};
use sequence::{InvokableId, Role, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// Steps of a test in the making.
const LONGEST: usize = 40;
/// Steps of a test that is made from nothing, without what they need.
const FIRST: usize = 12;
/// How often a step is taken again at once.
const REPEATED: usize = 6;
/// How deep what is needed for what is needed goes.
const DEPTH: u32 = 4;
/// What is tried to make an object, before there is none.
const SOURCES: u32 = 3;
/// Most that is put into a collection when it is made.
const FILLED: usize = 3;
/// Objects that are remembered as tests have left them.
const LEFT: usize = 64;

/// Where objects come from beside statements, and what fits where.
#[derive(Clone, Copy)]
pub(crate) struct Objects<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) pool: &'a Pool,
    /// Tests stand in it.
    pub(crate) package: &'a str,
    /// References may be null.
    pub(crate) nulls: bool,
}

/// Statements, objects and values.
pub(crate) struct Palette<'a> {
    sequences: &'a Sequences,
    objects: Objects<'a>,
    dictionary: Dictionary,
    /// Statements by what they do, and with what: arrays of two lengths do the same, and so does whatever puts a text or a number into a list.
    ids: HashMap<(&'a Action, Vec<Option<Slot>>), InvokableId>,
    /// Statements that put something of a known type into what they work on, by what they do, and with what.
    fillers: HashMap<(&'a Action, Vec<Option<Slot>>), Vec<InvokableId>>,
    /// What recipes do beside these statements, if nobody else sees it.
    calm: HashSet<&'a Action>,
    /// By statement and place for an object: the statements that make one.
    makers: Vec<Vec<Vec<InvokableId>>>,
    /// Objects as tests of this search have left them, the latest last.
    left: VecDeque<Recipe>,
    /// By type: what is in the pool or was left for it.
    recipes: RefCell<HashMap<Type, Rc<[Recipe]>>>,
    /// By type: what gives an object that may be of it.
    casts: RefCell<HashMap<Type, Rc<[InvokableId]>>>,
    /// What tests are for.
    targets: Vec<InvokableId>,
    /// Those of them that something is left to reach through.
    wanted: Vec<InvokableId>,
    /// What may come before.
    others: Vec<InvokableId>,
}

/// Something that is put into a place for an object.
enum Source {
    Statement(InvokableId),
    Recipe(Recipe),
}

impl<'a> Palette<'a> {
    /// For tests of these methods, by their symbols.
    pub(crate) fn new(
        sequences: &'a Sequences,
        objects: Objects<'a>,
        dictionary: Dictionary,
        targets: &[&str],
    ) -> Palette<'a> {
        let is_target = |statement: &Statement| {
            let is_call = matches!(statement.action, Action::Construct { .. } | Action::Invoke { .. });
            is_call && targets.contains(&statement.symbol.as_str())
        };
        let all = || sequences.statements();
        let targets: Vec<InvokableId> =
            all().filter(|(_, statement)| is_target(statement)).map(|(id, _)| id).collect();
        Palette {
            sequences,
            objects,
            dictionary,
            ids: all().map(|(id, s)| ((&s.action, kinds(s)), id)).collect(),
            fillers: fillers(sequences),
            calm: objects.pool.calm_actions().collect(),
            makers: all().map(|(id, _)| makers(sequences, id)).collect(),
            left: VecDeque::new(),
            recipes: RefCell::default(),
            casts: RefCell::default(),
            wanted: targets.clone(),
            targets,
            others: all().map(|(id, _)| id).filter(|&id| sequences.universe.is_allowed(id)).collect(),
        }
    }

    /// The values that the code names.
    pub(crate) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    fn id(&self, genome: &Genome, step: &Step) -> Option<InvokableId> {
        self.ids.get(&(&step.action, genome.kinds(step))).copied()
    }

    /// The statement that a step of a test is, if it is one of these.
    pub(crate) fn statement(&self, genome: &Genome, step: &Step) -> Option<&'a Statement> {
        self.sequences.statement(self.id(genome, step)?)
    }

    /// Whether some step of a test reads or writes what other runs can see.
    pub(crate) fn is_shared(&self, genome: &Genome) -> bool {
        genome.script.steps.iter().any(|step| match self.statement(genome, step) {
            Some(statement) => statement.is_shared,
            None => !self.calm.contains(&step.action),
        })
    }

    /// From now on new tests end with calls of these methods, by their symbols; if it is none, with any.
    pub(crate) fn want(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let symbol = |id: &InvokableId| self.sequences.statement(*id).map(|s| s.symbol.as_str());
        let wanted = self.targets.iter().filter(|id| symbol(id).is_some_and(&is_wanted)).copied();
        self.wanted = wanted.collect();
        if self.wanted.is_empty() {
            self.wanted.clone_from(&self.targets);
        }
    }

    /// A method to end a test with.
    fn target(&self, rng: &mut Rng) -> InvokableId {
        self.wanted[rng.usize(..self.wanted.len())]
    }

    /// A test from nothing: some statements, and one that tests are for.
    pub(crate) fn random(&self, rng: &mut Rng) -> Option<Genome> {
        let mut genome = Genome::default();
        let target = self.target(rng);
        self.place(&mut genome, 0, target, DEPTH, rng)?;
        for _ in 0..rng.usize(..FIRST) {
            let (at, id) = (genome.len(), self.any(rng));
            self.place(&mut genome, at, id, DEPTH - 1, rng);
        }
        let (at, target) = (genome.len(), self.target(rng));
        self.place(&mut genome, at, target, DEPTH, rng);
        Some(genome)
    }

    /// A test with so many changes. One that would become too long, or would lose its end, stays as it is.
    pub(crate) fn changed(&self, genome: &Genome, changes: u32, rng: &mut Rng) -> Genome {
        let mut changed = genome.clone();
        for _ in 0..changes {
            if let Some(next) = self.change(&changed, rng) {
                changed = next;
            }
        }
        changed
    }

    fn change(&self, genome: &Genome, rng: &mut Rng) -> Option<Genome> {
        let mut changed = genome.clone();
        match rng.u8(..) {
            // Before the end, so that the step that came near to something is near it with another past.
            0..90 if genome.len() < LONGEST => {
                let last = genome.len().saturating_sub(1);
                let at = if rng.bool() { last } else { rng.usize(..=last) };
                self.place(&mut changed, at, self.any(rng), DEPTH - 1, rng)?;
            }
            90..120 if genome.len() < LONGEST => {
                let target = self.target(rng);
                self.place(&mut changed, genome.len(), target, DEPTH - 1, rng)?;
            }
            // Containers are filled by doing the same again and again.
            120..140 if genome.len() + REPEATED < LONGEST => self.repeat(&mut changed, rng),
            140..170 => return genome.without(rng.usize(..genome.len())),
            170..190 => self.other_object(&mut changed, rng)?,
            190..210 => return self.graft(genome, rng),
            _ if !genome.values.is_empty() => {
                let at = rng.usize(..genome.values.len());
                changed.values[at] = self.dictionary.near(
                    genome.script.slots[at],
                    &genome.values[at],
                    self.objects.nulls,
                    rng,
                );
            }
            _ => return None,
        }
        Some(changed)
    }

    fn any(&self, rng: &mut Rng) -> InvokableId {
        let from = if self.others.is_empty() || rng.bool() { &self.targets } else { &self.others };
        from[rng.usize(..from.len())]
    }

    /// Puts a statement before the step at a place, and before it whatever it needs. Where it is then; `None` if nothing makes its
    /// receiver.
    fn place(
        &self,
        genome: &mut Genome,
        at: usize,
        id: InvokableId,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<usize> {
        self.place_on(genome, at, (id, None), depth, rng)
    }

    /// The same, on what an earlier step gives if that is said.
    fn place_on(
        &self,
        genome: &mut Genome,
        at: usize,
        (id, receiver): (InvokableId, Option<usize>),
        depth: u32,
        rng: &mut Rng,
    ) -> Option<usize> {
        let statement = self.sequences.statement(id)?;
        let types = statement.action.takes(statement.arguments.len());
        let mut arguments = Vec::new();
        let (mut at, mut place) = (at, 0);
        for (parameter, ty) in statement.arguments.iter().zip(&types) {
            arguments.push(match (parameter, receiver) {
                (Parameter::Object(Role::Receiver), Some(receiver)) => {
                    place += 1;
                    Argument::Result(receiver as u32)
                }
                (Parameter::Value(slot), _) => {
                    let value = self.dictionary.value(*slot, self.objects.nulls, rng);
                    genome.add_value(*slot, value)
                }
                (Parameter::Object(role), _) => {
                    let (argument, next) = self.object(genome, at, (id, place, ty), *role, depth, rng)?;
                    (at, place) = (next, place + 1);
                    argument
                }
            });
        }
        genome.insert(at, Step { action: statement.action.clone(), arguments });
        Some(at)
    }

    /// An object for a place of a statement that is going to stand here, and where it stands after what was put before it.
    fn object(
        &self,
        genome: &mut Genome,
        at: usize,
        place: (InvokableId, usize, &Type),
        role: Role,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<(Argument, usize)> {
        let is_receiver = role == Role::Receiver;
        let fitting = self.fitting(genome, at, place);
        let choice = rng.u8(..);
        match fitting.as_slice() {
            _ if !is_receiver && self.objects.nulls && choice < 16 => return Some((Argument::Null, at)),
            // Objects get a history if the same is used again and again. What they are given may as well differ.
            [first, ..] if choice < 150 && is_receiver => return Some((Argument::Result(*first), at)),
            [_, ..] if choice < 200 || depth == 0 => {
                return Some((Argument::Result(fitting[rng.usize(..fitting.len())]), at));
            }
            _ => {}
        }
        let castable = if rng.bool() { self.castable(genome, at, place.2) } else { Vec::new() };
        if !castable.is_empty() {
            return Some((Argument::Result(castable[rng.usize(..castable.len())]), at));
        }
        // What makes one may need what nothing makes here.
        let tries = if depth > 0 { SOURCES } else { 0 };
        for _ in 0..tries {
            let Some(source) = self.source(genome, at, place, rng) else { break };
            let before = genome.len();
            let made = match source {
                Source::Statement(maker) => {
                    let made = self.place(genome, at, maker, depth - 1, rng);
                    made.inspect(|&made| self.fill(genome, made, place, depth - 1, rng))
                }
                Source::Recipe(recipe) => {
                    Some((genome.splice(at, recipe.script(), recipe.values()) + recipe.result()) as usize)
                }
            };
            if let Some(made) = made {
                return Some((Argument::Result(made as u32), at + genome.len() - before));
            }
        }
        (!is_receiver && self.objects.nulls).then_some((Argument::Null, at))
    }

    /// Puts something into a collection that a step gives and that is for a place, if what it is to hold is known there: few methods do much
    /// with an empty one.
    fn fill(
        &self,
        genome: &mut Genome,
        made: usize,
        (id, place, _): (InvokableId, usize, &Type),
        depth: u32,
        rng: &mut Rng,
    ) {
        let universe = &self.sequences.universe;
        let slot = |id: InvokableId, place: usize| universe.get(id).and_then(|i| i.slots.get(place));
        let Some(wanted) = slot(id, place).filter(|slot| self.sequences.is_generic(slot.of)) else { return };
        let Some(maker) = self.id(genome, &genome.script.steps[made]) else { return };
        let Some(class) = universe.get(maker).and_then(|maker| maker.returns) else { return };
        let fills = |filler: &InvokableId| {
            slot(*filler, 0).is_some_and(|receiver| {
                universe.fits(maker, class, receiver) && self.sequences.agree(receiver.of, wanted.of)
            })
        };
        let fillers: Vec<InvokableId> = self
            .fillers
            .values()
            .flatten()
            .copied()
            .filter(fills)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        if fillers.is_empty() {
            return;
        }
        for _ in 0..rng.usize(..=FILLED) {
            let filler = fillers[rng.usize(..fillers.len())];
            if self.place_on(genome, made + 1, (filler, Some(made)), depth, rng).is_none() {
                return;
            }
        }
    }

    /// What makes an object for a place.
    ///
    /// Objects often matter only together: a monster of the game that is there, and not just any. So every other time what is there is
    /// asked for one.
    fn source(
        &self,
        genome: &Genome,
        at: usize,
        (id, place, ty): (InvokableId, usize, &Type),
        rng: &mut Rng,
    ) -> Option<Source> {
        let makers = self.makers.get(usize::try_from(id.0).ok()?)?.get(place)?;
        if rng.bool() {
            let casts = self.casts(ty);
            let near: Vec<InvokableId> = makers
                .iter()
                .chain(&*casts)
                .copied()
                .filter(|&maker| self.is_near(genome, at, maker))
                .collect();
            if !near.is_empty() {
                return Some(Source::Statement(near[rng.usize(..near.len())]));
            }
        }
        let slot = self.sequences.universe.get(id).and_then(|invokable| invokable.slots.get(place));
        let also = slot.map_or(&[][..], |slot| self.sequences.also(slot.of));
        let recipes = self.recipes(ty);
        let takes_recipe = !recipes.is_empty() && (makers.is_empty() || rng.bool());
        if takes_recipe {
            let recipe = &recipes[rng.usize(..recipes.len())];
            let made = Type::Object(recipe.class.clone());
            if also.iter().all(|bound| self.objects.hierarchy.is_assignable(&made, bound)) {
                return Some(Source::Recipe(recipe.clone()));
            }
        }
        (!makers.is_empty()).then(|| Source::Statement(makers[rng.usize(..makers.len())]))
    }

    /// Whether a statement can work on something that is there.
    fn is_near(&self, genome: &Genome, at: usize, id: InvokableId) -> bool {
        let Some(statement) = self.sequences.statement(id) else { return false };
        let types = statement.action.takes(statement.arguments.len());
        let objects = statement.arguments.iter().zip(&types);
        let objects = objects.filter(|(parameter, _)| matches!(parameter, Parameter::Object(_)));
        objects.enumerate().any(|(place, (_, ty))| !self.fitting(genome, at, (id, place, ty)).is_empty())
    }

    /// Statements that give something which may be of a type, though nobody promises that, looked for once.
    fn casts(&self, ty: &Type) -> Rc<[InvokableId]> {
        let mut known = self.casts.borrow_mut();
        if let Some(casts) = known.get(ty) {
            return Rc::clone(casts);
        }
        let is_own =
            |made: &Type| matches!(made, Type::Object(class) if self.objects.hierarchy.own(class).is_some());
        let may_be = |statement: &Statement| {
            matches!(statement.action, Action::Invoke { .. } | Action::Load { .. })
                && statement.returns.as_ref().is_some_and(|made| {
                    made != ty && is_own(made) && self.objects.hierarchy.is_assignable(ty, made)
                })
        };
        let casts = self.sequences.statements().filter(|(_, statement)| may_be(statement));
        let casts: Rc<[InvokableId]> = casts.map(|(id, _)| id).collect();
        known.insert(ty.clone(), Rc::clone(&casts));
        casts
    }

    /// Recipes for objects of a type, looked for once.
    fn recipes(&self, ty: &Type) -> Rc<[Recipe]> {
        let mut known = self.recipes.borrow_mut();
        if let Some(recipes) = known.get(ty) {
            return Rc::clone(recipes);
        }
        let objects = self.objects;
        let fits =
            |recipe: &&Recipe| objects.hierarchy.is_assignable(&Type::Object(recipe.class.clone()), ty);
        let made = objects.pool.fitting(ty, objects.package, objects.hierarchy).into_iter();
        let recipes: Rc<[Recipe]> = made.chain(self.left.iter().filter(fits)).cloned().collect();
        known.insert(ty.clone(), Rc::clone(&recipes));
        recipes
    }

    /// Remembers what a test that returned has called its last method on, in the state that this left it in.
    pub(crate) fn remember(&mut self, genome: &Genome) {
        let Some(Step { action: Action::Invoke { class, is_static: false, .. }, arguments }) =
            genome.script.steps.last()
        else {
            return;
        };
        let Some(Argument::Result(receiver)) = arguments.first() else { return };
        if package_of(class) != self.objects.package {
            return;
        }
        let left = Recipe::new(class.clone(), genome.script.clone(), &genome.values, *receiver);
        self.left.push_back(left);
        self.left.drain(..self.left.len().saturating_sub(LEFT));
        self.recipes.borrow_mut().clear();
    }

    /// Lets a test go on with an object that another test has left in a state of its own: crossover, at the object where both tests can be
    /// cut (P. Tonella, "Evolutionary Testing of Classes", 2004, cuts anywhere and repairs what then lacks an object).
    fn graft(&self, genome: &Genome, rng: &mut Rng) -> Option<Genome> {
        let used = genome.script.steps.iter().flat_map(|step| &step.arguments);
        let used: BTreeSet<u32> = used
            .filter_map(|argument| match argument {
                Argument::Result(of) => Some(*of),
                Argument::Null | Argument::Slot(_) => None,
            })
            .collect();
        let used: Vec<u32> = used.into_iter().collect();
        if used.is_empty() {
            return None;
        }
        let old = used[rng.usize(..used.len())] as usize;
        let ty = genome.script.steps[old].action.result()?;
        let recipes = self.recipes(&ty);
        if recipes.is_empty() {
            return None;
        }
        let recipe = &recipes[rng.usize(..recipes.len())];
        if genome.len() + recipe.script().steps.len() > LONGEST {
            return None;
        }
        genome.grafted(old, recipe.script(), recipe.values(), recipe.result())
    }

    /// Steps before this one whose results fit a place.
    fn fitting(&self, genome: &Genome, at: usize, (id, place, ty): (InvokableId, usize, &Type)) -> Vec<u32> {
        let universe = &self.sequences.universe;
        let Some(slot) = universe.get(id).and_then(|invokable| invokable.slots.get(place)) else {
            return Vec::new();
        };
        let fits = |step: &Step| match self.id(genome, step) {
            Some(producer) => universe
                .get(producer)
                .and_then(|producer| producer.returns)
                .is_some_and(|class| universe.fits(producer, class, slot)),
            // From a recipe of others.
            None => step.action.result().is_some_and(|made| {
                Slot::of(&made).is_none()
                    && made.is_reference()
                    && self.objects.hierarchy.is_assignable(&made, ty)
            }),
        };
        let fitting =
            (0..).zip(&genome.script.steps[..at]).filter(|(_, step)| fits(step)).map(|(step, _)| step);
        fitting.filter(|&step| self.is_filled_for(genome, step, slot.of)).collect()
    }

    /// Whether nothing else was put into what a step gives than what may be there where a type is wanted.
    fn is_filled_for(&self, genome: &Genome, step: u32, wanted: TypeId) -> bool {
        let universe = &self.sequences.universe;
        let behind = genome.script.steps.iter().skip(step as usize + 1);
        let mut on_it = behind.filter(|other| other.arguments.first() == Some(&Argument::Result(step)));
        on_it.all(|other| match self.fillers.get(&(&other.action, genome.kinds(other))) {
            Some(fillers) => fillers.iter().any(|&filler| {
                let receiver = universe.get(filler).and_then(|filler| filler.slots.first());
                receiver.is_some_and(|receiver| self.sequences.agree(receiver.of, wanted))
            }),
            None => true,
        })
    }

    /// Takes a step a few times more, with other values.
    fn repeat(&self, genome: &mut Genome, rng: &mut Rng) {
        let at = rng.usize(..genome.len());
        for _ in 0..rng.usize(1..=REPEATED) {
            let mut again = genome.script.steps[at].clone();
            for argument in &mut again.arguments {
                if let Argument::Slot(slot) = *argument {
                    let (kind, value) = (genome.script.slots[slot as usize], &genome.values[slot as usize]);
                    let value = self.dictionary.near(kind, value, self.objects.nulls, rng);
                    *argument = genome.add_value(kind, value);
                }
            }
            // Before the original: what works on its result goes on to do so.
            genome.insert(at, again);
        }
    }

    /// Steps before this one whose results may be of a type, though nobody promises that: a test casts them.
    fn castable(&self, genome: &Genome, at: usize, ty: &Type) -> Vec<u32> {
        let may_be = |step: &Step| {
            let result = step.action.result().filter(|made| Slot::of(made).is_none() && made.is_reference());
            let is_made = !matches!(step.action, Action::Invoke { .. } | Action::Load { .. });
            !is_made
                && result.is_some_and(|made| made != *ty && self.objects.hierarchy.is_assignable(ty, &made))
        };
        (0..).zip(&genome.script.steps[..at]).filter(|(_, step)| may_be(step)).map(|(step, _)| step).collect()
    }

    /// Lets a step work on another object.
    fn other_object(&self, genome: &mut Genome, rng: &mut Rng) -> Option<()> {
        let at = rng.usize(..genome.len());
        let id = self.id(genome, &genome.script.steps[at])?;
        let statement = self.sequences.statement(id)?;
        let is_object = |(_, parameter): &(usize, &Parameter)| matches!(parameter, Parameter::Object(_));
        let places: Vec<usize> =
            statement.arguments.iter().enumerate().filter(is_object).map(|(number, _)| number).collect();
        if places.is_empty() {
            return None;
        }
        let place = rng.usize(..places.len());
        let Parameter::Object(role) = statement.arguments[places[place]] else { return None };
        let ty = &statement.action.takes(statement.arguments.len())[places[place]];
        let (argument, now) = self.object(genome, at, (id, place, ty), role, DEPTH - 1, rng)?;
        genome.script.steps[now].arguments[places[place]] = argument;
        Some(())
    }
}

/// By argument: what values it comes from, if it is no object.
fn kinds(statement: &Statement) -> Vec<Option<Slot>> {
    let kind = |parameter: &Parameter| match parameter {
        Parameter::Value(slot) => Some(*slot),
        Parameter::Object(_) => None,
    };
    statement.arguments.iter().map(kind).collect()
}

fn fillers(sequences: &Sequences) -> HashMap<(&Action, Vec<Option<Slot>>), Vec<InvokableId>> {
    let mut fillers: HashMap<_, Vec<InvokableId>> = HashMap::new();
    for (id, statement) in sequences.statements().filter(|(_, statement)| statement.fills) {
        fillers.entry((&statement.action, kinds(statement))).or_default().push(id);
    }
    fillers
}

/// By place for an object: what makes one.
fn makers(sequences: &Sequences, id: InvokableId) -> Vec<Vec<InvokableId>> {
    let universe = &sequences.universe;
    let slots = universe.get(id).map_or(&[][..], |invokable| &invokable.slots);
    let of = |slot: &sequence::Slot| {
        let makes = |id: &InvokableId| {
            universe.get(*id).and_then(|i| i.returns).is_some_and(|class| universe.fits(*id, class, slot))
        };
        sequences.statements().map(|(id, _)| id).filter(makes).collect()
    };
    slots.iter().map(of).collect()
}
