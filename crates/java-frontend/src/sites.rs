//! The jumps of a program and the branches they are.
//!
//! [`java_wire::site`] numbers the jumps of all classes, one after the other; that number is the id of their events. A conditional jump is
//! one branch. A switch is as many branches as it has different targets, which is how JaCoCo counts it, so the numbers of branches
//! run ahead of those of jumps:
//!
//! ```text
//! jump     0: if    1: switch (3 targets)    2: if
//! branch   0        1, 2, 3                  4
//! ```
//!
//! The branch of a jump is the first of these; [`Sites::branch_count`] of them are in use.
//!
//! **Which outcome is true.** Compilers turn `if (a > b) x();` into a jump *around* `x()` under `a <= b`. Reports speak of the source, so the
//! outcome `true` is that its condition holds, which is most often that the jump is *not* taken:
//!
//! - a jump back is the end of a loop that tests last: taken means true;
//! - a jump forward skips: taken means false;
//! - but in `a || b` the jump of `a` leads to where `b` falls through to: taken means what that means;
//! - in `assert c` a jump around the `throw` means that `c` holds, or before it that assertions are off: taken means true.

use crate::jacoco::{Filter, View};
use crate::landing::landings;
use crate::sources::ClassEntry;
use java_classfile::instruction::{CompareOp, Condition};
use java_classfile::{ClassFile, Code, Instruction, Method, Pc};
use java_wire::site::{JumpKind, jumps};
use model::{BranchId, Goal};
use std::collections::{BTreeMap, HashMap};

/// A jump.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    /// Its class, by its place among the own ones.
    pub class: usize,
    /// Its method, by its place in the class file.
    pub method: usize,
    /// Where in the code.
    pub pc: Pc,
    /// What decides it.
    pub kind: JumpKind,
    /// Its branch; of a switch the first one.
    pub branch: BranchId,
    /// Where it leads.
    pub shape: Shape,
    /// Line of the source, 0 if the class does not say.
    pub line: u32,
    /// Why JaCoCo does not count it, if so.
    pub hidden_by: Option<Filter>,
    /// The outcome that only a machine with assertions off sees, if it asks whether they are off.
    pub unasserted: Option<bool>,
    /// The first branch of the jump that it is a copy of: what it does counts for that one, too.
    pub counts_for: Option<BranchId>,
    /// Places that it alone leads to, with their lines.
    landings: Vec<(Pc, u32)>,
}

/// Where a jump leads.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// One of two ways.
    Condition {
        /// The relation that is tested; of references `Eq` or `Ne`.
        condition: Condition,
        /// The comparison with three answers before it, if that is what it tests.
        compare: Option<CompareOp>,
        /// Where it leads if the relation holds.
        target: Pc,
        /// The outcome that this is.
        taken_is: bool,
    },
    /// One of several.
    Switch {
        /// The different targets by offset.
        targets: Vec<Target>,
    },
}

/// A place that a switch leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The place.
    pub pc: Pc,
    /// Keys that lead there, ascending.
    pub keys: Vec<i32>,
    /// Whether all other keys do, too.
    pub is_default: bool,
}

impl Site {
    /// How many branches it is.
    #[must_use]
    pub fn width(&self) -> u32 {
        match &self.shape {
            Shape::Condition { .. } => 1,
            Shape::Switch { targets } => targets.len() as u32,
        }
    }

    /// The line that an outcome leads to, if only this jump leads there: JaCoCo does not note that before the line is through.
    #[must_use]
    pub fn lands_on(&self, goal: Goal) -> Option<u32> {
        let offset = goal.branch.0.checked_sub(self.branch.0)?;
        let pc = match &self.shape {
            Shape::Condition { target, taken_is, .. } => {
                (offset == 0 && goal.outcome == *taken_is).then_some(*target)?
            }
            Shape::Switch { targets } => targets.get(offset as usize).filter(|_| goal.outcome)?.pc,
        };
        self.landings.iter().find(|(place, _)| *place == pc).map(|(_, line)| *line)
    }
}

/// The jumps of all own classes, by number.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    list: Vec<Site>,
    branches: u32,
    /// The first jump of a method, by class and method.
    of_method: HashMap<(usize, usize), std::ops::Range<usize>>,
}

impl Sites {
    /// Of the own classes in their order.
    #[must_use]
    pub fn of(classes: &[ClassEntry]) -> Sites {
        let mut sites = Sites::default();
        for (index, entry) in classes.iter().enumerate() {
            sites.add_class(index, &entry.class);
        }
        sites
    }

    /// A jump by its number, which is the id of its events.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Site> {
        self.list.get(number as usize)
    }

    /// The outcome that it is if a jump leads to a place. JaCoCo's copies count for their originals.
    #[must_use]
    pub fn goal(&self, number: u32, place: Pc) -> Option<Goal> {
        let site = self.get(number)?;
        let branch = site.counts_for.unwrap_or(site.branch);
        match &site.shape {
            Shape::Condition { target, taken_is, .. } => {
                Some(Goal { branch, outcome: (*target == place) == *taken_is })
            }
            Shape::Switch { targets } => {
                let offset = targets.iter().position(|target| target.pc == place)? as u32;
                Some(Goal { branch: BranchId(branch.0 + offset), outcome: true })
            }
        }
    }

    /// Whether JaCoCo counts something for an outcome: that a switch leads elsewhere is none of its branches.
    #[must_use]
    pub fn is_counted(&self, goal: Goal) -> bool {
        let site = self.of_branch(goal.branch);
        site.is_some_and(|site| goal.outcome || matches!(site.shape, Shape::Condition { .. }))
    }

    /// The outcomes that only a machine with assertions off sees.
    pub fn unasserted(&self) -> impl Iterator<Item = Goal> + '_ {
        let goal = |site: &Site| Some(Goal { branch: site.branch, outcome: site.unasserted? });
        self.list.iter().filter_map(goal)
    }

    /// The jump that a branch is, or a switch that it is a way out of.
    #[must_use]
    pub fn of_branch(&self, branch: BranchId) -> Option<&Site> {
        let after = self.list.partition_point(|site| site.branch <= branch);
        let site = &self.list[after.checked_sub(1)?];
        (branch.0 < site.branch.0 + site.width()).then_some(site)
    }

    /// All jumps, by number.
    #[must_use]
    pub fn all(&self) -> &[Site] {
        &self.list
    }

    /// The jumps of a method.
    #[must_use]
    pub fn of_method(&self, class: usize, method: usize) -> &[Site] {
        self.of_method.get(&(class, method)).map_or(&[], |range| &self.list[range.clone()])
    }

    /// Numbers of branches in use.
    #[must_use]
    pub fn branch_count(&self) -> u32 {
        self.branches
    }

    fn add_class(&mut self, index: usize, class: &ClassFile) {
        let all = jumps(class);
        for jumps in all.chunk_by(|a, b| a.method == b.method) {
            let number = jumps[0].method;
            let method = &class.methods[number];
            let Some(code) = &method.code else { continue };
            let begin = self.list.len();
            self.add_method(class, index, method, code, jumps);
            self.of_method.insert((index, number), begin..self.list.len());
        }
    }

    fn add_method(
        &mut self,
        class: &ClassFile,
        index: usize,
        method: &Method,
        code: &Code,
        jumps: &[java_wire::site::Jump],
    ) {
        let view = View::of(class, method, code);
        let meanings = meanings(class, code);
        let switches = assertion_tests(class, code);
        let places: HashMap<Pc, usize> =
            code.instructions.iter().enumerate().map(|(at, (pc, _))| (*pc, at)).collect();
        let landings = landings(code);
        let mut branch_at = HashMap::new();
        let mut copies = Vec::new();
        for jump in jumps {
            let at = places[&jump.pc];
            let alone = code.instructions[at].1.targets().into_iter();
            let alone = alone.filter_map(|pc| Some((pc, *landings.get(&pc)?)));
            let mut site = Site {
                class: index,
                method: jump.method,
                pc: jump.pc,
                kind: jump.kind,
                branch: BranchId(self.branches),
                shape: shape(code, at, meanings.get(&at).copied().unwrap_or(false)),
                line: line(code, jump.pc),
                hidden_by: view.hidden(at),
                unasserted: None,
                counts_for: None,
                landings: alone.collect(),
            };
            if let Shape::Condition { taken_is, .. } = site.shape {
                let taken = switches.iter().find(|(place, _)| *place == at).map(|(_, taken)| *taken);
                site.unasserted = taken.map(|taken| taken == taken_is);
            }
            if site.hidden_by.is_none()
                && matches!(&site.shape, Shape::Switch { targets } if targets.len() < 2)
            {
                site.hidden_by = Some(Filter::OneTarget);
            }
            self.branches += site.width();
            branch_at.insert(at, self.list.len());
            copies.extend(view.original(at).map(|original| (self.list.len(), original)));
            self.list.push(site);
        }
        for (copy, original) in copies {
            self.align(copy, branch_at.get(&original).copied());
        }
    }

    /// What it means that a jump is taken, for who knows better; copies of it mean the same.
    pub(crate) fn mean(&mut self, class: usize, method: usize, pc: Pc, means: bool) {
        let Some(own) = self.of_method.get(&(class, method)).cloned() else { return };
        let own = &mut self.list[own];
        let Some(branch) = own.iter().find(|site| site.pc == pc).map(|site| site.branch) else { return };
        for site in own.iter_mut().filter(|site| site.branch == branch || site.counts_for == Some(branch)) {
            if let Shape::Condition { taken_is, .. } = &mut site.shape {
                *taken_is = means;
            }
        }
    }

    /// A copy means what its original means.
    fn align(&mut self, copy: usize, original: Option<usize>) {
        let Some(original) = original.map(|at| self.list[at].clone()) else { return };
        let site = &mut self.list[copy];
        if site.width() != original.width() {
            return;
        }
        site.counts_for = Some(original.branch);
        if let (Shape::Condition { taken_is, .. }, Shape::Condition { taken_is: means, .. }) =
            (&mut site.shape, &original.shape)
        {
            *taken_is = *means;
        }
    }
}

/// The line of an instruction.
pub(crate) fn line(code: &Code, pc: Pc) -> u32 {
    let before = code.lines.iter().filter(|line| line.pc <= pc);
    before.max_by_key(|line| line.pc).map_or(0, |line| u32::from(line.line))
}

fn shape(code: &Code, at: usize, taken_is: bool) -> Shape {
    let compare = match at.checked_sub(1).and_then(|before| code.instructions.get(before)) {
        Some((_, Instruction::Compare(op))) => Some(*op),
        _ => None,
    };
    let condition = |condition, target, compare| Shape::Condition { condition, compare, target, taken_is };
    match &code.instructions[at].1 {
        Instruction::If { condition: c, target } => condition(*c, *target, compare),
        Instruction::IfInts { condition: c, target } => condition(*c, *target, None),
        Instruction::IfRefs { same, target } => condition(equality(*same), *target, None),
        Instruction::IfNull { null, target } => condition(equality(*null), *target, None),
        Instruction::TableSwitch(switch) => targets(switch.default, switch.cases()),
        Instruction::LookupSwitch(switch) => targets(switch.default, switch.cases.iter().copied()),
        _ => Shape::Switch { targets: Vec::new() },
    }
}

fn equality(same: bool) -> Condition {
    if same { Condition::Eq } else { Condition::Ne }
}

fn targets(default: Pc, cases: impl Iterator<Item = (i32, Pc)>) -> Shape {
    let mut by_place: BTreeMap<Pc, Vec<i32>> = BTreeMap::from([(default, Vec::new())]);
    for (key, pc) in cases {
        by_place.entry(pc).or_default().push(key);
    }
    by_place.values_mut().for_each(|keys| keys.sort_unstable());
    let target = |(pc, keys)| Target { pc, keys, is_default: pc == default };
    Shape::Switch { targets: by_place.into_iter().map(target).collect() }
}

/// What it means that a conditional jump is taken, by its place. The last jumps first: those before may lead to where they end.
fn meanings(class: &ClassFile, code: &Code) -> HashMap<usize, bool> {
    let place = |pc: Pc| code.instructions.partition_point(|(at, _)| *at < pc);
    let assertions = assertions(class, code);
    let mut meanings = HashMap::new();
    for (at, (pc, instruction)) in code.instructions.iter().enumerate().rev() {
        let (true, Some(&target)) = (instruction.is_conditional(), instruction.targets().first()) else {
            continue;
        };
        let before = place(target).checked_sub(1).filter(|before| *before > at);
        let joins = before.and_then(|before| meanings.get(&before)).map(|taken| !taken);
        let asserts = assertions.iter().any(|(test, skip)| *test <= at && *skip == target);
        meanings.insert(at, target <= *pc || asserts || joins.unwrap_or(false));
    }
    meanings
}

/// The jumps that hang on whether assertions are on: their places, and whether they are taken if they are off.
fn assertion_tests(class: &ClassFile, code: &Code) -> Vec<(usize, bool)> {
    let mut found: Vec<(usize, bool)> =
        assertions(class, code).into_iter().map(|(at, _)| (at, true)).collect();
    let asks = |method| class.pool.member(method).is_ok_and(|method| method.name == "desiredAssertionStatus");
    for (at, pair) in code.instructions.windows(2).enumerate() {
        if let (Instruction::Invoke { method, .. }, Instruction::If { condition, .. }) =
            (&pair[0].1, &pair[1].1)
            && asks(*method)
        {
            found.push((at + 1, *condition == Condition::Eq));
        }
    }
    found
}

/// The tests whether assertions are off: their places, and where they lead.
fn assertions(class: &ClassFile, code: &Code) -> Vec<(usize, Pc)> {
    let is_switch = |field| class.pool.member(field).is_ok_and(|field| field.name == "$assertionsDisabled");
    let pairs = code.instructions.windows(2).enumerate();
    let found = pairs.filter_map(|(at, pair)| match (&pair[0].1, &pair[1].1) {
        (Instruction::GetStatic(field), Instruction::If { target, .. }) if is_switch(*field) => {
            Some((at + 1, *target))
        }
        _ => None,
    });
    found.collect()
}
