//! The search against its definition, on random universes.

use crate::naive::{Spec, specs};
use proptest::prelude::*;
use sequence::{Candidates, Filters, InvokableId, Por, PrefixWalk, connected};
use std::collections::BTreeSet;

fn filters() -> impl Strategy<Value = Filters> {
    let por = prop::sample::select(vec![Por::None, Por::Printed, Por::Sound]);
    let switches = (prop::bool::weighted(0.8), any::<bool>(), any::<bool>(), any::<bool>(), por);
    switches.prop_map(|(influence, executable, connected, nulls, por)| Filters {
        influence,
        executable,
        connected,
        nulls,
        por,
    })
}

/// All sequences that differ from one in the order of independent neighbours before the last place.
fn class(spec: &Spec, sequence: &[InvokableId]) -> BTreeSet<Vec<InvokableId>> {
    let mut class = BTreeSet::from([sequence.to_vec()]);
    let mut open = vec![sequence.to_vec()];
    while let Some(sequence) = open.pop() {
        for at in 0..sequence.len().saturating_sub(2) {
            if spec.independent(sequence[at], sequence[at + 1]) {
                let mut swapped = sequence.clone();
                swapped.swap(at, at + 1);
                if class.insert(swapped.clone()) {
                    open.push(swapped);
                }
            }
        }
    }
    class
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn c16_the_search_finds_what_the_listing_finds(spec in specs(2, 4), filters in filters()) {
        let universe = spec.build();
        let found: Vec<_> = Candidates::new(&universe, spec.target(), filters, 5).collect();
        prop_assert_eq!(found, spec.candidates(filters, 5));
    }

    #[test]
    fn c27_grouping_changes_the_order_alone(spec in specs(2, 4), filters in filters()) {
        let universe = spec.build();
        let expected = spec.candidates(filters, 5);
        for length in 1..=5 {
            let mut expected: Vec<_> = expected.iter().filter(|found| found.len() == length).cloned().collect();
            expected.sort();
            let mut walk = PrefixWalk::new(&universe, spec.target(), filters, length);
            let (mut found, mut prefixes) = (Vec::new(), 0);
            while let Some(visit) = walk.step() {
                prefixes += length - visit.shared;
                found.push(visit.sequence.to_vec());
            }
            let different: BTreeSet<_> =
                found.iter().flat_map(|found| (1..=length).map(|end| &found[..end])).collect();
            prop_assert_eq!(prefixes, different.len());
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn c25_sound_reduction_keeps_an_order_of_each_class(spec in specs(2, 5), por in any::<bool>(), connected in any::<bool>()) {
        let universe = spec.build();
        let all = |por| {
            let filters = Filters { por, connected, nulls: connected, ..Filters::default() };
            Candidates::new(&universe, spec.target(), filters, 5).collect::<BTreeSet<_>>()
        };
        let whole = all(Por::None);
        let reduced = all(if por { Por::Sound } else { Por::Canonical });
        prop_assert!(reduced.is_subset(&whole));
        for sequence in &whole {
            let class = class(&spec, sequence);
            prop_assert!(class.is_subset(&whole), "filters do not split classes");
            prop_assert!(!class.is_disjoint(&reduced), "nothing left of {sequence:?}");
        }
    }

    #[test]
    fn c25_canonical_reduction_keeps_one_order_of_each_class(spec in specs(2, 4)) {
        let mut spec = spec;
        spec.numbers = (0..8).rev().collect();
        let universe = spec.build();
        let filters = Filters { por: Por::Canonical, ..Filters::default() };
        let reduced: BTreeSet<_> = Candidates::new(&universe, spec.target(), filters, 6).collect();
        for sequence in &reduced {
            prop_assert_eq!(class(&spec, sequence).intersection(&reduced).count(), 1);
        }
        let mut grouped = BTreeSet::new();
        for length in 1..=6 {
            let mut walk = PrefixWalk::new(&universe, spec.target(), filters, length);
            while let Some(visit) = walk.step() {
                grouped.insert(visit.sequence.to_vec());
            }
        }
        prop_assert_eq!(grouped, reduced);
    }
}

proptest! {
    // Few random sequences are connected, and fewer only by choices that are not the first. They are short, since
    // trying everything takes exponential time.
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn c22_connection_is_what_trying_everything_finds(
        spec in specs(3, 5),
        places in prop::collection::vec(any::<prop::sample::Index>(), 3..6),
    ) {
        let universe = spec.build();
        let ids: Vec<InvokableId> = universe.ids().collect();
        let sequence: Vec<InvokableId> = places.iter().map(|place| ids[place.index(ids.len())]).collect();
        prop_assert_eq!(connected(&universe, &sequence), spec.connected(&sequence));
    }
}
