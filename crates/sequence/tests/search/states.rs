//! States in canonical form, and subsumption.

use proptest::prelude::*;
use sequence::{
    Canonical, Heap, HeapError, InvokableId, Node, NodeId, Remaining, Seen, TypeId, Value, Verdict,
};
use std::collections::BTreeMap;

/// A linked list in a header object, of the given values, its nodes at the given places among `size` objects.
fn list(values: &[Value], places: &[u32], size: u32) -> Heap {
    let mut nodes = vec![Node { class: TypeId(9), fields: vec![] }; size as usize];
    let place = |at: usize| places.get(at).map_or(Value::Null, |place| Value::Reference(NodeId(*place)));
    for (at, value) in values.iter().enumerate() {
        nodes[places[at] as usize] = Node { class: TypeId(1), fields: vec![*value, place(at + 1)] };
    }
    nodes.push(Node { class: TypeId(0), fields: vec![place(0)] });
    Heap { roots: vec![Value::Reference(NodeId(size))], nodes }
}

fn shape(heap: &Heap) -> Canonical {
    heap.canonical().expect("no reference dangles").0
}

const ADDS: [InvokableId; 2] = [InvokableId(1), InvokableId(2)];

#[test]
fn c79_every_order_of_adding_leaves_one_sorted_list() {
    // Nodes lie in the order of adding, the list is sorted: Rostra's example.
    let orders = [[1, 2, 5], [1, 5, 2], [2, 1, 5], [2, 5, 1], [5, 1, 2], [5, 2, 1]];
    let mut seen = Seen::new(100);
    let verdicts = orders.map(|order: [u64; 3]| {
        let mut sorted: Vec<(u64, u32)> = order.into_iter().zip(0..).collect();
        sorted.sort_unstable();
        let values: Vec<Value> = sorted.iter().map(|(value, _)| Value::Primitive(*value)).collect();
        let places: Vec<u32> = sorted.iter().map(|(_, place)| *place).collect();
        seen.meet(shape(&list(&values, &places, 3)), Remaining::in_order(&ADDS), (), |_, _| true)
    });
    assert_eq!(verdicts[0], Verdict::New);
    assert!(verdicts[1..].iter().all(|verdict| *verdict == Verdict::Subsumed));
    assert_eq!((seen.held(), seen.subsumed()), (1, 5));
}

#[test]
fn c79_one_symbolic_list_of_each_length() {
    // Symstra: which of three symbols is least is known on each path; all paths leave a0 <= a1 <= a2.
    let orders: [[u32; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut seen: Seen<Vec<(usize, usize)>> = Seen::new(100);
    let verdicts = orders.map(|sorted| {
        let values = sorted.map(Value::Symbol);
        let (state, symbols) = list(&values, &sorted, 3).canonical().expect("no reference dangles");
        let rename =
            |label: u32| symbols.iter().position(|symbol| *symbol == label).expect("it is in the list");
        let constraint = sorted.windows(2).map(|pair| (rename(pair[0]), rename(pair[1]))).collect();
        seen.meet(state, Remaining::in_order(&ADDS), constraint, |old, new| old == new)
    });
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == Verdict::New).count(), 1);
}

#[test]
fn c79_a_narrower_constraint_does_not_stand_for_a_wider_one() {
    let state = || shape(&list(&[Value::Symbol(4)], &[0], 1));
    let rest = || Remaining::in_order(&ADDS);
    // Constraints `a <= bound`; an old one covers what is not larger.
    let covers = |old: &i32, new: &i32| new <= old;
    let mut seen = Seen::new(100);
    let verdicts = [5, 3, 9, 7].map(|bound| seen.meet(state(), rest(), bound, covers));
    assert_eq!(verdicts, [Verdict::New, Verdict::Subsumed, Verdict::New, Verdict::Subsumed]);
}

#[test]
fn c79_states_differ_with_what_is_to_come() {
    let state = || shape(&list(&[], &[], 0));
    let swapped = [ADDS[1], ADDS[0]];
    let mut seen = Seen::new(100);
    let mut meet = |rest| seen.meet(state(), rest, (), |_, _| true);
    assert_eq!(meet(Remaining::in_order(&ADDS)), Verdict::New);
    assert_eq!(meet(Remaining::in_order(&swapped)), Verdict::New);
    assert_eq!(meet(Remaining::in_order(&ADDS[..1])), Verdict::New);
    assert_eq!(Remaining::in_any_order(&ADDS), Remaining::in_any_order(&swapped));
    assert_ne!(Remaining::in_any_order(&ADDS), Remaining::in_any_order(&[ADDS[0], ADDS[0]]));
}

#[test]
fn a_full_memory_takes_everything_for_new() {
    let mut seen = Seen::new(1);
    let mut meet = |value| {
        let state = shape(&list(&[Value::Primitive(value)], &[0], 1));
        seen.meet(state, Remaining::in_order(&[]), (), |_, _| true)
    };
    assert_eq!(
        [meet(1), meet(2), meet(2), meet(1)],
        [Verdict::New, Verdict::New, Verdict::New, Verdict::Subsumed]
    );
}

#[test]
fn cycles_sharing_and_long_lists_have_forms() {
    let node = |fields: &[Value]| Node { class: TypeId(0), fields: fields.to_vec() };
    let to = |index| Value::Reference(NodeId(index));
    let heap = |root, nodes: &[Node]| Heap { roots: vec![root], nodes: nodes.to_vec() };
    let shared = heap(to(0), &[node(&[to(1), to(1)]), node(&[])]);
    let copied = heap(to(0), &[node(&[to(1), to(2)]), node(&[]), node(&[])]);
    assert_ne!(shape(&shared), shape(&copied));
    assert_ne!(
        shape(&heap(to(0), &[node(&[to(0)])])),
        shape(&heap(to(0), &[node(&[to(1)]), node(&[to(0)])]))
    );
    assert_eq!(
        shape(&heap(to(1), &[node(&[to(1)]), node(&[to(0)])])),
        shape(&heap(to(0), &[node(&[to(1)]), node(&[to(0)])]))
    );
    let dangling = heap(to(3), &[node(&[])]);
    assert_eq!(dangling.canonical(), Err(HeapError::Dangling(NodeId(3))));
    let places: Vec<u32> = (0..200_000).collect();
    let long = list(&vec![Value::Null; places.len()], &places, 200_000);
    assert_eq!(shape(&long), shape(&long.clone()));
}

fn heaps() -> impl Strategy<Value = Heap> {
    let value = |nodes: u32| {
        prop_oneof![
            Just(Value::Null),
            (0..nodes).prop_map(|node| Value::Reference(NodeId(node))),
            (0..nodes).prop_map(|node| Value::Reference(NodeId(node))),
            (0..3_u64).prop_map(Value::Primitive),
            (0..3_u32).prop_map(Value::Symbol),
        ]
    };
    (1..5_u32).prop_flat_map(move |count| {
        let node = (0..2_u32, prop::collection::vec(value(count), 0..3))
            .prop_map(|(class, fields)| Node { class: TypeId(class), fields });
        let nodes = prop::collection::vec(node, count as usize);
        (prop::collection::vec(value(count), 1..3), nodes).prop_map(|(roots, nodes)| Heap { roots, nodes })
    })
}

/// The same heap with its objects, and the labels of its symbols, in another order.
fn relabelled(heap: &Heap, order: &[usize], shift: u32) -> Heap {
    let place = |index: usize| order.iter().position(|at| *at == index).expect("a permutation");
    let value = |value: &Value| match value {
        Value::Reference(id) => Value::Reference(NodeId(place(id.0 as usize) as u32)),
        Value::Symbol(label) => Value::Symbol((label + shift) % 3 + 10),
        other => *other,
    };
    let node = |at: &usize| Node {
        class: heap.nodes[*at].class,
        fields: heap.nodes[*at].fields.iter().map(value).collect(),
    };
    Heap { roots: heap.roots.iter().map(value).collect(), nodes: order.iter().map(node).collect() }
}

/// Whether two heaps are isomorphic, by walking both at once and keeping two maps.
fn isomorphic(left: &Heap, right: &Heap) -> bool {
    let (mut nodes, mut symbols) = (Pairs::default(), Pairs::default());
    let mut open: Vec<(Value, Value)> = left.roots.iter().copied().zip(right.roots.iter().copied()).collect();
    let mut visited = Vec::new();
    if left.roots.len() != right.roots.len() {
        return false;
    }
    while let Some(pair) = open.pop() {
        match pair {
            (Value::Reference(l), Value::Reference(r)) => {
                if !nodes.pair(l.0, r.0) {
                    return false;
                }
                if visited.contains(&l) {
                    continue;
                }
                visited.push(l);
                let (l, r) = (&left.nodes[l.0 as usize], &right.nodes[r.0 as usize]);
                if l.class != r.class || l.fields.len() != r.fields.len() {
                    return false;
                }
                open.extend(l.fields.iter().copied().zip(r.fields.iter().copied()));
            }
            (Value::Symbol(l), Value::Symbol(r)) if symbols.pair(l, r) => {}
            (Value::Symbol(_), _) => return false,
            (l, r) if l == r => {}
            _ => return false,
        }
    }
    true
}

#[derive(Default)]
struct Pairs(BTreeMap<u32, u32>, BTreeMap<u32, u32>);

impl Pairs {
    fn pair(&mut self, left: u32, right: u32) -> bool {
        *self.0.entry(left).or_insert(right) == right && *self.1.entry(right).or_insert(left) == left
    }
}

proptest! {
    #[test]
    fn c79_identities_do_not_matter(heap in heaps(), seed in any::<prop::sample::Index>(), shift in 0..3_u32) {
        let count = heap.nodes.len();
        let order: Vec<usize> = (0..count).map(|at| (at + seed.index(count)) % count).rev().collect();
        let other = relabelled(&heap, &order, shift);
        prop_assert!(isomorphic(&heap, &other));
        prop_assert_eq!(shape(&heap), shape(&other));
    }

    #[test]
    fn c79_forms_are_equal_exactly_for_isomorphic_heaps(left in heaps(), right in heaps()) {
        prop_assert_eq!(shape(&left) == shape(&right), isomorphic(&left, &right));
    }

    #[test]
    fn c79_a_changed_root_changes_the_form(heap in heaps(), at in any::<prop::sample::Index>()) {
        let mut other = heap.clone();
        let root = at.index(heap.roots.len());
        other.roots[root] = Value::Primitive(77);
        prop_assert_ne!(shape(&heap), shape(&other));
    }

    #[test]
    fn c79_a_changed_field_changes_the_form(heap in heaps(), at in any::<prop::sample::Index>(), bits in 3..9_u64) {
        // Only what can be reached counts, so the object is made a root.
        let mut heap = heap;
        let node = at.index(heap.nodes.len());
        heap.roots.push(Value::Reference(NodeId(node as u32)));
        heap.nodes[node].fields.push(Value::Primitive(2));
        let mut other = heap.clone();
        *other.nodes[node].fields.last_mut().expect("it was pushed") = Value::Primitive(bits);
        prop_assert_ne!(shape(&heap), shape(&other));
    }
}
