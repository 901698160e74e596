//! Random values of a type with everything in it: what goes in by argument, by global and through a pointer
//! comes back as it was.

use crate::support::{Build, emitter, make, returned, unchanged, write_all};
use input::{Input, Pointer, Rng, Space};
use model::{FloatKind, FunctionId, TypeId};
use std::path::Path;
use suite::TestCase;

const SOURCE: &str = "
enum kind { FIRST = 1, SECOND = 2, LAST = 200 };
struct inner { short s; unsigned char u[3]; float f; };
struct big {
    char c;
    struct inner in[2];
    enum kind k;
    unsigned b1 : 3;
    int b2 : 7;
    union { int i; double d; struct inner n; } u;
    struct { long x; union { unsigned y; char z[4]; }; };
    long double ld;
    _Bool flag;
    __extension__ __int128 w;
    const int *p;
    char text[2][4];
    unsigned long long q;
    struct big *next;
};
static struct big global;
struct big by_value(struct big b) { return b; }
struct big by_global(void) { return global; }
struct big by_pointer(const struct big *b) { static struct big none; return b ? *b : none; }
";

fn big_type(b: &mut Build) -> TypeId {
    let (float, double, long_double) =
        (b.float(FloatKind::F32), b.float(FloatKind::F64), b.float(FloatKind::F80));
    let (char, u8, short) =
        (b.int_of("char", 8, true), b.int_of("unsigned char", 8, false), b.int_of("short", 16, true));
    let (int, u32) = (b.int(), b.int_of("unsigned int", 32, false));
    let (long, u64, i128) = (
        b.int_of("long", 64, true),
        b.int_of("unsigned long long", 64, false),
        b.int_of("__int128", 128, true),
    );
    let u3 = b.array(u8, 3);
    let inner =
        b.structure(Some("inner"), 12, &[("s", short, 0, None), ("u", u3, 0, None), ("f", float, 0, None)]);
    let inners = b.array(inner, 2);
    let kind = b.enumeration(Some("kind"), &[("FIRST", 1), ("SECOND", 2), ("LAST", 200)]);
    let union = b.union(None, 16, &[("i", int), ("d", double), ("n", inner)]);
    let z = b.array(char, 4);
    let loose = b.union(None, 4, &[("y", u32), ("z", z)]);
    let nameless = b.structure(None, 16, &[("x", long, 0, None), ("", loose, 0, None)]);
    let bool = b.add(model::TypeKind::Bool, 1, Some("_Bool"));
    let const_int = b.constant(int);
    let p = b.pointer(const_int);
    let text = b.array(z, 2);
    let big = b.structure(Some("big"), 224, &[]);
    let next = b.pointer(big);
    let fields = b.fields(&[
        ("c", char, 0, None),
        ("in", inners, 0, None),
        ("k", kind, 0, None),
        ("b1", u32, 0, Some(3)),
        ("b2", int, 0, Some(7)),
        ("u", union, 0, None),
        ("", nameless, 0, None),
        ("ld", long_double, 0, None),
        ("flag", bool, 0, None),
        ("w", i128, 0, None),
        ("p", p, 0, None),
        ("text", text, 0, None),
        ("q", u64, 0, None),
        ("next", next, 0, None),
    ]);
    let mut ty = b.program.types.get(big).clone();
    ty.kind = model::TypeKind::Struct { fields: Some(fields) };
    b.program.types.set(big, ty);
    big
}

fn random_test(space: &Space, name: String, rng: &mut Rng) -> TestCase {
    let input = Input::random(space, rng);
    let root = &input.objects[0];
    let source = match (root.cells.len(), Pointer::decode(root.cells[0])) {
        (1, Pointer::Element { object, .. }) => Some(object as usize),
        (1, Pointer::Null) => None,
        _ => Some(0),
    };
    let result = source.map_or(Vec::new(), |object| returned(space, &input, object));
    unchanged(space, name, input, result)
}

fn add_tests(build: &mut Build, function: FunctionId, rng: &mut Rng, count: usize) {
    let name = build.program.function(function).name.clone();
    let result = &mut build.results[function.0 as usize];
    let space = result.space.as_ref().expect("supported");
    result.tests = (0..count).map(|n| random_test(space, format!("{name}_{n}"), rng)).collect();
}

#[test]
fn random_values_come_back_as_they_were() {
    let mut build = Build::new();
    let big = big_type(&mut build);
    let global = build.global("global", big);
    let const_big = build.constant(big);
    let pointer = build.pointer(const_big);
    let mut rng = Rng::with_seed(7);
    for (name, params, reads) in [
        ("by_value", vec![("b", big)], vec![]),
        ("by_global", vec![], vec![global]),
        ("by_pointer", vec![("b", pointer)], vec![]),
    ] {
        let function = build.function(name, &params, big, &reads, &[]);
        add_tests(&mut build, function, &mut rng, 25);
    }
    let directory = tempfile::tempdir().expect("temporary folder");
    let source = directory.path().join("subject.c");
    std::fs::write(&source, SOURCE).expect("written");
    for format in ["c", "cmocka"] {
        let out: &Path = &directory.path().join(format);
        write_all(out, &emitter(format).emit(&build.job(&source)));
        for compiler in ["CC=gcc", "CC=clang-19"] {
            let (ok, output) = make(out, &[compiler, "CFLAGS=-Wall -Wextra -Werror"]);
            assert!(
                ok && output.contains("75 passed, 0 failed"),
                "{}",
                &output[output.len().saturating_sub(3000)..]
            );
        }
    }
}
