use super::{check_globals, check_globals_with, object, read_all};
use model::TypeKind;

#[test]
fn integers_and_characters() {
    check_globals(
        "_Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i;
         unsigned u; long l; unsigned long ul; long long ll; __int128 q; unsigned __int128 uq;",
        "b: _Bool bool1/1
         c: char
         sc: signed char i8 1/1 character
         uc: unsigned char u8 1/1 character
         s: short i16 2/2
         us: unsigned short u16 2/2
         i: int
         u: unsigned int u32 4/4
         l: long i64 8/8
         ul: unsigned long u64 8/8
         ll: long long i64 8/8
         q: __int128 i128 16/16
         uq: unsigned __int128 u128 16/16",
    );
}

#[test]
fn floats_and_what_has_no_values() {
    check_globals(
        "float f; double d; long double ld; _Float16 h; __bf16 bh; __float128 q;
         _Complex float cf; _Complex double cd; _Complex long double cl; _Complex int ci;
         _BitInt(17) bi; unsigned _BitInt(129) bw;
         typedef int v4 __attribute__((vector_size(16))); v4 v;
         typedef float v3 __attribute__((ext_vector_type(3))); v3 w;",
        "f: float f32 4/4
         d: double f64 8/8
         ld: long double f80 16/16
         h: unsupported(_Float16) 2/2
         bh: unsupported(__bf16) 2/2
         q: unsupported(__float128) 16/16
         cf: unsupported(_Complex float) 8/4
         cd: unsupported(_Complex double) 16/8
         cl: unsupported(_Complex long double) 32/16
         ci: unsupported(complex) 8/4
         bi: unsupported(_BitInt) 4/4
         bw: unsupported(unsigned _BitInt) 24/8
         v: v4 16/16 = unsupported(int __attribute__((vector_size(16)))) 16/16
         w: v3 16/16 = unsupported(float __attribute__((vector_size(16)))) 16/16",
    );
}

#[test]
fn pointers_typedefs_and_qualifiers() {
    check_globals(
        "void *p; const void *cp; char *const *pcp; typedef int num; typedef num other; other n;
         const volatile int cv = 1; int *restrict r; _Atomic long a; const char text[3] = \"ab\";
         typedef int wide __attribute__((aligned(64))); wide x;
         _Atomic struct three { char c[3]; } padded;",
        "p: *void
         cp: *const void
         pcp: *const *char
         n: other 4/4 = num 4/4 = int
         cv: const volatile int
         r: restrict *int
         a: _Atomic long i64 8/8
         text: [3] 3/1 const char
         x: wide 4/64 = int
         padded: unsupported(_Atomic with padding) 4/4",
    );
}

#[test]
fn arrays_nest_outermost_first() {
    check_globals(
        "int a[2][3][4]; char zero[0]; int (*pa)[5]; struct e {} none[7];
         struct flex { int n; short data[]; } *f; extern int open[]; int *po = open;",
        "a: [2] 96/4 [3] 48/4 [4] 16/4 int
         zero: [0] 0/1 char
         pa: *[5] 20/4 int
         none: [7] 0/1 struct e 0/1 {}
         f: *struct flex 4/4 {n: int @0; data: [] 0/2 short i16 2/2 @32}
         po: *int",
    );
}

#[test]
fn enumerators_keep_sign_and_width() {
    check_globals(
        "enum neg { A = -5, B, C = 7 } n; enum { D, E = 4000000000u } u;
         enum big { F = 0xffffffffffffffffu, G = 1 } b; enum mixed { H = -1, I = 0x7fffffffff } m;
         enum low { J = (-0x7fffffffffffffff - 1) } l; enum __attribute__((packed)) tiny { K = 200 } t;
         enum __attribute__((packed)) stiny { L = -128, M = 127 } st; enum fixed : unsigned short { N = 65535 } f;",
        "n: enum neg i32 4/4 {A=-5, B=-4, C=7}
         u: enum _ u32 4/4 {D=0, E=4000000000}
         b: enum big u64 8/8 {F=18446744073709551615, G=1}
         m: enum mixed i64 8/8 {H=-1, I=549755813887}
         l: enum low i64 8/8 {J=-9223372036854775808}
         t: enum tiny u8 1/1 {K=200}
         st: enum stiny i8 1/1 {L=-128, M=127}
         f: enum fixed u16 2/2 {N=65535}",
    );
}

#[test]
fn types_known_only_by_name() {
    check_globals_with(
        "typeof(nullptr) null; enum later *e; bool b; enum flag : bool { OFF, ON } f;",
        &["-std=gnu23"],
        "null: unsupported(decltype(nullptr)) 0/1
         e: *unsupported(incomplete enum later) 0/1
         b: bool bool1/1
         f: enum flag u8 1/1 {OFF=0, ON=1}",
    );
}

#[test]
fn structs_unions_and_anonymous_members() {
    check_globals(
        "typedef struct { int x, y; } point; point p;
         union u { int a; double d; struct { char p; short q; }; union { int z; } named; } u;
         struct outer { struct inner { long l; } in; struct { int k; } sub; point at[2]; } o;
         struct opaque; struct opaque *op; union hidden *uh; struct empty {} e;",
        "p: point 8/4 = struct _ 8/4 {x: int @0; y: int @32}
         u: union u 8/8 {a: int @0; d: double f64 8/8 @0; _: struct _ 4/2 {p: char @0; q: short i16 2/2 @16} @0; \
            named: union _ 4/4 {z: int @0} @0}
         o: struct outer 32/8 {in: struct inner 8/8 {l: long i64 8/8 @0} @0; sub: struct _ 4/4 {k: int @0} @64; \
            at: [2] 16/4 point 8/4 = struct _ 8/4 {x: int @0; y: int @32} @96}
         op: *struct opaque incomplete
         uh: *union hidden incomplete
         e: struct empty 0/1 {}",
    );
}

#[test]
fn recursive_types() {
    check_globals(
        "struct list { int v; struct list *next; } l;
         struct b; struct a { struct b *b; } a; struct b { struct a a[2]; struct b *me; } b;
         typedef struct node node; struct node { node *left, *right; void (*visit)(node, node *); }; node n;",
        "l: struct list 16/8 {v: int @0; next: *struct list @64}
         a: struct a 8/8 {b: *struct b 24/8 {a: [2] 16/8 struct a @0; me: *struct b @128} @0}
         b: struct b 24/8 {a: [2] 16/8 struct a 8/8 {b: *struct b @0} @0; me: *struct b @128}
         n: node 24/8 = struct node 24/8 {left: *node 24/8 = struct node @0; right: *node 24/8 = struct node @64; \
            visit: *fn(node 24/8 = struct node, *node 24/8 = struct node) -> void @128}",
    );
}

const BIT_FIELDS: &str =
    "struct bits { unsigned a:3; int b:5; unsigned long c:40; int :0; _Bool d:1; int e:4; } x;
    struct __attribute__((packed)) tight { unsigned a:3; unsigned b:30; } t;";

const BIT_FIELDS_READ: &str =
    "x: struct bits 16/8 {a:3: unsigned int u32 4/4 @0; b:5: int @3; c:40: unsigned long u64 8/8 @8; \
        d:1: _Bool bool1/1 @64; e:4: int @65}
    t: struct tight 5/1 {a:3: unsigned int u32 4/4 @0; b:30: unsigned int u32 4/4 @3}";

#[test]
fn bit_fields_in_all_dialects() {
    for version in ["-gdwarf-5", "-gdwarf-4", "-gdwarf-3"] {
        check_globals_with(BIT_FIELDS, &[version], BIT_FIELDS_READ);
    }
}

#[test]
fn alignment_of_structs() {
    check_globals(
        "struct __attribute__((packed)) pk { char c; int i; } pk;
         struct al { char c; int i __attribute__((aligned(16))); } al;
         struct sal { int x; } __attribute__((aligned(8))) sal;
         #pragma pack(push, 2)
         struct two { char c; int i; } two;
         #pragma pack(pop)
         struct wide { char c; __int128 q; } w; struct in { char c; struct pk p; } in;",
        "pk: struct pk 5/1 {c: char @0; i: int @8}
         al: struct al 32/16 {c: char @0; i: int @128}
         sal: struct sal 8/8 {x: int @0}
         two: struct two 6/2 {c: char @0; i: int @16}
         w: struct wide 32/16 {c: char @0; q: __int128 i128 16/16 @128}
         in: struct in 6/1 {c: char @0; p: struct pk 5/1 {c: char @0; i: int @8} @8}",
    );
}

#[test]
fn function_pointers() {
    check_globals(
        "int (*f)(int, const char *, ...); void (*kr)(); void (*none)(void); int (*table[2])(void);
         struct s { int x; }; struct s (*by_value)(struct s); int (*(*hof)(int (*)(int)))(char);",
        "f: *fn(int, *const char, ...) -> int
         kr: *fn() -> void
         none: *fn() -> void
         table: [2] 16/8 *fn() -> int
         by_value: *fn(struct s 4/4 {x: int @0}) -> struct s 4/4 {x: int @0}
         hof: *fn(*fn(int) -> int) -> *fn(char) -> int",
    );
}

#[test]
fn one_id_per_type() {
    let source = "struct s { int x; }; struct s a, b; struct s *p; int i;";
    let (info, types) = read_all(&object(source, &[]));
    let ty = |name: &str| info.globals.iter().find(|g| g.name == name).unwrap().ty;
    assert_eq!(ty("a"), ty("b"));
    assert_eq!(types.get(ty("p")).kind, TypeKind::Pointer { to: ty("a") });
    let TypeKind::Struct { fields: Some(fields) } = &types.get(ty("a")).kind else { panic!("no struct") };
    assert_eq!(fields[0].ty, ty("i"));
    assert_eq!(types.len(), 3, "struct s, pointer, int");
}

#[test]
fn chains_of_any_length_do_not_recurse() {
    let mut source = "typedef int t0;\nstruct s0 { int x; };\n".to_owned();
    for i in 0..5000 {
        let j = i + 1;
        source.push_str(&format!("typedef t{i} t{j};\nstruct s{j} {{ struct s{i} inner; }};\n"));
    }
    source.push_str("t5000 last; struct s5000 deep;\n");
    let (info, types) = read_all(&object(&source, &[]));
    let sizes: Vec<_> = info.globals.iter().map(|g| types.size(g.ty)).collect();
    assert_eq!(sizes, [4, 4]);
}
