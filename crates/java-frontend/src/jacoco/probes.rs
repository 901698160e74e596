//! What JaCoCo notices of a run.
//!
//! JaCoCo does not note every jump. It puts *probes* into a method, as few as possible, and concludes from those that were passed what else has
//! been executed: whatever leads to a probe and nowhere else. Of a run without exceptions it concludes all. An exception between a jump and the next
//! probe leaves the jump unnoticed:
//!
//! ```text
//! if (i == size) append(x); else insert(entry(i), x);
//!                                       ▲ throws        probe at the end of the line: not passed
//! ```
//!
//! Probes stand (`org.jacoco.core.internal.flow`, described in its documentation under "Control Flow Analysis")
//!
//! - before every return and `throw`;
//! - on every jump to a place that several ways lead to;
//! - before such a place, for who does not jump there;
//! - where a line begins that calls a method, for who does not jump there.
//!
//! Here they are put at the same places, and the same is concluded from the edges that a run has taken.

use java_classfile::{Code, Instruction, Pc};
use std::collections::{BTreeMap, BTreeSet};

/// A step of a run from one instruction of a method to another, by their places. Nothing comes before the first one, and before the first one
/// of a handler of exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The instruction before.
    pub from: Option<u32>,
    /// The instruction.
    pub to: u32,
}

/// A way out of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Way {
    /// On to the next one.
    Falls,
    /// A jump to a place.
    Jumps(usize),
    /// Out of the method.
    Leaves,
}

/// The flow of a method as JaCoCo sees it.
#[derive(Clone, Debug)]
pub struct Probes {
    /// Where each instruction leads: the instruction there, or a probe.
    ways: Vec<Vec<(Way, End)>>,
}

/// What is at the end of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Probe,
    Instruction(usize),
}

/// What is known of a place that has a label.
#[derive(Clone, Copy, Default)]
struct Label {
    /// Something leads here.
    is_target: bool,
    /// The instruction before does.
    follows: bool,
    /// Several ways do.
    is_shared: bool,
    /// A line begins that calls a method.
    calls: bool,
}

impl Label {
    fn lead(&mut self) {
        self.is_shared |= self.is_target || self.follows;
        self.is_target = true;
    }

    fn follow(&mut self) {
        self.follows = true;
        self.is_shared |= self.is_target;
    }

    fn has_probe(self) -> bool {
        self.follows && (self.is_shared || self.calls)
    }
}

impl Probes {
    /// Of a method; `None` of one with subroutines, which JaCoCo writes anew first.
    #[must_use]
    pub fn of(code: &Code) -> Option<Probes> {
        let is_subroutine = |i: &Instruction| matches!(i, Instruction::Jsr { .. } | Instruction::Ret { .. });
        if code.instructions.iter().any(|(_, instruction)| is_subroutine(instruction)) {
            return None;
        }
        let labels = labels(code);
        let ways = (0..code.instructions.len()).map(|at| ways(code, &labels, at)).collect();
        Some(Probes { ways })
    }

    /// The ways that JaCoCo notices of a run that took these edges, by the places of their instructions.
    #[must_use]
    pub fn noticed(&self, edges: impl IntoIterator<Item = Edge>) -> BTreeSet<(usize, Way)> {
        let mut noticed = BTreeSet::new();
        let mut executed = vec![false; self.ways.len()];
        let mut open = Vec::new();
        for edge in edges {
            for (at, way) in self.passed(edge) {
                noticed.insert((at, way));
                open.push(at);
            }
        }
        let before = self.before();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut executed[at], true) {
                continue;
            }
            for &(from, way) in before.get(&at).into_iter().flatten() {
                noticed.insert((from, way));
                open.push(from);
            }
        }
        noticed
    }

    /// The probes that an edge passes.
    fn passed(&self, edge: Edge) -> Vec<(usize, Way)> {
        let to = edge.to as usize;
        let mut passed = Vec::new();
        let mut pass = |at: usize, fits: &dyn Fn(Way) -> bool| {
            let ways = self.ways.get(at).into_iter().flatten();
            passed.extend(
                ways.filter(|(way, end)| *end == End::Probe && fits(*way)).map(|(way, _)| (at, *way)),
            );
        };
        if let Some(from) = edge.from.map(|from| from as usize) {
            // A jump to the next instruction is either of both; the run itself tells which outcome it was.
            pass(from, &|way| way == Way::Jumps(to) || way == Way::Falls && to == from + 1);
        }
        pass(to, &|way| way == Way::Leaves);
        passed
    }

    /// By instruction: the ways that lead straight to it.
    fn before(&self) -> BTreeMap<usize, Vec<(usize, Way)>> {
        let mut before: BTreeMap<usize, Vec<(usize, Way)>> = BTreeMap::new();
        for (from, ways) in self.ways.iter().enumerate() {
            for &(way, end) in ways {
                if let End::Instruction(to) = end {
                    before.entry(to).or_default().push((from, way));
                }
            }
        }
        before
    }
}

/// What is known of the places of a method.
fn labels(code: &Code) -> BTreeMap<Pc, Label> {
    let lines: BTreeSet<Pc> = code.lines.iter().map(|line| line.pc).collect();
    let mut labels: BTreeMap<Pc, Label> = BTreeMap::new();
    for handler in &code.handlers {
        labels.entry(handler.start).or_default().lead();
        labels.entry(handler.handler).or_default().lead();
    }
    let (mut line, mut before) = (None, None);
    for (pc, instruction) in &code.instructions {
        match before {
            None => labels.entry(*pc).or_default().lead(),
            Some(true) => labels.entry(*pc).or_default().follow(),
            Some(false) => {}
        }
        line = lines.get(pc).copied().or(line);
        if let (Instruction::Invoke { .. } | Instruction::InvokeDynamic(_), Some(line)) = (instruction, line)
        {
            labels.entry(line).or_default().calls = true;
        }
        let targets: BTreeSet<Pc> = instruction.targets().into_iter().collect();
        targets.into_iter().for_each(|target| labels.entry(target).or_default().lead());
        before = Some(instruction.falls_through());
    }
    labels
}

fn ways(code: &Code, labels: &BTreeMap<Pc, Label>, at: usize) -> Vec<(Way, End)> {
    let label = |pc: Pc| labels.get(&pc).copied().unwrap_or_default();
    let instruction = &code.instructions[at].1;
    if matches!(instruction, Instruction::Return(_) | Instruction::Throw) {
        return vec![(Way::Leaves, End::Probe)];
    }
    let mut ways = Vec::new();
    if let Some((next, _)) = code.instructions.get(at + 1).filter(|_| instruction.falls_through()) {
        let end = if label(*next).has_probe() { End::Probe } else { End::Instruction(at + 1) };
        ways.push((Way::Falls, end));
    }
    let targets: BTreeSet<Pc> = instruction.targets().into_iter().collect();
    for target in targets {
        let Some(to) = code.position(target) else { continue };
        let end = if label(target).is_shared { End::Probe } else { End::Instruction(to) };
        ways.push((Way::Jumps(to), end));
    }
    ways
}
