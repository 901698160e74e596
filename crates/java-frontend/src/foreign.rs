//! Statements that make what own classes do not: arrays, objects of the platform, stand-ins for what nobody implements.

use crate::calls::symbol;
use crate::effects::Effects;
use crate::facts::ClassFacts;
use crate::places::ArrayKind;
use crate::statements::{Demand, Draft, Knowledge, Offers, Wanted, receiver};
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Action, Primitive, Slot};
use sequence::{Kind, Role};
use std::iter;

const FILE: &str = "java/io/File";

/// Most files in a folder that a test makes.
const FILES: usize = 2;

/// Answers that a stand-in has for each of its methods.
const ANSWERS: usize = 2;

/// Most answers that a stand-in has.
const MOST_ANSWERS: usize = 8;

/// What a collection is asked for as, what is made, and name and descriptor of what puts something in.
type Collection = (&'static [&'static str], &'static str, (&'static str, &'static str));

/// Collections that are made where one is wanted.
const COLLECTIONS: &[Collection] = &[
    (
        &[
            "java/lang/Iterable",
            "java/util/Collection",
            "java/util/List",
            "java/util/AbstractList",
            "java/util/ArrayList",
        ],
        "java/util/ArrayList",
        ("add", "(Ljava/lang/Object;)Z"),
    ),
    (&["java/util/LinkedList"], "java/util/LinkedList", ("add", "(Ljava/lang/Object;)Z")),
    (
        &["java/util/Queue", "java/util/Deque", "java/util/ArrayDeque"],
        "java/util/ArrayDeque",
        ("add", "(Ljava/lang/Object;)Z"),
    ),
    (&["java/util/Set", "java/util/HashSet"], "java/util/HashSet", ("add", "(Ljava/lang/Object;)Z")),
    (
        &["java/util/SortedSet", "java/util/NavigableSet", "java/util/TreeSet"],
        "java/util/TreeSet",
        ("add", "(Ljava/lang/Object;)Z"),
    ),
    (
        &["java/util/Map", "java/util/HashMap"],
        "java/util/HashMap",
        ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
    ),
    (
        &["java/util/SortedMap", "java/util/NavigableMap", "java/util/TreeMap"],
        "java/util/TreeMap",
        ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"),
    ),
];

impl Offers<'_> {
    /// Statements beside those of own classes that make something of a type. `made` says that own ones do; `elements` is what is put into
    /// collections.
    pub(crate) fn foreign(&self, ty: &Type, made: bool, elements: &[Type]) -> Vec<Draft> {
        let mut drafts = self.usual(ty, made, elements);
        for draft in self.listed(ty) {
            if !drafts.iter().any(|other| other.symbol == draft.symbol) {
                drafts.push(draft);
            }
        }
        drafts
    }

    /// What the user lists for a type, if it is not the user's own.
    fn listed(&self, ty: &Type) -> Vec<Draft> {
        let Type::Object(name) = ty else { return Vec::new() };
        let lists = self.options.producers.iter().filter(|(of, _)| of == name);
        let mut drafts = Vec::new();
        for symbol in lists.flat_map(|(_, members)| members) {
            let (class, member) = symbol.split_once('.').unwrap_or((symbol, "<init>"));
            let Some(facts) = self.knowledge.hierarchy.class(class) else { continue };
            if self.knowledge.hierarchy.own(class).is_some() || !facts.access.is_public() {
                continue;
            }
            let public = facts.methods.iter().filter(|method| method.access.is_public());
            let named = public.filter(|method| member.split('(').next() == Some(&method.name));
            let named = named.filter(|m| !member.contains('(') || member.ends_with(&m.descriptor));
            drafts.extend(named.filter_map(|method| match method.name.as_str() {
                "<init>" => self.construct(class, &method.descriptor).filter(|_| facts.is_concrete()),
                _ if method.access.is_static() => self.call(class, &method.name, &method.descriptor),
                _ => None,
            }));
        }
        drafts
    }

    fn usual(&self, ty: &Type, made: bool, elements: &[Type]) -> Vec<Draft> {
        match ty {
            // Those of numbers are values, but not for a parameter that takes just any object.
            Type::Array(element) => self.arrays(element),
            Type::Object(name) => match self.knowledge.hierarchy.own(name) {
                Some(_) if made => Vec::new(),
                Some(facts) if facts.is_concrete() => Vec::new(),
                Some(facts) => vec![self.stub(facts)],
                None => self.platform(name, made, elements),
            },
            _ => Vec::new(),
        }
    }

    fn arrays(&self, element: &Type) -> Vec<Draft> {
        let wanted = || match Slot::of(element) {
            Some(slot) => Wanted::Value(slot),
            None => Wanted::Object { role: Role::Element, of: Demand::Type(element.clone()) },
        };
        let array = |length: usize| {
            let mut effects = Effects::default();
            effects.stores.insert(ArrayKind::of_type(element).number());
            Draft {
                symbol: format!("[{element}*{length}"),
                kind: Kind::ArrayConstructor,
                action: Action::Array { element: element.clone() },
                arguments: (0..length).map(|_| wanted()).collect(),
                returns: Some(Type::Array(Box::new(element.clone()))),
                effects,
                observes: false,
            }
        };
        (0..=self.options.longest_array).map(array).collect()
    }

    fn platform(&self, name: &str, made: bool, elements: &[Type]) -> Vec<Draft> {
        let boxed = Primitive::ALL.into_iter().find(|primitive| primitive.box_class() == name);
        if let Some(primitive) = boxed {
            return vec![self.boxed(primitive)];
        }
        match name {
            "java/lang/Number" | "java/lang/Comparable" | "java/io/Serializable" => {
                return vec![self.boxed(Primitive::Int)];
            }
            "java/lang/String" | "java/lang/CharSequence" => {
                return self.construct("java/lang/String", "(Ljava/lang/String;)V").into_iter().collect();
            }
            _ => {}
        }
        if let Some((_, class, adds)) = COLLECTIONS.iter().find(|row| row.0.contains(&name)) {
            let adds = self.add(class, adds.0, adds.1, elements);
            return self.construct(class, "()V").into_iter().chain(adds).collect();
        }
        let Some(facts) = self.knowledge.hierarchy.class(name) else { return Vec::new() };
        let mut drafts = self.elsewhere(&facts);
        drafts.extend(self.own_files(name));
        // What an interface answers may be anything; of a class with code, what its authors have made of it is more like what programs meet.
        if !facts.is_concrete() && !made && (facts.access.is_interface() || drafts.is_empty()) {
            drafts.push(self.stub(&facts));
        }
        drafts
    }

    /// Files and folders that a test makes for itself, and their paths.
    fn own_files(&self, name: &str) -> Vec<Draft> {
        let made = |is_folder: bool, length: usize| Draft {
            symbol: format!("{}({length})", own_file(is_folder)),
            kind: Kind::Constructor,
            action: Action::File { is_folder },
            arguments: vec![Wanted::Value(Slot::Text); length],
            returns: Some(Type::Object(FILE.to_owned())),
            effects: Effects::default(),
            observes: false,
        };
        let folders = (0..=FILES).map(|length| made(true, length));
        match name {
            FILE => iter::once(made(false, 1)).chain(folders).collect(),
            "java/nio/file/Path" => self.view(FILE, "toPath", "()Ljava/nio/file/Path;").into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What a method without parameters gives of an object.
    fn view(&self, class: &str, name: &str, descriptor: &str) -> Option<Draft> {
        let parsed: MethodDescriptor = descriptor.parse().ok()?;
        let returns = parsed.result.clone();
        Some(self.on_object(class, name, parsed, Vec::new(), returns))
    }

    /// A call of a method of an object from elsewhere.
    fn on_object(
        &self,
        class: &str,
        name: &str,
        descriptor: MethodDescriptor,
        arguments: Vec<Wanted>,
        returns: Option<Type>,
    ) -> Draft {
        let Knowledge { summaries, hierarchy, .. } = self.knowledge;
        Draft {
            symbol: symbol(class, name, &descriptor.to_string()),
            kind: Kind::InstanceMethod,
            arguments: iter::once(receiver(class)).chain(arguments).collect(),
            returns,
            effects: summaries.opaque(hierarchy, class, name, &descriptor, false),
            action: Action::Invoke {
                class: class.to_owned(),
                name: name.to_owned(),
                descriptor,
                is_static: false,
            },
            observes: false,
        }
    }

    fn boxed(&self, primitive: Primitive) -> Draft {
        let class = primitive.box_class();
        let descriptor = MethodDescriptor {
            parameters: vec![primitive.ty()],
            result: Some(Type::Object(class.to_owned())),
        };
        let symbol = symbol(class, "valueOf", &descriptor.to_string());
        let (class_name, name) = (class.to_owned(), "valueOf".to_owned());
        Draft {
            symbol,
            kind: Kind::StaticMethod,
            action: Action::Invoke { class: class_name, name, descriptor, is_static: true },
            arguments: vec![Wanted::Value(Slot::Primitive(primitive))],
            returns: Some(Type::Object(class.to_owned())),
            effects: Effects::default(),
            observes: false,
        }
    }

    fn add(&self, class: &str, name: &str, descriptor: &str, elements: &[Type]) -> Option<Draft> {
        let parsed: MethodDescriptor = descriptor.parse().ok()?;
        let element = || Wanted::Object { role: Role::Argument, of: Demand::OneOf(elements.to_vec()) };
        let arguments = parsed.parameters.iter().map(|_| element()).collect();
        Some(self.on_object(class, name, parsed, arguments, None))
    }

    /// A stand-in, with answers for the methods that somebody would have to implement.
    fn stub(&self, facts: &ClassFacts) -> Draft {
        let mut arguments = Vec::new();
        for supertype in self.knowledge.hierarchy.supertypes(&facts.name).iter() {
            let Some(above) = self.knowledge.hierarchy.class(supertype) else { continue };
            for method in above.methods.iter().filter(|method| method.access.is_abstract()) {
                let result =
                    method.descriptor.parse::<MethodDescriptor>().ok().and_then(|parsed| parsed.result);
                arguments.extend(result.into_iter().flat_map(|result| answers(&result, &facts.name)));
            }
        }
        arguments.truncate(MOST_ANSWERS);
        Draft {
            symbol: format!("{}.<stub>", facts.name),
            kind: Kind::Constructor,
            action: Action::Stub { class: facts.name.clone() },
            arguments,
            returns: Some(Type::Object(facts.name.clone())),
            effects: Effects::default(),
            observes: false,
        }
    }
}

/// What a file or folder that a test makes for itself is called where members have names.
#[must_use]
pub fn own_file(is_folder: bool) -> &'static str {
    if is_folder { "java/io/File.<folder>" } else { "java/io/File.<file>" }
}

fn answers(result: &Type, of: &str) -> Vec<Wanted> {
    match (Slot::of(result), result) {
        (Some(slot), _) => vec![Wanted::Value(slot); ANSWERS],
        // Something that takes itself to be made is never begun with, and everything is nothing in particular.
        (None, Type::Object(name)) if name == of || name == "java/lang/Object" => Vec::new(),
        (None, other) => vec![Wanted::Object { role: Role::Argument, of: Demand::Type(other.clone()) }],
    }
}
