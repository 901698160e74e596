//! `branchwise.toml`.

use crate::support::{Desk, Ended, PATIENCE, fixture, run};

fn generate(desk: &Desk, arguments: &[&str]) -> Ended {
    run(&mut desk.branchwise([&["gen"], arguments].concat()), PATIENCE)
}

/// `a = 3, b = -4` as numbers.
fn numbers(inputs: &str) -> Vec<(String, i64)> {
    let pair = |part: &str| part.split_once(" = ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    let parts = inputs.split(", ").map(|part| pair(part).expect("NAME = VALUE"));
    parts
        .map(|(name, value)| (name, value.parse().unwrap_or_else(|_| panic!("{value} in {inputs}"))))
        .collect()
}

#[test]
fn ranges_and_exclusions_hold_for_every_input() {
    let desk = Desk::new();
    let source = "int level = 3;\n\
                  int f(int a, unsigned char b)\n{\n\
                  if (a < 0)\n return 1;\n if (a == 13)\n return 2;\n if (a >= 1000)\n return 3;\n\
                  if (b > 100)\n return 4;\n if (level == 8)\n return 5;\n return b == 20 && a == 14;\n}\n";
    desk.write("f.c", source);
    let settings = "budget = \"20000x\"\nseed = 5\n\
                    [function.f.a]\nmin = 1\nmax = 999\nexclude = [13]\n\
                    [function.f.b]\nmax = 100\nexclude = [0, 1]\n\
                    [function.f.level]\nmin = 6\nmax = 9\n";
    desk.write("branchwise.toml", settings);
    generate(&desk, &["f.c", "--out", "out"]).expect(0);
    let summary = desk.summary("out");
    assert_eq!((summary.settings.seed, summary.settings.budget.as_str()), (5, "20000x"));
    let f = &summary.functions[0];
    for test in &f.tests {
        for (name, value) in numbers(&test.inputs) {
            match name.as_str() {
                "a" => assert!((1..=999).contains(&value) && value != 13, "{}", test.inputs),
                "b" => assert!((2..=100).contains(&value), "{}", test.inputs),
                "level" => assert!((6..=9).contains(&value), "{}", test.inputs),
                other => panic!("{other}"),
            }
        }
    }
    // The four outcomes a < 0, a == 13, a >= 1000, b > 100 lie outside; all else is reachable inside.
    let left: Vec<(u32, bool)> = f
        .goals
        .iter()
        .filter(|g| g.state != report::State::Covered)
        .map(|g| (g.place.line, g.outcome))
        .collect();
    assert_eq!(left, [(4, true), (6, true), (8, true), (10, true)]);
    desk.check("out").expect(0);
}

#[test]
fn flags_win_over_the_file_and_another_file_can_be_named() {
    let desk = Desk::new();
    desk.write("branchwise.toml", "seed = 5\nengine = \"hc\"\nbudget = \"300x\"\n");
    desk.write("other.toml", "seed = 6\nengine = \"random\"\n");
    let path = fixture("gcd.c");
    let path = path.to_str().expect("UTF-8");
    let settings = |arguments: &[&str]| {
        generate(&desk, &[&[path, "--out", "out"], arguments].concat()).expect(0);
        let settings = desk.summary("out").settings;
        (settings.seed, settings.engine, settings.budget)
    };
    assert_eq!(settings(&[]), (5, "hc".into(), "300x".into()));
    assert_eq!(settings(&["--seed", "9", "--budget", "200x"]), (9, "hc".into(), "200x".into()));
    assert_eq!(
        settings(&["--config", "other.toml", "--budget", "100x"]),
        (6, "random".into(), "100x".into())
    );
}

#[test]
fn slips_in_the_file_are_told_with_their_place() {
    let desk = Desk::new();
    let path = fixture("gcd.c");
    let path = path.to_str().expect("UTF-8");
    let slips = [
        ("seed = \n", "line 1"),
        ("seed = 1\nsead = 2\n", "sead"),
        ("seed = -1\n", "line 1"),
        ("budget = \"soon\"\n", "`soon` is no budget"),
        ("engine = \"magic\"\n", "`magic`"),
        ("[limits]\nheap = \"lots\"\n", "`lots` is no size"),
        ("[limits]\nheap = \"99999999999G\"\n", "99999999999G"),
        ("[function.gcd.a]\nmin = \"low\"\n", "line 2"),
        ("[function.gcd.a]\nmin = 5\nmax = 4\n", "min"),
    ];
    for (text, complaint) in slips {
        desk.write("branchwise.toml", text);
        let ended = generate(&desk, &[path, "--out", "out"]);
        assert_eq!(ended.code, Some(2), "{text}{}{}", ended.stdout, ended.stderr);
        ended.complains(&["branchwise.toml", complaint]);
    }
    generate(&desk, &[path, "--config", "missing.toml"]).expect(2).complains(&["missing.toml"]);
}

/// A rule for an input that the function does not have is a slip; functions that are not in this file may belong
/// to other files of the project.
#[test]
fn rules_that_meet_no_input_are_told() {
    let desk = Desk::new();
    desk.write("g.c", "struct s { int x; };\nint g(int a, struct s b) { return a > b.x ? 1 : 0; }\n");
    for (rule, word) in [("function.g.c", "`c`"), ("function.g.\"b.y\"", "`b.y`"), ("function.g.b", "`b`")] {
        desk.write("branchwise.toml", &format!("[{rule}]\nmin = 1\n"));
        let ended = generate(&desk, &["g.c", "--out", "out"]).expect(2);
        ended.complains(&["branchwise.toml", "`g` has no input", word]);
    }
    desk.write("branchwise.toml", "[function.elsewhere.a]\nmin = 1\n[function.g.\"b.x\"]\nmin = 3\n");
    generate(&desk, &["g.c", "--out", "out"]).expect(0);
    for test in &desk.summary("out").functions[0].tests {
        let x = test.inputs.split(".x = ").nth(1).and_then(|rest| rest.split('}').next()).expect("x");
        assert!(x.trim().parse::<i32>().is_ok_and(|x| x >= 3), "{}", test.inputs);
    }
}
