//! The summary of a whole program: its tests stand beside the functions, and its goals are those of all of them.

use crate::summarise::{self, Reached};
use crate::summary::PlainCount;
use crate::summary::{FunctionSummary, Input, ProgramFinding, ProgramSummary, ProgramTestSummary};
use crate::words;
use crate::{ProgramTests, RunReport};
use model::{Function, Goal, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use suite::{FunctionResult, GoalState, HarnessValue, ProgramEnd, ProgramTest, Proof, ValueKind};

/// Bytes of an input or output that are written down; files of a test have them all.
const SHOWN: usize = 400;

/// The run of a program: what it starts with, and its tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) result: &'a FunctionResult,
    tests: ProgramTests<'a>,
}

impl<'a> Whole<'a> {
    /// If the report is about a whole program.
    pub(crate) fn of(run: &RunReport<'a>) -> Option<Whole<'a>> {
        Some(Whole { result: run.results.first()?, tests: run.whole? })
    }

    fn passing(&self) -> impl Iterator<Item = &'a ProgramTest> + use<'a> {
        self.tests.written.iter().filter(|test| !test.is_finding())
    }

    /// Names of the tests that reach each goal.
    pub(crate) fn reached(&self) -> Reached<'a> {
        let mut reached = Reached::new();
        for test in self.passing() {
            for goal in &test.covers {
                reached.entry(*goal).or_default().push(&test.name);
            }
        }
        reached
    }

    /// Every function of the program that has goals.
    pub(crate) fn functions(&self, program: &Program, reached: &Reached) -> Vec<FunctionSummary> {
        let own = self.goals_by_function(program);
        let with_goals = program.functions.iter().zip(&own).filter(|(_, goals)| !goals.is_empty());
        with_goals.map(|(function, goals)| self.function(program, function, goals, reached)).collect()
    }

    fn goals_by_function(&self, program: &Program) -> Vec<Vec<&'a (Goal, GoalState)>> {
        let mut owner = HashMap::new();
        for (i, function) in program.functions.iter().enumerate() {
            owner.extend(function.branches.iter().map(|branch| (branch.id, i)));
        }
        let mut own = vec![Vec::new(); program.functions.len()];
        for entry in &self.result.goals {
            if let Some(&i) = owner.get(&entry.0.branch) {
                own[i].push(entry);
            }
        }
        own
    }

    fn function(
        &self,
        program: &Program,
        function: &Function,
        goals: &[&(Goal, GoalState)],
        reached: &Reached,
    ) -> FunctionSummary {
        let mut goals = summarise::goals(program, function, (self.result, goals.iter().copied()), reached);
        let all_paths = words::proof(Proof::AllPaths).0;
        for goal in goals.iter_mut().filter(|goal| goal.reason.as_deref() == Some(all_paths)) {
            goal.why = Some(words::ALL_PATHS_OF_PROGRAM.to_owned());
        }
        FunctionSummary { seed: self.result.seed, ..summarise::bare_function(program, function, goals) }
    }

    pub(crate) fn summary(&self, program: &Program) -> ProgramSummary {
        let result = self.result;
        let findings = self.tests.written.iter().filter(|test| test.is_finding());
        let finding = |(i, test): (usize, &ProgramTest)| {
            let known = result.findings.get(i);
            ProgramFinding {
                test: ProgramTestSummary { plain: None, ..summary_of(test) },
                what: known.map_or_else(|| end(test.end), |f| words::outcome(program, f.outcome)),
                place: known.and_then(|f| f.place.clone()),
                stack: known.map(|f| f.stack.clone()).unwrap_or_default(),
                reaches: known.map_or(0, |f| f.reaches.len()),
            }
        };
        ProgramSummary {
            tests: self.passing().map(summary_of).collect(),
            left_out: self.tests.left_out.iter().map(summary_of).collect(),
            plain: plain_counts(self.tests),
            findings: findings.enumerate().map(finding).collect(),
            executions: result.executions,
            seconds: Some(result.seconds),
            seed: result.seed,
            curve: result.curve.clone(),
            unstable: result.unstable.clone(),
            approximations: summarise::counted(&result.approximations),
            exploration: result.exploration.as_ref().map(summarise::exploration),
        }
    }
}

impl FunctionSummary {
    /// How many tests reach a goal of the function.
    pub(crate) fn reached_by(&self) -> usize {
        self.goals.iter().flat_map(|goal| &goal.tests).collect::<BTreeSet<_>>().len()
    }
}

/// What the plain program does with the tests, findings aside.
#[must_use]
pub fn plain_counts(tests: ProgramTests<'_>) -> Vec<PlainCount> {
    let mut counts = BTreeMap::new();
    let all = tests.written.iter().chain(tests.left_out).filter(|test| !test.is_finding());
    all.for_each(|test| *counts.entry(test.plain).or_default() += 1);
    let told = |(plain, count)| {
        let (code, why) = words::plain(plain);
        PlainCount { plain: code.to_owned(), why: why.to_owned(), count }
    };
    counts.into_iter().map(told).collect()
}

fn summary_of(test: &ProgramTest) -> ProgramTestSummary {
    ProgramTestSummary {
        name: test.name.clone(),
        arguments: test.arguments.iter().map(|argument| quoted(argument)).collect(),
        stdin: test.stdin.as_deref().map(quoted),
        files: test
            .files
            .iter()
            .map(|(name, bytes)| Input { name: name.clone(), value: quoted(bytes) })
            .collect(),
        values: test.values.iter().map(|v| Input { name: v.name.clone(), value: value(v) }).collect(),
        end: end(test.end),
        stdout: test.stdout.as_deref().map(quoted),
        plain: Some(words::plain(test.plain).0.to_owned()),
        covers: test.covers.len(),
    }
}

fn end(end: ProgramEnd) -> String {
    match end {
        ProgramEnd::Exited(status) => format!("exits with status {status}"),
        ProgramEnd::Aborted => "aborts".to_owned(),
        ProgramEnd::Crashed => "crashes".to_owned(),
        ProgramEnd::Hangs => "hangs".to_owned(),
    }
}

/// Bytes between quotation marks, as in C.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes.iter().take(SHOWN) {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b' '..=b'~' => text.push(byte as char),
            _ => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text.push('"');
    if bytes.len() > SHOWN {
        let _ = write!(text, " … {} more bytes", words::grouped((bytes.len() - SHOWN) as u64));
    }
    text
}

fn value(value: &HarnessValue) -> String {
    let mut word = [0; 8];
    let bytes = &value.bytes;
    let Some(room) = word.get_mut(..bytes.len()).filter(|_| value.kind != ValueKind::Block) else {
        return quoted(bytes);
    };
    room.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    let unused = 64 - 8 * bytes.len().max(1);
    match (value.kind, bytes.len()) {
        (ValueKind::Float, 4) => f32::from_bits(bits as u32).to_string(),
        (ValueKind::Float, 8) => f64::from_bits(bits).to_string(),
        (ValueKind::Signed, _) => ((bits << unused).cast_signed() >> unused).to_string(),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_in_c() {
        assert_eq!(quoted(b"a\"\\\n\0\xff"), r#""a\"\\\n\000\377""#);
        assert!(quoted(&[b'x'; 1500]).ends_with("x\" … 1,100 more bytes"));
    }

    #[test]
    fn values_have_the_type_they_were_asked_for_with() {
        let of =
            |kind, bytes: &[u8]| value(&HarnessValue { name: String::new(), kind, bytes: bytes.to_vec() });
        assert_eq!(of(ValueKind::Signed, &[0xff]), "-1");
        assert_eq!(of(ValueKind::Unsigned, &[0xff]), "255");
        assert_eq!(of(ValueKind::Float, &1.25f32.to_le_bytes()), "1.25");
        assert_eq!(of(ValueKind::Block, b"ab"), "\"ab\"");
        assert_eq!(of(ValueKind::Signed, &[]), "0");
        assert_eq!(of(ValueKind::Unsigned, &[1; 9]), "\"\\001\\001\\001\\001\\001\\001\\001\\001\\001\"");
    }
}
