//! The universe of call sequences for one method under test, and the way back from candidates to scripts.
//!
//! Of all statements that tests may use, those are taken that can matter: what makes an object for a place of a statement that is in, and
//! what defines something that one uses, the nearest to the method under test first.

use crate::calls::Callees;
use crate::declare::{Built, Types, build};
use crate::facts::package;
use crate::generics::Typed;
use crate::observers::Observers;
use crate::options::Options;
use crate::places::{ArrayKind, Place};
use crate::sets::Set;
use crate::statements::{Demand, Draft, Knowledge, Offers, Wanted};
use crate::uncallable::Uncallable;
use java_classfile::Type;
use java_classfile::instruction::ElementKind;
use java_wire::{Action, Slot};
use sequence::{ArrayTypeId, FieldId, Id, InvokableId, Kind, Role, TypeId, Universe, UniverseError};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
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
    /// Static fields that it may change and something tells of, by the numbers of their places.
    pub(crate) changes: Vec<u32>,
    /// It puts something of certain types into what it works on.
    pub fills: bool,
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
    observers: Arc<Observers>,
    index: Index,
}

/// The own statements by what they are good for, so that nobody has to look at all of them.
struct Index {
    /// By field: those that may define it.
    define: HashMap<u32, Vec<usize>>,
    /// By type of array: those that may store into one.
    store: HashMap<u32, Vec<usize>>,
    /// By type: those that give objects of it.
    make: BTreeMap<Type, Vec<usize>>,
}

impl Index {
    fn new(drafts: &[Draft]) -> Index {
        let mut index = Index { define: HashMap::new(), store: HashMap::new(), make: BTreeMap::new() };
        for (at, draft) in drafts.iter().enumerate() {
            for place in draft.effects.defines.iter() {
                index.define.entry(place).or_default().push(at);
            }
            for array in draft.effects.stores.iter() {
                index.store.entry(array).or_default().push(at);
            }
            if let Some(made) = &draft.returns {
                index.make.entry(made.clone()).or_default().push(at);
            }
        }
        index
    }
}

impl<'a> Catalogue<'a> {
    /// For tests in a package, with slashes.
    #[must_use]
    pub fn new(knowledge: Knowledge<'a>, package: &'a str, options: &'a Options) -> Catalogue<'a> {
        let callees = Callees::new(knowledge.methods, knowledge.hierarchy);
        let mut offers = Offers { knowledge, options, package, callees };
        let own = offers.all();
        let index = Index::new(&own);
        let observers = Arc::new(Observers::new(&offers, &own));
        Catalogue { offers, own, observers, index }
    }

    /// Whether tests can call the method or constructor with this symbol.
    #[must_use]
    pub fn is_callable(&self, target: &str) -> bool {
        self.places(target).next().is_some()
    }

    /// The statements that call it; the first takes values wherever it can.
    fn places(&self, target: &str) -> impl Iterator<Item = usize> {
        let is_call = |action: &Action| matches!(action, Action::Construct { .. } | Action::Invoke { .. });
        let is_it = move |draft: &Draft| draft.symbol == target && is_call(&draft.action);
        self.own.iter().enumerate().filter(move |(_, draft)| is_it(draft)).map(|(at, _)| at)
    }

    /// The sequences for the method or constructor with this symbol.
    pub fn sequences(&self, target: &str) -> Result<Sequences, SequenceError> {
        self.sequences_of(&[target])
    }

    /// Sequences in which any of these may be called, those that cannot be left out. The first of the others is their target.
    pub fn sequences_of(&self, targets: &[&str]) -> Result<Sequences, SequenceError> {
        let firsts: Vec<usize> = targets.iter().flat_map(|target| self.places(target)).collect();
        let target = targets.first().copied().unwrap_or_default();
        let missing = || SequenceError::NotCallable(target.to_owned(), self.offers.why_not(target));
        let first = *firsts.first().ok_or_else(missing)?;
        let elements: BTreeSet<Type> = targets.iter().flat_map(|target| self.elements(target)).collect();
        let mut choice = Choice::new(self, elements.into_iter().collect());
        choice.run(&firsts);
        // The own statements come first and in their order, so that ids do not depend on the way they were found.
        let chosen: Vec<usize> = choice.chosen.iter().copied().collect();
        let drafts: Vec<&Draft> = chosen.iter().map(|at| choice.draft(*at)).collect();
        let place = chosen.iter().position(|at| *at == first).ok_or_else(missing)?;
        let Built { universe, types, fields } =
            build(self.offers.knowledge, self.offers.options, &drafts, place)?;
        Ok(Sequences {
            universe,
            target: InvokableId::new(place),
            is_cut: choice.is_cut,
            statements: drafts
                .iter()
                .map(|draft| statement(draft, self.offers.knowledge, &self.observers))
                .collect(),
            observers: Arc::clone(&self.observers),
            types,
            fields,
        })
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
    /// What looks at objects and classes afterwards.
    pub(crate) observers: Arc<Observers>,
    types: Types,
    fields: BTreeMap<(String, String), FieldId>,
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

    /// Whether what one type of place holds may go where another type is wanted. Of most types it is not known what they hold.
    #[must_use]
    pub fn agree(&self, filled: TypeId, wanted: TypeId) -> bool {
        let (filled, wanted) = (self.types.held(filled), self.types.held(wanted));
        filled.is_empty() || wanted.is_empty() || Typed::agree(filled, wanted)
    }

    /// What an object for a type that is wanted must be besides: the further bounds of a type variable.
    #[must_use]
    pub fn also(&self, wanted: TypeId) -> &[Type] {
        self.types.also(wanted)
    }

    /// Whether a type that is wanted says what is in it.
    #[must_use]
    pub fn is_generic(&self, wanted: TypeId) -> bool {
        !self.types.held(wanted).is_empty()
    }

    /// The id of a type that some statement takes.
    #[must_use]
    pub fn type_id(&self, ty: &Type) -> Option<TypeId> {
        self.types.wanted.get(&Demand::Type(ty.clone())).copied()
    }

    /// The id of a field of objects, by the class that declares it, if some statement may define or use it.
    #[must_use]
    pub fn field_id(&self, class: &str, name: &str) -> Option<FieldId> {
        self.fields.get(&(class.to_owned(), name.to_owned())).copied()
    }

    /// The id of the arrays with such elements.
    #[must_use]
    pub fn array_id(kind: ElementKind) -> ArrayTypeId {
        ArrayTypeId(ArrayKind::of_kind(kind).number())
    }
}

/// How much farther away from what is under test a statement is that makes an argument, and one that defines what is used. Without
/// arguments nothing can be called, so what makes them goes first: in large packages there are more statements that store into some array of
/// bytes than there is room for.
const MAKER: u32 = 1;
const DEFINER: u32 = 3;

/// The statements that can matter, the nearest first.
struct Choice<'c, 'a> {
    catalogue: &'c Catalogue<'a>,
    /// Those that are not of own classes; their numbers follow on those of the own ones.
    foreign: Vec<Draft>,
    elements: Vec<Type>,
    chosen: BTreeSet<usize>,
    /// Those that were chosen or wait for their turn.
    known: BTreeSet<usize>,
    /// Those whose turn is to come, by how many steps they are away from what is under test.
    queue: BTreeMap<u32, VecDeque<usize>>,
    asked: BTreeSet<Typed>,
    used: Set,
    loaded: Set,
    is_cut: bool,
}

impl<'c, 'a> Choice<'c, 'a> {
    fn new(catalogue: &'c Catalogue<'a>, elements: Vec<Type>) -> Choice<'c, 'a> {
        Choice {
            catalogue,
            foreign: Vec::new(),
            elements,
            chosen: BTreeSet::new(),
            known: BTreeSet::new(),
            queue: BTreeMap::new(),
            asked: BTreeSet::new(),
            used: Set::default(),
            loaded: Set::default(),
            is_cut: false,
        }
    }

    fn draft(&self, at: usize) -> &Draft {
        let own = &self.catalogue.own;
        own.get(at).unwrap_or_else(|| &self.foreign[at - own.len()])
    }

    fn run(&mut self, firsts: &[usize]) {
        self.known.extend(firsts);
        self.queue.entry(0).or_default().extend(firsts);
        while let Some((away, next)) = self.next() {
            // Room is for whose turn it is, not for who was found first.
            if away > 0 && self.chosen.len() >= self.catalogue.offers.options.most {
                self.is_cut = true;
                return;
            }
            self.chosen.insert(next);
            let draft = self.draft(next).clone();
            for wanted in &draft.arguments {
                if let Wanted::Object { of, .. } = wanted {
                    match of {
                        Demand::Of(typed) => self.ask(typed, away + MAKER),
                        other => {
                            let types = other.types().iter().cloned().map(Typed::plain);
                            types.for_each(|typed| self.ask(&typed, away + MAKER));
                        }
                    }
                }
            }
            let new = |all: &Set, known: &Set| {
                all.iter().filter(|number| !known.contains(*number)).collect::<Vec<u32>>()
            };
            let (places, arrays) =
                (new(&draft.effects.uses, &self.used), new(&draft.effects.loads, &self.loaded));
            self.used.extend(places.iter().copied());
            self.loaded.extend(arrays.iter().copied());
            self.choose_definers(&places, &arrays, away + DEFINER);
        }
    }

    fn next(&mut self) -> Option<(u32, usize)> {
        let mut nearest = self.queue.first_entry()?;
        let away = *nearest.key();
        let next = nearest.get_mut().pop_front();
        if nearest.get().is_empty() {
            nearest.remove();
        }
        Some((away, next?))
    }

    /// Chooses what defines one of these fields, or stores into one of these kinds of arrays.
    fn choose_definers(&mut self, places: &[u32], arrays: &[u32], away: u32) {
        let index = &self.catalogue.index;
        let mut found: BTreeSet<usize> = BTreeSet::new();
        found.extend(places.iter().filter_map(|place| index.define.get(place)).flatten());
        found.extend(arrays.iter().filter_map(|array| index.store.get(array)).flatten());
        let matters = |draft: &Draft| {
            let effects = &draft.effects;
            places.iter().any(|p| effects.defines.contains(*p))
                || arrays.iter().any(|a| effects.stores.contains(*a))
        };
        found.extend(self.foreign(matters));
        self.choose(found, away);
    }

    /// Chooses what makes objects of a type.
    fn ask(&mut self, wanted: &Typed, away: u32) {
        if !self.asked.insert(wanted.clone()) {
            return;
        }
        let ty = &wanted.ty;
        let hierarchy = self.catalogue.offers.knowledge.hierarchy;
        let makes = |draft: &Draft| {
            let is_one = draft.returns.as_ref().is_some_and(|made| hierarchy.is_assignable(made, ty));
            is_one && (draft.holds.is_empty() || Typed::agree(&draft.holds, &wanted.of))
        };
        let of_type = self.catalogue.index.make.iter().filter(|(made, _)| hierarchy.is_assignable(made, ty));
        let mut found: BTreeSet<usize> = of_type.flat_map(|(_, makers)| makers.iter().copied()).collect();
        let made = !found.is_empty() || self.foreign.iter().any(|d| makes(d) && d.holds == wanted.of);
        found.extend(self.givers(ty));
        for draft in self.catalogue.offers.foreign(wanted, made, &self.elements) {
            // Of lists of texts and of numbers the same is done with other things.
            let is_it = |other: &Draft| other.symbol == draft.symbol && other.arguments == draft.arguments;
            if !self.foreign.iter().any(is_it) && !self.catalogue.own.iter().any(is_it) {
                self.foreign.push(draft);
            }
        }
        found.extend(self.foreign(makes));
        self.choose(found, away);
        // What fills them matters if somebody looks into such, whoever asked for that before.
        let matters = |draft: &Draft| {
            let effects = &draft.effects;
            effects.defines.iter().any(|place| self.used.contains(place))
                || effects.stores.iter().any(|array| self.loaded.contains(array))
        };
        let late: BTreeSet<usize> = self.foreign(matters).into_iter().collect();
        self.choose(late, away + DEFINER - MAKER);
    }

    /// What gives objects that are kept under a wider own type: a cell gives a guest, which may be a monster.
    fn givers(&self, ty: &Type) -> Vec<usize> {
        let hierarchy = self.catalogue.offers.knowledge.hierarchy;
        let is_own = |ty: &Type| matches!(ty, Type::Object(class) if hierarchy.own(class).is_some());
        let is_wider = |made: &Type| made != ty && is_own(made) && hierarchy.is_assignable(ty, made);
        let wider = self.catalogue.index.make.iter().filter(|(made, _)| is_wider(made));
        let gives = |at: &usize| {
            matches!(self.catalogue.own[*at].action, Action::Invoke { .. } | Action::Load { .. })
        };
        wider.flat_map(|(_, makers)| makers.iter().copied().filter(gives)).collect()
    }

    /// Numbers of foreign statements.
    fn foreign(&self, matters: impl Fn(&Draft) -> bool) -> Vec<usize> {
        let numbered = (self.catalogue.own.len()..).zip(&self.foreign);
        numbered.filter(|(_, draft)| matters(draft)).map(|(at, _)| at).collect()
    }

    fn choose(&mut self, found: BTreeSet<usize>, away: u32) {
        for at in found {
            if self.catalogue.offers.allows(&self.draft(at).symbol) && self.known.insert(at) {
                self.queue.entry(away).or_default().push_back(at);
            }
        }
    }
}

fn statement(draft: &Draft, knowledge: Knowledge<'_>, observers: &Observers) -> Statement {
    let parameter = |wanted: &Wanted| match wanted {
        Wanted::Value(slot) => Parameter::Value(*slot),
        Wanted::Object { role, .. } => Parameter::Object(*role),
    };
    Statement {
        symbol: draft.symbol.clone(),
        action: draft.action.clone(),
        arguments: draft.arguments.iter().map(parameter).collect(),
        returns: draft.returns.clone(),
        changes: draft.effects.defines.iter().filter(|&p| !observers.of_class(p).is_empty()).collect(),
        fills: matches!(draft.arguments.first(), Some(Wanted::Object { of: Demand::Of(_), .. }))
            && draft.kind == Kind::InstanceMethod,
        is_shared: draft.effects.uses.iter().chain(draft.effects.defines.iter()).any(|place| {
            let place = knowledge.summaries.places().get(place);
            matches!(place, Some(Place::Field { is_static: true, .. }))
        }),
    }
}
