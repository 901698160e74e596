//! Tests are believed when machines that were just started do the same twice, and when they do not hang on each other.

use crate::account::spelled;
use crate::caught;
use crate::doubt::doubtful;
use crate::noticed::{Noticed, noticed};
use crate::origin::Origin;
use crate::parallel::side_by_side;
use crate::program::JavaProgram;
use crate::reduce::reduce;
use crate::rules::Rules;
use crate::search::{Found, SearchSettings};
use crate::suspect::is_of_linking;
use crate::telling::{look_into_arrays, shows, told};
use crate::vivid::livelier;
use campaign::{Progress, Variant};
use input::Rng;
use java_frontend::{Judge, java_name};
use java_wire::event::{Code, Events, before_step};
use java_wire::message::{End, Manner, Reply, Seen, Thrown};
use java_wire::{Action, Script, Step, Value};
use java_worker::{Answer, Home, Host, StartError};
use model::{FunctionId, Goal};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ticks of a test: far more than a search allows.
const TICKS: u64 = 1 << 20;
/// In classes that were just loaded.
pub(crate) const AS_NEW: Manner =
    Manner { ticks: TICKS, full: false, fresh: true, observe: true, watched: false };
/// Tests for which it is worth to start one more pair of machines.
const TESTS_OF_A_PAIR: usize = 20;
/// Orders in which tests are tried one after the other.
const ORDERS: u64 = 4;

/// Why tests are dropped.
const CAUGHT: &str =
    "it catches that the stack or the memory of the machine is used up, or takes the machine with it";
const NOT_WHOLE: &str = "it does not come to its end alone, or leaves threads or files behind";
const DEPENDENT: &str = "it does something else after other tests than alone";

/// What is not asserted.
const DIFFERENT_WORDS: &str = "the message of its exception differs from machine to machine; not asserted";

/// A test with everything that is expected of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The method that it is for.
    pub method: FunctionId,
    /// Its calls.
    pub script: Script,
    /// Its values.
    pub values: Vec<Value>,
    /// How it ends.
    pub end: End,
    /// What its steps give.
    pub results: Vec<Seen>,
    /// What its observers see; those that saw different things are gone from the script.
    pub observed: Vec<Seen>,
    /// All goals that it reaches.
    pub covers: BTreeSet<Goal>,
    /// Who found it, and when.
    pub origin: Origin,
    /// What was seen once and differed in another machine, in words: nobody asserts it.
    pub doubts: Vec<String>,
}

impl Test {
    /// Forgets observers for which there is no `true`.
    fn keep_observers(&mut self, kept: &[bool]) {
        let (mut step, mut seen) = (kept.iter(), kept.iter());
        self.script.observers.retain(|_| step.next() == Some(&true));
        self.observed.retain(|_| seen.next() == Some(&true));
    }
}

/// What became of what was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Confirmed {
    /// Tests that together reach all that was confirmed.
    pub tests: Vec<Test>,
    /// Tests that did not repeat themselves, alone or after others: what they were for, and what differed, in words.
    pub unstable: Vec<(FunctionId, String)>,
    /// Goals that only those reach.
    pub lost: BTreeSet<Goal>,
    /// Goals that tests reach on the way to an exception, so that JaCoCo would not notice.
    pub unnoticed: BTreeSet<Goal>,
    /// Tests before redundant ones were left out.
    pub found: usize,
}

/// Chooses as few tests as reach everything, makes them small, and repeats them in two machines, so many tests at a time.
///
/// # Errors
/// When no machine can be started.
pub fn confirm(
    program: &JavaProgram,
    home: &Arc<Home>,
    found: &[Found],
    settings: &SearchSettings,
    jobs: usize,
) -> Result<Confirmed, StartError> {
    let mut covers = needed(program, found, settings.mcdc);
    let goals: BTreeSet<Goal> = covers.iter().flatten().copied().collect();
    let mut chosen = suite::minimise(&covers);
    add_untested(found, &mut chosen);
    let may_catch = caught::may_catch(&program.classes.own);
    let machines = || Pair { program, home, settings, may_catch, hosts: None };
    let mut confirmed = Confirmed { found: found.len(), ..Confirmed::default() };
    let mut good: BTreeMap<usize, Test> = BTreeMap::new();
    while !chosen.is_empty() {
        chosen.sort_unstable_by_key(|(index, _)| *index);
        let jobs = jobs.min(1 + chosen.len() / TESTS_OF_A_PAIR);
        let tests = side_by_side(jobs, &chosen, machines, |pair, (index, purpose)| {
            pair.confirm(&found[*index], &purpose.iter().copied().collect())
        });
        for ((index, purpose), test) in chosen.into_iter().zip(tests) {
            covers[index].clear();
            match test? {
                Tried::Good(test) => drop(good.insert(index, *test)),
                Tried::Unstable(why) => {
                    let Found { method, script, .. } = &found[index];
                    confirmed.unstable.push((*method, dropped(script, &why)));
                    confirmed.lost.extend(purpose);
                }
                Tried::Unnoticed => confirmed.unnoticed.extend(purpose),
            }
        }
        confirmed.forget_what_is_covered(good.values());
        // Others that nobody needed so far may reach it, too.
        let is_open = |goal: &Goal| confirmed.lost.contains(goal) || confirmed.unnoticed.contains(goal);
        covers.iter_mut().for_each(|covers| covers.retain(is_open));
        chosen = suite::minimise(&covers);
    }
    confirmed.tests = good.into_values().collect();
    if program.has_state {
        drop_dependent(program, home, &mut confirmed)?;
    }
    if !program.model.boundaries.is_empty() {
        drop_unneeded(&mut confirmed.tests, &goals);
    }
    let tests = std::mem::take(&mut confirmed.tests);
    confirmed.forget_what_is_covered(&tests);
    Ok(Confirmed { tests, ..confirmed })
}

impl Confirmed {
    /// What some of these tests reaches is not lost.
    fn forget_what_is_covered<'t>(&mut self, tests: impl IntoIterator<Item = &'t Test>) {
        for test in tests {
            self.lost.retain(|goal| !test.covers.contains(goal));
            self.unnoticed.retain(|goal| !test.covers.contains(goal));
        }
    }
}

/// What became of a test.
enum Tried {
    Good(Box<Test>),
    /// It does not repeat itself, for this reason.
    Unstable(String),
    /// JaCoCo would not notice what it is for.
    Unnoticed,
}

/// Two machines in which tests are repeated, from the first test on.
struct Pair<'a> {
    program: &'a JavaProgram,
    home: &'a Arc<Home>,
    settings: &'a SearchSettings,
    /// Some code may catch that a machine has no more stack or memory.
    may_catch: bool,
    hosts: Option<[Host; 2]>,
}

impl Pair<'_> {
    /// A test as small as it gets, if both machines say the same and it reaches what it is kept for.
    fn confirm(&mut self, test: &Found, purpose: &BTreeSet<Goal>) -> Result<Tried, StartError> {
        match self.reduced(test, purpose, false)? {
            // It may be noticed of the test as it was found.
            Tried::Unnoticed => self.reduced(test, purpose, true),
            tried => Ok(tried),
        }
    }

    /// The same; of every smaller test it is asked what JaCoCo notices, or of the last one only.
    fn reduced(&mut self, test: &Found, purpose: &BTreeSet<Goal>, asks: bool) -> Result<Tried, StartError> {
        let Pair { program, settings, .. } = *self;
        let hosts = match &mut self.hosts {
            Some(hosts) => hosts,
            none => none.insert([Host::start_in(self.home)?, Host::start_in(self.home)?]),
        };
        // Each test as if it were the only one, whichever came before it here.
        hosts.iter_mut().for_each(Host::forget);
        let [first, second] = hosts;
        let mut holds = |script: &Script, values: &[Value]| {
            if !settings.rules.permit(&settings.options, script, values) {
                return false;
            }
            let manner = Manner { watched: true, ..AS_NEW };
            let ran = once(program, first, script, values, manner).ok().flatten();
            let reaches = |ran: Once| {
                settings.rules.permit_end(&ran.reply.end, script)
                    && purpose.is_subset(&ran.by_last)
                    && (asks || purpose.is_disjoint(&ran.doubtful))
            };
            ran.is_some_and(reaches)
                && (!asks
                    || Whole::of(program, first, script, values)
                        .is_ok_and(|whole| purpose.iter().all(|goal| whole.notices(goal))))
        };
        let mut script = test.script.clone();
        if !settings.rules.asserts {
            script.observers.clear();
        }
        let (mut script, mut values) = reduce(script, test.values.clone(), &mut holds);
        if settings.rules.asserts {
            look_into_arrays(&mut script);
            let mut shown = |values: &[Value]| shows(program, second, test.method, &script, values);
            if shown(&values)? == Some(false) {
                // That nothing changes says more of a five than of a zero.
                let mut best = None;
                for lively in livelier(&script, &values, |class| program.hierarchy.own(class).is_some()) {
                    let shown = if holds(&script, &lively) { shown(&lively)? } else { None };
                    if shown == Some(true) || (shown.is_some() && best.is_none()) {
                        best = Some(lively);
                    }
                    if shown == Some(true) {
                        break;
                    }
                }
                values = best.unwrap_or(values);
            }
        }
        let whole = Whole::of(program, first, &script, &values)?;
        if self.may_catch && whole.catches {
            return Ok(Tried::Unstable(CAUGHT.to_owned()));
        }
        let Some(one) = once(program, first, &script, &values, AS_NEW)? else {
            return Ok(Tried::Unstable(NOT_WHOLE.to_owned()));
        };
        let is_there = purpose.is_subset(&one.covers);
        let test = repeated(program, second, &settings.rules, one, &whole, (test, script, values))?;
        Ok(match test {
            Ok(test) if purpose.is_subset(&test.covers) => Tried::Good(Box::new(test)),
            Ok(_) if is_there => Tried::Unnoticed,
            Ok(_) => Tried::Unstable("it does not reach again what it was kept for".to_owned()),
            Err(why) => Tried::Unstable(why),
        })
    }
}

/// A run with all hooks, looked at.
struct Whole<'p> {
    /// It gets by because it catches that the machine has no more stack or memory.
    catches: bool,
    /// What JaCoCo notices of it, if that can be told.
    noticed: Option<Noticed<'p>>,
}

impl<'p> Whole<'p> {
    fn of(
        program: &'p JavaProgram,
        host: &mut Host,
        script: &Script,
        values: &[Value],
    ) -> Result<Whole<'p>, StartError> {
        let (number, _) = host.learn(script)?;
        let manner = Manner { ticks: TICKS, full: true, fresh: true, observe: false, watched: false };
        Ok(match host.run(number, values, manner)? {
            Answer::Ran(ran) => {
                Whole { catches: caught::has_caught(&ran), noticed: noticed(program, script, values, &ran) }
            }
            Answer::Gone(_) => Whole { catches: true, noticed: None },
        })
    }

    /// Nothing speaks against it that JaCoCo notices an outcome.
    fn notices(&self, goal: &Goal) -> bool {
        self.noticed.as_ref().and_then(|noticed| noticed.holds(goal)).unwrap_or(true)
    }
}

/// What each test is kept for: branch outcomes, and of vectors those that show a condition.
fn needed(program: &JavaProgram, found: &[Found], variant: Variant) -> Vec<Vec<Goal>> {
    let functions = &program.model.program.functions;
    let vectors: BTreeSet<Goal> = functions.iter().flat_map(|function| function.vectors()).collect();
    let mut progress = Progress::new(functions.iter().flat_map(|function| &function.decisions), variant);
    found.iter().flat_map(|test| &test.covers).for_each(|&goal| progress.reach(goal));
    let showing: BTreeSet<Goal> = progress.needed().into_iter().collect();
    let is_needed = |goal: &Goal| !vectors.contains(goal) || showing.contains(goal);
    found.iter().map(|test| test.covers.iter().copied().filter(is_needed).collect()).collect()
}

/// Every method that has tests keeps one, whether it has branches or not.
fn add_untested(found: &[Found], chosen: &mut Vec<(usize, Vec<Goal>)>) {
    let mut seen: BTreeSet<FunctionId> = chosen.iter().map(|(index, _)| found[*index].method).collect();
    for (index, test) in found.iter().enumerate() {
        if seen.insert(test.method) {
            chosen.push((index, Vec::new()));
        }
    }
}

/// Whether another machine, or the same after other tests, would throw it again: how deep its stack is and how much memory it has,
/// whether a class was tried to be initialised before, and which classes and libraries there are, is not up to the test.
pub(crate) fn is_repeatable(thrown: &Thrown) -> bool {
    const OF_THE_MACHINE: [&str; 3] = [
        "java/lang/StackOverflowError",
        "java/lang/OutOfMemoryError",
        "java/lang/ExceptionInInitializerError",
    ];
    !OF_THE_MACHINE.contains(&thrown.class.as_str()) && !is_of_linking(&thrown.class)
}

/// What came of a run.
pub(crate) struct Once {
    pub(crate) reply: Reply,
    /// Goals that it reached.
    covers: BTreeSet<Goal>,
    /// Those that its last step did.
    by_last: BTreeSet<Goal>,
    /// Those that an exception may have hidden from JaCoCo.
    doubtful: BTreeSet<Goal>,
    /// What each observer reaches, behind the steps.
    by_observers: Vec<BTreeSet<Goal>>,
}

/// Runs a script, in classes that were just loaded or in those of the run before. `None` if it takes the machine with it or cannot be
/// run.
pub(crate) fn once(
    program: &JavaProgram,
    host: &mut Host,
    script: &Script,
    values: &[Value],
    manner: Manner,
) -> Result<Option<Once>, StartError> {
    let (number, end) = host.learn(script)?;
    if end != End::Returned {
        return Ok(None);
    }
    let Answer::Ran(ran) = host.run(number, values, manner)? else { return Ok(None) };
    let mut judge = Judge::following(&program.model);
    let steps = script.steps.len();
    let (mut covers, mut by_last) = (BTreeSet::new(), BTreeSet::new());
    let mut by_observers = vec![BTreeSet::new(); script.observers.len()];
    let mut step = 0;
    for event in Events::new(ran.words).map_while(Result::ok) {
        if event.code == Code::Step {
            step = event.id as usize;
        }
        judge.event(&event, |branch, distances| {
            let goal = Goal { branch, outcome: distances.to_true == 0 };
            let reached = match step.checked_sub(steps) {
                None => Some(&mut covers),
                Some(observer) => by_observers.get_mut(observer),
            };
            reached.into_iter().for_each(|reached| reached.extend([goal]));
            if step + 1 == steps {
                by_last.insert(goal);
            }
        });
    }
    let mut hidden = BTreeSet::new();
    if let End::Threw { thrown, .. } = &ran.reply.end {
        hidden.extend(doubtful(&program.model, before_step(ran.words, steps as u32), thrown));
    }
    let is_whole = !ran.reply.cut && !ran.reply.tainted && !ran.reply.litters;
    Ok(is_whole.then_some(Once { reply: ran.reply, covers, by_last, doubtful: hidden, by_observers }))
}

/// Runs a test once more, in another machine, and keeps what is the same; or says why it is none.
fn repeated(
    program: &JavaProgram,
    host: &mut Host,
    rules: &Rules,
    one: Once,
    whole: &Whole<'_>,
    (found, mut script, values): (&Found, Script, Vec<Value>),
) -> Result<Result<Test, String>, StartError> {
    let Some(two) = once(program, host, &script, &values, AS_NEW)? else {
        return Ok(Err(NOT_WHOLE.to_owned()));
    };
    let Some(end) = agreed_end(&one.reply.end, &two.reply.end) else {
        let [first, second] = [&one, &two].map(|once| ended(&once.reply.end));
        return Ok(Err(match first == second {
            true => {
                format!("it {first}, but not from the same place in every machine")
            }
            false => format!("it {first} in one machine and {second} in another"),
        }));
    };
    if !rules.permit_end(&one.reply.end, &script) {
        return Ok(Err(format!("it {} when it is repeated", ended(&one.reply.end))));
    }
    if one.covers != two.covers {
        return Ok(Err("it reaches other branches in another machine".to_owned()));
    }
    let mut doubts = doubts(&script, [&one.reply, &two.reply]);
    if end != one.reply.end {
        doubts.push(DIFFERENT_WORDS.to_owned());
    }
    let results: Vec<Seen> =
        one.reply.results.iter().zip(&two.reply.results).map(|(a, b)| agreed(a, b)).collect();
    let told = told(program, host, (found.method, &script, &values), (&one.reply, &two.reply), &results)?;
    let mut covers = one.covers;
    covers.retain(|goal| {
        let noticed = whole.noticed.as_ref().and_then(|noticed| noticed.holds(goal));
        noticed.unwrap_or_else(|| !one.doubtful.contains(goal))
    });
    for &number in &told {
        covers.extend(one.by_observers[number].intersection(&two.by_observers[number]));
    }
    let observed = told.iter().map(|&number| one.reply.observed[number].clone()).collect();
    script.observers = told.iter().map(|&number| script.observers[number].clone()).collect();
    let origin = found.origin.clone();
    let method = found.method;
    Ok(Ok(Test { method, script, values, end, results, observed, covers, origin, doubts }))
}

/// What the steps and observers of a test gave in one machine and not in another.
fn doubts(script: &Script, [one, two]: [&Reply; 2]) -> Vec<String> {
    let steps = script.steps.iter().zip(one.results.iter().zip(&two.results));
    let observers = script.observers.iter().zip(one.observed.iter().zip(&two.observed));
    let differs = |(step, (a, b)): (&Step, (&Seen, &Seen))| {
        // What the test itself supplies is not observed: a file has another name every time.
        let is_call =
            matches!(step.action, Action::Construct { .. } | Action::Invoke { .. } | Action::Load { .. });
        let what = match (a, b) {
            (a, b) if a == b || !is_call => return None,
            (Seen::Object(class, _), Seen::Object(other, _)) if class == other => "the text of the result",
            _ => "the result",
        };
        Some(format!("{what} of {} differs from machine to machine; not asserted", spelled(&step.action)))
    };
    let all: BTreeSet<String> = steps.chain(observers).filter_map(differs).collect();
    all.into_iter().collect()
}

/// How a run ended, behind "it".
fn ended(end: &End) -> String {
    match end {
        End::Returned => "returns".to_owned(),
        End::Threw { thrown, .. } => format!("throws {}", java_name(&thrown.class)),
        End::OutOfTicks { .. } => "does not come to an end".to_owned(),
        End::Exited { .. } => "ends the machine".to_owned(),
        End::Unusable { .. } => "cannot use a class".to_owned(),
    }
}

/// That a test was dropped, with its calls.
fn dropped(script: &Script, why: &str) -> String {
    let calls: Vec<String> = script.steps.iter().map(|step| spelled(&step.action)).collect();
    format!("a test was dropped, since {why}: {}", calls.join(", "))
}

/// An end that two machines agree on: what an exception says may have the name of a test's own file in it, and is left out then.
fn agreed_end(a: &End, b: &End) -> Option<End> {
    match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (End::Threw { step, thrown }, End::Threw { step: other_step, thrown: other })
            if step == other_step && (&thrown.class, &thrown.stack) == (&other.class, &other.stack) =>
        {
            Some(End::Threw { step: *step, thrown: Thrown { message: None, ..thrown.clone() } })
        }
        _ => None,
    }
}

fn agreed(a: &Seen, b: &Seen) -> Seen {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Seen::Object(class, _), Seen::Object(other, _)) if class == other => {
            Seen::Object(class.clone(), None)
        }
        // Nothing can be said of it.
        _ => Seen::Void,
    }
}

/// Leaves out tests whose goals others reach by the way. A test that a solver has found is known to reach what was open then; and the
/// plainest value of one side of a comparison is often the one at its boundary.
fn drop_unneeded(tests: &mut Vec<Test>, goals: &BTreeSet<Goal>) {
    let covers: Vec<Vec<Goal>> =
        tests.iter().map(|test| test.covers.intersection(goals).copied().collect()).collect();
    let mut kept: BTreeSet<usize> = suite::minimise(&covers).into_iter().map(|(index, _)| index).collect();
    let mut tested: BTreeSet<FunctionId> = kept.iter().map(|&index| tests[index].method).collect();
    kept.extend((0..tests.len()).filter(|&index| tested.insert(tests[index].method)));
    let mut index = 0..;
    tests.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
}

/// Leaves out tests that do something else after others than alone: they hang on what those leave in static fields. What the others reach in one
/// order and not in another, a cache that was filled before for instance, is claimed by nobody.
fn drop_dependent(
    program: &JavaProgram,
    home: &Arc<Home>,
    confirmed: &mut Confirmed,
) -> Result<(), StartError> {
    let mut host = Host::start_in(home)?;
    let mut always: BTreeSet<Goal> = confirmed.tests.iter().flat_map(|test| &test.covers).copied().collect();
    for seed in 0..ORDERS {
        let mut order: Vec<usize> = (0..confirmed.tests.len()).collect();
        Rng::with_seed(seed).shuffle(&mut order);
        let (mut dependent, mut reached) = (BTreeSet::new(), BTreeSet::new());
        for (place, &number) in order.iter().enumerate() {
            let test = &confirmed.tests[number];
            let manner = Manner { fresh: place == 0, ..AS_NEW };
            match once(program, &mut host, &test.script, &test.values, manner)? {
                Some(ran) if is_as_expected(&ran.reply, test) => {
                    reached.extend(ran.covers);
                    let same: Vec<bool> =
                        ran.reply.observed.iter().zip(&test.observed).map(|(a, b)| a == b).collect();
                    let by_observers = ran.by_observers.into_iter().zip(&same);
                    reached.extend(by_observers.filter(|(_, same)| **same).flat_map(|(goals, _)| goals));
                    confirmed.tests[number].keep_observers(&same);
                }
                _ => drop(dependent.insert(number)),
            }
        }
        always.retain(|goal| reached.contains(goal));
        for number in dependent.into_iter().rev() {
            let test = confirmed.tests.remove(number);
            confirmed.unstable.push((test.method, dropped(&test.script, DEPENDENT)));
            confirmed.lost.extend(test.covers);
        }
    }
    for test in &mut confirmed.tests {
        confirmed.lost.extend(test.covers.difference(&always));
        test.covers.retain(|goal| always.contains(goal));
    }
    Ok(())
}

/// What observers see may be another matter: a test need not speak of what others count up.
fn is_as_expected(reply: &Reply, test: &Test) -> bool {
    let results = reply.results.iter().zip(&test.results).all(|(a, b)| agreed(a, b) == *b);
    agreed_end(&reply.end, &test.end).as_ref() == Some(&test.end)
        && results
        && reply.observed.len() == test.observed.len()
}
