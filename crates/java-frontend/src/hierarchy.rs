//! Who extends whom: over own classes, dependencies and the platform.
//!
//! Class hierarchy analysis (Dean, Grove and Chambers, 1995) knows as receivers of a call all classes it has heard of. Here those
//! are the own ones: what subclasses a dependency has elsewhere is no part of the program under test.

use crate::archive::Archive;
use crate::facts::{ClassFacts, FieldFacts, Origin, package};
use crate::platform::Platform;
use crate::sources::ClassPath;
use java_classfile::{ClassFile, Type};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

const OBJECT: &str = "java/lang/Object";

/// The hierarchy of everything that a program may name.
pub struct Hierarchy {
    own: HashMap<String, Arc<ClassFacts>>,
    /// Per type the own classes below it, itself included, by name.
    below: HashMap<String, BTreeSet<String>>,
    dependencies: Mutex<Dependencies>,
    platform: Arc<Platform>,
    /// Answers that were given before: every question about types ends here.
    supertypes: Mutex<HashMap<String, Arc<[String]>>>,
    /// By package: what [`Hierarchy::neighbours`] found.
    neighbours: Mutex<HashMap<String, Arc<[Arc<ClassFacts>]>>>,
}

struct Dependencies {
    folders: Vec<PathBuf>,
    archives: Vec<Archive>,
    read: HashMap<String, Option<Arc<ClassFacts>>>,
}

impl Dependencies {
    fn class(&mut self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let facts = self.class_file(name).map(|class| Arc::new(ClassFacts::of(&class, Origin::Dependency)));
        self.read.insert(name.to_owned(), facts.clone());
        facts
    }

    fn class_file(&mut self, name: &str) -> Option<ClassFile> {
        let file = format!("{name}.class");
        let in_folder = self.folders.iter().find_map(|folder| std::fs::read(folder.join(&file)).ok());
        let bytes =
            in_folder.or_else(|| self.archives.iter_mut().find_map(|archive| archive.read(&file).ok()));
        bytes.and_then(|bytes| ClassFile::read(&bytes).ok())
    }

    /// Names of the classes of a package in archives. Nobody has a folder of dependencies that are worth looking through.
    fn package(&self, wanted: &str) -> Vec<String> {
        let names = self.archives.iter().flat_map(Archive::names);
        let classes = names.filter_map(|name| Some(name.strip_suffix(".class")?.to_owned()));
        classes.filter(|name| package(name) == wanted).collect()
    }
}

impl Hierarchy {
    /// Of a class path. A dependency that cannot be opened has no classes: whoever runs the tests will say so.
    #[must_use]
    pub fn new(classes: &ClassPath, platform: Platform) -> Hierarchy {
        let facts = |(index, entry): (usize, &crate::ClassEntry)| {
            (entry.name.clone(), Arc::new(ClassFacts::of(&entry.class, Origin::Own(index))))
        };
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            classes.entries().into_iter().partition(|path| path.is_dir());
        let archives = files.iter().filter_map(|path| Archive::open(path).ok()).collect();
        let mut hierarchy = Hierarchy {
            own: classes.own.iter().enumerate().map(facts).collect(),
            below: HashMap::new(),
            dependencies: Mutex::new(Dependencies { folders, archives, read: HashMap::new() }),
            platform: Arc::new(platform),
            supertypes: Mutex::default(),
            neighbours: Mutex::default(),
        };
        let names: Vec<String> = hierarchy.own.keys().cloned().collect();
        for name in names {
            for supertype in hierarchy.supertypes(&name).iter() {
                hierarchy.below.entry(supertype.clone()).or_default().insert(name.clone());
            }
        }
        hierarchy
    }

    /// The platform behind it.
    #[must_use]
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// What is known of a class.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(own) = self.own.get(name) {
            return Some(own.clone());
        }
        let mut dependencies = self.dependencies.lock().unwrap_or_else(PoisonError::into_inner);
        // A dependency that takes a name of the platform is never loaded by a JVM.
        if name.starts_with("java/") { self.platform.class(name) } else { dependencies.class(name) }
            .or_else(|| self.platform.class(name))
    }

    /// A class that is not an own one, with all that stands in its file; read anew for everyone who asks.
    #[must_use]
    pub fn class_file(&self, name: &str) -> Option<ClassFile> {
        match self.class(name)?.origin {
            Origin::Own(_) => None,
            Origin::Platform => self.platform.class_file(name),
            Origin::Dependency => {
                self.dependencies.lock().unwrap_or_else(PoisonError::into_inner).class_file(name)
            }
        }
    }

    /// The public classes of the package of a class that is not an own one, in the order of their names.
    pub(crate) fn neighbours(&self, facts: &ClassFacts) -> Arc<[Arc<ClassFacts>]> {
        let known = || self.neighbours.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(facts.package()) {
            return known.clone();
        }
        let names: BTreeSet<String> = match facts.origin {
            Origin::Platform => self.platform.package(facts.package()),
            _ => {
                let dependencies = self.dependencies.lock().unwrap_or_else(PoisonError::into_inner);
                dependencies.package(facts.package())
            }
        }
        .into_iter()
        .collect();
        let public = names.iter().filter_map(|name| self.class(name)).filter(|class| self.is_open(class));
        let found: Arc<[Arc<ClassFacts>]> = public.collect();
        known().insert(facts.package().to_owned(), found.clone());
        found
    }

    /// Whether everybody may name a class that is not an own one: it and those around it are public.
    fn is_open(&self, class: &ClassFacts) -> bool {
        let around = class.name.rsplit_once('$').and_then(|(outer, _)| self.class(outer));
        class.access.is_public()
            && !class.access.is_synthetic()
            && around.is_none_or(|outer| self.is_open(&outer))
    }

    /// An own class.
    #[must_use]
    pub fn own(&self, name: &str) -> Option<&Arc<ClassFacts>> {
        self.own.get(name)
    }

    /// A class and everything that it extends and implements, superclasses first, then interfaces. Classes that nobody knows are
    /// named, but nothing above them is. A hierarchy with a circle, which no JVM loads, ends where it begins again.
    #[must_use]
    pub fn supertypes(&self, name: &str) -> Arc<[String]> {
        let known = || self.supertypes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(name) {
            return known.clone();
        }
        let found: Arc<[String]> = self.find_supertypes(name).into();
        known().insert(name.to_owned(), found.clone());
        found
    }

    fn find_supertypes(&self, name: &str) -> Vec<String> {
        let mut chain = Vec::new();
        let mut interfaces = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(name.to_owned());
        while let Some(class) = next {
            if !seen.insert(class.clone()) {
                break;
            }
            let facts = self.class(&class);
            chain.push(class);
            interfaces.extend(facts.iter().flat_map(|facts| facts.interfaces.iter().cloned()));
            next = facts.and_then(|facts| facts.superclass.clone());
        }
        interfaces.reverse();
        while let Some(interface) = interfaces.pop() {
            if seen.insert(interface.clone()) {
                let facts = self.class(&interface);
                interfaces.extend(facts.iter().flat_map(|facts| facts.interfaces.iter().rev().cloned()));
                chain.push(interface);
            }
        }
        if seen.insert(OBJECT.to_owned()) {
            chain.push(OBJECT.to_owned());
        }
        chain
    }

    /// Whether a class is another one, or extends or implements it.
    #[must_use]
    pub fn is_subclass(&self, name: &str, of: &str) -> bool {
        if name == of || of == OBJECT {
            return true;
        }
        match self.own.contains_key(name) {
            true => self.below.get(of).is_some_and(|below| below.contains(name)),
            false => self.supertypes(name).iter().any(|supertype| supertype == of),
        }
    }

    /// Whether a value of the first type can be used as one of the second, section 5.5 of the Java virtual machine specification
    /// (`checkcast`), where no conversions take place.
    #[must_use]
    pub fn is_assignable(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Object(from), Type::Object(to)) => self.is_subclass(from, to),
            (Type::Array(_), Type::Object(to)) => {
                matches!(to.as_str(), "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable")
            }
            (Type::Array(from), Type::Array(to)) => {
                from == to || (from.is_reference() && to.is_reference() && self.is_assignable(from, to))
            }
            _ => from == to,
        }
    }

    /// The own classes that are a type or extend or implement it, by name.
    pub fn own_below(&self, name: &str) -> impl Iterator<Item = &Arc<ClassFacts>> {
        self.below.get(name).into_iter().flatten().filter_map(|name| self.own.get(name))
    }

    /// The class that declares the field which an instruction names.
    #[must_use]
    pub fn field(&self, class: &str, name: &str) -> Option<(Arc<ClassFacts>, FieldFacts)> {
        self.supertypes(class).iter().find_map(|supertype| {
            let facts = self.class(supertype)?;
            let field = facts.fields.iter().find(|field| field.name == name)?.clone();
            Some((facts, field))
        })
    }

    /// The class that has the method which an instruction names: the nearest above that declares it, one with code before one
    /// without.
    #[must_use]
    pub fn method(&self, class: &str, name: &str, descriptor: &str) -> Option<Arc<ClassFacts>> {
        let declaring = |supertype: &String| {
            let facts = self.class(supertype)?;
            let is_abstract = facts.method(name, descriptor)?.access.is_abstract();
            Some((facts, is_abstract))
        };
        let found: Vec<_> = self.supertypes(class).iter().filter_map(declaring).collect();
        let with_code = found.iter().find(|(_, is_abstract)| !is_abstract);
        with_code.or(found.first()).map(|(facts, _)| facts.clone())
    }

    /// The classes whose code a virtual call may run: what a receiver of the named class itself has, and what own classes below it
    /// have instead.
    #[must_use]
    pub fn dispatch(&self, class: &str, name: &str, descriptor: &str) -> Vec<Arc<ClassFacts>> {
        let mut found: Vec<Arc<ClassFacts>> = Vec::new();
        let mut add = |facts: Arc<ClassFacts>| {
            if !found.iter().any(|other| other.name == facts.name) {
                found.push(facts);
            }
        };
        self.method(class, name, descriptor).into_iter().for_each(&mut add);
        for below in self.own_below(class) {
            match below.method(name, descriptor) {
                Some(method) if !method.access.is_abstract() && !method.access.is_static() => {
                    add(below.clone())
                }
                // The code may come from above, where the named class does not see it: interface I, class A with m(), class B
                // extends A implements I.
                None if below.is_concrete() => {
                    self.method(&below.name, name, descriptor).into_iter().for_each(&mut add)
                }
                _ => {}
            }
        }
        found
    }
}
