//! The calls of hooks, each with the copies it needs. The methods are those of `java/branchwise/rt/Hooks.java`.

use java_classfile::instruction::Kind;
use java_classfile::{Snippet, Type};

const HOOKS: &str = "branchwise/rt/Hooks";

/// Calls a hook with an id behind the copies that were made.
fn call(copies: Snippet, id: i32, name: &str, descriptor: &str) -> Snippet {
    copies.int(id).invoke_static(HOOKS, name, descriptor)
}

fn new() -> Snippet {
    Snippet::new()
}

pub(super) fn tick() -> Snippet {
    new().invoke_static(HOOKS, "tick", "()V")
}

/// The status is on top.
pub(super) fn exit() -> Snippet {
    new().dup().invoke_static(HOOKS, "exit", "(I)V")
}

pub(super) fn enter(method: i32) -> Snippet {
    call(new(), method, "enter", "(I)V")
}

/// A parameter, in the local variable where the method finds it.
pub(super) fn argument(ty: &Type, local: u16) -> Snippet {
    let (kind, descriptor) = match ty {
        Type::Long => (Kind::Long, "(JI)V"),
        Type::Double => (Kind::Double, "(DI)V"),
        Type::Float => (Kind::Float, "(FI)V"),
        Type::Object(_) | Type::Array(_) => (Kind::Ref, "(Ljava/lang/Object;I)V"),
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => (Kind::Int, "(II)V"),
    };
    call(new().load(kind, local), local.into(), "argument", descriptor)
}

pub(super) fn done(id: i32) -> Snippet {
    call(new(), id, "done", "(I)V")
}

pub(super) fn jump(id: i32) -> Snippet {
    call(new().dup(), id, "jump", "(II)V")
}

pub(super) fn jump_two(id: i32) -> Snippet {
    call(new().dup2(), id, "jump", "(III)V")
}

pub(super) fn jump_null(id: i32) -> Snippet {
    call(new().dup(), id, "jump", "(Ljava/lang/Object;I)V")
}

pub(super) fn jump_same(id: i32) -> Snippet {
    call(new().dup2(), id, "jump", "(Ljava/lang/Object;Ljava/lang/Object;I)V")
}

/// Takes both operands and leaves two others that compare as they do: no instruction copies four slots.
pub(super) fn compare_long(id: i32) -> Snippet {
    call(new(), id, "compare", "(JJI)J").long(0)
}

pub(super) fn compare_float(id: i32) -> Snippet {
    call(new(), id, "compare", "(FFI)F").get_static(HOOKS, "FLOAT_ZERO", "F")
}

pub(super) fn compare_double(id: i32) -> Snippet {
    call(new(), id, "compare", "(DDI)D").get_static(HOOKS, "DOUBLE_ZERO", "D")
}

/// Two references are on top.
pub(super) fn texts(name: &str, id: i32) -> Snippet {
    call(new().dup2(), id, name, "(Ljava/lang/Object;Ljava/lang/Object;I)V")
}

/// A reference is on top.
pub(super) fn object(name: &str, id: i32) -> Snippet {
    call(new().dup(), id, name, "(Ljava/lang/Object;I)V")
}

/// `this` of a constructor, when another one has run.
pub(super) fn this(id: i32) -> Snippet {
    call(new().load(java_classfile::instruction::Kind::Ref, 0), id, "made", "(Ljava/lang/Object;I)V")
}

/// A value of a type is on top.
pub(super) fn value(ty: &Type, id: i32) -> Snippet {
    match ty {
        Type::Long => call(new().dup2(), id, "value", "(JI)V"),
        Type::Double => call(new().dup2(), id, "value", "(DI)V"),
        Type::Float => call(new().dup(), id, "value", "(FI)V"),
        Type::Object(_) | Type::Array(_) => object("value", id),
        Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => {
            call(new().dup(), id, "value", "(II)V")
        }
    }
}

/// Array and index are on top, below a value of so many slots.
///
/// ```text
/// array index value → value array index → array index value array index → array index value
/// ```
pub(super) fn access(value_slots: u32, id: i32) -> Snippet {
    let copies = match value_slots {
        0 => new().dup2(),
        1 => new().dup_x2().pop().dup2_x1(),
        _ => new().dup2_x2().pop2().dup2_x2(),
    };
    call(copies, id, "access", "(Ljava/lang/Object;II)V")
}
