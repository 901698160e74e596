//! What the instructions of one method define and use, and whom they call.

use crate::calls::{Callees, MethodTable};
use crate::facts::Origin;
use crate::hierarchy::Hierarchy;
use crate::opaque;
use crate::places::{ArrayKind, Places};
use crate::sets::Set;
use java_classfile::instruction::InvokeKind;
use java_classfile::{ClassFile, Code, Instruction, MemberRef, MethodDescriptor, PoolIndex, Type};
use java_wire::Slot;
use model::FunctionId;
use std::collections::{BTreeSet, HashMap};

/// What code may do to state. Sets hold numbers of [`Places`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Fields it may write.
    pub defines: Set,
    /// Fields it may read.
    pub uses: Set,
    /// Kinds of arrays it may write to.
    pub stores: Set,
    /// Kinds of arrays it may read from.
    pub loads: Set,
}

impl Effects {
    /// Adds those of other code.
    pub fn unite(&mut self, other: &Effects) {
        self.defines.unite(&other.defines);
        self.uses.unite(&other.uses);
        self.stores.unite(&other.stores);
        self.loads.unite(&other.loads);
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.defines.is_empty() && self.stores.is_empty()
    }
}

/// Collects the effects of methods one by one.
pub(crate) struct Collector<'a> {
    pub(crate) table: &'a MethodTable,
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) callees: Callees<'a>,
    pub(crate) places: Places,
    /// Own methods by name, for calls that come back.
    pub(crate) named: HashMap<String, Vec<FunctionId>>,
}

impl Collector<'_> {
    /// What a method does by itself, and whom it may enter, initialisers of classes among them.
    pub(crate) fn collect(&mut self, class: &ClassFile, code: &Code) -> (Effects, BTreeSet<FunctionId>) {
        let (mut effects, mut calls) = (Effects::default(), BTreeSet::new());
        for (_, instruction) in &code.instructions {
            calls.extend(self.callees.of(class, instruction));
            match instruction {
                Instruction::GetField(field) | Instruction::GetStatic(field) => {
                    self.field(class, *field, &mut effects.uses, &mut calls);
                }
                Instruction::PutField(field) | Instruction::PutStatic(field) => {
                    self.field(class, *field, &mut effects.defines, &mut calls);
                }
                Instruction::New(made) => {
                    if let Ok(name) = class.pool.class_name(*made) {
                        self.made(name, &mut effects);
                        self.initializers(name, &mut calls);
                    }
                }
                Instruction::ArrayLoad(kind) => effects.loads.insert(ArrayKind::of_kind(*kind).number()),
                Instruction::ArrayStore(kind) => effects.stores.insert(ArrayKind::of_kind(*kind).number()),
                Instruction::Invoke { kind, method } => {
                    if let Ok(member) = class.pool.member(*method) {
                        self.call(*kind, member, &mut effects, &mut calls);
                    }
                }
                _ => {}
            }
        }
        (effects, calls)
    }

    fn field(
        &mut self,
        class: &ClassFile,
        field: PoolIndex,
        set: &mut Set,
        calls: &mut BTreeSet<FunctionId>,
    ) {
        let Ok(member) = class.pool.member(field) else { return };
        if let Some((facts, found)) = self.hierarchy.field(member.class, member.name) {
            if found.access.is_static() {
                self.initializers(&facts.name, calls);
            }
            set.extend(self.places.field(&facts.name, &found));
        }
    }

    /// An object begins with zeros: all its fields are defined.
    pub(crate) fn made(&mut self, class: &str, effects: &mut Effects) {
        for supertype in self.hierarchy.supertypes(class).iter() {
            let Some(facts) = self.hierarchy.own(supertype).cloned() else { continue };
            for field in facts.fields.iter().filter(|field| !field.access.is_static()) {
                effects.defines.extend(self.places.field(&facts.name, field));
            }
        }
    }

    /// The first use of a class runs its initialiser, after those of its superclasses.
    pub(crate) fn initializers(&self, class: &str, calls: &mut BTreeSet<FunctionId>) {
        let mut next = self.hierarchy.own(class).cloned();
        while let Some(facts) = next {
            let new = self.table.get(&facts.name, "<clinit>", "()V").is_none_or(|id| calls.insert(id));
            let above = facts.superclass.as_deref().filter(|_| new);
            next = above.and_then(|name| self.hierarchy.own(name)).cloned();
        }
    }

    fn call(
        &mut self,
        kind: InvokeKind,
        member: MemberRef<'_>,
        effects: &mut Effects,
        calls: &mut BTreeSet<FunctionId>,
    ) {
        let found = self.hierarchy.method(member.class, member.name, member.descriptor);
        let declaring = found.as_ref().map_or(member.class, |facts| facts.name.as_str());
        if kind == InvokeKind::Static {
            self.initializers(declaring, calls);
        }
        if found.as_ref().is_some_and(|facts| matches!(facts.origin, Origin::Own(_)))
            || member.class.starts_with('[')
        {
            return;
        }
        let Ok(descriptor) = member.descriptor.parse::<MethodDescriptor>() else { return };
        self.opaque(kind, declaring, member.name, &descriptor, effects);
        self.come_back(declaring, member.name, &descriptor, calls);
    }

    /// A call of code that nobody reads.
    pub(crate) fn opaque(
        &mut self,
        kind: InvokeKind,
        class: &str,
        name: &str,
        descriptor: &MethodDescriptor,
        effects: &mut Effects,
    ) {
        let touch = opaque::touch(class, name);
        if kind != InvokeKind::Static && opaque::has_contents(class) {
            let place = self.places.contents(class);
            if touch.defines {
                effects.defines.insert(place);
            }
            if touch.uses {
                effects.uses.insert(place);
            }
        }
        // What is given to a function may be changed by it; what is given to a method is looked at.
        for parameter in &descriptor.parameters {
            let Type::Object(given) = parameter else { continue };
            if Slot::of(parameter).is_some() || !opaque::has_contents(given) {
                continue;
            }
            let place = self.places.contents(given);
            effects.uses.insert(place);
            if kind == InvokeKind::Static && touch.defines {
                effects.defines.insert(place);
            }
        }
        for element in opaque::arrays(class, name, descriptor) {
            let kind = ArrayKind::of_type(&element).number();
            effects.loads.insert(kind);
            if touch.defines || name == "arraycopy" {
                effects.stores.insert(kind);
            }
        }
    }

    /// Own methods that code from elsewhere calls: `equals` of keys, and what implements an interface that it was given.
    fn come_back(
        &self,
        class: &str,
        name: &str,
        descriptor: &MethodDescriptor,
        calls: &mut BTreeSet<FunctionId>,
    ) {
        for name in opaque::calls_back(class, name) {
            calls.extend(self.named.get(*name).into_iter().flatten());
        }
        for parameter in &descriptor.parameters {
            let Type::Object(given) = parameter else { continue };
            let Some(facts) = self.hierarchy.class(given).filter(|facts| facts.access.is_interface()) else {
                continue;
            };
            if Slot::of(parameter).is_some() || matches!(facts.origin, Origin::Own(_)) {
                continue;
            }
            for below in self.hierarchy.own_below(given) {
                let methods = facts.methods.iter();
                calls.extend(methods.filter_map(|m| self.table.get(&below.name, &m.name, &m.descriptor)));
            }
        }
    }
}
