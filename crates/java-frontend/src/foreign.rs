//! Statements that make what own classes do not: arrays, objects of the platform, stand-ins for what nobody implements.

use crate::calls::symbol;
use crate::effects::Effects;
use crate::facts::{ClassFacts, MethodFacts};
use crate::generics::{Generics, Typed, inherited};
use crate::places::ArrayKind;
use crate::statements::{Demand, Draft, Knowledge, Offers, Wanted, receiver};
use java_classfile::{MethodDescriptor, Type};
use java_wire::{Action, Answering, Primitive, Slot};
use sequence::{Kind, Role};
use std::iter;

const OBJECT: &str = "java/lang/Object";
const FILE: &str = "java/io/File";

/// Most files in a folder that a test makes.
const FILES: usize = 2;

/// Answers that a stand-in has for each of its methods.
const ANSWERS: usize = 2;

/// Most answers that a stand-in has; each method gets its first before one gets its second.
const MOST_ANSWERS: usize = 12;

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
    /// collections and given by stubs where their types do not say.
    pub(crate) fn foreign(&self, wanted: &Typed, made: bool, elements: &[Type]) -> Vec<Draft> {
        let mut drafts = self.usual(wanted, made, elements);
        for draft in self.listed(&wanted.ty) {
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

    fn usual(&self, wanted: &Typed, made: bool, elements: &[Type]) -> Vec<Draft> {
        match &wanted.ty {
            // Those of numbers are values, but not for a parameter that takes just any object.
            Type::Array(element) => self.arrays(element),
            Type::Object(name) => match self.knowledge.hierarchy.own(name) {
                Some(_) if made => Vec::new(),
                Some(facts) if facts.is_concrete() => Vec::new(),
                Some(facts) => self.stub(facts, &wanted.of, elements).into_iter().collect(),
                None => self.platform(name, &wanted.of, made, elements),
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
                holds: Vec::new(),
                effects,
                observes: false,
            }
        };
        (0..=self.options.longest_array).map(array).collect()
    }

    fn platform(&self, name: &str, of: &[Typed], made: bool, elements: &[Type]) -> Vec<Draft> {
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
            let adds = self.add(class, *adds, of, elements);
            return self.construct(class, "()V").into_iter().chain(adds).collect();
        }
        let Some(facts) = self.knowledge.hierarchy.class(name) else { return Vec::new() };
        let mut drafts = self.elsewhere(&facts);
        drafts.extend(self.own_files(name));
        // What an interface answers may be anything; of a class with code, what its authors have made of it is more like what programs meet.
        if !facts.is_concrete() && !made && (facts.access.is_interface() || drafts.is_empty()) {
            drafts.extend(self.stub(&facts, of, elements));
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
            holds: Vec::new(),
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
            holds: Vec::new(),
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
            holds: Vec::new(),
            effects: Effects::default(),
            observes: false,
        }
    }

    /// What puts something into a collection: of its type arguments if they are known, else one of the types that are tried.
    fn add(&self, class: &str, member: (&str, &str), of: &[Typed], elements: &[Type]) -> Option<Draft> {
        let parsed: MethodDescriptor = member.1.parse().ok()?;
        let is_known = of.len() == parsed.parameters.len();
        let anything = Typed::plain(Type::Object(OBJECT.to_owned()));
        let types = (0..parsed.parameters.len()).map(|at| if is_known { &of[at] } else { &anything });
        let arguments = types.map(|typed| self.argument(typed, || elements.to_vec())).collect();
        let mut draft = self.on_object(class, member.0, parsed, arguments, None);
        if is_known {
            let typed = Typed { of: of.to_vec(), ..Typed::plain(Type::Object(class.to_owned())) };
            draft.arguments[0] = Wanted::Object { role: Role::Receiver, of: Demand::Of(typed) };
        }
        Some(draft)
    }

    /// A stand-in, with answers for the methods that somebody would have to implement; of a class that has no constructor for it there is none.
    fn stub(&self, facts: &ClassFacts, of: &[Typed], elements: &[Type]) -> Option<Draft> {
        let constructor = if facts.access.is_interface() { None } else { Some(self.simplest(facts)?) };
        let taken = constructor.and_then(|constructor| Generics::of(facts, constructor));
        let taken = taken.map_or_else(Vec::new, |generics| generics.parameters);
        let parameters = constructor.and_then(|c| c.descriptor.parse::<MethodDescriptor>().ok());
        let parameters = parameters.map_or_else(Vec::new, |descriptor| descriptor.parameters);
        let tried = || elements.to_vec();
        let mut arguments: Vec<Wanted> = taken.iter().map(|typed| self.argument(typed, tried)).collect();
        let methods = self.unimplemented(facts, of);
        let mut answers = Vec::new();
        for round in 0..ANSWERS {
            for (method, wanted) in &methods {
                let answer = self.argument(wanted, tried);
                // Objects are asked for again and again without being others.
                if answers.len() < MOST_ANSWERS && (round == 0 || matches!(answer, Wanted::Value(_))) {
                    answers.push(method.clone());
                    arguments.push(answer);
                }
            }
        }
        Some(Draft {
            symbol: format!("{}.<stub>", facts.name),
            kind: Kind::Constructor,
            action: Action::Stub { class: facts.name.clone(), parameters, answers },
            arguments,
            returns: Some(Type::Object(facts.name.clone())),
            holds: of.to_vec(),
            effects: Effects::default(),
            observes: false,
        })
    }

    /// The constructor with the fewest parameters that a subclass in the package of the tests can call.
    fn simplest<'f>(&self, facts: &'f ClassFacts) -> Option<&'f MethodFacts> {
        let is_open = |method: &&MethodFacts| {
            let access = method.access;
            let is_near = !access.is_private() && facts.package() == self.package;
            method.name == "<init>" && (access.is_public() || access.is_protected() || is_near)
        };
        let count = |method: &&MethodFacts| {
            method.descriptor.parse::<MethodDescriptor>().map_or(usize::MAX, |of| of.parameters.len())
        };
        facts.methods.iter().filter(is_open).min_by_key(count)
    }

    /// The methods that a class leaves to others and that give something, with what that is where the class has these type arguments.
    fn unimplemented(&self, facts: &ClassFacts, of: &[Typed]) -> Vec<(Answering, Typed)> {
        let all = inherited(self.knowledge.hierarchy, facts, of);
        let is_same = |a: &MethodFacts, b: &MethodFacts| a.name == b.name && a.descriptor == b.descriptor;
        let mut found: Vec<(Answering, Typed)> = Vec::new();
        for (at, (method, result)) in all.iter().enumerate() {
            let is_done = all.iter().any(|(other, _)| !other.access.is_abstract() && is_same(other, method));
            let is_known = all[..at].iter().any(|(other, _)| is_same(other, method));
            if !method.access.is_abstract() || is_done || is_known || is_of_objects(method) {
                continue;
            }
            let Ok(descriptor) = method.descriptor.parse::<MethodDescriptor>() else { continue };
            // Something that takes itself to be made is never begun with.
            let (Some(erased), Some(result)) = (descriptor.result.clone(), result) else { continue };
            let is_itself = |ty: &Type| matches!(ty, Type::Object(name) if *name == facts.name);
            if is_itself(&erased) || is_itself(&result.ty) {
                continue;
            }
            let fits = erased == result.ty || self.knowledge.hierarchy.is_assignable(&result.ty, &erased);
            let result = if fits { result.clone() } else { Typed::plain(erased) };
            found.push((Answering { name: method.name.clone(), descriptor }, result));
        }
        found
    }
}

/// Whether every object has a method, and interfaces only repeat it.
fn is_of_objects(method: &MethodFacts) -> bool {
    let symbol = format!("{}{}", method.name, method.descriptor);
    ["equals(Ljava/lang/Object;)Z", "hashCode()I", "toString()Ljava/lang/String;"].contains(&symbol.as_str())
}

/// What a file or folder that a test makes for itself is called where members have names.
#[must_use]
pub fn own_file(is_folder: bool) -> &'static str {
    if is_folder { "java/io/File.<folder>" } else { "java/io/File.<file>" }
}
