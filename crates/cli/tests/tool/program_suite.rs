//! The suite of a program that `branchwise cc` built: it tests that program, and can build it anew from its records.

use crate::support::Desk;
use c_frontend::bundle;
use emit::program::{ProgramBuild, ProgramSuite, formats};
use std::path::Path;
use suite::{ProgramEnd, ProgramTest};

const MAIN: &str = "#include <math.h>
#include <stdio.h>
#include \"parts.h\"
int main(int argc, char **argv)
{
    (void)argv;
    printf(\"%d %.0f\\n\", used(argc), sqrt(argc * argc));
    return argc > 2 ? FLAG : 0;
}
";
const MAKEFILE: &str = "CFLAGS = -Wall -Werror -Iinclude -DFLAG='5'
prog: main.o parts/libparts.a
\t$(CC) -o $@ main.o -Lparts -lparts -lm
parts/libparts.a: parts/used.o
\t$(AR) rcs $@ $^
parts/used.o: parts/used.c
\tcd parts && $(CC) -I../include -c used.c
";

fn tests() -> Vec<ProgramTest> {
    let test = |name: &str, arguments: &[&str], stdout: &str, status| ProgramTest {
        name: name.to_owned(),
        arguments: arguments.iter().map(|a| a.as_bytes().to_vec()).collect(),
        stdout: Some(stdout.as_bytes().to_vec()),
        end: ProgramEnd::Exited(status),
        ..ProgramTest::default()
    };
    vec![test("none", &[], "2 1\n", 0), test("two", &["a", "b c"], "4 3\n", 5)]
}

/// The suite as a run on the program would write it.
fn suite_of(program: &Path) -> ProgramSuite {
    let bundle = bundle::read(program).expect("it carries bitcode");
    let units = bundle.units.iter().zip(["one", "two"]).map(|(unit, stem)| emit::Unit {
        file: 0,
        path: unit.source.to_string_lossy().into_owned(),
        stem: stem.to_owned(),
        flags: unit.flags.clone(),
        directory: unit.directory.to_string_lossy().into_owned(),
        source: None,
    });
    let build = ProgramBuild {
        units: units.collect(),
        link_flags: bundle.link_flags.clone(),
        built: Some(program.to_string_lossy().into_owned()),
        ..ProgramBuild::default()
    };
    ProgramSuite { tests: tests(), build, producer: String::new() }
}

#[test]
fn the_program_is_tested_and_built_anew_from_what_it_carries() {
    let desk = Desk::new();
    for (name, text) in [
        ("a project/main.c", MAIN),
        ("a project/include/parts.h", "int used(int a);\n"),
        ("a project/parts/used.c", "#include <parts.h>\nint used(int a) { return a > 40 ? 40 : a + 1; }\n"),
        ("a project/Makefile", MAKEFILE),
    ] {
        desk.write(name, text);
    }
    let project = desk.path("a project").canonicalize().expect("a folder");
    let compiler = concat!("CC=", env!("CARGO_BIN_EXE_branchwise"), " cc");
    crate::support::make(&project, &[compiler]).expect(0);
    let program = project.join("prog");
    for file in formats()[0].emit(&suite_of(&program)).expect("the default takes everything") {
        desk.write(&format!("suite/{}", file.path), std::str::from_utf8(&file.contents).expect("text"));
    }
    let suite = desk.path("suite");
    let built = crate::support::make(&suite, &["check"]).expect(0);
    assert!(built.stdout.contains("\n2 passed, 0 failed\n"), "{}", built.stdout);
    assert!(!suite.join("program").exists(), "the program that is there is tested");
    std::fs::remove_file(&program).expect("removed");
    let anew = crate::support::make(&suite, &["check", "PROGRAM="]).expect(0);
    assert!(anew.stdout.contains("\n2 passed, 0 failed\n"), "{}", anew.stdout);
    let bytes = std::fs::read(suite.join("program")).expect("built from the sources");
    assert!(!bytes.windows(8).any(|at| at == b"BRNCHWSE"), "by a plain compiler");
}
