//! Classes and members by the names that users give them: `shop.Cart`, `shop.Cart.add`, `Cart.add(int, String)`.

use crate::facts::{ClassFacts, MethodFacts};
use crate::hierarchy::Hierarchy;
use crate::names::{java_name, spell};
use crate::sources::ClassEntry;
use java_classfile::MethodDescriptor;
use std::sync::Arc;
use thiserror::Error;

/// Nothing has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no class, method or field `{name}`")]
pub struct NotNamed {
    /// The name.
    pub name: String,
    /// What is spelled nearly so.
    pub near: Option<String>,
}

/// Looks names up.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    classes: &'a [ClassEntry],
    hierarchy: &'a Hierarchy,
}

/// A method that was named.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedMethod {
    /// The class that declares it.
    pub class: Arc<ClassFacts>,
    /// The method.
    pub method: MethodFacts,
}

impl<'a> Names<'a> {
    /// Among own classes and, if they are named with their package, all that these can see.
    #[must_use]
    pub fn new(classes: &'a [ClassEntry], hierarchy: &'a Hierarchy) -> Names<'a> {
        Names { classes, hierarchy }
    }

    /// The classes with a name; own ones may be named without their package.
    #[must_use]
    pub fn classes(&self, name: &str) -> Vec<Arc<ClassFacts>> {
        let is_it = |internal: &str| {
            let full = java_name(internal);
            let nested = full.rsplit_once('.').map_or(full.as_str(), |(_, simple)| simple);
            let simple = simple_name(internal).replace('$', ".");
            [full.as_str(), nested, &simple].contains(&name)
        };
        let own = self.classes.iter().filter(|entry| is_it(&entry.name));
        let own: Vec<Arc<ClassFacts>> = own.filter_map(|entry| self.hierarchy.class(&entry.name)).collect();
        if own.is_empty() { self.elsewhere(name).into_iter().collect() } else { own }
    }

    /// A class that is not the user's: the last parts of its name may be nested classes.
    fn elsewhere(&self, name: &str) -> Option<Arc<ClassFacts>> {
        let parts: Vec<&str> = name.split('.').collect();
        // A class without a package is nothing that others could offer.
        let internal = |outer: usize| format!("{}/{}", parts[..outer].join("/"), parts[outer..].join("$"));
        (1..parts.len()).rev().find_map(|outer| self.hierarchy.class(&internal(outer)))
    }

    /// Symbols as [`crate::Options`] wants them: of a class `a/B`, of members `a/B.m`, of one overload `a/B.m(I)V`.
    ///
    /// # Errors
    /// When nothing has the name.
    pub fn symbols(&self, name: &str) -> Result<Vec<String>, NotNamed> {
        let classes = self.classes(name);
        if !classes.is_empty() {
            return Ok(classes.iter().map(|class| class.name.clone()).collect());
        }
        let methods = self.methods(name);
        if !methods.is_empty() {
            let whole = name.contains('(');
            let symbol = |named: &NamedMethod| {
                let bare = format!("{}.{}", named.class.name, named.method.name);
                if whole { bare + &named.method.descriptor } else { bare }
            };
            let mut symbols: Vec<String> = methods.iter().map(symbol).collect();
            symbols.dedup();
            return Ok(symbols);
        }
        let fields = self.fields(name);
        if fields.is_empty() { Err(self.not_named(name)) } else { Ok(fields) }
    }

    /// The methods and constructors with a name, `Class.method` or `Class.method(int, String)`; constructors are called `Class.new`.
    #[must_use]
    pub fn methods(&self, name: &str) -> Vec<NamedMethod> {
        let (head, parameters) = match name.split_once('(') {
            Some((head, rest)) => (head.trim_end(), Some(parameters(rest))),
            None => (name, None),
        };
        let Some((class, member)) = head.rsplit_once('.') else { return Vec::new() };
        let mut found = Vec::new();
        for class in self.classes(class) {
            let constructs = member == "new" || member == simple_name(&class.name);
            let member = if constructs { "<init>" } else { member };
            let named = class.methods.iter().filter(|method| method.name == member);
            let fits = |method: &&MethodFacts| {
                parameters.as_ref().is_none_or(|wanted| has_parameters(method, wanted))
            };
            found.extend(
                named.filter(fits).map(|method| NamedMethod { class: class.clone(), method: method.clone() }),
            );
        }
        found
    }

    fn fields(&self, name: &str) -> Vec<String> {
        let Some((class, member)) = name.rsplit_once('.') else { return Vec::new() };
        let mut classes = self.classes(class);
        classes.retain(|class| class.fields.iter().any(|field| field.name == member));
        classes.iter().map(|class| format!("{}.{member}", class.name)).collect()
    }

    /// The error for a name that nothing has.
    #[must_use]
    pub fn not_named(&self, name: &str) -> NotNamed {
        let head = name.split('(').next().unwrap_or(name);
        let of_class = head.rsplit_once('.').map_or_else(Vec::new, |(class, _)| self.classes(class));
        let known: Vec<String> = if of_class.is_empty() {
            let own = self.classes.iter().filter_map(|entry| self.hierarchy.class(&entry.name));
            own.flat_map(|class| spellings(&class)).collect()
        } else {
            of_class.iter().flat_map(|class| spellings(class)).collect()
        };
        // A name without package is compared with such names.
        let distance = |known: &String| {
            let short = known.match_indices('.').map(|(at, _)| &known[at + 1..]);
            short.chain([known.as_str()]).map(|known| strsim::damerau_levenshtein(head, known)).min()
        };
        let near = known.into_iter().min_by_key(distance);
        let near = near.filter(|near| distance(near).is_some_and(|far| far <= head.len() / 2));
        NotNamed { name: name.to_owned(), near }
    }
}

/// All that users can call a class and what is in it.
fn spellings(class: &ClassFacts) -> Vec<String> {
    let name = java_name(&class.name);
    let methods = class.methods.iter().filter(|method| !method.access.is_synthetic());
    let methods =
        methods.map(|method| method.name.replace("<init>", "new")).filter(|name| !name.starts_with('<'));
    let fields = class.fields.iter().filter(|field| !field.access.is_synthetic()).map(|f| f.name.clone());
    methods.chain(fields).map(|member| format!("{name}.{member}")).chain([name.clone()]).collect()
}

fn simple_name(internal: &str) -> &str {
    internal.rsplit('/').next().unwrap_or(internal)
}

/// The types between parentheses.
fn parameters(rest: &str) -> Vec<String> {
    let inside = rest.trim_end().trim_end_matches(')');
    inside.split(',').map(|ty| ty.trim().to_owned()).filter(|ty| !ty.is_empty()).collect()
}

/// Whether these are the parameters of a method, with or without packages.
fn has_parameters(method: &MethodFacts, wanted: &[String]) -> bool {
    let Ok(descriptor) = method.descriptor.parse::<MethodDescriptor>() else { return false };
    let is_type = |(ty, wanted): (&java_classfile::Type, &String)| {
        let full = spell(ty);
        full == *wanted || full.ends_with(&format!(".{wanted}"))
    };
    descriptor.parameters.len() == wanted.len() && descriptor.parameters.iter().zip(wanted).all(is_type)
}
