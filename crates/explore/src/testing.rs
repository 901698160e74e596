//! Subjects for the tests of this crate: programs written as closures over terms, a solver that tries everything,
//! and models with a control flow.

use crate::{Answer, Cfcg, Explorer, Limits, Program, Run, Solve, Step, Stop, Strategy, explore};
use expr::{Assignment, Op, Tape, Term, Terms, Variable, mask};
use fastrand::Rng;
use model::{BlockId, Branch, BranchId, BranchKind, Cfg, Edge, Function, FunctionId, Goal, Span, TypeId};
use smallvec::SmallVec;
use target::{Decision, Way};

pub(crate) fn goal(branch: u32, outcome: bool) -> Goal {
    Goal { branch: BranchId(branch), outcome }
}

/// A program: a closure that branches through its [`Machine`].
pub(crate) struct Subject<F> {
    widths: Vec<u32>,
    code: F,
    /// Whether runs keep all branches in order.
    pub(crate) traced: bool,
    /// What every run did: outcomes and pinned numbers in order.
    pub(crate) log: Vec<Vec<u128>>,
    /// The inputs of all runs.
    pub(crate) inputs: Vec<Vec<u128>>,
}

impl<F: Fn(&mut Machine<'_>)> Subject<F> {
    pub(crate) fn new(widths: &[u32], code: F) -> Subject<F> {
        Subject { widths: widths.to_vec(), code, traced: false, log: Vec::new(), inputs: Vec::new() }
    }

    /// Explores without goals; the statistics and the tree are judged by the caller.
    pub(crate) fn explore<R>(
        &mut self,
        strategy: &dyn Strategy,
        limits: Limits,
        seed: u64,
        judge: impl FnOnce(&Explorer<'_>, Stop) -> R,
    ) -> R {
        let mut solver = BruteForce::new(&self.widths);
        let start = vec![0; self.widths.len()];
        let mut explorer = Explorer::new(self, &mut solver, [], limits, seed);
        let stop = explore(strategy, &mut explorer, start);
        judge(&explorer, stop)
    }

    /// What every input does, by running them all.
    pub(crate) fn all_paths(&mut self) -> Vec<Vec<u128>> {
        let before = std::mem::take(&mut self.log);
        let mut terms = Terms::new();
        for input in all_inputs(&self.widths.clone()) {
            self.run(&mut terms, &input);
        }
        let mut paths = std::mem::replace(&mut self.log, before);
        self.inputs.clear();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

impl<F: Fn(&mut Machine<'_>)> Program for Subject<F> {
    fn run(&mut self, terms: &mut Terms, assignment: &Assignment) -> Run {
        let mut machine = Machine {
            terms,
            assignment,
            widths: &self.widths,
            run: Run::default(),
            steps: Vec::new(),
            log: Vec::new(),
        };
        (self.code)(&mut machine);
        let Machine { mut run, steps, log, .. } = machine;
        run.trace = self.traced.then_some(steps);
        self.log.push(log);
        self.inputs.push(assignment.to_vec());
        run
    }

    fn random(&mut self, rng: &mut Rng) -> Option<Vec<u128>> {
        random_bits(&self.widths, rng)
    }
}

/// What a program computes with.
pub(crate) struct Machine<'a> {
    pub(crate) terms: &'a mut Terms,
    assignment: &'a Assignment,
    widths: &'a [u32],
    pub(crate) run: Run,
    steps: Vec<Step>,
    log: Vec<u128>,
}

impl Machine<'_> {
    pub(crate) fn var(&mut self, index: u32) -> Term {
        self.terms.variable(Variable(index), self.widths[index as usize])
    }

    /// Another call begins.
    pub(crate) fn call(&mut self) {
        self.run.path.calls.push(self.run.path.decisions.len() as u32);
    }

    pub(crate) fn bit(&mut self, index: u32, bit: u32) -> Term {
        let var = self.var(index);
        self.terms.extract(var, bit, 1)
    }

    pub(crate) fn compare(&mut self, op: Op, a: Term, b: u128) -> Term {
        let width = self.terms.width(a);
        let b = self.terms.constant(b, width);
        self.terms.binary(op, a, b)
    }

    pub(crate) fn value(&self, term: Term) -> u128 {
        let mut tape = Tape::new(self.terms, &[term]);
        tape.run(self.assignment);
        tape.value(term)
    }

    /// A branch; if the condition is a constant it is none of the path.
    pub(crate) fn branch(&mut self, id: u32, condition: Term) -> bool {
        let outcome = self.value(condition) != 0;
        let negation = self.terms.not(condition);
        let way = |outcome| Way {
            goal: Some(goal(id, outcome)),
            condition: if outcome { condition } else { negation },
        };
        let symbolic = self.terms.value(condition).is_none();
        self.decide(way(outcome), symbolic.then(|| SmallVec::from_iter([way(!outcome)])));
        outcome
    }

    /// A switch over a value; the last way is the default.
    pub(crate) fn switch(&mut self, value: Term, cases: &[(u32, u128)], default: u32) -> usize {
        let mut none = self.terms.truth(true);
        let mut ways = Vec::new();
        for &(id, case) in cases {
            let condition = self.compare(Op::Eq, value, case);
            let not = self.terms.not(condition);
            none = self.terms.binary(Op::And, none, not);
            ways.push(Way { goal: Some(goal(id, true)), condition });
        }
        ways.push(Way { goal: Some(goal(default, true)), condition: none });
        let taken = ways.iter().position(|way| self.value(way.condition) != 0).expect("one holds");
        let way = ways.remove(taken);
        let missed = ways.iter().filter_map(|way| way.goal);
        self.run.hit.extend(missed.map(|missed| Goal { outcome: false, ..missed }));
        self.decide(way, Some(SmallVec::from_iter(ways)));
        taken
    }

    /// Uses a value as a number.
    pub(crate) fn pin(&mut self, value: Term) -> u128 {
        let number = self.value(value);
        let condition = self.compare(Op::Eq, value, number);
        self.run.path.decisions.push(Decision::pin(condition));
        self.log.push(1000 + number);
        number
    }

    fn decide(&mut self, taken: Way, others: Option<SmallVec<[Way; 1]>>) {
        let goal = taken.goal.expect("branches have goals");
        let decision = others.is_some().then_some(self.run.path.decisions.len() as u32);
        self.steps.push(Step { goal, decision });
        self.run.hit.push(goal);
        self.log.push(goal.index() as u128);
        self.run.path.decisions.extend(others.map(|others| Decision::between(taken, others)));
    }
}

/// Random bits for variables of these widths; `None` if there are none.
pub(crate) fn random_bits(widths: &[u32], rng: &mut Rng) -> Option<Vec<u128>> {
    (!widths.is_empty()).then(|| widths.iter().map(|&width| rng.u128(..) & mask(width)).collect())
}

/// A solver that tries every input, in order.
pub(crate) struct BruteForce {
    widths: Vec<u32>,
    /// Answers `Unknown` where this says so about the constraints.
    pub(crate) gives_up: fn(&[Term]) -> bool,
}

impl BruteForce {
    pub(crate) fn new(widths: &[u32]) -> BruteForce {
        BruteForce { widths: widths.to_vec(), gives_up: |_| false }
    }
}

impl Solve for BruteForce {
    fn solve(&mut self, terms: &mut Terms, constraints: &[Term], _: &Assignment) -> Answer {
        if (self.gives_up)(constraints) {
            return Answer::Unknown;
        }
        let mut tape = Tape::new(terms, constraints);
        let found = all_inputs(&self.widths).find(|input| {
            tape.run(input);
            constraints.iter().all(|&constraint| tape.value(constraint) == 1)
        });
        found.map_or(Answer::Unsat, Answer::Sat)
    }
}

pub(crate) fn all_inputs(widths: &[u32]) -> impl Iterator<Item = Vec<u128>> + use<> {
    let widths = widths.to_vec();
    let bits: u32 = widths.iter().sum();
    assert!(bits <= 16, "too many inputs to try");
    (0..1u128 << bits).map(move |mut number| {
        let mut take = |&width: &u32| {
            let value = number & expr::mask(width);
            number >>= width;
            value
        };
        widths.iter().map(&mut take).collect()
    })
}

/// A function whose blocks have these edges: `(to, outcomes that take it)`.
pub(crate) fn function(kinds: &[(u32, BranchKind, u32)], blocks: &[&[(u32, &[Goal])]]) -> Function {
    let branch = |&(id, kind, block): &(u32, BranchKind, u32)| Branch {
        id: BranchId(id),
        kind,
        span: Span::default(),
        expansion: None,
        block: BlockId(block),
        counted: true,
    };
    let edge = |&(to, goals): &(u32, &[Goal])| Edge { to: BlockId(to), taken_by: goals.to_vec() };
    Function {
        name: "f".into(),
        symbol: "f".into(),
        span: Span::default(),
        is_static: false,
        variadic: false,
        rest: None,
        params: Vec::new(),
        made: Vec::new(),
        ret: TypeId(0),
        branches: kinds.iter().map(branch).collect(),
        cfg: Cfg { successors: blocks.iter().map(|edges| edges.iter().map(edge).collect()).collect() },
        decisions: Vec::new(),
        left_out: Vec::new(),
        data: None,
        reads: Vec::new(),
        hidden: Vec::new(),
        writes: Vec::new(),
        calls: Vec::new(),
        externals: Vec::new(),
        stubs: Vec::new(),
        uncallable: None,
        constants: Vec::new(),
        pointees: Vec::new(),
        strings: Vec::new(),
    }
}

/// A function of conditions only: each `(branch, block, block if true, block if false)`.
pub(crate) fn conditions(blocks: u32, list: &[(u32, u32, u32, u32)]) -> Function {
    let kinds: Vec<_> = list.iter().map(|&(id, block, ..)| (id, BranchKind::Condition, block)).collect();
    let mut made = function(&kinds, &vec![&[][..]; blocks as usize]);
    for &(id, block, when_true, when_false) in list {
        let edge = |to, outcome| Edge { to: BlockId(to), taken_by: vec![goal(id, outcome)] };
        made.cfg.successors[block as usize] = vec![edge(when_true, true), edge(when_false, false)];
    }
    made
}

/// A program of these functions; who calls whom is added by the caller.
pub(crate) fn program(functions: Vec<Function>) -> model::Program {
    let ids = functions.iter().flat_map(|f| f.branches.iter().map(|b| b.id.0 + 1));
    let branch_count = ids.max().unwrap_or(0);
    model::Program { functions, branch_count, ..model::Program::default() }
}

pub(crate) fn graph(functions: Vec<Function>) -> Cfcg {
    Cfcg::new(&program(functions))
}

pub(crate) fn direct(caller: u32, block: u32, callee: u32) -> model::CallSite {
    model::CallSite { caller: FunctionId(caller), block: BlockId(block), callee: FunctionId(callee) }
}
