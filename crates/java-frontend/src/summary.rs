//! What every own method may define and use, itself and through whatever it calls.
//!
//! Effects of single methods come from `effects.rs`. They are closed over the call graph, in which a call leads to every override it may enter and
//! the use of a class to its static initialiser. Methods that call each other in a circle do the same things, so the circles are found
//! first (strongly connected components) and taken callees first: every method is looked at once.

use crate::calls::{Callees, MethodTable};
use crate::effects::{Collector, Effects};
use crate::hierarchy::Hierarchy;
use crate::places::{ArrayKind, Place, Places};
use crate::sets::Set;
use crate::sources::ClassEntry;
use java_classfile::{MethodDescriptor, Type};
use java_wire::Slot;
use model::FunctionId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeSet, HashMap};

/// Effects of all own methods, closed over what they call.
pub struct Summaries {
    places: Places,
    effects: Vec<Effects>,
    /// What making an object of an own class and using an own class for the first time do, by its place.
    made: Vec<Effects>,
    initialized: Vec<Effects>,
    /// Contents that outlive a call: their places and classes.
    held: Vec<(u32, String)>,
}

impl Summaries {
    /// Of the own classes.
    #[must_use]
    pub fn new(classes: &[ClassEntry], methods: &MethodTable, hierarchy: &Hierarchy) -> Summaries {
        let mut named: HashMap<String, Vec<FunctionId>> = HashMap::new();
        for (id, (class, method)) in (0..).zip(methods.places()) {
            named
                .entry(classes[*class].class.methods[*method].name.clone())
                .or_default()
                .push(FunctionId(id));
        }
        let callees = Callees::new(methods, hierarchy);
        let mut collector =
            Collector { table: methods, hierarchy, callees, places: Places::default(), named };
        let (mut effects, mut calls) = (Vec::new(), Vec::new());
        for (class, method) in methods.places() {
            let entry = &classes[*class].class;
            let code = entry.methods[*method].code.as_ref();
            let (own, called) = code.map(|code| collector.collect(entry, code)).unwrap_or_default();
            effects.push(own);
            calls.push(called);
        }
        close(&mut effects, &calls);
        let mut summaries = Summaries {
            places: Places::default(),
            effects,
            made: Vec::new(),
            initialized: Vec::new(),
            held: Vec::new(),
        };
        for entry in classes {
            let mut made = Effects::default();
            collector.made(&entry.name, &mut made);
            summaries.made.push(made);
            let mut initializers = BTreeSet::new();
            collector.initializers(&entry.name, &mut initializers);
            let mut initialized = Effects::default();
            initializers.iter().for_each(|id| initialized.unite(&summaries.effects[id.0 as usize]));
            summaries.initialized.push(initialized);
        }
        summaries.places = collector.places;
        summaries.relate(classes, hierarchy);
        summaries
    }

    /// Places by number.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What a method may do, without the initialisers that a call from outside triggers.
    #[must_use]
    pub fn of(&self, method: FunctionId) -> Option<&Effects> {
        self.effects.get(method.0 as usize)
    }

    /// What `new` does to the fields of an own class, by its place.
    #[must_use]
    pub fn made(&self, class: usize) -> Option<&Effects> {
        self.made.get(class)
    }

    /// What the first use of an own class does, by its place.
    #[must_use]
    pub fn initialized(&self, class: usize) -> Option<&Effects> {
        self.initialized.get(class)
    }

    /// What a call of a method from elsewhere, made by a test, does.
    #[must_use]
    pub fn opaque(
        &self,
        hierarchy: &Hierarchy,
        class: &str,
        name: &str,
        descriptor: &MethodDescriptor,
        is_static: bool,
    ) -> Effects {
        let mut effects = Effects::default();
        let touch = crate::opaque::touch(class, name);
        let is_related =
            |other: &str| hierarchy.is_subclass(class, other) || hierarchy.is_subclass(other, class);
        for (place, _) in self.held.iter().filter(|(_, other)| !is_static && is_related(other)) {
            effects.defines.extend(touch.defines.then_some(*place));
            effects.uses.extend(touch.uses.then_some(*place));
        }
        let arrays = crate::opaque::arrays(class, name, descriptor);
        effects.loads.extend(arrays.iter().map(|element| ArrayKind::of_type(element).number()));
        effects
    }

    /// The number of a field that some own code names and that can change.
    #[must_use]
    pub fn field(&self, class: &str, name: &str, is_static: bool) -> Option<u32> {
        self.places.find(&Place::Field { class: class.to_owned(), name: name.to_owned(), is_static })
    }

    /// Which contents are those of the same objects: one class is assignable to the other. Contents that no field, parameter or result of an
    /// own class can hold live only during a call and are no state; nor is what exceptions hold, which is said once and for all.
    fn relate(&mut self, classes: &[ClassEntry], hierarchy: &Hierarchy) {
        let holders = holders(classes, hierarchy);
        let is_related = |a: &str, b: &str| hierarchy.is_subclass(a, b) || hierarchy.is_subclass(b, a);
        let contents = (0..).zip(self.places.all()).filter_map(|(number, place)| match place {
            Place::Contents { class } if !hierarchy.is_subclass(class, "java/lang/Throwable") => {
                Some((number, class.clone()))
            }
            _ => None,
        });
        self.held =
            contents.filter(|(_, class)| holders.iter().any(|holder| is_related(class, holder))).collect();
        let mut related: HashMap<u32, Set> = HashMap::new();
        for (number, class) in &self.held {
            let same = self.held.iter().filter(|(_, other)| is_related(class, other));
            related.entry(*number).or_default().extend(same.map(|(other, _)| *other));
        }
        self.widen(&related);
    }

    /// Replaces contents by all that are related, everywhere.
    fn widen(&mut self, related: &HashMap<u32, Set>) {
        let places = &self.places;
        let widen = |set: &mut Set| {
            let mut wide = Set::default();
            for number in set.iter() {
                match places.get(number) {
                    Some(Place::Contents { .. }) => {
                        related.get(&number).into_iter().for_each(|more| wide.unite(more))
                    }
                    _ => wide.insert(number),
                }
            }
            *set = wide;
        };
        for effects in self.effects.iter_mut().chain(&mut self.made).chain(&mut self.initialized) {
            widen(&mut effects.defines);
            widen(&mut effects.uses);
        }
    }
}

/// Classes from elsewhere whose objects own code keeps or is given.
fn holders(classes: &[ClassEntry], hierarchy: &Hierarchy) -> BTreeSet<String> {
    let mut holders = BTreeSet::new();
    let mut hold = |ty: &Type| {
        let mut ty = ty;
        while let Type::Array(element) = ty {
            ty = element;
        }
        let Type::Object(class) = ty else { return };
        if Slot::of(ty).is_none() && hierarchy.own(class).is_none() && crate::opaque::has_contents(class) {
            holders.insert(class.clone());
        }
    };
    for entry in classes {
        entry.class.fields.iter().for_each(|field| hold(&field.descriptor));
        for method in &entry.class.methods {
            method.descriptor.parameters.iter().chain(&method.descriptor.result).for_each(&mut hold);
        }
    }
    holders
}

/// Adds to every method what it calls does.
fn close(effects: &mut [Effects], calls: &[BTreeSet<FunctionId>]) {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in calls {
        graph.add_node(());
    }
    for (caller, callees) in calls.iter().enumerate() {
        for callee in callees {
            graph.add_edge(NodeIndex::new(caller), NodeIndex::new(callee.0 as usize), ());
        }
    }
    for circle in kosaraju_scc(&graph) {
        let mut all = Effects::default();
        for member in &circle {
            all.unite(&effects[member.index()]);
            calls[member.index()].iter().for_each(|callee| all.unite(&effects[callee.0 as usize]));
        }
        circle.iter().for_each(|member| effects[member.index()] = all.clone());
    }
}
