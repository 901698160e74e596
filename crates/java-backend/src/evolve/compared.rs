//! Texts that the code under test has compared, put where they came from.
//!
//! After Aschermann et al., "REDQUEEN: Fuzzing with Input-to-State Correspondence" (2019). What a comparison looks at often stands in the
//! input as it is: the part of a path between two slashes, a header in front of a colon. So the nearest test is run once with all hooks, what
//! its texts were held against is read off, and wherever a text of the comparison is part of a value, it becomes one that would have held. No
//! solver has to find a way back through what lies between, and a parser that takes a text apart first is no obstacle.

use super::aims::Did;
use super::dictionary::Dictionary;
use super::genome::Genome;
use super::pattern::Pattern;
use super::{Classes, Evolution};
use crate::search::Searcher;
use crate::times::timed;
use expr::Terms;
use goal::Fitness;
use input::Rng;
use java_replay::{Comparison, Relation, Run, replay};
use java_wire::message::{End, Manner};
use java_wire::{Primitive, Value};
use java_worker::{Answer, StartError};
use model::Goal;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// Comparisons of a run that are tried, the latest: what a test is stuck at comes last.
const TRIED: usize = 12;
/// Characters of a value: what is put in again and again would grow without end.
const LONGEST: usize = 1 << 12;
/// What a run with all hooks and its replay cost, in runs.
const COST: u64 = 3;
/// Runs for one test, and for those that come of it.
const MOST: u64 = 24;

/// A run with all hooks.
#[derive(Default)]
struct Look {
    /// What it compares in vain.
    comparisons: Vec<Comparison>,
    /// What its last step did.
    did: Did,
}

impl Searcher<'_> {
    /// Runs a test that is near to a goal so that it tells what it compares, and tries values for which that would hold.
    ///
    /// What code does behind one comparison may be another one, and the goal behind both. So what comes of the first is looked at in turn, if
    /// it went another way somewhere and is as near to the goal.
    pub(super) fn compare(
        &mut self,
        evolution: &mut Evolution<'_, '_>,
        goal: Goal,
        nearest: &Genome,
    ) -> Result<(), StartError> {
        let most = evolution.spent + MOST;
        let mut known: BTreeSet<Goal> = BTreeSet::new();
        let mut least = None;
        let mut tried: HashSet<Comparison> = HashSet::new();
        let mut waiting = VecDeque::from([(nearest.clone(), None)]);
        while let Some((genome, last)) = waiting.pop_front() {
            evolution.spent += COST;
            let look = self.look(evolution, &genome)?;
            known.extend(look.did.outcomes.iter().copied());
            let least = *least.get_or_insert(fitness(&look.did, goal));
            let is_new = |comparison: &&Comparison| tried.insert((*comparison).clone());
            for comparison in look.comparisons.iter().rev().filter(is_new).take(TRIED) {
                if evolution.spent >= most || !self.reached.is_wanted(goal) {
                    return Ok(());
                }
                let dictionary = evolution.palette.dictionary();
                let rng = &mut evolution.rng;
                let Some((values, end)) = fitted((&genome.values, last), comparison, dictionary, rng) else {
                    continue;
                };
                evolution.spent += 1;
                evolution.barren += 1;
                let changed = Genome { script: genome.script.clone(), values };
                let steps = self.tried(evolution, &changed)?;
                let did = steps.last().filter(|_| steps.len() == changed.len());
                let is_new = |did: &Did| {
                    let news = did.outcomes.iter().filter(|outcome| known.insert(**outcome)).count();
                    news > 0 && fitness(did, goal) <= least
                };
                if did.is_some_and(is_new) {
                    waiting.push_back((changed.clone(), Some(end)));
                }
                self.take_all(evolution, &changed, steps);
            }
        }
        Ok(())
    }

    fn look(&mut self, evolution: &mut Evolution<'_, '_>, genome: &Genome) -> Result<Look, StartError> {
        let values = self.opened(&genome.values);
        let Some(script) = self.kept_to_rules(genome.script.clone(), &values) else {
            return Ok(Look::default());
        };
        let (number, end) = self.learn(&script)?;
        if end != End::Returned {
            return Ok(Look::default());
        }
        // What is compared may have been made when its class was loaded.
        let manner = Manner { full: true, ..Classes::run(true) };
        let settings = java_replay::Settings { comparisons: true, ..self.replaying() };
        let host = &mut self.host;
        let Answer::Ran(ran) = self.times.executing(|| host.run(number, &values, manner))? else {
            return Ok(Look::default());
        };
        let thrown = match &ran.reply.end {
            End::Threw { thrown, .. } => Some(thrown),
            _ => None,
        };
        let did = evolution.aims.judge(ran.words, thrown).pop().unwrap_or_default();
        let end = (!ran.reply.cut).then_some(&ran.reply.end);
        let (trace, classes) = (ran.words, ran.classes);
        let run = Run { script: &script, values: &values, variables: &[], trace, classes, end };
        let code = &self.program.code;
        let replayed = timed(&mut self.times.replay, || replay(code, &run, &settings, &mut Terms::new()));
        Ok(Look { comparisons: replayed.comparisons, did })
    }
}

/// How near a step came to a goal.
fn fitness(did: &Did, goal: Goal) -> Fitness {
    let near = did.near.iter().find(|(near, _)| *near == goal);
    near.map_or(Fitness::WORST, |(_, fitness)| *fitness)
}

/// Whether there is something to compare.
pub(super) fn has_texts(genome: &Genome) -> bool {
    let is_text =
        |value: &Value| matches!(value, Value::Text(_) | Value::Array(Primitive::Byte | Primitive::Char, _));
    genome.values.iter().any(is_text)
}

/// The characters of a text, or of an array that may be read as one.
fn units(value: &Value) -> Option<Vec<u16>> {
    let unit = |element: &Value| match element {
        Value::Byte(byte) => Some(u16::from(byte.cast_unsigned())),
        Value::Char(unit) => Some(*unit),
        _ => None,
    };
    match value {
        Value::Text(units) => Some(units.clone()),
        Value::Array(Primitive::Byte | Primitive::Char, elements) => elements.iter().map(unit).collect(),
        _ => None,
    }
}

/// A value like this one with other characters.
fn with_units(value: &Value, units: Vec<u16>) -> Value {
    match value {
        Value::Array(Primitive::Byte, _) => {
            let byte = |unit: u16| Value::Byte((unit as u8).cast_signed());
            Value::Array(Primitive::Byte, units.into_iter().map(byte).collect())
        }
        Value::Array(primitive, _) => Value::Array(*primitive, units.into_iter().map(Value::Char).collect()),
        _ => Value::Text(units),
    }
}

/// A place in the values: which of them, and before which of its characters.
type Spot = (usize, usize);

/// Values with which a comparison may hold, and where what was put in ends; `None` if none of them has anything to do with it. What is looked
/// for in an empty text belongs as likely as not behind what was put in last.
fn fitted(
    (values, last): (&[Value], Option<Spot>),
    comparison: &Comparison,
    dictionary: &Dictionary,
    rng: &mut Rng,
) -> Option<(Vec<Value>, Spot)> {
    let Comparison { text, relation, with } = comparison;
    // Either of the two may come from the input, unless one is asked what it contains.
    let is_mutual = matches!(relation, Relation::Equals | Relation::EqualsInAnyCase) && !with.is_empty();
    let turned = if is_mutual { places(values, with) } else { Vec::new() };
    let straight = places(values, text);
    let is_turned = straight.is_empty() || !turned.is_empty() && rng.bool();
    let (places, text, with) = if is_turned { (turned, with, text) } else { (straight, text, with) };
    let (at, start) = match last.filter(|_| text.is_empty() && rng.bool()) {
        Some(last) => last,
        None => *places.get(rng.usize(..places.len().max(1)))?,
    };
    let wanted = match relation {
        Relation::Equals | Relation::EqualsInAnyCase => with.clone(),
        Relation::Starts => [&with[..], text].concat(),
        Relation::Ends => [text, &with[..]].concat(),
        Relation::Contains => inside(text, with, rng),
        Relation::Fits => {
            let example = match Pattern::of(with) {
                Some(pattern) => pattern.example(rng),
                None => dictionary.example(rng).unwrap_or_else(|| with.clone()),
            };
            if rng.bool() { example } else { inside(text, &example, rng) }
        }
    };
    let mut values = values.to_vec();
    let mut units = units(&values[at])?;
    let end = start + wanted.len();
    units.splice(start..start + text.len(), wanted);
    if units.len() > LONGEST {
        return None;
    }
    values[at] = with_units(&values[at], units);
    Some((values, (at, end)))
}

/// The second text somewhere in the first, most often at one of its ends.
fn inside(text: &[u16], part: &[u16], rng: &mut Rng) -> Vec<u16> {
    let at = match rng.u8(..3) {
        0 => 0,
        1 => text.len(),
        _ => rng.usize(..=text.len()),
    };
    [&text[..at], part, &text[at..]].concat()
}

/// Where a text stands in the values, whatever its case: which value, and from which character on. What is empty stands at both ends.
fn places(values: &[Value], text: &[u16]) -> Vec<Spot> {
    let mut places = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let Some(units) = units(value) else { continue };
        if text.is_empty() {
            places.push((at, units.len()));
            if !units.is_empty() {
                places.push((at, 0));
            }
            continue;
        }
        let starts = units.windows(text.len()).enumerate().filter(|(_, part)| is_same(part, text));
        places.extend(starts.map(|(start, _)| (at, start)));
    }
    places
}

fn is_same(a: &[u16], b: &[u16]) -> bool {
    let lower = |unit: u16| u8::try_from(unit).map_or(unit, |byte| byte.to_ascii_lowercase().into());
    a.iter().zip(b).all(|(&a, &b)| lower(a) == lower(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn tried(values: &[Value], relation: Relation, (a, b): (&str, &str)) -> Vec<Vec<Value>> {
        let comparison = Comparison { text: text(a), relation, with: text(b) };
        let mut rng = Rng::with_seed(2);
        let dictionary = Dictionary::default();
        let one = |_| fitted((values, None), &comparison, &dictionary, &mut rng).map(|(values, _)| values);
        (0..50).filter_map(one).collect()
    }

    fn of(words: &str) -> Value {
        Value::Text(text(words))
    }

    #[test]
    fn what_was_compared_holds_where_it_stood() {
        let value = [of("//host/path"), Value::Int(3)];
        for (relation, wanted) in [
            (Relation::Equals, "//::/path"),
            (Relation::Starts, "//::host/path"),
            (Relation::Ends, "//host::/path"),
            (Relation::Contains, "//ho::st/path"),
        ] {
            let all = tried(&value, relation, ("host", "::"));
            assert!(all.contains(&vec![of(wanted), Value::Int(3)]), "{relation:?}: {all:?}");
        }
    }

    #[test]
    fn what_was_asked_holds_of_what_comes_out() {
        let relations = [
            Relation::Equals,
            Relation::EqualsInAnyCase,
            Relation::Starts,
            Relation::Ends,
            Relation::Contains,
        ];
        let words = ["", "a", "ab/", "XyZ", "ab/ab/"];
        for relation in relations {
            for (text, with) in words.iter().flat_map(|text| words.map(|with| (*text, with))) {
                // Where the other text is part of the value, too, it may as well be that one that is changed.
                if !with.is_empty() && text.to_lowercase().contains(&with.to_lowercase()) {
                    continue;
                }
                for values in tried(&[of(text)], relation, (text, with)) {
                    let text = units(&values[0]).expect("a text");
                    let after = Comparison { text, relation, with: self::text(with) };
                    assert_eq!(after.holds(), Some(true), "{after:?}");
                }
            }
        }
    }

    #[test]
    fn either_side_of_an_equality_may_come_from_the_input() {
        let all = tried(&[of("a=UTF-8;"), of("x")], Relation::EqualsInAnyCase, ("none", "utf-8"));
        assert_eq!(all[0], [of("a=none;"), of("x")]);
    }

    #[test]
    fn patterns_bring_texts_that_fit_them() {
        let bytes = Value::Array(Primitive::Byte, [60, 97].map(Value::Byte).to_vec());
        let all = tried(&[bytes], Relation::Fits, ("<a", "[0-9]{2}"));
        let is_fit = |values: &Vec<Value>| {
            units(&values[0])
                .is_some_and(|units| units.iter().filter(|&&u| (48..58).contains(&u)).count() == 2)
        };
        assert!(all.len() == 50 && all.iter().all(is_fit), "{all:?}");
    }

    #[test]
    fn what_is_not_in_the_input_is_left_alone() {
        assert!(tried(&[of("abc")], Relation::Equals, ("xyz", "b2")).is_empty());
        assert!(tried(&[Value::Int(4)], Relation::Starts, ("", "a")).is_empty());
    }
}
