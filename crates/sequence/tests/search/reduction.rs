//! Partial order reduction, as printed and made sound.

use crate::fixtures::*;
use sequence::Por;

fn with_all_setters(fixture: &Fixture, por: Por) -> usize {
    let all = fixture.texts("calculate", with(por), 5);
    all.iter().filter(|text| ["setA", "setB", "setC"].iter().all(|name| text.contains(name))).count()
}

#[test]
fn c24_six_orders_become_one() {
    let setters = three_setters();
    let none = setters.counts("calculate", with(Por::None), 5);
    assert_eq!(none, [0, 1, 3, 9, 27]);
    assert_eq!(with_all_setters(&setters, Por::None), 6);
    for por in [Por::Printed, Por::Sound, Por::Canonical] {
        // Multisets of three setters out of three: 10.
        assert_eq!(setters.counts("calculate", with(por), 5), [0, 1, 3, 6, 10]);
        assert_eq!(with_all_setters(&setters, por), 1);
    }
}

#[test]
fn c24_printed_counts() {
    let monitor = temperature_monitor();
    assert_eq!(monitor.counts("warning", with(Por::Printed), 7), [0, 1, 1, 2, 3, 4, 5]);
    let free = sequence::Filters { por: Por::Printed, ..sequence::Filters::INFLUENCE };
    assert_eq!(monitor.counts("warning", free, 7), [1, 2, 4, 7, 11, 16, 22]);
    let coinbox = coinbox();
    assert_eq!(coinbox.counts("vend", with(Por::Printed), 6), [0, 1, 3, 8, 21, 55]);
}

#[test]
fn c25_sound_reduction_drops_nothing_of_dependent_invokables() {
    // In this class every two invokables that matter write or read the same field.
    let monitor = temperature_monitor();
    assert_eq!(monitor.counts("warning", with(Por::Sound), 7), [0, 1, 1, 2, 4, 8, 16]);
}

/// How many sequences up to length 6 make `z()` true.
fn reach(fixture: &Fixture, por: Por) -> usize {
    let all = fixture.candidates("z", with(por), 6);
    let holds = |text: String| {
        let (mut f, mut g) = (0, 0);
        for name in text.split(' ') {
            match name {
                "x" => g = f + 1,
                "y" => f = 5,
                _ => {}
            }
        }
        f == 5 && g == 1
    };
    all.iter().filter(|found| holds(fixture.text(found))).count()
}

#[test]
fn c25_anti_dependence_survives_under_both_numberings() {
    let (x_first, y_first) = (anti_dependence(1, 2), anti_dependence(2, 1));
    for por in [Por::None, Por::Sound, Por::Canonical] {
        assert_eq!([reach(&x_first, por), reach(&y_first, por)], [6, 6]);
    }
    assert_eq!([reach(&x_first, Por::Printed), reach(&y_first, Por::Printed)], [6, 0]);
}

#[test]
fn c25_what_moves_over_several_places_has_one_order_left() {
    // `c` and `a` depend on each other, `b` on neither: of `b c a`, `c b a` and `c a b` the rule for neighbours, by
    // the order a, b, c, drops only the ones with `c b`: `b c a` and `c a b` both stay. One of them is enough.
    let mut make = Maker::default();
    let fields = [make.builder.static_field(), make.builder.static_field()];
    make.add("a", function().defines(&fields[..1]).uses(&fields[..1]));
    make.add("b", function().defines(&fields[1..]));
    make.add("c", function().defines(&fields[..1]).uses(&fields[..1]));
    make.add("end", function().uses(&fields));
    let fixture = make.build();
    let orders = |por| {
        let all = fixture.texts("end", with(por), 4);
        let of_c_before_a = |text: &&String| {
            let mut names: Vec<&str> = text.split(' ').collect();
            let c_first = names.iter().position(|n| *n == "c") < names.iter().position(|n| *n == "a");
            names.sort_unstable();
            c_first && names == ["a", "b", "c", "end"]
        };
        all.iter().filter(of_c_before_a).cloned().collect::<Vec<_>>()
    };
    assert_eq!(orders(Por::None).len(), 3);
    assert_eq!(orders(Por::Sound), ["b c a end", "c a b end"]);
    assert_eq!(orders(Por::Canonical), ["b c a end"]);
}
