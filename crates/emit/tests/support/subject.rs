//! The model of `subject.c` and tests of its functions, every expected value worked out by hand.

use super::support::Build;
use model::{FloatKind, TypeId};
use target::Outcome::{Aborted, Exited, Returned};
use target::Seen::{Allocated, Bits, Element, Elsewhere, Null, Unstable};

fn int(value: i32) -> u128 {
    u128::from(value as u32)
}

fn f64_bits(value: f64) -> u128 {
    u128::from(value.to_bits())
}

fn f32_bits(value: f32) -> u128 {
    u128::from(value.to_bits())
}

/// The long double 10.0 and the long double next to a tenth, 0xc.ccccccccccccccdp-7.
const TEN_L: u128 = 0x4002_a000_0000_0000_0000;
const TENTH_L: u128 = 0x3ffb_cccc_cccc_cccc_cccd;
const ONE_L: u128 = 0x3fff_8000_0000_0000_0000;

pub(crate) fn build() -> Build {
    let mut b = Build::new();
    let int = b.int();
    let point = b.structure(Some("point"), 8, &[("x", int, 0, None), ("y", int, 32, None)]);
    scalars(&mut b, int);
    records(&mut b, int, point);
    globals(&mut b, int, point);
    floats(&mut b);
    pointers(&mut b, int);
    names(&mut b, int, point);
    zeros(&mut b, int, point);
    ends(&mut b, int);
    b
}

fn scalars(b: &mut Build, i: TypeId) {
    let kind = b.enumeration(Some("kind"), &[("SCALENE", 0), ("ISOSCELES", 1), ("EQUILATERAL", 2)]);
    let f = b.function("triangle", &[("a", i), ("b", i), ("c", i)], kind, &[], &[]);
    b.test(f, "two_sides", Returned, vec![Bits(1)], |d| {
        d.set("a", "", 2);
        d.set("b", "", 2);
        d.set("c", "", int(i32::MIN));
    });
    let char = b.int_of("char", 8, true);
    let f = b.function("vowel", &[("c", char)], i, &[], &[]);
    b.test(f, "a", Returned, vec![Bits(1)], |d| d.set("c", "", b'a'.into()));
    b.test(f, "quote", Returned, vec![Bits(0)], |d| d.set("c", "", b'\''.into()));
    b.test(f, "negative", Returned, vec![Bits(0)], |d| d.set("c", "", 0xff));

    let i128 = b.int_of("__int128", 128, true);
    let plain = b.int_of("unsigned __int128", 128, false);
    let u128 = b.typedef(plain, "u128");
    let f = b.function("wide", &[("a", i128), ("b", u128)], i128, &[], &[]);
    b.test(f, "carry", Returned, vec![Bits(u128::MAX)], |d| {
        d.set("a", "", u128::MAX - 5);
        d.set("b", "", 5 << 64 | 77);
    });
    let u64 = b.int_of("unsigned long long", 64, false);
    let i64 = b.int_of("long long", 64, true);
    let u32 = b.int_of("unsigned int", 32, false);
    let f = b.function("halve", &[("x", u64), ("y", i64), ("z", u32)], u64, &[], &[]);
    b.test(f, "limits", Returned, vec![Bits((1 << 63) + 1)], |d| {
        d.set("x", "", u64::MAX.into());
        d.set("y", "", 1 << 63);
        d.set("z", "", u32::MAX.into());
    });
    let long = b.int_of("long", 64, true);
    let float = b.float(FloatKind::F32);
    let f = b.function("old_style", &[("c", char), ("x", float), ("n", long)], i, &[], &[]);
    b.test(f, "all", Returned, vec![Bits(1)], |d| {
        d.set("c", "", b'x'.into());
        d.set("x", "", f32_bits(0.5));
        d.set("n", "", 7);
    });
}

fn records(b: &mut Build, i: TypeId, point: TypeId) {
    let char = b.int_of("char", 8, true);
    let const_char = b.constant(char);
    let text = b.pointer(const_char);
    let anonymous = b.structure(
        None,
        24,
        &[("min", point, 0, None), ("max", point, 64, None), ("label", text, 128, None)],
    );
    let box_t = b.typedef(anonymous, "box_t");
    let f = b.function("extent", &[("box", box_t), ("scale", point)], point, &[], &[]);
    b.test(f, "labelled", Returned, vec![Bits(int(-10 + 2)), Bits(0)], |d| {
        d.set("box", ".max.x", 5);
        d.set("scale", ".x", int(-2));
        let label = d.point(d.root("box", ".label"), 4);
        d.fill(label, &[b'h'.into(), b'i'.into(), 0, 0]);
    });

    let float = b.float(FloatKind::F32);
    let u32 = b.int_of("unsigned int", 32, false);
    let word = b.union(Some("word"), 4, &[("real", float), ("bits", u32)]);
    let f = b.function("negated", &[("w", word)], word, &[], &[]);
    // A selector, then the first member; the second is not looked at.
    let minus = |v: f32| vec![Bits(0), Bits(f32_bits(v)), Unstable];
    b.test(f, "real", Returned, minus(-1.5), |d| d.set("w", ".real", f32_bits(1.5)));
    b.test(f, "bits", Returned, minus(0.0), |d| {
        d.select("w", "", 1);
        d.set("w", ".bits", 1 << 31);
    });

    let kind = b.enumeration(Some("kind"), &[("SCALENE", 0), ("ISOSCELES", 1), ("EQUILATERAL", 2)]);
    let double = b.float(FloatKind::F64);
    let bytes = b.array(char, 4);
    let short = b.int_of("short", 16, true);
    let pair = b.structure(None, 4, &[("x", short, 0, None), ("y", short, 16, None)]);
    let members = [("number", i), ("real", double), ("bytes", bytes), ("pair", pair)];
    let inner = b.union(None, 8, &members);
    let long = b.int_of("long", 64, true);
    let loose = b.union(None, 8, &[("loose", i), ("longer", long)]);
    let value = b.structure(
        Some("value"),
        24,
        &[("kind", kind, 0, None), ("as", inner, 64, None), ("", loose, 128, None)],
    );
    let f = b.function("weigh", &[("v", value)], i, &[], &[]);
    b.test(f, "pair", Returned, vec![Bits(int(-700 + 9))], |d| {
        d.set("v", ".kind", 1);
        d.select("v", ".as", 3);
        d.set("v", ".as.pair.x", 0xfff9);
        d.set("v", ".as.pair.y", 9);
    });
    b.test(f, "bytes", Returned, vec![Bits(int(-1))], |d| {
        d.select("v", ".as", 2);
        d.set("v", ".as.bytes[0]", b'a'.into());
        d.set("v", ".as.bytes[1]", b'b'.into());
        d.select("v", "", 1);
        d.set("v", ".longer", 0xffff_ffff_ffff);
    });

    let u64 = b.int_of("unsigned long long", 64, false);
    let members = [("ready", u32, 0, Some(1)), ("level", i, 1, Some(5)), ("count", u64, 6, Some(40))];
    let status = b.structure(Some("status"), 8, &members);
    let f = b.function("bump", &[("s", status)], status, &[], &[]);
    b.test(f, "wraps", Returned, vec![Bits(1), Bits(0x1e), Bits(0)], |d| {
        d.set("s", ".level", 0x1f);
        d.set("s", ".count", (1 << 40) - 1);
    });
    b.test(f, "zero", Returned, vec![Bits(1), Bits(0x1f), Bits(1)], |_| {});
}

fn globals(b: &mut Build, i: TypeId, point: TypeId) {
    let row = b.array(i, 3);
    let table_type = b.array(row, 2);
    let const_int = b.constant(i);
    let pair = b.array(i, 2);
    let config_type = b.structure(None, 12, &[("a", i, 0, None), ("b", pair, 32, None)]);
    let volatile = b.add(model::TypeKind::Qualified { keyword: "volatile".into(), to: i }, 4, None);
    let ticks_type = b.array(volatile, 2);
    let char = b.int_of("char", 8, true);
    let const_char = b.constant(char);
    let text = b.pointer(const_char);
    let total = b.global("total", i);
    let table = b.global("table", table_type);
    let origin = b.global("origin", point);
    let limit = b.global("limit", const_int);
    let config = b.global("config", config_type);
    let ticks = b.global("ticks", ticks_type);
    let message = b.global("message", text);
    let reads = [total, table, limit, config, ticks, message];
    let writes = [total, table, origin, ticks, message];
    let f = b.function("accumulate", &[("row", i), ("column", i), ("amount", i)], i, &reads, &writes);
    b.test(f, "first", Returned, vec![Bits(1)], |d| {
        d.set("amount", "", 10);
        d.set("total", "", int(-1));
        d.set("table", "[0][0]", 4);
        d.set("table", "[1][0]", 8);
        d.set("config", ".b[1]", 100);
        d.set("ticks", "[0]", 2);
        let old = d.point(d.root("message", ""), 2);
        d.fill(old, &[b'?'.into(), 0]);
        d.changes(d.root("total", ""), Bits(2));
        d.changes(d.root("table", "[0][0]"), Bits(14));
        d.changes(d.root("origin", ".y"), Bits(114));
        d.changes(d.root("ticks", "[1]"), Bits(1));
        d.changes(d.root("message", ""), Elsewhere);
    });
    // A static variable in the function counts its calls: the second test sees it fresh.
    b.test(f, "second", Returned, vec![Bits(1)], |d| {
        let old = d.point(d.root("message", ""), 1);
        d.fill(old, &[b'x'.into()]);
        d.changes(d.root("message", ""), Null);
        d.changes(d.root("ticks", "[1]"), Bits(1));
    });
}

fn floats(b: &mut Build) {
    let (float, double, long) = (b.float(FloatKind::F32), b.float(FloatKind::F64), b.float(FloatKind::F80));
    let f = b.function("scaled", &[("f", float), ("d", double), ("l", long)], double, &[], &[]);
    b.test(f, "nan", Returned, vec![Bits(f64_bits(f64::NAN))], |d| {
        d.set("f", "", f32_bits(f32::NEG_INFINITY));
        d.set("d", "", f64_bits(0.0));
        d.set("l", "", ONE_L);
    });
    b.test(f, "denormal", Returned, vec![Bits(f64_bits(5e-324))], |d| {
        d.set("f", "", f32_bits(1.0));
        d.set("d", "", f64_bits(5e-324));
        d.set("l", "", ONE_L);
    });
    let f = b.function("negative", &[("f", float)], float, &[], &[]);
    b.test(f, "zero", Returned, vec![Bits(f32_bits(-0.0))], |_| {});
    b.test(f, "tenth", Returned, vec![Bits(f32_bits(-0.1))], |d| d.set("f", "", f32_bits(0.1)));
    let f = b.function("tenth", &[("x", long)], long, &[], &[]);
    b.test(f, "of_one", Returned, vec![Bits(TENTH_L)], |d| d.set("x", "", ONE_L));
    b.test(f, "of_ten", Returned, vec![Bits(ONE_L)], |d| d.set("x", "", TEN_L));
}

fn pointers(b: &mut Build, i: TypeId) {
    let const_int = b.constant(i);
    let values = b.pointer(const_int);
    let u32 = b.int_of("unsigned int", 32, false);
    let long = b.int_of("long", 64, true);
    let f = b.function("sum", &[("values", values), ("count", u32)], long, &[], &[]);
    b.test(f, "null", Returned, vec![Bits(u64::MAX.into())], |d| d.set("count", "", 3));
    b.test(f, "three", Returned, vec![Bits((1u128 << 32) - 2 - 7)], |d| {
        let object = d.point(d.root("values", ""), 3);
        d.fill(object, &[int(i32::MAX), int(i32::MAX), int(-7)]);
        d.set("count", "", 3);
    });
    let void = b.void();
    let pointer = b.pointer(i);
    let f = b.function("swap", &[("a", pointer), ("b", pointer)], void, &[], &[]);
    b.test(f, "both", Returned, vec![], |d| {
        let (a, other) = (d.point(d.root("a", ""), 1), d.point(d.root("b", ""), 1));
        d.fill(a, &[1]);
        d.changes(d.at(a, 0, ""), Bits(0));
        d.changes(d.at(other, 0, ""), Bits(1));
    });
    b.test(f, "alias", Returned, vec![], |d| {
        let a = d.point(d.root("a", ""), 1);
        d.point_at(d.root("b", ""), a, 0);
    });
    nodes(b, i);
    let row = b.array(const_int, 3);
    let matrix = b.pointer(row);
    let f = b.function("trace", &[("m", matrix)], i, &[], &[]);
    b.test(f, "two_rows", Returned, vec![Bits(11)], |d| {
        let m = d.point(d.root("m", ""), 2);
        d.fill(m, &[1, 2, 3, 4, 10, 0]);
    });
    let char = b.int_of("char", 8, true);
    let text = b.pointer(char);
    let f = b.function("first_space", &[("text", text)], text, &[], &[]);
    b.test(f, "inside", Returned, vec![Element { object: 1, element: 1 }], |d| {
        let object = d.point(d.root("text", ""), 4);
        d.fill(object, &[b'a'.into(), b' '.into(), b'"'.into(), 0]);
        d.changes(d.at(object, 1, ""), Bits(b'_'.into()));
    });
    let argv = b.pointer(text);
    let f = b.function("main", &[("argc", i), ("argv", argv)], i, &[], &[]);
    b.test(f, "one", Returned, vec![Bits(0)], |_| {});
    b.test(f, "two", Returned, vec![Bits(b'z'.into())], |d| {
        d.set("argc", "", 2);
        let argv = d.point(d.root("argv", ""), 2);
        let word = d.point(d.at(argv, 1, ""), 2);
        d.fill(word, &[b'z'.into(), 0]);
    });
}

fn nodes(b: &mut Build, i: TypeId) {
    let node = b.structure(Some("node"), 16, &[]);
    let next = b.pointer(node);
    let fields = b.fields(&[("value", i, 0, None), ("next", next, 64, None)]);
    let mut ty = b.program.types.get(node).clone();
    ty.kind = model::TypeKind::Struct { fields: Some(fields) };
    b.program.types.set(node, ty);
    let f = b.function("last", &[("list", next), ("steps", i)], next, &[], &[]);
    let second = |element| vec![Element { object: 3, element }];
    b.test(f, "of_two", Returned, second(0), |d| {
        let first = d.point(d.root("list", ""), 1);
        let second = d.point(d.at(first, 0, ".next"), 1);
        *d.input.cell_mut(d.at(first, 0, ".value")) = 7;
        *d.input.cell_mut(d.at(second, 0, ".value")) = 8;
        d.set("steps", "", 5);
        d.changes(d.at(second, 0, ".value"), Bits(9));
    });
    b.test(f, "of_cycle", Returned, second(0), |d| {
        let first = d.point(d.root("list", ""), 1);
        let second = d.point(d.at(first, 0, ".next"), 1);
        d.point_at(d.at(second, 0, ".next"), first, 0);
        d.set("steps", "", 3);
        d.changes(d.at(second, 0, ".value"), Bits(1));
    });
    let ints = b.pointer(i);
    let pair = b.array(i, 2);
    let row = b.pointer(pair);
    let f = b.function("consume", &[("list", next), ("values", ints), ("row", row)], i, &[], &[]);
    b.program.functions[f.0 as usize].externals = vec!["free".into()];
    b.test(f, "all", Returned, vec![Bits(1 + 30 + 500)], |d| {
        let first = d.point(d.root("list", ""), 1);
        let second = d.point(d.at(first, 0, ".next"), 1);
        *d.input.cell_mut(d.at(first, 0, ".value")) = 1;
        let values = d.point(d.root("values", ""), 2);
        d.fill(values, &[20, 30]);
        let row = d.point(d.root("row", ""), 1);
        d.fill(row, &[0, 500]);
        d.frees(&[first, second, values, row]);
    });
    let f = b.function("extend", &[("list", next), ("values", ints), ("row", row)], next, &[], &[]);
    b.program.functions[f.0 as usize].externals = vec!["calloc".into(), "free".into()];
    b.test(f, "list", Returned, vec![Allocated], |d| {
        let list = d.point(d.root("list", ""), 1);
        let values = d.point(d.root("values", ""), 2);
        let row = d.point(d.root("row", ""), 1);
        d.changes(d.at(list, 0, ".next"), Allocated);
        d.changes(d.at(row, 0, "[1]"), Bits(7));
        d.frees(&[values]);
    });
    let f = b.function("detach", &[("list", next)], next, &[], &[]);
    b.test(f, "into_array", Returned, vec![Element { object: 2, element: 1 }], |d| {
        let first = d.point(d.root("list", ""), 1);
        let rest = d.point(d.at(first, 0, ".next"), 2);
        d.point_at(d.at(first, 0, ".next"), rest, 1);
        d.changes(d.at(first, 0, ".next"), Null);
    });
}

fn names(b: &mut Build, i: TypeId, point: TypeId) {
    let pointer = b.pointer(point);
    let params = [("result", i), ("total", i), ("SCALENE_", pointer)];
    let f = b.function("same_names", &params, i, &[], &[]);
    b.test(f, "sum", Returned, vec![Bits(7)], |d| {
        d.set("result", "", 1);
        d.set("total", "", 2);
        let object = d.point(d.root("SCALENE_", ""), 1);
        *d.input.cell_mut(d.at(object, 0, ".x")) = 4;
    });
}

fn zeros(b: &mut Build, i: TypeId, point: TypeId) {
    let f = b.function("SET", &[("NEW", i)], i, &[], &[]);
    b.test(f, "one", Returned, vec![Bits(1)], |_| {});
    let f = b.function("fail", &[("state", i)], i, &[], &[]);
    b.test(f, "five", Returned, vec![Bits(5)], |d| d.set("state", "", 5));
    let float = b.float(FloatKind::F32);
    let u32 = b.int_of("unsigned int", 32, false);
    let word = b.union(Some("word"), 4, &[("real", float), ("bits", u32)]);
    let points = b.array(point, 2);
    let first = b.structure(None, 16, &[("at", points, 0, None)]);
    let nothing = b.structure(Some("nothing"), 0, &[]);
    let members = [("first", first, 0, None), ("second", word, 128, None), ("third", nothing, 160, None)];
    let nested = b.structure(Some("nested"), 20, &members);
    let pair = b.array(i, 2);
    let rows = b.pointer(pair);
    let nest = b.global("nest", nested);
    let params = [("n", nested), ("w", word), ("none", nothing), ("m", rows)];
    let f = b.function("is_zero", &params, i, &[nest], &[]);
    b.test(f, "all", Returned, vec![Bits(1)], |d| {
        d.point(d.root("m", ""), 2);
    });
}

fn ends(b: &mut Build, i: TypeId) {
    let void = b.void();
    let f = b.function("stop", &[("status", i)], void, &[], &[]);
    b.test(f, "three", Exited(3), vec![], |d| d.set("status", "", 3));
    b.test(f, "minus_one", Exited(-1), vec![], |d| d.set("status", "", int(-1)));
    let f = b.function("must_be_small", &[("x", i)], i, &[], &[]);
    b.test(f, "large", Aborted, vec![], |d| d.set("x", "", 10));
    b.test(f, "small", Returned, vec![Bits(9)], |d| d.set("x", "", 9));
    let f = b.function("noisy", &[], void, &[], &[]);
    b.test(f, "runs", Returned, vec![], |_| {});
}

/// One more test of `triangle` that expects the wrong result.
#[allow(dead_code)]
pub(crate) fn add_wrong_expectation(b: &mut Build) {
    let f = model::FunctionId(0);
    b.test(f, "wrong", Returned, vec![Bits(1)], |_| {});
}
