//! Random sequences of calls on the fixtures: every feature of the language, and containers with much behind them.

use crate::support::Stage;
use fastrand::Rng;
use java_classfile::{Method, Type};
use java_replay::{Arrays, Settings};
use java_testing::{Draft, files, fixtures};
use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};

#[test]
fn sequences_on_fixtures_replay_without_a_mismatch() {
    let root = fixtures();
    // Classes that harm or hang are for the tests of the worker.
    let sources: Vec<_> =
        files(&root, "java").into_iter().filter(|file| !file.starts_with(root.join("hostile"))).collect();
    let mut stage = Stage::compiled(&sources);
    let mut rng = Rng::with_seed(11);
    let (mut wrong, mut runs, mut conditions) = (Vec::new(), 0, 0);
    for name in stage.names.clone() {
        for nth in 0..6 {
            let Some(test) = sequence(&mut rng, &stage, &name) else { continue };
            let arrays = if nth % 2 == 0 { Arrays::Simulation } else { Arrays::Reasoning { longest: 16 } };
            let both = stage.both(&test, &Settings { arrays, ..Settings::default() });
            runs += 1;
            conditions += both.conditions().count();
            if let Err(why) = both.check() {
                wrong.push(format!("{name}: {test:?}\n{why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n\n"));
    assert!(runs > 200 && conditions > 2 * runs, "{conditions} conditions in {runs} runs");
}

/// An object if the class can be made of values, and some calls.
fn sequence(rng: &mut Rng, stage: &Stage, name: &str) -> Option<Draft> {
    let file = &stage.program.class(name)?.file;
    let usable = |method: &&Method| {
        let named = method.name != "<clinit>" && !method.access.is_synthetic();
        named
            && method.access.is_public()
            && method.descriptor.parameters.iter().all(|ty| argument(ty).is_some())
    };
    let methods: Vec<&Method> = file.methods.iter().filter(usable).collect();
    let (mut script, mut values) = (Script::default(), Vec::new());
    let constructors: Vec<_> = methods.iter().filter(|method| method.name == "<init>").collect();
    let makes = file.access.is_public() && !file.access.is_abstract() && !constructors.is_empty();
    if makes {
        let constructor = constructors[rng.usize(..constructors.len())];
        let descriptor = constructor.descriptor.clone();
        let arguments = arguments(rng, &constructor.descriptor.parameters, &mut script, &mut values);
        script
            .steps
            .push(Step { action: Action::Construct { class: name.to_owned(), descriptor }, arguments });
    }
    let callable = |method: &&&Method| method.name != "<init>" && (makes || method.access.is_static());
    let callable: Vec<_> = methods.iter().filter(callable).filter(|m| m.code.is_some()).collect();
    if callable.is_empty() {
        return None;
    }
    for _ in 0..rng.usize(1..6) {
        let method = callable[rng.usize(..callable.len())];
        let is_static = method.access.is_static();
        let mut all: Vec<Argument> = if is_static { Vec::new() } else { vec![Argument::Result(0)] };
        all.extend(arguments(rng, &method.descriptor.parameters, &mut script, &mut values));
        let (class, name, descriptor) = (name.to_owned(), method.name.clone(), method.descriptor.clone());
        script
            .steps
            .push(Step { action: Action::Invoke { class, name, descriptor, is_static }, arguments: all });
    }
    Some(Draft { script, values })
}

/// The slot of a parameter: what takes any object gets numbers in boxes.
fn argument(ty: &Type) -> Option<Slot> {
    match ty {
        Type::Object(name) if matches!(name.as_str(), "java/lang/Object" | "java/lang/Comparable") => {
            Some(Slot::Boxed(Primitive::Int))
        }
        ty => Slot::of(ty),
    }
}

fn arguments(rng: &mut Rng, types: &[Type], script: &mut Script, values: &mut Vec<Value>) -> Vec<Argument> {
    let mut all = Vec::new();
    for slot in types.iter().filter_map(argument) {
        script.slots.push(slot);
        values.push(value(rng, slot));
        all.push(Argument::Slot(values.len() as u32 - 1));
    }
    all
}

fn value(rng: &mut Rng, slot: Slot) -> Value {
    if !matches!(slot, Slot::Primitive(_)) && rng.u8(..10) == 0 {
        return Value::Null;
    }
    match slot {
        Slot::Primitive(primitive) => number(rng, primitive),
        Slot::Boxed(primitive) => Value::Boxed(Box::new(number(rng, primitive))),
        Slot::Text => {
            Value::Text((0..rng.usize(..6)).map(|_| u16::from(b"ab12 -zX.,"[rng.usize(..10)])).collect())
        }
        Slot::Array(primitive) => {
            Value::Array(primitive, (0..rng.usize(..5)).map(|_| number(rng, primitive)).collect())
        }
    }
}

fn number(rng: &mut Rng, primitive: Primitive) -> Value {
    let small = i64::from(rng.i32(-3..12));
    let bits = match (primitive, rng.u8(..5)) {
        (Primitive::Double, _) => (small as f64 / 2.0).to_bits(),
        (Primitive::Float, _) => (small as f32 / 2.0).to_bits().into(),
        (_, 0) => rng.u64(..),
        _ => small as u64,
    };
    primitive.value(bits)
}
