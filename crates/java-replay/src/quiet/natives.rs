//! Methods of the platform that have no bytecode, or whose bytecode leads to such ones, as far as they are simple.

use super::unknown;
use super::unsafely::Order;
use crate::frame::{Call, Called};
use crate::heap::{Array, Content, ObjectId};
use crate::machine::{Fallible, Machine};
use crate::outcome::Approximation;
use crate::value::{Number, Reference, Value};
use java_classfile::Type;
use java_classfile::instruction::NumericKind;
use java_wire::Primitive;
use std::rc::Rc;

/// Elements that are copied at most.
const COPIED: i32 = 1 << 12;
/// How names of primitive types end where those of classes are expected: none of these ends so.
const PRIMITIVE: &str = ".class";
/// Primitive types as people and as descriptors call them.
const NAMES: [(&str, &str); 8] = [
    ("boolean", "Z"),
    ("byte", "B"),
    ("char", "C"),
    ("short", "S"),
    ("int", "I"),
    ("long", "J"),
    ("float", "F"),
    ("double", "D"),
];

impl Machine<'_, '_> {
    /// What a native method gives. The outer `None`: it is none of these.
    pub(super) fn native(&mut self, call: &Call) -> Fallible<Option<Option<Value>>> {
        let (class, name) = (call.called.class.as_str(), call.called.name.as_str());
        let int = |value: i32| Ok(Some(Some(Value::Number(Number::int(value)))));
        match (class, name) {
            ("java/lang/System", "arraycopy") => self.copy_quietly(call).map(|()| Some(None)),
            ("java/lang/System", "getSecurityManager") => Ok(Some(Some(Value::NULL))),
            ("java/lang/System", "identityHashCode") => self.identity_hash(call).map(Some),
            ("java/lang/Class", "desiredAssertionStatus") | ("java/lang/StringUTF16", "isBigEndian") => {
                int(0)
            }
            ("jdk/internal/misc/CDS", "getRandomSeedForDumping") => {
                Ok(Some(Some(Value::Number(Number::constant(NumericKind::Long, 1)))))
            }
            ("java/lang/Class", "getComponentType" | "isArray" | "isPrimitive") => {
                self.asked_of_class(name, call).map(Some)
            }
            ("java/lang/reflect/Array", "newArray") => self.array_of_class(call).map(Some),
            // Messages of exceptions are seldom looked into: that there is a text is enough.
            ("java/lang/String", "format") => self.some_text(call).map(Some),
            // Classes keep these for later. Nothing is known of them, and who calls them gives up.
            ("jdk/internal/access/SharedSecrets", name) if name.starts_with("get") => {
                Ok(Some(Some(self.anything())))
            }
            ("java/lang/invoke/MethodHandles", "lookup") => Ok(Some(Some(self.anything()))),
            // As with monitors, there is nobody else who could hold it.
            ("jdk/internal/misc/InternalLock", "lock" | "unlock")
            | ("java/lang/ref/Reference", "reachabilityFence") => Ok(Some(None)),
            // Nobody sets what it asks for.
            ("java/lang/Boolean", "getBoolean") => int(0),
            ("jdk/internal/misc/CDS", "initializeFromArchive") | (_, "registerNatives") => Ok(Some(None)),
            ("jdk/internal/util/ArraysSupport", "vectorizedMismatch") => match call.arguments.get(4) {
                // Nothing was compared yet: the bytecode does it.
                Some(Value::Number(length)) if length.term.is_none() => int(!length.as_int()),
                _ => Err(unknown("a length that depends on the input")),
            },
            ("java/lang/Class", "getPrimitiveClass") => self.primitive_class(call).map(Some),
            ("jdk/internal/misc/Unsafe", name) => self.unsafely(name, call),
            ("jdk/internal/util/ByteArray", name) => self.in_bytes(name, Order::Big, call),
            ("jdk/internal/util/ByteArrayLittleEndian", name) => self.in_bytes(name, Order::Little, call),
            ("java/lang/System", "getProperty") => self.property(call).map(Some),
            (_, "fillInStackTrace") => Ok(Some(call.arguments.first().copied())),
            (_, "getClass") if call.has_receiver && call.arguments.len() == 1 => {
                self.class_of(call).map(Some)
            }
            (_, "hashCode") if call.has_receiver && call.arguments.len() == 1 => self.hash_quietly(call),
            (_, "clone") if call.has_receiver && call.arguments.len() == 1 => self.clone_quietly(call),
            _ => Ok(None),
        }
    }

    /// Actions that ask for privileges just run.
    pub(super) fn without_privileges(&self, call: Call) -> Fallible<Call> {
        if call.called.class != "java/security/AccessController" || call.called.name != "doPrivileged" {
            return Ok(call);
        }
        let descriptor = "()Ljava/lang/Object;".parse().map_err(|_| unknown("a descriptor"))?;
        let interface = call.called.descriptor.parameters.first();
        let Some(Type::Object(class)) = interface.cloned() else { return Err(unknown("an action")) };
        let called = Rc::new(Called { class, name: "run".to_owned(), descriptor, as_named: false });
        Ok(Call { called, has_receiver: true, arguments: call.arguments[..1].to_vec(), ..call })
    }

    fn receiver(&self, call: &Call) -> Fallible<ObjectId> {
        match call.arguments.first() {
            Some(Value::Reference(Reference { object: Some(object), .. })) => Ok(*object),
            _ => Err(unknown("no receiver")),
        }
    }

    fn copy_quietly(&mut self, call: &Call) -> Fallible<()> {
        let [
            Value::Reference(from),
            Value::Number(start),
            Value::Reference(to),
            Value::Number(at),
            Value::Number(count),
        ] = call.arguments[..]
        else {
            return Err(unknown("arguments of arraycopy"));
        };
        let (Some(from), Some(to)) = (from.object, to.object) else {
            return Err(unknown("arraycopy of null"));
        };
        let (start, at, count) = (start.as_int(), at.as_int(), count.as_int());
        let fits = |array: Option<&Array>, first: i32| {
            let end = first.checked_add(count);
            array.zip(end).is_some_and(|(array, end)| first >= 0 && end <= array.length.as_int())
        };
        if !(0..=COPIED).contains(&count)
            || !fits(self.heap.array(from), start)
            || !fits(self.heap.array(to), at)
        {
            return Err(unknown("bounds of arraycopy"));
        }
        let source = self.heap.object(from);
        let is_known = |array: &Array| (start..start + count).all(|index| array.element(index).is_some());
        if source.stale || !self.heap.array(from).is_some_and(is_known) {
            return Err(unknown("elements that are copied"));
        }
        self.copy_array(call);
        Ok(())
    }

    fn identity_hash(&mut self, call: &Call) -> Fallible<Option<Value>> {
        let object = self.receiver(call)?;
        let identity = self.heap.object(object).identity.ok_or_else(|| unknown("the hash of an object"))?;
        Ok(Some(Value::Number(Number::int(identity.0.cast_signed()))))
    }

    /// That of texts is a polynomial that no solver turns round, and keys of tables are looked up by it: it is taken as a number.
    fn hash_quietly(&mut self, call: &Call) -> Fallible<Option<Option<Value>>> {
        let object = self.receiver(call)?;
        let class = self.heap.object(object).class.clone();
        if class.as_deref() == Some("java/lang/String") {
            let text = self.characters_of(call.arguments[0]).ok_or_else(|| unknown("a text"))?;
            let hash = text.iter().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.as_int()));
            if text.iter().any(|unit| unit.term.is_some()) {
                self.approximate(Approximation::Call("java/lang/String.hashCode".to_owned()));
            }
            return Ok(Some(Some(Value::Number(Number::int(hash)))));
        }
        if call.called.as_named && call.called.class == "java/lang/Object" {
            return self.identity_hash(call).map(Some);
        }
        // Only if nobody redefines it is it that of the object.
        match self.callee(call)? {
            super::Callee::Native { class: "java/lang/Object", .. } => self.identity_hash(call).map(Some),
            _ => Ok(None),
        }
    }

    /// The object that stands for a class.
    pub(crate) fn mirror(&mut self, class: &str) -> Value {
        let id = self.field(class, "class");
        if let Some(&known) = self.heap.statics.get(&id) {
            return known;
        }
        let mirror = self.heap.add(Some("java/lang/Class".into()), Content::Mirror(class.into()));
        let mirror = Value::Reference(Reference::to(mirror));
        self.heap.set_static(id, mirror);
        mirror
    }

    fn class_of(&mut self, call: &Call) -> Fallible<Option<Value>> {
        let object = self.receiver(call)?;
        let class =
            self.heap.object(object).class.clone().ok_or_else(|| unknown("the class of an object"))?;
        Ok(Some(self.mirror(&class)))
    }

    pub(super) fn mirrored(&self, value: Option<&Value>) -> Fallible<Rc<str>> {
        if let Some(Value::Reference(Reference { object: Some(object), .. })) = value
            && let Content::Mirror(class) = &self.heap.object(*object).content
        {
            return Ok(class.clone());
        }
        Err(unknown("which class is meant"))
    }

    fn asked_of_class(&mut self, name: &str, call: &Call) -> Fallible<Option<Value>> {
        let class = self.mirrored(call.arguments.first())?;
        let answer = |holds: bool| Ok(Some(Value::Number(Number::int(holds.into()))));
        match name {
            "isArray" => return answer(class.starts_with('[')),
            "isPrimitive" => return answer(primitive_of(&class).is_some()),
            _ => {}
        }
        let Some(element) = class.strip_prefix('[') else { return Ok(Some(Value::NULL)) };
        let primitive = NAMES.iter().find(|(_, letter)| *letter == element);
        let element = match primitive {
            Some((word, _)) => format!("{word}{PRIMITIVE}"),
            None => element.strip_prefix('L').map_or(element, |name| name.trim_end_matches(';')).to_owned(),
        };
        Ok(Some(self.mirror(&element)))
    }

    fn array_of_class(&mut self, call: &Call) -> Fallible<Option<Value>> {
        let class = self.mirrored(call.arguments.first())?;
        let Some(&Value::Number(length)) = call.arguments.get(1) else { return Err(unknown("a length")) };
        self.new_quiet_array(&class, length)
    }

    /// An array of a class that an object stands for.
    pub(super) fn new_quiet_array(&mut self, class: &str, length: Number) -> Fallible<Option<Value>> {
        if !self.size(length) {
            return Err(unknown("an array that cannot be made"));
        }
        let (name, zero) = match primitive_of(class) {
            Some(primitive) => (format!("[{}", primitive.ty()), Value::zero(&primitive.ty())),
            None if class.starts_with('[') => (format!("[{class}"), Value::NULL),
            None => (format!("[L{class};"), Value::NULL),
        };
        let array = Array { length, elements: rustc_hash::FxHashMap::default(), rest: Some(zero) };
        Ok(Some(Value::Reference(Reference::to(self.heap.add(Some(name.into()), Content::Array(array))))))
    }

    /// One that nobody sets is not there; what the others are differs from machine to machine.
    fn property(&mut self, call: &Call) -> Fallible<Option<Value>> {
        match self.plain_text(call.arguments[0])?.as_str() {
            "jdk.io.useMonitors" => Ok(Some(Value::NULL)),
            other => Err(unknown(format!("the property {other}"))),
        }
    }

    /// An object of which not even the class is known.
    fn anything(&mut self) -> Value {
        Value::Reference(Reference::to(self.heap.add(None, Content::Plain)))
    }

    /// A text of which nothing is known.
    fn some_text(&mut self, call: &Call) -> Fallible<Option<Value>> {
        if call.arguments.iter().any(|&argument| self.depends(argument)) {
            self.approximate(Approximation::Call("java/lang/String.format".to_owned()));
        }
        let text = self.heap.add(Some("java/lang/String".into()), Content::Plain);
        Ok(Some(Value::Reference(Reference::to(text))))
    }

    fn primitive_class(&mut self, call: &Call) -> Fallible<Option<Value>> {
        let name = self.plain_text(call.arguments[0])?;
        Ok(Some(self.mirror(&format!("{name}{PRIMITIVE}"))))
    }

    fn clone_quietly(&mut self, call: &Call) -> Fallible<Option<Option<Value>>> {
        let object = self.receiver(call)?;
        let original = self.heap.object(object);
        let is_array = matches!(original.content, Content::Array(_));
        let is_super = call.called.as_named && call.called.class == "java/lang/Object";
        if !is_array && !is_super {
            return Ok(None);
        }
        let is_whole = matches!(original.content, Content::Array(_) | Content::Fresh);
        if original.stale || !is_whole {
            return Err(unknown("an object that is cloned"));
        }
        let (class, content, fields) =
            (original.class.clone(), original.content.clone(), original.fields.clone());
        let copy = self.heap.add(class, content);
        self.heap.object_mut(copy).fields = fields;
        Ok(Some(Some(Value::Reference(Reference::to(copy)))))
    }
}

/// The primitive type that an object for a class stands for.
fn primitive_of(class: &str) -> Option<Primitive> {
    let name = class.strip_suffix(PRIMITIVE)?;
    let (_, letter) = NAMES.iter().find(|(word, _)| *word == name)?;
    Primitive::ALL.into_iter().find(|primitive| primitive.ty().to_string() == *letter)
}
