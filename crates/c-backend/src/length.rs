//! Lengths by use: which number of an input says how long an array is.
//!
//! C passes an array and its length apart, and an input has them apart too. Where a run leaves an array, the question
//! is whose fault that is. The numbers of the input are asked: with one less than the array has elements, with as many,
//! and with one more.
//!
//! | one less | as many | one more | so the number is | and the fault |
//! |---|---|---|---|---|
//! | stays inside | stays inside | leaves it | the length | is the input's: no caller does that |
//! | stays inside | leaves it | | the length | is the function's, and shows with an array as long as it says |
//!
//! Anything else says nothing, and the fault is told as it was found.
//!
//! A function that goes too far need not have been seen doing so: on demand it was given what it read. So the arrays of
//! tests are made as long as a number says, and shorter, twice.

use input::{Input, LeafKind, Space, Var};
use target::{Access, Crash, Outcome};

/// Numbers of one input that are tried.
const MOST_NUMBERS: usize = 8;

/// Numbers and arrays of the tests of a function that are tried together.
const MOST_PROBES: usize = 32;
/// Lengths that are tried.
const LENGTHS: [u32; 2] = [2, 3];

/// A number and an array of a test.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// The number.
    pub(crate) var: Var,
    /// The array.
    pub(crate) object: u32,
    /// For each of the lengths the input with one less, with as many, and with one more.
    pub(crate) inputs: Vec<Input>,
}

/// Inputs whose arrays are as long as one of their numbers says.
pub(crate) fn probes<'t>(space: &Space, tests: impl Iterator<Item = &'t Input>) -> Vec<Probe> {
    let mut all: Vec<Probe> = Vec::new();
    for test in tests {
        let arrays = space.roots.len() as u32..test.objects.len() as u32;
        for object in arrays {
            for var in test.vars(space).filter(|&var| may_be_length(space, test, var, object)) {
                if all.len() == MOST_PROBES {
                    return all;
                }
                let is_new = !all.iter().any(|probe| probe.var == var && probe.object == object);
                if let Some(inputs) = is_new.then(|| with_lengths(space, test, var, object)).flatten() {
                    all.push(Probe { var, object, inputs });
                }
            }
        }
    }
    all
}

/// A test with other lengths of an array and other values of a number; `None` if it cannot have them.
fn with_lengths(space: &Space, test: &Input, var: Var, object: u32) -> Option<Vec<Input>> {
    let with = |(length, number): (u32, u32)| {
        let mut input = test.clone();
        let leaf = input.leaf(space, var);
        let cell = leaf.clamp(number.into());
        let is_possible = leaf.int_value(cell) == i128::from(number);
        *input.cell_mut(var) = cell;
        (is_possible && input.resize(space, object, length) && has(space, &input, var, object))
            .then_some(input)
    };
    let around = |&length: &u32| [length - 1, length, length + 1].map(|number| (length, number));
    LENGTHS.iter().flat_map(around).map(with).collect()
}

/// Whether both are still there.
fn has(space: &Space, input: &Input, var: Var, object: u32) -> bool {
    (object as usize) < input.objects.len()
        && input
            .objects
            .get(var.object as usize)
            .is_some_and(|holder| (var.cell as usize) < holder.cells.len())
        && may_be_length(space, input, var, object)
}

/// Whether a cell may say how long an object is: a number outside of it, and no character among others.
fn may_be_length(space: &Space, input: &Input, var: Var, object: u32) -> bool {
    let leaf = input.leaf(space, var);
    let is_character = leaf.width <= 8 && input.objects[var.object as usize].len > 1;
    matches!(leaf.kind, LeafKind::Int { .. }) && !is_character && var.object != object
}

impl Probe {
    /// What the outcomes of its inputs mean, the same for every length.
    pub(crate) fn verdict(&self, space: &Space, outcomes: &[Outcome]) -> Verdict {
        if outcomes.len() != self.inputs.len() {
            return Verdict::Unclear;
        }
        let triples = self.inputs.chunks_exact(3).zip(outcomes.chunks_exact(3));
        let mut verdicts =
            triples.map(|(inputs, outcomes)| verdict(space, &inputs[0], self.object, outcomes));
        let first = verdicts.next().unwrap_or(Verdict::Unclear);
        if verdicts.all(|other| other == first) { first } else { Verdict::Unclear }
    }
}

/// What the outcomes with one less, as many, and one more mean for an object of an input.
fn verdict(space: &Space, input: &Input, object: u32, outcomes: &[Outcome]) -> Verdict {
    let leaves = |outcome| left(outcome).is_some_and(|(other, _)| other == object);
    let at_end = |outcome| leaves_at_end(space, input, object, outcome);
    match *outcomes {
        [less, same, more] if !leaves(less) && !leaves(same) && at_end(more) => Verdict::TooShort,
        [less, same, _] if !leaves(less) && at_end(same) => Verdict::TooFar,
        _ => Verdict::Unclear,
    }
}

/// Whether a run touches the first element behind an object.
fn leaves_at_end(space: &Space, input: &Input, object: u32, outcome: Outcome) -> bool {
    let array = &input.objects[object as usize];
    let stride = u64::from(space.table(array.table).stride);
    let end = u64::from(array.len) * stride;
    left(outcome).is_some_and(|(other, at)| other == object && (end..end + stride.max(1)).contains(&at))
}

/// A number that may say how long the object is that a run left.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    /// The number.
    pub(crate) var: Var,
    /// The object.
    pub(crate) object: u32,
    /// It counts bytes and not elements.
    pub(crate) in_bytes: bool,
    /// The input with one less, as many, and one more.
    pub(crate) inputs: [Input; 3],
}

/// What the runs with a suspect's inputs say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The number is the length, and the array of the fault is shorter.
    TooShort,
    /// The number is the length, and the function goes further.
    TooFar,
    /// Nothing.
    Unclear,
}

/// The object that a run leaves, and the byte where it does.
fn left(outcome: Outcome) -> Option<(u32, u64)> {
    match outcome {
        Outcome::Crashed(Crash { access: Access::Beyond { object, offset }, .. }) => Some((object, offset)),
        _ => None,
    }
}

/// The numbers of an input that are larger than an object is long, of those that a run with it may have left.
pub(crate) fn suspects(space: &Space, input: &Input, outcome: Outcome) -> Vec<Suspect> {
    let heap = space.roots.len() as u32..input.objects.len() as u32;
    let objects: Vec<u32> = match outcome {
        Outcome::Crashed(Crash { access: Access::Beyond { object, .. }, .. }) => vec![object],
        // So far behind it that nobody can say of what.
        Outcome::Crashed(Crash { access: Access::Wild, .. }) => heap.take(MOST_NUMBERS).collect(),
        _ => Vec::new(),
    };
    objects.into_iter().flat_map(|object| suspects_of(space, input, object)).collect()
}

fn suspects_of(space: &Space, input: &Input, object: u32) -> Vec<Suspect> {
    let Some(array) = input.objects.get(object as usize) else { return Vec::new() };
    let stride = i128::from(space.table(array.table).stride);
    let elements = i128::from(array.len);
    let units: &[(i128, bool)] =
        if stride > 1 { &[(elements, false), (elements * stride, true)] } else { &[(elements, false)] };
    let is_larger = |var: &Var| {
        may_be_length(space, input, *var, object)
            && input.leaf(space, *var).int_value(input.cell(*var)) >= elements
    };
    let mut all = Vec::new();
    for var in input.vars(space).filter(is_larger).take(MOST_NUMBERS) {
        for &(length, in_bytes) in units.iter().filter(|(length, _)| *length > 0) {
            let with = |value: i128| {
                let mut input = input.clone();
                *input.cell_mut(var) = input.leaf(space, var).clamp(value);
                input
            };
            let inputs = [length - 1, length, length + 1].map(with);
            all.push(Suspect { var, object, in_bytes, inputs });
        }
    }
    all
}

impl Suspect {
    /// What the outcomes of its inputs mean.
    pub(crate) fn verdict(&self, space: &Space, outcomes: [Outcome; 3]) -> Verdict {
        verdict(space, &self.inputs[0], self.object, &outcomes)
    }
}
