//! Outcomes, proofs and reasons in words.

use crate::graph::{self, ObjectSummary};
use model::{BranchKind, Program};
use suite::{Culprit, Finding, FunctionResult, NotRun, Plain, Proof, Reason};
use target::{Access, Crash, CrashKind, Outcome};

/// The kind of a branch as `summary.json` writes it.
pub(crate) fn kind(kind: BranchKind) -> &'static str {
    match kind {
        BranchKind::Condition => "condition",
        BranchKind::Case => "case",
        BranchKind::Default => "default",
        BranchKind::NoDefault => "no-default",
        BranchKind::Target => "target",
        BranchKind::Unevaluated => "unevaluated",
        BranchKind::Check => "check",
        BranchKind::Node => "node",
        BranchKind::Boundary => "boundary",
    }
}

/// Code and explanation of a proof.
pub(crate) fn proof(proof: Proof) -> (&'static str, &'static str) {
    match proof {
        Proof::NeverEvaluated => (
            "never-evaluated",
            "decided by the compiler, or the operand of a sizeof: never evaluated at run time",
        ),
        Proof::Optimiser => ("optimiser", "the compiler's optimiser proved it unreachable"),
        Proof::AllPaths => ("all-paths", "every path through the function was run, and none comes here"),
        Proof::AssertionsOn => ("assertions-on", "only with assertions off, and tests run with them on"),
    }
}

/// Why no path of a whole program comes to a goal.
pub(crate) const ALL_PATHS_OF_PROGRAM: &str =
    "every path through the program was run, and none comes here; that holds for the world as it is modelled";

/// Code and explanation of what a plain build does with a test.
pub(crate) fn plain(plain: Plain) -> (&'static str, &'static str) {
    match plain {
        Plain::Same => ("same", "the plain program does the same"),
        Plain::OutputDiffers => (
            "output-differs",
            "the plain program prints something else, or not the same every time; only the end is asserted",
        ),
        Plain::EndDiffers => ("end-differs", "the plain program ends otherwise; left out"),
        Plain::TimedOut => ("timed-out", "the plain program did not end in time; left out"),
        Plain::NotRun(NotRun::AssertsNothing) => {
            ("asserts-nothing", "not tried on the plain program: the format holds inputs only")
        }
        Plain::NotRun(NotRun::NoBuild) => {
            ("not-built", "not tried on the plain program, which could not be built")
        }
        Plain::NotRun(NotRun::NoAnswer) => ("no-answer", "the plain program could not be run"),
        Plain::NotRun(NotRun::NoTmp) => (
            "no-tmp",
            "not tried on the plain program: it makes temporary files, and the sandbox here has no /tmp",
        ),
        Plain::NotRun(NotRun::TooSlow) => {
            ("too-slow", "not tried on the plain program: too many others did not end in time")
        }
        Plain::NotRun(NotRun::Interrupted) => ("interrupted", "not tried on the plain program: interrupted"),
    }
}

/// Why nobody looked for something.
pub(crate) const NOT_ASKED: &str = "the obligations do not ask for it";

/// Code and explanation of a reason.
pub(crate) fn reason(program: &Program, result: &FunctionResult, reason: &Reason) -> (&'static str, String) {
    match reason {
        Reason::Budget { level } => ("budget", budget(*level)),
        Reason::OnlyByFinding(index) => ("finding", only_by_finding(program, result.findings.get(*index))),
        Reason::Unsupported(error) => {
            ("unsupported", format!("no value can be made for {} ({})", error.place, error.type_name))
        }
        Reason::Unstable => {
            ("unstable", "the tests that reached it did not repeat themselves in a fresh process".to_owned())
        }
        Reason::Environment => (
            "environment",
            "only runs that ask the machine (files, network, time, processes) reach it; they make no tests"
                .to_owned(),
        ),
        Reason::Precondition => (
            "precondition",
            "no input was found for which the precondition of the function holds".to_owned(),
        ),
        Reason::LeftOut => (
            "left-out",
            "the tests that reach it were left out: they do not compile, or the plain program does something else or prints too much"
                .to_owned(),
        ),
        Reason::NotAsked => ("not-asked", NOT_ASKED.to_owned()),
        Reason::NotCallable(why) => {
            ("not-callable", format!("no test can call it ({why}), and no test of another method got there"))
        }
        Reason::Settled(why) => ("settled", why.clone()),
        Reason::NoObject(why) => ("no-object", why.clone()),
        Reason::EarlierStep(why) => ("earlier-step", why.clone()),
        Reason::NotWatched(why) => ("not-watched", why.clone()),
        Reason::WorkerFailed(why) => ("worker", format!("the worker could not go on: {why}")),
    }
}

fn budget(level: Option<u32>) -> String {
    match level {
        None => "budget spent; no branch leading to it was evaluated".to_owned(),
        Some(0) => "budget spent; its condition was evaluated, always the other way".to_owned(),
        Some(1) => "budget spent; the best try missed it by 1 controlling branch".to_owned(),
        Some(n) => format!("budget spent; the best try missed it by {n} controlling branches"),
    }
}

fn only_by_finding(program: &Program, finding: Option<&Finding>) -> String {
    match finding {
        None => "only inputs that fault or hang reach it".to_owned(),
        Some(finding) => {
            let place = finding.place.as_ref().map(|p| format!(" at {p}")).unwrap_or_default();
            format!("only inputs that fault or hang reach it: {}{place}", what(program, finding))
        }
    }
}

/// What happens in a finding.
pub(crate) fn what(program: &Program, finding: &Finding) -> String {
    match &finding.calls {
        Some(calls) => calls.what.clone(),
        None => outcome(program, finding.outcome),
    }
}

/// An outcome with all that is known about a fault.
pub(crate) fn outcome(program: &Program, outcome: Outcome) -> String {
    let Outcome::Crashed(Crash { kind, access, .. }) = outcome else { return outcome.to_string() };
    let kind = match kind {
        CrashKind::Undefined(index) => match program.undefined.get(index as usize) {
            Some(name) => format!("call of undefined function {name}"),
            None => kind.to_string(),
        },
        CrashKind::Contract(number) => match program.clause(number) {
            Some((function, clause)) => {
                let place = clause.place.rsplit('/').next().unwrap_or_default();
                format!("{kind} of {}: {} ({place})", function.name, clause.text)
            }
            None => kind.to_string(),
        },
        _ => kind.to_string(),
    };
    match access {
        Access::None => kind,
        Access::Null => format!("{kind} (null pointer)"),
        Access::Beyond { offset, .. } => format!("{kind} ({offset} bytes into an object that ends before)"),
        Access::Wild => format!("{kind} (wild pointer)"),
    }
}

/// What the author of the function is asked about a finding: whether it is an error, or an input that nobody would pass.
pub(crate) fn question(finding: &Finding, objects: &[ObjectSummary]) -> Option<String> {
    match finding.culprit? {
        Culprit::Null { .. } => {
            let pointer = graph::null_pointer(objects)?;
            Some(format!("Is there a precondition that {pointer} is not null?"))
        }
        Culprit::End { .. } => {
            let object = objects.iter().find(|object| object.at_fault)?;
            Some(format!("Is there a precondition on the length of what {} points to?", object.name))
        }
        Culprit::Length { .. } => {
            let object = objects.iter().find(|object| object.at_fault)?;
            Some(format!("Has what {} points to more elements than the number beside it says?", object.name))
        }
    }
}

/// `1 test`, `2 tests`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(n as u64)) }
}

/// Digits in groups of three: `1,234,567`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration in at most six characters.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.9995 => format!("{:.0}ms", s * 1e3),
        s if s < 99.95 => format!("{s:.1}s"),
        s if s < 99_999.5 => format!("{s:.0}s"),
        s if s < 99_999.0 * 3600.0 => format!("{:.0}h", s / 3600.0),
        s => format!("{:.0}y", s / 3600.0 / 8766.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_from_the_right() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
        assert_eq!(count(1, "test"), "1 test");
        assert_eq!(count(0, "test"), "0 tests");
    }

    #[test]
    fn durations_stay_short() {
        assert_eq!(seconds(0.0), "0ms");
        assert_eq!(seconds(0.9999), "1.0s");
        assert_eq!(seconds(61.25), "61.2s");
        assert_eq!(seconds(99.99), "100s");
        assert_eq!(seconds(360_000.0), "100h");
    }
}
