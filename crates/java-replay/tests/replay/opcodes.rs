//! Single instructions in hand-assembled methods with hand-written traces, against what the specification says.
//!
//! The result of an instruction is compared with the trace at the jump behind it: a replay that computes anything else diverges.

use expr::{Tape, Terms, Variable};
use fastrand::Rng;
use java_classfile::ClassFile;
use java_replay::{Class, End, Program, Replayed, Run, Settings, Symbols, replay};
use java_wire::event::Code;
use java_wire::{Action, Argument, Primitive, Script, Slot, Step, Value};

/// A class `T` with one static method `m`.
fn program(descriptor: &str, code: &[u8]) -> Program {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 8];
    let utf8 = |text: &str, bytes: &mut Vec<u8>| {
        bytes.push(1);
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
    };
    utf8("T", &mut bytes);
    bytes.extend([7, 0, 1]);
    utf8("java/lang/Object", &mut bytes);
    bytes.extend([7, 0, 3]);
    utf8("m", &mut bytes);
    utf8(descriptor, &mut bytes);
    utf8("Code", &mut bytes);
    // Public, itself, its superclass; no interfaces, no fields, one static method.
    bytes.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7]);
    bytes.extend((code.len() as u32 + 12).to_be_bytes());
    bytes.extend([0, 20, 0, 20]);
    bytes.extend((code.len() as u32).to_be_bytes());
    bytes.extend(code);
    bytes.extend([0; 6]);
    let file = ClassFile::read(&bytes).expect("a class");
    Program::new(vec![Class { file, first_jump: 0, first_method: 0 }])
}

struct Done {
    replayed: Replayed,
    /// All conditions hold for the values.
    holds: bool,
    conditions: usize,
}

/// Runs `m` on values with events behind `Enter`.
fn run(program: &Program, descriptor: &str, values: &[Value], events: &[u32]) -> Done {
    let action = Action::Invoke {
        class: "T".into(),
        name: "m".into(),
        descriptor: descriptor.parse().expect("a descriptor"),
        is_static: true,
    };
    let slots = values.iter().map(|value| Slot::Primitive(value.primitive().expect("a primitive"))).collect();
    let arguments = (0..values.len() as u32).map(Argument::Slot).collect();
    let script = Script { slots, steps: vec![Step { action, arguments }], observers: Vec::new() };
    let variables: Vec<Symbols> = (0..values.len() as u32).map(|at| vec![Variable(at)].into()).collect();
    let trace = [&[head(Code::Step, 0), head(Code::Enter, 0)], events].concat();
    let run = Run { script: &script, values, variables: &variables, trace: &trace, classes: &[], end: None };
    let mut terms = Terms::new();
    let replayed = replay(program, &run, &Settings::default(), &mut terms);
    let roots: Vec<_> = replayed.decisions.iter().filter_map(|decision| decision.condition).collect();
    let mut tape = Tape::new(&terms, &roots);
    let bits = |value: &Value| {
        let width = value.primitive().expect("a primitive").bits();
        u128::from(value.bits().expect("bits")) & expr::mask(width.into())
    };
    tape.run(&values.iter().map(bits).collect::<Vec<_>>());
    let holds = roots.iter().all(|&root| tape.value(root) == 1);
    Done { replayed, holds, conditions: roots.len() }
}

fn head(code: Code, id: u32) -> u32 {
    (code as u32) << 24 | id
}

type Meaning = fn(u64, u64) -> u64;

/// Opcode, operands, result, meaning. Values are their bits, those of ints and floats in the lower half.
const OPERATIONS: &[(u8, &str, char, Meaning)] = &[
    (0x60, "II", 'I', |a, b| int(i(a).wrapping_add(i(b)))),
    (0x61, "JJ", 'J', |a, b| a.wrapping_add(b)),
    (0x62, "FF", 'F', |a, b| float(f(a) + f(b))),
    (0x63, "DD", 'D', |a, b| (d(a) + d(b)).to_bits()),
    (0x64, "II", 'I', |a, b| int(i(a).wrapping_sub(i(b)))),
    (0x65, "JJ", 'J', |a, b| a.wrapping_sub(b)),
    (0x66, "FF", 'F', |a, b| float(f(a) - f(b))),
    (0x67, "DD", 'D', |a, b| (d(a) - d(b)).to_bits()),
    (0x68, "II", 'I', |a, b| int(i(a).wrapping_mul(i(b)))),
    (0x69, "JJ", 'J', |a, b| a.wrapping_mul(b)),
    (0x6a, "FF", 'F', |a, b| float(f(a) * f(b))),
    (0x6b, "DD", 'D', |a, b| (d(a) * d(b)).to_bits()),
    (0x6c, "II", 'I', |a, b| int(i(a).wrapping_div(i(b)))),
    (0x6d, "JJ", 'J', |a, b| (a as i64).wrapping_div(b as i64) as u64),
    (0x6e, "FF", 'F', |a, b| float(f(a) / f(b))),
    (0x6f, "DD", 'D', |a, b| (d(a) / d(b)).to_bits()),
    (0x70, "II", 'I', |a, b| int(i(a).wrapping_rem(i(b)))),
    (0x71, "JJ", 'J', |a, b| (a as i64).wrapping_rem(b as i64) as u64),
    (0x72, "FF", 'F', |a, b| float(f(a) % f(b))),
    (0x73, "DD", 'D', |a, b| (d(a) % d(b)).to_bits()),
    (0x74, "I", 'I', |a, _| int(i(a).wrapping_neg())),
    (0x75, "J", 'J', |a, _| a.wrapping_neg()),
    (0x76, "F", 'F', |a, _| a ^ 1 << 31),
    (0x77, "D", 'D', |a, _| a ^ 1 << 63),
    (0x78, "II", 'I', |a, b| int(i(a) << (b & 31))),
    (0x79, "JI", 'J', |a, b| a << (b & 63)),
    (0x7a, "II", 'I', |a, b| int(i(a) >> (b & 31))),
    (0x7b, "JI", 'J', |a, b| ((a as i64) >> (b & 63)) as u64),
    (0x7c, "II", 'I', |a, b| a >> (b & 31)),
    (0x7d, "JI", 'J', |a, b| a >> (b & 63)),
    (0x7e, "II", 'I', |a, b| a & b),
    (0x7f, "JJ", 'J', |a, b| a & b),
    (0x80, "II", 'I', |a, b| a | b),
    (0x81, "JJ", 'J', |a, b| a | b),
    (0x82, "II", 'I', |a, b| a ^ b),
    (0x83, "JJ", 'J', |a, b| a ^ b),
    (0x85, "I", 'J', |a, _| i64::from(i(a)) as u64),
    (0x86, "I", 'F', |a, _| float(i(a) as f32)),
    (0x87, "I", 'D', |a, _| f64::from(i(a)).to_bits()),
    (0x88, "J", 'I', |a, _| a & 0xffff_ffff),
    (0x89, "J", 'F', |a, _| float(a as i64 as f32)),
    (0x8a, "J", 'D', |a, _| (a as i64 as f64).to_bits()),
    // The conversions of Rust saturate too, and make zero of what is not a number.
    (0x8b, "F", 'I', |a, _| int(f(a) as i32)),
    (0x8c, "F", 'J', |a, _| f(a) as i64 as u64),
    (0x8d, "F", 'D', |a, _| f64::from(f(a)).to_bits()),
    (0x8e, "D", 'I', |a, _| int(d(a) as i32)),
    (0x8f, "D", 'J', |a, _| d(a) as i64 as u64),
    (0x90, "D", 'F', |a, _| float(d(a) as f32)),
    (0x91, "I", 'I', |a, _| int((a as i8).into())),
    (0x92, "I", 'I', |a, _| u64::from(a as u16)),
    (0x93, "I", 'I', |a, _| int((a as i16).into())),
];

fn i(bits: u64) -> i32 {
    bits as u32 as i32
}

fn int(value: i32) -> u64 {
    u64::from(value as u32)
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn float(value: f32) -> u64 {
    value.to_bits().into()
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn primitive(kind: char) -> Primitive {
    match kind {
        'I' => Primitive::Int,
        'J' => Primitive::Long,
        'F' => Primitive::Float,
        _ => Primitive::Double,
    }
}

/// Mostly numbers at which something changes.
fn operand(rng: &mut Rng, kind: char) -> u64 {
    let bits = match (kind, rng.u8(..4)) {
        ('F', 0) => float(
            [0.0, -0.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 2.0, 2_147_483_648.0][rng.usize(..6)],
        ),
        ('F', 1) => float(rng.i32(-100..100) as f32 / 8.0),
        ('D', 0) => {
            [0.0, -0.0, f64::NAN, f64::NEG_INFINITY, 9.3e18, -2_147_483_649.5][rng.usize(..6)].to_bits()
        }
        ('D', 1) => (f64::from(rng.i32(-100..100)) / 8.0).to_bits(),
        (_, 0) => [0, 1, -1, i64::MAX, i64::MIN, i32::MAX.into(), i32::MIN.into(), 31][rng.usize(..8)] as u64,
        (_, 1) => i64::from(rng.i8(..)) as u64,
        _ => rng.u64(..),
    };
    if matches!(kind, 'I' | 'F') { bits & 0xffff_ffff } else { bits }
}

/// Loads operands, computes, compares with zero, jumps on the answer.
fn method(opcode: u8, operands: &str, result: char) -> Vec<u8> {
    let (mut code, mut local) = (Vec::new(), 0);
    for operand in operands.chars() {
        let load = 0x15 + "IJFD".find(operand).expect("a kind") as u8;
        code.extend([load, local]);
        local += if matches!(operand, 'J' | 'D') { 2 } else { 1 };
    }
    code.push(opcode);
    code.extend::<&[u8]>(match result {
        'J' => &[0x09, 0x94],
        'F' => &[0x0b, 0x95],
        'D' => &[0x0e, 0x97],
        _ => &[],
    });
    code.extend([0x99, 0, 4, 0, 0xb1]);
    code
}

/// What the jump of such a method tells.
fn told(result: char, bits: u64) -> Vec<u32> {
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    let order = |order: Option<std::cmp::Ordering>| order.map_or(-1, |order| order as i32) as u32;
    match result {
        'J' => {
            let answer = order(Some((bits as i64).cmp(&0)));
            vec![head(Code::CompareLong, 0), low, high, 0, 0, head(Code::Jump, 0), answer]
        }
        'F' => {
            let answer = order(f(bits).partial_cmp(&0.0));
            vec![head(Code::CompareFloat, 0), low, 0, head(Code::Jump, 0), answer]
        }
        'D' => {
            let answer = order(d(bits).partial_cmp(&0.0));
            vec![head(Code::CompareDouble, 0), low, high, 0, 0, head(Code::Jump, 0), answer]
        }
        _ => vec![head(Code::Jump, 0), low],
    }
}

#[test]
fn c30_c63_arithmetic_is_that_of_the_specification() {
    let mut rng = Rng::with_seed(3);
    for &(opcode, operands, result, meaning) in OPERATIONS {
        let descriptor = format!("({operands})V");
        let program = program(&descriptor, &method(opcode, operands, result));
        for _ in 0..300 {
            let kinds: Vec<char> = operands.chars().collect();
            let bits: Vec<u64> = kinds.iter().map(|&kind| operand(&mut rng, kind)).collect();
            let second = bits.get(1).copied().unwrap_or(0);
            let divides = matches!(opcode, 0x6c | 0x6d | 0x70 | 0x71);
            if divides && second == 0 {
                continue;
            }
            let expected = meaning(bits[0], second);
            let values: Vec<Value> =
                kinds.iter().zip(&bits).map(|(&kind, &bits)| primitive(kind).value(bits)).collect();
            let right = told(result, expected);
            let done = run(&program, &descriptor, &values, &right);
            let what = format!("{opcode:#x} {values:?} -> {expected:#x}: {:?}", done.replayed.end);
            assert_eq!(done.replayed.end, End::Returned, "{what}");
            assert!(done.holds, "{what}");
            let is_nan = matches!(result, 'F' if f(expected).is_nan())
                || matches!(result, 'D' if d(expected).is_nan());
            if !is_nan {
                let mut wrong = right;
                wrong[1] ^= 1;
                let done = run(&program, &descriptor, &values, &wrong);
                assert!(matches!(done.replayed.end, End::Diverged(_)), "{what}");
            }
        }
    }
}

#[test]
fn c39_division_by_zero_throws() {
    for (opcode, kind) in [(0x6c, 'I'), (0x6d, 'J'), (0x70, 'I'), (0x71, 'J')] {
        let operands = format!("{kind}{kind}");
        let descriptor = format!("({operands})V");
        let program = program(&descriptor, &method(opcode, &operands, kind));
        let values = [primitive(kind).value(5), primitive(kind).value(0)];
        let done = run(&program, &descriptor, &values, &[]);
        let class = Some("java/lang/ArithmeticException".to_owned());
        assert_eq!(done.replayed.end, End::Threw { step: 0, class });
        assert_eq!((done.conditions, done.holds), (1, true));
    }
}

#[test]
fn c30_slots_of_the_stack_move_as_the_specification_says() {
    // The stack 1 2 3 4 before and what it is after, the top last.
    let moves: [(u8, &[i32]); 9] = [
        (0x57, &[1, 2, 3]),
        (0x58, &[1, 2]),
        (0x59, &[1, 2, 3, 4, 4]),
        (0x5a, &[1, 2, 4, 3, 4]),
        (0x5b, &[1, 4, 2, 3, 4]),
        (0x5c, &[1, 2, 3, 4, 3, 4]),
        (0x5d, &[1, 3, 4, 2, 3, 4]),
        (0x5e, &[3, 4, 1, 2, 3, 4]),
        (0x5f, &[1, 2, 4, 3]),
    ];
    for (opcode, after) in moves {
        let mut code = vec![0x04, 0x05, 0x06, 0x07, opcode];
        for _ in 1..after.len() {
            // bipush 31, imul, iadd
            code.extend([0x10, 31, 0x68, 0x60]);
        }
        code.extend([0x99, 0, 4, 0, 0xb1]);
        let expected = after.iter().rev().copied().reduce(|sum, below| sum * 31 + below).expect("a stack");
        let done = run(&program("()V", &code), "()V", &[], &[head(Code::Jump, 0), expected as u32]);
        assert_eq!(done.replayed.end, End::Returned, "{opcode:#x}");
        assert_eq!(done.conditions, 0);
    }
}

#[test]
fn subroutines_return_to_where_they_were_called() {
    // 0: jsr 8, 3: iload_0, 4: ifeq 7, 7: return, 8: astore_1, 9: iinc 0 by 5, 12: ret 1
    let code = [0xa8, 0, 8, 0x1a, 0x99, 0, 3, 0xb1, 0x4c, 0x84, 0, 5, 0xa9, 1];
    let done = run(&program("(I)V", &code), "(I)V", &[Value::Int(2)], &[head(Code::Jump, 0), 7]);
    assert_eq!(done.replayed.end, End::Returned);
    assert!(done.holds);
}

#[test]
fn switches_lead_to_each_target_once() {
    // 0: iload_0, 1: tableswitch 5..7 with 5 and 7 to 28, 6 to 29, else 30
    let mut code = vec![0x1a, 0xaa, 0, 0];
    code.extend([29i32, 5, 7, 27, 28, 27].into_iter().flat_map(i32::to_be_bytes));
    code.extend([0xb1, 0xb1, 0xb1]);
    let program = program("(I)V", &code);
    for (value, others) in [(5, 2), (6, 2), (7, 2), (8, 2)] {
        let events = [head(Code::Jump, 0), value as u32];
        let done = run(&program, "(I)V", &[Value::Int(value)], &events);
        assert_eq!(done.replayed.end, End::Returned);
        let ways = done.replayed.decisions.last().map(|decision| decision.others.len());
        assert_eq!((done.conditions, done.holds, ways), (1, true, Some(others)));
    }
}

#[test]
fn code_that_runs_on_without_events_is_out_of_trace() {
    // 0: goto 0
    let done = run(&program("()V", &[0xa7, 0, 0]), "()V", &[], &[]);
    assert_eq!(done.replayed.end, End::OutOfTrace);
}

#[test]
fn code_that_no_verifier_lets_pass_diverges() {
    for code in [&[0x60, 0xb1][..], &[0x1a, 0xb1], &[0x57, 0xb1], &[0x0b, 0x99, 0, 3, 0xb1], &[0x00]] {
        let done = run(&program("()V", code), "()V", &[], &[]);
        assert!(matches!(done.replayed.end, End::Diverged(_)), "{code:?}");
    }
}
