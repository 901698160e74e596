//! The hooks that every run needs: jumps, what they compare, ticks, and ends of the machine.

use super::{Planner, hook};
use java_classfile::instruction::{CompareOp, InvokeKind};
use java_classfile::rewrite::Place;
use java_classfile::{Instruction, MemberRef, Pc, PoolIndex, Snippet};
use java_wire::site::JumpKind;

impl Planner<'_> {
    pub(super) fn short(&mut self, position: usize, pc: Pc, instruction: &Instruction) {
        // Ticks come first: a jump that is not taken any more is not told.
        if instruction.targets().iter().any(|target| *target <= pc) {
            self.insert_outside(Place::Before(pc), hook::tick());
        }
        if let Some(kind) = JumpKind::of(instruction) {
            self.jump(pc, kind);
        }
        match instruction {
            Instruction::Compare(op) => self.compare(position, pc, *op),
            Instruction::Invoke { kind, method } => self.call(position, pc, *kind, *method),
            _ => {}
        }
    }

    fn jump(&mut self, pc: Pc, kind: JumpKind) {
        let Some(&id) = self.ids.get(&(self.number, pc)) else { return };
        let snippet = match kind {
            JumpKind::Zero | JumpKind::Switch => hook::jump(id),
            JumpKind::Two => hook::jump_two(id),
            JumpKind::Null if self.is_value(pc, 0) => hook::jump_null(id),
            JumpKind::References if self.is_value(pc, 0) && self.is_value(pc, 1) => hook::jump_same(id),
            // Objects before their constructor has run cannot be looked at; nobody compiles such tests.
            JumpKind::Null | JumpKind::References => return,
        };
        self.insert(Place::Before(pc), snippet);
    }

    fn compare(&mut self, position: usize, pc: Pc, op: CompareOp) {
        let Some(id) = self.jump_behind(position) else { return };
        let snippet = match op {
            CompareOp::Long => hook::compare_long(id),
            CompareOp::Float { .. } => hook::compare_float(id),
            CompareOp::Double { .. } => hook::compare_double(id),
        };
        self.insert(Place::Before(pc), snippet);
    }

    fn call(&mut self, position: usize, pc: Pc, kind: InvokeKind, method: PoolIndex) {
        let Ok(method) = self.class.pool.member(method) else { return };
        if ends_machine(&method) {
            self.insert_outside(Place::Before(pc), hook::exit());
        } else if kind == InvokeKind::Virtual || kind == InvokeKind::Static {
            let Some(id) = self.jump_behind(position) else { return };
            if let Some(snippet) = compares_texts(&method, id) {
                self.insert(Place::Before(pc), snippet);
            }
        }
    }
}

fn ends_machine(method: &MemberRef<'_>) -> bool {
    matches!(
        (method.class, method.name, method.descriptor),
        ("java/lang/System", "exit", "(I)V") | ("java/lang/Runtime", "exit" | "halt", "(I)V")
    )
}

/// A call whose answer depends on texts. Of objects in general it is known at run time whether they are texts.
fn compares_texts(method: &MemberRef<'_>, id: i32) -> Option<Snippet> {
    let name = match (method.class, method.name, method.descriptor) {
        ("java/lang/String" | "java/lang/Object", "equals", "(Ljava/lang/Object;)Z")
        | ("java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z") => "textEquals",
        ("java/lang/String", "equalsIgnoreCase", "(Ljava/lang/String;)Z") => "textEqualsIgnoreCase",
        ("java/lang/String", "startsWith", "(Ljava/lang/String;)Z") => "textStarts",
        ("java/lang/String", "endsWith", "(Ljava/lang/String;)Z") => "textEnds",
        ("java/lang/String", "contains", "(Ljava/lang/CharSequence;)Z") => "textContains",
        ("java/lang/String", "isEmpty", "()Z") => return Some(hook::object("textEmpty", id)),
        _ => return None,
    };
    Some(hook::texts(name, id))
}
