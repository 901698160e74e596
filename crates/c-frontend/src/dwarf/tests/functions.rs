use super::super::read;
use super::{Scratch, check_functions, object, print, read_all};
use model::Types;

const SHAPES: &str = r#"
static int inlined(int a, int b) { return a * b + a; }
__attribute__((noinline)) static int kept(int a, int, char *c) { return a * *c; }
int caller(int x) { int (*volatile p)(int, int) = inlined; return inlined(x, 2) + p(x, 3) + kept(x, 1, "q"); }
int old(a, b) int a; char b; { return a + b; }
int empty() { return 1; }
int variadic(int a, ...) { return a; }
void nothing(void) {}
int renamed(int) __asm__("other_symbol"); int renamed(int x) { return x; }
int matrix(int n, int m[n][n], const char s[restrict static 3]) { int q[n]; return m[0][0] + s[0]; }
int declared(int x); int uses(int x) { return declared(x) + 1; }
"#;

const SHAPES_READ: &str = "
a.c:2 static inlined(a: int, b: int) -> int
a.c:3 static kept(a: int, _: int, c: *char) -> int
a.c:4 caller(x: int) -> int
a.c:5 unprototyped old(a: int, b: char) -> int
a.c:6 unprototyped empty() -> int
a.c:7 variadic(a: int, ...) -> int
a.c:8 nothing() -> void
a.c:9 renamed(x: int) -> int symbol other_symbol
a.c:10 matrix(n: int, m: *[] 0/4 int, s: restrict *const char) -> int
a.c:11 uses(x: int) -> int";

#[test]
fn every_shape_of_function_at_every_level() {
    for level in ["-O0", "-O1", "-O2"] {
        check_functions(SHAPES, &[level], SHAPES_READ);
    }
}

#[test]
fn functions_without_code_are_not_there() {
    let source = "static int gone(int a) { return a + 1; } int stays(int b) { return gone(b); }";
    check_functions(source, &["-O2"], "a.c:1 stays(b: int) -> int");
}

/// A parameter that optimisation removed from the code is still one of the function.
#[test]
fn unused_parameters_survive_optimisation() {
    let source = "__attribute__((noinline)) static int f(int unused, int a, long alike) { return a * 3; }
        int g(int x) { return f(1, x, 2) + f(2, x + 1, 2); }";
    let expected = "a.c:1 static f(unused: int, a: int, alike: long i64 8/8) -> int
        a.c:2 g(x: int) -> int";
    check_functions(source, &["-O2"], expected);
}

#[test]
fn variables_in_functions_and_literals_are_not_global() {
    let source = "static int file_scope; const char *text = \"literal\"; extern int elsewhere;
        int f(void) { static int inside; int local = elsewhere; return inside++ + file_scope++ + local; }";
    super::check_globals(source, "static file_scope: int\ntext: *const char");
}

#[test]
fn files_are_absolute_and_lines_are_those_of_the_name() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("sub dir")).unwrap();
    std::fs::write(scratch.path("sub dir/ä.h"), "\nstatic int in_header(int x)\n{ return x; }\n").unwrap();
    let source = "#include \"sub dir/ä.h\"\n\nint\nglobal;\nint f(int x) { return in_header(x); }\n";
    scratch.clang("a", source, &["-O0"], "a.o");
    let (info, _) = read_all(&scratch.bytes("a.o"));
    let path = |name: &str| std::fs::canonicalize(scratch.path(name)).unwrap().to_str().unwrap().to_owned();
    let place = |name: &str| {
        let f = info.functions.iter().find(|f| f.name == name).unwrap();
        (f.file.clone(), f.line)
    };
    assert_eq!(place("f"), (path("a.c"), 5));
    assert_eq!(place("in_header"), (path("sub dir/ä.h"), 2));
    assert_eq!((info.globals[0].file.clone(), info.globals[0].line), (path("a.c"), 4));
}

const FIRST: &str = "struct s { int x; }; static int twin(struct s *p) { return p->x; }
int first(struct s *p) { return twin(p); } struct s shared;";
const SECOND: &str = "struct s { int x; }; static long twin(struct s *p) { return p->x + 1; }
extern int first(struct s *); long second(struct s *p) { return twin(p) + first(p); } unsigned own;";

const BOTH: [&str; 4] = [
    "a.c:1 static twin(p: *struct s 4/4 {x: int @0}) -> int",
    "a.c:2 first(p: *struct s 4/4 {x: int @0}) -> int",
    "b.c:1 static twin(p: *struct s 4/4 {x: int @0}) -> long i64 8/8",
    "b.c:2 second(p: *struct s 4/4 {x: int @0}) -> long i64 8/8",
];

fn check_both(object: &[u8]) {
    let (info, types) = read_all(object);
    let mut found = print::functions(&info, &types);
    found.sort();
    assert_eq!(found, BOTH);
    let globals = print::globals(&info, &types);
    assert_eq!(globals, ["shared: struct s 4/4 {x: int @0}", "own: unsigned int u32 4/4"]);
    let ints = types.iter().filter(|(_, ty)| ty.name.as_deref() == Some("int")).count();
    assert_eq!(ints, 1, "units share base types");
}

#[test]
fn several_units_of_linked_objects() {
    let scratch = Scratch::new();
    scratch.clang("a", FIRST, &["-O0"], "a.o");
    scratch.clang("b", SECOND, &["-O0"], "b.o");
    scratch.run("clang-19", &["-r", "-nostdlib", "a.o", "b.o", "-o", "both.o"]);
    check_both(&scratch.bytes("both.o"));
}

/// Linked bitcode shares types: one unit refers to the entries of another.
#[test]
fn several_units_of_linked_bitcode() {
    let scratch = Scratch::new();
    scratch.clang("a", FIRST, &["-O0", "-emit-llvm"], "a.bc");
    scratch.clang("b", SECOND, &["-O0", "-emit-llvm"], "b.bc");
    scratch.run("llvm-link-19", &["a.bc", "b.bc", "-o", "both.bc"]);
    scratch.run("clang-19", &["-c", "both.bc", "-o", "both.o"]);
    check_both(&scratch.bytes("both.o"));
}

#[test]
fn a_second_object_reuses_the_base_types() {
    let mut types = Types::default();
    read(&object("int a; void *p;", &[]), &mut types).unwrap();
    let before = types.len();
    let info = read(&object("int b; void f(void) {}", &[]), &mut types).unwrap();
    assert_eq!(types.len(), before);
    assert_eq!(info.globals.len() + info.functions.len(), 2);
}

#[test]
fn compressed_sections() {
    let source = "int f(long long x) { return x > 0; }";
    check_functions(source, &["-gz"], "a.c:1 f(x: long long i64 8/8) -> int");
}

#[test]
fn without_debug_information_there_is_nothing() {
    let (info, types) = read_all(&object("int f(int x) { return x; }", &["-g0"]));
    assert!(info.functions.is_empty() && info.globals.is_empty() && types.is_empty());
}

/// Linear work takes a third of a second here; the limit leaves room for slow machines but not for squares.
#[test]
fn twenty_thousand_lines() {
    let mut source = String::new();
    for i in 0..10_000 {
        source.push_str(&format!("struct s{i} {{ int a; struct s{i} *p; char t[{}]; }};\n", i + 1));
        source.push_str(&format!("int f{i}(struct s{i} *x) {{ return x->a; }}\n"));
    }
    let object = object(&source, &["-O0"]);
    let start = std::time::Instant::now();
    let (info, _) = read_all(&object);
    assert_eq!(info.functions.len(), 10_000);
    let spent = start.elapsed();
    assert!(spent.as_secs() < 10, "{spent:?}");
}
