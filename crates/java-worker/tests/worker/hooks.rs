//! What runs tell.

use crate::support::*;
use java_wire::event::Code;
use java_wire::message::{End, Manner};
use java_wire::{Primitive, Slot, Value};

const FULL: Manner = Manner { full: true, ..MANNER };

/// Everything but jumps: what only full hooks tell.
const FULL_CODES: [Code; 11] = [
    Code::Enter,
    Code::Handle,
    Code::Value,
    Code::Wide,
    Code::Reference,
    Code::Access,
    Code::Length,
    Code::Made,
    Code::Type,
    Code::Argument,
    Code::Done,
];

fn temperature(enabled: bool, degrees: i32) -> Draft {
    let mut test = Draft::new();
    let (enabled, degrees) = (test.primitive(Value::Boolean(enabled)), test.int(degrees));
    let monitor = test.new_object("jtestcraft/TemperatureMonitor", "()V", &[]);
    test.call("jtestcraft/TemperatureMonitor.setEnabled(Z)V", &[monitor, enabled]);
    test.call("jtestcraft/TemperatureMonitor.updateTemperature(I)V", &[monitor, degrees]);
    test.call("jtestcraft/TemperatureMonitor.warning()Z", &[monitor]);
    test
}

#[test]
fn jumps_are_told_with_their_operands() {
    let mut stage = stage();
    let first = first_jump("jtestcraft/TemperatureMonitor");
    let step = |number| (Code::Step, number, vec![]);
    for (enabled, degrees, kept) in [(true, 81, 81), (true, -5, -5), (false, 81, 0)] {
        let expected = [
            step(0),
            step(1),
            step(2),
            (Code::Jump, first, vec![u32::from(enabled)]),
            step(3),
            (Code::JumpTwo, first + 1, vec![kept as u32, 80]),
        ];
        let test = temperature(enabled, degrees);
        assert_eq!(plain(&events(&stage.run(&test, MANNER)), &[]), expected);
        assert_eq!(plain(&events(&stage.run(&test, FULL)), &FULL_CODES), expected);
    }
}

#[test]
fn full_hooks_tell_what_is_loaded_and_made() {
    let mut stage = stage();
    let ran = stage.run(&temperature(true, 81), FULL);
    let events = events(&ran);
    let codes: Vec<Code> = events.iter().map(|event| event.code).collect();
    let expected = [
        // The constructor, and what it makes of this.
        Code::Step,
        Code::Enter,
        Code::Made,
        // The object and what it gets
        Code::Step,
        Code::Enter,
        Code::Argument,
        Code::Argument,
        // if (enabled)
        Code::Step,
        Code::Enter,
        Code::Argument,
        Code::Argument,
        Code::Value,
        Code::Jump,
        // getTemperature() > 80: the call, the field in it, and the result of the call
        Code::Step,
        Code::Enter,
        Code::Argument,
        Code::Enter,
        Code::Argument,
        Code::Value,
        Code::Value,
        Code::JumpTwo,
    ];
    assert_eq!(codes, expected);
    let made = &events[2];
    assert_eq!(ran.classes[made.words[1] as usize - 1].name, "jtestcraft/TemperatureMonitor");
    assert_eq!(ran.classes[made.words[1] as usize - 1].supertypes, ["java/lang/Object"]);
    assert_eq!((events[18].words, events[19].words), (&[81][..], &[81][..]));
    assert_eq!((events[5].id, events[6].id, events[6].words), (0, 1, &[1, 0][..]));
    assert_eq!(events[5].words, made.words);
    let methods = |name: &str| {
        let before = compiled().iter().take_while(|one| one.class.name != name);
        before.map(|one| one.class.methods.len() as u32).sum::<u32>()
    };
    // The constructor is the first method of its class.
    assert_eq!(events[1].id, methods("jtestcraft/TemperatureMonitor"));
    assert_eq!(events[4].id, methods("jtestcraft/TemperatureMonitor") + 1);
}

#[test]
fn comparisons_are_told_and_keep_their_results() {
    let mut stage = stage();
    let first = first_jump("probe/Echo");
    let wide = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let nan = f64::NAN;
    let cases = [
        (1_i64 << 40, -1_i64, 1.5, 1.5, 0.0, -0.0),
        (-2, 7, nan, 1.0, f32::NAN, 1.0),
        (i64::MIN, i64::MAX, -1.0, 2.0, 1.0, 2.0),
    ];
    for (a, b, c, d, e, f) in cases {
        let mut test = Draft::new();
        let arguments = [
            Value::Long(a),
            Value::Long(b),
            Value::Double(f64::to_bits(c)),
            Value::Double(f64::to_bits(d)),
            Value::Float(f32::to_bits(e)),
            Value::Float(f32::to_bits(f)),
        ]
        .map(|value| test.primitive(value));
        test.call_static("probe/Echo.compare(JJDDFF)I", &arguments);
        for manner in [MANNER, FULL] {
            let ran = stage.run(&test, manner);
            let expected = i32::from(a < b) | i32::from(c >= d) << 1 | i32::from(e <= f) << 2;
            assert_eq!(ran.reply.results, [java_wire::message::Seen::Value(Value::Int(expected))]);
            let told = plain(&events(&ran), &[&[Code::Step, Code::Jump], &FULL_CODES[..]].concat());
            let ids: Vec<u32> = told.iter().map(|event| event.1).collect();
            assert_eq!(ids.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>(), [1, 1]);
            assert!(ids[0] >= first);
            assert_eq!(told[0].2, [wide(a as u64), wide(b as u64)].concat());
            assert_eq!(told[1].2, [wide(c.to_bits()), wide(d.to_bits())].concat());
            assert_eq!(told[2].2, [e.to_bits(), f.to_bits()]);
        }
    }
}

#[test]
fn texts_have_distances() {
    let mut stage = stage();
    // Insertions, deletions, replacements: "magic" is 5 from nothing, 2 from "tragic", 1 from "music"'s neighbour "mazic".
    for (text, to_true, to_false) in [("magic", 0, 1), ("", 5, 0), ("tragic", 2, 0), ("mazic", 1, 0)] {
        let mut test = Draft::new();
        let slot = test.text(text);
        test.call_static("probe/Echo.isMagic(Ljava/lang/String;)Z", &[slot]);
        let ran = stage.run(&test, MANNER);
        // The method returns the answer as it is, so there is no jump and no event.
        assert_eq!(plain(&events(&ran), &[Code::Step]), []);

        let mut test = Draft::new();
        let slot = test.text(text);
        test.call_static("probe/Texts.isMagic(Ljava/lang/String;)I", &[slot]);
        let ran = stage.run(&test, MANNER);
        let first = first_jump("probe/Texts");
        assert_eq!(
            plain(&events(&ran), &[Code::Step, Code::Jump]),
            [(Code::CompareText, first, vec![to_true, to_false])]
        );
    }
}

#[test]
fn every_comparison_of_texts_is_told() {
    let mut stage = stage();
    let mut told = |name: &str, text: Option<&str>, part: Option<&str>| {
        let mut test = Draft::new();
        let value =
            |text: Option<&str>| text.map_or(Value::Null, |text| Value::Text(text.encode_utf16().collect()));
        let (text, part) = (test.slot(Slot::Text, value(text)), test.slot(Slot::Text, value(part)));
        test.call_static(
            &format!("probe/Texts.{name}(Ljava/lang/String;Ljava/lang/String;)I"),
            &[text, part],
        );
        let ran = stage.run(&test, MANNER);
        let told = plain(&events(&ran), &[Code::Step, Code::Jump]);
        told.into_iter().map(|event| event.2).next()
    };
    assert_eq!(told("same", Some("ab"), Some("ab")), Some(vec![0, 1]));
    assert_eq!(told("same", None, Some("ab")), None);
    assert_eq!(told("ignoring", Some("aB"), Some("Abc")), Some(vec![1, 0]));
    assert_eq!(told("starts", Some("axc"), Some("abc")), Some(vec![1, 0]));
    assert_eq!(told("starts", None, Some("abc")), None);
    assert_eq!(told("ends", Some("c"), Some("abc")), Some(vec![2, 0]));
    assert_eq!(told("contains", Some("xxabxx"), Some("abc")), Some(vec![1, 0]));
    assert_eq!(told("contains", Some("xabcx"), Some("abc")), Some(vec![0, 1]));
    assert_eq!(told("empty", Some("four"), None), Some(vec![4, 0]));
    assert_eq!(told("empty", Some(""), None), Some(vec![0, 1]));
}

#[test]
fn accesses_are_told_below_values_of_any_width() {
    let mut stage = stage();
    let mut test = Draft::new();
    let values = Value::Array(Primitive::Double, vec![Value::Double(0); 3]);
    let values = test.slot(Slot::Array(Primitive::Double), values);
    let (at, value) = (test.int(1), test.primitive(Value::Double(f64::to_bits(2.5))));
    test.call_static("probe/Echo.wide([DID)D", &[values, at, value]);
    let ran = stage.run(&test, FULL);
    // 2.5 + 3 + (2 + 3)
    let sum = Value::Double(f64::to_bits(10.5));
    assert_eq!(ran.reply.results, [java_wire::message::Seen::Value(sum)]);
    let events = events(&ran);
    let told = events.iter().filter(|event| event.code == Code::Access);
    let told: Vec<(&str, u32, u32)> = told
        .map(|event| (ran.classes[event.words[1] as usize - 1].name.as_str(), event.words[2], event.words[3]))
        .collect();
    let expected = [
        ("[D", 3, 1), // values[at] = value
        ("[J", 2, 1), // longs[at] = …
        ("[B", 2, 0), // {1, 2}
        ("[B", 2, 1),
        ("[B", 2, 1), // += reads and writes
        ("[B", 2, 1),
        ("[D", 3, 1),
        ("[J", 2, 1),
        ("[B", 2, 1),
    ];
    assert_eq!(told, expected);
    let wide: Vec<u64> = events.iter().filter(|e| e.code == Code::Wide).map(|e| e.wide(0)).collect();
    assert_eq!(wide, [f64::to_bits(2.5), 3]);

    test.values[0] = Value::Null;
    let ran = stage.run(&test, FULL);
    let events = crate::support::events(&ran);
    let null = events.iter().find(|event| event.code == Code::Access).expect("an access");
    assert_eq!(null.words, [0, 0, u32::MAX, 1]);
}

#[test]
fn a_trace_without_room_is_cut() {
    let mut stage = stage_with(prepared(), |settings| settings.trace_words = 1000);
    let test = ints("hostile/HugeOutput.binary(I)V", &[0]);
    let ran = stage.run(&test, MANNER);
    assert!(ran.reply.cut && ran.reply.end == End::Returned);
    // Events of three words: what is left of a thousand is not enough for one.
    assert!((998..=1000).contains(&ran.words.len()), "{}", ran.words.len());
    assert!(events(&ran).len() > 300);
    let ran = stage.run(&temperature(true, 1), MANNER);
    assert!(!ran.reply.cut);
}
