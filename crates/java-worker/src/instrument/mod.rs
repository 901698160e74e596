//! Where hooks go: which events a class tells when it runs.
//!
//! ```text
//!   if (a.length > 3)              Short                            Full, in addition
//!
//!                                  tick                             Enter
//!    0: aload_0
//!    1: arraylength                                                 Length before
//!    2: iconst_3
//!    3: if_icmple 8                JumpTwo with copies of both
//! ```
//!
//! Hooks copy what they look at and put nothing away. Only two of them throw: the one that counts ticks, on entry and before
//! every jump backwards, and the one before calls that would end the machine. Both lie outside of protected ranges, so that no
//! handler of the method keeps it from ending.

mod full;
mod hook;
mod short;

use java_classfile::rewrite::{Place, Plan, RewriteError, rewrite};
use java_classfile::{ClassFile, Code, FlowError, Initialization, Instruction, Pc, Slot, Snippet};
use java_wire::site;
use std::collections::BTreeMap;
use thiserror::Error;

/// Ids of events have 24 bits.
const IDS: usize = 1 << 24;

/// How much a class tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HookSet {
    /// Jumps and what they compare.
    Short,
    /// Also what is loaded, called, made and accessed.
    Full,
}

/// A class with hooks.
#[derive(Clone, PartialEq, Debug)]
pub struct Instrumented {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods that tell nothing.
    pub untouched: Vec<Untouched>,
}

/// A method without hooks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Untouched {
    /// Its position in [`ClassFile::methods`].
    pub method: usize,
    /// What is in the way.
    pub why: Why,
}

/// Why a method has no hooks.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Why {
    /// The format has no room for them.
    #[error(transparent)]
    Format(java_classfile::rewrite::Why),
    /// Its code is wrong.
    #[error(transparent)]
    Flow(FlowError),
}

/// A class that cannot get hooks.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum HookError {
    /// It cannot be rewritten.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// Its jumps or methods have numbers that events have no room for.
    #[error("there are more than {IDS} jumps or methods")]
    TooMany,
}

/// Puts hooks into a class, whose first jump and first method have these numbers. `file` is what `class` was read from.
///
/// # Errors
/// When the class cannot be written again, or numbers are too large.
pub fn instrument(
    file: &[u8],
    class: &ClassFile,
    first_jump: u32,
    first_method: u32,
    set: HookSet,
) -> Result<Instrumented, HookError> {
    let jumps = site::jumps(class);
    let highest = (first_jump as usize + jumps.len()).max(first_method as usize + class.methods.len());
    if highest > IDS {
        return Err(HookError::TooMany);
    }
    let numbered = jumps.iter().zip(first_jump as i32..).map(|(jump, id)| ((jump.method, jump.pc), id));
    let ids: BTreeMap<(usize, Pc), i32> = numbered.collect();
    let mut plan = Plan::new();
    let mut untouched = Vec::new();
    for (number, method) in class.methods.iter().enumerate() {
        let Some(code) = &method.code else { continue };
        match Initialization::of(class, method) {
            Ok(Some(known)) => {
                let mut planner = Planner { class, number, code, known, ids: &ids, plan: &mut plan };
                let id = first_method as i32 + number as i32;
                planner.method(id, method.name == "<init>", set);
            }
            Ok(None) => {}
            Err(error) => untouched.push(Untouched { method: number, why: Why::Flow(error) }),
        }
    }
    let rewritten = rewrite(file, &plan)?;
    let left = rewritten.untouched.into_iter();
    untouched.extend(left.map(|left| Untouched { method: left.method, why: Why::Format(left.why) }));
    Ok(Instrumented { bytes: rewritten.bytes, untouched })
}

/// Hooks for one method.
struct Planner<'a> {
    class: &'a ClassFile,
    number: usize,
    code: &'a Code,
    known: Initialization,
    ids: &'a BTreeMap<(usize, Pc), i32>,
    plan: &'a mut Plan,
}

impl Planner<'_> {
    fn method(&mut self, id: i32, is_constructor: bool, set: HookSet) {
        self.insert_outside(Place::Entry, hook::tick());
        if set == HookSet::Full {
            self.insert(Place::Entry, hook::enter(id));
            self.parameters(is_constructor);
            self.handlers();
        }
        for position in 0..self.code.instructions.len() {
            let (pc, instruction) = &self.code.instructions[position];
            // What no path leads to is not verified as other code is, and never runs.
            if !self.known.is_reachable(*pc) {
                continue;
            }
            self.short(position, *pc, instruction);
            if set == HookSet::Full {
                self.full(*pc, instruction, is_constructor);
            }
        }
    }

    fn insert(&mut self, place: Place, snippet: Snippet) {
        self.plan.insert(self.number, place, snippet);
    }

    fn insert_outside(&mut self, place: Place, snippet: Snippet) {
        self.plan.insert_outside(self.number, place, snippet);
    }

    /// Whether an operand may be passed to a hook.
    fn is_value(&self, pc: Pc, from_top: u32) -> bool {
        self.known.operand(pc, from_top) == Some(Slot::Value)
    }

    /// The number of the jump behind an instruction, if that is one on the int that the instruction leaves.
    fn jump_behind(&self, position: usize) -> Option<i32> {
        let (pc, next) = self.code.instructions.get(position + 1)?;
        let id = self.ids.get(&(self.number, *pc))?;
        matches!(next, Instruction::If { .. }).then_some(*id)
    }
}
