//! Assertions: what was observed after the run and can be seen from a test.

use crate::literal::{Exactness, scalar};
use crate::scene::Scene;
use input::{Input, Leaf, LeafKind, LeafTable, Pointer, Space, Var};
use model::{FloatKind, Types};
use target::{Observation, Seen};

/// One assertion; every part is C text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// Integers, enumerators, characters, bit-fields.
    Int {
        /// The expression under test.
        actual: String,
        /// What it must be.
        expected: String,
        /// Wider than the widest standard integer type.
        wide: bool,
    },
    /// Floating point, bit for bit but for the payload of a NaN.
    Float { actual: String, expected: String },
    /// The null pointer.
    Null(String),
    /// Some pointer that has no name in the test.
    NotNull(String),
    /// A pointer to an object of the test.
    Same { actual: String, expected: String },
}

/// How a test framework writes assertions.
pub(crate) trait Style {
    /// The statement for a check.
    fn statement(&self, check: &Check) -> String;

    /// Parameters of a test function.
    fn parameters(&self) -> &'static str;

    /// First line of every body, if any.
    fn prologue(&self) -> Option<&'static str>;

    /// Names that its test functions and macros use.
    fn reserved(&self) -> &'static [&'static str];
}

/// The checks of the result, which the test holds in the variable `name`.
pub(crate) fn result_checks(
    types: &Types,
    table: &LeafTable,
    name: &str,
    observation: &Observation,
    scene: &Scene,
) -> Vec<Check> {
    let leaves = &table.leaves;
    let complete = observation.result.len() == leaves.len();
    leaves
        .iter()
        .filter(|leaf| complete || counts_in_result(leaves, leaf))
        .zip(&observation.result)
        .filter(|(leaf, _)| counts_in_result(leaves, leaf))
        .filter_map(|(leaf, seen)| check(types, leaf, format!("{name}{}", leaf.path), *seen, scene))
        .collect()
}

/// Of the unions in a result only the first member is looked at; a selector is no memory at all.
fn counts_in_result(leaves: &[Leaf], leaf: &Leaf) -> bool {
    let mut guard = leaf.guard;
    while let Some(g) = guard {
        if g.member != 0 {
            return false;
        }
        guard = leaves.get(g.selector as usize).and_then(|selector| selector.guard);
    }
    !matches!(leaf.kind, LeafKind::Selector { .. })
}

/// The checks of what the run changed in globals and in objects behind pointers.
pub(crate) fn change_checks(
    types: &Types,
    space: &Space,
    input: &Input,
    observation: &Observation,
    scene: &Scene,
) -> Vec<Check> {
    let mut checks = Vec::new();
    for (object, cells) in observation.objects.iter().enumerate().take(input.objects.len()) {
        // A parameter is a copy: nobody sees what the function does with it. What it has freed must not be looked at.
        if is_param(space, object) || observation.freed.contains(&(object as u32)) {
            continue;
        }
        for (cell, seen) in cells.iter().enumerate().take(input.objects[object].cells.len()) {
            let var = Var { object: object as u32, cell: cell as u32 };
            let leaf = input.leaf(space, var);
            if changed(leaf, input.cell(var), *seen)
                && input.is_active(space, var)
                && let Some(place) = scene.lvalue(var)
            {
                checks.extend(check(types, leaf, place, *seen, scene));
            }
        }
    }
    checks
}

fn is_param(space: &Space, object: usize) -> bool {
    let is_argument = |place| matches!(place, input::Place::Param { .. } | input::Place::Rest { .. });
    space.roots.get(object).is_some_and(|root| is_argument(root.place))
}

fn changed(leaf: &Leaf, before: u128, after: Seen) -> bool {
    match (&leaf.kind, after) {
        (LeafKind::Selector { .. }, _) | (_, Seen::Unstable) => false,
        (LeafKind::Float(kind), Seen::Bits(bits)) => {
            bits != before && !(is_nan(*kind, before) && is_nan(*kind, bits))
        }
        (LeafKind::Pointer { .. }, Seen::Null) => Pointer::decode(before) != Pointer::Null,
        (LeafKind::Pointer { .. }, Seen::Element { object, element }) => {
            Pointer::decode(before) != Pointer::Element { object, element }
        }
        // What the program set up itself and left alone has no name here.
        (LeafKind::Pointer { .. }, _) => Pointer::decode(before) != Pointer::Initial,
        (_, Seen::Bits(bits)) => bits != before,
        _ => false,
    }
}

fn is_nan(kind: FloatKind, bits: u128) -> bool {
    match kind {
        FloatKind::F32 => f32::from_bits(bits as u32).is_nan(),
        FloatKind::F64 => f64::from_bits(bits as u64).is_nan(),
        FloatKind::F80 => bits >> 64 & 0x7fff == 0x7fff && (bits as u64) << 1 != 0,
    }
}

fn check(types: &Types, leaf: &Leaf, actual: String, seen: Seen, scene: &Scene) -> Option<Check> {
    match (&leaf.kind, seen) {
        (LeafKind::Pointer { .. }, Seen::Null) => Some(Check::Null(actual)),
        (LeafKind::Pointer { .. }, Seen::Elsewhere | Seen::Allocated) => Some(Check::NotNull(actual)),
        (LeafKind::Pointer { .. }, Seen::Element { object, element }) => {
            Some(match scene.element_address(object, element) {
                Some(expected) => Check::Same { actual, expected },
                None => Check::NotNull(actual),
            })
        }
        (LeafKind::Pointer { .. } | LeafKind::Selector { .. }, _) => None,
        (LeafKind::Float(_), Seen::Bits(bits)) => {
            Some(Check::Float { actual, expected: scalar(types, leaf, bits, Exactness::Converted) })
        }
        (_, Seen::Bits(bits)) => {
            let expected = scalar(types, leaf, bits, Exactness::Converted);
            Some(Check::Int { actual, expected, wide: leaf.width > 64 })
        }
        _ => None,
    }
}
