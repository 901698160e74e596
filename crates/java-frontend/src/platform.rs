//! Classes of the platform, read when somebody asks.
//!
//! Every runtime since Java 9 keeps them in [one file](crate::image). An older one leaves a short table of supertypes.

use crate::facts::{ClassFacts, Origin};
use crate::image::Image;
use crate::jdk::Jdk;
use java_classfile::{Access, ClassFile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The classes of a Java runtime.
pub struct Platform {
    /// The folder of the runtime, if there is one.
    home: Option<PathBuf>,
    image: Option<Image>,
    read: Mutex<HashMap<String, Option<Arc<ClassFacts>>>>,
}

impl Platform {
    /// The one that classes run in.
    #[must_use]
    pub fn find() -> Platform {
        match Jdk::home_of(&Jdk::find().java) {
            Some(home) => Platform::at(&home),
            None => Platform::absent(),
        }
    }

    /// The runtime in a folder.
    #[must_use]
    pub fn at(home: &Path) -> Platform {
        let image = Image::open(&home.join("lib/modules"));
        // One whose classes cannot be read is of no use.
        let image = image.filter(|image| image.class("java/lang/Object").is_some());
        Platform { home: Some(home.to_owned()), image, read: Mutex::default() }
    }

    /// No runtime: the table alone.
    #[must_use]
    pub fn absent() -> Platform {
        Platform { home: None, image: None, read: Mutex::default() }
    }

    /// What is missing for exact answers, in words.
    #[must_use]
    pub fn shortcoming(&self) -> Option<String> {
        match (&self.image, &self.home) {
            (Some(_), _) => None,
            (None, Some(home)) => Some(format!(
                "{} has no classes that can be read: of platform classes only a few supertypes are known",
                home.join("lib/modules").display()
            )),
            (None, None) => Some("no Java: of platform classes only a few supertypes are known".to_owned()),
        }
    }

    /// What is known of a class of the platform.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(name) {
            return known.clone();
        }
        let class = self.find_class(name).or_else(|| built_in(name)).map(Arc::new);
        read.insert(name.to_owned(), class.clone());
        class
    }

    /// A class of the platform with all that stands in its file.
    #[must_use]
    pub fn class_file(&self, name: &str) -> Option<ClassFile> {
        ClassFile::read(&self.image.as_ref()?.class(name)?).ok()
    }

    /// Names of the classes of a package, with slashes.
    pub(crate) fn package(&self, package: &str) -> Vec<String> {
        self.image.as_ref().map(|image| image.package(package)).unwrap_or_default()
    }

    fn find_class(&self, name: &str) -> Option<ClassFacts> {
        Some(ClassFacts::of(&self.class_file(name)?, Origin::Platform))
    }
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
        signature: None,
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
        assert!(platform.shortcoming().expect("said").contains("no Java"));
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
    fn classes_of_every_runtime_are_read() {
        let places = [None, Some(21), Some(25)].map(|version| version.map(java_testing::runtime));
        for place in places {
            let platform = place.map_or_else(Platform::find, |home| Platform::at(&home));
            assert_eq!(platform.shortcoming(), None);
            let map = platform.class("java/util/TreeMap").expect("in java.base");
            assert!(map.interfaces.contains(&"java/util/NavigableMap".to_owned()));
            let logger = platform.class("java/util/logging/Logger").expect("in java.logging");
            assert_eq!(logger.superclass.as_deref(), Some("java/lang/Object"));
            assert!(platform.class("no/such/Class").is_none());
        }
    }

    #[test]
    fn a_runtime_without_classes_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let platform = Platform::at(folder.path());
        assert!(platform.shortcoming().expect("said").contains("lib/modules"));
        assert!(platform.class("java/util/ArrayList").is_some(), "in the table");
    }
}
