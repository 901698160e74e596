//! Classes of the platform, read when somebody asks.
//!
//! A JDK keeps them as modules in `jmods`. Nearly all that programs name is in `java.base`, so the other modules are only looked
//! into for a class that is not there. A runtime without `jmods` leaves a short table of supertypes.

use crate::archive::Archive;
use crate::facts::{ClassFacts, Origin, package as package_of};
use java_classfile::{Access, ClassFile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The classes of a JDK.
pub struct Platform {
    /// The folder of the JDK, if there is one.
    home: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Modules that nobody has looked into yet, the next one last.
    closed: Vec<PathBuf>,
    open: Vec<Archive>,
    /// Which of the open modules has a class.
    module_of: HashMap<String, usize>,
    read: HashMap<String, Option<Arc<ClassFacts>>>,
}

impl Platform {
    /// The JDK whose `javac` or `java` is found first on the path.
    #[must_use]
    pub fn find() -> Platform {
        let home = ["javac", "java"].into_iter().find_map(home_of);
        match home {
            Some(home) => Platform::at(&home),
            None => Platform::absent(),
        }
    }

    /// The JDK in a folder.
    #[must_use]
    pub fn at(home: &Path) -> Platform {
        let mut closed = modules(&home.join("jmods"));
        // The next one is last, and the base module is the first that is needed.
        closed.sort_by_key(|path| {
            (path.file_name().is_some_and(|name| name == "java.base.jmod"), path.clone())
        });
        Platform { home: Some(home.to_owned()), state: Mutex::new(State { closed, ..State::default() }) }
    }

    /// No JDK: the table alone.
    #[must_use]
    pub fn absent() -> Platform {
        Platform { home: None, state: Mutex::default() }
    }

    /// What is missing for exact answers, in words.
    #[must_use]
    pub fn shortcoming(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.open.is_empty() || !state.closed.is_empty() {
            return None;
        }
        Some(match &self.home {
            Some(home) => format!(
                "{} has no modules in jmods: of platform classes only a few supertypes are known",
                home.display()
            ),
            None => "no JDK on the path: of platform classes only a few supertypes are known".to_owned(),
        })
    }

    /// What is known of a class of the platform.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.read.get(name) {
            return known.clone();
        }
        let class = state.find(name).or_else(|| built_in(name)).map(Arc::new);
        state.read.insert(name.to_owned(), class.clone());
        class
    }

    /// A class of the platform with all that stands in its file.
    pub(crate) fn class_file(&self, name: &str) -> Option<ClassFile> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).read_class(name)
    }

    /// Names of the classes of a package, with slashes, as far as modules have been opened: the one that a known class is in has.
    pub(crate) fn package(&self, package: &str) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.module_of.keys().filter(|name| package_of(name) == package).cloned().collect()
    }
}

impl State {
    fn find(&mut self, name: &str) -> Option<ClassFacts> {
        Some(ClassFacts::of(&self.read_class(name)?, Origin::Platform))
    }

    fn read_class(&mut self, name: &str) -> Option<ClassFile> {
        loop {
            if let Some(&module) = self.module_of.get(name) {
                let bytes = self.open.get_mut(module)?.read(&format!("classes/{name}.class")).ok()?;
                return ClassFile::read(&bytes).ok();
            }
            self.open_next()?;
        }
    }

    /// Opens one more module; nothing if all are open. One that cannot be read has no classes.
    fn open_next(&mut self) -> Option<()> {
        let path = self.closed.pop()?;
        if let Ok(archive) = Archive::open(&path) {
            for entry in archive.names() {
                let name = entry.strip_prefix("classes/").and_then(|name| name.strip_suffix(".class"));
                if let Some(name) = name {
                    self.module_of.entry(name.to_owned()).or_insert(self.open.len());
                }
            }
            self.open.push(archive);
        }
        Some(())
    }
}

fn modules(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "jmod")).collect()
}

/// The JDK that a tool on the path belongs to: the tool itself is behind links, in `bin`.
fn home_of(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file())?;
    Some(found.canonicalize().ok()?.parent()?.parent()?.to_owned())
}

/// Supertypes of what nearly every program names: class, superclass, interfaces. Names of `java.util` have no package.
const TABLE: &[(&str, &str, &[&str])] = &[
    ("java/lang/Object", "", &[]),
    ("java/lang/Number", "java/lang/Object", &["java/io/Serializable"]),
    ("java/lang/Integer", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Long", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Short", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Byte", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Float", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Double", "java/lang/Number", &["java/lang/Comparable"]),
    ("java/lang/Character", "java/lang/Object", &["java/io/Serializable", "java/lang/Comparable"]),
    ("java/lang/Boolean", "java/lang/Object", &["java/io/Serializable", "java/lang/Comparable"]),
    (
        "java/lang/String",
        "java/lang/Object",
        &["java/io/Serializable", "java/lang/Comparable", "java/lang/CharSequence"],
    ),
    ("java/lang/Enum", "java/lang/Object", &["java/lang/Comparable", "java/io/Serializable"]),
    ("java/lang/Record", "java/lang/Object", &[]),
    ("java/lang/Throwable", "java/lang/Object", &["java/io/Serializable"]),
    ("java/lang/Error", "java/lang/Throwable", &[]),
    ("java/lang/Exception", "java/lang/Throwable", &[]),
    ("java/lang/RuntimeException", "java/lang/Exception", &[]),
    ("java/util/AbstractCollection", "java/lang/Object", &["java/util/Collection"]),
    ("java/util/AbstractList", "java/util/AbstractCollection", &["java/util/List"]),
    ("java/util/ArrayList", "java/util/AbstractList", &["java/util/List"]),
    ("java/util/AbstractSequentialList", "java/util/AbstractList", &[]),
    ("java/util/LinkedList", "java/util/AbstractSequentialList", &["java/util/List", "java/util/Deque"]),
    ("java/util/AbstractSet", "java/util/AbstractCollection", &["java/util/Set"]),
    ("java/util/HashSet", "java/util/AbstractSet", &["java/util/Set"]),
    ("java/util/TreeSet", "java/util/AbstractSet", &["java/util/Set"]),
    ("java/util/AbstractMap", "java/lang/Object", &["java/util/Map"]),
    ("java/util/HashMap", "java/util/AbstractMap", &["java/util/Map"]),
    ("java/util/TreeMap", "java/util/AbstractMap", &["java/util/Map"]),
];

/// Interfaces of the same kind, with what they extend.
const INTERFACES: &[(&str, &[&str])] = &[
    ("java/io/Serializable", &[]),
    ("java/lang/Comparable", &[]),
    ("java/lang/CharSequence", &[]),
    ("java/lang/Runnable", &[]),
    ("java/lang/Iterable", &[]),
    ("java/lang/AutoCloseable", &[]),
    ("java/util/Collection", &["java/lang/Iterable"]),
    ("java/util/List", &["java/util/Collection"]),
    ("java/util/Set", &["java/util/Collection"]),
    ("java/util/Queue", &["java/util/Collection"]),
    ("java/util/Deque", &["java/util/Queue"]),
    ("java/util/Map", &[]),
    ("java/util/Iterator", &[]),
    ("java/util/Comparator", &[]),
];

fn built_in(name: &str) -> Option<ClassFacts> {
    let bare = |superclass: Option<&str>, interfaces: &[&str], flags: u16| ClassFacts {
        name: name.to_owned(),
        access: Access(0x0001 | flags),
        superclass: superclass.map(str::to_owned),
        interfaces: interfaces.iter().map(|name| (*name).to_owned()).collect(),
        fields: Vec::new(),
        methods: Vec::new(),
        is_deprecated: false,
        origin: Origin::Platform,
    };
    if let Some((_, superclass, interfaces)) = TABLE.iter().find(|row| row.0 == name) {
        return Some(bare(Some(*superclass).filter(|name| !name.is_empty()), interfaces, 0));
    }
    let (_, extends) = INTERFACES.iter().find(|row| row.0 == name)?;
    Some(bare(Some("java/lang/Object"), extends, 0x0600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_jdk_the_table_answers() {
        let platform = Platform::absent();
        assert!(platform.shortcoming().expect("said").contains("no JDK"));
        let list = platform.class("java/util/ArrayList").expect("in the table");
        assert_eq!(list.superclass.as_deref(), Some("java/util/AbstractList"));
        assert!(platform.class("java/util/List").expect("in the table").access.is_interface());
        assert!(platform.class("java/util/Unheard").is_none());
        let known =
            |name: &str| TABLE.iter().any(|row| row.0 == name) || INTERFACES.iter().any(|row| row.0 == name);
        for (name, superclass, interfaces) in TABLE {
            assert!(superclass.is_empty() || known(superclass), "{name}");
            assert!(interfaces.iter().all(|name| known(name)), "{name}");
        }
    }

    #[test]
    fn modules_are_opened_until_one_has_the_class() {
        let platform = Platform::find();
        assert_eq!(platform.shortcoming(), None);
        let map = platform.class("java/util/TreeMap").expect("in java.base");
        assert!(map.interfaces.contains(&"java/util/NavigableMap".to_owned()));
        assert_eq!(platform.state.lock().expect("unused").open.len(), 1);
        let logger = platform.class("java/util/logging/Logger").expect("in java.logging");
        assert_eq!(logger.superclass.as_deref(), Some("java/lang/Object"));
        assert!(platform.class("no/such/Class").is_none());
    }
}
