//! Patterns of instructions, matched one after the other.

use java_classfile::instruction::{Const, InvokeKind, Kind};
use java_classfile::{Code, Instruction, Pc, Pool};

/// The code that patterns are looked for in.
pub(super) struct Listing<'a> {
    pub(super) pool: &'a Pool,
    pub(super) code: &'a Code,
}

impl<'a> Listing<'a> {
    pub(super) fn get(&self, at: usize) -> Option<&'a Instruction> {
        self.code.instructions.get(at).map(|(_, instruction)| instruction)
    }

    pub(super) fn len(&self) -> usize {
        self.code.instructions.len()
    }

    /// Place of the instruction at an offset; one past the last for the end of the code.
    pub(super) fn place(&self, pc: Pc) -> usize {
        self.code.instructions.partition_point(|(at, _)| *at < pc)
    }
}

/// A place in the code, and the variables that a pattern has names for. Once something does not fit, nothing does.
pub(super) struct Matcher<'a> {
    listing: &'a Listing<'a>,
    /// The next instruction, if all fitted so far.
    at: Option<usize>,
    variables: Vec<(&'static str, u16)>,
    /// The class whose `close()` was called first.
    closes: Option<String>,
}

impl<'a> Matcher<'a> {
    pub(super) fn at(listing: &'a Listing<'a>, at: usize) -> Matcher<'a> {
        Matcher { listing, at: Some(at), variables: Vec::new(), closes: None }
    }

    /// Goes on elsewhere, with the variables as they are.
    pub(super) fn restart(&mut self, at: usize) {
        self.at = Some(at);
    }

    /// The place after what was matched, if all fitted.
    pub(super) fn end(&self) -> Option<usize> {
        self.at
    }

    pub(super) fn peek(&self) -> Option<&'a Instruction> {
        self.listing.get(self.at?)
    }

    pub(super) fn next_if(&mut self, fits: impl FnOnce(&Instruction) -> bool) -> &mut Self {
        let fitted = self.peek().is_some_and(fits);
        self.at = self.at.filter(|_| fitted).map(|at| at + 1);
        self
    }

    pub(super) fn any(&mut self) -> &mut Self {
        self.next_if(|_| true)
    }

    pub(super) fn load(&mut self, kind: Kind, name: &'static str) -> &mut Self {
        match self.peek() {
            Some(Instruction::Load { kind: found, index }) if *found == kind => self.variable(name, *index),
            _ => self.next_if(|_| false),
        }
    }

    pub(super) fn store(&mut self, kind: Kind, name: &'static str) -> &mut Self {
        match self.peek() {
            Some(Instruction::Store { kind: found, index }) if *found == kind => self.variable(name, *index),
            _ => self.next_if(|_| false),
        }
    }

    /// The variable that a name was first used for, whatever else has that name.
    fn variable(&mut self, name: &'static str, index: u16) -> &mut Self {
        let known = self.variables.iter().find(|(other, _)| *other == name).map(|(_, index)| *index);
        if known.is_none() {
            self.variables.push((name, index));
        }
        self.next_if(|_| known.is_none_or(|known| known == index))
    }

    pub(super) fn goto(&mut self) -> &mut Self {
        self.next_if(|i| matches!(i, Instruction::Goto { .. }))
    }

    pub(super) fn throw(&mut self) -> &mut Self {
        self.next_if(|i| matches!(i, Instruction::Throw))
    }

    pub(super) fn if_null(&mut self) -> &mut Self {
        self.next_if(|i| matches!(i, Instruction::IfNull { null: true, .. }))
    }

    pub(super) fn invoke(
        &mut self,
        kind: InvokeKind,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> &mut Self {
        let pool = self.listing.pool;
        let is_it = |method| {
            pool.member(method)
                .is_ok_and(|m| m.class == class && m.name == name && m.descriptor == descriptor)
        };
        self.next_if(|i| matches!(i, Instruction::Invoke { kind: k, method } if *k == kind && is_it(*method)))
    }

    /// `r.close()`, always of the same class.
    pub(super) fn close(&mut self) -> &mut Self {
        self.load(Kind::Ref, "r");
        let called = match self.peek() {
            Some(Instruction::Invoke { kind: InvokeKind::Virtual | InvokeKind::Interface, method }) => {
                self.listing.pool.member(*method).ok().filter(|m| m.name == "close" && m.descriptor == "()V")
            }
            _ => None,
        };
        let Some(called) = called else { return self.next_if(|_| false) };
        let fits = self.closes.as_deref().is_none_or(|class| class == called.class);
        self.closes.get_or_insert_with(|| called.class.to_owned());
        self.next_if(|_| fits)
    }
}

/// Whether two instructions have the same opcode, short forms of loads and stores aside.
pub(crate) fn same_opcode(a: &Instruction, b: &Instruction) -> bool {
    use Instruction as I;
    match (a, b) {
        (I::Push(a), I::Push(b)) => push_opcode(a) == push_opcode(b),
        (I::Load { kind: a, .. }, I::Load { kind: b, .. })
        | (I::Store { kind: a, .. }, I::Store { kind: b, .. }) => a == b,
        (I::If { condition: a, .. }, I::If { condition: b, .. })
        | (I::IfInts { condition: a, .. }, I::IfInts { condition: b, .. }) => a == b,
        (I::IfRefs { same: a, .. }, I::IfRefs { same: b, .. })
        | (I::IfNull { null: a, .. }, I::IfNull { null: b, .. }) => a == b,
        (I::Invoke { kind: a, .. }, I::Invoke { kind: b, .. }) => a == b,
        (I::ArrayLoad(_), _)
        | (I::ArrayStore(_), _)
        | (I::Stack(_), _)
        | (I::Arith { .. }, _)
        | (I::Bitwise { .. }, _)
        | (I::Shift { .. }, _)
        | (I::Neg(_), _)
        | (I::Convert { .. }, _)
        | (I::Compare(_), _)
        | (I::Return(_), _) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// A number for each of the opcodes that push constants.
fn push_opcode(constant: &Const) -> i32 {
    match constant {
        Const::Null => -100,
        Const::Int(value @ -1..=5) => *value,
        Const::Int(-128..=127) => 16,
        Const::Int(-32768..=32767) => 17,
        Const::Long(value @ 0..=1) => 9 + *value as i32,
        Const::Float(value) if [0.0f32, 1.0, 2.0].iter().any(|v| v.to_bits() == value.to_bits()) => {
            100 + *value as i32
        }
        Const::Double(value) if [0.0f64, 1.0].iter().any(|v| v.to_bits() == value.to_bits()) => {
            200 + *value as i32
        }
        _ => 18,
    }
}
