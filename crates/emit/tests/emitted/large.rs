//! Objects with more values than there are inputs: a test sets what the input has and leaves the rest as it is.

use crate::support::{Build, emitter, make, returned, unchanged, write_all};
use input::{Input, Pointer, Rng, Space};
use model::{FunctionId, TypeId};
use suite::TestCase;
use target::Seen;

/// Of every array 14 elements are inputs: with n elements n + n * (1 + n) + n values, of at most 256.
const SOURCE: &str = "
struct item { short key; char label[20]; };
struct large {
    char text[65536];
    int mode;
    struct item items[1000];
    union { long number; unsigned char raw[5000]; } u;
    const int *p;
};
static struct large global = {.text[65535] = 'z', .mode = 5, .items[2].label[19] = 1, .items[999].key = 321};

static long tail(const struct large *p)
{
    long sum = 0;
    for (int i = 14; i < 65536; i++)
        sum += p->text[i];
    for (int i = 0; i < 1000; i++) {
        sum += i < 14 ? 0 : p->items[i].key;
        for (int k = i < 14 ? 14 : 0; k < 20; k++)
            sum += p->items[i].label[k];
    }
    return sum;
}

struct large by_value(struct large v) { return v; }
struct large by_global(void) { return global; }
long tail_by_value(struct large v) { return tail(&v); }
long tail_by_global(void) { return tail(&global); }
long tail_by_pointer(const struct large *v) { return v ? tail(v) : 0; }
";

/// `'z'`, `321` and `1`.
const TAIL_OF_GLOBAL: u128 = 122 + 321 + 1;

fn large_type(b: &mut Build) -> TypeId {
    let (char, u8, short) =
        (b.int_of("char", 8, true), b.int_of("unsigned char", 8, false), b.int_of("short", 16, true));
    let (int, long) = (b.int(), b.int_of("long", 64, true));
    let (text, label, raw) = (b.array(char, 65536), b.array(char, 20), b.array(u8, 5000));
    let item = b.structure(Some("item"), 22, &[("key", short, 0, None), ("label", label, 16, None)]);
    let items = b.array(item, 1000);
    let union = b.union(None, 5000, &[("number", long), ("raw", raw)]);
    let const_int = b.constant(int);
    let p = b.pointer(const_int);
    let members = [("text", text), ("mode", int), ("items", items), ("u", union), ("p", p)];
    b.structure(Some("large"), 92552, &members.map(|(name, ty)| (name, ty, 0, None)))
}

/// A random input, and as result the object itself or the given number.
fn random_test(space: &Space, name: String, tail: Option<u128>, rng: &mut Rng) -> TestCase {
    let input = Input::random(space, rng);
    let result = tail.map_or_else(|| returned(space, &input, 0), |tail| vec![Seen::Bits(tail)]);
    unchanged(space, name, input, result)
}

fn add_tests(build: &mut Build, function: FunctionId, tail: Option<u128>, rng: &mut Rng) {
    let name = build.program.function(function).name.clone();
    let result = &mut build.results[function.0 as usize];
    let space = result.space.as_mut().expect("supported");
    if space.roots[0].name == "global" {
        let leaves = &space.table(space.roots[0].table).leaves;
        let initial = |leaf: &input::Leaf| if leaf.path == ".mode" { 5 } else { 0 };
        space.roots[0].initial = Some(leaves.iter().map(initial).collect());
    }
    result.tests = (0..5).map(|n| random_test(space, format!("{name}_{n}"), tail, rng)).collect();
}

#[test]
fn what_is_no_input_stays_as_it_is() {
    let mut build = Build::new();
    let large = large_type(&mut build);
    let long = build.int_of("long", 64, true);
    let global = build.global("global", large);
    let const_large = build.constant(large);
    let pointer = build.pointer(const_large);
    let mut rng = Rng::with_seed(3);
    for (name, params, ret, reads, tail) in [
        ("by_value", vec![("v", large)], large, vec![], None),
        ("by_global", vec![], large, vec![global], None),
        ("tail_by_value", vec![("v", large)], long, vec![], Some(0)),
        ("tail_by_global", vec![], long, vec![global], Some(TAIL_OF_GLOBAL)),
        ("tail_by_pointer", vec![("v", pointer)], long, vec![], Some(0)),
    ] {
        let function = build.function(name, &params, ret, &reads, &[]);
        add_tests(&mut build, function, tail, &mut rng);
    }
    let is_set = |cell: &u128| Pointer::decode(*cell) != Pointer::Null;
    assert!(build.results[4].tests.iter().any(|test| is_set(&test.input.objects[0].cells[0])));
    let directory = tempfile::tempdir().expect("temporary folder");
    let source = directory.path().join("subject.c");
    std::fs::write(&source, SOURCE).expect("written");
    write_all(directory.path(), &emitter("c").emit(&build.job(&source)));
    for compiler in ["CC=gcc", "CC=clang-19"] {
        let (ok, output) = make(directory.path(), &[compiler, "CFLAGS=-Wall -Wextra -Werror"]);
        assert!(ok && output.contains("25 passed, 0 failed"), "{output}");
    }
}
