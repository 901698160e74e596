//! Classes without hooks whose code is known all the same: those of the platform.

use crate::program::MethodOf;
use elsa::sync::FrozenMap;
use java_classfile::{ClassFile, Method};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Their places begin behind those of all classes with hooks.
const FIRST: usize = 1 << 32;

/// Reads a class by its internal name.
type Read = dyn Fn(&str) -> Option<ClassFile> + Send + Sync;

/// Classes that are read when somebody asks, and kept.
pub(crate) struct Library {
    read: Box<Read>,
    classes: FrozenMap<String, Box<Entry>>,
    next: AtomicUsize,
}

/// A class, or that there is none of the name.
struct Entry {
    place: usize,
    file: Option<ClassFile>,
}

/// A class of the library.
#[derive(Clone, Copy)]
pub(crate) struct Quiet<'p> {
    pub(crate) place: usize,
    pub(crate) file: &'p ClassFile,
}

impl Library {
    pub(crate) fn new(read: Box<Read>) -> Library {
        Library { read, classes: FrozenMap::new(), next: AtomicUsize::new(FIRST) }
    }

    pub(crate) fn class(&self, name: &str) -> Option<Quiet<'_>> {
        let entry = match self.classes.get(name) {
            Some(entry) => entry,
            None => {
                let entry =
                    Entry { place: self.next.fetch_add(1, Ordering::Relaxed), file: (self.read)(name) };
                // If others were faster theirs counts.
                self.classes.insert(name.to_owned(), Box::new(entry))
            }
        };
        Some(Quiet { place: entry.place, file: entry.file.as_ref()? })
    }
}

impl<'p> Quiet<'p> {
    /// A method with code.
    pub(crate) fn method(self, index: usize) -> Option<MethodOf<'p>> {
        let method = self.file.methods.get(index)?;
        let code = method.code.as_ref()?;
        Some(MethodOf { class: self.place, index, number: u32::MAX, file: self.file, method, code })
    }

    pub(crate) fn declares(self, name: &str, descriptor: &str) -> Option<(usize, &'p Method)> {
        self.file.method(name, descriptor)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}
