//! `branchwise cc` in the place of a C compiler: builds go as with clang, and the programs carry their bitcode.

use crate::support::{Desk, Ended, PATIENCE, run};
use c_frontend::bundle::{self, Bundle, BundleError};
use c_frontend::{Clang, SourceUnit, build, build_bundle};
use model::Program;
use std::path::{Path, PathBuf};
use std::process::Command;

const OURS: &str = concat!(env!("CARGO_BIN_EXE_branchwise"), " cc");
const PLAIN: &str = "clang-19";

const MAIN: &str = "#include <math.h>
#include <stdio.h>
#include \"parts.h\"
int main(int argc, char **argv)
{
    printf(\"%d %d %.3f\\n\", used(argc), shared(argc), sqrt(argc + 1));
    return argc > 2 ? FLAG : 0;
}
";
const PARTS: &str = "int used(int a);\nint shared(int a);\nint unused(int a);\n";
const USED: &str = "#include \"parts.h\"
static int limit = 40;
int used(int a) { return a > limit ? limit : a + 1; }
";
const UNUSED: &str = "#include \"parts.h\"\nint unused(int a) { return a == 3 || a == 5; }\n";
const SHARED: &str = "#include \"../parts.h\"
int shared(int a) { return a > 0 && a < 100 ? 12 : -1; }
";
const MAKEFILE: &str = "CFLAGS = -O2 -g -Wall -Werror -DFLAG=5 -MMD
prog: main.o libparts.a lib/libshared.so
\t$(CC) -o $@ main.o -L. -Llib -lparts -lshared -lm -Wl,-rpath,'$$ORIGIN/lib'
libparts.a: used.o unused.o
\t$(AR) rcs $@ $^
lib/libshared.so: lib/shared.o
\tcd lib && $(CC) -shared -o libshared.so shared.o -Wl,-soname,libshared.so
lib/shared.o: lib/shared.c
\tcd lib && $(CC) $(CFLAGS) -fPIC -c shared.c
";

/// A folder with the sources of a program made of an object, an archive and a shared object.
fn project(desk: &Desk, folder: &str) -> PathBuf {
    for (name, text) in [
        ("main.c", MAIN),
        ("parts.h", PARTS),
        ("used.c", USED),
        ("unused.c", UNUSED),
        ("lib/shared.c", SHARED),
        ("Makefile", MAKEFILE),
    ] {
        desk.write(&format!("{folder}/{name}"), text);
    }
    desk.path(folder).canonicalize().expect("a folder")
}

fn make(folder: &Path, cc: &str) -> Ended {
    let cc = format!("CC={cc}");
    crate::support::make(folder, &[cc.as_str(), "-j4"]).expect(0)
}

fn shell(folder: &Path, cc: &str, script: &str) -> Ended {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder).env("CC", cc).env("LC_ALL", "C");
    run(&mut command, PATIENCE)
}

/// The sources of a bundle, relative to a folder, in order.
fn sources(bundle: &Bundle, folder: &Path) -> Vec<String> {
    let names = bundle.units.iter().map(|unit| unit.source.strip_prefix(folder).expect("below the folder"));
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_program_of_make_runs_as_ever_and_carries_what_was_linked_in() {
    let desk = Desk::new();
    let (plain, ours) = (project(&desk, "plain"), project(&desk, "ours"));
    make(&plain, PLAIN);
    make(&ours, OURS);
    let outputs = [&plain, &ours].map(|folder| shell(folder, PLAIN, "./prog; ./prog a b; echo $?").stdout);
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], "2 12 1.414\n4 12 2.000\n5\n");

    let bundle = bundle::read(&ours.join("prog")).expect("bitcode");
    assert_eq!(sources(&bundle, &ours), ["lib/shared.c", "main.c", "used.c"]);
    assert_eq!(bundle.missing, []);
    let main = bundle.units.iter().find(|unit| unit.source.ends_with("main.c")).expect("main.c");
    assert_eq!(main.directory, ours);
    assert_eq!(main.flags, ["-Wall", "-DFLAG=5"]);
    assert!(bundle.link_flags.contains(&"-lm".to_owned()), "{:?}", bundle.link_flags);
    assert!(!bundle.link_flags.contains(&"-lshared".to_owned()), "{:?}", bundle.link_flags);
    assert_eq!(goals(&bundle, &desk), 2 + 2 + 4);
}

/// Builds a bundle, compares its model with that of the sources, and counts the goals.
fn goals(bundle: &Bundle, desk: &Desk) -> usize {
    let folder = |name: &str| {
        let path = desk.path(name);
        std::fs::create_dir_all(&path).expect("a folder");
        path
    };
    let built = build_bundle(bundle, &Clang::default(), &folder("from-bitcode")).expect("a build");
    let mut units: Vec<SourceUnit> = bundle.units.iter().map(bundle::BundledUnit::to_source).collect();
    units[0].flags.extend(bundle.link_flags.iter().cloned());
    let expected = build(&units, &Clang::default(), &folder("from-source")).expect("a build").program;
    assert_same(&built.program, &expected);
    built.program.functions.iter().flat_map(|f| f.goals()).count()
}

fn assert_same(one: &Program, other: &Program) {
    assert_eq!(one.files, other.files);
    assert_eq!(one.undefined, other.undefined);
    assert_eq!(one.functions, other.functions);
    assert!(one == other, "globals or types differ");
}

/// What configure scripts and build systems ask of a compiler. Every step prints what it made.
const QUESTIONS: &[&str] = &[
    "$CC --version",
    "$CC -dumpmachine",
    "$CC -print-prog-name=ld",
    "$CC",
    "$CC -c absent.c",
    "$CC -E -DX=4 one.c | tail -3",
    "$CC -S -O1 -o - two.c",
    "$CC -M one.c",
    "$CC -fsyntax-only -Wall warns.c",
    "$CC -c -Wall warns.c && ls warns.o",
    "$CC -c wrong.c; ls wrong.o",
    "$CC -c one.c -o made.o -MMD -MF made.d && cat made.d",
    "$CC -c one.c -MMD -Wp,-MMD,other.d && cat other.d; ls",
    "$CC -c one.c two.c && $CC one.o two.o -o together && ./together",
    "$CC one.c two.c -o both && ./both; rm both",
    "$CC one.c two.c && ./a.out && ls",
    "mkdir -p sub/deep && cd sub/deep && $CC -I ../.. -c ../../two.c ../../one.c && $CC *.o && ./a.out && ls",
    "printf '%s\\n' '-DX=\"7\" -c' \"'one.c' -o from-file.o\" > args && $CC @args && $CC from-file.o two.c && ./a.out",
    "echo 'int main(void) { return 3; }' | $CC -x c - -o piped; ./piped; echo $?",
    "cp two.c two.text && $CC one.c -x c two.text -o named && ./named",
    "cp two.c -odd.c && $CC one.c ./-odd.c && ./a.out",
    "$CC one.c -o /dev/null two.c; ls -l /dev/null | cut -c1",
    "echo '.globl two\ntwo: movl $9, %eax\nret\n.section .note.GNU-stack' > two.s && $CC one.c two.s && ./a.out",
    "$CC -shared -fPIC two.c -o libtwo.so && $CC one.c -L. -ltwo -Wl,-rpath,$PWD && ./a.out",
    "$CC -static one.c two.c && ./a.out",
    "$CC -r -nostdlib one.c -o r1.o && ld -r r1.o -o r2.o && $CC r2.o two.c && ./a.out && rm -f r1.o r2.o",
    "$CC -O3 -g3 -flto=thin -c two.c && $CC -flto=thin one.c two.o && ./a.out",
    "$CC -Wl,--gc-sections -ffunction-sections one.c two.c -s && ./a.out",
    "$CC -save-temps=obj -c two.c -o saved.o && ls saved* two*",
    "$CC one.c two.c -o nowhere/prog 2>/dev/null; echo $?",
];

#[test]
fn questions_of_configure_scripts_are_answered_as_by_clang() {
    let desk = Desk::new();
    for (number, question) in QUESTIONS.iter().enumerate() {
        // The folders have names of the same length and the shell says `here` for both.
        let answers = [PLAIN, OURS].map(|cc| {
            let folder = desk.path(format!("question{number}/here"));
            let _ = std::fs::remove_dir_all(&folder);
            for (name, text) in [
                ("one.c", "#include <stdio.h>\n#ifndef X\n#define X 1\n#endif\nint two(void);\nint main(void) { printf(\"%d\\n\", X + two()); return 0; }\n"),
                ("two.c", "int two(void) { return 2; }\n"),
                ("warns.c", "int warns(void) { int unused; return 2; }\n"),
                ("wrong.c", "int wrong(void) { return }\n"),
            ] {
                desk.write(&format!("question{number}/here/{name}"), text);
            }
            let ended = shell(&folder, cc, question);
            let mut files: Vec<PathBuf> = crate::support::tree(&folder).into_keys().collect();
            files.sort();
            (ended.code, ended.stdout, ended.stderr, files)
        });
        assert_eq!(answers[0], answers[1], "{question}");
    }
}

#[test]
fn records_survive_partial_links_and_strip() {
    let desk = Desk::new();
    let folder = project(&desk, "p");
    let script = "$CC -DFLAG=1 -c main.c used.c unused.c && (cd lib && $CC -c shared.c) &&
        ld -r main.o used.o -o half.o && $CC half.o lib/shared.o -lm -o prog && strip prog && ./prog";
    assert_eq!(shell(&folder, OURS, script).expect(0).stdout, "2 12 1.414\n");
    let bundle = bundle::read(&folder.join("prog")).expect("bitcode");
    assert_eq!(sources(&bundle, &folder), ["lib/shared.c", "main.c", "used.c"]);
    assert_eq!(bundle.link_flags, ["-lm"]);
}

/// gcc knows nested functions, clang does not.
#[test]
fn a_file_without_bitcode_is_named_and_linked_as_it_is() {
    let desk = Desk::new();
    let folder = desk.path("nested");
    desk.write(
        "nested/main.c",
        "int nested(int a);\nint main(int argc, char **argv) { return nested(argc) > 5; }\n",
    );
    desk.write("nested/nested.c", "int nested(int a) { int add(int b) { return a + b; } return add(4); }\n");
    let script = "BRANCHWISE_CC_REAL=gcc && export BRANCHWISE_CC_REAL && $CC -fPIC -c nested.c && $CC main.c nested.o -o prog && ./prog";
    shell(&folder, OURS, script).expect(0);
    let folder = folder.canonicalize().expect("a folder");
    let bundle = bundle::read(&folder.join("prog")).expect("bitcode");
    assert_eq!(sources(&bundle, &folder), ["main.c"]);
    let [(source, why)] = &bundle.missing[..] else { panic!("{:?}", bundle.missing) };
    assert_eq!(source, &folder.join("nested.c"));
    assert!(why.contains("function definition is not allowed here"), "{why}");
    assert_eq!(bundle.link_flags, [folder.join("nested.o").to_string_lossy()]);
    assert_eq!(goals(&bundle, &desk), 0);
    let built = build_bundle(&bundle, &Clang::default(), &desk.path("from-bitcode")).expect("a build");
    assert_eq!(built.program.undefined, [""; 0]);
}

#[test]
fn what_carries_nothing_is_told_apart() {
    let desk = Desk::new();
    let folder = project(&desk, "p");
    let script = |cc, name| {
        let script = format!("$CC -DFLAG=1 main.c used.c lib/shared.c -lm -o {name}");
        shell(&folder, cc, &script).expect(0);
        folder.join(name)
    };
    let text = bundle::read(&folder.join("main.c"));
    assert!(matches!(text, Err(BundleError::NotElf(_))), "{text:?}");
    let absent = bundle::read(&folder.join("absent"));
    assert!(matches!(absent, Err(BundleError::Unreadable { .. })), "{absent:?}");
    let plain = bundle::read(&script(PLAIN, "plain")).expect_err("nothing");
    assert!(matches!(plain, BundleError::NoBitcode(_)) && plain.to_string().contains("CC=\"branchwise cc\""));

    let ours = script(OURS, "ours");
    let mut bytes = std::fs::read(&ours).expect("a program");
    let magic = bytes.windows(8).position(|window| window == b"BRNCHWSE").expect("a record");
    bytes[magic + 8] += 1;
    std::fs::write(&ours, &bytes).expect("a program");
    let other = bundle::read(&ours);
    assert!(matches!(other, Err(BundleError::OtherVersion { found: 2, known: 1, .. })), "{other:?}");
    bytes[magic] = b'X';
    std::fs::write(&ours, &bytes).expect("a program");
    let damaged = bundle::read(&ours);
    assert!(matches!(damaged, Err(BundleError::Damaged(_))), "{damaged:?}");
}

#[test]
fn a_project_of_cmake_builds() {
    let desk = Desk::new();
    let folder = project(&desk, "p");
    let lists = "cmake_minimum_required(VERSION 3.13)
project(Parts C)
add_library(parts STATIC used.c unused.c)
add_library(shared SHARED lib/shared.c)
add_executable(prog main.c)
target_compile_definitions(prog PRIVATE FLAG=5)
target_link_libraries(prog parts shared m)
";
    desk.write("p/CMakeLists.txt", lists);
    let script =
        "env -u MAKEFLAGS -u MAKELEVEL sh -c 'cmake -S . -B build && cmake --build build -j 4' && build/prog";
    let built = shell(&folder, OURS, script).expect(0);
    assert!(built.stdout.ends_with("\n2 12 1.414\n"), "{}", built.stdout);
    let bundle = bundle::read(&folder.join("build/prog")).expect("bitcode");
    assert_eq!(sources(&bundle, &folder), ["lib/shared.c", "main.c", "used.c"]);
    assert_eq!(goals(&bundle, &desk), 2 + 2 + 4);
}

/// The questions of autoconf in a script of a few lines: does it compile, link, run, warn; what is where; how large.
const CONFIGURE: &str = r###"#!/bin/sh
: > config.h
ask() { printf '%s\n' "$2" > conftest.c; shift 2; "$@" > conftest.log 2>&1; status=$?; rm -f conftest*; return $status; }
answer() { if [ $? = 0 ]; then echo "#define $1 1" >> config.h; else echo "/* no $1 */" >> config.h; fi; }
ask compiles 'int main(void) { return 0; }' $CC conftest.c -o conftest; answer HAVE_COMPILER
ask header '#include <regex.h>' $CC -c conftest.c; answer HAVE_REGEX_H
ask header '#include <no/such.h>' $CC -E conftest.c; answer HAVE_SUCH_H
ask function 'char strlcpy(void); int main(void) { return strlcpy(); }' $CC conftest.c -o conftest; answer HAVE_STRLCPY
ask function 'char mempcpy(void); int main(void) { return mempcpy(); }' $CC -fno-builtin conftest.c -o conftest; answer HAVE_MEMPCPY
ask library 'char cos(void); int main(void) { return cos(); }' $CC -fno-builtin conftest.c -o conftest -lm; answer HAVE_LIBM
ask flag 'int x;' $CC -Werror -Wno-such-flag -c conftest.c; answer HAVE_FLAG
ask error 'int main(void) { return undeclared; }' $CC -c conftest.c; answer HAVE_UNDECLARED
ask size 'static int a[1 - 2 * (sizeof(long) != 8)]; int main(void) { return a[0]; }' $CC -c conftest.c; answer LONG_IS_8
ask runs 'int main(void) { return sizeof(short) != 2; }' sh -c '$CC conftest.c -o conftest && ./conftest'; answer RUNS
ask depends '#include <stddef.h>' sh -c '$CC -MT x.o -MD -MP -MF conftest.d -c conftest.c && grep -q stddef conftest.d'; answer DEPENDS
ask visibility 'int f(void) __attribute__((visibility("hidden")));' sh -c '$CC -fPIC -c conftest.c && nm conftest.o'; answer VISIBLE
"###;

#[test]
fn a_configure_script_comes_to_the_same_answers() {
    let desk = Desk::new();
    let answers = [("plain", PLAIN), ("ours", OURS)].map(|(folder, cc)| {
        desk.write(&format!("{folder}/configure"), CONFIGURE);
        let folder = desk.path(folder);
        shell(&folder, cc, "sh ./configure").expect(0);
        let left = crate::support::tree(&folder);
        assert_eq!(left.len(), 2, "only the script and its result are left: {:?}", left.keys());
        String::from_utf8_lossy(&left[Path::new("config.h")]).into_owned()
    });
    assert_eq!(answers[0], answers[1]);
    for yes in ["COMPILER", "REGEX_H", "MEMPCPY", "LIBM"] {
        assert!(answers[1].contains(&format!("#define HAVE_{yes} 1")), "{}", answers[1]);
    }
    assert_eq!(answers[1].matches("/* no ").count(), 4, "{}", answers[1]);
}

/// What a user's build may do with headers that we bring: they are there, and behind the user's own.
#[test]
fn headers_of_harnesses_are_found_behind_those_of_the_user() {
    let desk = Desk::new();
    desk.write("h/one.c", "#include <branchwise.h>\n#include <klee/klee.h>\nint main(void) { return 0; }\n");
    desk.write("h/two.c", "#include <crest.h>\nint main(void) { return OWN; }\n");
    desk.write("h/include/crest.h", "#define OWN 7\n");
    let script = "$CC one.c -o one && ./one && $CC -Iinclude two.c -o two; ./two; echo $?";
    assert_eq!(shell(&desk.path("h"), OURS, script).expect(0).stdout, "7\n");
    assert_eq!(bundle::read(&desk.path("h/one")).expect("bitcode").missing, []);
}
