//! Obligations in both formats, and what is wrong with those that do not fit.

use model::{
    BlockId, Branch, BranchId, BranchKind, Decision, Function, Position, Program, Shape, SourceFile, Span,
    testing,
};
use proptest::prelude::*;
use report::{
    Asked, FileObligations, FunctionObligations, ObligationFault, Obligations, ObligationsFormat,
    WantedVector, choose, describe,
};

const FORMATS: [ObligationsFormat; 2] = [ObligationsFormat::Xml, ObligationsFormat::Json];

/// The pairs that show each condition, from the definition: they differ in nothing else that both evaluate, and in the outcome.
fn pairs(decision: &Decision) -> Vec<Vec<[usize; 2]>> {
    let vectors = decision.vectors();
    let conditions = decision.conditions.len();
    let differ = |a: usize, b: usize, c: usize| {
        let values = [a, b].map(|v| vectors[v].1.value(c));
        values[0].is_some() && values[1].is_some() && values[0] != values[1]
    };
    let shows = |a: usize, b: usize, c: usize| {
        vectors[a].1.outcome != vectors[b].1.outcome
            && (0..conditions).all(|other| differ(a, b, other) == (other == c))
    };
    let all = |c: usize| {
        let numbers = 0..vectors.len();
        numbers
            .flat_map(|a| (a + 1..vectors.len()).map(move |b| [a, b]))
            .filter(|&[a, b]| shows(a, b, c))
            .collect()
    };
    (0..conditions).map(all).collect()
}

/// Obligations of one function whose decisions have these shapes; the source has a line for each.
fn obligations(shapes: &[Shape], texts: &[String]) -> Obligations {
    let mut program = Program { files: vec![SourceFile { path: "src/a.c".into() }], ..Program::default() };
    let mut function = testing::function("f");
    let mut source = String::new();
    let mut decisions = Vec::new();
    for (line, shape) in shapes.iter().enumerate() {
        let text = texts.get(line).map_or("x", String::as_str);
        source += text;
        source.push('\n');
        let at = |column: usize| Position { line: line as u32 + 1, column: column as u32 };
        let span = Span { file: 0, start: at(1), end: at(text.len() + 1) };
        let first = function.branches.len() as u32;
        for id in first..first + shape.conditions() as u32 {
            function.branches.push(Branch {
                id: BranchId(id),
                kind: BranchKind::Condition,
                span,
                expansion: None,
                block: BlockId(0),
                counted: true,
            });
        }
        let conditions = (first..first + shape.conditions() as u32).map(BranchId).collect();
        let (nodes, is_cut) = shape.nodes(1000 * (line as u32 + 1));
        decisions.push(Decision {
            span,
            conditions,
            shape: shape.clone(),
            nodes,
            is_cut,
            is_confirmable: true,
        });
    }
    program.functions.push(function);
    let function: &Function = &program.functions[0];
    let sources = [(0, source)];
    let one =
        |decision: &Decision| describe(&program, &sources, function, decision, (&pairs(decision), &[0, 1]));
    let decisions = decisions.iter().map(one).collect();
    let functions = vec![FunctionObligations { name: "f".into(), decisions, at: 0 }];
    let files = vec![FileObligations { path: "src/a.c".into(), functions, at: 0 }];
    Obligations { mcdc: "unique-cause".into(), bitwise_decisions: false, files, at: 0 }
}

/// Decisions with both kinds of operators and with constants, of which something is evaluated.
fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        3 => Just(Shape::condition()),
        1 => Just(Shape::condition().negated()),
        1 => any::<bool>().prop_map(Shape::constant),
    ];
    let shape = leaf.prop_recursive(3, 7, 2, |inner| {
        (inner.clone(), inner, any::<bool>(), any::<bool>())
            .prop_map(|(a, b, and, whole)| if whole { a.beside(and, &b) } else { a.then(and, &b) })
    });
    shape.prop_filter("nothing is evaluated", |shape| shape.evaluable() != 0)
}

proptest! {
    /// Item 11: what is written is read back as it was, in both formats, and asks for all that the program has.
    #[test]
    fn item_11_round_trip(
        shapes in prop::collection::vec(shapes(), 1..4),
        texts in prop::collection::vec("[ -~äß日]{1,20}", 0..4),
        wants: Option<prop::sample::Index>,
    ) {
        let mut all = obligations(&shapes, &texts);
        let asked_for = choose(&all, &all).expect("it fits itself");
        prop_assert_eq!(asked_for.len(), shapes.len());
        if let Some(index) = wants {
            let decision = &mut all.files[0].functions[0].decisions[0];
            let values = index.get(&decision.vectors).values.clone();
            decision.wanted = Some(vec![WantedVector { values, at: 0 }]);
        }
        let own = choose(&all, &all).expect("it fits itself");
        for format in FORMATS {
            let text = all.write(format);
            let read = Obligations::read(&text).expect("what was written");
            for other in FORMATS {
                prop_assert_eq!(read.write(other), all.write(other));
            }
            prop_assert_eq!(choose(&read, &all), Ok(own.clone()));
        }
    }
}

/// `A && B || C`.
fn example() -> Obligations {
    let leaf = Shape::condition;
    let shape = leaf().then(true, &leaf()).then(false, &leaf());
    obligations(&[shape], &["a < b && \"&\" || c".to_owned()])
}

#[test]
fn what_is_written_of_a_decision() {
    let all = example();
    let decision = &all.files[0].functions[0].decisions[0];
    assert_eq!((decision.form.as_str(), decision.complete), ("((A && B) || C)", true));
    let vectors: Vec<(&str, bool)> =
        decision.vectors.iter().map(|v| (v.values.as_str(), v.outcome)).collect();
    let values = |number: usize| vectors[number - 1].0;
    let mut sorted = vectors.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [("F-F", false), ("F-T", true), ("TFF", false), ("TFT", true), ("TT-", true)]);
    let pairs = |condition: usize| -> Vec<[&str; 2]> {
        decision.conditions[condition].pairs.iter().map(|pair| pair.vectors.map(values)).collect()
    };
    // The vector in which the condition is false comes first.
    assert_eq!(pairs(0), [["F-F", "TT-"]]);
    assert_eq!(pairs(1), [["TFF", "TT-"]]);
    assert_eq!(pairs(2), [["F-F", "F-T"], ["TFF", "TFT"]]);
}

#[test]
fn the_pairs_that_were_left_are_asked_for() {
    let all = example();
    let mut edited = all.clone();
    let decision = &mut edited.files[0].functions[0].decisions[0];
    decision.conditions.remove(0);
    decision.conditions[1].pairs.remove(0);
    let known = &all.files[0].functions[0].decisions[0].vectors;
    let place = |values: &str| known.iter().position(|v| v.values == values).expect("a vector");
    let chosen = choose(&edited, &all).expect("it fits");
    let expected = vec![vec![], vec![[place("TFF"), place("TT-")]], vec![[place("TFF"), place("TFT")]]];
    assert_eq!(chosen[0].asked, Asked::Pairs(expected));
}

/// `A & 1 | C`: a constant holds its place and is shown by nothing.
#[test]
fn what_is_written_of_bitwise_operators_and_constants() {
    let leaf = Shape::condition;
    let shape = leaf().beside(true, &Shape::constant(true)).beside(false, &leaf());
    let all = obligations(&[shape], &["a & 1 | c".to_owned()]);
    let decision = &all.files[0].functions[0].decisions[0];
    assert_eq!(decision.form, "((A & 1) | C)");
    let mut vectors: Vec<(&str, bool)> =
        decision.vectors.iter().map(|v| (v.values.as_str(), v.outcome)).collect();
    vectors.sort_unstable();
    assert_eq!(vectors, [("FCF", false), ("FCT", true), ("TCF", true), ("TCT", true)]);
    let constants: Vec<Option<bool>> = decision.conditions.iter().map(|c| c.constant).collect();
    assert_eq!(constants, [None, Some(true), None]);
    assert_eq!(decision.conditions.iter().map(|c| c.pairs.len()).collect::<Vec<_>>(), [1, 0, 1]);
    for format in FORMATS {
        let told = |from: &str, to: &str| {
            let text = all.write(format);
            assert!(text.contains(from), "{from} in {text}");
            let changed = text.replacen(from, to, 1);
            Obligations::read(&changed).and_then(|read| choose(&read, &all)).expect_err(to)
        };
        let constant = match format {
            ObligationsFormat::Xml => ["constant=\"true\"", "constant=\"false\""],
            ObligationsFormat::Json => ["\"constant\": true", "\"constant\": false"],
        };
        assert!(told(constant[0], constant[1]).message.contains("always true, not always false"));
        let other = told("\"TCT\"", "\"TTT\"");
        assert!(other.message.contains("no evaluation") && other.hint.contains("`TCT`"), "{other:?}");
        assert!(told("\"FCT\"", "\"CCT\"").message.contains("no evaluation"));
    }
    let bitwise = Obligations { bitwise_decisions: true, ..all.clone() };
    for format in FORMATS {
        assert!(Obligations::read(&bitwise.write(format)).is_ok_and(|read| read.bitwise_decisions));
    }
    assert!(choose(&bitwise, &all).expect_err("another kind").hint.contains("add `--bitwise-decisions`"));
    assert!(choose(&all, &bitwise).expect_err("another kind").hint.contains("leave `--bitwise-decisions`"));
}

/// Nothing can be shown of `A && B && 0`, and what is exported can be handed back all the same.
#[test]
fn decisions_that_constants_decide_ask_for_nothing() {
    let leaf = Shape::condition;
    let shape = leaf().then(true, &leaf()).then(true, &Shape::constant(false));
    let all = obligations(&[shape], &["never".to_owned()]);
    assert_eq!(choose(&all, &all).expect("it fits itself")[0].asked, Asked::Pairs(vec![vec![]; 3]));
}

/// Changes the text in one place, and says what is wrong with it.
fn complaint(format: ObligationsFormat, from: &str, to: &str) -> ObligationFault {
    let all = example();
    let text = all.write(format);
    assert!(text.contains(from), "{from} in {text}");
    let changed = text.replacen(from, to, 1);
    let told = Obligations::read(&changed).and_then(|read| choose(&read, &all)).expect_err(to);
    assert!(!told.hint.is_empty(), "{told:?}");
    told
}

/// The line of a text, from 1.
fn line_of(format: ObligationsFormat, part: &str) -> usize {
    let text = example().write(format);
    text.lines().position(|line| line.contains(part)).expect("in the text") + 1
}

#[test]
fn xml_that_does_not_fit_is_told_with_its_line() {
    use ObligationsFormat::Xml;
    let decision = line_of(Xml, "<decision");
    let vector = line_of(Xml, "values=\"TT-\"");
    let pair = line_of(Xml, "<pair");
    for (from, to, line, words) in [
        ("version=\"1\"", "version=\"9\"", 2, "version 9"),
        ("mcdc=\"unique-cause\"", "mcdc=\"masking\"", 2, "masking"),
        ("src/a.c", "src/b.c", 3, "src/b.c"),
        ("name=\"f\"", "name=\"g\"", 4, "`g`"),
        ("a &lt; b", "a &lt; d", decision, "not `a < d"),
        ("line=\"1\"", "line=\"2\"", decision, "not at 2:1"),
        ("values=\"TT-\"", "values=\"TT\"", vector, "2 values"),
        ("values=\"TT-\"", "values=\"TTT\"", vector, "no evaluation"),
        ("values=\"TT-\"", "values=\"T--\"", vector, "no evaluation"),
        ("values=\"TT-\"", "values=\"TX-\"", vector, "no vector"),
        ("values=\"TT-\" outcome=\"true\"", "values=\"TT-\" outcome=\"false\"", vector, "is true, not false"),
        ("values=\"TT-\" outcome=\"true\"", "values=\"TT-\" outcome=\"yes\"", vector, "`yes`"),
        ("<pair false=\"1\"", "<pair false=\"77\"", pair, "number 77"),
        ("<pair false=", "<pair unequal=\"1\" false=", pair, "`unequal`"),
        ("<plan", "<plans", line_of(Xml, "<plan"), "plans"),
        ("</condition>", "</konditon>", line_of(Xml, "</condition>"), "no XML"),
    ] {
        let told = complaint(Xml, from, to);
        assert!(told.message.contains(words), "{to}: {told:?}");
        assert_eq!(told.line, line, "{to}: {told:?}");
    }
    let hint = complaint(Xml, "values=\"TT-\"", "values=\"TTT\"").hint;
    assert!(hint.contains("`TT-`"), "{hint}");
}

#[test]
fn json_that_does_not_fit_is_told_with_its_line() {
    use ObligationsFormat::Json;
    let vector = line_of(Json, "\"values\": \"TT-\"") - 2;
    for (from, to, line, words) in [
        ("\"version\": 1", "\"version\": 2", 2, "version 2"),
        ("\"path\": \"src/a.c\"", "\"path\": 5", 6, "expected a string"),
        ("\"TT-\"", "\"TT\"", vector, "2 values"),
        ("\"TT-\"", "\"TTT\"", vector, "no evaluation"),
        ("\"name\"", "\"nome\"", line_of(Json, "\"name\""), "unknown field `nome`"),
        ("\"name\": \"f\"", "\"name\": \"h\"", line_of(Json, "\"name\"") - 1, "`h`"),
        ("\"plan\": [", "\"plan\": {", line_of(Json, "\"plan\"") + 1, "key must be a string"),
    ] {
        let told = complaint(Json, from, to);
        assert!(told.message.contains(words), "{to}: {told:?}");
        assert_eq!(told.line, line, "{to}: {told:?}");
    }
}

#[test]
fn what_asks_for_nothing_or_twice_is_told() {
    let all = example();
    let mut twice = all.clone();
    let decisions = &mut twice.files[0].functions[0].decisions;
    decisions.push(decisions[0].clone());
    assert!(choose(&twice, &all).expect_err("twice").message.contains("twice"));
    let mut hollow = all.clone();
    hollow.files[0].functions[0].decisions[0].wanted = Some(Vec::new());
    assert!(choose(&hollow, &all).expect_err("nothing").message.contains("nothing is asked"));
    hollow.files.clear();
    assert!(choose(&hollow, &all).expect_err("nothing").message.contains("nothing is asked"));
    for odd in ["", "{", "no obligations", "<a/>", "[1]", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"] {
        assert!(Obligations::read(odd).is_err(), "{odd}");
    }
}
