//! A small run written down by hand: three functions, one finding, one infeasible goal, unknown goals.

use input::{Input, Pointer, Space, SpaceLimits, Var};
use model::{
    BlockId, Branch, BranchId, BranchKind, EnumValue, Function, FunctionId, Goal, Param, Position, Program,
    SourceFile, Span, Type, TypeId, TypeKind, testing,
};
use report::{ProgramTests, ReportSettings, RunReport, Unit};
use suite::{
    Exploration, Finding, FunctionResult, GoalState, HarnessValue, LayerAccount, Plain, ProgramEnd,
    ProgramTest, Proof, Reason, TestCase, ValueKind,
};
use target::{Access, Crash, CrashKind, Observation, Outcome, Seen};

/// The source of the example.
pub(crate) const SOURCE: &str = include_str!("shapes.c");

/// The owner of what a [`RunReport`] borrows.
pub(crate) struct Example {
    pub(crate) program: Program,
    pub(crate) results: Vec<FunctionResult>,
    pub(crate) sources: Vec<(u32, String)>,
    /// Tests of a whole program, and those left out.
    pub(crate) whole: Option<[Vec<ProgramTest>; 2]>,
}

impl Example {
    pub(crate) fn report(&self) -> RunReport<'_> {
        RunReport {
            program: &self.program,
            results: &self.results,
            whole: self.whole.as_ref().map(|[written, left_out]| ProgramTests { written, left_out }),
            sources: &self.sources,
            settings: ReportSettings {
                engine: "avm".into(),
                seed: 42,
                budget: "10000x".into(),
                criterion: "branch".into(),
                mcdc: None,
                obligations: None,
                version: "0.1.0".into(),
                command: "branchwise gen src/shapes.c --budget 10000x --seed 42".into(),
                units: vec![Unit {
                    file: 0,
                    stem: "shapes".into(),
                    path: "src/shapes.c".into(),
                    flags: vec!["-std=c17".into()],
                    directory: ".".into(),
                }],
                making: None,
                candidates: std::collections::BTreeMap::new(),
                deterministic: true,
                problems: Vec::new(),
            },
        }
    }
}

/// The example itself.
pub(crate) fn example() -> Example {
    let mut program = Program {
        files: vec![
            SourceFile { path: "src/shapes.c".into() },
            SourceFile { path: "/usr/include/assert.h".into() },
        ],
        ..Program::default()
    };
    let types = BasicTypes::new(&mut program);
    program.functions = vec![classify(&types), digits(&types), scale(&types)];
    program.branch_count = 10;
    let results = vec![classify_result(&program), digits_result(&program), scale_result(&program)];
    Example { program, results, sources: vec![(0, SOURCE.to_owned())], whole: None }
}

/// What exploration may have done with `digits`.
fn exploration() -> Exploration {
    let layer = |name: &str, asked, sat, unsat, seconds| LayerAccount {
        layer: name.into(),
        asked,
        sat,
        unsat,
        seconds,
    };
    Exploration {
        traced: 1_250,
        paths: 1_101,
        complete: false,
        divergences: 3,
        unknown: 1,
        layers: vec![layer("fold", 2_000, 15, 1_200, 0.5), layer("smt", 785, 784, 0, 1.25)],
        losses: vec![
            ("src/shapes.c:23: result of sqrt<>".into(), 4_000),
            ("store at an address that depends on the input".into(), 2),
        ],
        search_executions: 1_200_000,
        search_seconds: 1.5,
        charged: 1_500_000,
        charged_for_solving: 250_000,
    }
}

/// The same functions as parts of one program.
pub(crate) fn program() -> Example {
    let mut example = example();
    let all = std::mem::take(&mut example.results);
    let mut one = FunctionResult {
        goals: all.iter().flat_map(|r| r.goals.clone()).collect(),
        executions: 900,
        curve: vec![(1, 4), (30, 17)],
        findings: all[1].findings.clone(),
        unstable: vec!["the time".into()],
        exploration: Some(Exploration { complete: true, divergences: 0, unknown: 0, ..exploration() }),
        ..result(0, space(&example.program, 0))
    };
    one.seconds = 0.25;
    let named = |name: &str| ProgramTest { name: name.into(), ..ProgramTest::default() };
    let covers = |of: &[&FunctionResult]| -> Vec<Goal> {
        let mut goals: Vec<Goal> = of.iter().flat_map(|r| &r.tests).flat_map(|t| t.covers.clone()).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    };
    let tests = vec![
        ProgramTest {
            arguments: vec![b"-x".to_vec(), b"a b<".to_vec()],
            stdin: Some(b"7\0\n".to_vec()),
            end: ProgramEnd::Exited(2),
            stdout: Some(b"<b>".to_vec()),
            plain: Plain::Same,
            covers: covers(&[&all[0], &all[1]]),
            ..named("test_001")
        },
        ProgramTest {
            files: vec![("in.txt".into(), vec![255])],
            values: vec![HarnessValue { name: "n".into(), kind: ValueKind::Signed, bytes: vec![254, 255] }],
            end: ProgramEnd::Aborted,
            plain: Plain::OutputDiffers,
            covers: covers(&[&all[1], &all[2]]),
            ..named("test_002")
        },
        ProgramTest { stdin: Some(Vec::new()), end: ProgramEnd::Crashed, ..named("crash_1") },
    ];
    let clock = ProgramTest {
        arguments: vec![b"late".to_vec()],
        end: ProgramEnd::Exited(7),
        plain: Plain::EndDiffers,
        ..named("test_003")
    };
    Example { results: vec![one], whole: Some([tests, vec![clock]]), ..example }
}

struct BasicTypes {
    int: TypeId,
    kind: TypeId,
    text: TypeId,
}

impl BasicTypes {
    fn new(program: &mut Program) -> BasicTypes {
        let mut push = |kind, size: u64, name: &str| {
            program.types.push(Type {
                kind,
                size,
                align: size.max(1),
                name: (!name.is_empty()).then(|| name.into()),
            })
        };
        let int = push(TypeKind::Int { bits: 32, signed: true, character: false }, 4, "int");
        let character = push(TypeKind::Int { bits: 8, signed: true, character: true }, 1, "char");
        let constant = push(TypeKind::Const { to: character }, 1, "");
        let text = push(TypeKind::Pointer { to: constant }, 8, "");
        let values = ["INVALID", "SCALENE", "ISOSCELES"];
        let values =
            values.iter().enumerate().map(|(i, n)| EnumValue { name: (*n).into(), value: i as i128 });
        let kind = push(TypeKind::Enum { bits: 32, signed: false, values: values.collect() }, 4, "kind");
        BasicTypes { int, kind, text }
    }
}

/// The span of the `nth` occurrence of a text in the source.
fn span(text: &str, nth: usize) -> Span {
    let (start, _) = SOURCE.match_indices(text).nth(nth).expect("the text is in the source");
    Span { file: 0, start: position(start), end: position(start + text.len()) }
}

fn position(offset: usize) -> Position {
    let before = &SOURCE[..offset];
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    Position { line: before.matches('\n').count() as u32 + 1, column: (offset - line_start) as u32 + 1 }
}

fn branch(id: u32, kind: BranchKind, span: Span, expansion: Option<Span>) -> Branch {
    Branch { id: BranchId(id), kind, span, expansion, block: BlockId(0), counted: true }
}

fn condition(id: u32, text: &str, nth: usize) -> Branch {
    branch(id, BranchKind::Condition, span(text, nth), None)
}

fn function(
    name: &str,
    first: &str,
    ret: TypeId,
    params: &[(&str, TypeId)],
    branches: Vec<Branch>,
) -> Function {
    let start = span(first, 0).start;
    let from = SOURCE.find(first).expect("the function is in the source");
    let end = position(from + SOURCE[from..].find("\n}").expect("it ends") + 2);
    let param = |(i, (name, ty)): (usize, &(&str, TypeId))| Param {
        name: (*name).into(),
        ty: *ty,
        offset: 8 * i as u32,
    };
    Function {
        span: Span { file: 0, start, end },
        is_static: first.starts_with("static"),
        params: params.iter().enumerate().map(param).collect(),
        ret,
        branches,
        ..testing::function(name)
    }
}

fn classify(t: &BasicTypes) -> Function {
    let branches = vec![condition(0, "a <= 0", 0), condition(1, "b <= 0", 0), condition(2, "a == b", 0)];
    function("classify", "enum kind classify", t.kind, &[("a", t.int), ("b", t.int), ("c", t.int)], branches)
}

fn digits(t: &BasicTypes) -> Function {
    let hidden = |id, text| branch(id, BranchKind::Condition, span(text, 0), Some(span("BETWEEN", 1)));
    let branches = vec![
        condition(3, "i < n", 0),
        hidden(4, "(x) >= (low)"),
        hidden(5, "(x) <= (high)"),
        condition(6, "count == 123456", 0),
    ];
    function("digits", "static int digits", t.int, &[("text", t.text), ("n", t.int)], branches)
}

fn scale(t: &BasicTypes) -> Function {
    let at = span("assert(d", 0).start;
    let empty = Span { file: 0, start: at, end: at };
    let branches = vec![
        branch(7, BranchKind::Unevaluated, empty, None),
        branch(8, BranchKind::Condition, empty, None),
        condition(9, "value == 7", 0),
    ];
    function("scale", "int scale", t.int, &[("value", t.int), ("divisor", t.int)], branches)
}

fn goal(branch: u32, outcome: bool) -> Goal {
    Goal { branch: BranchId(branch), outcome }
}

fn covered(branch: u32, outcome: bool, execution: u64) -> (Goal, GoalState) {
    (goal(branch, outcome), GoalState::Covered { engine: "avm".into(), execution })
}

fn test(name: &str, input: Input, outcome: Outcome, result: &[u128], covers: &[(u32, bool)]) -> TestCase {
    let covers: Vec<Goal> = covers.iter().map(|&(b, o)| goal(b, o)).collect();
    let result = result.iter().map(|&bits| Seen::Bits(bits)).collect();
    TestCase {
        name: name.into(),
        input,
        outcome,
        observation: Observation { result, ..Observation::default() },
        leaks: Vec::new(),
        undefined: None,
        calls: None,
        purpose: covers.clone(),
        covers,
    }
}

fn ints(space: &Space, values: &[i32]) -> Input {
    let mut input = Input::zero(space);
    for (i, &value) in values.iter().enumerate() {
        *input.cell_mut(Var { object: i as u32, cell: 0 }) = u128::from(value as u32);
    }
    input
}

fn text(space: &Space, text: &[u8], n: i32) -> Input {
    let mut input = ints(space, &[0, n]);
    input.point_to_new(space, Var { object: 0, cell: 0 }, text.len() as u32);
    for (i, &byte) in text.iter().enumerate() {
        *input.cell_mut(Var { object: 2, cell: i as u32 }) = u128::from(byte);
    }
    assert_eq!(input.cell(Var { object: 0, cell: 0 }), Pointer::Element { object: 2, element: 0 }.encode());
    input
}

fn space(program: &Program, function: u32) -> Space {
    Space::new(program, program.function(FunctionId(function)), SpaceLimits::default(), &[])
        .expect("supported types")
}

fn result(function: u32, space: Space) -> FunctionResult {
    FunctionResult {
        function: FunctionId(function),
        space: Some(space),
        goals: vec![],
        tests: vec![],
        findings: vec![],
        assumed: vec![],
        decisions: vec![],
        obligations: Vec::new(),
        executions: 0,
        seconds: 0.0,
        seed: 7 + u64::from(function),
        curve: vec![],
        unstable: vec![],
        approximations: vec![],
        exploration: None,
        sets: Vec::new(),
    }
}

fn classify_result(program: &Program) -> FunctionResult {
    let s = space(program, 0);
    let tests = vec![
        test("classify_line_11_col_9_true", ints(&s, &[0, 0, 0]), Outcome::Returned, &[0], &[(0, true)]),
        test(
            "classify_line_13_true",
            ints(&s, &[3, 3, 0]),
            Outcome::Returned,
            &[2],
            &[(0, false), (1, false), (2, true)],
        ),
        test(
            "classify_line_11_col_19_true",
            ints(&s, &[1, -5, 0]),
            Outcome::Returned,
            &[0],
            &[(0, false), (1, true)],
        ),
        test(
            "classify_line_13_false",
            ints(&s, &[3, 4, 0]),
            Outcome::Returned,
            &[1],
            &[(0, false), (1, false), (2, false)],
        ),
    ];
    let goals = vec![
        covered(0, true, 1),
        covered(0, false, 2),
        covered(1, true, 9),
        covered(1, false, 3),
        covered(2, true, 140),
        covered(2, false, 3),
    ];
    let curve = vec![(1, 1), (2, 2), (3, 4), (9, 5), (140, 6)];
    FunctionResult { goals, tests, executions: 140, seconds: 0.0042, curve, ..result(0, s) }
}

fn digits_result(program: &Program) -> FunctionResult {
    let s = space(program, 1);
    let name = |end: &str| format!("digits_line_{end}");
    let tests = vec![
        test(&name("22_false"), ints(&s, &[0, 0]), Outcome::Returned, &[0], &[(3, false), (6, false)]),
        test(
            &name("23_col_7_true"),
            text(&s, b"7a\0", 2),
            Outcome::Returned,
            &[1],
            &[(3, true), (3, false), (4, true), (5, true), (5, false), (6, false)],
        ),
    ];
    let crash = Crash { kind: CrashKind::Segmentation, site: 0x1139, access: Access::Null };
    let findings = vec![Finding {
        input: ints(&s, &[0, 1]),
        outcome: Outcome::Crashed(crash),
        place: Some("src/shapes.c:23".into()),
        culprit: None,
        also: Vec::new(),
        calls: None,
        stack: vec!["digits (src/shapes.c:23)".into()],
        reaches: vec![goal(4, false)],
    }];
    let goals = vec![
        covered(3, true, 6),
        covered(3, false, 1),
        covered(4, true, 6),
        (goal(4, false), GoalState::Unknown(Reason::OnlyByFinding(0))),
        covered(5, true, 212),
        covered(5, false, 6),
        (goal(6, true), GoalState::Unknown(Reason::Budget { level: Some(0) })),
        covered(6, false, 1),
    ];
    FunctionResult {
        goals,
        tests,
        findings,
        executions: 1_234_567,
        seconds: 1.84,
        curve: vec![(1, 2), (6, 5), (212, 6)],
        approximations: vec![("array cut at 256 elements".into(), 3)],
        exploration: Some(exploration()),
        ..result(1, s)
    }
}

fn scale_result(program: &Program) -> FunctionResult {
    let s = space(program, 2);
    let tests = vec![
        test("scale_line_32_false", ints(&s, &[0, 0]), Outcome::Aborted, &[], &[(7, false), (8, false)]),
        test(
            "scale_line_32_true",
            ints(&s, &[0, 1]),
            Outcome::Returned,
            &[0],
            &[(7, false), (8, true), (9, false)],
        ),
        test(
            "scale_line_33_true",
            ints(&s, &[7, 1]),
            Outcome::Exited(2),
            &[],
            &[(7, false), (8, true), (9, true)],
        ),
    ];
    let goals = vec![
        (goal(7, true), GoalState::Infeasible(Proof::NeverEvaluated)),
        covered(7, false, 1),
        covered(8, true, 2),
        covered(8, false, 1),
        covered(9, true, 31),
        covered(9, false, 2),
    ];
    let curve = vec![(1, 2), (2, 4), (31, 5)];
    FunctionResult { goals, tests, executions: 31, seconds: 0.002, curve, ..result(2, s) }
}
