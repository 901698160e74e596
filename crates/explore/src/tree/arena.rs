//! Nodes with links of 32 bits, and the pools of open leaves.

use super::Leaf;
use expr::Term;

/// No node; as a condition, that of the leaf that stands for all other numbers of a pin.
pub(super) const NONE: u32 = u32::MAX;
/// Where all paths begin.
pub(super) const ROOT: u32 = 0;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Not in use.
    Free,
    /// A decision, its children the ways out of it.
    Inner,
    /// The end of what is known.
    Leaf(Leaf),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    /// The next child of the same parent.
    pub(super) next: u32,
    /// The first child of a decision; the place of an unexplored leaf in its pool.
    link: u32,
    /// The condition of the way from the parent to here.
    pub(super) condition: u32,
    pub(super) depth: u32,
    /// The run that made it known.
    pub(super) run: u32,
    pub(super) state: State,
    /// A decision whose ways are the numbers seen.
    pub(super) pin: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
    free: Vec<u32>,
    /// Unexplored ways, and unexplored numbers of pins: taking a leaf out puts the last one in its place.
    pub(super) open: [Vec<u32>; 2],
}

impl Arena {
    pub(super) fn new() -> Arena {
        let root = Node {
            parent: NONE,
            next: NONE,
            link: NONE,
            condition: NONE,
            depth: 0,
            run: 0,
            state: State::Leaf(Leaf::Unexplored),
            pin: false,
        };
        Arena { nodes: vec![root], free: Vec::new(), open: [Vec::new(), Vec::new()] }
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// How many nodes are in use.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub(super) fn children(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let node = self.node(parent);
        let first = if node.state == State::Inner { node.link } else { NONE };
        let some = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(some(first), move |&child| some(self.node(child).next))
    }

    /// The child with this condition.
    pub(super) fn child(&self, parent: u32, condition: u32) -> Option<u32> {
        self.children(parent).find(|&child| self.node(child).condition == condition)
    }

    /// Makes a leaf a decision without children.
    pub(super) fn open_up(&mut self, node: u32, pin: bool) {
        self.set(node, State::Inner);
        let node = &mut self.nodes[node as usize];
        (node.link, node.pin) = (NONE, pin);
    }

    /// A new unexplored leaf below a decision; `None` stands for the other numbers of a pin.
    pub(super) fn add(&mut self, parent: u32, condition: Option<Term>, run: u32) -> u32 {
        let above = *self.node(parent);
        let condition = condition.map_or(NONE, |term| term.0);
        let depth = above.depth + 1;
        let state = State::Free;
        let leaf = Node { parent, next: above.link, link: NONE, condition, depth, run, state, pin: false };
        let index = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(leaf);
            self.nodes.len() as u32 - 1
        });
        self.nodes[index as usize] = leaf;
        self.nodes[parent as usize].link = index;
        self.set(index, State::Leaf(Leaf::Unexplored));
        index
    }

    /// Changes what a node is; the pools follow.
    pub(super) fn set(&mut self, index: u32, state: State) {
        let node = *self.node(index);
        let pooled = |state| state == State::Leaf(Leaf::Unexplored) && index != ROOT;
        let pool = &mut self.open[usize::from(node.condition == NONE)];
        if pooled(node.state) {
            pool.swap_remove(node.link as usize);
            if let Some(&moved) = pool.get(node.link as usize) {
                self.nodes[moved as usize].link = node.link;
            }
        }
        if pooled(state) {
            self.nodes[index as usize].link = pool.len() as u32;
            pool.push(index);
        }
        self.nodes[index as usize].state = state;
    }

    /// Makes a node a leaf and forgets all below it.
    pub(super) fn cut_below(&mut self, node: u32, leaf: Leaf) {
        let mut todo: Vec<u32> = self.children(node).collect();
        while let Some(below) = todo.pop() {
            todo.extend(self.children(below));
            self.set(below, State::Free);
            self.free.push(below);
        }
        self.set(node, State::Leaf(leaf));
    }
}
