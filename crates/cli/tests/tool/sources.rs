//! Where the program comes from: flags, compilation databases, several files, folders.

use crate::support::{Desk, Ended, PATIENCE, expect_all_covered, fixture, function, run};

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen"], arguments].concat()), PATIENCE)
}

/// Needs `-DLIMIT=…` and `-I` of the folder with `unit.h`.
const NEEDS_FLAGS: &str = "#include \"unit.h\"\nint over(unit a) { return a > LIMIT ? 1 : 0; }\n";
const UNIT_H: &str = "typedef int unit;\n";

#[test]
fn flags_after_two_dashes() {
    let desk = Desk::new();
    desk.write("src/over.c", NEEDS_FLAGS);
    desk.write("inc/unit.h", UNIT_H);
    generate(&desk, &["src/over.c", "--out", "none"]).expect(2).complains(&["'unit.h' file not found"]);
    generate(&desk, &["src/over.c", "--out", "out", "--", "-Iinc", "-DLIMIT=123456"]).expect(0);
    expect_all_covered(&desk, "out", 2);
    assert!(desk.summary("out").functions[0].tests.iter().any(|t| t.inputs == "a = 123457"));
}

#[test]
fn a_database_with_arguments_and_relative_folders() {
    let desk = Desk::new();
    desk.write("src/over.c", NEEDS_FLAGS);
    desk.write("inc/unit.h", UNIT_H);
    let arguments = r#"["cc", "-O2", "-I", "../inc", "-DLIMIT=77", "-c", "over.c", "-o", "over.o"]"#;
    let entry = format!(r#"[{{"directory": "src", "file": "over.c", "arguments": {arguments}}}]"#);
    desk.write("compile_commands.json", &entry);
    // By the database, by the file beside it, by the folder that holds it.
    for (i, path) in ["compile_commands.json", "src/over.c", "."].into_iter().enumerate() {
        let out = format!("out{i}");
        generate(&desk, &[path, "--out", &out]).expect(0);
        expect_all_covered(&desk, &out, 2);
    }
}

#[test]
fn a_database_with_commands_to_be_split_as_a_shell_does() {
    let desk = Desk::new();
    let source = "int f(const char *s, int a) { return a == sizeof TEXT && s ? 1 : 0; }\n";
    desk.write("my src/a.c", source);
    let directory = desk.path("my src");
    let command = r#"cc -c -DTEXT='\"two words\"' \"a.c\" -o a.o"#;
    let directory = directory.display();
    let entry = format!(r#"[{{"directory": "{directory}", "file": "a.c", "command": "{command}"}}]"#);
    desk.write("build/compile_commands.json", &entry);
    generate(&desk, &["build/compile_commands.json", "--out", "out"]).expect(0);
    expect_all_covered(&desk, "out", 4);
}

#[test]
fn databases_that_are_none() {
    let desk = Desk::new();
    desk.write("a/compile_commands.json", "{ not json");
    generate(&desk, &["a/compile_commands.json"]).expect(2).complains(&["not a compilation database"]);
    desk.write("b/compile_commands.json", "[]");
    generate(&desk, &["b/compile_commands.json"]).expect(2).complains(&["no C file"]);
    desk.write(
        "c/compile_commands.json",
        r#"[{"directory": ".", "file": "gone.c", "command": "cc -c gone.c"}]"#,
    );
    generate(&desk, &["c/compile_commands.json"]).expect(2).complains(&["gone.c"]);
    desk.write("d/x.c", "int x(int a) { return a > 1; }\n");
    desk.write("d/compile_commands.json", r#"[{"directory": ".", "file": "x.c", "command": "cc 'open"}]"#);
    generate(&desk, &["d/compile_commands.json"]).expect(2).complains(&["x.c"]);
}

#[test]
fn files_that_call_each_other() {
    let desk = Desk::new();
    desk.write("even.c", "int odd(int n);\nint even(int n) { return n <= 0 ? 1 : odd(n - 1); }\n");
    desk.write("odd.c", "int even(int n);\nint odd(int n) { return n <= 0 ? 0 : even(n - 1); }\n");
    generate(&desk, &["even.c", "odd.c", "--out", "out"]).expect(0);
    assert!(desk.summary("out").undefined.is_empty());
    expect_all_covered(&desk, "out", 4);
}

/// Same names of statics, same names of files, a `main` in both.
#[test]
fn two_programs_in_one_folder() {
    let desk = Desk::new();
    let program = |limit: u32| {
        format!(
            "static int state = {limit};\n\
             static int step(int a) {{ return a > state ? {limit} : 0; }}\n\
             int main(int argc, char **argv) {{ (void)argv; return argc > 2 ? step(argc) : 1; }}\n"
        )
    };
    desk.write("all/one/app.c", &program(1000));
    desk.write("all/two/app.c", &program(2000));
    generate(&desk, &["all", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    let names: Vec<&str> = summary.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["step", "main", "step", "main"]);
    let mut stems: Vec<&str> = summary.units.iter().map(|u| u.stem.as_str()).collect();
    stems.dedup();
    assert_eq!(stems.len(), 2);
    expect_all_covered(&desk, "out", 8);
}

/// They share a file, and each has its own idea of `limit` and `verbose`.
#[test]
fn two_programs_that_define_the_same_names() {
    let desk = Desk::new();
    let program = |limit: u32| {
        format!(
            "int clamp(int a, int most);\nint verbose = {limit};\n\
             int limit(int a) {{ return verbose && a > {limit} ? clamp(a, {limit}) : a; }}\n\
             int main(int argc, char **argv) {{ (void)argv; return limit(argc); }}\n"
        )
    };
    desk.write("all/one.c", &program(10));
    desk.write("all/two.c", &program(20));
    desk.write("all/shared.c", "int clamp(int a, int most) { return a > most ? most : a; }\n");
    generate(&desk, &["all", "--out", "out"]).expect(0);
    expect_all_covered(&desk, "out", 4 + 4 + 2);
}

#[test]
fn only_the_functions_asked_for() {
    let desk = Desk::new();
    let path = fixture("odd/no_branches.c");
    let path = path.to_str().expect("UTF-8");
    generate(&desk, &[path, "-f", "swapped", "--function", "nothing", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    assert_eq!(summary.functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["swapped", "nothing"]);
    desk.check("out").expect(0);
}

/// The folder of an earlier run lies inside the sources: its tests are no part of the program.
#[test]
fn our_own_output_is_not_taken_for_source() {
    let desk = Desk::new();
    desk.write("src/a.c", "int a(int x) { return x > 5 ? 1 : 0; }\n");
    for _ in 0..2 {
        generate(&desk, &["src", "--out", "src/out"]).expect(0);
        let summary = desk.summary("src/out");
        assert_eq!(summary.units.len(), 1);
        assert_eq!(function(&summary, "a").tally.covered, 2);
    }
}
