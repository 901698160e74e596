//! Twins do what the functions do, and the terms they leave behind say what was computed.

#[path = "support/twins/mod.rs"]
mod twins;

use expr::{Script, Tape, Terms};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use target::{Approximation, Outcome};
use twins::{Builds, Tally};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c");
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    all.sort();
    all
}

#[test]
fn twins_of_the_fixtures_do_what_the_functions_do() {
    let mut tally = Tally::default();
    for path in fixtures() {
        let done = Builds::of(&path).load().compare(60);
        tally.add(&done.unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    }
    assert!(tally.decisions > 10_000, "{tally:?}");
}

#[test]
fn twins_of_random_functions_do_what_the_functions_do() {
    let (tally, complaints) = twins::random::check_all(0..10);
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert!(tally.decisions > 10_000 && tally.forced > 1_000 && tally.faults > 100, "{tally:?}");
}

/// Compares the functions of a text with their twins, and `on0` with a plain build.
fn compare(text: &str) -> Tally {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.c");
    std::fs::write(&path, text).unwrap();
    let plain = twins::plain::run(&path, &["on0".to_owned()], &[0, 1, 3, 77, u64::MAX]);
    let builds = Builds::of(&path);
    let mut loaded = builds.load();
    let tally = loaded.compare(40).unwrap_or_else(|e| panic!("{e}"));
    loaded.compare_plain(&plain).unwrap_or_else(|e| panic!("{e}"));
    tally
}

/// Clang lists unused functions, and the list names records that the build removes.
#[test]
fn a_function_that_nobody_uses_does_no_harm() {
    compare(
        "static int unused(int a) { return a > 3; }\nunsigned long on0(unsigned long n) { return n > 7; }\n",
    );
}

/// A variable that is not always set: the optimiser would give it the value that it sometimes has.
#[test]
fn values_that_nobody_gave_are_zero() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.c");
    let text = "unsigned long on0(unsigned long n)
                {
                    unsigned long given;
                    if (n > 5) given = n * 3;
                    return given;
                }
";
    std::fs::write(&path, text).unwrap();
    let expected = [(3, 0), (6, 18)].map(|(n, result)| (("on0".to_owned(), n), Ok(result)));
    let builds = Builds::of(&path);
    builds.load().compare_plain(&HashMap::from(expected)).unwrap_or_else(|e| panic!("{e}"));
}

/// What a register happened to hold stood in a term of `strstr` (110); a cell hit by a store at an address of the input
/// had another term than before (38); a division that nobody needs faulted in one build only (174).
#[test]
fn random_functions_that_were_wrong_once() {
    for seed in [38, 110, 174] {
        twins::random::check(seed).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Names of registers are operands that are no values.
#[test]
fn operands_that_are_no_values_are_left_alone() {
    compare(
        "register unsigned long stack asm(\"rsp\");
         unsigned long on0(unsigned long n) { return (stack != 0) + (n > 4); }
",
    );
}

/// The cell that a store at an address of the input hits kept its old term only in bytes.
#[test]
fn a_cell_that_may_be_overwritten_keeps_its_term() {
    let tally = compare(
        "int cells[4];
         unsigned long on0(unsigned long n)
         {
             int x = (int)n;
             for (unsigned i = 0; i < 4; i++) cells[i] = (x + (int)i) << 1;
             cells[n >> 40 & 3] = 5;
             unsigned long s = 0;
             for (unsigned i = 0; i < 4; i++) s += cells[i] * 3 > 700 ? 1 : 2;
             return s;
         }
",
    );
    assert!(tally.forced > 10, "{tally:?}");
}

/// The area of saved registers may lie where an earlier function had numbers that depended on the input.
#[test]
fn arguments_behind_an_ellipsis_have_their_own_shadows() {
    let tally = compare(
        "#include <stdarg.h>
         struct big { long a, b, c; };
         static long sum(int n, ...)
         {
             va_list list, again;
             long s = 0;
             va_start(list, n);
             va_copy(again, list);
             while (n-- > 0)
                 s += va_arg(list, long) > 5 ? 1 : 2;
             s += va_arg(list, double) > 2;
             s += va_arg(list, struct big).c == 9;
             va_end(list);
             s += va_arg(again, long) == 4;
             va_end(again);
             return s;
         }
         static long leave(long n)
         {
             volatile long numbers[40];
             for (int i = 0; i < 40; i++)
                 numbers[i] = n + i;
             return numbers[n & 31];
         }
         unsigned long on0(unsigned long n)
         {
             struct big b = {1, 2, n};
             long s = leave(n);
             return s + sum(7, 1L, n, 3L, 4L, n, 6L, n / 2, (double)n, b) + sum(1, 4L, 1.0, b);
         }\n",
    );
    assert!(tally.forced > 0, "{tally:?}");
}

/// LLVM would call the result of such shifts anything.
#[test]
fn shifts_by_a_constant_beyond_the_width_are_defined() {
    compare(
        "static long by(long n, int amount) { return n >> amount; }
         unsigned long on0(unsigned long n)
         {
             long big = (long)n >> (int)(-1), wide = (long)n << (int)(65);
             return (big > 0) + 2 * (wide > 100) + by(n, 70);
         }\n",
    );
}

/// The optimiser computes 1 / n without dividing, and drops what nobody needs.
#[test]
fn divisions_by_zero_fault_whatever_the_optimiser_knows() {
    let tally = compare(
        "int needless(int a, int b) { int unused = a / b; return b == 0 ? 5 : 6; }
         int of_one(int b) { return 1 / b > 0; }
         unsigned long on0(unsigned long n) { return (_Bool)2 / (_Bool)(n >> 1); }\n",
    );
    assert!(tally.faults > 0, "{tally:?}");
}

/// `__int128` comes in two registers, or on the stack; whatever stands behind it keeps its place.
#[test]
fn integers_of_128_bits_are_arguments_like_others() {
    let tally = compare(
        "struct small { signed char c; unsigned short s; int i; };
         int split(int *p, __int128 wide, float f, _Bool truth, struct small s)
         {
             return (wide >> 100 == 3) + truth * 2 + (s.s == 9 ? 4 : f > 1);
         }
         int stacked(long a, long b, long c, long d, long e, __int128 wide, _Bool truth)
         {
             return wide < a + b + c + d + e ? truth : 2;
         }
         unsigned long on0(unsigned long n)
         {
             struct small s = {1, n, 3};
             __int128 wide = (__int128)n << 70;
             return split(0, wide, 2, n & 1, s) + stacked(1, 2, 3, 4, n, wide, 1);
         }\n",
    );
    assert!(tally.functions == 3 && tally.forced > 10, "{tally:?}");
}

/// A string that is looked for may depend on the input, and so does its end: the path says so.
#[test]
fn the_length_of_a_needle_is_part_of_the_path() {
    let tally = compare(
        "#include <string.h>
         char text[6] = \"ababc\", part[4] = \"bc\";
         unsigned long on0(unsigned long n)
         {
             text[5] = part[3] = 0;
             return strstr(text, part) ? n > 9 : n > 6;
         }\n",
    );
    assert!(tally.lost.is_empty() && tally.forced > 0, "{tally:?}");
}

/// Words are cut, numbers read and formats scanned by models whose terms say what was computed.
#[test]
fn words_and_numbers_in_texts_leave_terms() {
    let tally = compare(
        "#include <stdio.h>
         #include <stdlib.h>
         #include <string.h>
         char line[8] = \"ab,3 5\", *rest;
         int cut(int n)
         {
             char *word, *at = line;
             int words = 0;
             line[7] = 0;
             if (n & 1)
                 for (word = strtok(line, \", \"); word; word = strtok(NULL, \", \"))
                     words += strcmp(word, \"ab\") == 0 ? 10 : 1;
             else
                 while ((word = strsep(&at, \",\")) != NULL)
                     words++;
             return words > 11 ? 1 : words == 3;
         }
         int real(void)
         {
             char *end;
             line[7] = 0;
             double value = strtod(line, &end);
             return end == line ? 0 : value == 2.5 ? 2 : *end == 's';
         }
         int scanned(void)
         {
             int major = 0, minor = 0;
             char unit[4];
             line[7] = 0;
             switch (sscanf(line, \"%d.%2d%3[a-c]\", &major, &minor, unit)) {
             case 3: return unit[0] == 'b' ? 3 : 4;
             case 2: return major == 2 && minor == 14;
             default: return -1;
             }
         }
         unsigned long on0(unsigned long n) { return cut((int)n) + real() + scanned(); }\n",
    );
    // The compiler makes a switch of how a format goes on, and what it asks is taken as a number.
    assert!(tally.lost.keys().all(|what| *what == Approximation::Switch), "{tally:?}");
    assert!(tally.forced > 40, "{tally:?}");
}

/// The macros of <ctype.h> look characters up in tables of the library.
#[test]
fn classes_of_characters_lose_nothing() {
    let tally = compare(
        "#include <ctype.h>
         int kind(unsigned char c)
         {
             if (isspace(c)) return 1;
             if (isdigit(c) || c == '_') return 2;
             if (isupper(c)) return tolower(c) == 'q' ? 3 : 4;
             return ispunct(c) ? 5 : isalpha(c) ? 6 : 7;
         }
         unsigned long on0(unsigned long n) { return kind((unsigned char)n) * 10 + kind(n >> 8 & 0xff); }\n",
    );
    assert!(tally.lost.is_empty() && tally.forced > 20, "{tally:?}");
}

/// How many bytes are copied is told as a loss, and nothing else is: conditions on the number behind the copy are there.
#[test]
fn lengths_of_copies_stay_open() {
    let tally = compare(
        "#include <string.h>
         unsigned char data[16], copy[16];
         int copied(unsigned n)
         {
             if (n > 16) return -1;
             memcpy(copy, data, n);
             memset(data, 7, n);
             return n == 11 ? 1 : n > 13 ? 2 : 0;
         }
         unsigned long on0(unsigned long n) { return copied(n % 20); }\n",
    );
    assert!(tally.lost.keys().eq([&Approximation::Extent]) && tally.decisions > 300, "{tally:?}");
}

/// Where bytes are copied from, and to, may depend on the input.
#[test]
fn addresses_of_copies_are_part_of_the_path() {
    let tally = compare(
        "#include <string.h>
         unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
         int moved(unsigned n)
         {
             memmove(data, data + n % 4, 4);
             return data[1] == 3 ? 1 : n > 100;
         }
         int set(unsigned n)
         {
             memset(data + n % 4, 9, 2);
             return data[1] == 3 ? 1 : n > 100;
         }
         unsigned long on0(unsigned long n) { return moved(n) + set(n); }\n",
    );
    assert!(tally.forced > 5 && tally.lost.contains_key(&Approximation::Address), "{tally:?}");
}

#[test]
fn square_roots_and_signs_lose_nothing() {
    let tally = compare(
        "#include <math.h>
         int root(double x, float y) { return sqrt(x) > 3 ? sqrtf(y) == 2 : copysign(x, y) < -1; }
         unsigned long on0(unsigned long n) { return root((double)n, 4); }\n",
    );
    let lost = |what: &&Approximation| !matches!(what, Approximation::Address);
    assert_eq!(tally.lost.keys().find(lost), None);
}

/// Every cell of a small object has the new value or keeps its own; so have blocks of the heap and wide numbers.
#[test]
fn stores_at_addresses_of_the_input_lose_nothing() {
    let tally = compare(
        "#include <stdlib.h>
         unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
         int stored(unsigned n, unsigned char v)
         {
             data[n % 8] = v;
             return data[3] == 77 ? 1 : 2;
         }
         int local(unsigned n, int v)
         {
             int a[6] = {5, 4, 3, 2, 1, 0};
             a[n % 6] = 9;
             a[v & 3] += 100;
             return a[2] == 109 ? 1 : a[5] == 9 ? 3 : 2;
         }
         int heap(unsigned n, long v)
         {
             long *a = malloc(5 * sizeof *a);
             for (int i = 0; i < 5; i++)
                 a[i] = i;
             a[n % 5] = v;
             int r = a[4] == 1234567 ? 1 : 2;
             a = realloc(a, 7 * sizeof *a);
             a[5] = 3; a[6] = 4;
             if (a[(n + 1) % 7] == 3)
                 r += 10;
             free(a);
             return r;
         }
         __int128 wides[4] = {1, -5, 3, 4};
         int wide(unsigned n, unsigned m)
         {
             wides[m % 4] = (__int128)n << 65;
             return wides[n % 4] == -5 ? 1 : wides[n % 4] == (__int128)6 << 65 ? 4 : 2;
         }
         unsigned long on0(unsigned long n) { return stored(n, 77) + local(n, n >> 3) + heap(n, 1234567) + wide(n, 1); }\n",
    );
    assert!(tally.lost.is_empty() && tally.forced > 40, "{tally:?}");
}

/// A large object is not worth a choice for each of its cells: the address is pinned and counted.
#[test]
fn stores_into_large_objects_are_pinned() {
    let tally = compare(
        "char large[4096];
         int stored(unsigned n)
         {
             large[n % 4096] = 5;
             return large[77] == 5 ? 1 : n > 100;
         }
         unsigned long on0(unsigned long n) { return stored(n); }\n",
    );
    assert!(tally.lost.contains_key(&Approximation::Address) && tally.forced > 0, "{tally:?}");
}

/// Of 128 bits there is no twice the width to compute in.
#[test]
fn wide_overflow_and_rotations_lose_nothing() {
    let tally = compare(
        "int sadd(__int128 a, __int128 b) { __int128 r; return __builtin_add_overflow(a, b, &r) ? 1 : r == 5; }
         int ssub(__int128 a, __int128 b) { __int128 r; return __builtin_sub_overflow(a, b, &r) ? 1 : r == 5; }
         int smul(__int128 a, __int128 b) { __int128 r; return __builtin_mul_overflow(a, b, &r) ? 1 : r == 15; }
         int uadd(unsigned __int128 a, unsigned __int128 b) { unsigned __int128 r; return __builtin_add_overflow(a, b, &r) ? 1 : r == 5; }
         int usub(unsigned __int128 a, unsigned __int128 b) { unsigned __int128 r; return __builtin_sub_overflow(a, b, &r) ? 1 : r == 5; }
         int umul(unsigned __int128 a, unsigned __int128 b) { unsigned __int128 r; return __builtin_mul_overflow(a, b, &r) ? 1 : r == 15; }
         int special(unsigned char s) {
             __int128 low = (__int128)1 << 127, r; __int128 a = (signed char)s;
             return __builtin_mul_overflow(a, low, &r) ? s == 255 ? 3 : 1 : 0; }
         int rotated(unsigned a, unsigned char by) { return __builtin_rotateleft32(a, by) == 0x1234 ? 1 : __builtin_rotateright32(a, 5) == 77; }
         int wide(unsigned long a, unsigned long by) { return __builtin_rotateleft64(a, by) == 0x1234 ? 1 : __builtin_rotateright64(a, by) == 77; }
         int small(unsigned char a, unsigned char by) { return __builtin_rotateleft8(a, by) == 0x12 ? 1 : __builtin_rotateright8(a, 3) == 77; }
         unsigned long on0(unsigned long n) { return sadd(n, -n) + smul(n, n) + rotated(n, n >> 9) + wide(n, 7) + small(n, n>>3) + special(n); }\n",
    );
    assert!(tally.lost.is_empty() && tally.forced > 100, "{tally:?}");
}

/// The path of a function of one number called `on0`.
fn trace(text: &str, number: u64) -> (Outcome, target::Path, Terms) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.c");
    std::fs::write(&path, text).unwrap();
    Builds::of(&path).load().trace("on0", number)
}

/// Every branch depends on all that was computed before: the last condition is as deep as the path is long.
#[test]
fn paths_may_be_far_longer_than_the_stack_is_deep() {
    const BRANCHES: usize = 150_000;
    let (outcome, path, terms) = trace(
        &format!(
            "unsigned long on0(unsigned long n)
             {{
                 unsigned h = n, s = 0;
                 for (unsigned i = 0; i < {BRANCHES}; i++) {{
                     h = (h ^ i) * 16777619u;
                     if (h & 64)
                         s++;
                 }}
                 return s;
             }}\n"
        ),
        7,
    );
    assert_eq!(outcome, Outcome::Returned);
    assert!(path.approximations.is_empty() && !path.cut, "{:?}", path.approximations);
    assert_eq!(path.decisions.len(), BRANCHES);
    let conditions: Vec<_> = path.decisions.iter().map(|d| d.taken.condition).collect();
    let mut tape = Tape::new(&terms, &conditions);
    tape.run(&[7]);
    assert!(conditions.iter().all(|&condition| tape.value(condition) == 1));
    let last = conditions[BRANCHES - 1];
    assert!(terms.depth(last) > BRANCHES);
    assert!(Script::new(&terms, &[last]).text.lines().count() > BRANCHES);
    assert!(terms.text(last, |_| "n".into(), 80).ends_with('…'));
}

/// What does not fit into the log any more counts as independent of the input, and the path says so.
#[test]
fn a_log_that_is_full_ends_the_path() {
    let (outcome, path, _) = trace(
        "unsigned long on0(unsigned long n)
         {
             unsigned h = n;
             if (n > 5)
                 h++;
             for (unsigned i = 0; i < 3000000; i++)
                 h = (h ^ i) * 16777619u;
             return h & 64 ? 1 : 2;
         }\n",
        7,
    );
    assert_eq!(outcome, Outcome::Returned);
    assert!(path.cut);
    assert_eq!(path.approximations.get(&Approximation::Full), Some(&1));
    assert_eq!(path.decisions.len(), 1, "only what was decided before");
}
