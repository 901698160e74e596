//! Runs whose end no test can state, noted as a search meets them.
//!
//! They are claims: [`crate::find`] repeats them in machines of their own before anybody hears of them.

use java_frontend::ClassEntry;
use java_replay::Overflow;
use java_wire::message::{End, Frame, Reply, Thrown};
use java_wire::{Script, Value};
use java_worker::Gone;
use model::{FunctionId, Goal};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How a run ends that makes no test, or one that says that something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// It ends the machine.
    Exit,
    /// `StackOverflowError`
    StackOverflow,
    /// `OutOfMemoryError`
    OutOfMemory,
    /// It goes on far longer than tests do.
    Endless,
    /// It waits, or works where nobody counts.
    Hang,
    /// The machine dies of it.
    Crash,
    /// A static initialiser throws.
    Initialiser,
    /// A static initialiser does not end.
    EndlessInitialiser,
    /// An assertion of the code fails. There is a test that expects just that.
    Assertion,
    /// A class or a native method cannot be used: it is missing, or is not as it should be.
    Unusable,
    /// A thread that the code has started ends with an exception that nobody catches. Whoever waits for it does not see that.
    Uncaught,
    /// A type does not hold a result. Nothing comes of it but a wrong number, and only those who look for errors want to know.
    Overflow,
}

/// What was seen of such a run.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sight {
    pub(crate) kind: Kind,
    /// The step it happened in.
    pub(crate) step: u32,
    /// What the machine would have ended with.
    pub(crate) status: Option<i32>,
    /// What was thrown, or what `Math.addExact` would have thrown: class and message.
    pub(crate) thrown: Option<(String, Option<String>)>,
    /// Innermost first.
    pub(crate) stack: Vec<Frame>,
}

/// Status of a machine whose worker failed, which is not what code under test asked for.
const WORKER_FAILED: i32 = 4;
/// What says that a class cannot be used. Which of them it is says the message.
const UNUSABLE: [&str; 11] = [
    "java/lang/NoClassDefFoundError",
    "java/lang/VerifyError",
    "java/lang/ClassFormatError",
    "java/lang/UnsupportedClassVersionError",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/NoSuchMethodError",
    "java/lang/NoSuchFieldError",
    "java/lang/AbstractMethodError",
    "java/lang/IllegalAccessError",
    "java/lang/IncompatibleClassChangeError",
    "java/lang/BootstrapMethodError",
];

/// Whether an exception says that a class cannot be used: where the classes are others, it is not thrown.
pub(crate) fn is_of_linking(class: &str) -> bool {
    UNUSABLE.contains(&class)
}

impl Kind {
    /// Whether a run of this kind goes on all the same: then it is no reason why no test reaches something.
    pub(crate) fn goes_on(self) -> bool {
        matches!(self, Kind::Overflow | Kind::Uncaught)
    }
}

impl Sight {
    /// Of a run that ended, with this last step; `None` if a test can state all of it.
    pub(crate) fn of(reply: &Reply, last: u32) -> Option<Sight> {
        Sight::of_end(reply).or_else(|| {
            let thrown = reply.uncaught.as_ref()?;
            let step = match &reply.end {
                End::Threw { step, .. } => *step,
                _ => last,
            };
            let (stack, thrown) =
                (thrown.stack.clone(), Some((thrown.class.clone(), thrown.message.clone())));
            Some(Sight { kind: Kind::Uncaught, step, status: None, thrown, stack })
        })
    }

    fn of_end(reply: &Reply) -> Option<Sight> {
        let (kind, step, status, thrown) = match &reply.end {
            End::Returned | End::Unusable { .. } => return None,
            End::Exited { step, status } => (Kind::Exit, *step, Some(*status), None),
            End::OutOfTicks { step } => (endless(&reply.stopped), *step, None, None),
            End::Threw { step, thrown } => (thrown_kind(thrown)?, *step, None, Some(thrown)),
        };
        let stack = match thrown {
            Some(thrown) if kind != Kind::OutOfMemory => thrown.stack.clone(),
            _ => reply.stopped.clone(),
        };
        let thrown = thrown.map(|thrown| (thrown.class.clone(), thrown.message.clone()));
        Some(Sight { kind, step, status, thrown, stack })
    }

    /// Of a result that its type does not hold.
    pub(crate) fn of_overflow(overflow: Overflow) -> Sight {
        let thrown = Some(("java/lang/ArithmeticException".to_owned(), Some(overflow.what)));
        Sight { kind: Kind::Overflow, step: overflow.step, status: None, thrown, stack: overflow.stack }
    }

    /// Of a run that its machine was lost in. Which step that was nobody knows: the last, it is supposed.
    pub(crate) fn of_gone(gone: &Gone, step: u32, stack: Vec<Frame>) -> Sight {
        let (kind, status) = match gone {
            Gone::Hung(_) if endless(&stack) == Kind::EndlessInitialiser => (Kind::EndlessInitialiser, None),
            Gone::Hung(_) => (Kind::Hang, None),
            Gone::Died { status: Some(status), .. } if *status != WORKER_FAILED => {
                (Kind::Exit, Some(*status))
            }
            // A machine that dies of a fault says so where replies are expected, and whether that is read before it is dead is chance.
            Gone::Died { .. } | Gone::Garbled => (Kind::Crash, None),
        };
        Sight { kind, step, status, thrown: None, stack }
    }
}

fn endless(stack: &[Frame]) -> Kind {
    match stack.iter().any(|(_, method, _)| method == "<clinit>") {
        true => Kind::EndlessInitialiser,
        false => Kind::Endless,
    }
}

fn thrown_kind(thrown: &Thrown) -> Option<Kind> {
    // What a machine says of a class whose initialiser threw in an earlier run.
    let has_failed = || {
        let message = thrown.message.as_deref().unwrap_or_default();
        message.starts_with("Could not initialize class")
    };
    Some(match thrown.class.as_str() {
        "java/lang/StackOverflowError" => Kind::StackOverflow,
        "java/lang/OutOfMemoryError" => Kind::OutOfMemory,
        "java/lang/ExceptionInInitializerError" => Kind::Initialiser,
        "java/lang/AssertionError" => Kind::Assertion,
        "java/lang/NoClassDefFoundError" if has_failed() => Kind::Initialiser,
        class if is_of_linking(class) => Kind::Unusable,
        _ => return None,
    })
}

/// Such a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Suspect {
    /// The method whose call it ends in.
    pub method: FunctionId,
    /// Calls, up to that one.
    pub script: Script,
    /// Their values.
    pub values: Vec<Value>,
    /// What it reached.
    pub(crate) reaches: BTreeSet<Goal>,
    /// Which of several places of the run it is about.
    pub(crate) at: Option<Frame>,
}

/// What makes two runs one sort as far as a search can see: kind, class and method; without a known place the method under test. The line
/// matters only where a run goes on and may come to others.
type Sort = (Kind, Result<Frame, FunctionId>);

/// The runs of a search that were noted: of each sort the shortest, and those of other methods, or that reach what others do not.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Suspects {
    own: BTreeSet<String>,
    by_sort: BTreeMap<Sort, Vec<Suspect>>,
}

/// How many of a sort are kept, and of a sort that takes seconds or machines.
const MOST: usize = 8;
const MOST_SLOW: usize = 2;

impl Suspects {
    /// None yet, of a program with these classes.
    #[must_use]
    pub fn of(classes: &[ClassEntry]) -> Suspects {
        let own = classes.iter().map(|entry| entry.name.clone()).collect();
        Suspects { own, ..Suspects::default() }
    }

    /// Nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_sort.is_empty()
    }

    /// All of them with their kinds, those of one sort together.
    pub fn all(&self) -> impl Iterator<Item = (Kind, &Suspect)> {
        self.by_sort.iter().flat_map(|((kind, _), suspects)| suspects.iter().map(|suspect| (*kind, suspect)))
    }

    /// Adds what another search has noted.
    pub fn take(&mut self, other: Suspects) {
        for (sort, suspects) in other.by_sort {
            suspects.into_iter().for_each(|suspect| self.add(&sort, suspect));
        }
        self.own.extend(other.own);
    }

    /// Whether a class is the user's.
    pub(crate) fn is_own(&self, class: &str) -> bool {
        self.own.contains(class)
    }

    /// Notes a run that ended in a call of a method.
    pub(crate) fn note(
        &mut self,
        sight: &Sight,
        method: FunctionId,
        (script, values): (&Script, &[Value]),
        reaches: impl FnOnce() -> BTreeSet<Goal>,
    ) {
        let place = sight.stack.iter().find(|(class, ..)| self.is_own(class));
        let at = place.filter(|_| sight.kind == Kind::Overflow).cloned();
        let line = at.as_ref().map_or(0, |(.., line)| *line);
        let place = place.map(|(class, method, _)| (class.clone(), method.clone(), line));
        let sort = (sight.kind, place.ok_or(method));
        let mut script = script.clone();
        script.steps.truncate(sight.step as usize + 1);
        script.observers.clear();
        self.add(&sort, Suspect { method, script, values: values.to_vec(), reaches: reaches(), at });
    }

    fn add(&mut self, sort: &Sort, suspect: Suspect) {
        let known = self.by_sort.entry(sort.clone()).or_default();
        let is_slow = matches!(sort.0, Kind::Hang | Kind::Crash | Kind::OutOfMemory);
        let is_new = |goal: &Goal| !known.iter().any(|other| other.reaches.contains(goal));
        let is_known = known.iter().any(|other| other.method == suspect.method);
        let adds = !is_known || suspect.reaches.iter().any(is_new);
        if adds && known.len() < if is_slow { MOST_SLOW } else { MOST } {
            known.push(suspect);
            return;
        }
        // A shorter one takes the place of one that reaches no more.
        let is_worse = |other: &&mut Suspect| {
            other.method == suspect.method
                && other.script.steps.len() > suspect.script.steps.len()
                && other.reaches.is_subset(&suspect.reaches)
        };
        if let Some(worse) = known.iter_mut().find(is_worse) {
            *worse = suspect;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::Step;

    fn reply(end: End, stopped: Vec<Frame>) -> Reply {
        Reply {
            end,
            results: Vec::new(),
            observed: Vec::new(),
            words: 0,
            cut: false,
            tainted: false,
            litters: false,
            stopped,
            uncaught: None,
            output: String::new(),
            classes: Vec::new(),
        }
    }

    fn threw(class: &str, message: Option<&str>) -> Option<Kind> {
        let thrown = Thrown { class: class.into(), message: message.map(str::to_owned), stack: Vec::new() };
        Sight::of(&reply(End::Threw { step: 0, thrown }, Vec::new()), 0).map(|sight| sight.kind)
    }

    #[test]
    fn ends_are_told_apart() {
        let at = |method: &str| vec![("A".to_owned(), method.to_owned(), 3)];
        let kind = |end, stack| Sight::of(&reply(end, stack), 0).map(|sight| sight.kind);
        assert_eq!(kind(End::Returned, Vec::new()), None);
        assert_eq!(kind(End::OutOfTicks { step: 0 }, at("m")), Some(Kind::Endless));
        assert_eq!(kind(End::OutOfTicks { step: 0 }, at("<clinit>")), Some(Kind::EndlessInitialiser));
        assert_eq!(kind(End::Exited { step: 0, status: 3 }, at("m")), Some(Kind::Exit));
        assert_eq!(threw("java/lang/IllegalStateException", None), None);
        assert_eq!(threw("java/lang/AssertionError", Some("odd")), Some(Kind::Assertion));
        assert_eq!(threw("java/lang/NoClassDefFoundError", Some("a/B")), Some(Kind::Unusable));
        let failed = "Could not initialize class a.B";
        assert_eq!(threw("java/lang/NoClassDefFoundError", Some(failed)), Some(Kind::Initialiser));
        let died = |status, signal| {
            let gone = Gone::Died { status, signal, errors: String::new() };
            Sight::of_gone(&gone, 0, Vec::new()).kind
        };
        assert_eq!((died(Some(3), None), died(None, Some(6))), (Kind::Exit, Kind::Crash));
        assert_eq!(died(Some(WORKER_FAILED), None), Kind::Crash);
    }

    #[test]
    fn what_ends_a_thread_is_told_unless_the_end_of_the_run_is_worse() {
        let thrown =
            Thrown { class: "a/Torn".into(), message: None, stack: vec![("A".into(), "run".into(), 4)] };
        let with = |end| Reply { uncaught: Some(thrown.clone()), ..reply(end, Vec::new()) };
        let sight = Sight::of(&with(End::Returned), 2).expect("a sight");
        assert_eq!((sight.kind, sight.step, sight.stack), (Kind::Uncaught, 2, thrown.stack.clone()));
        let exited = Sight::of(&with(End::Exited { step: 1, status: 3 }), 2).expect("a sight");
        assert_eq!((exited.kind, exited.step), (Kind::Exit, 1));
        let plain =
            Thrown { class: "java/lang/IllegalStateException".into(), message: None, stack: Vec::new() };
        let threw = Sight::of(&with(End::Threw { step: 0, thrown: plain }), 2).expect("a sight");
        assert_eq!((threw.kind, threw.step), (Kind::Uncaught, 0));
    }

    #[test]
    fn the_shortest_of_a_sort_and_those_that_reach_more_are_kept() {
        let goal = |branch| Goal { branch: model::BranchId(branch), outcome: true };
        let step = Step {
            action: java_wire::Action::Stub {
                class: "A".into(),
                parameters: Vec::new(),
                answers: Vec::new(),
            },
            arguments: Vec::new(),
        };
        let sight = Sight { kind: Kind::Exit, step: 9, status: Some(1), thrown: None, stack: Vec::new() };
        let mut suspects = Suspects::default();
        for (steps, goals) in [(3, vec![0]), (2, vec![0]), (2, vec![]), (4, vec![0, 1]), (1, vec![1])] {
            let script = Script { steps: vec![step.clone(); steps], ..Script::default() };
            let reaches = || goals.into_iter().map(goal).collect();
            suspects.note(&sight, FunctionId(0), (&script, &[]), reaches);
        }
        let kept: Vec<(usize, usize)> =
            suspects.all().map(|(_, suspect)| (suspect.script.steps.len(), suspect.reaches.len())).collect();
        assert_eq!(kept, [(2, 1), (4, 2)]);
    }
}
