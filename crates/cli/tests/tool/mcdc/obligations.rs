//! Obligations: listed, edited and met; and what criteria weaker than MC/DC say.

use super::{confirmed, generate, states};
use crate::support::{Desk, PATIENCE, function, run};
use report::{Obligations, State, Summary};
use std::collections::BTreeSet;

/// What `branchwise obligations` prints.
fn obligations(desk: &Desk, arguments: &[&str]) -> String {
    run(&mut desk.branchwise([&["obligations"], arguments].concat()), PATIENCE).expect(0).stdout
}

/// The decisions of a function: line and text.
fn decisions_of(all: &Obligations, name: &str) -> Vec<(usize, String)> {
    let functions = all.files.iter().flat_map(|file| &file.functions);
    let function = functions.into_iter().find(|function| function.name == name).expect("the function");
    function.decisions.iter().map(|decision| (decision.place.line, decision.text.clone())).collect()
}

/// Item 1: the thesis lists the decisions of Calc (its lines 4, 8, 12, 13, 16) and of Triangle (37 to 66; the first one is about
/// the length of an array that ours does not take).
#[test]
fn item_01_every_decision_with_its_line() {
    let path = crate::support::fixtures().with_file_name("mcdc").join("thesis.c");
    let source = std::fs::read_to_string(&path).expect("a fixture");
    let all = Obligations::read(&obligations(&Desk::new(), &[path.to_str().expect("a path")])).expect("XML");
    let expected = |name: &str, texts: &[&str]| -> Vec<(usize, String)> {
        let mut lines =
            source.lines().enumerate().skip_while(|(_, line)| !line.contains(&format!("int {name}(")));
        let mut find = |text: &str| lines.find(|(_, line)| line.contains(text)).expect("a line").0 + 1;
        texts.iter().map(|&text| (find(&format!("if ({text})")), text.to_owned())).collect()
    };
    let calc = ["x < 0 || y < 0 || z < 0", "!fail", "result == 0", "z == 0", "(z > x && z > y) || z > x + y"];
    assert_eq!(decisions_of(&all, "calc"), expected("calc", &calc));
    let triangle = [
        "a < 0 || b < 0 || c < 0",
        "a == b",
        "b == c",
        "a == c",
        "triang == 0",
        "a + b <= c || b + c <= a || a + c <= b",
        "triang > 3",
        "triang == 1 && a + b > c",
        "triang == 2 && b + c > a",
        "triang == 3 && a + c > b",
    ];
    assert_eq!(decisions_of(&all, "triangle"), expected("triangle", &triangle));
}

/// Item 2: a `switch` has labels and no conditions, so it is no decision.
#[test]
fn item_02_decisions_of_all_statements() {
    let desk = Desk::new();
    let source = "int f(int a, int b)\n{\n    int n = 0;\n\n    if (a > 1 && b > 1)\n        n = 1;\n    while (n < 3 || n == b)\n\
                  \x20       n++;\n    do\n        n++;\n    while (n < 5);\n    for (int i = 0; i < 4 && a; i++)\n        n += i;\n\
                  \x20   switch (b) {\n    case 1:\n        return 7;\n    default:\n        return n == 9 ? 1 : n;\n    }\n}\n";
    desk.write("all.c", source);
    let all = Obligations::read(&obligations(&desk, &["all.c", "--format", "json"])).expect("JSON");
    let expected =
        [(5, "a > 1 && b > 1"), (7, "n < 3 || n == b"), (11, "n < 5"), (12, "i < 4 && a"), (18, "n == 9")];
    assert_eq!(decisions_of(&all, "f"), expected.map(|(line, text)| (line, text.to_owned())));
}

/// Items 3 and 4.
#[test]
fn items_03_and_04_letters() {
    let desk = Desk::new();
    let path = crate::support::fixtures().with_file_name("mcdc").join("thesis.c");
    let text = obligations(&desk, &[path.to_str().expect("a path"), "--function", "get_result"]);
    let all = Obligations::read(&text).expect("XML");
    let [function] = &all.files[0].functions[..] else { panic!("one function: {text}") };
    let forms: Vec<&str> = function.decisions.iter().map(|decision| decision.form.as_str()).collect();
    assert_eq!(forms, ["(A || B || C)", "A", "((A && B) || C)"]);
    desk.write("again.c", "int f(int a, int b) { return (a && b) || a; }\n");
    let all = Obligations::read(&obligations(&desk, &["again.c"])).expect("XML");
    let [decision] = &all.files[0].functions[0].decisions[..] else { panic!("one decision") };
    let leaves: Vec<(&str, &str)> =
        decision.conditions.iter().map(|c| (c.letter.as_str(), c.text.as_str())).collect();
    assert_eq!(leaves, [("A", "a"), ("B", "b"), ("C", "a")]);
}

/// Item 12: the ways are cut, and it is said.
#[test]
fn item_12_obligations_of_large_decisions_are_bounded() {
    let desk = Desk::new();
    let pairs: Vec<String> = (0..20).map(|i| format!("(x[{}] || x[{}])", 2 * i, 2 * i + 1)).collect();
    desk.write("large.c", &format!("int f(const char x[40]) {{ return {}; }}\n", pairs.join(" && ")));
    let all = Obligations::read(&obligations(&desk, &["large.c"])).expect("XML");
    let [decision] = &all.files[0].functions[0].decisions[..] else { panic!("one decision") };
    assert!(!decision.complete && decision.conditions.len() == 40 && decision.plan.len() == 41);
    assert!(decision.conditions.iter().all(|condition| !condition.pairs.is_empty()));
    assert_eq!(decision.conditions[26].letter, "A1");
}

const ASKED: &str = "int f(int a, int b, int c)\n{\n    if (a > 3 && (b == 7 || c < 0))\n        return 1;\n    if (a == 2 || b > 5)\n\
                     \x20       return 2;\n    return 0;\n}\n\nint g(int a)\n{\n    return a > 100 && a < 200;\n}\n";

fn wanted_of(summary: &Summary, name: &str) -> Vec<(String, State)> {
    let obligations = function(summary, name).obligations.iter();
    obligations.flat_map(|o| &o.wanted).map(|wanted| (wanted.values.clone(), wanted.state)).collect()
}

/// Item 11: of two functions and three decisions one is left, with two vectors, and these are reached and nothing else.
#[test]
fn item_11_edited_obligations_are_reached_and_nothing_else() {
    let desk = Desk::new();
    desk.write("f.c", ASKED);
    let text = obligations(&desk, &["f.c"]);
    let mut all = Obligations::read(&text).expect("XML");
    for format in [report::ObligationsFormat::Xml, report::ObligationsFormat::Json] {
        let name = if format == report::ObligationsFormat::Xml { "xml" } else { "json" };
        assert_eq!(obligations(&desk, &["f.c", "--format", name]), all.write(format));
    }
    all.files[0].functions.truncate(1);
    all.files[0].functions[0].decisions.truncate(1);
    let wanted = ["TT-", "TFF"].map(|values| report::WantedVector { values: values.to_owned(), at: 0 });
    all.files[0].functions[0].decisions[0].wanted = Some(wanted.to_vec());
    for (name, format) in
        [("asked.xml", report::ObligationsFormat::Xml), ("asked.json", report::ObligationsFormat::Json)]
    {
        desk.write(name, &all.write(format));
        let summary = confirmed(&desk, &["f.c", "--obligations", name, "--strict"]);
        let names: Vec<&str> = summary.functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["f"]);
        let mut found = wanted_of(&summary, "f");
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(found, ["TFF", "TT-"].map(|values| (values.to_owned(), State::Covered)));
        let f = function(&summary, "f");
        assert_eq!(f.tests.len(), 2);
        let had: BTreeSet<&str> = f.decisions[0]
            .vectors
            .iter()
            .filter(|v| !v.tests.is_empty())
            .map(|v| v.values.as_str())
            .collect();
        assert_eq!(had, BTreeSet::from(["TFF", "TT-"]));
        // `a > 3` is never false in them, and nobody was asked for it.
        let open = f.goals.iter().find(|goal| (goal.place.line, goal.outcome) == (3, false)).expect("a goal");
        assert_eq!((open.state, open.reason.as_deref()), (State::Unknown, Some("not-asked")));
        let tally = summary.totals.obligations.expect("obligations");
        assert_eq!((tally.total, tally.covered), (2, 2));
    }
}

/// Pairs that are left are what shows a condition; a single condition is asked for by its outcomes.
#[test]
fn item_11_pairs_and_outcomes_that_were_left() {
    let desk = Desk::new();
    desk.write("f.c", "int f(int a, int b)\n{\n    if (a > 3 && b == 77)\n        return 1;\n    if (a == 1234)\n        return 2;\n    return 0;\n}\n");
    let mut all = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    let decisions = &mut all.files[0].functions[0].decisions;
    decisions[0].conditions.remove(1);
    decisions[1].wanted = Some(vec![report::WantedVector { values: "T".to_owned(), at: 0 }]);
    desk.write("asked.xml", &all.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml", "--strict"]);
    let expected = [("F-", State::Covered), ("TT", State::Covered), ("T", State::Covered)];
    assert_eq!(wanted_of(&summary, "f"), expected.map(|(values, state)| (values.to_owned(), state)));
    assert_eq!(states(&function(&summary, "f").decisions[0])[0], State::Covered);
    assert!(function(&summary, "f").tests.len() <= 3);
}

/// What no input has is said to have none, and the suite is empty.
#[test]
fn item_11_obligations_that_cannot_be_met() {
    let desk = Desk::new();
    let path = crate::support::fixtures().with_file_name("mcdc").join("thesis.c");
    let path = path.to_str().expect("a path");
    let mut all = Obligations::read(&obligations(&desk, &[path, "--function", "get_result"])).expect("XML");
    let decisions = &mut all.files[0].functions[0].decisions;
    decisions.drain(..2);
    decisions[0].wanted = Some(vec![report::WantedVector { values: "F-T".to_owned(), at: 0 }]);
    desk.write("asked.json", &all.write(report::ObligationsFormat::Json));
    let ended = generate(&desk, &[path, "--obligations", "asked.json", "--strict", "--out", "out"]).expect(0);
    assert!(ended.stdout.contains("0 of 1 vector reached, 1 infeasible, 0 unknown"), "{}", ended.stdout);
    assert_eq!(wanted_of(&desk.summary("out"), "get_result"), [("F-T".to_owned(), State::Infeasible)]);
    assert!(function(&desk.summary("out"), "get_result").tests.is_empty());
}

#[test]
fn obligations_that_do_not_fit_are_the_users_to_change() {
    let desk = Desk::new();
    desk.write("f.c", ASKED);
    let text = obligations(&desk, &["f.c"]);
    let line = |part: &str| text.lines().position(|line| line.contains(part)).expect("in the text") + 1;
    for (from, to, at, words) in [
        ("name=\"f\"", "name=\"h\"", line("name=\"f\""), "no function `h`"),
        ("a &gt; 3", "a &gt; 4", line("<decision"), "the decision at 3:9 is"),
        ("version=\"1\"", "version=\"3\"", 2, "version 3"),
        ("values=\"TT-\"", "values=\"TTT\"", line("values=\"TT-\""), "no evaluation"),
        ("</file>", "</fill>", line("</file>"), "no XML"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        desk.write("wrong.xml", &text.replacen(from, to, 1));
        let ended = generate(&desk, &["f.c", "--obligations", "wrong.xml"]).expect(2);
        ended.complains(&[&format!("wrong.xml:{at}: "), words, "hint:"]);
    }
    desk.write("right.xml", &text);
    let plain = ["gen", "f.c", "--obligations", "right.xml"];
    run(&mut desk.branchwise(plain), PATIENCE).expect(2).complains(&["--criterion mcdc"]);
    generate(&desk, &["f.c", "--obligations", "right.xml", "--mcdc", "masking"])
        .expect(2)
        .complains(&["--mcdc"]);
    generate(&desk, &["f.c", "--obligations", "missing.xml"]).expect(2).complains(&["missing.xml"]);
}

/// The example of the documentation is what the program prints.
#[test]
fn the_documented_example_is_real() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OBLIGATIONS.md");
    let text = std::fs::read_to_string(&root).expect("the documentation");
    let block = |kind: &str| {
        let rest = text.split_once(&format!("```{kind}\n")).expect("a block").1;
        rest.split_once("```").expect("its end").0.to_owned()
    };
    let desk = Desk::new();
    desk.write("door.c", &block("c"));
    assert_eq!(obligations(&desk, &["door.c"]), block("xml"));
    let json = obligations(&desk, &["door.c", "--format", "json"]);
    let [told, real] =
        [&block("json"), &json].map(|text| serde_json::from_str::<serde_json::Value>(text).expect("JSON"));
    assert_eq!(told, real["files"][0]["functions"][0]["decisions"][0]["conditions"][0]);
}

/// A row for each condition, by hand: `a` decides between `F-` and `TT`, `b` between `TF` and `TT`; coverage of what is weaker comes with it.
#[test]
fn the_table_of_conditions_and_the_weaker_criteria() {
    let desk = Desk::new();
    desk.write("f.c", "int f(int a, int b)\n{\n    if (a > 3 && b == 7)\n        return 1;\n    if (a < -5)\n        return 2;\n    return 0;\n}\n");
    let ended = generate(&desk, &["f.c", "--out", "out"]).expect(0);
    for words in [
        "MC/DC: 2 of 2 conditions in 1 decision shown (100.0%)",
        "decision coverage: 4 of 4 outcomes (100.0%), 0 infeasible, 0 unknown",
        "condition coverage: 6 of 6 outcomes (100.0%), 0 infeasible, 0 unknown",
    ] {
        assert!(ended.stdout.contains(words), "{words} in {}", ended.stdout);
    }
    let table = std::fs::read_to_string(desk.path("out/mcdc.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][6..], ["state", "false vector", "false tests", "true vector", "true tests", "reason"]);
    let cells = |row: usize| [4, 5, 6, 7, 9, 11].map(|column| rows[row][column]);
    assert_eq!(cells(1), ["a > 3", "A", "shown", "F-", "TT", ""]);
    assert_eq!(cells(2), ["b == 7", "B", "shown", "TF", "TT", ""]);
    assert_eq!(rows.len(), 3);
}

/// Tests of a caller show more of what it calls than was asked of that, and llvm-cov sees it; of a macro that is used twice one use can be
/// asked for.
#[test]
fn obligations_of_callers_and_of_macros_that_are_used_twice() {
    let desk = Desk::new();
    let source = "#define BETWEEN(x, low, high) ((x) >= (low) && (x) <= (high))\nint inner(int a, int b)\n{\n    if (a > 3 && b == 7)\n\
                  \x20       return 1;\n    return a < 0 || b < 0;\n}\n\nint outer(int a, int b)\n{\n    if (inner(a, b) && b > 2)\n        return 5;\n\
                  \x20   return BETWEEN(a, 1, 5) + BETWEEN(b, 2, 6);\n}\n";
    desk.write("f.c", source);
    let all = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    let mut little = all.clone();
    let inner = &mut little.files[0].functions[0];
    inner.decisions.truncate(1);
    inner.decisions[0].wanted = Some(vec![report::WantedVector { values: "TT".to_owned(), at: 0 }]);
    desk.write("asked.xml", &little.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml"]);
    assert_eq!(wanted_of(&summary, "inner"), [("TT".to_owned(), State::Covered)]);
    let mut second = all.clone();
    let functions = &mut second.files[0].functions;
    functions.remove(0);
    let uses = functions[0].decisions.len();
    functions[0].decisions.drain(..uses - 1);
    desk.write("asked.xml", &second.write(report::ObligationsFormat::Xml));
    let summary = confirmed(&desk, &["f.c", "--obligations", "asked.xml"]);
    let decisions = &function(&summary, "outer").decisions;
    let [.., first, last] = &decisions[..] else { panic!("two uses") };
    assert_eq!(states(last), [State::Covered; 2]);
    assert!(states(first) != [State::Covered; 2], "{first:?}");
}

/// Obligations of `&`, `|` and constants: letters, what is asked for, and the way back. By hand: of `a & b | c` the pair of `a` is `FTF` and
/// `TTF`; of `x && 1 && y` the vector `TCF`.
#[test]
fn obligations_of_bitwise_and_constant_conditions() {
    let desk = Desk::new();
    let source = "int f(int a, int b, int c)\n{\n    return (a > 3) & (b < 2) | (c == 0);\n}\n\n\
                  int g(int x, int y)\n{\n    if (x && 1 && y)\n        return 1;\n    return x > 9 && y > 9 && 0;\n}\n";
    desk.write("f.c", source);
    let text = obligations(&desk, &["f.c", "--bitwise-decisions"]);
    let mut all = Obligations::read(&text).expect("XML");
    let forms = |all: &Obligations| -> Vec<String> {
        let functions = all.files[0].functions.iter();
        functions.flat_map(|f| &f.decisions).map(|decision| decision.form.clone()).collect()
    };
    assert_eq!(forms(&all), ["((A & B) | C)", "(A && 1 && C)", "(A && B && 0)"]);
    let plain = Obligations::read(&obligations(&desk, &["f.c"])).expect("XML");
    assert_eq!(forms(&plain), ["(A && 1 && C)", "(A && B && 0)"]);
    // As it is: everything that can be shown is.
    desk.write("asked.xml", &text);
    let summary = confirmed(&desk, &["f.c", "--bitwise-decisions", "--obligations", "asked.xml", "--strict"]);
    assert_eq!(states(&function(&summary, "f").decisions[0]), [State::Covered; 3]);
    let held = [State::Covered, State::Constant, State::Covered];
    assert_eq!(states(&function(&summary, "g").decisions[0]), held);
    let never = [State::Infeasible, State::Infeasible, State::Constant];
    assert_eq!(states(&function(&summary, "g").decisions[1]), never);
    generate(&desk, &["f.c", "--obligations", "asked.xml"]).expect(2).complains(&["--bitwise-decisions"]);
    // Less of it.
    let functions = &mut all.files[0].functions;
    functions[0].decisions[0].conditions.truncate(1);
    functions[1].decisions.truncate(1);
    functions[1].decisions[0].wanted = Some(vec![report::WantedVector { values: "TCF".to_owned(), at: 0 }]);
    desk.write("asked.json", &all.write(report::ObligationsFormat::Json));
    let summary =
        confirmed(&desk, &["f.c", "--bitwise-decisions", "--obligations", "asked.json", "--strict"]);
    let mut pair = wanted_of(&summary, "f");
    pair.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(pair, ["FTF", "TTF"].map(|values| (values.to_owned(), State::Covered)));
    assert_eq!(wanted_of(&summary, "g"), [("TCF".to_owned(), State::Covered)]);
    assert_eq!(function(&summary, "g").tests.len(), 1);
}

/// By hand: `a > 0` stands twice in `(a > 0) & (b > 0) | (a > 0) & (c > 0)`, so neither can be changed alone. Under masking the first is
/// shown by `TTTF` and `FTFF`, the second by `TFTT` and `FFFT`. A constant between short circuits is neither shown nor in the way.
#[test]
fn masking_with_bitwise_and_constant_conditions() {
    let desk = Desk::new();
    let source = "int f(int a, int b, int c)\n{\n    return (a > 0) & (b > 0) | (a > 0) & (c > 0);\n}\n\n\
                  int g(int a, int b, int c)\n{\n    return (a > 0 && 1 && b > 0) || (a > 0 && c > 0);\n}\n";
    desk.write("f.c", source);
    let shown = |variant: &str| {
        let summary = confirmed(&desk, &["f.c", "--bitwise-decisions", "--mcdc", variant]);
        ["f", "g"].map(|name| states(&function(&summary, name).decisions[0]))
    };
    let (yes, no) = (State::Covered, State::Infeasible);
    assert_eq!(shown("masking"), [vec![yes; 4], vec![yes, State::Constant, yes, yes, yes]]);
    let [f, g] = shown("unique-cause");
    assert_eq!(f, [no, yes, no, yes]);
    assert_eq!(g.iter().filter(|&&state| state == no).count(), 1, "{g:?}");
    let rows = std::fs::read_to_string(desk.path("out/mcdc.csv")).expect("a table");
    assert!(rows.contains("constant: it is always true"), "{rows}");
    assert!(
        rows.contains("it always has the value of C") && rows.contains("it always has the value of A"),
        "{rows}"
    );
}

/// Weaker criteria see the conditions of `&` and not the branch that they are together: two outcomes of one decision, four of two conditions.
#[test]
fn the_weaker_criteria_of_bitwise_decisions() {
    let desk = Desk::new();
    desk.write(
        "f.c",
        "int f(int a, int b)\n{\n    if ((a > 3) & (b == 7))\n        return 1;\n    return 0;\n}\n",
    );
    let ended = generate(&desk, &["f.c", "--bitwise-decisions", "--out", "out"]).expect(0);
    for words in ["decision coverage: 2 of 2 outcomes", "condition coverage: 4 of 4 outcomes"] {
        assert!(ended.stdout.contains(words), "{words} in {}", ended.stdout);
    }
}
