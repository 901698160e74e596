//! Where a search goes on after a local optimum.

use crate::Oracle;
use crate::dictionary::Dictionary;
use crate::point::{Point, flip_pointer};
use crate::strings::disturb;
use crate::text::texts;
use input::{Input, LeafKind, Rng, Space, Var};
use std::ops::ControlFlow;

/// Of 256 texts in a fresh input, so many are tokens of the program.
const TOKENS: u8 = 64;

/// Climbs from the start, and ever again from a random input. `Continue` if there is nothing to vary.
pub(crate) fn at_random(
    oracle: &mut dyn Oracle,
    start: Input,
    mut climb: impl FnMut(&mut Point<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let space = oracle.space().clone();
    let mut point = Point::new(oracle, &space, start)?;
    if point.vars().is_empty() {
        return ControlFlow::Continue(());
    }
    loop {
        climb(&mut point)?;
        let random = Input::random(&space, point.oracle.rng());
        point.restart(random)?;
    }
}

/// A random input in which some numbers and texts are constants of the program.
pub(crate) fn fresh(space: &Space, rng: &mut Rng, dictionary: &Dictionary) -> Input {
    let mut input = Input::random(space, rng);
    for var in input.vars(space).collect::<Vec<_>>() {
        if rng.u8(..) < 32 {
            redraw(&mut input, space, rng, var, dictionary);
        }
    }
    if !dictionary.tokens.is_empty() {
        for text in texts(&input, space) {
            if text.is_characters(&input, space) && rng.u8(..) < TOKENS {
                let token = &dictionary.tokens[rng.usize(..dictionary.tokens.len())];
                text.become_token(&mut input, space, token);
            }
        }
    }
    input
}

/// The input with one to four variables drawn anew.
pub(crate) fn perturbed(space: &Space, rng: &mut Rng, best: &Input, dictionary: &Dictionary) -> Input {
    let mut input = best.clone();
    for _ in 0..rng.u32(1..=4) {
        let vars: Vec<Var> = input.vars(space).collect();
        let var = vars[rng.usize(..vars.len())];
        if matches!(input.leaf(space, var).kind, LeafKind::Pointer { .. }) {
            let len = rng.u32(1..=8);
            if space.limits.ways.growth {
                flip_pointer(&mut input, space, var, len);
            }
        } else if !change_text(&mut input, space, rng, var, dictionary) {
            redraw(&mut input, space, rng, var, dictionary);
        }
    }
    input
}

/// Every other time, and only in texts of characters: more than the one character.
fn change_text(input: &mut Input, space: &Space, rng: &mut Rng, var: Var, dictionary: &Dictionary) -> bool {
    let text = texts(input, space).into_iter().find(|text| text.holds(var));
    match text.filter(|text| text.is_characters(input, space)) {
        Some(text) if rng.bool() => disturb(text, text.place(var), input, space, rng, dictionary),
        _ => false,
    }
}

/// A constant of the program for a number, or any random value.
fn redraw(input: &mut Input, space: &Space, rng: &mut Rng, var: Var, dictionary: &Dictionary) {
    let leaf = input.leaf(space, var);
    let constants = &dictionary.near_constants;
    let constant =
        if constants.is_empty() || rng.bool() { None } else { Some(constants[rng.usize(..constants.len())]) };
    *input.cell_mut(var) = match (&leaf.kind, constant) {
        (LeafKind::Pointer { .. }, _) => return,
        (LeafKind::Int { .. }, Some(constant)) => leaf.clamp(constant),
        (LeafKind::Float(kind), Some(constant)) => leaf.clamp_float(*kind, constant as f64),
        _ => leaf.random(rng),
    };
}
