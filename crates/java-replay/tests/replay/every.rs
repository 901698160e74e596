//! Every instruction there is, in methods that a machine runs and a replay runs once more.

use crate::support::{Stage, text};
use java_classfile::ClassFile;
use java_replay::{Edge, Settings};
use java_testing::{Compiled, Draft, compiled};
use java_wire::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// From `nop` to `jsr_w`. What lies behind is for debuggers and machines.
const ALL: std::ops::RangeInclusive<u8> = 0x00..=0xc9;
const WIDE: u8 = 0xc4;
/// What `wide` can stand before: loads, stores, `iinc` and `ret`.
const WIDENED: [u8; 12] = [0x15, 0x16, 0x17, 0x18, 0x19, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x84, 0xa9];

/// What no compiler of today writes: `nop`, `ldc_w` of a small class, `swap`, `goto_w` of a small method, subroutines.
const RARE: &[u8] = &[
    0x00, // 0: nop
    0x13, 0, 8, // 1: ldc_w 70,000
    0x1a, 0x5f, 0x64, 0x3b, // 4: iload_0, swap, isub, istore_0
    0xc8, 0, 0, 0, 5, // 8: goto_w 13
    0xa8, 0, 14, // 13: jsr 27
    0xc9, 0, 0, 0, 11, // 16: jsr_w 27
    0x1a, 0x99, 0, 3, // 21: iload_0, ifeq 25
    0x1a, 0xac, // 25: iload_0, ireturn
    0x4c, // 27: astore_1
    0x84, 0, 5, // 28: iinc 0, 5
    0xa9, 1, // 31: ret 1
];

/// Everything that `wide` can stand before.
const FAR: &[u8] = &[
    0x1a, 0xc4, 0x36, 1, 0, // 0: iload_0, istore 256
    0xc4, 0x84, 1, 0, 3, 0xe8, // 5: iinc 256, 1000
    0xc4, 0x15, 1, 0, 0x85, // 11: iload 256, i2l
    0xc4, 0x37, 1, 2, 0xc4, 0x16, 1, 2, 0x89, // 16: lstore 258, lload 258, l2f
    0xc4, 0x38, 1, 4, 0xc4, 0x17, 1, 4, 0x8d, // 25: fstore 260, fload 260, f2d
    0xc4, 0x39, 1, 6, 0xc4, 0x18, 1, 6, 0x8e, 0x3b, // 34: dstore 262, dload 262, d2i, istore_0
    0x01, 0xc4, 0x3a, 1, 8, 0xc4, 0x19, 1, 8, 0x57, // 44: aconst_null, astore 264, aload 264, pop
    0xa8, 0, 9, // 54: jsr 63
    0x1a, 0x99, 0, 3, // 57: iload_0, ifeq 61
    0x1a, 0xac, // 61: iload_0, ireturn
    0xc4, 0x3a, 1, 10, // 63: astore 266
    0xc4, 0xa9, 1, 10, // 67: ret 266
];

/// A class of Java 1.4, which needs no stack maps and may have subroutines, with a method `static int m(int)`.
fn assembled(name: &str, code: &[u8]) -> Compiled {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 48, 0, 9];
    let utf8 = |text: &str, bytes: &mut Vec<u8>| {
        bytes.push(1);
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
    };
    utf8(name, &mut bytes);
    bytes.extend([7, 0, 1]);
    utf8("java/lang/Object", &mut bytes);
    bytes.extend([7, 0, 3]);
    utf8("m", &mut bytes);
    utf8("(I)I", &mut bytes);
    utf8("Code", &mut bytes);
    bytes.push(3);
    bytes.extend(70_000_i32.to_be_bytes());
    // Public, itself, its superclass; no interfaces, no fields, one public static method.
    bytes.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7]);
    bytes.extend((code.len() as u32 + 12).to_be_bytes());
    bytes.extend([0, 8, 1, 44]);
    bytes.extend((code.len() as u32).to_be_bytes());
    bytes.extend(code);
    bytes.extend([0; 6]);
    Compiled { class: ClassFile::read(&bytes).expect("a class"), bytes }
}

fn tests() -> Vec<Draft> {
    let ints = |values: &[i32]| values.iter().map(|&value| Value::Int(value)).collect::<Vec<_>>();
    let longs = |values: &[i64]| values.iter().map(|&value| Value::Long(value)).collect::<Vec<_>>();
    let floats = |values: &[f32]| values.iter().map(|v| Value::Float(v.to_bits())).collect::<Vec<_>>();
    let doubles = |values: &[f64]| values.iter().map(|v| Value::Double(v.to_bits())).collect::<Vec<_>>();
    let mut objects = Draft::new();
    let words = ["a", "bc", "d", "e", "f"].map(|word| objects.slot(java_wire::Slot::Text, text(word)));
    let five = "Ljava/lang/Object;".repeat(5);
    objects.call_static(&format!("Every.objects({five})Ljava/lang/Object;"), &words);
    vec![
        Draft::of_static("Every.constants()V", &[]),
        Draft::of_static("Every.ints(IIIII)V", &ints(&[7, 2000, 3, 4, 5])),
        Draft::of_static("Every.longs(JJJ)V", &longs(&[1, 2, 3])),
        Draft::of_static("Every.oddLongs(IJJ)V", &[ints(&[0]), longs(&[1, 2])].concat()),
        Draft::of_static("Every.floats(FFFFF)V", &floats(&[1.5, 2.5, 3.5, 4.5, 5.5])),
        Draft::of_static("Every.doubles(DDD)V", &doubles(&[1.5, 2.5, 3.5])),
        Draft::of_static("Every.oddDoubles(IDD)V", &[ints(&[0]), doubles(&[1.5, 2.5])].concat()),
        objects,
        Draft::of_static("Every.arrays(I)V", &ints(&[1])),
        Draft::of_static("Every.calls(I)I", &ints(&[4])),
        Draft::of_static("Rare.m(I)I", &ints(&[6])),
        Draft::of_static("Far.m(I)I", &ints(&[6])),
    ]
}

#[test]
fn c30_every_opcode_is_replayed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/Every.java");
    let mut classes = compiled(&[source], &["-g"]);
    classes.extend([assembled("Rare", RARE), assembled("Far", FAR)]);
    let mut stage = Stage::of(classes.clone(), None);
    let (mut opcodes, mut widened) = (BTreeSet::new(), BTreeSet::new());
    for test in tests() {
        let both = stage.both(&test, &Settings { edges: true, ..Settings::default() });
        both.check().unwrap_or_else(|why| panic!("{test:?}\n{why}"));
        assert_eq!(both.end, java_wire::message::End::Returned, "{test:?}");
        for edge in &both.replayed.edges {
            let [opcode, next] = bytes_at(&classes, edge);
            opcodes.insert(opcode);
            widened.extend((opcode == WIDE).then_some(next));
        }
    }
    let missing: Vec<String> =
        ALL.filter(|opcode| !opcodes.contains(opcode)).map(|opcode| format!("{opcode:#04x}")).collect();
    assert!(missing.is_empty(), "not replayed: {missing:?}");
    assert_eq!(widened, BTreeSet::from(WIDENED));
}

/// The opcode of an instruction that was executed, and the byte behind it.
fn bytes_at(classes: &[Compiled], edge: &Edge) -> [u8; 2] {
    let Compiled { bytes, class } = &classes[edge.class];
    let code = class.methods[edge.method].code.as_ref().expect("code");
    let (pc, _) = code.instructions[edge.to];
    let at = code.bytes().start + pc as usize;
    [bytes[at], bytes[at + 1]]
}
