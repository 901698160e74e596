//! What makes objects of classes that are not the user's: constructors, and what else their package has for that.
//!
//! Nobody can list all classes that programs may want. But who writes a type mostly puts beside it what makes objects of it: streams of bytes
//! beside streams, `StandardCharsets` beside `Charset`, `Path.of` in `Path`. So the package is looked through for classes below the type,
//! for methods that give it, and for constants. What takes least comes first, and few are taken.

use crate::calls::symbol;
use crate::effects::Effects;
use crate::facts::{ClassFacts, FieldFacts, MethodFacts, Origin};
use crate::statements::{Demand, Draft, Offers, Wanted};
use java_classfile::{MethodDescriptor, Type};
use java_wire::Action;
use sequence::{Kind, Role};

/// How many of each are offered.
const CONSTRUCTORS: usize = 3;
const CLASSES: usize = 4;
const METHODS: usize = 3;
const CONSTANTS: usize = 8;

/// Methods that give what the machine or the moment has, and not what a test asks for: their names begin so.
const OF_THE_MOMENT: &[&str] = &["now", "current", "default", "getDefault", "system", "random"];

impl Offers<'_> {
    /// What makes objects of a class from elsewhere.
    pub(crate) fn elsewhere(&self, facts: &ClassFacts) -> Vec<Draft> {
        let own = self.constructors(facts);
        let takes_values = |draft: &Draft| draft.arguments.iter().all(|a| matches!(a, Wanted::Value(_)));
        if own.iter().any(takes_values) {
            return own;
        }
        let neighbours = match facts.origin {
            Origin::Platform if !facts.name.starts_with("java") => return own,
            _ => self.knowledge.hierarchy.neighbours(facts),
        };
        let is_below = |class: &ClassFacts| {
            class.name != facts.name
                && !class.is_deprecated
                && self.knowledge.hierarchy.is_subclass(&class.name, &facts.name)
        };
        let below = neighbours.iter().filter(|class| is_below(class));
        let below = below.filter_map(|class| self.constructors(class).into_iter().find(takes_values));
        let methods = neighbours.iter().flat_map(|class| self.methods(class, facts));
        let constants = neighbours.iter().flat_map(|class| self.constants(class, facts));
        own.into_iter()
            .chain(least(below.collect(), CLASSES))
            .chain(least(methods.collect(), METHODS))
            .chain(constants.take(CONSTANTS))
            .collect()
    }

    /// Public constructors, those that take least first.
    fn constructors(&self, facts: &ClassFacts) -> Vec<Draft> {
        if !facts.access.is_public() || !facts.is_concrete() {
            return Vec::new();
        }
        let constructors =
            facts.methods.iter().filter(|method| method.name == "<init>" && self.is_calm(method));
        least(constructors.filter_map(|m| self.construct(&facts.name, &m.descriptor)).collect(), CONSTRUCTORS)
    }

    /// Public static methods of a class that give objects of another, or of itself.
    fn methods(&self, class: &ClassFacts, made: &ClassFacts) -> Vec<Draft> {
        let is_of_the_moment =
            |method: &MethodFacts| OF_THE_MOMENT.iter().any(|begin| method.name.starts_with(begin));
        let methods = class.methods.iter().filter(|method| {
            method.access.is_static()
                && self.is_calm(method)
                && !is_of_the_moment(method)
                && !class.is_deprecated
        });
        let drafts = methods.filter_map(|method| self.call(&class.name, &method.name, &method.descriptor));
        drafts.filter(|draft| draft.returns == Some(Type::Object(made.name.clone()))).collect()
    }

    /// Whether tests may call a method: it is public, and does not say that it may fail for reasons that lie outside of the program.
    fn is_calm(&self, method: &MethodFacts) -> bool {
        let is_of_the_world =
            |thrown: &String| self.knowledge.hierarchy.is_subclass(thrown, "java/io/IOException");
        method.access.is_public()
            && !method.access.is_synthetic()
            && !method.is_deprecated
            && !method.throws.iter().any(is_of_the_world)
    }

    /// Public constants of a class that hold objects of another, or of itself.
    fn constants(&self, class: &ClassFacts, made: &ClassFacts) -> Vec<Draft> {
        let ty = Type::Object(made.name.clone());
        let is_it = |field: &&FieldFacts| {
            field.access.is_public() && field.access.is_static() && field.access.is_final() && field.ty == ty
        };
        let load = |field: &FieldFacts| Draft {
            symbol: format!("{}.{}", class.name, field.name),
            kind: Kind::StaticFieldLoad,
            action: Action::Load {
                class: class.name.clone(),
                name: field.name.clone(),
                ty: ty.clone(),
                is_static: true,
            },
            arguments: Vec::new(),
            returns: Some(ty.clone()),
            holds: Vec::new(),
            effects: Effects::default(),
            observes: false,
        };
        class.fields.iter().filter(is_it).map(load).collect()
    }

    /// Values, and objects of types that say what they are; `None` if one may be anything, or is what is to be made.
    fn arguments(&self, descriptor: &MethodDescriptor) -> Option<Vec<Wanted>> {
        let argument = |parameter: &Type| match (self.value(parameter), parameter) {
            (Some(slot), _) => Some(Wanted::Value(slot)),
            (None, Type::Object(name)) if name == "java/lang/Object" => None,
            (None, other) if descriptor.result.as_ref() == Some(other) => None,
            (None, other) => Some(Wanted::Object { role: Role::Argument, of: Demand::Type(other.clone()) }),
        };
        descriptor.parameters.iter().map(argument).collect()
    }

    /// A constructor from elsewhere, unless it takes just anything.
    pub(crate) fn construct(&self, class: &str, descriptor: &str) -> Option<Draft> {
        let parsed: MethodDescriptor = descriptor.parse().ok()?;
        Some(Draft {
            symbol: symbol(class, "<init>", descriptor),
            kind: Kind::Constructor,
            arguments: self.arguments(&parsed)?,
            returns: Some(Type::Object(class.to_owned())),
            holds: Vec::new(),
            effects: self.knowledge.summaries.opaque(
                self.knowledge.hierarchy,
                class,
                "<init>",
                &parsed,
                false,
            ),
            action: Action::Construct { class: class.to_owned(), descriptor: parsed },
            observes: false,
        })
    }

    /// A static method from elsewhere, if it leaves an object.
    pub(crate) fn call(&self, class: &str, name: &str, descriptor: &str) -> Option<Draft> {
        let parsed: MethodDescriptor = descriptor.parse().ok()?;
        Some(Draft {
            symbol: symbol(class, name, descriptor),
            kind: Kind::StaticMethod,
            arguments: self.arguments(&parsed)?,
            returns: Some(parsed.result.clone().filter(Type::is_reference)?),
            holds: Vec::new(),
            effects: self.knowledge.summaries.opaque(self.knowledge.hierarchy, class, name, &parsed, true),
            action: Action::Invoke {
                class: class.to_owned(),
                name: name.to_owned(),
                descriptor: parsed,
                is_static: true,
            },
            observes: false,
        })
    }
}

/// Those that take the fewest objects, then the fewest values.
fn least(mut drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    drafts.sort_by_key(|draft| {
        let objects = draft.arguments.iter().filter(|a| matches!(a, Wanted::Object { .. })).count();
        (objects, draft.arguments.len(), draft.symbol.clone())
    });
    drafts.truncate(most);
    drafts
}
