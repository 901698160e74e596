//! The universe of call sequences for one method under test, and the way back from candidates to scripts.
//!
//! Of all statements that tests may use, those are taken that can matter: what makes an object for a place of a statement that is in, and
//! what defines something that one uses, the nearest to the method under test first.

use crate::calls::Callees;
use crate::facts::package;
use crate::options::{Options, names};
use crate::sets::Set;
use crate::statements::{Demand, Draft, Knowledge, Offers, Wanted};
use java_classfile::Type;
use java_wire::{Action, Slot};
use sequence::{
    ArrayTypeId, FieldId, Id, Invokable, InvokableId, Role, TypeId, Universe, UniverseBuilder, UniverseError,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use thiserror::Error;

/// Why there are no sequences for a method.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SequenceError {
    /// Tests cannot call it: it does not exist, or is private, abstract, or in a class without a name.
    #[error("tests cannot call {0}")]
    NotCallable(String),
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
}

/// An argument of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A value.
    Value(Slot),
    /// An object; those of a statement are its slots in the universe, in order.
    Object(Role),
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
    /// For the method or constructor with this symbol, `a/B.m(I)V`.
    pub fn new(
        knowledge: Knowledge<'_>,
        target: &str,
        options: &Options,
    ) -> Result<Sequences, SequenceError> {
        let class = target.split('.').next().unwrap_or(target);
        let callees = Callees::new(knowledge.methods, knowledge.hierarchy);
        let mut offers = Offers { knowledge, options, package: package(class), callees };
        let own = offers.all();
        let is_target = |draft: &Draft| {
            draft.symbol == target && matches!(draft.action, Action::Construct { .. } | Action::Invoke { .. })
        };
        let missing = || SequenceError::NotCallable(target.to_owned());
        let first = own.iter().position(is_target).ok_or_else(missing)?;
        let observers = own.iter().filter(|draft| draft.observes).map(observer).collect();
        let code = knowledge.classes.iter().find(|entry| entry.name == class).map(|entry| {
            let method = entry
                .class
                .methods
                .iter()
                .find(|m| target.ends_with(&format!(".{}{}", m.name, m.descriptor)));
            offers.tried(entry, method.and_then(|method| method.code.as_ref()))
        });
        let mut choice = Choice {
            offers: &offers,
            elements: code.unwrap_or_default(),
            drafts: own,
            ..Choice::empty(&offers)
        };
        choice.run(first);
        let is_cut = choice.is_cut;
        let mut chosen: Vec<usize> = choice.chosen.iter().copied().collect();
        chosen.sort_unstable();
        let drafts: Vec<&Draft> = chosen.iter().map(|at| &choice.drafts[*at]).collect();
        let place = chosen.iter().position(|at| *at == first).ok_or_else(missing)?;
        let built = build(knowledge, options, &drafts, place)?;
        Ok(Sequences {
            universe: built.0,
            target: InvokableId::new(place),
            is_cut,
            statements: drafts.iter().map(|draft| statement(draft)).collect(),
            observers,
            types: built.1,
        })
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
    fn empty(offers: &'o Offers<'a>) -> Choice<'o, 'a> {
        Choice {
            offers,
            drafts: Vec::new(),
            elements: Vec::new(),
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
            if self.chosen.contains(&at) || !self.is_allowed(at) || !matters(&self.drafts[at]) {
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

    fn is_allowed(&self, at: usize) -> bool {
        let (options, symbol) = (self.offers.options, &self.drafts[at].symbol);
        let class = symbol.split('.').next().unwrap_or(symbol);
        let is_own = self.offers.knowledge.hierarchy.own(class).is_some();
        let listed = options.only.as_ref().is_none_or(|only| !is_own || names(only, symbol));
        listed && !names(&options.excluded, symbol)
    }
}

fn observer(draft: &Draft) -> (String, Action) {
    (draft.symbol.split('.').next().unwrap_or_default().to_owned(), draft.action.clone())
}

fn statement(draft: &Draft) -> Statement {
    let parameter = |wanted: &Wanted| match wanted {
        Wanted::Value(slot) => Parameter::Value(*slot),
        Wanted::Object { role, .. } => Parameter::Object(*role),
    };
    Statement {
        symbol: draft.symbol.clone(),
        action: draft.action.clone(),
        arguments: draft.arguments.iter().map(parameter).collect(),
        returns: draft.returns.clone(),
    }
}

type Built = (Universe, BTreeMap<Demand, TypeId>);

/// Declares types, fields and statements. Ids of statements are their places.
fn build(
    knowledge: Knowledge<'_>,
    options: &Options,
    drafts: &[&Draft],
    target: usize,
) -> Result<Built, UniverseError> {
    let mut builder = UniverseBuilder::new();
    let types = declare_types(&mut builder, knowledge, drafts);
    let fields = declare_fields(&mut builder, knowledge, drafts);
    let arrays: Vec<ArrayTypeId> =
        (0..crate::places::ArrayKind::COUNT).map(|_| builder.array_type()).collect();
    for draft in drafts {
        let mut invokable = Invokable::new(draft.kind);
        for wanted in &draft.arguments {
            let Wanted::Object { role, of } = wanted else { continue };
            invokable =
                if *role == Role::Receiver { invokable.on(types[of]) } else { invokable.takes(types[of]) };
        }
        invokable.returns = draft.returns.as_ref().map(|ty| types[&Demand::Type(ty.clone())]);
        draft.effects.defines.iter().for_each(|place| invokable.defines.insert(fields[&place]));
        draft.effects.uses.iter().for_each(|place| invokable.uses.insert(fields[&place]));
        draft.effects.stores.iter().for_each(|kind| invokable.stores.insert(arrays[kind as usize]));
        draft.effects.loads.iter().for_each(|kind| invokable.loads.insert(arrays[kind as usize]));
        builder.invokable(invokable);
    }
    if names(&options.excluded, &drafts[target].symbol) {
        builder.exclude(InvokableId::new(target));
    }
    for (class, producers) in &options.producers {
        let makers = drafts.iter().enumerate().filter(|(_, draft)| names(producers, &draft.symbol));
        let makers: Vec<InvokableId> = makers.map(|(at, _)| InvokableId::new(at)).collect();
        let is_it = |demand: &&Demand| match demand {
            Demand::Type(Type::Object(name)) => name == class,
            Demand::OneOf(_) => class == "java/lang/Object",
            Demand::Type(_) => false,
        };
        types.keys().filter(is_it).for_each(|demand| builder.only(types[demand], &makers));
    }
    Ok((builder.build()?, types))
}

fn declare_types(
    builder: &mut UniverseBuilder,
    knowledge: Knowledge<'_>,
    drafts: &[&Draft],
) -> BTreeMap<Demand, TypeId> {
    let mut demands = BTreeSet::new();
    for draft in drafts {
        demands.extend(draft.returns.iter().map(|ty| Demand::Type(ty.clone())));
        for wanted in &draft.arguments {
            let Wanted::Object { of, .. } = wanted else { continue };
            demands.extend(of.types().iter().map(|ty| Demand::Type(ty.clone())));
            demands.insert(of.clone());
        }
    }
    let types: BTreeMap<Demand, TypeId> =
        demands.into_iter().map(|demand| (demand, builder.reference_type())).collect();
    for (of, id) in &types {
        let Demand::Type(from) = of else { continue };
        for (to, supertype) in types.iter().filter(|(to, _)| *to != of) {
            let fits = match to {
                Demand::Type(to) => knowledge.hierarchy.is_assignable(from, to),
                Demand::OneOf(list) => list.contains(from),
            };
            if fits {
                builder.supertype(*id, *supertype);
            }
        }
    }
    types
}

fn declare_fields(
    builder: &mut UniverseBuilder,
    knowledge: Knowledge<'_>,
    drafts: &[&Draft],
) -> HashMap<u32, FieldId> {
    let mut fields = HashMap::new();
    for place in drafts.iter().flat_map(|draft| draft.effects.defines.iter().chain(draft.effects.uses.iter()))
    {
        let is_static = matches!(
            knowledge.summaries.places().get(place),
            Some(crate::places::Place::Field { is_static: true, .. })
        );
        fields
            .entry(place)
            .or_insert_with(|| if is_static { builder.static_field() } else { builder.field() });
    }
    fields
}
