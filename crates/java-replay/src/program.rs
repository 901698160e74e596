//! The classes whose code is executed once more.

use crate::library::{Library, Quiet};
use java_classfile::{ClassFile, Code, Field, Method, Pc};
use java_wire::message::ClassFacts;
use java_wire::site;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A class with hooks.
#[derive(Clone, Debug)]
pub struct Class {
    /// As it was before hooks were put in.
    pub file: ClassFile,
    /// Number of its first jump, see [`java_wire::site`].
    pub first_jump: u32,
    /// Number of its first method; the others follow as in [`ClassFile::methods`].
    pub first_method: u32,
}

/// The classes with hooks.
#[derive(Clone, Debug, Default)]
pub struct Program {
    classes: Vec<Class>,
    by_name: FxHashMap<String, usize>,
    /// By class, method and pc.
    jumps: FxHashMap<(usize, usize, Pc), u32>,
    /// First method and class, in order.
    methods: Vec<(u32, usize)>,
    library: Option<Arc<Library>>,
}

/// What machines say of classes, by their names.
pub(crate) type Facts<'a> = FxHashMap<&'a str, &'a ClassFacts>;

/// A method with code.
#[derive(Clone, Copy)]
pub(crate) struct MethodOf<'p> {
    /// Position of its class.
    pub(crate) class: usize,
    /// Position in its class.
    pub(crate) index: usize,
    /// Its number.
    pub(crate) number: u32,
    pub(crate) file: &'p ClassFile,
    pub(crate) method: &'p Method,
    pub(crate) code: &'p Code,
}

impl Program {
    /// Of these classes.
    #[must_use]
    pub fn new(classes: Vec<Class>) -> Program {
        let mut program = Program::default();
        for (position, class) in classes.iter().enumerate() {
            program.by_name.insert(class.file.name.clone(), position);
            program.methods.push((class.first_method, position));
            for (number, jump) in (class.first_jump..).zip(site::jumps(&class.file)) {
                program.jumps.insert((position, jump.method, jump.pc), number);
            }
        }
        program.methods.sort_unstable();
        program.classes = classes;
        program
    }

    /// The same with classes without hooks, read by their internal names when somebody asks.
    #[must_use]
    pub fn with_library(
        mut self,
        read: impl Fn(&str) -> Option<ClassFile> + Send + Sync + 'static,
    ) -> Program {
        self.library = Some(Arc::new(Library::new(Box::new(read))));
        self
    }

    /// A class without hooks.
    pub(crate) fn quiet_class(&self, name: &str) -> Option<Quiet<'_>> {
        self.library.as_ref()?.class(name)
    }

    /// Whether nobody writes a static field of a class without hooks but the initialiser of the class.
    pub(crate) fn is_set_once(&self, class: Quiet<'_>, field: &Field) -> bool {
        self.library.as_ref().is_some_and(|library| library.is_set_once(class, field))
    }

    /// A class by its internal name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.by_name.get(name).map(|&position| &self.classes[position])
    }

    pub(crate) fn method(&self, number: u32) -> Option<MethodOf<'_>> {
        // Classes without methods share the number of the next; the last of those that begin there has it.
        let after = self.methods.partition_point(|&(first, _)| first <= number);
        let (first, class) = *self.methods.get(after.checked_sub(1)?)?;
        let index = (number - first) as usize;
        let file = &self.classes[class].file;
        let method = file.methods.get(index)?;
        Some(MethodOf { class, index, number, file, method, code: method.code.as_ref()? })
    }

    /// The class with hooks that a method belongs to, and the line of an instruction of it; `None` if nobody knows the line.
    #[must_use]
    pub fn place(&self, method: u32, pc: Pc) -> Option<(&ClassFile, u16)> {
        let found = self.method(method)?;
        Some((found.file, found.code.line(pc)?))
    }

    pub(crate) fn jump(&self, class: usize, method: usize, pc: Pc) -> Option<u32> {
        self.jumps.get(&(class, method, pc)).copied()
    }

    /// The class that declares a field, looked up as the virtual machine does; the one that was asked for if it is not known.
    pub(crate) fn declaring<'n>(&'n self, class: &'n str, field: &str) -> &'n str {
        self.declares(class, field, 0).unwrap_or(class)
    }

    fn declares<'n>(&'n self, name: &str, field: &str, depth: usize) -> Option<&'n str> {
        // Class files of others may name each other in a circle.
        if depth > 64 {
            return None;
        }
        let file = self.file(name)?;
        if file.fields.iter().any(|declared| declared.name == field) {
            return Some(&file.name);
        }
        let above = file.interfaces.iter().chain(&file.superclass);
        above.into_iter().find_map(|above| self.declares(above, field, depth + 1))
    }

    /// A class with hooks or without.
    pub(crate) fn file(&self, name: &str) -> Option<&ClassFile> {
        let told = self.class(name).map(|class| &class.file);
        told.or_else(|| self.quiet_class(name).map(|class| class.file))
    }

    /// Whether a class is another one or has it above it; `None` if there are classes above it of which nothing is known.
    fn reaches(&self, class: &str, wanted: &str, facts: &Facts<'_>, depth: usize) -> Option<bool> {
        if class == wanted {
            return Some(true);
        }
        if depth > 64 {
            return None;
        }
        // What the machine says of a class is complete.
        if let Some(known) = facts.get(class) {
            return Some(known.supertypes.iter().any(|above| above == wanted));
        }
        let file = self.file(class)?;
        let mut sure = true;
        for above in file.interfaces.iter().chain(&file.superclass) {
            match self.reaches(above, wanted, facts, depth + 1) {
                Some(true) => return Some(true),
                Some(false) => {}
                // The bases of all exceptions and objects end there.
                None => sure &= matches!(above.as_str(), "java/lang/Object"),
            }
        }
        if sure { Some(false) } else { None }
    }

    /// Whether objects of a class, or arrays of a descriptor, are of a type; `None` if that is not known.
    pub(crate) fn is_subtype(&self, class: &str, wanted: &str, facts: &Facts<'_>) -> Option<bool> {
        if wanted == "java/lang/Object" || class == wanted {
            return Some(true);
        }
        if let Some(element) = class.strip_prefix('[') {
            if matches!(wanted, "java/lang/Cloneable" | "java/io/Serializable") {
                return Some(true);
            }
            let Some(wanted) = wanted.strip_prefix('[') else { return Some(false) };
            return match (reference(element), reference(wanted)) {
                (Some(element), Some(wanted)) => self.is_subtype(element, wanted, facts),
                _ => Some(element == wanted),
            };
        }
        if wanted.starts_with('[') {
            return Some(false);
        }
        self.reaches(class, wanted, facts, 0).or_else(|| well_known(class, wanted))
    }
}

/// The class of a descriptor, the descriptor itself of an array; `None` of a primitive type.
fn reference(descriptor: &str) -> Option<&str> {
    if descriptor.starts_with('[') {
        return Some(descriptor);
    }
    descriptor.strip_prefix('L')?.strip_suffix(';')
}

/// The exceptions that the virtual machine throws itself, with their superclasses: their classes may have no number yet.
pub(crate) fn well_known(class: &str, wanted: &str) -> Option<bool> {
    const ABOVE: [(&str, &str); 14] = [
        ("java/lang/NullPointerException", "java/lang/RuntimeException"),
        ("java/lang/ArithmeticException", "java/lang/RuntimeException"),
        ("java/lang/ClassCastException", "java/lang/RuntimeException"),
        ("java/lang/NegativeArraySizeException", "java/lang/RuntimeException"),
        ("java/lang/ArrayStoreException", "java/lang/RuntimeException"),
        ("java/lang/ArrayIndexOutOfBoundsException", "java/lang/IndexOutOfBoundsException"),
        ("java/lang/IndexOutOfBoundsException", "java/lang/RuntimeException"),
        ("java/lang/RuntimeException", "java/lang/Exception"),
        ("java/lang/Exception", "java/lang/Throwable"),
        ("java/lang/ExceptionInInitializerError", "java/lang/LinkageError"),
        ("java/lang/LinkageError", "java/lang/Error"),
        ("java/lang/Error", "java/lang/Throwable"),
        ("java/lang/Throwable", "java/io/Serializable"),
        ("java/io/Serializable", "java/lang/Object"),
    ];
    let mut at = class;
    let mut known = false;
    while let Some((_, above)) = ABOVE.iter().find(|(below, _)| *below == at) {
        known = true;
        at = above;
        if at == wanted {
            return Some(true);
        }
    }
    if known { Some(false) } else { None }
}
