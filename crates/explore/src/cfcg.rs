//! The combined control-flow and call graph (J. Burnim, K. Sen, "Heuristics for Scalable Dynamic Test
//! Generation", 2008, section 4.1), over all files of a program.
//!
//! Nodes are blocks and branch outcomes. An outcome lies between the block that decides and the block it leads
//! to; a block that calls has an edge to the entry of every callee, and there are no edges back. An edge weighs 1
//! if it leads to an outcome, else 0.
//!
//! Two things of C need a rule. The outcome "this case was not chosen" lies on no edge: the outcomes of the
//! other cases imply it. Conditions decided without a jump (`select`) stand beside the edges of their block.

use model::{BranchKind, CallSite, Function, FunctionId, Goal, Program};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// No function, no distance.
const NONE: u32 = u32::MAX;

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Cfcg {
    /// Nodes below are blocks, the others outcomes.
    blocks: usize,
    successors: Vec<Vec<u32>>,
    predecessors: Vec<Vec<u32>>,
    /// Function of every branch.
    function: Vec<u32>,
    /// Whether an edge of the control flow carries the branch.
    on_edge: Vec<bool>,
    /// The outcomes that come with an outcome.
    implied: Vec<Vec<Goal>>,
    /// The outcomes that may come next, as far as they were asked for.
    next: Vec<OnceCell<Box<[Goal]>>>,
}

/// How many branches lie between an outcome and the nearest uncovered one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Distances {
    blocks: usize,
    nodes: Vec<u32>,
}

impl Distances {
    /// `UncoveredDistance` of an outcome; `None` if no path leads to an uncovered one.
    pub(crate) fn of(&self, goal: Goal) -> Option<u32> {
        self.nodes.get(self.blocks + goal.index()).copied().filter(|&distance| distance != NONE)
    }
}

impl Cfcg {
    /// The graph of a program.
    #[must_use]
    pub fn new(program: &Program) -> Cfcg {
        let all: Vec<FunctionId> = (0..program.functions.len() as u32).map(FunctionId).collect();
        Cfcg::among(program, &all)
    }

    /// The same of these functions alone; the others are not there.
    #[must_use]
    pub fn among(program: &Program, functions: &[FunctionId]) -> Cfcg {
        let mut first_block = Vec::new();
        let mut blocks = 0;
        for function in &program.functions {
            first_block.push(blocks);
            blocks += function.cfg.successors.len();
        }
        let branches = program.branch_count as usize;
        let mut graph = Cfcg {
            blocks,
            successors: vec![Vec::new(); blocks + 2 * branches],
            predecessors: Vec::new(),
            function: vec![NONE; branches],
            on_edge: vec![false; branches],
            implied: vec![Vec::new(); 2 * branches],
            next: vec![OnceCell::new(); 2 * branches],
        };
        graph.add_calls(program, functions, &first_block);
        for &id in functions {
            graph.add_edges(program.function(id), id.0, first_block[id.0 as usize]);
        }
        for &id in functions {
            graph.add_selects(program.function(id), first_block[id.0 as usize]);
        }
        graph.predecessors = reversed(&graph.successors);
        graph
    }

    fn add_calls(&mut self, program: &Program, functions: &[FunctionId], first_block: &[usize]) {
        let known: HashSet<FunctionId> = functions.iter().copied().collect();
        let is_known = |site: &&CallSite| known.contains(&site.caller) && known.contains(&site.callee);
        for site in program.call_sites.iter().filter(is_known) {
            let from = first_block[site.caller.0 as usize] + site.block.index();
            self.add_call(program, first_block, from, site.callee);
        }
        // Known calls at unknown places may be anywhere.
        if program.call_sites.is_empty() {
            for &id in functions {
                let (function, first) = (program.function(id), first_block[id.0 as usize]);
                for block in 0..function.cfg.successors.len() {
                    for &callee in function.calls.iter().filter(|callee| known.contains(callee)) {
                        self.add_call(program, first_block, first + block, callee);
                    }
                }
            }
        }
    }

    fn add_call(&mut self, program: &Program, first_block: &[usize], from: usize, callee: FunctionId) {
        if !program.function(callee).cfg.successors.is_empty() {
            self.successors[from].push(first_block[callee.0 as usize] as u32);
        }
    }

    fn add_edges(&mut self, function: &Function, number: u32, first: usize) {
        for branch in &function.branches {
            self.function[branch.id.0 as usize] = number;
        }
        for (block, edges) in function.cfg.successors.iter().enumerate() {
            for edge in edges {
                let to = (first + edge.to.index()) as u32;
                if edge.taken_by.is_empty() {
                    self.successors[first + block].push(to);
                }
                for &goal in &edge.taken_by {
                    self.on_edge[goal.branch.0 as usize] = true;
                    let node = self.node(goal);
                    self.successors[first + block].push(node);
                    self.successors[node as usize].push(to);
                    self.implied[goal.index()] = implied(function, block, goal, &edge.taken_by);
                }
            }
        }
    }

    /// Conditions without an edge: after one of them comes what follows its block, and the others there.
    fn add_selects(&mut self, function: &Function, first: usize) {
        let selects = || function.branches.iter().filter(|b| !self.on_edge[b.id.0 as usize]);
        let places: Vec<_> = selects().map(|b| (b.id, first + b.block.index())).collect();
        for &(branch, block) in &places {
            let outcomes = [true, false].map(|outcome| self.node(Goal { branch, outcome }));
            if let Some(successors) = self.successors.get_mut(block) {
                successors.extend(outcomes);
            }
        }
        for &(branch, block) in &places {
            let outcomes = [true, false].map(|outcome| self.node(Goal { branch, outcome }));
            let after: Vec<u32> =
                self.successors[block].iter().copied().filter(|node| !outcomes.contains(node)).collect();
            for node in outcomes {
                self.successors[node as usize].clone_from(&after);
            }
        }
    }

    fn node(&self, goal: Goal) -> u32 {
        (self.blocks + goal.index()) as u32
    }

    fn goal(&self, node: u32) -> Option<Goal> {
        let index = (node as usize).checked_sub(self.blocks)?;
        Some(Goal { branch: model::BranchId(index as u32 / 2), outcome: index.is_multiple_of(2) })
    }

    /// The distances of all outcomes: Dijkstra's algorithm on the reversed graph from all uncovered outcomes at
    /// once. With weights 0 and 1 its queue is a list, to which one adds at both ends.
    pub(crate) fn distances(&self, is_uncovered: impl Fn(Goal) -> bool) -> Distances {
        let mut nodes = vec![NONE; self.successors.len()];
        let mut queue = VecDeque::new();
        for node in self.blocks as u32..self.successors.len() as u32 {
            if self.goal(node).is_some_and(|goal| self.brings(goal, &is_uncovered)) {
                nodes[node as usize] = 0;
                queue.push_back((node, 0));
            }
        }
        while let Some((node, distance)) = queue.pop_front() {
            if distance > nodes[node as usize] {
                continue;
            }
            let weight = u32::from(node as usize >= self.blocks);
            for &before in &self.predecessors[node as usize] {
                if distance + weight < nodes[before as usize] {
                    nodes[before as usize] = distance + weight;
                    match weight {
                        0 => queue.push_front((before, distance)),
                        _ => queue.push_back((before, distance + 1)),
                    }
                }
            }
        }
        Distances { blocks: self.blocks, nodes }
    }

    /// Whether taking an outcome covers something.
    fn brings(&self, goal: Goal, is_uncovered: impl Fn(Goal) -> bool) -> bool {
        self.implied[goal.index()].iter().any(|&implied| is_uncovered(implied))
            || (is_uncovered(goal) && self.function[goal.branch.0 as usize] != NONE)
    }

    /// The outcomes that may come next after an outcome: all that edges of weight 0 lead to.
    pub(crate) fn next(&self, goal: Goal) -> &[Goal] {
        self.next.get(goal.index()).map_or(&[], |next| next.get_or_init(|| self.compute_next(goal)))
    }

    fn compute_next(&self, goal: Goal) -> Box<[Goal]> {
        let mut seen = HashSet::new();
        let mut todo = vec![self.node(goal)];
        let mut next = BTreeSet::new();
        while let Some(node) = todo.pop() {
            for &after in &self.successors[node as usize] {
                match self.goal(after) {
                    Some(goal) => drop(next.insert(goal)),
                    None if seen.insert(after) => todo.push(after),
                    None => {}
                }
            }
        }
        next.into_iter().collect()
    }

    /// Whether a run may take an outcome between `from` and `to` without leaving a static path on which they
    /// are neighbours: it stands in a function that the static path skips, or on no edge.
    pub(crate) fn is_aside(&self, taken: Goal, from: Goal, to: Goal) -> bool {
        let function = |goal: Goal| self.function.get(goal.branch.0 as usize).copied();
        let elsewhere = function(taken) != function(from) && function(taken) != function(to);
        elsewhere || !self.on_edge.get(taken.branch.0 as usize).is_some_and(|&on_edge| on_edge)
    }
}

/// An outcome of a switch and the cases it excludes; other outcomes imply themselves.
fn implied(function: &Function, block: usize, goal: Goal, edge: &[Goal]) -> Vec<Goal> {
    let of_switch = |kind| {
        matches!(kind, BranchKind::Case | BranchKind::Default | BranchKind::NoDefault | BranchKind::Target)
    };
    let excluded = function.branches.iter().filter(|branch| {
        of_switch(branch.kind)
            && branch.block.index() == block
            && edge.iter().all(|taken| taken.branch != branch.id)
    });
    let excluded = excluded.map(|branch| Goal { branch: branch.id, outcome: false });
    if function.branch(goal.branch).is_some_and(|branch| of_switch(branch.kind)) {
        std::iter::once(goal).chain(excluded).collect()
    } else {
        vec![goal]
    }
}

fn reversed(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, after) in successors.iter().enumerate() {
        for &next in after {
            predecessors[next as usize].push(node as u32);
        }
    }
    predecessors
}
