//! What looks at objects and classes when a test is through: getters and fields that tests can name and whose values can be written down.

use crate::hierarchy::Hierarchy;
use crate::names::is_writable;
use crate::statements::{Draft, Offers};
use java_classfile::{Code, Field, Instruction, Type};
use java_wire::{Action, Slot};
use std::collections::{BTreeMap, HashMap};

/// Collections that say what they hold in an order of their own.
const ORDERED: [&str; 11] = [
    "java/util/List",
    "java/util/ArrayList",
    "java/util/LinkedList",
    "java/util/Vector",
    "java/util/Stack",
    "java/util/Deque",
    "java/util/ArrayDeque",
    "java/util/SortedMap",
    "java/util/SortedSet",
    "java/util/TreeMap",
    "java/util/TreeSet",
];

/// Whatever observes and changes nothing.
#[derive(Debug, Default)]
pub(crate) struct Observers {
    /// By class: methods without parameters, then fields that none of these tells.
    of_objects: BTreeMap<String, Vec<Action>>,
    /// By the place of a static field: what tells of it.
    of_classes: HashMap<u32, Vec<Action>>,
}

impl Observers {
    /// What a package sees of all own classes.
    pub(crate) fn new(offers: &Offers<'_>, own: &[Draft]) -> Observers {
        let mut observers = Observers::default();
        let methods = own.iter().filter(|draft| draft.observes && offers.allows(&draft.symbol));
        // Fields that a method gives as they are.
        let mut told: HashMap<u32, Vec<Type>> = HashMap::new();
        for draft in methods {
            let mut uses = draft.effects.uses.iter();
            if let (Some(place), None) = (uses.next(), uses.next()) {
                told.entry(place).or_default().extend(draft.action.result());
            }
            let Action::Invoke { class, is_static, .. } = &draft.action else { continue };
            if *is_static {
                for place in draft.effects.uses.iter() {
                    observers.of_classes.entry(place).or_default().push(draft.action.clone());
                }
            } else {
                observers.of_objects.entry(class.clone()).or_default().push(draft.action.clone());
            }
        }
        if !offers.options.fields {
            return observers;
        }
        for entry in offers.knowledge.classes {
            if !offers.knowledge.hierarchy.own(&entry.name).is_some_and(|facts| offers.can_name(facts)) {
                continue;
            }
            for field in &entry.class.fields {
                let Some((place, action)) = read(offers, &entry.name, field) else { continue };
                if told.get(&place).is_some_and(|types| types.contains(&field.descriptor)) {
                    continue;
                }
                if field.access.is_static() {
                    observers.of_classes.entry(place).or_default().push(action);
                } else {
                    observers.of_objects.entry(entry.name.clone()).or_default().push(action);
                }
            }
        }
        observers
    }

    /// What looks at objects of a class by what the class itself declares.
    pub(crate) fn of_objects(&self, class: &str) -> &[Action] {
        self.of_objects.get(class).map(Vec::as_slice).unwrap_or_default()
    }

    /// What tells of a static field.
    pub(crate) fn of_class(&self, place: u32) -> &[Action] {
        self.of_classes.get(&place).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A field that code may change, as what reads it.
fn read(offers: &Offers<'_>, class: &str, field: &Field) -> Option<(u32, Action)> {
    let (name, access) = (&field.name, field.access);
    let symbol = format!("{class}.{name}");
    let is_there = is_writable(name)
        && !access.is_synthetic()
        && !access.is_enum()
        && offers.is_visible(&symbol, access)
        && offers.allows(&symbol)
        && can_be_told(&field.descriptor, offers.knowledge.hierarchy);
    let place = offers.knowledge.summaries.field(class, name, access.is_static()).filter(|_| is_there)?;
    let (class, name, ty) = (class.to_owned(), name.clone(), field.descriptor.clone());
    Some((place, Action::Load { class, name, ty, is_static: access.is_static() }))
}

/// Whether values of a type can be written into a test: numbers, texts, constants of enums, arrays of these, and collections that print
/// what they hold.
pub(crate) fn can_be_told(ty: &Type, hierarchy: &Hierarchy) -> bool {
    let is_enum = |name: &str| hierarchy.class(name).is_some_and(|facts| facts.access.is_enum());
    match ty {
        ty if Slot::of(ty).is_some() => true,
        Type::Object(name) => ORDERED.contains(&name.as_str()) || is_enum(name),
        Type::Array(element) => match &**element {
            Type::Object(name) => Slot::of(element).is_some() || is_enum(name),
            _ => false,
        },
        _ => false,
    }
}

/// Whether code only reads: what it does to state is at most that it initialises a class.
pub(crate) fn only_reads(code: &Code) -> bool {
    !code.instructions.iter().any(|(_, instruction)| {
        matches!(
            instruction,
            Instruction::PutField(_)
                | Instruction::PutStatic(_)
                | Instruction::ArrayStore(_)
                | Instruction::New(_)
                | Instruction::Invoke { .. }
                | Instruction::InvokeDynamic(_)
        )
    })
}
