//! Declares what was chosen as a [`Universe`].

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
    pub(crate) types: BTreeMap<Demand, TypeId>,
    /// Fields of objects, by class and name.
    pub(crate) fields: BTreeMap<(String, String), FieldId>,
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
    let symbol = &drafts[target].symbol;
    let is_own = knowledge.hierarchy.own(symbol.split('.').next().unwrap_or(symbol)).is_some();
    if !options.allows(symbol, is_own) {
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
    let named =
        fields.into_iter().filter_map(|(place, id)| match knowledge.summaries.places().get(place)? {
            Place::Field { class, name, is_static: false } => Some(((class.clone(), name.clone()), id)),
            Place::Field { .. } | Place::Contents { .. } => None,
        });
    let fields = named.collect();
    Ok(Built { universe: builder.build()?, types, fields })
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
        let is_static =
            matches!(knowledge.summaries.places().get(place), Some(Place::Field { is_static: true, .. }));
        fields
            .entry(place)
            .or_insert_with(|| if is_static { builder.static_field() } else { builder.field() });
    }
    fields
}
