//! Obligations that were handed back, against those of the program.

use super::{
    ConditionObligations, DecisionObligations, FileObligations, FunctionObligations, ObligationFault,
    Obligations, VectorObligation, fault,
};
use std::collections::{BTreeMap, BTreeSet};

const EXPORT: &str = "the source may have changed: export the obligations again and repeat your edits";

/// What is asked of a decision; vectors by their places in the program's list, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// All of these vectors.
    Vectors(Vec<usize>),
    /// By condition: one of these pairs.
    Pairs(Vec<Vec<[usize; 2]>>),
}

/// A decision of which something is asked, by the places of its file, its function and itself in the program's obligations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// Which file.
    pub file: usize,
    /// Which function of it.
    pub function: usize,
    /// Which decision of that.
    pub decision: usize,
    /// What is asked.
    pub asked: Asked,
}

/// What obligations ask of a program whose own are known.
///
/// # Errors
/// When they ask for something that the program does not have.
pub fn choose(asked: &Obligations, program: &Obligations) -> Result<Vec<Chosen>, ObligationFault> {
    if asked.mcdc != program.mcdc {
        let message = format!("these are obligations of {}, not of {}", asked.mcdc, program.mcdc);
        return fault(
            asked.at,
            message,
            "`--mcdc` says what shows a condition; give the same as for the export",
        );
    }
    if asked.bitwise_decisions != program.bitwise_decisions {
        let (message, hint) = match asked.bitwise_decisions {
            true => ("these are obligations with `&` and `|` as decisions", "add `--bitwise-decisions`"),
            false => ("these are obligations without `&` and `|`", "leave `--bitwise-decisions` away"),
        };
        return fault(asked.at, message, &format!("{hint}, or export them again"));
    }
    let mut chosen: Vec<Chosen> = Vec::new();
    for in_file in &asked.files {
        let file = find_file(in_file, &program.files)?;
        for in_function in &in_file.functions {
            let function = find_function(in_function, &program.files[file])?;
            let known = &program.files[file].functions[function].decisions;
            for one in &in_function.decisions {
                let is_taken = |index: usize| {
                    chosen.iter().any(|c| (c.file, c.function, c.decision) == (file, function, index))
                };
                let decision = find_decision(one, known, is_taken)?;
                let asked = asked_of(one, &known[decision])?;
                chosen.push(Chosen { file, function, decision, asked });
            }
        }
    }
    match chosen.is_empty() {
        true => fault(asked.at, "nothing is asked for", "leave a decision in the file"),
        false => Ok(chosen),
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit('/').filter(|part| !part.is_empty() && *part != ".")
}

/// The file of that name; of several the one that shares most folders with it.
fn find_file(asked: &FileObligations, known: &[FileObligations]) -> Result<usize, ObligationFault> {
    let shared = |path: &str| {
        components(path).zip(components(&asked.path)).take_while(|(one, other)| one == other).count()
    };
    let found = (0..known.len()).filter(|&index| shared(&known[index].path) > 0);
    match found.max_by_key(|&index| (shared(&known[index].path), std::cmp::Reverse(index))) {
        Some(index) => Ok(index),
        None => {
            let message = format!("`{}` is not among the files, or has no decisions", asked.path);
            fault(asked.at, message, "name the file on the command line, or delete this part")
        }
    }
}

fn find_function(asked: &FunctionObligations, file: &FileObligations) -> Result<usize, ObligationFault> {
    match file.functions.iter().position(|function| function.name == asked.name) {
        Some(index) => Ok(index),
        None => {
            let names: Vec<&str> = file.functions.iter().map(|f| f.name.as_str()).take(8).collect();
            let message = format!("`{}` has no function `{}` with decisions", file.path, asked.name);
            fault(asked.at, message, &format!("functions with decisions: {}", names.join(", ")))
        }
    }
}

fn find_decision(
    asked: &DecisionObligations,
    known: &[DecisionObligations],
    is_taken: impl Fn(usize) -> bool,
) -> Result<usize, ObligationFault> {
    let start = |decision: &DecisionObligations| (decision.place.line, decision.place.column);
    let is_here = |index: &usize| start(&known[*index]) == start(asked);
    let is_same = |index: &usize| is_here(index) && known[*index].text == asked.text;
    let place = format!("{}:{}", asked.place.line, asked.place.column);
    let Some(first) = (0..known.len()).find(is_same) else {
        let moved = known.iter().find(|decision| decision.text == asked.text);
        let message = match ((0..known.len()).find(is_here), moved) {
            (Some(index), _) => {
                format!("the decision at {place} is `{}`, not `{}`", known[index].text, asked.text)
            }
            (None, Some(moved)) => {
                let (line, column) = start(moved);
                format!("`{}` is not at {place} but at {line}:{column}", asked.text)
            }
            (None, None) => format!("there is no decision `{}` at {place}", asked.text),
        };
        return fault(asked.at, message, EXPORT);
    };
    // A macro that is used twice has two decisions in one place; their conditions are where it is used.
    let strange = |decision: &DecisionObligations| {
        let is_known = |condition: &ConditionObligations| {
            let start = |c: &ConditionObligations| (c.place.line, c.place.column);
            decision.conditions.iter().any(|other| {
                (&other.letter, &other.text, start(other))
                    == (&condition.letter, &condition.text, start(condition))
            })
        };
        asked.conditions.iter().find(|condition| !is_known(condition))
    };
    let mut fitting =
        (first..known.len()).filter(is_same).filter(|&i| strange(&known[i]).is_none()).peekable();
    if fitting.peek().is_none()
        && let Some(condition) = strange(&known[first])
    {
        let message =
            format!("`{}` has no condition {} `{}` there", asked.text, condition.letter, condition.text);
        return fault(condition.at, message, EXPORT);
    }
    match fitting.find(|&index| !is_taken(index)) {
        Some(index) => Ok(index),
        None => {
            let message = format!("the decision at {place} is listed twice");
            fault(asked.at, message, "put all that is asked of it in one place")
        }
    }
}

fn asked_of(asked: &DecisionObligations, known: &DecisionObligations) -> Result<Asked, ObligationFault> {
    let mut numbers = BTreeMap::new();
    for vector in &asked.vectors {
        let place = find_vector(vector.at, &vector.values, known)?;
        if known.vectors[place].outcome != vector.outcome {
            let outcome = known.vectors[place].outcome;
            let message =
                format!("with `{}` the decision is {outcome}, not {}", vector.values, vector.outcome);
            return fault(vector.at, message, EXPORT);
        }
        if numbers.insert(vector.number, place).is_some() {
            let message = format!("there are two vectors with the number {}", vector.number);
            return fault(vector.at, message, "give each a number of its own");
        }
    }
    if let Some(wanted) = &asked.wanted {
        let places: Result<BTreeSet<usize>, _> =
            wanted.iter().map(|vector| find_vector(vector.at, &vector.values, known)).collect();
        let places = places?;
        return match places.is_empty() {
            true => nothing(asked),
            false => Ok(Asked::Vectors(places.into_iter().collect())),
        };
    }
    let mut pairs = vec![Vec::new(); known.conditions.len()];
    for condition in &asked.conditions {
        let Some(index) = known.conditions.iter().position(|other| other.letter == condition.letter) else {
            return fault(condition.at, format!("there is no condition {}", condition.letter), EXPORT);
        };
        let [is, was] =
            [known.conditions[index].constant, condition.constant].map(|constant| match constant {
                Some(value) => format!("always {value}"),
                None => "not constant".to_owned(),
            });
        if is != was {
            return fault(condition.at, format!("`{}` is {is}, not {was}", condition.text), EXPORT);
        }
        for pair in &condition.pairs {
            let mut places = [0; 2];
            for (place, number) in places.iter_mut().zip(pair.vectors) {
                let Some(&found) = numbers.get(&number) else {
                    let message = format!("there is no vector with the number {number}");
                    return fault(pair.at, message, "delete the pair, or put the vector back");
                };
                *place = found;
            }
            let shows = |other: &[usize; 2]| *other == places.map(|place| known.vectors[place].number);
            if !known.conditions[index].pairs.iter().any(|other| shows(&other.vectors)) {
                let [one, other] = places.map(|place| known.vectors[place].values.as_str());
                let message = format!("`{one}` and `{other}` do not show {}", condition.letter);
                return fault(pair.at, message, "name vectors that you want for their own sake as wanted");
            }
            pairs[index].push(places);
        }
    }
    // Where constants decide nothing can be shown, and the program asks for nothing either.
    let is_idle = known.conditions.iter().all(|condition| condition.pairs.is_empty());
    match pairs.iter().all(Vec::is_empty) && !is_idle {
        true => nothing(asked),
        false => Ok(Asked::Pairs(pairs)),
    }
}

fn nothing<T>(asked: &DecisionObligations) -> Result<T, ObligationFault> {
    let message = format!("nothing is asked of `{}`", asked.text);
    fault(asked.at, message, "leave pairs of a condition, name wanted vectors, or delete the decision")
}

/// The place of a vector among those that the decision can have.
fn find_vector(at: usize, values: &str, known: &DecisionObligations) -> Result<usize, ObligationFault> {
    let conditions = known.conditions.len();
    const HINT: &str = "a vector has a T, F or - for each condition, and C if it is constant";
    if values.chars().any(|letter| !"TFC-".contains(letter)) {
        return fault(at, format!("`{values}` is no vector"), HINT);
    }
    if values.len() != conditions {
        let message = format!("`{values}` has {} values, the decision has {conditions}", values.len());
        return fault(at, message, HINT);
    }
    if let Some(place) = known.vectors.iter().position(|vector| vector.values == values) {
        return Ok(place);
    }
    let agrees = |vector: &&VectorObligation| {
        vector.values.bytes().zip(values.bytes()).all(|(one, other)| b"-C".contains(&one) || one == other)
    };
    let hint = match known.vectors.iter().find(agrees) {
        Some(vector) => format!("C leaves conditions out, and constants are C: write `{}`", vector.values),
        None if !known.complete => {
            "not all vectors of this decision are told apart; take some that are listed".into()
        }
        None => "a vector has a - for exactly those conditions that C does not evaluate then".into(),
    };
    fault(at, format!("no evaluation of `{}` is `{values}`", known.form), &hint)
}
