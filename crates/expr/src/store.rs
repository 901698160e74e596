//! The store: every term once.

use crate::op::Op;
use std::collections::HashMap;

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
pub struct Node {
    /// What it does.
    pub op: Op,
    /// Bits of the result.
    pub width: u8,
    /// The lowest bit of an [`Op::Extract`].
    pub extra: u8,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
}

impl Node {
    /// The terms it is made of; the rows of a lookup excluded.
    pub fn operands(&self) -> impl Iterator<Item = Term> + use<> {
        [self.a, self.b, self.c].into_iter().take(self.op.arity()).map(Term)
    }
}

/// All terms.
///
/// A term is made after its operands, so indices are a topological order.
#[derive(Debug, Default)]
pub struct Terms {
    pub(crate) nodes: Vec<Node>,
    pub(crate) interned: HashMap<Node, Term>,
    pub(crate) wide: Vec<u128>,
    pub(crate) tables: Vec<Table>,
    pub(crate) table_ids: HashMap<Table, TableId>,
}

impl Terms {
    /// An empty store.
    #[must_use]
    pub fn new() -> Terms {
        Terms::default()
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
    #[must_use]
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// Bits of a term.
    #[must_use]
    pub fn width(&self, term: Term) -> u32 {
        u32::from(self.nodes[term.index()].width)
    }

    /// The rows of a table.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// The number a term stands for, if it is one.
    #[must_use]
    pub fn value(&self, term: Term) -> Option<u128> {
        let node = self.node(term);
        match node.op {
            Op::Const => Some(u128::from(node.a) | u128::from(node.b) << 32),
            Op::Wide => Some(self.wide[node.a as usize]),
            _ => None,
        }
    }

    /// The term of a node, a new one if there is none. The node must be in normal form.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.interned.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.interned.insert(node, term);
        term
    }

    /// Enters the rows of a table.
    pub fn add_table(&mut self, rows: Table) -> TableId {
        if let Some(&id) = self.table_ids.get(&rows) {
            return id;
        }
        let id = TableId(self.tables.len() as u32);
        self.tables.push(rows.clone());
        self.table_ids.insert(rows, id);
        id
    }
}
