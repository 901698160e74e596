//! The statements that own classes offer to tests: constructors, methods, fields.

use crate::calls::{Callees, MethodTable, symbol};
use crate::effects::Effects;
use crate::facts::{ClassFacts, Origin, package};
use crate::generics::{Generics, Typed};
use crate::hierarchy::Hierarchy;
use crate::names::is_writable;
use crate::observers::{can_be_told, only_reads};
use crate::options::{Options, names};
use crate::sources::ClassEntry;
use crate::summary::Summaries;
use java_classfile::instruction::InvokeKind;
use java_classfile::{Access, Code, Field, Instruction, MemberRef, Method, MethodDescriptor, Pool, Type};
use java_wire::{Action, Slot};
use model::FunctionId;
use sequence::{Kind, Role};
use std::collections::BTreeSet;

const OBJECT: &str = "java/lang/Object";
const STRING: &str = "java/lang/String";
const CHARACTERS: &str = "java/lang/CharSequence";
const BUFFER: &str = "java/nio/CharBuffer";

/// A statement before it has a number.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) symbol: String,
    pub(crate) kind: Kind,
    pub(crate) action: Action,
    /// The receiver first.
    pub(crate) arguments: Vec<Wanted>,
    /// The object it leaves; values are none.
    pub(crate) returns: Option<Type>,
    /// The type arguments of that, if they are known.
    pub(crate) holds: Vec<Typed>,
    pub(crate) effects: Effects,
    /// It is for looking at objects: takes nothing, changes nothing and gives a value.
    pub(crate) observes: bool,
}

/// What an argument is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Wanted {
    Value(Slot),
    Object { role: Role, of: Demand },
}

/// What fits into a place for objects.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Demand {
    Type(Type),
    /// The same with type arguments or further bounds: what is known to have others does not fit.
    Of(Typed),
    /// A parameter that takes everything: only types that make a difference to the code are tried.
    OneOf(Vec<Type>),
}

impl Demand {
    pub(crate) fn types(&self) -> &[Type] {
        match self {
            Demand::Type(ty) => std::slice::from_ref(ty),
            Demand::Of(typed) => std::slice::from_ref(&typed.ty),
            Demand::OneOf(types) => types,
        }
    }
}

/// What is known of the whole program.
#[derive(Clone, Copy)]
pub struct Knowledge<'a> {
    /// The own classes.
    pub classes: &'a [ClassEntry],
    /// All classes.
    pub hierarchy: &'a Hierarchy,
    /// The own methods.
    pub methods: &'a MethodTable,
    /// What they do.
    pub summaries: &'a Summaries,
}

/// Collects the statements of tests that live in one package.
pub(crate) struct Offers<'a> {
    pub(crate) knowledge: Knowledge<'a>,
    pub(crate) options: &'a Options,
    pub(crate) package: &'a str,
    pub(crate) callees: Callees<'a>,
}

impl Offers<'_> {
    /// All statements of all own classes that tests can name.
    pub(crate) fn all(&mut self) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let characters = self.told_apart();
        for (number, entry) in self.knowledge.classes.iter().enumerate() {
            let Some(facts) = self.knowledge.hierarchy.own(&entry.name).cloned() else { continue };
            if !self.can_name(&facts) {
                continue;
            }
            for method in &entry.class.methods {
                let Some(draft) = self.method(number, entry, &facts, method) else { continue };
                let with_objects = with_other_characters(&draft, method, &characters);
                drafts.push(draft);
                drafts.extend(with_objects);
            }
            if self.options.fields {
                drafts.extend(entry.class.fields.iter().flat_map(|field| self.field(number, &facts, field)));
            }
        }
        drafts
    }

    /// Classes of characters that are no texts, if some code asks which class characters are of: those that it names, and one that nobody
    /// thinks of.
    fn told_apart(&self) -> Vec<Type> {
        let hierarchy = self.knowledge.hierarchy;
        if self.value(&Type::Object(CHARACTERS.to_owned())).is_none() {
            return Vec::new();
        }
        let mut named = BTreeSet::new();
        for entry in self.knowledge.classes {
            let code = entry.class.methods.iter().filter_map(|method| method.code.as_ref());
            for (_, instruction) in code.flat_map(|code| &code.instructions) {
                let Instruction::InstanceOf(class) = instruction else { continue };
                let class = entry.class.pool.class_name(*class).unwrap_or(OBJECT);
                if class != CHARACTERS && hierarchy.is_subclass(class, CHARACTERS) {
                    named.insert(class.to_owned());
                }
            }
        }
        if !named.is_empty() {
            named.insert(BUFFER.to_owned());
        }
        named.into_iter().filter(|class| class != STRING).map(Type::Object).collect()
    }

    /// Whether the user allows a statement beside the one that a test is for.
    pub(crate) fn allows(&self, symbol: &str) -> bool {
        let class = symbol.split('.').next().unwrap_or(symbol);
        self.options.allows(symbol, self.knowledge.hierarchy.own(class).is_some())
    }

    /// Whether tests can write the name of a class: it has one, and it and all classes around it are visible.
    pub(crate) fn can_name(&self, facts: &ClassFacts) -> bool {
        if !self.is_visible(&facts.name, facts.access) || facts.access.is_synthetic() {
            return false;
        }
        let Origin::Own(number) = facts.origin else { return false };
        let Some(entry) = self.knowledge.classes.get(number) else { return false };
        let inner = entry.class.attributes.inner_classes.iter().find(|inner| inner.name == facts.name);
        let simple = inner.and_then(|inner| inner.simple_name.as_deref());
        if simple.map_or_else(|| !facts.name.split('/').all(is_writable), |simple| !is_writable(simple)) {
            return false;
        }
        match inner.map(|inner| &inner.outer) {
            None => true,
            // Local and anonymous classes are members of nothing.
            Some(None) => false,
            Some(Some(outer)) => {
                self.knowledge.hierarchy.own(outer).is_some_and(|outer| self.can_name(outer))
            }
        }
    }

    pub(crate) fn is_visible(&self, symbol: &str, access: Access) -> bool {
        if access.is_public() {
            return true;
        }
        let class = symbol.split('.').next().unwrap_or(symbol);
        let allowed =
            self.options.package_access || names(&self.options.also, symbol) || !symbol.contains('.');
        !access.is_private() && package(class) == self.package && allowed
    }

    fn method(
        &mut self,
        number: usize,
        entry: &ClassEntry,
        facts: &ClassFacts,
        method: &Method,
    ) -> Option<Draft> {
        let descriptor = method.descriptor.to_string();
        let symbol = symbol(&entry.name, &method.name, &descriptor);
        let made_by_compiler =
            method.access.is_synthetic() || method.access.is_bridge() || method.name == "<clinit>";
        if method.name != "<init>" && !is_writable(&method.name) {
            return None;
        }
        if made_by_compiler || !self.is_visible(&symbol, method.access) || is_of_enum(entry, method) {
            return None;
        }
        let constructs = method.name == "<init>";
        if constructs && !facts.is_concrete() || method.access.is_abstract() && !self.hides_code(&entry.name)
        {
            return None;
        }
        let id = self.knowledge.methods.get(&entry.name, &method.name, &descriptor);
        let (kind, action) = action_of(&entry.name, method);
        let mut arguments = Vec::new();
        if kind.has_receiver() {
            arguments.push(receiver(&entry.name));
        }
        let generics =
            facts.method(&method.name, &descriptor).and_then(|method| Generics::of(facts, method))?;
        arguments.extend(generics.parameters.iter().map(|typed| self.wanted(entry, method, typed)));
        let effects = self.effects(number, &entry.name, method, &descriptor, id);
        let result = if constructs { None } else { method.descriptor.result.as_ref() };
        let returns = match result {
            _ if constructs => Some(Type::Object(entry.name.clone())),
            Some(result) if method.access.is_static() && arguments.is_empty() && is_place(result) => None,
            other => object(other),
        };
        let tells = result.is_some_and(|ty| can_be_told(ty, self.knowledge.hierarchy));
        let observes = tells
            && match kind {
                Kind::InstanceMethod => arguments.len() == 1 && effects.is_pure(),
                // That its class is initialised is nothing new when a test is through.
                Kind::StaticMethod => arguments.is_empty() && method.code.as_ref().is_some_and(only_reads),
                _ => false,
            };
        let holds = generics.result.filter(|_| returns.is_some()).map_or_else(Vec::new, |typed| typed.of);
        Some(Draft { symbol, kind, action, arguments, returns, holds, effects, observes })
    }

    /// Whether some code behind an abstract method can only be called through it: a class below has no name for tests, or there is none.
    fn hides_code(&self, class: &str) -> bool {
        let mut below =
            self.knowledge.hierarchy.own_below(class).filter(|facts| facts.is_concrete()).peekable();
        below.peek().is_none() || below.any(|facts| !self.can_name(facts))
    }

    fn effects(
        &mut self,
        number: usize,
        class: &str,
        method: &Method,
        descriptor: &str,
        id: Option<FunctionId>,
    ) -> Effects {
        let summaries = self.knowledge.summaries;
        let mut effects = Effects::default();
        let constructs = method.name == "<init>";
        if constructs || method.access.is_static() {
            let whole = [id.and_then(|id| summaries.of(id)), summaries.initialized(number)];
            whole.into_iter().flatten().for_each(|more| effects.unite(more));
            summaries.made(number).filter(|_| constructs).into_iter().for_each(|more| effects.unite(more));
            return effects;
        }
        let member = MemberRef { class, name: &method.name, descriptor, in_interface: false };
        for callee in self.callees.of_member(InvokeKind::Virtual, member).into_iter().chain(id) {
            summaries.of(callee).into_iter().for_each(|more| effects.unite(more));
        }
        effects
    }

    fn wanted(&self, entry: &ClassEntry, method: &Method, parameter: &Typed) -> Wanted {
        let tried = || self.tried(entry, method.code.as_ref());
        self.argument(parameter, tried)
    }

    /// What goes where something of a type is wanted; where everything fits, one of the types that are tried.
    pub(crate) fn argument(&self, wanted: &Typed, tried: impl FnOnce() -> Vec<Type>) -> Wanted {
        if let Some(slot) = self.value(&wanted.ty) {
            return Wanted::Value(slot);
        }
        let of = match &wanted.ty {
            Type::Object(name) if name == OBJECT => Demand::OneOf(tried()),
            other if wanted.is_plain() => Demand::Type(other.clone()),
            _ => Demand::Of(wanted.clone()),
        };
        Wanted::Object { role: Role::Argument, of }
    }

    /// What values of a parameter come from, if it takes values. Whatever wants characters gets a text, unless the user has written something
    /// else that has characters.
    pub(crate) fn value(&self, parameter: &Type) -> Option<Slot> {
        match parameter {
            Type::Object(name)
                if name == CHARACTERS && self.knowledge.hierarchy.own_below(name).next().is_none() =>
            {
                Some(Slot::Text)
            }
            other => Slot::of(other),
        }
    }

    /// What is tried for a parameter that takes everything, section 4.3.2: types of casts and tests in the code, switches among them, and
    /// classes that override a method which it calls on just any object.
    pub(crate) fn tried(&self, entry: &ClassEntry, code: Option<&Code>) -> Vec<Type> {
        let pool = &entry.class.pool;
        let mut types = BTreeSet::new();
        for (_, instruction) in code.into_iter().flat_map(|code| &code.instructions) {
            match instruction {
                Instruction::CheckCast(class) | Instruction::InstanceOf(class) => {
                    types.extend(pool.class_name(*class).ok().and_then(class_type));
                }
                Instruction::InvokeDynamic(site) => {
                    let labels = entry.class.switch_labels(*site).unwrap_or_default().iter();
                    types
                        .extend(labels.filter_map(|&label| pool.class_name(label).ok().and_then(class_type)));
                }
                Instruction::Invoke { kind: InvokeKind::Virtual, method } => {
                    let Some(member) = pool.member(*method).ok().filter(|member| member.class == OBJECT)
                    else {
                        continue;
                    };
                    let overriders = self.knowledge.classes.iter().filter(|entry| {
                        let facts = self.knowledge.hierarchy.own(&entry.name);
                        facts.is_some_and(|facts| {
                            facts.method(member.name, member.descriptor).is_some() && self.can_name(facts)
                        })
                    });
                    types.extend(overriders.map(|entry| Type::Object(entry.name.clone())));
                }
                _ => {}
            }
        }
        types.extend(
            code.filter(|code| compares_with_text(pool, code)).map(|_| Type::Object(STRING.to_owned())),
        );
        if types.is_empty() {
            // Nothing makes a difference, yet something must be there.
            types.extend([Type::Object(entry.name.clone()), Type::Object("java/lang/Integer".to_owned())]);
        }
        types.into_iter().collect()
    }

    /// Loads of objects and stores, of fields that are not final; constants of enums and other static objects are loaded all the same.
    fn field(&mut self, number: usize, facts: &ClassFacts, field: &Field) -> Vec<Draft> {
        let symbol = format!("{}.{}", facts.name, field.name);
        if !is_writable(&field.name) || field.access.is_synthetic() || !self.is_visible(&symbol, field.access)
        {
            return Vec::new();
        }
        let (is_static, is_final) = (field.access.is_static(), field.access.is_final());
        let place = self.knowledge.summaries.field(&facts.name, &field.name, is_static);
        let base: Vec<Wanted> = if is_static { Vec::new() } else { vec![receiver(&facts.name)] };
        let mut effects = Effects::default();
        let initialized = self.knowledge.summaries.initialized(number).filter(|_| is_static);
        initialized.into_iter().for_each(|more| effects.unite(more));
        let named = (facts.name.clone(), field.name.clone(), field.descriptor.clone());
        let mut drafts = Vec::new();
        let is_kept = (is_static || !is_final) && !(is_static && is_place(&field.descriptor));
        if let Some(returns) = object(Some(&field.descriptor)).filter(|_| is_kept) {
            let (class, name, ty) = named.clone();
            let mut effects = effects.clone();
            effects.uses.extend(place);
            drafts.push(Draft {
                symbol: symbol.clone(),
                kind: if is_static { Kind::StaticFieldLoad } else { Kind::InstanceFieldLoad },
                action: Action::Load { class, name, ty, is_static },
                arguments: base.clone(),
                returns: Some(returns),
                holds: Vec::new(),
                effects,
                observes: false,
            });
        }
        if !is_final {
            let (class, name, ty) = named;
            let stored = match Slot::of(&ty) {
                Some(slot) => Wanted::Value(slot),
                None => Wanted::Object { role: Role::Argument, of: Demand::Type(ty.clone()) },
            };
            effects.defines.extend(place);
            drafts.push(Draft {
                symbol,
                kind: if is_static { Kind::StaticFieldStore } else { Kind::InstanceFieldStore },
                action: Action::Store { class, name, ty, is_static },
                arguments: base.into_iter().chain([stored]).collect(),
                returns: None,
                holds: Vec::new(),
                effects,
                observes: false,
            });
        }
        drafts
    }
}

/// The same call with objects in place of the texts that stand for characters of any class.
fn with_other_characters(draft: &Draft, method: &Method, classes: &[Type]) -> Option<Draft> {
    let mut other = draft.clone();
    let parameters = method.descriptor.parameters.iter().rev();
    for (wanted, parameter) in other.arguments.iter_mut().rev().zip(parameters) {
        if matches!(parameter, Type::Object(name) if name == CHARACTERS) && matches!(wanted, Wanted::Value(_))
        {
            *wanted = Wanted::Object { role: Role::Argument, of: Demand::OneOf(classes.to_vec()) };
        }
    }
    (!classes.is_empty() && other.arguments != draft.arguments).then_some(other)
}

/// Whether code asks a constant text whether something is equal to it: `"stop".equals(given)`.
fn compares_with_text(pool: &Pool, code: &Code) -> bool {
    code.instructions.windows(3).any(|three| match three {
        [
            (_, Instruction::Push(_)),
            (_, Instruction::Load { .. }),
            (_, Instruction::Invoke { kind: InvokeKind::Virtual, method }),
        ] => pool.member(*method).is_ok_and(|member| member.class == STRING && member.name == "equals"),
        _ => false,
    })
}

pub(crate) fn receiver(class: &str) -> Wanted {
    Wanted::Object { role: Role::Receiver, of: Demand::Type(Type::Object(class.to_owned())) }
}

/// Whether objects of a type are places of the file system. What gives one out of nothing gives one of the machine's: its folder for temporary
/// files, or the user's. A test that works there does something else tomorrow, and harm today.
fn is_place(ty: &Type) -> bool {
    matches!(ty, Type::Object(name) if ["java/io/File", "java/nio/file/Path"].contains(&name.as_str()))
}

/// A type whose objects are no values.
fn object(ty: Option<&Type>) -> Option<Type> {
    ty.filter(|ty| ty.is_reference() && Slot::of(ty).is_none()).cloned()
}

/// The type that a class constant names: a class, or an array by its descriptor.
fn class_type(name: &str) -> Option<Type> {
    if name.starts_with('[') { name.parse().ok() } else { Some(Type::Object(name.to_owned())) }
}

/// Constants of an enum are all there are: it makes no others, and what the compiler gives it finds the same ones.
pub(crate) fn is_of_enum(entry: &ClassEntry, method: &Method) -> bool {
    let descriptor: &MethodDescriptor = &method.descriptor;
    let itself = Type::Object(entry.name.clone());
    let values = method.name == "values" && descriptor.parameters.is_empty();
    let value_of = method.name == "valueOf" && descriptor.result.as_ref() == Some(&itself);
    entry.class.superclass.as_deref() == Some("java/lang/Enum")
        && (method.name == "<init>" || values || value_of)
}

fn action_of(class: &str, method: &Method) -> (Kind, Action) {
    let (class, descriptor) = (class.to_owned(), method.descriptor.clone());
    let is_static = method.access.is_static();
    if method.name == "<init>" {
        return (Kind::Constructor, Action::Construct { class, descriptor });
    }
    let kind = if is_static { Kind::StaticMethod } else { Kind::InstanceMethod };
    (kind, Action::Invoke { class, name: method.name.clone(), descriptor, is_static })
}
