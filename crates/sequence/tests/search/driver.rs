//! A driver in small: it explores candidates of `TemperatureMonitor` with an interpreter of that class.
//!
//! ```java
//! class TemperatureMonitor {
//!     private boolean enabled = false;
//!     private int temperature;
//!     void setEnabled(boolean e) { enabled = e; }
//!     void update(int t)         { if (enabled) temperature = t; }
//!     int get()                  { return temperature; }
//!     boolean warning()          { return temperature > 80; }
//! }
//! ```

use crate::fixtures::*;
use sequence::{Assignments, FieldId, InvokableId, ObjectId, Place, Product, Reference, Trace, TypeId};
use sequence::{Filters, can_still_matter, is_redundant};
use std::collections::BTreeMap;

const ENABLED: FieldId = FieldId(0);
const TEMPERATURE: FieldId = FieldId(1);

#[derive(Clone, Default)]
struct Monitors(Vec<(bool, i32)>);

impl Monitors {
    /// Runs one invokable; the primitive argument is one of two values.
    fn run(&mut self, name: &str, receiver: Option<ObjectId>, high: bool, trace: &mut Trace) -> Option<bool> {
        let Some(receiver) = receiver else {
            let object = ObjectId(self.0.len() as u32);
            self.0.push((false, 0));
            trace.defines.extend([Place::Instance(object, ENABLED), Place::Instance(object, TEMPERATURE)]);
            trace.returned = Some(object);
            return None;
        };
        let (enabled, temperature) = &mut self.0[receiver.0 as usize];
        let [of_enabled, of_temperature] =
            [ENABLED, TEMPERATURE].map(|field| Place::Instance(receiver, field));
        match name {
            "setEnabled" => {
                *enabled = high;
                trace.defines.insert(of_enabled);
            }
            "update" => {
                trace.uses.insert(of_enabled);
                if *enabled {
                    *temperature = if high { 90 } else { 0 };
                    trace.defines.insert(of_temperature);
                }
            }
            "warning" => {
                trace.uses.insert(of_temperature);
                return Some(*temperature > 80);
            }
            other => panic!("no candidate contains {other}"),
        }
        None
    }
}

/// What exploration finds: sequences with the results of `warning()`, and how many invokables it ran.
#[derive(Default)]
struct Found {
    survivors: BTreeMap<String, Vec<bool>>,
    runs: usize,
}

struct Explorer<'f> {
    fixture: &'f Fixture,
    prune: bool,
    found: Found,
}

impl Explorer<'_> {
    fn explore(&mut self, sequence: &[InvokableId], monitors: &Monitors, traces: &mut Vec<Trace>) {
        let at = traces.len();
        let linked = |position: usize| traces.iter().any(|trace| trace.arguments.contains(&position));
        let made = traces.iter().enumerate().filter(|(_, trace)| trace.returned.is_some());
        let products: Vec<Product> = made
            .map(|(position, _)| Product {
                position,
                producer: sequence[position],
                class: TypeId(0),
                linked: linked(position),
            })
            .collect();
        for references in Assignments::new(&self.fixture.universe, sequence[at], &products, false) {
            for high in [false, true] {
                self.run(sequence, &references, high, monitors.clone(), traces);
            }
        }
    }

    fn run(
        &mut self,
        sequence: &[InvokableId],
        references: &[Reference],
        high: bool,
        mut monitors: Monitors,
        traces: &mut Vec<Trace>,
    ) {
        self.found.runs += 1;
        let mut trace = Trace::default();
        let receiver = references.first().and_then(|reference| match reference {
            Reference::Result(position) => {
                trace.arguments.insert(*position);
                traces[*position].returned
            }
            Reference::Null => None,
        });
        let name = self.fixture.text(&sequence[traces.len()..=traces.len()]);
        let answer = monitors.run(&name, receiver, high, &mut trace);
        traces.push(trace);
        if traces.len() == sequence.len() {
            self.finish(sequence, traces, answer);
        } else if !self.prune || can_still_matter(&self.fixture.universe, sequence, traces) {
            self.explore(sequence, &monitors, traces);
        }
        traces.pop();
    }

    fn finish(&mut self, sequence: &[InvokableId], traces: &[Trace], answer: Option<bool>) {
        let redundant = is_redundant(traces);
        assert_eq!(redundant, !can_still_matter(&self.fixture.universe, sequence, traces));
        if !redundant {
            let answers = self.found.survivors.entry(self.fixture.text(sequence)).or_default();
            answers.extend(answer);
            answers.sort_unstable();
            answers.dedup();
        }
    }
}

fn explore(filters: Filters, prune: bool) -> Found {
    let fixture = temperature_monitor();
    let mut explorer = Explorer { fixture: &fixture, prune, found: Found::default() };
    for sequence in fixture.candidates("warning", filters, 6) {
        explorer.explore(&sequence, &Monitors::default(), &mut Vec::new());
    }
    explorer.found
}

#[test]
fn c59_only_two_sequences_of_the_monitor_survive() {
    for filters in [CONNECTED, EXECUTABLE] {
        let found = explore(filters, true);
        let survivors: Vec<(&str, &[bool])> =
            found.survivors.iter().map(|(text, answers)| (text.as_str(), answers.as_slice())).collect();
        // The second needs an enabled monitor for `update` to matter, and tells both answers.
        let expected: [(&str, &[bool]); 2] =
            [("TM setEnabled update warning", &[false, true]), ("TM warning", &[false])];
        assert_eq!(survivors, expected);
    }
}

#[test]
fn c59_hopeless_prefixes_are_left_early_and_nothing_is_lost() {
    for filters in [CONNECTED, EXECUTABLE] {
        let (pruned, whole) = (explore(filters, true), explore(filters, false));
        assert_eq!(pruned.survivors, whole.survivors);
        assert!(pruned.runs * 3 < whole.runs, "{} of {}", pruned.runs, whole.runs);
    }
}
