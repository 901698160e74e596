//! Findings of several functions.

use crate::{Finding, FunctionResult, GoalState, Reason};
use model::Program;
use std::collections::HashMap;

/// A fault of one kind at one place is told once, though functions that call one another all show it: with the function
/// that it happens in, or else the first. What is the only way to a goal stays where it is.
pub fn tell_once(program: &Program, results: &mut [FunctionResult]) {
    let mut known = HashMap::new();
    for (function, result) in results.iter().enumerate() {
        for (index, finding) in result.findings.iter().enumerate() {
            if let Some(place) = finding.place.clone() {
                known
                    .entry((finding.outcome.class(), place))
                    .or_insert_with(Vec::new)
                    .push((function, index));
            }
        }
    }
    let mut gone: Vec<Vec<usize>> = vec![Vec::new(); results.len()];
    for places in known.into_values().filter(|places| places.len() > 1) {
        let finding = |&(function, index): &(usize, usize)| &results[function].findings[index];
        let home = *places.iter().find(|place| finding(place).stack.len() <= 1).unwrap_or(&places[0]);
        let others = places.into_iter().filter(|place| *place != home);
        let others: Vec<(usize, usize)> = others.filter(|place| finding(place).reaches.is_empty()).collect();
        for (function, index) in others {
            gone[function].push(index);
            let name = program.function(results[function].function).name.clone();
            results[home.0].findings[home.1].also.push(name);
        }
    }
    for (result, gone) in results.iter_mut().zip(gone) {
        result.findings.iter_mut().for_each(|finding| finding.also.sort_unstable());
        forget(result, &gone);
    }
}

/// Takes findings out; goals that name one know it by its new number.
fn forget(result: &mut FunctionResult, gone: &[usize]) {
    let before = |index: usize| gone.iter().filter(|&&other| other < index).count();
    for (_, state) in &mut result.goals {
        if let GoalState::Unknown(Reason::OnlyByFinding(index)) = state {
            *index -= before(*index);
        }
    }
    let findings = std::mem::take(&mut result.findings);
    let kept = findings.into_iter().enumerate().filter(|(index, _)| !gone.contains(index));
    result.findings = kept.map(|(_, finding)| finding).collect::<Vec<Finding>>();
}
