//! How far real runs of compiled C are from goals. A number in a name is that of the checklist drawn from Awedikian's thesis; where the
//! thesis adds up or takes the least over conditions that C does not evaluate, the way through the decision takes its place
//! (docs/design/mcdc.md).

mod support;

use c_frontend::{Clang, SourceUnit, Surroundings, build_with_stubs};
use c_worker::{CTarget, Image, Isolation, Limits};
use goal::{Fitness, Plans};
use input::{Input, Space, SpaceLimits};
use model::{Function, FunctionId, Goal, Program};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::fixture;
use target::{Outcome, Target};

/// A process has one target at a time.
static ONE: Mutex<()> = Mutex::new(());

struct Runner {
    target: CTarget,
    program: Arc<Program>,
    _work: tempfile::TempDir,
    _one: MutexGuard<'static, ()>,
}

impl Runner {
    fn of(source: &str) -> Runner {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let work = tempfile::tempdir().expect("a temporary folder");
        let path = work.path().join("source.c");
        std::fs::write(&path, source).expect("written");
        let unit = SourceUnit { path, flags: Vec::new(), directory: work.path().to_owned() };
        let around = Surroundings { decisions: true, ..Surroundings::default() };
        let built = build_with_stubs(&[unit], around, &Clang::default(), work.path()).expect("it compiles");
        let program = Arc::new(built.program);
        let image = Image::load(&built.image, program.clone()).expect("it loads");
        let target = CTarget::new(image, Isolation::InProcess, Limits::default()).expect("a target");
        Runner { target, program, _work: work, _one: one }
    }

    fn thesis() -> Runner {
        Runner::of(&std::fs::read_to_string(fixture("../mcdc/thesis.c")).expect("the fixture"))
    }

    /// Runs a function of numbers and returns it.
    fn run(&mut self, name: &str, arguments: &[i64]) -> Function {
        let id = self.program.functions.iter().position(|f| f.name == name).expect("a function");
        let function = self.program.functions[id].clone();
        let space = Space::new(&self.program, &function, SpaceLimits::default(), &[]).expect("numbers");
        self.target.select(FunctionId(id as u32), &space);
        let mut input = Input::zero(&space);
        for (object, &argument) in input.objects.iter_mut().zip(arguments) {
            let width = space.table(object.table).leaves[0].width;
            object.cells[0] = argument as u128 & ((1 << width) - 1);
        }
        self.target.set_tick_limit(1 << 20);
        assert_eq!(self.target.run(&input), Outcome::Returned);
        function
    }

    /// The two distances of a condition that stands so in a line that begins so.
    fn distances(&self, function: &Function, source: &str, line: &str, condition: &str) -> [u128; 2] {
        let number = 1 + source.lines().position(|l| l.trim_start().starts_with(line)).expect("the line");
        let column =
            1 + source.lines().nth(number - 1).and_then(|l| l.find(condition)).expect("the condition");
        let here = |b: &&model::Branch| {
            (b.span.start.line, b.span.start.column) == (number as u32, column as u32) && b.counted
        };
        let branch = function.branches.iter().find(here).expect("a branch").id;
        [true, false].map(|outcome| self.target.distance(Goal { branch, outcome }))
    }

    /// How far the last run was from a vector of a decision.
    fn fitness(&self, function: &Function, decision: usize, letters: &str) -> Fitness {
        let decision = &function.decisions[decision];
        let is_it = |v: &model::Vector| v.letters(decision.conditions.len()) == letters;
        let (goal, _) = decision.vectors().into_iter().find(|(_, v)| is_it(v)).expect("a vector");
        Plans::new(function).plan(goal).fitness(|goal| self.target.distance(goal))
    }
}

const RANGES: &str = "int f(int x)\n{\n    if (x < 10 && x > -10)\n        return 1;\n    return 0;\n}\n";

#[test]
fn item_29_only_the_condition_that_went_wrong_is_far() {
    let mut runner = Runner::thesis();
    // Calc(12, -2, 3) comes to `y < 0`: two steps from the else branch there, and z was not asked.
    let calc = runner.run("calc", &[12, -2, 3]);
    let fitness = runner.fitness(&calc, 0, "FFF");
    assert_eq!((fitness.level, fitness.distance), (1, 2));
    // x is negative too: that comes first.
    let calc = runner.run("calc", &[-12, -2, 3]);
    assert_eq!(runner.fitness(&calc, 0, "FFF"), Fitness { level: 2, distance: 12 });
    let calc = runner.run("calc", &[12, 2, 3]);
    assert_eq!(runner.fitness(&calc, 0, "FFF"), Fitness { level: 0, distance: 0 });
}

#[test]
fn item_30_operands_are_computed() {
    let mut runner = Runner::thesis();
    let source = std::fs::read_to_string(fixture("../mcdc/thesis.c")).expect("the fixture");
    let next_date = runner.run("next_date", &[1, 2, 2399]);
    let line = "if (((year % 3 == 0)";
    // 2399 = 5 * 400 + 399, and 2399 % 3 = 2.
    assert_eq!(runner.distances(&next_date, &source, line, "(year % 400"), [399, 0]);
    assert_eq!(runner.distances(&next_date, &source, line, "(year % 3"), [2, 0]);
}

#[test]
fn item_31_a_vector_is_approached_condition_by_condition() {
    let mut runner = Runner::thesis();
    // x becomes y before the decision, so all three compare with 7.
    let calc = runner.run("calc", &[4, 7, 3]);
    let fitness = runner.fitness(&calc, 1, "TT-");
    assert_eq!((fitness.level, fitness.distance), (1, 5), "z > x is asked first, and 3 is five steps from 8");
    let fitness = runner.fitness(&calc, 1, "F-T");
    assert_eq!(
        (fitness.level, fitness.distance),
        (0, 12),
        "x and y add up to 14 with the value that x has there"
    );
    let calc = runner.run("calc", &[4, 7, 9]);
    assert_eq!(runner.fitness(&calc, 1, "TT-"), Fitness { level: 0, distance: 0 });
}

#[test]
fn item_32_the_least_step_is_that_of_the_type() {
    let mut runner = Runner::of(RANGES);
    let f = runner.run("f", &[10]);
    assert_eq!(runner.distances(&f, RANGES, "if", "x < 10"), [1, 0]);
    let f = runner.run("f", &[9]);
    assert_eq!(runner.distances(&f, RANGES, "if", "x < 10"), [0, 1]);
    drop(runner);
    // Equal is not less, however small the step to it.
    let source = RANGES.replace("x <", "(double)x <");
    let mut runner = Runner::of(&source);
    let f = runner.run("f", &[10]);
    let [to_true, to_false] = runner.distances(&f, &source, "if", "(double)x");
    assert!(to_true > 0 && to_false == 0);
}
