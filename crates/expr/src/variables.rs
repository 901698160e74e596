//! The variables of many terms: sets that share what they have in common.
//!
//! A checksum over n bytes has n partial sums, each with one variable more: as separate sets they would take n²
//! space. So sets are big-endian Patricia trees (Okasaki and Gill, 1998) over blocks of 64 variables, interned like
//! terms, and a union is remembered.

use crate::store::{Term, Terms, Variable};
use rustc_hash::FxHashMap;

/// A set of variables in [`VariableSets`]. Equal sets are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableSet(u32);

impl VariableSet {
    /// The set without variables.
    pub const EMPTY: VariableSet = VariableSet(0);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Tree {
    Empty,
    /// Variables `64 * block + i` for the bits `i`.
    Leaf {
        block: u32,
        bits: u64,
    },
    /// Blocks that begin with `prefix`; those without `bit` are on the left.
    Branch {
        prefix: u32,
        bit: u32,
        left: VariableSet,
        right: VariableSet,
    },
}

/// The sets of variables that terms have, remembered for every term ever asked for.
#[derive(Debug)]
pub struct VariableSets {
    trees: Vec<Tree>,
    interned: FxHashMap<Tree, VariableSet>,
    unions: FxHashMap<(VariableSet, VariableSet), VariableSet>,
    of_term: Vec<Option<VariableSet>>,
}

impl Default for VariableSets {
    fn default() -> VariableSets {
        VariableSets {
            trees: vec![Tree::Empty],
            interned: FxHashMap::default(),
            unions: FxHashMap::default(),
            of_term: Vec::new(),
        }
    }
}

impl VariableSets {
    /// Nothing known yet.
    #[must_use]
    pub fn new() -> VariableSets {
        VariableSets::default()
    }

    /// The variables of a term. All terms asked for must be of one store.
    pub fn of(&mut self, terms: &Terms, term: Term) -> VariableSet {
        if self.of_term.len() <= term.index() {
            self.of_term.resize(terms.len(), None);
        }
        let mut todo = vec![term];
        while let Some(&part) = todo.last() {
            if self.of_term[part.index()].is_none() && !self.push_unknown(terms, part, &mut todo) {
                let set = self.of_parts(terms, part);
                self.of_term[part.index()] = Some(set);
            }
            if self.of_term[part.index()].is_some() {
                todo.pop();
            }
        }
        self.of_term[term.index()].unwrap_or(VariableSet::EMPTY)
    }

    fn push_unknown(&self, terms: &Terms, part: Term, todo: &mut Vec<Term>) -> bool {
        let before = todo.len();
        let node = terms.node(part);
        let parts = node.operands().chain(terms.rows(&node).iter().copied());
        todo.extend(parts.filter(|operand| self.of_term[operand.index()].is_none()));
        todo.len() > before
    }

    fn of_parts(&mut self, terms: &Terms, part: Term) -> VariableSet {
        let node = terms.node(part);
        if node.op == crate::Op::Var {
            return self.single(Variable(node.a));
        }
        let mut union = VariableSet::EMPTY;
        for operand in node.operands().chain(terms.rows(&node).iter().copied()) {
            let set = self.of_term[operand.index()].unwrap_or(VariableSet::EMPTY);
            union = self.union(union, set);
        }
        union
    }

    /// The set of one variable.
    pub fn single(&mut self, variable: Variable) -> VariableSet {
        self.intern(Tree::Leaf { block: variable.0 >> 6, bits: 1 << (variable.0 & 63) })
    }

    /// All variables of both.
    pub fn union(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        if a == b || b == VariableSet::EMPTY {
            return a;
        }
        if a == VariableSet::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let union = self.united(a, b);
        self.unions.insert(key, union);
        union
    }

    fn united(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        if self.branch_bit(a) < self.branch_bit(b) {
            return self.united(b, a);
        }
        match (self.tree(a), self.tree(b)) {
            (Tree::Leaf { block, bits }, Tree::Leaf { block: other, bits: more }) if block == other => {
                self.intern(Tree::Leaf { block, bits: bits | more })
            }
            (Tree::Branch { prefix, bit, left, right }, tree) if above(self.key(b), bit) == prefix => {
                let (in_left, in_right) = match tree {
                    Tree::Branch { bit: same, left, right, .. } if same == bit => (left, right),
                    _ if self.key(b) & bit == 0 => (b, VariableSet::EMPTY),
                    _ => (VariableSet::EMPTY, b),
                };
                let (left, right) = (self.union(left, in_left), self.union(right, in_right));
                self.intern(Tree::Branch { prefix, bit, left, right })
            }
            _ => self.joined(a, b),
        }
    }

    /// Two trees without common prefix under a new branch.
    fn joined(&mut self, a: VariableSet, b: VariableSet) -> VariableSet {
        let (one, other) = (self.key(a), self.key(b));
        let bit = 1 << (one ^ other).ilog2();
        let (left, right) = if one & bit == 0 { (a, b) } else { (b, a) };
        self.intern(Tree::Branch { prefix: above(one, bit), bit, left, right })
    }

    /// Whether they have a variable in common.
    #[must_use]
    pub fn intersects(&self, a: VariableSet, b: VariableSet) -> bool {
        if a == b {
            return a != VariableSet::EMPTY;
        }
        if self.branch_bit(a) < self.branch_bit(b) {
            return self.intersects(b, a);
        }
        match (self.tree(a), self.tree(b)) {
            (Tree::Empty, _) | (_, Tree::Empty) => false,
            (Tree::Leaf { block, bits }, Tree::Leaf { block: other, bits: more }) => {
                block == other && bits & more != 0
            }
            (Tree::Branch { prefix, bit, left, right }, tree) if above(self.key(b), bit) == prefix => {
                match tree {
                    Tree::Branch { bit: same, left: in_left, right: in_right, .. } if same == bit => {
                        self.intersects(left, in_left) || self.intersects(right, in_right)
                    }
                    _ if self.key(b) & bit == 0 => self.intersects(left, b),
                    _ => self.intersects(right, b),
                }
            }
            _ => false,
        }
    }

    /// The variable of a set that has just one.
    #[must_use]
    pub fn only(&self, set: VariableSet) -> Option<Variable> {
        match self.tree(set) {
            Tree::Leaf { block, bits } if bits.is_power_of_two() => {
                Some(Variable(block << 6 | bits.trailing_zeros()))
            }
            _ => None,
        }
    }

    /// The variables of a set, sorted.
    #[must_use]
    pub fn members(&self, set: VariableSet) -> Vec<Variable> {
        let mut members = Vec::new();
        let mut todo = vec![set];
        while let Some(set) = todo.pop() {
            match self.tree(set) {
                Tree::Empty => {}
                Tree::Leaf { block, bits } => {
                    let is_in = |i: &u32| bits >> i & 1 == 1;
                    members.extend((0..64).filter(is_in).map(|i| Variable(block << 6 | i)));
                }
                Tree::Branch { left, right, .. } => todo.extend([right, left]),
            }
        }
        members
    }

    fn tree(&self, set: VariableSet) -> Tree {
        self.trees[set.0 as usize]
    }

    /// Of leaves 0, so that the larger of two trees branches first.
    fn branch_bit(&self, set: VariableSet) -> u32 {
        if let Tree::Branch { bit, .. } = self.tree(set) { bit } else { 0 }
    }

    fn key(&self, set: VariableSet) -> u32 {
        match self.tree(set) {
            Tree::Empty => 0,
            Tree::Leaf { block, .. } => block,
            Tree::Branch { prefix, .. } => prefix,
        }
    }

    fn intern(&mut self, tree: Tree) -> VariableSet {
        let trees = &mut self.trees;
        *self.interned.entry(tree).or_insert_with(|| {
            trees.push(tree);
            VariableSet(trees.len() as u32 - 1)
        })
    }
}

/// The bits above a branching bit.
fn above(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}
