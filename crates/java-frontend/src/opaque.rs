//! What calls of code that nobody reads are taken to do: the platform and dependencies.
//!
//! A collection in a field is state, though no own code ever writes to its inside. So every class from elsewhere has one pseudo field, its
//! *contents*; a call on an object of it uses the contents and, unless it is known to change nothing, defines them. Values (texts, numbers in boxes)
//! never change and have none.

use java_classfile::{MethodDescriptor, Type};
use java_wire::Slot;

/// What an opaque call does with contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    pub(crate) defines: bool,
    pub(crate) uses: bool,
}

const NOTHING: Touch = Touch { defines: false, uses: false };

/// Classes whose objects never change, or that have nothing but functions without memory.
const UNCHANGING: &[&str] = &[
    "java/lang/Object",
    "java/lang/String",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Class",
    "java/lang/Number",
    "java/lang/Comparable",
    "java/lang/CharSequence",
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/System",
    "java/util/Objects",
    "java/util/Optional",
    "java/util/OptionalInt",
    "java/util/UUID",
    "java/util/Locale",
    "java/math/BigInteger",
    "java/math/BigDecimal",
    "java/io/PrintStream",
];

/// Methods that look and change nothing, whatever class has them.
const LOOKING: &[&str] = &[
    "charAt",
    "compare",
    "compareTo",
    "contains",
    "containsAll",
    "containsKey",
    "containsValue",
    "element",
    "entrySet",
    "equals",
    "first",
    "firstKey",
    "get",
    "getCause",
    "getFirst",
    "getKey",
    "getLast",
    "getMessage",
    "getOrDefault",
    "getValue",
    "hasMoreElements",
    "hasNext",
    "hashCode",
    "indexOf",
    "intValue",
    "isEmpty",
    "isPresent",
    "iterator",
    "keySet",
    "last",
    "lastIndexOf",
    "lastKey",
    "length",
    "longValue",
    "peek",
    "peekFirst",
    "peekLast",
    "size",
    "stream",
    "subList",
    "toArray",
    "toString",
    "values",
];

/// What a call of a method of a class from elsewhere does with the contents of its receiver.
pub(crate) fn touch(class: &str, name: &str) -> Touch {
    if name == "<init>" {
        return Touch { defines: true, uses: false };
    }
    if UNCHANGING.contains(&class) || is_box(class) {
        return NOTHING;
    }
    Touch { defines: !LOOKING.contains(&name), uses: true }
}

fn is_box(class: &str) -> bool {
    matches!(Slot::of(&Type::Object(class.to_owned())), Some(Slot::Boxed(_) | Slot::Text))
}

/// Whether objects of a class can hold something that changes.
pub(crate) fn has_contents(class: &str) -> bool {
    !UNCHANGING.contains(&class) && !is_box(class)
}

/// Own methods that a call may come back to: by the names that every object has.
pub(crate) fn calls_back(class: &str, name: &str) -> &'static [&'static str] {
    const ALIKE: &[&str] = &["equals", "hashCode"];
    const ORDERED: &[&str] = &["compareTo", "compare"];
    const SHOWN: &[&str] = &["toString"];
    let is_ordered = class.starts_with("java/util/Tree") || class == "java/util/PriorityQueue";
    match name {
        _ if is_ordered => ORDERED,
        "sort" | "binarySearch" | "min" | "max" | "compare" => ORDERED,
        "valueOf" | "append" | "print" | "println" | "format" | "join" => SHOWN,
        "put" | "putIfAbsent" | "containsKey" | "containsValue" | "getOrDefault" | "contains" | "indexOf"
        | "lastIndexOf" | "remove" | "removeAll" | "retainAll" | "containsAll" | "equals" | "hash"
        | "hashCode" | "computeIfAbsent" | "merge" => ALIKE,
        "get" | "add" if class.contains("Map") || class.contains("Set") => ALIKE,
        _ => &[],
    }
}

/// Arrays that a call is given and may read from and write to, by what their elements are.
pub(crate) fn arrays(class: &str, name: &str, descriptor: &MethodDescriptor) -> Vec<Type> {
    if class == "java/lang/System" && name == "arraycopy" {
        // Of whatever type.
        return [Type::Int, Type::Long, Type::Float, Type::Double, Type::Byte, Type::Char, Type::Short]
            .into_iter()
            .chain([Type::Object("java/lang/Object".to_owned())])
            .collect();
    }
    let elements = descriptor.parameters.iter().filter_map(|parameter| match parameter {
        Type::Array(element) => Some((**element).clone()),
        _ => None,
    });
    elements.collect()
}
