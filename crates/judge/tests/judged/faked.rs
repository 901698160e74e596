//! An exit inside a condition makes llvm-cov count an outcome that never happened: noted, not held against us.

use crate::claims::{branch, function, place, summary};
use judge::{Tools, check};

const UNIT: &str = "\
#include <stdlib.h>
static int leave(int x) { if (x == 1) exit(0); return 0; }
int decide(int x) { if (leave(x) || x > 5) return 1; return 0; }
";
const TEST: &str = "\
#include \"unit.c\"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int bad = decide(2) != 0, status = 0, death = argc < 2;
    (void)argv;
    if (death && fork() == 0) decide(1), exit(1);
    if (death) wait(&status), bad += status != 0;
    printf(\"%d passed, %d failed\\n\", 1 + death - bad, bad);
    return bad;
}
";
const MAKEFILE: &str = "\
OUT ?= .
build: $(OUT)/test_unit
$(OUT)/test_unit: test_unit.c unit.c
\t$(CC) $(CFLAGS) -o $@ test_unit.c $(LDFLAGS) $(LDLIBS)
";

#[test]
fn an_outcome_faked_by_an_exit_is_a_note() {
    let unit = |text| place("unit.c", UNIT, text, 0);
    let (returns, exits) = ("decide_returns", "decide_exits");
    let decide = [
        branch(0, unit("leave(x)"), None, [&[], &[returns]]),
        branch(1, unit("x > 5"), None, [&[], &[returns]]),
    ];
    let leave = branch(0, unit("x == 1"), None, [&[exits], &[returns]]);
    let claims = summary(
        &["unit"],
        vec![
            function("leave", &unit("static"), leave.to_vec(), &[]),
            function("decide", &unit("int decide"), decide.concat(), &[(returns, false), (exits, true)]),
        ],
    );
    let dir = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in [("unit.c", UNIT), ("test_unit.c", TEST), ("Makefile", MAKEFILE)] {
        std::fs::write(dir.path().join(name), text).expect("scratch is writable");
    }
    std::fs::write(dir.path().join("summary.json"), claims.to_json()).expect("scratch is writable");
    let verdict = check(dir.path(), &Tools::default()).expect("a verdict");
    assert!(verdict.agrees(), "{:?}", verdict.differences);
    let notes: Vec<String> = verdict.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("unit.c:3:25 decide true: claimed unknown; llvm-cov counts"), "{notes:?}");
}
