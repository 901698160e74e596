//! The hooks that tell whatever a second execution of the same bytecode cannot know by itself.

use super::{Planner, hook};
use java_classfile::instruction::ElementKind;
use java_classfile::rewrite::Place;
use java_classfile::{Instruction, Pc, PoolIndex, Slot, Type};
use std::collections::BTreeSet;

impl Planner<'_> {
    /// Where exceptions arrive. A handler that is also reached otherwise has no place for a hook.
    pub(super) fn handlers(&mut self) {
        let mut otherwise: BTreeSet<Pc> = BTreeSet::from([0]);
        for (position, (_, instruction)) in self.code.instructions.iter().enumerate() {
            otherwise.extend(instruction.targets());
            if instruction.falls_through() {
                otherwise.insert(self.code.end_of(position));
            }
        }
        let begins: BTreeSet<Pc> = self.code.handlers.iter().map(|handler| handler.handler).collect();
        for pc in begins {
            if !otherwise.contains(&pc) && self.known.is_reachable(pc) {
                self.insert(Place::Handler(pc), hook::object("handle", pc as i32));
            }
        }
    }

    /// What the method gets. The object of a constructor cannot be looked at yet.
    pub(super) fn parameters(&mut self, is_constructor: bool) {
        let class = self.class;
        let method = &class.methods[self.number];
        let mut local = 0;
        if !method.access.is_static() {
            if !is_constructor {
                self.insert(Place::Entry, hook::argument(&Type::Object(class.name.clone()), 0));
            }
            local = 1;
        }
        for ty in &method.descriptor.parameters {
            self.insert(Place::Entry, hook::argument(ty, local));
            local += ty.slots();
        }
    }

    pub(super) fn full(&mut self, pc: Pc, instruction: &Instruction, is_constructor: bool) {
        let id = pc as i32;
        match instruction {
            Instruction::GetField(field) | Instruction::GetStatic(field) => self.loaded(pc, *field),
            Instruction::Invoke { method, .. } => {
                let is_told = self.constructed(pc, is_constructor);
                if !is_told {
                    self.returned(pc, *method);
                }
            }
            Instruction::InvokeDynamic(site) => self.returned(pc, *site),
            Instruction::ArrayLoad(kind) => {
                self.insert(Place::Before(pc), hook::access(0, id));
                self.insert(Place::After(pc), hook::value(&element(*kind), id));
            }
            Instruction::ArrayStore(kind) => {
                self.insert(Place::Before(pc), hook::access(u32::from(element(*kind).slots()), id));
            }
            Instruction::ArrayLength => self.insert(Place::Before(pc), hook::object("length", id)),
            Instruction::CheckCast(_) | Instruction::InstanceOf(_) if self.is_value(pc, 0) => {
                self.insert(Place::Before(pc), hook::object("type", id));
            }
            Instruction::NewArray(_) | Instruction::NewRefArray(_) | Instruction::NewMultiArray { .. } => {
                self.insert(Place::After(pc), hook::object("value", id));
            }
            _ => {}
        }
    }

    fn loaded(&mut self, pc: Pc, field: PoolIndex) {
        let Ok(field) = self.class.pool.member(field) else { return };
        if let Ok(ty) = field.descriptor.parse::<Type>() {
            self.insert(Place::After(pc), hook::value(&ty, pc as i32));
        }
    }

    fn returned(&mut self, pc: Pc, method: PoolIndex) {
        let Ok(descriptor) = self.class.pool.method_descriptor(method) else { return };
        let hook = match descriptor.result {
            Some(ty) => hook::value(&ty, pc as i32),
            None => hook::done(pc as i32),
        };
        self.insert(Place::After(pc), hook);
    }

    /// An object that a constructor has just seen: on top of the stack, or `this`. Whether there is one to tell of.
    fn constructed(&mut self, pc: Pc, is_constructor: bool) -> bool {
        let Some(constructed) = self.known.constructed(pc) else { return false };
        if constructed.on_top {
            self.insert(Place::After(pc), hook::object("made", pc as i32));
            return true;
        }
        let is_this = is_constructor && constructed.object == Slot::UninitializedThis && self.keeps_this();
        if is_this {
            self.insert(Place::After(pc), hook::this(pc as i32));
        }
        is_this
    }

    /// Whether the first variable is `this` throughout.
    fn keeps_this(&self) -> bool {
        let overwrites = |instruction: &Instruction| match instruction {
            Instruction::Store { index, .. } => *index == 0,
            _ => false,
        };
        !self.code.instructions.iter().any(|(_, instruction)| overwrites(instruction))
    }
}

/// A type with as many slots as elements have on the stack, and told as they are.
fn element(kind: ElementKind) -> Type {
    match kind {
        ElementKind::Long => Type::Long,
        ElementKind::Double => Type::Double,
        ElementKind::Float => Type::Float,
        ElementKind::Ref => Type::Object("java/lang/Object".to_owned()),
        ElementKind::Int | ElementKind::Byte | ElementKind::Char | ElementKind::Short => Type::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_classfile::instruction::Kind;

    #[test]
    fn elements_are_as_wide_as_on_the_stack() {
        assert_eq!(element(ElementKind::Byte).slots(), Kind::Int.slots() as u16);
        assert_eq!(element(ElementKind::Double).slots(), Kind::Double.slots() as u16);
    }
}
