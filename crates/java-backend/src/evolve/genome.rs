//! A test in the making: calls with all their values.

use crate::reduce::without;
use java_wire::{Argument, Script, Slot, Step, Value};

/// Calls in order, any of which may turn out to be the one that a test is for.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Genome {
    pub(crate) script: Script,
    pub(crate) values: Vec<Value>,
}

impl Genome {
    pub(crate) fn len(&self) -> usize {
        self.script.steps.len()
    }

    /// By argument of a step: what values it comes from, if it is no object.
    pub(crate) fn kinds(&self, step: &Step) -> Vec<Option<Slot>> {
        let kind = |argument: &Argument| match argument {
            Argument::Slot(slot) => self.script.slots.get(*slot as usize).copied(),
            Argument::Result(_) | Argument::Null => None,
        };
        step.arguments.iter().map(kind).collect()
    }

    /// A value for a place.
    pub(crate) fn add_value(&mut self, slot: Slot, value: Value) -> Argument {
        self.script.slots.push(slot);
        self.values.push(value);
        Argument::Slot(self.values.len() as u32 - 1)
    }

    /// Puts a step before the one that stands here now. Its arguments are results of steps before it.
    pub(crate) fn insert(&mut self, at: usize, step: Step) {
        for later in &mut self.script.steps[at..] {
            for argument in &mut later.arguments {
                if let Argument::Result(result) = argument
                    && *result as usize >= at
                {
                    *result += 1;
                }
            }
        }
        self.script.steps.insert(at, step);
    }

    /// Puts the steps of another test here. Returns where they begin.
    pub(crate) fn splice(&mut self, at: usize, script: &Script, values: &[Value]) -> u32 {
        let (first, slots) = (at as u32, self.values.len() as u32);
        self.script.slots.extend(&script.slots);
        self.values.extend(values.iter().cloned());
        for (place, step) in (at..).zip(&script.steps) {
            let moved = |argument: &Argument| match *argument {
                Argument::Result(result) => Argument::Result(result + first),
                Argument::Slot(slot) => Argument::Slot(slot + slots),
                Argument::Null => Argument::Null,
            };
            let arguments = step.arguments.iter().map(moved).collect();
            self.insert(place, Step { action: step.action.clone(), arguments });
        }
        first
    }

    /// The test with an object that another one makes, by the result of its step, in place of what a step here gives.
    pub(crate) fn grafted(
        &self,
        old: usize,
        script: &Script,
        values: &[Value],
        result: u32,
    ) -> Option<Genome> {
        let mut grafted = self.clone();
        let new = grafted.splice(old, script, values) + result;
        let old = old + script.steps.len();
        for argument in grafted.script.steps[old..].iter_mut().flat_map(|step| &mut step.arguments) {
            if *argument == Argument::Result(old as u32) {
                *argument = Argument::Result(new);
            }
        }
        grafted.without(old)
    }

    /// The test up to a step, without values that only later ones need.
    pub(crate) fn until(&self, last: usize) -> Genome {
        let mut short = Genome::default();
        for step in &self.script.steps[..=last] {
            let arguments = step.arguments.iter().map(|argument| match *argument {
                Argument::Slot(slot) => {
                    short.add_value(self.script.slots[slot as usize], self.values[slot as usize].clone())
                }
                other => other,
            });
            let arguments = arguments.collect();
            short.script.steps.push(Step { action: step.action.clone(), arguments });
        }
        short
    }

    /// The test without a step and what hangs on it; `None` if the last one does.
    pub(crate) fn without(&self, step: usize) -> Option<Genome> {
        let (script, values) = without(&self.script, &self.values, step)?;
        Some(Genome { script, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::{Action, Primitive};

    fn step(name: &str, arguments: Vec<Argument>) -> Step {
        let descriptor = "(I)LA;".parse().expect("a descriptor");
        Step {
            action: Action::Invoke { class: "A".into(), name: name.into(), descriptor, is_static: true },
            arguments,
        }
    }

    fn example() -> Genome {
        let mut genome = Genome::default();
        for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
            let value = genome.add_value(Slot::Primitive(Primitive::Int), Value::Int(number as i32));
            let earlier = number.checked_sub(1).map_or(Argument::Null, |n| Argument::Result(n as u32));
            genome.insert(number, step(name, vec![earlier, value]));
        }
        genome
    }

    #[test]
    fn references_follow_what_moves() {
        let mut genome = example();
        genome.insert(1, step("x", vec![Argument::Result(0)]));
        let arguments: Vec<_> = genome.script.steps.iter().map(|step| step.arguments[0]).collect();
        assert_eq!(
            arguments,
            [Argument::Null, Argument::Result(0), Argument::Result(0), Argument::Result(2)]
        );
    }

    #[test]
    fn what_is_spliced_in_keeps_to_itself() {
        let (mut genome, other) = (example(), example());
        assert_eq!(genome.splice(1, &other.script, &other.values), 1);
        let arguments: Vec<_> = genome.script.steps.iter().map(|step| step.arguments.clone()).collect();
        assert_eq!(arguments[2], [Argument::Result(1), Argument::Slot(4)]);
        // What stood at 1 is at 4 now, and still works on the first.
        assert_eq!(arguments[4], [Argument::Result(0), Argument::Slot(1)]);
        assert_eq!(arguments[5], [Argument::Result(4), Argument::Slot(2)]);
    }

    #[test]
    fn a_test_goes_on_with_what_another_has_left() {
        let (genome, other) = (example(), example());
        let grafted = genome.grafted(1, &other.script, &other.values, 0).expect("its end is there");
        // `a`, then all of the other, then `c` on what the first step of the other gave; `b` is gone with its value.
        let steps = &grafted.script.steps;
        let name = |step: &Step| match &step.action {
            Action::Invoke { name, .. } => name.clone(),
            _ => String::new(),
        };
        assert_eq!(steps.iter().map(name).collect::<String>(), "aabcc");
        assert_eq!(steps[4].arguments[0], Argument::Result(1));
        let Argument::Slot(slot) = steps[4].arguments[1] else { panic!("a value") };
        assert_eq!(grafted.values[slot as usize], Value::Int(2));
        assert_eq!(grafted.values.len(), 5);
    }

    #[test]
    fn a_test_does_not_lose_its_end() {
        let (genome, other) = (example(), example());
        assert_eq!(genome.grafted(2, &other.script, &other.values, 0), None);
    }

    #[test]
    fn values_of_steps_that_are_gone_go_too() {
        let short = example().until(1);
        assert_eq!((short.len(), short.values), (2, vec![Value::Int(0), Value::Int(1)]));
    }
}
