//! Texts that no change of single characters leads to.

use crate::Avm;
use crate::dictionary::Dictionary;
use crate::restart::fresh;
use crate::testing::{Bench, Subject, Values, at};
use crate::text::texts;
use goal::Fitness;
use input::{Input, Rng, Space, Var};
use model::{TypeId, TypeKind};

/// `f(char *p0)`.
fn text_subject() -> Subject {
    let mut subject = Subject::new();
    let letter = subject.add(TypeKind::Int { bits: 8, signed: true, character: true }, 1);
    subject.params = vec![subject.pointer(letter)];
    subject
}

/// The string behind the first parameter; `None` without one or without an end.
fn string(values: &Values<'_>) -> Option<String> {
    let cells = &values.pointee(0)?.cells;
    let end = cells.iter().position(|&cell| cell == 0)?;
    String::from_utf8(cells[..end].iter().map(|&cell| cell as u8).collect()).ok()
}

/// Evaluations from this string to the goal; `None` if it was not reached in 50 000.
fn evaluations(
    text: &str,
    constants: &[i128],
    strings: &[&str],
    objective: impl Fn(&Values<'_>) -> Fitness,
) -> Option<usize> {
    let subject = text_subject();
    let mut bench = Bench::new(&subject, 1, 50_000, objective);
    bench.constants = constants.to_vec();
    bench.strings = strings.iter().map(|s| s.as_bytes().to_vec()).collect();
    let start = input_with(&bench.space, text);
    bench.run_from(&Avm::ITERATED_PATTERN, start).then_some(bench.evaluations)
}

fn input_with(space: &Space, text: &str) -> Input {
    let mut input = Input::zero(space);
    input.point_to_new(space, Var { object: 0, cell: 0 }, 1);
    texts(&input, space)[0].become_token(&mut input, space, text.as_bytes());
    input
}

/// `number.rest`, its number; anything else is no address.
fn first_part(text: &str) -> Option<u128> {
    let (number, rest) = text.split_once('.')?;
    let is_plain = !number.is_empty() && (number.len() == 1 || !number.starts_with('0'));
    (is_plain && rest == "0").then(|| number.parse().ok()).flatten().filter(|&n: &u128| n <= 255)
}

#[test]
fn a_number_in_digits_gets_longer_and_carries() {
    for wanted in [7, 127, 200, 255] {
        let distance = |v: &Values<'_>| match string(v).as_deref().and_then(first_part) {
            Some(number) => at(0, number.abs_diff(wanted)),
            None => at(1, 0),
        };
        let needed = evaluations("1.0", &[], &[], distance).expect("reached");
        assert!(needed < 500, "{wanted} took {needed}");
    }
}

#[test]
fn a_number_in_digits_leaps_over_plateaus_and_knows_constants() {
    let part = |v: &Values<'_>| string(v).as_deref().and_then(first_part);
    let sixteens = |v: &Values<'_>| part(v).map_or(at(1, 0), |n| at(0, (n / 16).abs_diff(3)));
    assert!(evaluations("1.0", &[], &[], sixteens).is_some_and(|n| n < 500));
    let needle = |v: &Values<'_>| part(v).map_or(at(1, 0), |n| at(0, u128::from(n != 217)));
    assert!(evaluations("1.0", &[217], &[], needle).is_some_and(|n| n < 100));
}

#[test]
fn numbers_in_digits_move_together() {
    let parts = |v: &Values<'_>| {
        let text = string(v)?;
        let (a, b) = text.split_once('.')?;
        Some((a.parse::<u8>().ok()?, b.parse::<u8>().ok()?))
    };
    // From 193.0 every change of one part leads away from 192.168.
    let network = |v: &Values<'_>| match parts(v) {
        Some((a, b)) => at(0, (u32::from(a) * 256 + u32::from(b)).abs_diff(0xc0a8).into()),
        None => at(1, 0),
    };
    assert!(evaluations("193.0", &[255], &[], network).is_some_and(|n| n < 500));
    let all = |v: &Values<'_>| parts(v).map_or(at(1, 0), |p| at(0, u128::from(p != (255, 255))));
    assert!(evaluations("1.0", &[255], &[], all).is_some_and(|n| n < 500));
}

#[test]
fn characters_are_put_in_and_taken_out() {
    // One distance for every text but those on the way: only an edit helps.
    let stairs = |steps: &'static [&'static str]| {
        move |v: &Values<'_>| match string(v) {
            Some(text) => match steps.iter().rev().position(|&step| step == text) {
                Some(0) => Fitness::COVERED,
                Some(left) => at(0, left as u128),
                None => at(1, 0),
            },
            None => at(1, 0),
        }
    };
    let comma = i128::from(b',');
    for (steps, constants) in [
        (&["xyx", "xyyx"][..], &[][..]),
        (&["xyyx", "xyx", "xx"], &[]),
        (&["xyz", "xzy"], &[]),
        (&["xy", "x,y", "x,y,"], &[comma]),
    ] {
        assert!(evaluations(steps[0], constants, &[], stairs(steps)).expect("reached") < 1500, "{steps:?}");
    }
}

#[test]
fn words_of_the_program_are_tried_at_every_place() {
    let equals = |wanted: &'static str| {
        move |v: &Values<'_>| if string(v).as_deref() == Some(wanted) { Fitness::COVERED } else { at(0, 5) }
    };
    let words = &["host", "verbose", "=on"];
    for wanted in ["verbose", "verbose9", "9host", "9=on"] {
        let needed = evaluations("9", &[], words, equals(wanted));
        assert!(needed.is_some_and(|n| n < 1000), "{wanted} took {needed:?}");
        assert_eq!(evaluations("9", &[], &[], equals(wanted)), None, "without words chance is not enough");
    }
}

#[test]
fn arrays_inside_structures_have_a_length_that_stays() {
    let mut subject = Subject::new();
    let letter = subject.add(TypeKind::Int { bits: 8, signed: true, character: true }, 1);
    let name = subject.add(TypeKind::Array { of: letter, len: Some(4) }, 4);
    let number = subject.int(32, true);
    let record = |s: &mut Subject, members: &[(TypeId, u64, Option<u16>)]| {
        s.aggregate(|fields| TypeKind::Struct { fields }, members)
    };
    let record = record(&mut subject, &[(number, 0, None), (name, 32, None)]);
    subject.params = vec![record];
    let space = subject.space();
    let mut input = Input::zero(&space);
    let found = texts(&input, &space);
    assert_eq!(found.len(), 1);
    assert!(found[0].become_token(&mut input, &space, b"port"));
    assert_eq!(input.objects[0].cells, [0, 112, 111, 114, 116], "the end did not fit");
    assert!(found[0].write(&mut input, &space, &[107]));
    assert_eq!(input.objects[0].cells, [0, 107, 0, 0, 0]);
}

#[test]
fn a_text_grows_no_further_than_inputs_may() {
    let space = text_subject().space();
    let mut input = input_with(&space, "a");
    let text = texts(&input, &space)[0];
    let cells = vec![u128::from(b'x'); space.limits.elements as usize + 9];
    assert!(text.write(&mut input, &space, &cells));
    assert_eq!(input.objects[1].len, space.limits.elements);
    assert_eq!(input.objects[1].cells.len(), space.limits.elements as usize);
    assert!(!text.write(&mut input, &space, &cells), "nothing changed");
}

#[test]
fn fresh_inputs_hold_words_of_the_program() {
    let space = text_subject().space();
    let dictionary = Dictionary { tokens: vec![b"needle".to_vec()], ..Dictionary::default() };
    let mut rng = Rng::with_seed(3);
    let holds = (0..200).filter(|_| {
        let input = fresh(&space, &mut rng, &dictionary);
        string(&Values { space: &space, input: &input }).as_deref() == Some("needle")
    });
    let count = holds.count();
    assert!((10..100).contains(&count), "{count} of 200");
}

/// All characters are looked at between two changes of the length, so one character more at a time would take some hundred
/// thousand evaluations.
#[test]
fn a_length_is_reached_by_doubling() {
    let distance = |v: &Values<'_>| at(0, 500u128.saturating_sub(string(v).map_or(0, |s| s.len() as u128)));
    let needed = evaluations("a", &[], &[], distance).expect("reached");
    assert!(needed < 4 * 500, "it took {needed}");
}
