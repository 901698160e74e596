//! Candidates by prefix.

use crate::fixtures::*;
use sequence::{Filters, InvokableId, Por, PrefixWalk};
use std::collections::BTreeSet;

/// A driver that explores prefixes and counts how often each is.
fn explored(walk: &mut PrefixWalk<'_>) -> (Vec<Vec<InvokableId>>, Vec<Vec<InvokableId>>) {
    let (mut all, mut prefixes) = (Vec::new(), Vec::new());
    while let Some(visit) = walk.step() {
        let longer = visit.shared + 1..=visit.sequence.len();
        prefixes.extend(longer.map(|length| visit.sequence[..length].to_vec()));
        all.push(visit.sequence.to_vec());
    }
    (all, prefixes)
}

#[test]
fn c27_the_walk_meets_the_same_candidates() {
    let (monitor, coinbox, setters) = (temperature_monitor(), coinbox(), three_setters());
    for (fixture, target) in [(&monitor, "warning"), (&coinbox, "vend"), (&setters, "calculate")] {
        for por in [Por::None, Por::Printed, Por::Sound, Por::Canonical] {
            for filters in [with(por), Filters { por, ..Filters::INFLUENCE }] {
                let mut walk = PrefixWalk::new(&fixture.universe, fixture.id(target), filters, 5);
                let mut grouped = explored(&mut walk).0;
                assert!(grouped.is_sorted());
                let mut expected = fixture.candidates(target, filters, 5);
                expected.retain(|found| found.len() == 5);
                expected.sort();
                grouped.sort();
                assert_eq!(grouped, expected);
            }
        }
    }
}

#[test]
fn c27_each_prefix_is_explored_once() {
    let coinbox = coinbox();
    let mut walk = PrefixWalk::new(&coinbox.universe, coinbox.id("vend"), CONNECTED, 6);
    let (all, prefixes) = explored(&mut walk);
    assert_eq!(all.len(), 81);
    let different: BTreeSet<&Vec<InvokableId>> = prefixes.iter().collect();
    assert_eq!(different.len(), prefixes.len());
    // One constructor, then any of three in four places, then the target after each of the 81: 1+3+9+27+81+81.
    assert_eq!(walk.entered(), 202);
    assert_eq!(prefixes.len(), 202);
    // One after the other, each candidate would be explored whole.
    assert_eq!(all.len() * 6, 486);
}

#[test]
fn c27_a_hopeless_prefix_is_left() {
    let coinbox = coinbox();
    let mut walk = PrefixWalk::new(&coinbox.universe, coinbox.id("vend"), CONNECTED, 5);
    let mut kept = Vec::new();
    while let Some(visit) = walk.step() {
        let text = coinbox.text(visit.sequence);
        let hopeless = text.starts_with("Coinbox returnQtrs");
        kept.push(text);
        if hopeless {
            walk.skip(2);
        }
    }
    // 9 of 27 begin that way; the first is met before anybody knows.
    assert_eq!(kept.len(), 27 - 8);
    let mut walk = PrefixWalk::new(&coinbox.universe, coinbox.id("vend"), CONNECTED, 5);
    assert!(walk.step().is_some());
    walk.skip(0);
    assert!(walk.step().is_none());
}

#[test]
fn c27_lengths_that_cannot_be() {
    let monitor = temperature_monitor();
    let warning = monitor.id("warning");
    for (target, length) in [(warning, 0), (warning, 1), (warning, 1000), (InvokableId(77), 3)] {
        let mut walk = PrefixWalk::new(&monitor.universe, target, CONNECTED, length);
        assert!(walk.step().is_none());
        walk.skip(3);
        assert!(walk.step().is_none());
    }
}
