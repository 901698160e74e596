//! Small programs by the lines of their source, as the thesis writes them: a line is a block, and a decision has its line's number.

use goal::dependence::{Definition, Dependence, DependenceSet, DependenceSets, Limits, Place};
use goal::{Plan, Plans};
use model::{
    Access, BlockId, Branch, BranchId, BranchKind, Cfg, DataFlow, Edge, Function, Goal, Span, Variable,
    VariableId, testing,
};
use std::collections::BTreeSet;

/// The true outcome of a decision, or if negative its false one.
pub(crate) fn outcome(signed: i32) -> Goal {
    Goal { branch: BranchId(signed.unsigned_abs()), outcome: signed > 0 }
}

pub(crate) fn set(outcomes: &[i32]) -> DependenceSet {
    outcomes.iter().map(|&signed| outcome(signed)).collect()
}

pub(crate) fn sets(all: &[&[i32]]) -> BTreeSet<DependenceSet> {
    all.iter().map(|outcomes| set(outcomes)).collect()
}

/// A function and its data flow.
pub(crate) struct Subject {
    pub(crate) function: Function,
    pub(crate) data: DataFlow,
    lines: Vec<u32>,
}

/// A program from `(line, text, lines that follow)`. The text is `v = …`, `part of v = …` for a definition that leaves the
/// rest, `if …` with the lines behind true and false, or `switch …` with a line behind every label; the labels of line `n` have
/// the numbers `100 n`, `100 n + 1` and so on.
pub(crate) fn subject(inputs: &str, program: &[(u32, &str, &[u32])]) -> Subject {
    let lines: Vec<u32> = program.iter().map(|&(line, ..)| line).collect();
    let mut made = Subject { function: testing::function("f"), data: DataFlow::default(), lines };
    for name in names(inputs) {
        made.variable(name, true);
    }
    for &(line, text, next) in program {
        made.add(line, text, next);
    }
    made
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(char::is_alphabetic))
}

impl Subject {
    fn add(&mut self, line: u32, text: &str, next: &[u32]) {
        let block = self.block(line);
        let outcomes: Vec<Option<Goal>> = match text.split(' ').next() {
            Some("if") => [true, false].map(|outcome| Some(Goal { branch: BranchId(line), outcome })).into(),
            Some("switch") => (100 * line..).take(next.len()).map(|n| Some(outcome(n as i32))).collect(),
            _ => vec![None; next.len()],
        };
        assert_eq!(outcomes.len(), next.len(), "line {line}");
        let edges = outcomes.iter().zip(next);
        let edges =
            edges.map(|(goal, &to)| Edge { to: self.block(to), taken_by: goal.iter().copied().collect() });
        let edges: Vec<Edge> = edges.collect();
        self.function.cfg.successors.push(edges);
        let kind = if text.starts_with("switch") { BranchKind::Case } else { BranchKind::Condition };
        let mut branches: Vec<BranchId> = outcomes.iter().flatten().map(|goal| goal.branch).collect();
        branches.dedup();
        self.function.branches.extend(branches.into_iter().map(|id| branch(id, kind, block)));
        let access = self.access(text);
        self.data.blocks.push(access.into_iter().collect());
    }

    fn access(&mut self, text: &str) -> Option<Access> {
        if let Some(condition) = text.strip_prefix("if").or(text.strip_prefix("switch")) {
            return Some(Access::Decide { uses: self.uses(condition) });
        }
        let (left, right) = text.split_once('=')?;
        let name = left.trim().trim_start_matches("part of ");
        let variable = self.variable(name, false);
        Some(Access::Define { variable, uses: self.uses(right), kills: !left.starts_with("part of") })
    }

    fn uses(&mut self, text: &str) -> Vec<VariableId> {
        names(text).map(|name| self.variable(name, false)).collect()
    }

    fn variable(&mut self, name: &str, is_input: bool) -> VariableId {
        let known = self.data.variables.iter().position(|variable| variable.name == name);
        let index = known.unwrap_or_else(|| {
            self.data.variables.push(Variable { name: name.to_owned(), is_input });
            self.data.variables.len() - 1
        });
        VariableId(index as u32)
    }

    pub(crate) fn block(&self, line: u32) -> BlockId {
        let found = self.lines.iter().position(|&l| l == line);
        BlockId(found.unwrap_or_else(|| panic!("there is no line {line}")) as u32)
    }

    pub(crate) fn dependence(&self) -> Dependence<'_> {
        Dependence::new(&self.function.cfg, &self.function.branches, &self.data)
    }

    /// The dependence sets of an outcome, of which nothing was left out.
    #[track_caller]
    pub(crate) fn all_sets(&self, of: i32) -> DependenceSets {
        let sets = self.dependence().sets(outcome(of), &Limits::default());
        assert_eq!(sets.reached, BTreeSet::new());
        sets
    }

    /// The control dependence of a line that is reached in one way.
    #[track_caller]
    pub(crate) fn control_dep(&self, line: u32) -> DependenceSet {
        let ways = self.dependence().ways(self.block(line), 100).sets;
        assert_eq!(ways.len(), 1, "{ways:?}");
        ways.into_iter().next().unwrap_or_default()
    }

    /// The lines with last definitions of a variable at a line; 0 stands for its value as an input.
    pub(crate) fn last_defs(&self, name: &str, line: u32) -> Vec<u32> {
        let variable = self.data.variables.iter().position(|variable| variable.name == name);
        let variable = VariableId(variable.unwrap_or_else(|| panic!("there is no {name}")) as u32);
        let found = self.dependence().last_definitions(Place { block: self.block(line), index: 0 }, variable);
        let line = |definition: &Definition| match definition {
            Definition::Entry => 0,
            Definition::At(place) => self.lines[place.block.index()],
        };
        found.iter().map(line).collect()
    }

    pub(crate) fn plan(&self, of: i32) -> Plan {
        Plans::new(&self.function).plan(outcome(of))
    }
}

pub(crate) fn branch(id: BranchId, kind: BranchKind, block: BlockId) -> Branch {
    Branch { id, kind, span: Span::default(), expansion: None, block, counted: true }
}

/// Control flow, branches and data flow as one function would have them.
pub(crate) fn assembled(cfg: Cfg, branches: Vec<Branch>, data: DataFlow) -> Subject {
    let lines = (0..cfg.successors.len() as u32).collect();
    Subject { function: Function { cfg, branches, ..testing::function("f") }, data, lines }
}
