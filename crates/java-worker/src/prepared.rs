//! The classes of a program with both sets of hooks.

use crate::instrument::{HookError, HookSet, Untouched, instrument};
use java_classfile::ClassFile;
use java_wire::site;
use std::io::{self, Write};

/// Classes that a machine loads in place of those on its class path.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    short: Vec<(String, Vec<u8>)>,
    full: Vec<(String, Vec<u8>)>,
    untouched: Vec<(String, HookSet, Untouched)>,
    jumps: u32,
    methods: u32,
}

impl Prepared {
    /// No classes.
    #[must_use]
    pub fn new() -> Prepared {
        Prepared::default()
    }

    /// Adds a class. Its jumps and methods are numbered after those of the classes before it; `file` is what it was read from.
    ///
    /// # Errors
    /// When it cannot get hooks; then it is left out, and those that follow are numbered as if it was not there.
    pub fn add(&mut self, file: &[u8], class: &ClassFile) -> Result<(), HookError> {
        let short = instrument(file, class, self.jumps, self.methods, HookSet::Short)?;
        let full = instrument(file, class, self.jumps, self.methods, HookSet::Full)?;
        self.jumps += site::jumps(class).len() as u32;
        self.methods += class.methods.len() as u32;
        for (set, untouched) in [(HookSet::Short, short.untouched), (HookSet::Full, full.untouched)] {
            self.untouched.extend(untouched.into_iter().map(|method| (class.name.clone(), set, method)));
        }
        self.short.push((class.name.clone(), short.bytes));
        self.full.push((class.name.clone(), full.bytes));
        Ok(())
    }

    /// Adds a class as it is, without hooks and numbers.
    pub fn add_plain(&mut self, file: &[u8], name: &str) {
        self.short.push((name.to_owned(), file.to_vec()));
        self.full.push((name.to_owned(), file.to_vec()));
    }

    /// Methods that tell nothing, with their classes.
    #[must_use]
    pub fn untouched(&self) -> &[(String, HookSet, Untouched)] {
        &self.untouched
    }

    /// Jumps of all classes.
    #[must_use]
    pub fn jumps(&self) -> u32 {
        self.jumps
    }

    /// Methods of all classes, those without code among them.
    #[must_use]
    pub fn methods(&self) -> u32 {
        self.methods
    }

    /// Internal names and bytes of the classes with a set of hooks, in order.
    #[must_use]
    pub fn classes(&self, set: HookSet) -> &[(String, Vec<u8>)] {
        match set {
            HookSet::Short => &self.short,
            HookSet::Full => &self.full,
        }
    }

    /// How many, then name and bytes of each with their lengths, as `Loader.java` reads it.
    pub(crate) fn write(&self, set: HookSet, to: &mut impl Write) -> io::Result<()> {
        let classes = self.classes(set);
        to.write_all(&(classes.len() as u32).to_be_bytes())?;
        for (name, bytes) in classes {
            for part in [name.as_bytes(), bytes] {
                to.write_all(&(part.len() as u32).to_be_bytes())?;
                to.write_all(part)?;
            }
        }
        to.flush()
    }
}
