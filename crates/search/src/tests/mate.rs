//! Crossover of numbers and graphs.

use crate::mate::offspring;
use crate::neighbour::redraw;
use crate::testing::{Subject, Values, assert_inside};
use input::{FloatKind, Input, Pointer, Rng, Space, Var};

#[test]
fn item_51_the_child_of_integers_lies_between_its_parents() {
    for (bits, signed) in
        [(8, true), (8, false), (32, true), (64, false), (64, true), (128, true), (128, false)]
    {
        let space = Subject::ints(bits, signed, 1).space();
        let var = Var { object: 0, cell: 0 };
        let leaf = Input::zero(&space).leaf(&space, var);
        let mut rng = Rng::with_seed(u64::from(bits));
        for _ in 0..2000 {
            let parents = [(); 2].map(|()| one_cell(&space, leaf.uniform(&mut rng)));
            let child = offspring(&space, &parents[0], &parents[1], rng.f64(), &mut rng).cell(var);
            let mut cells = parents.map(|parent| parent.cell(var));
            let order = |cell: &u128| if signed { (leaf.int_value(*cell), 0) } else { (0, *cell) };
            cells.sort_by_key(order);
            let hull = order(&cells[0])..=order(&cells[1]);
            assert!(hull.contains(&order(&child)), "{child} of {cells:?} in {bits} bits");
        }
    }
}

#[test]
fn item_51_the_child_of_floats_lies_between_its_parents() {
    for kind in [FloatKind::F32, FloatKind::F64] {
        let space = Subject::floats(kind, 1).space();
        let var = Var { object: 0, cell: 0 };
        let leaf = Input::zero(&space).leaf(&space, var);
        let mut rng = Rng::with_seed(3);
        for _ in 0..5000 {
            let parents = [(); 2].map(|()| one_cell(&space, leaf.random(&mut rng)));
            let child = offspring(&space, &parents[0], &parents[1], rng.f64(), &mut rng).cell(var);
            let [x, y] = parents.map(|parent| leaf.float_value(kind, parent.cell(var)));
            let z = leaf.float_value(kind, child);
            // What is no number comes from one of them.
            let is_copy = z.is_nan() && (x.is_nan() || y.is_nan()) || z == x || z == y;
            assert!(is_copy || x.min(y) <= z && z <= x.max(y), "{z} of {x} and {y}");
        }
    }
}

fn one_cell(space: &Space, cell: u128) -> Input {
    let mut input = Input::zero(space);
    *input.cell_mut(Var { object: 0, cell: 0 }) = cell;
    input
}

#[test]
fn item_51_alpha_is_the_share_of_the_first_parent_in_every_gene() {
    let space = Subject::ints(32, true, 2).space();
    let input = |values: [i128; 2]| {
        let mut input = Input::zero(&space);
        for (object, value) in (0..).zip(values) {
            *input.cell_mut(Var { object, cell: 0 }) = value as u128 & 0xffff_ffff;
        }
        input
    };
    let (x, y) = (input([100, -40]), input([0, 60]));
    let child = offspring(&space, &x, &y, 0.25, &mut Rng::with_seed(1));
    let values = Values { space: &space, input: &child };
    assert_eq!([values.int(0), values.int(1)], [25, 35]);
}

/// The variables with their values, without what only members of unions that are not in use lead to.
fn seen(space: &Space, input: &Input) -> Vec<(Var, u128)> {
    let mut seen = input.clone();
    for var in input.places().filter(|&var| !input.is_active(space, var)) {
        *seen.cell_mut(var) = 0;
    }
    seen.drop_unreachable(space);
    seen.vars(space).map(|var| (var, seen.cell(var))).collect()
}

/// A graph made by many small changes, so that pointers share objects.
fn grown(space: &Space, rng: &mut Rng) -> Input {
    let mut input = Input::zero(space);
    for _ in 0..30 {
        let vars: Vec<Var> = input.vars(space).collect();
        let var = vars[rng.usize(..vars.len())];
        redraw(&mut input, space, rng, var);
    }
    input
}

#[test]
fn graphs_pass_on_all_that_is_shared_and_stay_inside_their_space() {
    let space = Subject::assorted().space();
    let mut rng = Rng::with_seed(12);
    for _ in 0..1000 {
        let [x, y] = [(); 2].map(|()| grown(&space, &mut rng));
        let is = |a: &Input, b: &Input| seen(&space, a) == seen(&space, b);
        assert!(offspring(&space, &x, &y, 1.0, &mut rng) == x, "{x:?}");
        assert!(is(&offspring(&space, &x, &y, 0.0, &mut rng), &y), "{x:?} {y:?}");
        let child = offspring(&space, &x, &y, rng.f64(), &mut rng);
        assert_inside(&space, &child, "child");
    }
}

#[test]
fn a_child_that_would_be_too_large_is_its_first_parent() {
    let mut space = Subject::list().space();
    space.limits.objects = 1;
    let mut rng = Rng::with_seed(1);
    let mut x = Input::zero(&space);
    x.point_to_new(&space, Var { object: 0, cell: 0 }, 1);
    let mut y = x.clone();
    space.limits.objects = 2;
    y.point_to_new(&space, Var { object: 1, cell: 1 }, 1);
    assert_eq!(offspring(&space, &x, &y, 0.0, &mut rng), y);
    space.limits.objects = 1;
    assert_eq!(offspring(&space, &x, &y, 0.0, &mut rng), x);
}

#[test]
fn a_ring_comes_whole_and_alike_objects_are_mated() {
    let space = Subject::list().space();
    let p = Var { object: 0, cell: 0 };
    let node = |value: u128| {
        let mut input = Input::zero(&space);
        input.point_to_new(&space, p, 1);
        *input.cell_mut(Var { object: 1, cell: 0 }) = value;
        input
    };
    let mut ring = node(40);
    assert!(ring.point_to_new(&space, Var { object: 1, cell: 1 }, 1));
    assert!(ring.point_to(&space, Var { object: 2, cell: 1 }, 1, 0));
    let mut rng = Rng::with_seed(1);

    let from_nothing = offspring(&space, &Input::zero(&space), &ring, 0.0, &mut rng);
    assert_eq!(from_nothing, ring);

    // Half of 20 and half of 40; the rest of the ring, which leads back to this node, or nothing.
    let children: Vec<Input> = (0..50).map(|_| offspring(&space, &node(20), &ring, 0.5, &mut rng)).collect();
    assert!(children.iter().all(|child| child.cell(Var { object: 1, cell: 0 }) == 30));
    let (whole, cut): (Vec<&Input>, Vec<&Input>) =
        children.iter().partition(|child| child.objects.len() == 3);
    assert!(!cut.is_empty() && cut.iter().all(|child| **child == node(30)));
    let back = Pointer::Element { object: 1, element: 0 }.encode();
    assert!(!whole.is_empty() && whole.iter().all(|child| child.cell(Var { object: 2, cell: 1 }) == back));
}
