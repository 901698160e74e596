//! The code of one method, written again.

use super::layout::{Around, Inserted, Layout, padding};
use super::pool::PoolBuilder;
use super::snippet::Effect;
use super::tables::{self, Write};
use super::{Insertion, Moved, Place, Protection, Refused, RewriteError, Why, handlers};
use crate::code::Code;
use crate::instruction::{Instruction, LookupSwitch, Pc, TableSwitch};
use std::collections::BTreeSet;
use std::ops::Range;

/// Classes before this version, Java 5, cannot push classes.
const CLASS_CONSTANTS: u16 = 49;

/// Code to insert into a method.
pub(super) struct Job<'a> {
    pub(super) file: &'a [u8],
    pub(super) major: u16,
    /// Its position in the class, for errors.
    pub(super) method: usize,
    pub(super) code: &'a Code,
    pub(super) insertions: &'a [Insertion],
}

impl Job<'_> {
    /// The new attribute and where the instructions are in it.
    pub(super) fn rewrite(&self, pool: &mut PoolBuilder<'_>) -> Result<(Vec<u8>, Moved), Refused> {
        let needs = self.check()?;
        let (entry, around) = self.encode(pool)?;
        let layout = Layout::new(self.code, &entry, &around)?;
        let (bytecode, outside) = self.emit(&layout, &entry, &around);
        let mut body = Vec::with_capacity(bytecode.len() + 64);
        let max_stack = i64::from(self.code.max_stack) + needs.peak;
        body.u2(u16::try_from(max_stack).map_err(|_| Why::StackTooLarge)?);
        let max_locals = u32::from(self.code.max_locals).max(needs.locals);
        body.u2(u16::try_from(max_locals).map_err(|_| Why::TooManyVariables)?);
        body.u4(bytecode.len() as u32);
        body.extend(bytecode);
        body.extend(handlers::write(self.code, &layout, &outside)?);
        body.extend(self.attributes(&layout, pool)?);

        let head = &self.file[self.code.attribute.start..self.code.attribute.start + 2];
        let mut attribute = head.to_vec();
        attribute.u4(body.len() as u32);
        attribute.extend(body);
        let old = self.code.instructions.iter().map(|(pc, _)| *pc);
        Ok((attribute, Moved { pairs: old.zip(layout.own).collect() }))
    }

    /// Whether the plan makes sense, and what it needs of stack and variables at most.
    fn check(&self) -> Result<Effect, Refused> {
        let mut needs = Effect::default();
        for Insertion { place, snippet, .. } in self.insertions {
            if !self.exists(*place) {
                let error = RewriteError::NoSuchPlace { method: self.method, place: *place };
                return Err(Refused::Error(error));
            }
            let effect = snippet.effect().map_err(|what| Refused::Error(RewriteError::Snippet(what)))?;
            if effect.net != 0 {
                let error = RewriteError::Unbalanced { method: self.method, place: *place, by: effect.net };
                return Err(Refused::Error(error));
            }
            if snippet.pushes_class() && self.major < CLASS_CONSTANTS {
                return Err(Why::ClassConstant.into());
            }
            needs.peak = needs.peak.max(effect.peak);
            needs.locals = needs.locals.max(effect.locals);
        }
        self.check_handlers()?;
        Ok(needs)
    }

    fn exists(&self, place: Place) -> bool {
        match place {
            Place::Entry => true,
            Place::Handler(pc) => self.code.handlers.iter().any(|handler| handler.handler == pc),
            Place::Before(pc) => self.code.at(pc).is_some(),
            Place::After(pc) => self.code.at(pc).is_some_and(Instruction::falls_through),
        }
    }

    /// Where code is inserted at a handler, nothing but exceptions may lead there.
    fn check_handlers(&self) -> Result<(), Why> {
        let wanted = self.insertions.iter().filter_map(|insertion| match insertion.place {
            Place::Handler(pc) => Some(pc),
            _ => None,
        });
        let wanted: BTreeSet<Pc> = wanted.collect();
        if wanted.contains(&0) {
            return Err(Why::SharedHandler(0));
        }
        for (position, (_, instruction)) in self.code.instructions.iter().enumerate() {
            let mut next = instruction.targets();
            if instruction.falls_through() {
                next.push(self.code.end_of(position));
            }
            if let Some(shared) = next.into_iter().find(|pc| wanted.contains(pc)) {
                return Err(Why::SharedHandler(shared));
            }
        }
        Ok(())
    }

    /// The code to insert, at the beginning and around each instruction.
    fn encode(&self, pool: &mut PoolBuilder<'_>) -> Result<(Vec<Inserted>, Vec<Around>), Why> {
        let mut entry = Vec::new();
        let mut around: Vec<Around> = Vec::new();
        around.resize_with(self.code.instructions.len(), Around::default);
        for Insertion { place, snippet, protection } in self.insertions {
            let outside = *protection == Protection::Outside;
            let inserted = Inserted { bytes: snippet.encode(pool)?, outside };
            let position = |pc| self.code.position(pc).unwrap_or(0);
            match *place {
                Place::Entry => entry.push(inserted),
                Place::Handler(pc) => around[position(pc)].handler.push(inserted),
                Place::Before(pc) => around[position(pc)].before.push(inserted),
                Place::After(pc) => around[position(pc)].after.push(inserted),
            }
        }
        Ok((entry, around))
    }

    /// The new bytecode, and which parts of it lie outside of protected ranges.
    fn emit(&self, layout: &Layout, entry: &[Inserted], around: &[Around]) -> (Vec<u8>, Vec<Range<Pc>>) {
        let mut emitted = Emitted::default();
        emitted.insert(entry);
        for (position, around) in around.iter().enumerate() {
            emitted.insert(&around.handler);
            emitted.insert(&around.before);
            self.emit_instruction(layout, position, &mut emitted.bytes);
            emitted.insert(&around.after);
        }
        (emitted.bytes, emitted.outside)
    }

    fn emit_instruction(&self, layout: &Layout, position: usize, bytes: &mut Vec<u8>) {
        let (pc, instruction) = &self.code.instructions[position];
        let start = self.code.bytecode.start;
        let old = &self.file[start + *pc as usize..start + self.code.end_of(position) as usize];
        let distance = |target: Pc| layout.distance(self.code, position, target);
        match instruction {
            Instruction::If { target, .. }
            | Instruction::IfInts { target, .. }
            | Instruction::IfRefs { target, .. }
            | Instruction::IfNull { target, .. }
            | Instruction::Goto { target }
            | Instruction::Jsr { target } => {
                jump(bytes, old[0], old.len() == 5, layout.is_long[position], distance(*target));
            }
            Instruction::TableSwitch(switch) => {
                begin_switch(bytes, old[0], layout.own[position]);
                table_switch(bytes, switch, distance);
            }
            Instruction::LookupSwitch(switch) => {
                begin_switch(bytes, old[0], layout.own[position]);
                lookup_switch(bytes, switch, distance);
            }
            _ => bytes.extend_from_slice(old),
        }
    }

    /// The attributes of the code with their number. Those that are not known are left out: they may name offsets.
    fn attributes(&self, layout: &Layout, pool: &mut PoolBuilder<'_>) -> Result<Vec<u8>, Why> {
        let code = self.code;
        let frames = code.frames.iter().map(|frames| tables::frames(code, layout, frames));
        let tables = [
            ("LineNumberTable", tables::lines(code, layout)),
            ("LocalVariableTable", tables::variables(code, layout, &code.variables)),
            ("LocalVariableTypeTable", tables::variables(code, layout, &code.variable_types)),
            ("StackMapTable", frames.collect()),
        ];
        let mut bytes = Vec::new();
        bytes.u2(tables.iter().map(|(_, tables)| tables.len() as u16).sum());
        for (name, tables) in tables {
            for table in tables {
                bytes.u2(pool.utf8(name)?);
                bytes.u4(table.len() as u32);
                bytes.extend(table);
            }
        }
        Ok(bytes)
    }
}

#[derive(Default)]
struct Emitted {
    bytes: Vec<u8>,
    outside: Vec<Range<Pc>>,
}

impl Emitted {
    fn insert(&mut self, inserted: &[Inserted]) {
        for Inserted { bytes, outside } in inserted {
            let start = self.bytes.len() as Pc;
            self.bytes.extend_from_slice(bytes);
            if *outside {
                self.outside.push(start..self.bytes.len() as Pc);
            }
        }
    }
}

/// Opcodes of the long forms are those of the short ones and this.
const LONG: u8 = 33;

fn jump(bytes: &mut Vec<u8>, opcode: u8, was_long: bool, becomes_long: bool, distance: i32) {
    bytes.push(if becomes_long { opcode + LONG } else { opcode });
    if was_long || becomes_long {
        bytes.extend(distance.to_be_bytes());
    } else {
        bytes.extend((distance as i16).to_be_bytes());
    }
}

fn begin_switch(bytes: &mut Vec<u8>, opcode: u8, pc: Pc) {
    bytes.push(opcode);
    bytes.extend((0..padding(u64::from(pc))).map(|_| 0));
}

fn table_switch(bytes: &mut Vec<u8>, switch: &TableSwitch, distance: impl Fn(Pc) -> i32) {
    bytes.extend(distance(switch.default).to_be_bytes());
    bytes.extend(switch.low.to_be_bytes());
    let high = switch.low.wrapping_add(switch.targets.len() as i32 - 1);
    bytes.extend(high.to_be_bytes());
    for target in &switch.targets {
        bytes.extend(distance(*target).to_be_bytes());
    }
}

fn lookup_switch(bytes: &mut Vec<u8>, switch: &LookupSwitch, distance: impl Fn(Pc) -> i32) {
    bytes.extend(distance(switch.default).to_be_bytes());
    bytes.u4(switch.cases.len() as u32);
    for (key, target) in &switch.cases {
        bytes.extend(key.to_be_bytes());
        bytes.extend(distance(*target).to_be_bytes());
    }
}
