//! Classes without hooks whose code is known all the same: those of the platform.

use crate::program::MethodOf;
use elsa::sync::FrozenMap;
use java_classfile::{ClassFile, Field, Instruction, Method};
use rustc_hash::FxHashSet;
use std::fmt;
use std::sync::OnceLock;
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
    /// Static fields that other code writes than its initialiser, by their names; `None` if that is not known.
    written: OnceLock<Option<FxHashSet<String>>>,
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
                let place = self.next.fetch_add(1, Ordering::Relaxed);
                let entry = Entry { place, file: (self.read)(name), written: OnceLock::new() };
                // If others were faster theirs counts.
                self.classes.insert(name.to_owned(), Box::new(entry))
            }
        };
        Some(Quiet { place: entry.place, file: entry.file.as_ref()? })
    }

    /// Whether nobody writes a static field but the initialiser of its class.
    pub(crate) fn is_set_once(&self, class: Quiet<'_>, field: &Field) -> bool {
        let Some(entry) = self.classes.get(&class.file.name).filter(|_| field.access.is_private()) else {
            return false;
        };
        let written = entry.written.get_or_init(|| self.written(class.file));
        written.as_ref().is_some_and(|written| !written.contains(&field.name))
    }

    /// Private fields are for all classes of a nest, which may write them directly since Java 11.
    fn written(&self, file: &ClassFile) -> Option<FxHashSet<String>> {
        let mut written = FxHashSet::default();
        let host = match &file.attributes.nest_host {
            Some(host) => self.class(host)?.file,
            None => file,
        };
        note_written(host, &file.name, &mut written);
        for member in &host.attributes.nest_members {
            note_written(self.class(member)?.file, &file.name, &mut written);
        }
        Some(written)
    }
}

/// The static fields of one class that another one, or the class itself, writes.
fn note_written(by: &ClassFile, class: &str, written: &mut FxHashSet<String>) {
    let is_initialiser = |method: &Method| by.name == class && method.name == "<clinit>";
    let others = by.methods.iter().filter(|method| !is_initialiser(method));
    for (_, instruction) in
        others.filter_map(|method| method.code.as_ref()).flat_map(|code| &code.instructions)
    {
        if let Instruction::PutStatic(index) = instruction
            && let Ok(field) = by.pool.member(*index)
            && field.class == class
        {
            written.insert(field.name.to_owned());
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const SOURCE: &str = r#"
public class Outer {
    private static int once = 1, own, inner, beside;
    static int open = 1;
    static void write() { own = 2; }
    static class Inner {
        private static int once;
        static { inner = 3; }
        static void write() { once = 4; }
        static class Innermost { static void write() { beside = 5; } }
    }
}
"#;

    #[test]
    fn classes_of_a_nest_write_the_fields_of_one_another() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let source = folder.path().join("Outer.java");
        std::fs::write(&source, SOURCE).expect("writable");
        let compiled = java_testing::compiled(&[source], &[]).into_iter();
        let classes: HashMap<String, ClassFile> =
            compiled.map(|compiled| (compiled.class.name.clone(), compiled.class)).collect();
        let library = Library::new(Box::new(move |name| classes.get(name).cloned()));
        let once = |class: &str| {
            let class = library.class(class).expect("a class");
            let fields = class.file.fields.iter().filter(|field| library.is_set_once(class, field));
            fields.map(|field| field.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(once("Outer"), ["once"]);
        assert_eq!(once("Outer$Inner"), [""; 0]);
    }
}
