//! What every strategy owes its caller.

use crate::testing::{BruteForce, Machine, Subject, goal};
use crate::{Answer, Explorer, Limits, Solve, Stop, all, by_name, explore};
use expr::{Assignment, Op, Tape, Term, Terms};

/// A loop, a switch and nested conditions over two variables.
fn mixed(machine: &mut Machine<'_>) {
    let (x, y) = (machine.var(0), machine.var(1));
    for i in 0..4 {
        let condition = machine.compare(Op::Ult, x, 10 - 2 * i);
        if !machine.branch(0, condition) {
            break;
        }
    }
    if machine.switch(y, &[(1, 3), (2, 7)], 3) == 1 {
        let sum = machine.terms.binary(Op::Add, x, y);
        let condition = machine.compare(Op::Eq, sum, 12);
        machine.branch(4, condition);
    }
}

#[test]
fn every_name_leads_back_to_its_strategy() {
    let names: Vec<&str> = all().iter().map(|strategy| strategy.name()).collect();
    let expected = [
        "cfg-pool",
        "cfg",
        "generational",
        "extension",
        "nearest",
        "tree",
        "random-branch",
        "uniform",
        "dfs",
        "random",
    ];
    assert_eq!(names, expected);
    for strategy in all() {
        assert_eq!(by_name(strategy.name()).map(|s| s.summary()), Some(strategy.summary()));
        for (name, value, _) in strategy.parameters() {
            let value = value.parse().expect("a number");
            let same = strategy.with(name, value).expect("a parameter");
            assert_eq!(same.name(), strategy.name());
        }
        assert!(strategy.with("none", 1).is_none());
    }
    assert!(by_name("none").is_none());
}

#[test]
fn same_seed_same_exploration() {
    let inputs = |strategy, seed| {
        let mut subject = Subject::new(&[4, 4], mixed);
        let limits = Limits { runs: 60, stop_when_complete: false, ..Limits::default() };
        subject.explore(strategy, limits, seed, |_, _| ());
        subject.inputs
    };
    for strategy in all() {
        assert_eq!(inputs(*strategy, 5), inputs(*strategy, 5), "{}", strategy.name());
        assert_ne!(inputs(*strategy, 5), inputs(*strategy, 6), "{}", strategy.name());
        assert_eq!(inputs(*strategy, 5)[0], [0, 0], "{}", strategy.name());
    }
}

#[test]
fn forced_runs_never_repeat_a_path_not_even_after_a_restart() {
    let many = |machine: &mut Machine<'_>| {
        for bit in 0..10 {
            let condition = machine.bit(0, bit);
            machine.branch(bit, condition);
        }
    };
    let dfs = by_name("dfs").unwrap().with("depth", 3).unwrap();
    let generational = by_name("generational").unwrap().with("pending", 40).unwrap();
    for strategy in [&*dfs, &*generational, by_name("tree").unwrap()] {
        let limits = Limits { runs: 600, ..Limits::default() };
        let mut subject = Subject::new(&[10], many);
        subject.explore(strategy, limits, 9, |explorer, _| {
            let statistics = explorer.statistics();
            let starts = statistics.runs - statistics.forced;
            assert!(statistics.repeats < starts, "{}: {statistics:?}", strategy.name());
        });
        assert_eq!(subject.log.len(), 600);
    }
}

#[test]
fn an_exploration_can_be_interrupted() {
    for strategy in all() {
        let mut subject = Subject::new(&[4, 4], mixed);
        let mut solver = BruteForce::new(&[4, 4]);
        let limits = Limits { stop_when_complete: false, ..Limits::default() };
        let mut asked = 0;
        let mut explorer =
            Explorer::new(&mut subject, &mut solver, [], limits, 1).with_interrupt(move || {
                asked += 1;
                asked > 30
            });
        assert_eq!(explore(*strategy, &mut explorer, vec![0, 0]), Stop::Interrupted, "{}", strategy.name());
        let statistics = explorer.statistics();
        assert_eq!(statistics.runs + statistics.sat + statistics.unsat, 30, "{}", strategy.name());
    }
}

#[test]
fn without_variables_there_is_one_run() {
    for strategy in all() {
        let mut subject = Subject::new(&[], |_| {});
        let stop = subject.explore(*strategy, Limits::default(), 1, |explorer, stop| {
            assert_eq!(explorer.statistics().runs, 1, "{}", strategy.name());
            stop
        });
        assert_eq!(stop, Stop::Complete);
    }
}

#[test]
fn where_nothing_can_be_forced_the_queries_are_limited() {
    let many = |machine: &mut Machine<'_>| {
        for i in 0..50 {
            let x = machine.var(0);
            let condition = machine.compare(Op::Eq, x, 5 * i + 1);
            machine.branch(0, condition);
        }
    };
    for name in ["dfs", "uniform", "random-branch", "tree", "generational"] {
        let mut subject = Subject::new(&[8], many);
        let mut solver = BruteForce::new(&[8]);
        solver.gives_up = |_| true;
        let limits = Limits { runs: 2000, queries: 20, ..Limits::default() };
        let mut explorer = Explorer::new(&mut subject, &mut solver, [], limits, 1);
        let strategy = by_name(name).expect("a strategy");
        assert_eq!(explore(strategy, &mut explorer, vec![0]), Stop::Budget, "{name}");
        assert_eq!(explorer.statistics().unknown, 20, "{name}");
        assert!(explorer.tree().census().timed_out > 0 && !explorer.tree().is_complete());
    }
}

#[test]
fn exploration_ends_when_the_goals_are_covered() {
    for strategy in all().iter().filter(|strategy| !strategy.name().starts_with("cfg")) {
        let mut subject = Subject::new(&[4, 4], mixed);
        let mut solver = BruteForce::new(&[4, 4]);
        let mut curve = Vec::new();
        let goals = [goal(4, true), goal(1, true)];
        let limits = Limits { runs: 5000, ..Limits::default() };
        let mut explorer = Explorer::new(&mut subject, &mut solver, goals, limits, 2)
            .with_sink(|progress| curve.push((progress.execution.number, progress.covered)));
        assert_eq!(explore(*strategy, &mut explorer, vec![0, 0]), Stop::Covered, "{}", strategy.name());
        let covered = explorer.covered();
        drop(explorer);
        assert!(curve.is_sorted() && curve.iter().map(|point| point.0).eq(1..=curve.len() as u64));
        assert_eq!(curve.last().map(|point| point.1), Some(covered));
        assert!(curve.is_sorted_by_key(|point| point.1));
    }
}

/// Checks that the hint differs from what is asked in the last step only.
struct Hinted(BruteForce);

impl Solve for Hinted {
    fn solve(&mut self, terms: &mut Terms, constraints: &[Term], hint: &Assignment) -> Answer {
        let (_, before) = constraints.split_last().expect("something is asked");
        let mut tape = Tape::new(terms, before);
        tape.run(hint);
        assert!(before.iter().all(|&constraint| tape.value(constraint) == 1));
        self.0.solve(terms, constraints, hint)
    }
}

#[test]
fn hints_satisfy_all_but_the_last_constraint() {
    for strategy in all() {
        let mut subject = Subject::new(&[4, 4], mixed);
        let mut solver = Hinted(BruteForce::new(&[4, 4]));
        let mut explorer = Explorer::new(&mut subject, &mut solver, [], Limits::default(), 2);
        explore(*strategy, &mut explorer, vec![3, 7]);
    }
}

#[test]
fn divergences_are_counted_and_their_paths_used() {
    // The second branch says that it depends on the lowest bit, but it looks at the next one.
    let lying = |machine: &mut Machine<'_>| {
        let (claimed, real) = (machine.bit(0, 0), machine.bit(0, 1));
        let outcome = machine.value(real) != 0;
        let before = machine.run.path.decisions.len();
        machine.branch(0, claimed);
        if let Some(decision) = machine.run.path.decisions.get_mut(before)
            && (machine.run.hit.last() == Some(&goal(0, true))) != outcome
        {
            std::mem::swap(&mut decision.taken, &mut decision.others[0]);
        }
        machine.run.hit = vec![goal(0, outcome)];
        if machine.value(claimed) != 0 {
            machine.run.hit.push(goal(1, true));
        }
    };
    for name in ["dfs", "tree", "generational", "random-branch", "uniform"] {
        let strategy = by_name(name).expect("a strategy");
        let mut subject = Subject::new(&[2], lying);
        let limits = Limits { runs: 20, stop_when_complete: false, ..Limits::default() };
        subject.explore(strategy, limits, 1, |explorer, _| {
            let divergences = explorer.statistics().divergences;
            assert!(divergences > 0, "{name}");
            let places = explorer.diverged();
            assert_eq!(places.values().sum::<u64>(), divergences, "{name}");
            assert!(places.keys().all(|place| place.is_some_and(|at| at.branch == goal(0, true).branch)));
            assert!(!explorer.is_uncovered(goal(1, true)), "{name}: the diverged run covers it");
            assert!(!explorer.tree().is_complete(), "{name}");
        });
    }
}

/// A loop of up to seven rounds, each with a decision of its own beside that to go on: 255 paths, one of them longest.
fn rounds(machine: &mut Machine<'_>) {
    for round in 0..7 {
        let go_on = machine.bit(0, round);
        if !machine.branch(0, go_on) {
            return;
        }
        let beside = machine.bit(1, round);
        machine.branch(1, beside);
    }
    let all = machine.bit(0, 7);
    machine.branch(2, all);
}

/// Four characters must be right, and each is looked at only if the one before is. How many are is counted, not computed: the
/// last question is no term, but it has a distance.
fn counted(machine: &mut Machine<'_>, is_told: bool) {
    let mut right = 0;
    for place in 0..4 {
        let low = machine.bit(0, 2 * place);
        let high = machine.bit(0, 2 * place + 1);
        let both = machine.terms.binary(Op::And, low, high);
        if !machine.branch(0, both) {
            break;
        }
        right += 1;
    }
    // Beside it, much that leads nowhere.
    for bit in 8..14 {
        let beside = machine.bit(0, bit);
        machine.branch(1, beside);
    }
    machine.run.hit.push(goal(2, right == 4));
    if right < 4 && is_told {
        machine.run.near.push((goal(2, true), (0, 4 - right)));
    }
}

#[test]
fn nearest_goes_on_from_what_came_closest() {
    let runs_until_reached = |name: &str, is_told: bool| {
        // Wider than characters, whose questions count by themselves.
        let mut subject = Subject::new(&[14], |machine: &mut Machine<'_>| counted(machine, is_told));
        let limits = Limits { runs: 20_000, ..Limits::default() };
        subject.explore(by_name(name).expect("a strategy"), limits, 1, |_, _| ());
        subject.inputs.iter().position(|input| input[0] & 0xff == 0xff).expect("reached")
    };
    let told = runs_until_reached("nearest", true);
    for other in [runs_until_reached("nearest", false), runs_until_reached("generational", true)] {
        assert!(told < other, "{told} against {other}");
    }
}

const WORD: [u128; 2] = [3, 1];

/// Whether a text begins with [`WORD`], compared by one branch, so that coverage does not tell how far it got; beside it, much
/// that leads nowhere.
fn word(machine: &mut Machine<'_>) {
    let mut is_word = true;
    for (i, &letter) in WORD.iter().enumerate() {
        let letter_here = machine.var(i as u32);
        let is_letter = machine.compare(Op::Eq, letter_here, letter);
        if !machine.branch(0, is_letter) {
            is_word = false;
            break;
        }
    }
    for bit in 0..9 {
        let beside = machine.bit(2, bit);
        machine.branch(1, beside);
    }
    machine.run.hit.push(goal(2, is_word));
}

#[test]
fn nearest_follows_answers_of_a_new_kind() {
    let runs_until_reached = |name: &str| {
        let mut subject = Subject::new(&[2, 2, 9], word);
        let limits = Limits { runs: 20_000, ..Limits::default() };
        subject.explore(by_name(name).expect("a strategy"), limits, 1, |_, _| ());
        subject.inputs.iter().position(|input| input[..2] == WORD).expect("reached")
    };
    let (nearest, generational) = (runs_until_reached("nearest"), runs_until_reached("generational"));
    assert!(nearest < 40 && nearest < generational, "{nearest} against {generational}");
}

#[test]
fn extension_comes_to_the_end_of_a_loop_in_as_many_runs_as_it_has_rounds() {
    let runs_until_end = |name: &str| {
        let mut subject = Subject::new(&[8, 7], rounds);
        let limits = Limits { runs: 400, ..Limits::default() };
        subject.explore(by_name(name).expect("a strategy"), limits, 1, |_, _| ());
        let end = u128::from(goal(2, false).index() as u64);
        subject.log.iter().position(|run| run.contains(&end) || run.contains(&(end ^ 1))).expect("the end")
    };
    assert!(runs_until_end("extension") <= 8, "{}", runs_until_end("extension"));
    assert!(runs_until_end("generational") > 8, "{}", runs_until_end("generational"));
}
