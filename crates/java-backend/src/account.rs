//! What became of the search for one method, and what kept its runs from getting there.

use crate::replays::Replays;
use crate::states::Hopeless;
use java_frontend::{Parameter, Sequences, java_name, spell};
use java_wire::message::{End, Thrown};
use java_wire::{Action, Argument, Script};
use model::Goal;
use sequence::InvokableId;
use serde::{Deserialize, Serialize};

/// What became of the search for one method.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MethodAccount {
    /// Scripts that were tried.
    pub scripts: u64,
    /// Scripts that were left out: they lead only to states that others led to.
    pub left_out: u64,
    /// Scripts that were left out since nothing comes of their first steps: fewer would do. All of a candidate that begin alike are one, and so are
    /// all of a candidate whose first steps are pointless whatever they work on.
    pub pointless: u64,
    /// The same where some of these steps stand in another order in another script.
    pub reordered: u64,
    /// Runs.
    pub runs: u64,
    /// Why there is no script at all.
    pub unusable: Option<String>,
    /// What a machine says that refuses every script: a class is missing, or is not as it should be.
    pub refused: Option<String>,
    /// Why the search ended before it was done: no machine could be started.
    pub failed: Option<String>,
    /// The class that scripts were not made for want of an object of.
    pub missing: Option<String>,
    /// How its runs ended.
    pub ends: Ends,
    /// More statements could matter than were looked at.
    pub is_cut: bool,
    /// Every sequence up to the greatest length was tried.
    pub exhausted: bool,
    /// Goals of its own that no input reaches: all paths were run.
    pub infeasible: Vec<Goal>,
    /// What symbolic replay and exploration did.
    pub replays: Replays,
}

impl MethodAccount {
    /// Counts what is left out for a beginning that nothing comes of.
    pub(crate) fn leave(&mut self, hopeless: Hopeless) {
        let count = if hopeless.reordered { &mut self.reordered } else { &mut self.pointless };
        *count += 1;
    }

    /// The same after an earlier round.
    pub fn after(&mut self, earlier: MethodAccount) {
        self.scripts += earlier.scripts;
        self.left_out += earlier.left_out;
        self.pointless += earlier.pointless;
        self.reordered += earlier.reordered;
        self.runs += earlier.runs;
        self.ends.extend(earlier.ends);
        self.replays.add(&earlier.replays);
        self.missing = self.missing.take().filter(|_| self.ends.begun == 0);
        let new: Vec<Goal> =
            earlier.infeasible.into_iter().filter(|goal| !self.infeasible.contains(goal)).collect();
        self.infeasible.extend(new);
    }
}

/// How the runs of a method ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ends {
    /// Runs that came to the method.
    pub begun: u64,
    /// Runs that did not.
    pub before: u64,
    /// What the first of those met.
    pub obstacle: Option<Obstacle>,
}

/// What a run met on its way to the method under test. Names are as in Java.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Obstacle {
    /// Whatever was to make the object that the method is called on threw.
    NoReceiver {
        /// What was to be made.
        class: String,
        /// What was thrown.
        thrown: String,
    },
    /// Another step threw.
    Threw {
        /// What it did: `shop.Cart.add`.
        step: String,
        /// What was thrown.
        thrown: String,
    },
    /// A class cannot be initialised.
    Uninitialised {
        /// What was thrown.
        thrown: String,
    },
    /// A step did not come to its end.
    Endless {
        /// What it did.
        step: String,
    },
    /// A class or member cannot be used, in the words of the machine.
    Unusable(String),
}

impl Ends {
    /// Takes in a run of a script.
    pub(crate) fn add(&mut self, script: &Script, end: &End, came_to_last: bool) {
        match obstacle(script, end, came_to_last) {
            None => self.begun += 1,
            Some(obstacle) => {
                self.before += 1;
                self.obstacle.get_or_insert(obstacle);
            }
        }
    }

    /// Takes in other runs.
    pub(crate) fn extend(&mut self, other: Ends) {
        self.begun += other.begun;
        self.before += other.before;
        self.obstacle = self.obstacle.take().or(other.obstacle);
    }
}

/// What kept a run from the last step of its script.
fn obstacle(script: &Script, end: &End, came_to_last: bool) -> Option<Obstacle> {
    let name = |step: u32| script.steps.get(step as usize).map(|s| spelled(&s.action)).unwrap_or_default();
    match end {
        End::Threw { thrown, .. } if is_of_initialiser(thrown) => {
            Some(Obstacle::Uninitialised { thrown: java_name(&thrown.class) })
        }
        End::Unusable { why, .. } => Some(Obstacle::Unusable(why.clone())),
        _ if came_to_last => None,
        End::Threw { step, thrown } => {
            let thrown = java_name(&thrown.class);
            let receiver = script.steps.last().filter(|last| has_receiver(&last.action));
            let receiver = receiver.and_then(|last| last.arguments.first());
            Some(match receiver_class(script).filter(|_| receiver == Some(&Argument::Result(*step))) {
                Some(class) => Obstacle::NoReceiver { class, thrown },
                None => Obstacle::Threw { step: name(*step), thrown },
            })
        }
        End::OutOfTicks { step } | End::Exited { step, .. } => Some(Obstacle::Endless { step: name(*step) }),
        End::Returned => None,
    }
}

/// The type that a method needs an object of and nothing makes one, or else the first that it needs one of.
pub(crate) fn missing(sequences: &Sequences) -> Option<String> {
    let universe = &sequences.universe;
    let statement = sequences.statement(sequences.target)?;
    let mut slots = universe.get(sequences.target)?.slots.iter();
    let mut first = None;
    for (parameter, ty) in statement.arguments.iter().zip(statement.action.takes(statement.arguments.len())) {
        let Parameter::Object(_) = parameter else { continue };
        let slot = slots.next()?;
        let makes = |id: InvokableId| {
            let made = universe.get(id).and_then(|invokable| invokable.returns);
            universe.is_allowed(id) && made.is_some_and(|class| universe.fits(id, class, slot))
        };
        if !universe.ids().any(makes) {
            return Some(spell(&ty));
        }
        first.get_or_insert(ty);
    }
    first.map(|ty| spell(&ty))
}

fn is_of_initialiser(thrown: &Thrown) -> bool {
    ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError"]
        .contains(&thrown.class.as_str())
}

fn has_receiver(action: &Action) -> bool {
    matches!(action, Action::Invoke { is_static: false, .. })
}

fn receiver_class(script: &Script) -> Option<String> {
    match &script.steps.last()?.action {
        Action::Invoke { class, is_static: false, .. } => Some(java_name(class)),
        _ => None,
    }
}

/// What a step does, in few words.
pub(crate) fn spelled(action: &Action) -> String {
    match action {
        Action::Construct { class, .. } => format!("{}.new", java_name(class)),
        Action::Invoke { class, name, .. }
        | Action::Load { class, name, .. }
        | Action::Store { class, name, .. } => format!("{}.{name}", java_name(class)),
        Action::Array { .. } => "an array".to_owned(),
        Action::Stub { class, .. } => format!("a stand-in for {}", java_name(class)),
        Action::File { .. } => "a file".to_owned(),
        Action::Look { .. } => "a look".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_add_up_and_what_one_called_is_not_missing() {
        let goal = |branch| Goal { branch: model::BranchId(branch), outcome: true };
        let ends = Ends { begun: 2, ..Ends::default() };
        let first = MethodAccount { runs: 7, ends, infeasible: vec![goal(1)], ..MethodAccount::default() };
        let mut last = MethodAccount {
            runs: 5,
            missing: Some("A".to_owned()),
            infeasible: vec![goal(1), goal(2)],
            ..MethodAccount::default()
        };
        last.after(first);
        assert_eq!((last.runs, last.ends.begun, last.missing), (12, 2, None));
        assert_eq!(last.infeasible, [goal(1), goal(2)]);
    }
    use java_wire::Step;

    fn script() -> Script {
        let descriptor = || "()V".parse().expect("a descriptor");
        let invoke = |name: &str| Action::Invoke {
            class: "shop/Cart".into(),
            name: name.into(),
            descriptor: descriptor(),
            is_static: false,
        };
        let construct = Action::Construct { class: "shop/Cart".into(), descriptor: descriptor() };
        let on = vec![Argument::Result(0)];
        let steps = vec![
            Step { action: construct, arguments: Vec::new() },
            Step { action: invoke("fill"), arguments: on.clone() },
            Step { action: invoke("pay"), arguments: on },
        ];
        Script { slots: Vec::new(), steps, observers: Vec::new() }
    }

    fn threw(step: u32, class: &str) -> End {
        End::Threw { step, thrown: Thrown { class: class.into(), message: None, stack: Vec::new() } }
    }

    #[test]
    fn the_first_obstacle_is_remembered() {
        let mut ends = Ends::default();
        ends.add(&script(), &threw(0, "java/io/IOException"), false);
        ends.add(&script(), &threw(1, "a/Full"), false);
        ends.add(&script(), &threw(2, "a/Full"), true);
        ends.add(&script(), &End::Returned, true);
        assert_eq!((ends.begun, ends.before), (2, 2));
        let (class, thrown) = ("shop.Cart".to_owned(), "java.io.IOException".to_owned());
        assert_eq!(ends.obstacle, Some(Obstacle::NoReceiver { class, thrown }));
    }

    #[test]
    fn steps_between_and_initialisers_are_told_apart() {
        let (step, thrown) = ("shop.Cart.fill".to_owned(), "a.Full".to_owned());
        assert_eq!(obstacle(&script(), &threw(1, "a/Full"), false), Some(Obstacle::Threw { step, thrown }));
        let end = threw(2, "java/lang/ExceptionInInitializerError");
        assert!(matches!(obstacle(&script(), &end, true), Some(Obstacle::Uninitialised { .. })));
    }
}
