//! Which scalars of a type are inputs.

use crate::flatten::flatten;
use crate::testing::{add, array, int, pointer, structure, union};
use crate::{Leaf, LeafKind, LeafTable, Rng, SpaceLimits, Walk};
use model::{TypeId, TypeKind, Types};

const LIMIT: usize = 4096;

fn paths(table: &LeafTable) -> Vec<&str> {
    table.leaves.iter().map(|leaf| leaf.path.as_str()).collect()
}

fn starting_with<'a>(table: &'a LeafTable, start: &'a str) -> impl Iterator<Item = &'a Leaf> {
    table.leaves.iter().filter(move |leaf| leaf.path.starts_with(start))
}

#[test]
fn a_member_behind_a_large_buffer_is_an_input() {
    assert!(SpaceLimits::default().leaves < LIMIT, "cut at the latest there");
    let mut types = Types::default();
    let (byte, number) = (int(&mut types, 8, true), int(&mut types, 32, true));
    let buffer = array(&mut types, byte, 65536);
    let ty = structure(&mut types, &[buffer, number]);
    let (table, _) = flatten(&types, LIMIT, ty);
    assert_eq!((table.leaves.len(), table.truncated), (257, 65537 - 257));
    assert_eq!(table.leaves[255].path, ".m0[255]");
    let mode = &table.leaves[256];
    assert_eq!((mode.path.as_str(), mode.offset, mode.width), (".m1", 65536, 32));
}

#[test]
fn a_type_at_the_limit_is_whole() {
    let mut types = Types::default();
    let byte = int(&mut types, 8, true);
    let (at_limit, above) = (array(&mut types, byte, 4096), array(&mut types, byte, 4097));
    assert_eq!(flatten(&types, LIMIT, at_limit).0.leaves.len(), 4096);
    assert_eq!(flatten(&types, LIMIT, above).0.leaves.len(), 256);
}

#[test]
fn arrays_share_what_there_is() {
    let mut types = Types::default();
    let (byte, number) = (int(&mut types, 8, true), int(&mut types, 32, true));
    let (large, larger, small) =
        (array(&mut types, byte, 5000), array(&mut types, byte, 1 << 30), array(&mut types, number, 16));
    let ty = structure(&mut types, &[large, larger, small]);
    let (table, _) = flatten(&types, LIMIT, ty);
    let of = |start| starting_with(&table, start).count();
    assert_eq!((of(".m0["), of(".m1["), of(".m2[")), (120, 120, 16));
}

#[test]
fn arrays_of_arrays_lose_elements_at_every_level() {
    let mut types = Types::default();
    let (byte, number) = (int(&mut types, 8, true), int(&mut types, 32, true));
    let row = array(&mut types, number, 100);
    let matrix = array(&mut types, row, 100);
    let (table, _) = flatten(&types, LIMIT, matrix);
    assert_eq!((table.leaves.len(), table.truncated), (16 * 16, 10_000 - 16 * 16));
    assert_eq!((table.leaves[16].path.as_str(), table.leaves[16].offset), ("[1][0]", 400));

    // With n elements of every array n + n * (1 + n) leaves: 15 + 15 * 16 = 255; 16 + 16 * 17 = 288 are too many.
    let (buffer, name) = (array(&mut types, byte, 65536), array(&mut types, byte, 16));
    let item = structure(&mut types, &[number, name]);
    let items = array(&mut types, item, 1000);
    let ty = structure(&mut types, &[buffer, items]);
    let (table, _) = flatten(&types, LIMIT, ty);
    assert_eq!(starting_with(&table, ".m0[").count(), 15);
    assert_eq!(starting_with(&table, ".m1[").count(), 15 * 16);
    assert_eq!(table.leaves.last().expect("leaves").path, ".m1[14].m1[14]");
}

#[test]
fn members_outside_arrays_come_before_the_first_element_of_a_large_one() {
    let mut types = Types::default();
    let number = int(&mut types, 32, true);
    let element = structure(&mut types, &[number; 5]);
    let elements = array(&mut types, element, 3);
    let ty = structure(&mut types, &[elements, number]);
    let (table, _) = flatten(&types, 4, ty);
    assert_eq!(paths(&table), [".m0[0].m0", ".m0[0].m1", ".m0[0].m2", ".m1"]);
    let (table, _) = flatten(&types, 4, element);
    assert_eq!((paths(&table), table.truncated), (vec![".m0", ".m1", ".m2", ".m3"], 1));
}

#[test]
fn sizes_beyond_reason_are_no_trouble() {
    let mut types = Types::default();
    let byte = int(&mut types, 8, true);
    let nothing = structure(&mut types, &[]);
    let nothings = array(&mut types, nothing, u64::MAX);
    let many = array(&mut types, nothings, u64::MAX);
    assert_eq!(flatten(&types, LIMIT, many).0.leaves, []);
    let row = array(&mut types, byte, 1 << 57);
    let rows = array(&mut types, row, 8);
    let (table, _) = flatten(&types, LIMIT, rows);
    // 8 * 32 would fit, but the other rows lie behind 4 GiB.
    assert_eq!(starting_with(&table, "[0]").count(), 32);
    assert_eq!(table.leaves.len(), 32);
    let strange = add(&mut types, TypeKind::Unsupported("strange".into()), 8);
    let stranges = array(&mut types, strange, 1 << 40);
    assert_eq!(flatten(&types, LIMIT, stranges).0.unsupported, [("[0]".to_owned(), "strange".to_owned())]);
}

/// A type with up to a few hundred leaves.
fn any_type(types: &mut Types, rng: &mut Rng, depth: u32) -> TypeId {
    let members = |types: &mut Types, rng: &mut Rng| -> Vec<TypeId> {
        (0..rng.u32(0..4)).map(|_| any_type(types, rng, depth - 1)).collect()
    };
    match if depth == 0 { rng.u8(0..3) } else { rng.u8(2..8) } {
        0 => int(types, 8, true),
        1 => int(types, 64, false),
        2 => {
            let to = int(types, 32, true);
            pointer(types, to)
        }
        3..5 => {
            let of = any_type(types, rng, depth - 1);
            array(types, of, rng.u64(0..12))
        }
        5 => {
            let members = members(types, rng);
            union(types, &members)
        }
        _ => {
            let members = members(types, rng);
            structure(types, &members)
        }
    }
}

/// The same place one element earlier in the innermost array: `.x[4].y` is preceded by `.x[3].y`.
fn predecessor(path: &str) -> Option<String> {
    let open = path.rfind('[')?;
    let close = open + path[open..].find(']')?;
    let index: u64 = path[open + 1..close].parse().ok()?;
    Some(format!("{}[{}]{}", &path[..open], index.checked_sub(1)?, &path[close + 1..]))
}

fn is_selector(leaf: &Leaf) -> bool {
    matches!(leaf.kind, LeafKind::Selector { .. })
}

/// What a table must be beside the same type's table without a limit.
fn expect_part(table: &LeafTable, all: &LeafTable, limit: usize) {
    assert!(table.leaves.len() <= limit);
    assert_eq!(table.truncated as usize, all.leaves.len() - table.leaves.len());
    assert!(all.leaves.len() > limit || table == all, "what fits is left alone");
    let same = |a: &Leaf, b: &Leaf| a.path == b.path && a.kind == b.kind && a.offset == b.offset;
    let mut rest = all.leaves.iter();
    assert!(table.leaves.iter().all(|leaf| rest.any(|other| same(leaf, other))), "the same order");
    let outside = |table: &LeafTable| table.leaves.iter().filter(|l| !l.path.contains('[')).count();
    assert_eq!(outside(table), outside(all).min(limit), "nothing is hidden by an array");
}

fn expect_sound(table: &LeafTable) {
    let end = |leaf: &Leaf| leaf.offset + u32::from(leaf.width) / 8;
    for leaf in &table.leaves {
        assert!(is_selector(leaf) || end(leaf) <= table.stride);
        let before = predecessor(&leaf.path);
        assert!(before.is_none_or(|before| paths(table).contains(&before.as_str())), "{}", leaf.path);
        if let Some(guard) = leaf.guard {
            let selector = &table.leaves[guard.selector as usize];
            assert!(is_selector(selector) && leaf.path.starts_with(&selector.path));
        }
    }
    let has_union = table.leaves.iter().any(is_selector);
    let is_behind = |two: &[Leaf]| end(&two[0]) <= two[1].offset;
    assert!(has_union || table.leaves.windows(2).all(is_behind), "one behind the other");
}

#[test]
fn what_is_kept_of_any_type() {
    let mut rng = Rng::with_seed(11);
    let mut cut = 0;
    for _ in 0..3000 {
        let mut types = Types::default();
        let ty = any_type(&mut types, &mut rng, 4);
        let limit = rng.usize(1..60);
        let (all, _) = flatten(&types, 16 * LIMIT, ty);
        assert_eq!(all.truncated, 0);
        let (table, pointees) = flatten(&types, limit, ty);
        cut += usize::from(table.truncated > 0);
        expect_part(&table, &all, limit);
        expect_sound(&table);
        let is_pointer = |leaf: &Leaf| matches!(leaf.kind, LeafKind::Pointer { .. });
        assert!(pointees.iter().all(|&(leaf, _)| is_pointer(&table.leaves[leaf])));
        assert_eq!(pointees.len(), table.leaves.iter().filter(|leaf| is_pointer(leaf)).count());
    }
    assert!(cut > 500, "{cut}");
}

/// Takes the leaves of a type by walking through it, all elements of all arrays.
fn take_all(types: &Types, ty: TypeId, walk: &mut Walk, taken: &mut Vec<usize>) {
    let step = |walk: &mut Walk, step: String, ty: TypeId, taken: &mut Vec<usize>| {
        let outer = walk.enter(&step);
        let (has_leaf, rest, before) = (walk.has_leaf(), walk.rest(), taken.len());
        take_all(types, ty, walk, taken);
        assert_eq!((has_leaf, rest.len()), (taken.len() > before, taken.len() - before), "{step}");
        walk.leave(outer);
    };
    match &types.resolved(ty).kind {
        TypeKind::Array { of, len } => {
            (0..len.unwrap_or(0)).for_each(|i| step(walk, format!("[{i}]"), *of, taken));
        }
        TypeKind::Struct { fields: Some(fields) } => {
            fields.iter().for_each(|f| step(walk, format!(".{}", f.name.as_ref().unwrap()), f.ty, taken));
        }
        TypeKind::Union { fields: Some(fields) } => {
            taken.extend(walk.take().map(|(index, _)| index));
            fields.iter().for_each(|f| step(walk, format!(".{}", f.name.as_ref().unwrap()), f.ty, taken));
        }
        _ => taken.extend(walk.take().map(|(index, _)| index)),
    }
}

#[test]
fn a_walk_meets_every_leaf_once_and_in_order() {
    let mut rng = Rng::with_seed(12);
    for _ in 0..1000 {
        let mut types = Types::default();
        let ty = any_type(&mut types, &mut rng, 4);
        let (table, _) = flatten(&types, rng.usize(1..60), ty);
        let mut taken = Vec::new();
        take_all(&types, ty, &mut Walk::new(&table.leaves), &mut taken);
        assert_eq!(taken, (0..table.leaves.len()).collect::<Vec<_>>());
        let mut walk = Walk::new(&table.leaves);
        walk.skip();
        assert!(!walk.has_leaf() && walk.take().is_none());
    }
}
