//! Tests of whole programs, made of what runs had in their variables.

use c_frontend::whole::{ASKED, BLOCKS, NAMES, ORDER, VALUES};
use c_frontend::whole::{Argument, Entry, NAME_WORDS, Surroundings};
use input::{Input, Space};
use suite::{FunctionResult, HarnessValue, Plain, ProgramEnd, ProgramTest, ValueKind};
use target::{Observation, Outcome, Seen};

/// Standard output is not kept beyond this.
const MOST_OUTPUT: usize = 64 << 10;

/// The tests of a run: those that pass, then the findings in their order. `observed` is what was seen when the
/// findings were repeated. Tests that cannot be told whole are left out, and it is said why.
pub(crate) fn program_tests(
    result: &FunctionResult,
    around: &Surroundings,
    observed: &[Observation],
) -> (Vec<ProgramTest>, Vec<String>) {
    let Some(space) = &result.space else { return (Vec::new(), Vec::new()) };
    let mut left_out = Vec::new();
    let mut tests = Vec::new();
    for test in &result.tests {
        let seen = Run { space, around, input: &test.input, observation: &test.observation };
        if test.observation.stdout.as_ref().is_some_and(|stdout| stdout.len() >= MOST_OUTPUT) {
            left_out
                .push("an input makes the program print more than 64 KiB; no test was made of it".to_owned());
            continue;
        }
        let name = format!("test_{:03}", tests.len() + 1);
        tests.push(ProgramTest { covers: test.covers.clone(), ..seen.test(name, test.outcome) });
    }
    let nothing = Observation::default();
    for (i, finding) in result.findings.iter().enumerate() {
        let observation = observed.get(i).unwrap_or(&nothing);
        let seen = Run { space, around, input: &finding.input, observation };
        tests.push(seen.test(format!("finding_{:03}", i + 1), finding.outcome));
    }
    (tests, left_out)
}

/// One run.
struct Run<'a> {
    space: &'a Space,
    around: &'a Surroundings,
    input: &'a Input,
    observation: &'a Observation,
}

impl Run<'_> {
    fn test(&self, name: String, outcome: Outcome) -> ProgramTest {
        let fuzzed = matches!(self.around.entry, Entry::Fuzzer(_));
        let values = if fuzzed { vec![self.block("data")] } else { self.values() };
        let files = self.around.files.iter().enumerate();
        ProgramTest {
            name,
            arguments: self.arguments(),
            stdin: self.around.stdin.map(|_| self.text("stdin")),
            files: files.map(|(i, (name, _))| (name.clone(), self.text(&format!("file{}", i + 1)))).collect(),
            values,
            end: end(outcome),
            stdout: self.observation.stdout.clone(),
            covers: Vec::new(),
            plain: Plain::default(),
        }
    }

    /// The cells of a variable before the run.
    fn before(&self, name: &str) -> &[u128] {
        let place = self.space.roots.iter().position(|root| root.name == name);
        place.and_then(|i| self.input.objects.get(i)).map_or(&[], |object| &object.cells)
    }

    /// A cell of a variable after the run.
    fn after(&self, name: &str, cell: usize) -> u128 {
        let place = self.space.roots.iter().position(|root| root.name == name);
        let cells = place.and_then(|i| self.observation.objects.get(i));
        match cells.and_then(|cells| cells.get(cell)) {
            Some(&Seen::Bits(bits)) => bits,
            _ => 0,
        }
    }

    /// A source of bytes: `NAME_bytes`, as many as `NAME_length` says.
    fn text(&self, name: &str) -> Vec<u8> {
        let length = self.before(&format!("{name}_length")).first().map_or(0, |&n| n as usize);
        self.before(&format!("{name}_bytes")).iter().take(length).map(|&cell| cell as u8).collect()
    }

    fn arguments(&self) -> Vec<Vec<u8>> {
        let one = |(i, argument): (usize, &Argument)| match argument {
            Argument::Fixed(text) => text.clone(),
            Argument::Symbolic(size) => {
                let cells = self.before(&format!("arg{}", i + 1)).iter().take(*size as usize);
                cells.map(|&cell| cell as u8).take_while(|&byte| byte != 0).collect()
            }
        };
        self.around.arguments.iter().enumerate().map(one).collect()
    }

    fn block(&self, name: &str) -> HarnessValue {
        HarnessValue { name: name.to_owned(), kind: ValueKind::Block, bytes: self.text(name) }
    }

    /// What the program asked for, in order; see `program/harness.c`.
    fn values(&self) -> Vec<HarnessValue> {
        let (mut next_number, mut next_byte) = (0, 0);
        let asked = self.after(ASKED, 0) as usize;
        let value = |i: usize| {
            let entry = self.after(ORDER, i);
            let (kind, size) = (kind(entry as u8), (entry >> 8) as usize);
            let bytes = match kind {
                ValueKind::Block => {
                    let from = next_byte;
                    next_byte += size;
                    (from..from + size).map(|i| self.before(BLOCKS).get(i).map_or(0, |&b| b as u8)).collect()
                }
                _ => {
                    let number = self.before(VALUES).get(next_number).copied().unwrap_or(0) as u64;
                    next_number += 1;
                    number.to_le_bytes()[..size.min(8)].to_vec()
                }
            };
            HarnessValue { name: self.name(i), kind, bytes }
        };
        (0..asked).map(value).collect()
    }

    /// The name that something was asked for by.
    fn name(&self, asked: usize) -> String {
        let words = (0..NAME_WORDS).map(|word| self.after(NAMES, asked * NAME_WORDS + word) as u64);
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn kind(letter: u8) -> ValueKind {
    match letter {
        b'b' => ValueKind::Block,
        b't' => ValueKind::Bool,
        b'u' => ValueKind::Unsigned,
        b'f' => ValueKind::Float,
        _ => ValueKind::Signed,
    }
}

fn end(outcome: Outcome) -> ProgramEnd {
    match outcome {
        Outcome::Exited(status) => ProgramEnd::Exited(status & 0xff),
        Outcome::Returned | Outcome::Rejected | Outcome::Unsteady => ProgramEnd::Exited(0),
        Outcome::Aborted => ProgramEnd::Aborted,
        Outcome::Crashed(_) | Outcome::WorkerDied => ProgramEnd::Crashed,
        Outcome::OutOfTicks | Outcome::TimedOut => ProgramEnd::Hangs,
    }
}
