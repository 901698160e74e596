//! Declares what was chosen as a [`Universe`].

use crate::generics::Typed;
use crate::options::{Options, names};
use crate::places::{ArrayKind, Place};
use crate::statements::{Demand, Draft, Knowledge, Wanted};
use java_classfile::Type;
use sequence::{
    ArrayTypeId, FieldId, Id, Invokable, InvokableId, Role, TypeId, Universe, UniverseBuilder, UniverseError,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The universe, and the ids of what it is about.
pub(crate) struct Built {
    pub(crate) universe: Universe,
    pub(crate) types: Types,
    /// Fields of objects, by class and name.
    pub(crate) fields: BTreeMap<(String, String), FieldId>,
}

/// What is wanted and what is made have ids of their own: a list of which nobody knows what it holds fits wherever one is wanted, but not every
/// list fits where one of texts is wanted.
pub(crate) struct Types {
    pub(crate) wanted: BTreeMap<Demand, TypeId>,
    made: BTreeMap<Typed, TypeId>,
}

impl Types {
    /// What is wanted, if more is known of it than its type.
    fn typed(&self, id: TypeId) -> Option<&Typed> {
        match self.wanted.iter().find(|(_, known)| **known == id) {
            Some((Demand::Of(typed), _)) => Some(typed),
            _ => None,
        }
    }

    /// The type arguments of what is wanted; nothing if they are not known.
    pub(crate) fn held(&self, id: TypeId) -> &[Typed] {
        self.typed(id).map_or(&[], |typed| &typed.of)
    }

    /// What it must be besides.
    pub(crate) fn also(&self, id: TypeId) -> &[Type] {
        self.typed(id).map_or(&[], |typed| &typed.also)
    }
}

/// Declares types, fields and statements. Ids of statements are their places.
pub(crate) fn build(
    knowledge: Knowledge<'_>,
    options: &Options,
    drafts: &[&Draft],
    target: usize,
) -> Result<Built, UniverseError> {
    let mut builder = UniverseBuilder::new();
    let types = declare_types(&mut builder, knowledge, drafts);
    let fields = declare_fields(&mut builder, knowledge, drafts);
    let arrays: Vec<ArrayTypeId> = (0..ArrayKind::COUNT).map(|_| builder.array_type()).collect();
    for draft in drafts {
        let mut invokable = Invokable::new(draft.kind);
        for wanted in &draft.arguments {
            let Wanted::Object { role, of } = wanted else { continue };
            invokable = if *role == Role::Receiver {
                invokable.on(types.wanted[of])
            } else {
                invokable.takes(types.wanted[of])
            };
        }
        invokable.returns = made(draft).map(|made| types.made[&made]);
        draft.effects.defines.iter().for_each(|place| invokable.defines.insert(fields[&place]));
        draft.effects.uses.iter().for_each(|place| invokable.uses.insert(fields[&place]));
        draft.effects.stores.iter().for_each(|kind| invokable.stores.insert(arrays[kind as usize]));
        draft.effects.loads.iter().for_each(|kind| invokable.loads.insert(arrays[kind as usize]));
        builder.invokable(invokable);
    }
    let symbol = &drafts[target].symbol;
    let is_own = knowledge.hierarchy.own(symbol.split('.').next().unwrap_or(symbol)).is_some();
    if !options.allows(symbol, is_own) {
        builder.exclude(InvokableId::new(target));
    }
    for (class, producers) in &options.producers {
        let makers = drafts.iter().enumerate().filter(|(_, draft)| names(producers, &draft.symbol));
        let makers: Vec<InvokableId> = makers.map(|(at, _)| InvokableId::new(at)).collect();
        let is_it = |demand: &&Demand| match demand {
            Demand::Type(Type::Object(name)) | Demand::Of(Typed { ty: Type::Object(name), .. }) => {
                name == class
            }
            Demand::OneOf(_) => class == "java/lang/Object",
            Demand::Type(_) | Demand::Of(_) => false,
        };
        let wanted = types.wanted.iter().filter(|(demand, _)| is_it(demand));
        wanted.for_each(|(_, id)| builder.only(*id, &makers));
    }
    let named =
        fields.into_iter().filter_map(|(place, id)| match knowledge.summaries.places().get(place)? {
            Place::Field { class, name, is_static: false } => Some(((class.clone(), name.clone()), id)),
            Place::Field { .. } | Place::Contents { .. } => None,
        });
    let fields = named.collect();
    Ok(Built { universe: builder.build()?, types, fields })
}

/// What a statement makes.
fn made(draft: &Draft) -> Option<Typed> {
    draft.returns.clone().map(|ty| Typed { of: draft.holds.clone(), ..Typed::plain(ty) })
}

fn declare_types(builder: &mut UniverseBuilder, knowledge: Knowledge<'_>, drafts: &[&Draft]) -> Types {
    let mut wanted = BTreeSet::new();
    for draft in drafts {
        for argument in &draft.arguments {
            let Wanted::Object { of, .. } = argument else { continue };
            wanted.extend(of.types().iter().map(|ty| Demand::Type(ty.clone())));
            wanted.insert(of.clone());
        }
    }
    let made: BTreeSet<Typed> = drafts.iter().filter_map(|draft| made(draft)).collect();
    let types = Types {
        wanted: wanted.into_iter().map(|demand| (demand, builder.reference_type())).collect(),
        made: made.into_iter().map(|typed| (typed, builder.reference_type())).collect(),
    };
    for (from, id) in &types.made {
        for (to, supertype) in &types.wanted {
            let fits = match to {
                Demand::Type(to) => knowledge.hierarchy.is_assignable(&from.ty, to),
                Demand::Of(to) => {
                    let is_one = |to: &Type| knowledge.hierarchy.is_assignable(&from.ty, to);
                    is_one(&to.ty)
                        && to.also.iter().all(is_one)
                        && Typed::may_hold(knowledge.hierarchy, &from.of, &to.of)
                }
                Demand::OneOf(list) => list.iter().any(|to| knowledge.hierarchy.is_assignable(&from.ty, to)),
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
        let is_static =
            matches!(knowledge.summaries.places().get(place), Some(Place::Field { is_static: true, .. }));
        fields
            .entry(place)
            .or_insert_with(|| if is_static { builder.static_field() } else { builder.field() });
    }
    fields
}
