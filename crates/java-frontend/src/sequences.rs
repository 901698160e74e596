//! The universe of call sequences for one method under test, and the way back from candidates to scripts.
//!
//! Of all statements that tests may use, those are taken that can matter: what makes an object for a place of a statement that is in, and
//! what defines something that one uses, the nearest to the method under test first.

use crate::calls::Callees;
use crate::declare::build;
use crate::facts::package;
use crate::options::Options;
use crate::places::Place;
use crate::sets::Set;
use crate::statements::{Demand, Draft, Knowledge, Offers, Wanted};
use crate::uncallable::Uncallable;
use java_classfile::Type;
use java_wire::{Action, Slot};
use sequence::{Id, InvokableId, Role, TypeId, Universe, UniverseError};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use thiserror::Error;

/// Why there are no sequences for a method.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SequenceError {
    /// Tests cannot call it: it does not exist, or is private, abstract, or in a class without a name.
    #[error("tests cannot call {0}: {1}")]
    NotCallable(String, Uncallable),
    /// The declarations do not fit together, which is a mistake of ours.
    #[error(transparent)]
    Universe(#[from] UniverseError),
}

/// A statement that sequences are made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Its name: `a/B.m(I)V`.
    pub symbol: String,
    /// What it does.
    pub action: Action,
    /// What it takes, in order: values, or the next object.
    pub arguments: Vec<Parameter>,
    /// The object that it leaves.
    pub returns: Option<Type>,
    /// It reads or writes static fields that may change: what it does may hang on what was done before, by others too.
    pub is_shared: bool,
}

/// An argument of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A value.
    Value(Slot),
    /// An object; those of a statement are its slots in the universe, in order.
    Object(Role),
}

/// All that tests in one package may be made of.
pub struct Catalogue<'a> {
    offers: Offers<'a>,
    own: Vec<Draft>,
}

impl<'a> Catalogue<'a> {
    /// For tests in a package, with slashes.
    #[must_use]
    pub fn new(knowledge: Knowledge<'a>, package: &'a str, options: &'a Options) -> Catalogue<'a> {
        let callees = Callees::new(knowledge.methods, knowledge.hierarchy);
        let mut offers = Offers { knowledge, options, package, callees };
        let own = offers.all();
        Catalogue { offers, own }
    }

    /// The sequences for the method or constructor with this symbol.
    pub fn sequences(&self, target: &str) -> Result<Sequences, SequenceError> {
        let is_call = |action: &Action| matches!(action, Action::Construct { .. } | Action::Invoke { .. });
        let is_target = |draft: &Draft| draft.symbol == target && is_call(&draft.action);
        let missing = || SequenceError::NotCallable(target.to_owned(), self.offers.why_not(target));
        let first = self.own.iter().position(is_target).ok_or_else(missing)?;
        let mut choice = Choice::new(&self.offers, self.own.clone(), self.elements(target));
        choice.run(first);
        // The own statements come first and in their order, so that ids do not depend on the way they were found.
        let chosen: Vec<usize> = choice.chosen.iter().copied().collect();
        let drafts: Vec<&Draft> = chosen.iter().map(|at| &choice.drafts[*at]).collect();
        let place = chosen.iter().position(|at| *at == first).ok_or_else(missing)?;
        let (universe, types) = build(self.offers.knowledge, self.offers.options, &drafts, place)?;
        Ok(Sequences {
            universe,
            target: InvokableId::new(place),
            is_cut: choice.is_cut,
            statements: drafts.iter().map(|draft| statement(draft, self.offers.knowledge)).collect(),
            observers: self.own.iter().filter(|draft| self.may_observe(draft)).map(observer).collect(),
            types,
        })
    }

    fn may_observe(&self, draft: &Draft) -> bool {
        draft.observes && self.offers.allows(&draft.symbol)
    }

    /// What is put into collections: types that the method under test looks for.
    fn elements(&self, target: &str) -> Vec<Type> {
        let entry = self.offers.knowledge.classes.iter().find(|entry| entry.name == class_of(target));
        let Some(entry) = entry else { return Vec::new() };
        let is_it = |m: &&java_classfile::Method| target.ends_with(&format!(".{}{}", m.name, m.descriptor));
        let method = entry.class.methods.iter().find(is_it);
        self.offers.tried(entry, method.and_then(|method| method.code.as_ref()))
    }
}

/// The class in a symbol.
fn class_of(symbol: &str) -> &str {
    symbol.split('.').next().unwrap_or(symbol)
}

/// Sequences for one method under test.
pub struct Sequences {
    /// What they are made of.
    pub universe: Universe,
    /// The method under test.
    pub target: InvokableId,
    /// More statements could matter than the options allow.
    pub is_cut: bool,
    pub(crate) statements: Vec<Statement>,
    /// Looks at objects of a class: its name, and a call that changes nothing.
    pub(crate) observers: Vec<(String, Action)>,
    types: BTreeMap<Demand, TypeId>,
}

impl Sequences {
    /// For the method or constructor with this symbol, `a/B.m(I)V`. For several of one package, use a [`Catalogue`].
    pub fn new(
        knowledge: Knowledge<'_>,
        target: &str,
        options: &Options,
    ) -> Result<Sequences, SequenceError> {
        Catalogue::new(knowledge, package(class_of(target)), options).sequences(target)
    }

    /// The statement behind an invokable.
    #[must_use]
    pub fn statement(&self, id: InvokableId) -> Option<&Statement> {
        self.statements.get(id.index())
    }

    /// All statements with their ids.
    pub fn statements(&self) -> impl Iterator<Item = (InvokableId, &Statement)> {
        self.statements.iter().enumerate().map(|(at, statement)| (InvokableId::new(at), statement))
    }

    /// The id of a type that some statement takes or gives.
    #[must_use]
    pub fn type_id(&self, ty: &Type) -> Option<TypeId> {
        self.types.get(&Demand::Type(ty.clone())).copied()
    }
}

/// The statements that can matter, found breadth first.
struct Choice<'o, 'a> {
    offers: &'o Offers<'a>,
    drafts: Vec<Draft>,
    elements: Vec<Type>,
    chosen: BTreeSet<usize>,
    queue: VecDeque<usize>,
    asked: BTreeSet<Type>,
    used: Set,
    loaded: Set,
    is_cut: bool,
}

impl<'o, 'a> Choice<'o, 'a> {
    fn new(offers: &'o Offers<'a>, drafts: Vec<Draft>, elements: Vec<Type>) -> Choice<'o, 'a> {
        Choice {
            offers,
            drafts,
            elements,
            chosen: BTreeSet::new(),
            queue: VecDeque::new(),
            asked: BTreeSet::new(),
            used: Set::default(),
            loaded: Set::default(),
            is_cut: false,
        }
    }

    fn run(&mut self, first: usize) {
        self.chosen.insert(first);
        self.queue.push_back(first);
        while let Some(next) = self.queue.pop_front() {
            let draft = self.drafts[next].clone();
            for wanted in &draft.arguments {
                if let Wanted::Object { of, .. } = wanted {
                    of.types().iter().for_each(|ty| self.ask(ty));
                }
            }
            let new = |all: &Set, known: &Set| {
                all.iter().filter(|number| !known.contains(*number)).collect::<Vec<u32>>()
            };
            let (places, arrays) =
                (new(&draft.effects.uses, &self.used), new(&draft.effects.loads, &self.loaded));
            self.used.extend(places.iter().copied());
            self.loaded.extend(arrays.iter().copied());
            self.choose(|draft| {
                let effects = &draft.effects;
                places.iter().any(|p| effects.defines.contains(*p))
                    || arrays.iter().any(|a| effects.stores.contains(*a))
            });
        }
    }

    /// Chooses what makes objects of a type.
    fn ask(&mut self, ty: &Type) {
        if !self.asked.insert(ty.clone()) {
            return;
        }
        let hierarchy = self.offers.knowledge.hierarchy;
        let makes =
            |draft: &Draft| draft.returns.as_ref().is_some_and(|made| hierarchy.is_assignable(made, ty));
        let made = self.drafts.iter().any(makes);
        for draft in self.offers.foreign(ty, made, &self.elements) {
            if !self.drafts.iter().any(|other| other.symbol == draft.symbol) {
                self.drafts.push(draft);
            }
        }
        self.choose(makes);
    }

    fn choose(&mut self, matters: impl Fn(&Draft) -> bool) {
        for at in 0..self.drafts.len() {
            let draft = &self.drafts[at];
            if self.chosen.contains(&at) || !self.offers.allows(&draft.symbol) || !matters(draft) {
                continue;
            }
            if self.chosen.len() >= self.offers.options.most {
                self.is_cut = true;
                return;
            }
            self.chosen.insert(at);
            self.queue.push_back(at);
        }
    }
}

fn observer(draft: &Draft) -> (String, Action) {
    (class_of(&draft.symbol).to_owned(), draft.action.clone())
}

fn statement(draft: &Draft, knowledge: Knowledge<'_>) -> Statement {
    let parameter = |wanted: &Wanted| match wanted {
        Wanted::Value(slot) => Parameter::Value(*slot),
        Wanted::Object { role, .. } => Parameter::Object(*role),
    };
    Statement {
        symbol: draft.symbol.clone(),
        action: draft.action.clone(),
        arguments: draft.arguments.iter().map(parameter).collect(),
        returns: draft.returns.clone(),
        is_shared: draft.effects.uses.iter().chain(draft.effects.defines.iter()).any(|place| {
            let place = knowledge.summaries.places().get(place);
            matches!(place, Some(Place::Field { is_static: true, .. }))
        }),
    }
}
