//! What the texts of values look like.

use super::*;
use input::{SpaceLimits, Var};
use model::{EnumValue, Field, Function, Param, Program, testing};

/// A program whose only function takes one parameter `p`.
struct Taking {
    program: Program,
    function: Function,
}

fn push(program: &mut Program, kind: TypeKind, size: u64) -> TypeId {
    program.types.push(Type { kind, size, align: 1, name: None })
}

fn int(program: &mut Program, bits: u16, signed: bool, character: bool) -> TypeId {
    push(program, TypeKind::Int { bits, signed, character }, u64::from(bits) / 8)
}

fn field(name: &str, ty: TypeId, bit_offset: u64) -> Field {
    Field { name: Some(name.into()), ty, bit_offset, bit_size: None }
}

fn taking(make: impl FnOnce(&mut Program) -> TypeId) -> Taking {
    let mut program = Program::default();
    let ty = make(&mut program);
    let params = vec![Param { name: "p".into(), ty, offset: 0 }];
    let function = Function { params, ret: ty, ..testing::function("f") };
    Taking { program, function }
}

impl Taking {
    /// The text after `change` was made to the zero input.
    fn text(&self, change: impl FnOnce(&Space, &mut Input)) -> String {
        let space =
            Space::new(&self.program, &self.function, SpaceLimits::default(), &[]).expect("supported");
        let mut input = Input::zero(&space);
        change(&space, &mut input);
        input_text(&self.program.types, &space, &input)
    }

    fn with(&self, cell: u128) -> String {
        self.text(|_, input| *input.cell_mut(Var { object: 0, cell: 0 }) = cell)
    }
}

#[test]
fn numbers_look_as_in_c() {
    let signed = taking(|p| int(p, 32, true, false));
    assert_eq!(signed.with(0xffff_ffff), "p = -1");
    assert_eq!(taking(|p| int(p, 32, false, false)).with(0xffff_ffff), "p = 4294967295");
    assert_eq!(taking(|p| int(p, 128, false, false)).with(u128::MAX), format!("p = {}", u128::MAX));
    let character = taking(|p| int(p, 8, true, true));
    assert_eq!(character.with(0x41), "p = 'A'");
    assert_eq!(character.with(0x27), "p = '\\''");
    assert_eq!(character.with(0xff), "p = -1");
    let float = taking(|p| push(p, TypeKind::Float(FloatKind::F64), 8));
    assert_eq!(float.with(u128::from(0.1f64.to_bits())), "p = 0.1");
    assert_eq!(float.with(u128::from((-0.0f64).to_bits())), "p = -0.0");
    assert_eq!(float.with(u128::from(f64::NEG_INFINITY.to_bits())), "p = -INFINITY");
    let single = taking(|p| push(p, TypeKind::Float(FloatKind::F32), 4));
    assert_eq!(single.with(u128::from(0.1f32.to_bits())), "p = 0.1f");
    let values = vec![EnumValue { name: "RED".into(), value: 4 }];
    let colour = taking(|p| push(p, TypeKind::Enum { bits: 32, signed: false, values }, 4));
    assert_eq!((colour.with(4), colour.with(5)), ("p = RED".into(), "p = 5".into()));
}

#[test]
fn arrays_strings_and_runs() {
    let array = |of: fn(&mut Program) -> TypeId, len: u64| {
        taking(move |p| {
            let of = of(p);
            push(p, TypeKind::Array { of, len: Some(len) }, len * 4)
        })
    };
    let ints = array(|p| int(p, 32, true, false), 9);
    assert_eq!(ints.with(7), "p = {7, 0 (×8)}");
    let text = array(|p| int(p, 8, true, true), 4);
    assert_eq!(text.with(0), "p = \"\"");
    assert_eq!(text.with(u128::from(b'"')), "p = \"\\\"\"");
    let full = text.text(|_, input| input.objects[0].cells.fill(u128::from(b'x')));
    assert_eq!(full, "p = {'x', 'x', 'x', 'x'}");
}

#[test]
fn large_arrays_show_their_first_elements_and_hide_nothing_behind_them() {
    let large = taking(|p| {
        let (number, character) = (int(p, 32, true, false), int(p, 8, true, true));
        let numbers = push(p, TypeKind::Array { of: number, len: Some(5000) }, 20000);
        let text = push(p, TypeKind::Array { of: character, len: Some(5000) }, 5000);
        let fields = vec![field("n", numbers, 0), field("t", text, 160_000), field("mode", number, 200_000)];
        push(p, TypeKind::Struct { fields: Some(fields) }, 25004)
    });
    // 128 elements of each array, then the last member.
    let text = large.text(|_, input| {
        *input.cell_mut(Var { object: 0, cell: 127 }) = 4;
        *input.cell_mut(Var { object: 0, cell: 128 }) = u128::from(b'x');
        *input.cell_mut(Var { object: 0, cell: 256 }) = 9;
    });
    assert_eq!(text, "p = {.n = {0 (×127), 4, …}, .t = \"x\", .mode = 9}");
}

#[test]
fn elements_behind_a_pointer_have_each_their_members() {
    let points = taking(|p| {
        let (number, character) = (int(p, 32, true, false), int(p, 8, true, true));
        let name = push(p, TypeKind::Array { of: character, len: Some(2) }, 2);
        let fields = vec![field("x", number, 0), field("s", name, 32)];
        let point = push(p, TypeKind::Struct { fields: Some(fields) }, 8);
        push(p, TypeKind::Pointer { to: point }, 8)
    });
    let two = points.text(|space, input| {
        input.point_to_new(space, Var { object: 0, cell: 0 }, 2);
        input.objects[1].cells = vec![1, 0, 0, 2, u128::from(b'a'), 0];
    });
    assert_eq!(two, "p = {{.x = 1, .s = \"\"}, {.x = 2, .s = \"a\"}}");
}

#[test]
fn a_cyclic_list_names_its_nodes() {
    let list = taking(|p| {
        let value = int(p, 32, true, false);
        let node = push(p, TypeKind::Struct { fields: None }, 16);
        let next = push(p, TypeKind::Pointer { to: node }, 8);
        let fields = Some(vec![field("value", value, 0), field("next", next, 64)]);
        p.types.set(node, Type { kind: TypeKind::Struct { fields }, size: 16, align: 8, name: None });
        next
    });
    assert_eq!(list.with(0), "p = NULL");
    let two = list.text(|space, input| {
        input.point_to_new(space, Var { object: 0, cell: 0 }, 1);
        input.point_to_new(space, Var { object: 1, cell: 1 }, 1);
        *input.cell_mut(Var { object: 2, cell: 0 }) = 5;
        *input.cell_mut(Var { object: 2, cell: 1 }) = Pointer::Element { object: 1, element: 0 }.encode();
    });
    assert_eq!(two, "p = &{.value = 0, .next = &{.value = 5, .next = p}}");
}

#[test]
fn a_union_shows_its_chosen_member() {
    let either = taking(|p| {
        let number = int(p, 32, true, false);
        let real = push(p, TypeKind::Float(FloatKind::F32), 4);
        push(p, TypeKind::Union { fields: Some(vec![field("i", number, 0), field("f", real, 0)]) }, 4)
    });
    assert_eq!(either.with(0), "p = {.i = 0}");
    assert_eq!(either.with(1), "p = {.f = 0.0f}");
}

#[test]
fn results_without_a_plain_text_have_none() {
    let one = taking(|p| int(p, 32, true, false));
    let text = |cells: &[Seen]| result_text(&one.program.types, one.function.ret, cells);
    assert_eq!(text(&[Seen::Bits(0xffff_fffe)]), Some("-2".into()));
    assert_eq!(text(&[]), None);
    assert_eq!(text(&[Seen::Unstable]), None);
    assert_eq!(text(&[Seen::Bits(1), Seen::Bits(2)]), None);
}
