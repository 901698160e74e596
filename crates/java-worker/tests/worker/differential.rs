//! Hooks change nothing: random calls in the classes of `features` give the same results without hooks, with few and with all.

use crate::support::*;
use java_classfile::{ClassFile, Method, Type};
use java_wire::message::{End, Manner, Reply};
use java_wire::{Action, Argument, Primitive, Slot, Value};
use java_worker::Prepared;

const RUNS_PER_METHOD: usize = 6;

/// Values that branches like, and others.
fn random(primitive: Primitive, chance: &mut fastrand::Rng) -> Value {
    match (primitive, chance.u8(..4)) {
        (Primitive::Float, 0..3) => Value::Float((chance.i8(..) as f32 / 4.0).to_bits()),
        (Primitive::Double, 0..3) => Value::Double((f64::from(chance.i8(..)) / 4.0).to_bits()),
        (_, 0) => primitive.value(chance.u64(..)),
        (_, 1) => primitive.value(chance.i64(-130..130) as u64),
        _ => primitive.value(chance.i64(-3..13) as u64),
    }
}

fn argument(test: &mut Draft, ty: &Type, chance: &mut fastrand::Rng) -> Argument {
    let Some(slot) = Slot::of(ty) else { return Argument::Null };
    let value = match slot {
        Slot::Primitive(primitive) => random(primitive, chance),
        _ if chance.u8(..8) == 0 => Value::Null,
        Slot::Boxed(primitive) => Value::Boxed(Box::new(random(primitive, chance))),
        Slot::Text => {
            let words = ["", "a", "monday", "12", "-7", "x=y", "Hello, World", "aXbXc"];
            Value::Text(words[chance.usize(..words.len())].encode_utf16().collect())
        }
        Slot::Array(primitive) => {
            Value::Array(primitive, (0..chance.usize(..6)).map(|_| random(primitive, chance)).collect())
        }
    };
    test.slot(slot, value)
}

/// A call of a method, on an object of its class if it needs one.
fn draft(class: &ClassFile, method: &Method, chance: &mut fastrand::Rng) -> Option<Draft> {
    let mut test = Draft::new();
    let mut receiver = Vec::new();
    if !method.access.is_static() {
        let constructor = class.methods.iter().find(|method| method.name == "<init>")?;
        let arguments: Vec<Argument> =
            constructor.descriptor.parameters.iter().map(|ty| argument(&mut test, ty, chance)).collect();
        receiver.push(test.new_object(&class.name, &constructor.descriptor.to_string(), &arguments));
    }
    for _ in 0..2 {
        let parameters = method.descriptor.parameters.iter();
        let given: Vec<Argument> = parameters.map(|ty| argument(&mut test, ty, chance)).collect();
        let action = Action::Invoke {
            class: class.name.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            is_static: method.access.is_static(),
        };
        test.step(action, &[receiver.clone(), given].concat());
    }
    Some(test)
}

fn is_candidate(class: &ClassFile, method: &Method) -> bool {
    class.name.starts_with("features/")
        && !class.access.is_abstract()
        && !class.access.is_enum()
        && method.code.is_some()
        && !method.name.starts_with('<')
        && !method.access.is_synthetic()
}

/// What a test could tell apart. How deep a stack may get depends on the size of its frames, so those of an overflow differ.
fn shown(mut reply: Reply) -> (End, String) {
    if let End::Threw { thrown, .. } = &mut reply.end
        && thrown.class == "java/lang/StackOverflowError"
    {
        thrown.stack.clear();
    }
    (reply.end, format!("{:?} {:?} {:?}", reply.results, reply.observed, reply.output))
}

#[test]
fn hooks_change_no_results() {
    let mut chance = fastrand::Rng::with_seed(7);
    let mut untouched = Prepared::new();
    compiled().iter().for_each(|one| untouched.add_plain(&one.bytes, &one.class.name));
    let (mut bare, mut hooked) = (stage_with(&untouched, |_| {}), stage());
    let (mut runs, mut returned, mut told) = (0, 0, 0);
    for one in compiled() {
        for method in one.class.methods.iter().filter(|method| is_candidate(&one.class, method)) {
            for _ in 0..RUNS_PER_METHOD {
                let Some(test) = draft(&one.class, method, &mut chance) else { continue };
                let expected = shown(bare.run(&test, MANNER).reply);
                returned += usize::from(expected.0 == End::Returned);
                runs += 1;
                for full in [false, true] {
                    let ran = hooked.run(&test, Manner { full, ticks: 50_000_000, ..MANNER });
                    told += events(&ran).len();
                    assert_eq!(
                        shown(ran.reply),
                        expected,
                        "{}.{} {:?}",
                        one.class.name,
                        method.name,
                        test.values
                    );
                }
            }
        }
    }
    assert!(
        runs > 600 && returned > runs / 2 && told > 10 * runs,
        "{runs} runs, {returned} returned, {told} events"
    );
    assert_eq!(hooked.host.counts().started, 1);
}
