//! Heaps in canonical form: Rostra (Xie, Marinov, Notkin 2004) and Symstra (Xie, Marinov, Schulte, Notkin 2005).
//!
//! Two executions that end in isomorphic heaps go on alike, so one of them is enough: adding 1, 2, 5 to a sorted
//! list leaves what adding 5, 1, 2 does. Objects are numbered in the order in which a depth-first walk from the
//! roots meets them; the list of what it meets is equal for heaps that differ in identities alone.

use crate::TypeId;

/// An object in a list of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// What a field, an element or a variable of a sequence holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// No object.
    Null,
    /// An object.
    Reference(NodeId),
    /// The bits of a number, a character or a truth value.
    Primitive(u64),
    /// A value that is not fixed; equal labels are the same value.
    Symbol(u32),
}

/// An object or array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// What it is an instance of.
    pub class: TypeId,
    /// Its fields in the order of its class, or its elements.
    pub fields: Vec<Value>,
}

/// What a prefix of a sequence leaves: its results, the static fields that matter, and all objects.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Heap {
    /// Where everything that can be reached is reached from, in an order that the caller keeps to.
    pub roots: Vec<Value>,
    /// The objects. Those that nothing reaches do not count.
    pub nodes: Vec<Node>,
}

/// A heap without identities: equal for isomorphic heaps, and only for those.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Canonical(Box<[u64]>);

/// Why there is no such heap.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeapError {
    /// A reference to an object that is not in the list.
    #[error("object {} is not in the heap", .0.0)]
    Dangling(NodeId),
}

impl Heap {
    /// The canonical form, and the labels of its symbols in the order of their first appearance: a constraint about
    /// them is renamed accordingly before it is compared with that of an equal form.
    pub fn canonical(&self) -> Result<(Canonical, Vec<u32>), HeapError> {
        let mut walk = Walk {
            heap: self,
            words: Vec::new(),
            numbers: vec![None; self.nodes.len()],
            met: 0,
            symbols: vec![],
        };
        // Fields still to be looked at, the next one last; lists are longer than a stack of calls is deep.
        let mut open: Vec<Value> = self.roots.iter().rev().copied().collect();
        while let Some(value) = open.pop() {
            if let Some(node) = walk.write(value)? {
                open.extend(node.fields.iter().rev());
            }
        }
        Ok((Canonical(walk.words.into_boxed_slice()), walk.symbols))
    }
}

struct Walk<'h> {
    heap: &'h Heap,
    words: Vec<u64>,
    numbers: Vec<Option<u64>>,
    met: u64,
    symbols: Vec<u32>,
}

impl<'h> Walk<'h> {
    /// Writes down a value. An object that is met for the first time is handed back: its fields come next. Each kind
    /// of value begins with its own word and the number of words after it is known, so no two lists read alike.
    fn write(&mut self, value: Value) -> Result<Option<&'h Node>, HeapError> {
        match value {
            Value::Null => self.words.push(0),
            Value::Primitive(bits) => self.words.extend([1, bits]),
            Value::Symbol(label) => {
                let symbol = self.symbol(label);
                self.words.extend([2, symbol]);
            }
            Value::Reference(id) => return self.write_reference(id),
        }
        Ok(None)
    }

    fn write_reference(&mut self, id: NodeId) -> Result<Option<&'h Node>, HeapError> {
        let index = id.0 as usize;
        let node = self.heap.nodes.get(index).ok_or(HeapError::Dangling(id))?;
        if let Some(number) = self.numbers[index] {
            self.words.extend([3, number]);
            return Ok(None);
        }
        self.numbers[index] = Some(self.met);
        self.met += 1;
        self.words.extend([4, u64::from(node.class.0), node.fields.len() as u64]);
        Ok(Some(node))
    }

    fn symbol(&mut self, label: u32) -> u64 {
        let known = self.symbols.iter().position(|known| *known == label);
        let number = known.unwrap_or_else(|| {
            self.symbols.push(label);
            self.symbols.len() - 1
        });
        number as u64
    }
}
