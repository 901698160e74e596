//! Stubs for what nobody defines.

use c_frontend::{Built, Clang, SourceUnit, Surroundings, build, build_with_stubs, infeasible};
use model::{Function, Global};
use tempfile::TempDir;

/// Builds units of these texts with stubs.
fn built(texts: &[&str]) -> (Built, TempDir) {
    let work = tempfile::tempdir().unwrap();
    let units = units(texts, &work);
    (build_with_stubs(&units, Surroundings::default(), &Clang::default(), work.path()).unwrap(), work)
}

fn units(texts: &[&str], work: &TempDir) -> Vec<SourceUnit> {
    let unit = |(i, text): (usize, &&str)| {
        let path = work.path().join(format!("u{i}.c"));
        std::fs::write(&path, text).unwrap();
        SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() }
    };
    texts.iter().enumerate().map(unit).collect()
}

fn stub<'a>(built: &'a Built, name: &str) -> &'a str {
    let stubs = &built.program.stubs;
    stubs.iter().find(|stub| stub.name == name).map_or("", |stub| &stub.text)
}

fn function<'a>(built: &'a Built, name: &str) -> &'a Function {
    built.program.functions.iter().find(|f| f.name == name).unwrap()
}

fn names<'a>(built: &'a Built, ids: &[model::GlobalId]) -> Vec<&'a str> {
    ids.iter().map(|&id| built.program.global(id)).map(|g: &Global| g.name.as_str()).collect()
}

const SENSOR: &str = r"
    struct config { int level; };
    int read_sensor(int channel);
    int get_config(struct config *out);
    extern int limit;
    int check(int c)
    {
        struct config k;
        if (get_config(&k) < 0) return -1;
        return k.level > 3 && read_sensor(c) > limit;
    }
    int calm(int c) { return c > 1; }
";

#[test]
fn results_and_what_is_written_are_inputs() {
    let (built, _work) = built(&[SENSOR]);
    assert!(built.program.undefined.is_empty());
    let check = function(&built, "check");
    let mut reads = names(&built, &check.reads);
    reads.sort_unstable();
    assert_eq!(reads, ["get_config_out", "get_config_results", "limit", "read_sensor_results"]);
    assert!(check.writes.is_empty(), "{:?}", names(&built, &check.writes));
    assert_eq!(check.stubs, ["get_config", "read_sensor"]);
    assert!(function(&built, "calm").reads.is_empty() && function(&built, "calm").stubs.is_empty());
}

#[test]
fn stubs_have_no_goals_and_change_none() {
    let (with, work) = built(&[SENSOR]);
    let units = units(&[SENSOR], &work);
    let without = build(&units, &Clang::default(), work.path()).unwrap();
    assert_eq!(function(&with, "read_sensor").goals().count(), 0);
    let spans = |built: &Built| -> Vec<_> {
        let branches = built.program.functions.iter().flat_map(|f| &f.branches).filter(|b| b.counted);
        branches.map(|b| (b.span, b.expansion)).collect()
    };
    assert_eq!(spans(&with).len(), 3);
    assert_eq!(spans(&with), spans(&without));
}

/// The optimiser may not conclude from a stub what the real function does.
#[test]
fn no_proof_rests_on_a_stub() {
    let (built, _work) =
        built(&["void set(char *text); int f(void) { char c = 1; set(&c); return c == 2; }\n\
         int g(void); int h(void) { return g() == 7 ? 1 : 0; }"]);
    assert_eq!(infeasible(&built).unwrap().len(), 0);
}

#[test]
fn a_stub_reads_like_this() {
    let (built, _work) = built(&[SENSOR]);
    let expected = "\
/* get_config() is defined nowhere and gives these, call by call, the last ever after. */
struct config get_config_out[8];
int get_config_results[8];

int get_config(struct config *out)
{
    static unsigned calls;
    unsigned call = calls < 7 ? calls++ : 7;

    if (out)
        *out = get_config_out[call];
    return get_config_results[call];
}
";
    assert_eq!(stub(&built, "get_config"), expected);
    assert_eq!(stub(&built, "limit"), "/* Defined nowhere. */\nint limit;\n");
}

#[test]
fn strings_end_and_objects_nobody_knows_have_an_address() {
    let (built, _work) =
        built(&["struct s; const char *name(void); struct s *open_it(void); void *block(int);\n\
         int f(void) { return !name() + !open_it() + !block(3); }"]);
    assert!(stub(&built, "name").contains("char name_text[8][16];"), "{}", stub(&built, "name"));
    assert!(stub(&built, "name").contains("name_text[call][15] = '\\0';"), "{}", stub(&built, "name"));
    let address = "return open_it_exists[call] ? (void *)object : 0;";
    assert!(stub(&built, "open_it").contains(address), "{}", stub(&built, "open_it"));
}

#[test]
fn what_may_be_freed_comes_from_the_heap() {
    let (built, _work) =
        built(&["void free(void *); char *name(void); const char *label(void); void *block(int);\n\
         int f(void) { free(name()); free(block(1)); return *label(); }"]);
    assert!(stub(&built, "name").contains("__builtin_strdup(name_text[call])"), "{}", stub(&built, "name"));
    assert!(stub(&built, "block").contains("__builtin_calloc(1, 4096)"), "{}", stub(&built, "block"));
    assert!(!stub(&built, "label").contains("strdup"), "{}", stub(&built, "label"));
}

/// Blocks of different calls are different, and as large as they were asked to be.
#[test]
fn what_is_told_how_much_memory_is_wanted_gives_as_much() {
    let (built, _work) =
        built(&["void *get(unsigned long bytes); void *many(void *from, unsigned count, unsigned size);\n\
         int f(void) { return !get(100) + !many(0, 3, 100); }"]);
    let get = "if (get_exists[call] && bytes <= 1048576)\n        return blocks[call] = __builtin_calloc(1, bytes);";
    assert!(stub(&built, "get").contains(get), "{}", stub(&built, "get"));
    let many = "if (many_exists[call] && (unsigned long)count * size <= 1048576)\n        \
                return blocks[call] = __builtin_calloc(count, size);";
    assert!(stub(&built, "many").contains(many), "{}", stub(&built, "many"));
}

/// Nothing is written to a string that may be a literal, to what is constant, or beyond a buffer.
#[test]
fn only_what_is_meant_to_be_written_is_written() {
    let (built, _work) = built(&["typedef unsigned long size_t;\n\
         int look(char *key, const int *table); int fill(char *buffer, int size); int byte(unsigned char *to, int port);\n\
         int get(void *to, size_t n); int pair(int **first);\n\
         int f(void) { char b[4]; int *p; unsigned char c; return look(\"a\", 0) + fill(b, 4) + get(b, 4) + byte(&c, 9)\n\
             + pair(&p); }"]);
    assert!(!stub(&built, "look").contains("if ("), "{}", stub(&built, "look"));
    for name in ["fill", "get"] {
        let text = stub(&built, name);
        assert!(text.contains("&& i < (long)") && text.contains("&& i < 16"), "{text}");
    }
    assert!(stub(&built, "byte").contains("*to = byte_to[call];"), "{}", stub(&built, "byte"));
    assert!(stub(&built, "pair").contains("int *pair_first[8];"), "{}", stub(&built, "pair"));
}

#[test]
fn a_large_value_is_there_once() {
    let (built, _work) = built(&["struct big { char bytes[300]; }; void load(struct big *to);\n\
         int f(void) { struct big b; load(&b); return b.bytes[7]; }"]);
    let text = stub(&built, "load");
    assert!(text.contains("struct big load_to[1];") && text.contains("*to = load_to[0];"), "{text}");
    assert!(!text.contains("calls"), "{text}");
}

/// What cannot be followed stays undefined and costs the others nothing.
#[test]
fn what_no_stub_can_stand_for_stays_undefined() {
    let (built, _work) = built(&["int (*choose(void))(int); int fine(void); _Complex double wave(void);\n\
         int renamed(void) __asm__(\"elsewhere\");\n\
         int f(void) { extern int inner(int); return choose()(1) + fine() + inner(2) + renamed() + (wave() == 0); }"]);
    assert_eq!(built.program.undefined, ["choose", "elsewhere", "inner", "wave"]);
    assert_eq!(function(&built, "f").stubs, ["fine"]);
}

#[test]
fn names_of_the_program_are_left_alone() {
    let (built, _work) =
        built(&["int f_results; int f(int call, int calls); int g(void) { return f(f_results, 1); }"]);
    let text = stub(&built, "f");
    assert!(text.contains("int f_results_[8];") && text.contains("int f(int call_, int calls_)"), "{text}");
}

/// Both units get the text, the image one definition.
#[test]
fn every_unit_that_needs_it_has_the_text() {
    let (built, _work) = built(&[
        "int both(int x); int in_a(int x) { return both(x); }\nstruct odd; int in_b(int); int in_c(int x) { return in_b(x); }",
        "struct odd { int a; }; int both(int y); int odd(struct odd *out);\n\
         int in_b(int x) { struct odd o; odd(&o); return both(x) + o.a; }",
    ]);
    let stubs: Vec<(&str, u32)> = built.program.stubs.iter().map(|s| (s.name.as_str(), s.file)).collect();
    assert_eq!(stubs, [("both", 0), ("both", 1), ("odd", 1)]);
    assert_eq!(built.program.functions.iter().filter(|f| f.name == "both").count(), 1);
    // A test of the first unit cannot name a structure of the second.
    let reads = |name: &str| names(&built, &function(&built, name).reads);
    assert_eq!(reads("in_c"), ["both_results", "odd_results"]);
    assert!(reads("in_b").contains(&"odd_out"), "{:?}", reads("in_b"));
}

const CLOCKED: &str = "#include <stdlib.h>\n#include <time.h>\n\
    int late(void) { return time(0) > 5; }\nint main(void) { return rand() > 3; }\n";

#[test]
fn what_asks_the_machine_is_an_input() {
    let (built, _work) = built(&[CLOCKED]);
    let late = function(&built, "late");
    assert_eq!(names(&built, &late.reads), ["time_results"]);
    assert_eq!((&late.stubs[..], &late.externals[..]), (&["time".to_owned()][..], &[][..]));
    assert_eq!(function(&built, "main").stubs, ["rand"], "it is a function like others");
    let time = built.program.stubs.iter().find(|stub| stub.name == "time").unwrap();
    assert_eq!(time.before, "long time(long *now) __asm__(\"bw_time\");\n");
    assert_eq!(infeasible(&built).unwrap().len(), 0);
}

#[test]
fn the_real_one_can_be_had() {
    let work = tempfile::tempdir().unwrap();
    let surroundings = Surroundings { real: vec!["time".into()], ..Surroundings::default() };
    let units = units(&[CLOCKED], &work);
    let built = build_with_stubs(&units, surroundings, &Clang::default(), work.path()).unwrap();
    assert_eq!(function(&built, "late").externals, ["time"]);
    assert_eq!(function(&built, "main").stubs, ["rand"]);
}

/// Without a failing allocator the optimiser drops memory that nobody looks at, and with it the question whether it is
/// there.
#[test]
fn an_allocation_may_fail_if_asked_for() {
    const SOURCE: &str = "#include <stdlib.h>\n\
        int take(void) { void *p = malloc(4); if (!p) return 1; free(p); return 0; }\n";
    let work = tempfile::tempdir().unwrap();
    let units = units(&[SOURCE], &work);
    let surroundings = Surroundings { fail_alloc: true, ..Surroundings::default() };
    let built = build_with_stubs(&units, surroundings, &Clang::default(), work.path()).unwrap();
    let take = function(&built, "take");
    assert_eq!(names(&built, &take.reads), ["alloc_fails_at"]);
    assert_eq!(take.stubs, ["malloc"]);
    assert_eq!(infeasible(&built).unwrap().len(), 0);
}

/// A program's own function of that name, in whatever unit, is no question to the machine.
#[test]
fn own_functions_are_not_replaced() {
    let (built, _work) = built(&[
        "long time(long *t); int late(void) { return time(0) > 5; }",
        "long time(long *t) { return t ? *t : 7; } int access(int a) { return a; }\n\
         int f(void) { return access(3); }",
    ]);
    assert!(built.program.stubs.is_empty(), "{:?}", built.program.stubs);
}

/// What one unit declares in another way stays real for all.
#[test]
fn units_agree_about_what_is_replaced() {
    let (built, _work) = built(&[
        "long time(long *t); int rand(void); int late(void) { return time(0) > rand(); }",
        "int time(void *t); int early(void) { return time(0) < 5; }",
    ]);
    assert_eq!(function(&built, "late").stubs, ["rand"]);
    assert_eq!(function(&built, "late").externals, ["time"]);
    assert_eq!(function(&built, "early").externals, ["time"]);
}
