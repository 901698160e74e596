//! Outcomes that JaCoCo does not see because an exception came too soon.
//!
//! JaCoCo notes that code was run at certain places behind it: before the next jump, return or `throw`, and where a line begins that calls a
//! method. Of a run that an exception ends, the last jump in every method on the stack may have no such place behind it:
//!
//! ```java
//! if (i == size) append(x); else insert(entry(i), x);   // entry throws: nobody notes that it was asked for
//! ```
//!
//! If it has none, the jump before it may have none either: `case 1: return kilobytes ? free(drive) / 1024 : free(drive);`, where `free` throws.
//!
//! What the judge cannot see is not claimed. Other tests may reach it without an exception.

use java_frontend::{JavaModel, Judge};
use java_wire::event::{Code, Events};
use java_wire::message::Thrown;
use model::Goal;
use std::collections::{BTreeMap, BTreeSet};

/// What the virtual machine throws by itself, without an instruction that says so; code may do so, too.
const IMPLICIT: [&str; 9] = [
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/NegativeArraySizeException",
    "java/lang/NullPointerException",
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
    "java/lang/ExceptionInInitializerError",
];

/// The outcomes of a run that ended so which nothing but the exception followed.
pub(crate) fn doubtful(model: &JavaModel, words: &[u32], thrown: &Thrown) -> Vec<Goal> {
    let mut judge = Judge::new(&model.sites);
    // By jump: its last outcomes, and how often each outcome happened.
    let mut last: BTreeMap<u32, Vec<Goal>> = BTreeMap::new();
    let mut counts: BTreeMap<Goal, u32> = BTreeMap::new();
    let mut order: Vec<u32> = Vec::new();
    for event in Events::new(words).map_while(Result::ok) {
        let mut here = Vec::new();
        judge.event(&event, |branch, distances| {
            let goal = Goal { branch, outcome: distances.to_true == 0 };
            *counts.entry(goal).or_default() += 1;
            here.push(goal);
        });
        if matches!(event.code, Code::Jump | Code::JumpTwo | Code::JumpReference) {
            last.insert(event.id, here);
            order.push(event.id);
        }
    }
    let mut found = Vec::new();
    for (depth, (class, method, line)) in thrown.stack.iter().enumerate() {
        let begins = format!("{class}.{method}(");
        let is_here = |id: &&u32| {
            let Some(site) = model.sites.get(**id) else { return false };
            let function =
                model.methods.places().iter().position(|place| *place == (site.class, site.method));
            function.is_some_and(|at| model.program.functions[at].symbol.starts_with(&begins))
        };
        let implicit = depth == 0
            && IMPLICIT.contains(&thrown.class.as_str())
            && !model.throws.is_explicit(class, *line, &thrown.class);
        if depth == 0 && !implicit {
            continue;
        }
        // The line that nobody has noted the end of.
        let mut open = *line;
        let mut seen = BTreeSet::new();
        for (before, id) in order.iter().rev().filter(is_here).enumerate() {
            let Some(site) = model.sites.get(*id).filter(|_| seen.insert(*id)) else { break };
            let is_doubtful = |goal: &Goal| {
                before == 0 && implicit || site.line == open || site.lands_on(*goal) == Some(open)
            };
            let here = last[id].iter().copied().filter(|goal| counts[goal] == 1 && is_doubtful(goal));
            let known = found.len();
            found.extend(here);
            if found.len() == known {
                break;
            }
            open = site.line;
        }
    }
    found
}
