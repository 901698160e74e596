//! Lines that throw what the machine might throw there by itself, but can be told not to have.
//!
//! ```java
//! if (key == null) throw new NullPointerException("key");
//! ```
//!
//! Nothing else on this line throws one: who sees it thrown here knows that the `throw` was reached.

use crate::sources::ClassEntry;
use java_classfile::instruction::InvokeKind;
use java_classfile::{ClassFile, Code, Instruction};
use std::collections::{HashMap, HashSet};

/// What is thrown explicitly: classes and lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Throws {
    lines: HashSet<(String, u32, String)>,
}

impl Throws {
    pub(crate) fn of(classes: &[ClassEntry]) -> Throws {
        let mut throws = Throws::default();
        for entry in classes {
            for code in entry.class.methods.iter().filter_map(|method| method.code.as_ref()) {
                throws.add(&entry.name, &entry.class, code);
            }
        }
        throws
    }

    /// Whether this exception, thrown on this line of a class, comes from a `throw` there.
    #[must_use]
    pub fn is_explicit(&self, class: &str, line: u32, thrown: &str) -> bool {
        self.lines.contains(&(class.to_owned(), line, thrown.to_owned()))
    }

    fn add(&mut self, name: &str, class: &ClassFile, code: &Code) {
        if !code.instructions.iter().any(|(_, instruction)| *instruction == Instruction::Throw) {
            return;
        }
        let mut starts: Vec<(u32, u32)> =
            code.lines.iter().map(|line| (line.pc, u32::from(line.line))).collect();
        starts.sort_unstable();
        let mut lines: HashMap<u32, Vec<&Instruction>> = HashMap::new();
        for (pc, instruction) in &code.instructions {
            let before = starts.partition_point(|(start, _)| start <= pc);
            if let Some((_, line)) = before.checked_sub(1).and_then(|at| starts.get(at)) {
                lines.entry(*line).or_default().push(instruction);
            }
        }
        for (line, instructions) in lines {
            if let Some(thrown) = only_throw(class, &instructions) {
                self.lines.insert((name.to_owned(), line, thrown.to_owned()));
            }
        }
    }
}

/// The class of what a line throws if nothing else on it can throw.
fn only_throw<'c>(class: &'c ClassFile, line: &[&Instruction]) -> Option<&'c str> {
    let mut made = None;
    let mut is_thrown = false;
    for instruction in line {
        match instruction {
            Instruction::New(of) if made.is_none() => made = Some(class.pool.class_name(*of).ok()?),
            Instruction::Throw => is_thrown = true,
            Instruction::Invoke { kind: InvokeKind::Special, method } => {
                let member = class.pool.member(*method).ok()?;
                if Some(member.class) != made || member.name != "<init>" {
                    return None;
                }
            }
            Instruction::Push(_)
            | Instruction::Load { .. }
            | Instruction::Stack(_)
            | Instruction::If { .. }
            | Instruction::IfInts { .. }
            | Instruction::IfRefs { .. }
            | Instruction::IfNull { .. } => {}
            _ => return None,
        }
    }
    made.filter(|_| is_thrown)
}
