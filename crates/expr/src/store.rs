//! The store: every term once.

use crate::interned::{Interned, hash_of_words};
use crate::op::Op;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// A term of a [`Terms`] store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub u32);

impl Term {
    /// Index into tables with one entry a term.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a variable in an [`crate::Assignment`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable(pub u32);

/// Index of a [`Table`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub u32);

/// The rows that a [`Op::Lookup`] chooses from; at least one, all of one width.
pub type Table = Box<[Term]>;

/// A term as it is stored: operands are indices of earlier terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Bits of the result.
    pub width: u8,
    /// The lowest bit of an [`Op::Extract`].
    pub extra: u8,
    /// Always 0: with it a node is two whole words.
    pub zero: u8,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
}

impl Node {
    pub(crate) fn unary(op: Op, width: u32, a: Term) -> Node {
        Node { op, width: width as u8, extra: 0, zero: 0, a: a.0, b: 0, c: 0 }
    }

    pub(crate) fn binary(op: Op, width: u32, a: Term, b: Term) -> Node {
        Node { op, width: width as u8, extra: 0, zero: 0, a: a.0, b: b.0, c: 0 }
    }

    pub(crate) fn ternary(op: Op, width: u32, a: Term, b: Term, c: Term) -> Node {
        Node { op, width: width as u8, extra: 0, zero: 0, a: a.0, b: b.0, c: c.0 }
    }

    pub(crate) fn extract(a: Term, low: u32, width: u32) -> Node {
        Node { op: Op::Extract, width: width as u8, extra: low as u8, zero: 0, a: a.0, b: 0, c: 0 }
    }

    /// The terms it is made of; the rows of a lookup excluded.
    pub fn operands(&self) -> impl Iterator<Item = Term> + use<> {
        [self.a, self.b, self.c].into_iter().take(self.op.arity()).map(Term)
    }

    /// Bits of the result, as a number to compute with.
    pub(crate) fn bits(&self) -> u32 {
        self.width.into()
    }

    pub(crate) fn first(&self) -> Term {
        Term(self.a)
    }

    pub(crate) fn second(&self) -> Term {
        Term(self.b)
    }

    pub(crate) fn third(&self) -> Term {
        Term(self.c)
    }

    /// Everything in two words: they hash and compare faster than six fields.
    #[inline]
    fn words(&self) -> [u64; 2] {
        let head = u32::from_le_bytes([self.op as u8, self.width, self.extra, self.zero]);
        [u64::from(head) | u64::from(self.a) << 32, u64::from(self.b) | u64::from(self.c) << 32]
    }
}

/// All terms.
///
/// A term is made after its operands, so indices are a topological order.
#[derive(Debug, Default)]
pub struct Terms {
    pub(crate) nodes: Vec<Node>,
    interned: Interned,
    wide: Vec<u128>,
    wide_ids: HashTable<u32>,
    tables: Vec<Table>,
    table_ids: HashTable<u32>,
    /// What operations make of tables of numbers, see [`crate::simplify`].
    pub(crate) mapped: FxHashMap<(TableId, usize, Node), TableId>,
}

impl Terms {
    /// An empty store.
    #[must_use]
    pub fn new() -> Terms {
        Terms::default()
    }

    /// Makes room for so many more terms.
    pub fn reserve(&mut self, more: usize) {
        self.nodes.reserve(more);
        self.interned.reserve(self.nodes.len() + more);
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a term is made of.
    #[inline]
    #[must_use]
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// Bits of a term.
    #[inline]
    #[must_use]
    pub fn width(&self, term: Term) -> u32 {
        u32::from(self.nodes[term.index()].width)
    }

    /// The rows of a table.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// The rows of a lookup, none for other terms.
    #[must_use]
    pub fn rows(&self, node: &Node) -> &[Term] {
        if node.op == Op::Lookup { self.table(TableId(node.b)) } else { &[] }
    }

    /// The number a term stands for, if it is one.
    #[inline]
    #[must_use]
    pub fn value(&self, term: Term) -> Option<u128> {
        let node = self.nodes[term.index()];
        match node.op {
            Op::Const => Some(u128::from(node.a) | u128::from(node.b) << 32),
            Op::Wide => Some(self.wide[node.a as usize]),
            _ => None,
        }
    }

    /// The term of a node, a new one if there is none. The node must be in normal form.
    #[inline]
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        debug_assert!(self.is_normal(&node), "not in normal form: {node:?}");
        let words = node.words();
        let hash = hash_of_words(words);
        match self.interned.find(hash, |index| self.nodes[index as usize].words() == words) {
            Ok(index) => Term(index),
            Err(place) => self.add(node, hash, place),
        }
    }

    #[inline]
    fn add(&mut self, node: Node, hash: u32, place: usize) -> Term {
        let index = self.nodes.len() as u32;
        assert!(index < u32::MAX, "fewer than 2^32 terms");
        self.nodes.push(node);
        self.interned.insert(hash, place, index);
        Term(index)
    }

    /// The index of a number among the wide ones.
    pub(crate) fn intern_wide(&mut self, value: u128) -> u32 {
        intern_in(&mut self.wide, &mut self.wide_ids, value)
    }

    /// Enters the rows of a table.
    pub(crate) fn intern_table(&mut self, rows: Table) -> TableId {
        TableId(intern_in(&mut self.tables, &mut self.table_ids, rows))
    }
}

fn intern_in<T: Eq + Hash>(items: &mut Vec<T>, ids: &mut HashTable<u32>, item: T) -> u32 {
    let hash = hash_of(&item);
    if let Some(&id) = ids.find(hash, |&id| items[id as usize] == item) {
        return id;
    }
    let id = items.len() as u32;
    items.push(item);
    ids.insert_unique(hash, id, |&id| hash_of(&items[id as usize]));
    id
}

fn hash_of<T: Hash>(item: &T) -> u64 {
    let mut hasher = FxHasher::default();
    item.hash(&mut hasher);
    hasher.finish()
}
