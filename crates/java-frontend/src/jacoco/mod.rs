//! Which branches JaCoCo 0.8.6 counts.
//!
//! JaCoCo leaves out code that stands in no source: it recognises what javac makes of some constructs, instruction by instruction. The
//! same is done here, so that the goals of a run are those that JaCoCo will confirm or deny.
//!
//! | construct | file |
//! |---|---|
//! | methods that the compiler made, `Generated` annotations, `values()` of enums | here |
//! | a switch over strings: the first of its two switches, by hash | `strings.rs` |
//! | `try (resource)`: whatever closes the resource | `resources.rs` |
//! | copies of `finally` blocks, which count as one | `finally.rs` |
//!
//! What it notices of a run that exceptions cut short: `probes.rs`.
//!
//! What JaCoCo leaves out beside these has no branches: `monitorexit` of `synchronized`, methods of records, empty private constructors and
//! those of enums. Not done are its patterns for the Eclipse compiler and for Kotlin.

mod finally;
mod matcher;
pub mod probes;
mod resources;
mod strings;

pub(crate) use matcher::same_opcode;

use java_classfile::{ClassFile, Code, Method};
use std::collections::HashMap;

/// Why JaCoCo does not count a branch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Filter {
    /// The class was made by the compiler.
    SyntheticClass,
    /// The method was made by the compiler; bodies of lambdas are not such.
    SyntheticMethod,
    /// `values()` or `valueOf(String)` of an enum.
    EnumMethod,
    /// The class or method has an annotation with `Generated` in its name.
    Generated,
    /// The switch by hash before the one that stands in the source, and its comparisons.
    StringSwitch,
    /// It closes what `try (…)` opened.
    TryWithResources,
    /// A copy of a `finally` block: what it does counts for the first one.
    FinallyCopy,
    /// A switch with one target only, which decides nothing.
    OneTarget,
}

/// What JaCoCo makes of a method: by the place of an instruction in its code.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct View {
    hidden: HashMap<usize, Filter>,
    /// Copies that count as another instruction.
    merged: HashMap<usize, usize>,
}

impl View {
    /// Of a method of a class.
    #[must_use]
    pub fn of(class: &ClassFile, method: &Method, code: &Code) -> View {
        let mut view = View::default();
        if let Some(filter) = whole(class, method) {
            view.hide(0, code.instructions.len(), filter);
            return view;
        }
        let listing = matcher::Listing { pool: &class.pool, code };
        strings::filter(&listing, &mut view);
        resources::filter(&listing, &mut view);
        finally::filter(&listing, &mut view);
        view
    }

    /// Why an instruction is not counted, if it is not.
    #[must_use]
    pub fn hidden(&self, at: usize) -> Option<Filter> {
        self.hidden.get(&at).copied().or_else(|| self.merged.contains_key(&at).then_some(Filter::FinallyCopy))
    }

    /// The instruction whose copy another one is.
    #[must_use]
    pub fn original(&self, at: usize) -> Option<usize> {
        self.merged.contains_key(&at).then(|| self.representative(at))
    }

    fn hide(&mut self, from: usize, to: usize, filter: Filter) {
        for at in from..to {
            self.hidden.entry(at).or_insert(filter);
        }
    }

    fn representative(&self, mut at: usize) -> usize {
        while let Some(&next) = self.merged.get(&at) {
            at = next;
        }
        at
    }

    fn merge(&mut self, first: usize, second: usize) {
        let (first, second) = (self.representative(first), self.representative(second));
        if first != second {
            self.merged.insert(second, first);
        }
    }
}

/// What leaves a whole method out.
fn whole(class: &ClassFile, method: &Method) -> Option<Filter> {
    // Only the simple name counts, and for a nested annotation that is what follows the last `$`.
    let generated =
        |name: &String| name.rsplit(['/', '$']).next().is_some_and(|simple| simple.contains("Generated"));
    let descriptor = method.descriptor.to_string();
    let is_enum = class.superclass.as_deref() == Some("java/lang/Enum");
    let is_values = method.name == "values" && descriptor == format!("()[L{};", class.name);
    let is_value_of =
        method.name == "valueOf" && descriptor == format!("(Ljava/lang/String;)L{};", class.name);
    if class.access.is_synthetic() {
        Some(Filter::SyntheticClass)
    } else if method.access.is_synthetic() && !method.name.starts_with("lambda$") {
        Some(Filter::SyntheticMethod)
    } else if is_enum && (is_values || is_value_of) {
        Some(Filter::EnumMethod)
    } else if class.attributes.annotations.iter().chain(&method.annotations).any(generated) {
        Some(Filter::Generated)
    } else {
        None
    }
}
