//! A suite of two units: a function of a shared header, two static functions of one name, a test that runs code of
//! the other unit, a macro used twice inside another.

use crate::claims::{branch, function, place, summary};
use judge::{Tools, check};
use report::Summary;

const SHARED: &str = "\
#define POSITIVE(x) ((x) > 0)
#define EITHER(x, y) (POSITIVE(x) || POSITIVE(y))
static inline int sign(int x) { return x < 0 ? -1 : 1; }
int called(int x);
";
const ONE: &str = "\
#include \"shared.h\"
static int same(int a) { return a == 1 ? 5 : 6; }
int caller(int a) { return called(a) + sign(a) + same(a); }
";
const TWO: &str = "\
#include \"shared.h\"
static int same(int b) { return b == 2 ? 7 : 8; }
int called(int x) { return EITHER(x, x + 2) ? same(x) : 0; }
";
const TEST_ONE: &str = "\
#include <stdio.h>
#include <string.h>
#include \"one.c\"
int main(void) { int bad = caller(-1) != 8 - 1 + 6; printf(\"%d passed, %d failed\\n\", !bad, bad); return bad; }
";
const TEST_TWO: &str = "\
#include <stdio.h>
#include \"two.c\"
int main(void) { int bad = sign(4) != 1; printf(\"%d passed, %d failed\\n\", !bad, bad); return bad; }
";
const MAKEFILE: &str = "\
OUT ?= .
build: $(OUT)/test_one $(OUT)/test_two
$(OUT)/test_one: test_one.c two.c
\t$(CC) $(CFLAGS) -o $@ test_one.c two.c $(LDFLAGS) $(LDLIBS)
$(OUT)/test_two: test_two.c
\t$(CC) $(CFLAGS) -o $@ test_two.c $(LDFLAGS) $(LDLIBS)
";

/// `caller(-1)` runs in `test_one`, `sign(4)` in `test_two`.
fn right() -> Summary {
    let (caller, sign): (&[&str], &[&str]) = (&["caller_runs"], &["sign_runs"]);
    let one = |text| place("one.c", ONE, text, 0);
    let two = |text| place("two.c", TWO, text, 0);
    let shared = |text| place("shared.h", SHARED, text, 0);
    let either = || Some(two("EITHER"));
    let called = [
        branch(0, shared("((x) > 0)"), either(), [&[], caller]),
        branch(1, shared("((x) > 0)"), either(), [caller, &[]]),
    ];
    summary(
        &["one", "two"],
        vec![
            function("same", &one("static"), branch(0, one("a == 1"), None, [&[], caller]).to_vec(), &[]),
            function("caller", &one("int caller"), vec![], &[("caller_runs", false)]),
            function("same", &two("static"), branch(0, two("b == 2"), None, [&[], caller]).to_vec(), &[]),
            function("called", &two("int called"), called.concat(), &[]),
            function(
                "sign",
                &shared("static"),
                branch(0, shared("x < 0"), None, [caller, sign]).to_vec(),
                &[("sign_runs", false)],
            ),
        ],
    )
}

fn differences(claims: &Summary) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let files = [("shared.h", SHARED), ("one.c", ONE), ("two.c", TWO), ("test_one.c", TEST_ONE)];
    for (name, text) in files.into_iter().chain([("test_two.c", TEST_TWO), ("Makefile", MAKEFILE)]) {
        std::fs::write(dir.path().join(name), text).expect("scratch is writable");
    }
    std::fs::write(dir.path().join("summary.json"), claims.to_json()).expect("scratch is writable");
    let verdict = check(dir.path(), &Tools::default()).expect("a verdict");
    assert_eq!(verdict.passed, 2);
    verdict.differences.iter().map(ToString::to_string).collect()
}

#[test]
fn counts_add_up_over_the_binaries() {
    assert_eq!(differences(&right()), Vec::<String>::new());
}

#[test]
fn uses_of_a_macro_inside_a_macro_are_told_apart_by_their_order() {
    let mut claims = right();
    let (head, tail) = claims.functions[3].goals.split_at_mut(2);
    std::mem::swap(&mut head[0].tests, &mut tail[0].tests);
    std::mem::swap(&mut head[0].state, &mut tail[0].state);
    assert_eq!(
        differences(&claims),
        [
            "two.c:3:28 called true: claimed covered by caller_runs; llvm-cov counts 0",
            "two.c:3:28 called true: claimed unknown; llvm-cov counts 1",
        ]
    );
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_file() {
    let mut claims = right();
    claims.functions[2].goals[1].tests.clear();
    claims.functions[2].goals[1].state = report::State::Unknown;
    assert_eq!(differences(&claims), ["two.c:2:33 same false: claimed unknown; llvm-cov counts 1"]);
}
