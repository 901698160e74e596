//! What a replay says of a heap, in the words of the crate that compares heaps.

use expr::{Term, Terms};
use java_replay::{Bits, Held, Left};
use sequence::{Heap, Node, NodeId, TypeId, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Numbers of classes.
#[derive(Default)]
pub(super) struct Classes(HashMap<Rc<str>, TypeId>);

impl Classes {
    fn number(&mut self, class: &Rc<str>) -> TypeId {
        let next = TypeId(self.0.len() as u32);
        *self.0.entry(class.clone()).or_insert(next)
    }
}

/// The heap that is seen from these roots, and the terms that its symbols stand for. Where something is unknown, a reference leads nowhere: the
/// heap has no canonical form if that can be reached.
pub(super) fn heap(left: &Left, roots: &[Held], classes: &mut Classes, terms: &Terms) -> (Heap, Vec<Term>) {
    let nodes = vec![Node { class: TypeId(0), fields: Vec::new() }; left.objects.len()];
    let heap = Heap { roots: Vec::new(), nodes };
    let mut making = Making { heap, labels: HashMap::new(), symbols: Vec::new(), classes, terms };
    for (at, object) in left.objects.iter().enumerate() {
        let fields = object.holds.iter().map(|held| making.value(held)).collect();
        making.heap.nodes[at] = Node { class: making.classes.number(&object.class), fields };
    }
    making.heap.roots = roots.iter().map(|held| making.value(held)).collect();
    (making.heap, making.symbols)
}

struct Making<'a> {
    heap: Heap,
    labels: HashMap<Term, u32>,
    symbols: Vec<Term>,
    classes: &'a mut Classes,
    terms: &'a Terms,
}

impl Making<'_> {
    fn value(&mut self, held: &Held) -> Value {
        match held {
            Held::Null => Value::Null,
            Held::Object(object) => Value::Reference(NodeId(*object)),
            Held::Number(bits) => self.number(*bits),
            Held::Boxed(class, bits) => {
                let node = Node { class: self.classes.number(class), fields: vec![self.number(*bits)] };
                self.heap.nodes.push(node);
                Value::Reference(NodeId(self.heap.nodes.len() as u32 - 1))
            }
            Held::Unknown => Value::Reference(NodeId(u32::MAX)),
        }
    }

    fn number(&mut self, bits: Bits) -> Value {
        let Some(term) = bits.term.filter(|term| self.terms.value(*term).is_none()) else {
            return Value::Primitive(bits.bits);
        };
        let symbols = &mut self.symbols;
        let label = *self.labels.entry(term).or_insert_with(|| {
            symbols.push(term);
            symbols.len() as u32 - 1
        });
        Value::Symbol(label)
    }
}
