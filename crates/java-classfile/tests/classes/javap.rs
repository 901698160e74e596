//! Instructions as decoded here and as `javap` prints them.

use crate::support::{class_files, jar, run, unpack};
use java_classfile::instruction::{
    ArithOp, BitOp, CompareOp, Condition, Const, ConvertTo, ElementKind, IntegerKind, InvokeKind, Kind,
    NumericKind, ShiftOp, StackOp,
};
use java_classfile::{ClassFile, Instruction, PoolIndex, Type};
use std::process::Command;

#[test]
fn javap_reads_the_same_instructions() {
    let folder = tempfile::tempdir().expect("writable");
    unpack(&jar("commons-lang3"), folder.path());
    unpack(&jar("commons-io"), folder.path());
    let files = class_files(folder.path());
    assert!(files.len() > 500, "{}", files.len());
    let listing = run(Command::new("javap").args(["-c", "-p"]).args(&files));
    let expected = listed(&listing);
    let mut actual = Vec::new();
    for file in &files {
        let class = ClassFile::read(&std::fs::read(file).expect("readable")).expect("well-formed");
        for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
            actual.extend(code.instructions.iter().map(|(pc, instruction)| (*pc, spell(instruction))));
        }
    }
    assert!(actual.len() > 100_000, "{}", actual.len());
    for (position, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
        assert_eq!(actual, expected, "instruction {position}");
    }
    assert_eq!(actual.len(), expected.len());
}

/// The instructions of a listing, in the words of [`spell`].
fn listed(listing: &str) -> Vec<(u32, String)> {
    let mut instructions: Vec<(u32, String)> = Vec::new();
    let (mut in_code, mut in_switch) = (false, false);
    for line in listing.lines().map(str::trim) {
        if line == "Code:" {
            in_code = true;
        } else if in_switch {
            in_switch = line != "}";
            if let (true, Some(last)) = (in_switch, instructions.last_mut()) {
                last.1 += &format!(" {}", line.replace(' ', ""));
            }
        } else if let (true, Some((pc, text))) = (in_code, numbered(line)) {
            in_switch = text.ends_with("switch");
            instructions.push((pc, text));
        } else {
            in_code = false;
        }
    }
    instructions
}

/// `12: iload_3` → 12 and `iload 3`
fn numbered(line: &str) -> Option<(u32, String)> {
    let (pc, rest) = line.split_once(": ")?;
    let (rest, comment) = rest.split_once("//").unwrap_or((rest, ""));
    let mut words = rest.split_whitespace();
    let name = words.next()?;
    let operands: Vec<&str> =
        words.map(|word| word.trim_end_matches(',')).filter(|word| *word != "{").collect();
    Some((pc.parse().ok()?, normal(name, &operands, comment.trim())))
}

/// Without short and long forms.
fn normal(name: &str, operands: &[&str], comment: &str) -> String {
    let operand = operands.first().copied().unwrap_or_default();
    match name {
        "aconst_null" => "push null".into(),
        "bipush" | "sipush" => format!("push int {operand}"),
        "ldc" | "ldc_w" | "ldc2_w" => loaded(operand, comment),
        "goto_w" | "jsr_w" => format!("{} {operand}", name.trim_end_matches("_w")),
        "invokeinterface" | "invokedynamic" => format!("{name} {operand}"),
        "tableswitch" | "lookupswitch" => name.into(),
        _ => match name.split_once('_') {
            Some((kind @ ("iconst" | "lconst" | "fconst" | "dconst"), value)) => {
                let kind = match kind {
                    "iconst" => "int",
                    "lconst" => "long",
                    "fconst" => "float",
                    _ => "double",
                };
                let value = value.replace("m1", "-1");
                if matches!(kind, "int" | "long") {
                    format!("push {kind} {value}")
                } else {
                    format!("push {kind}")
                }
            }
            Some((short, index))
                if index.parse::<u8>().is_ok()
                    && name.contains(['l', 's'])
                    && short.ends_with(['d', 'e']) =>
            {
                format!("{short} {index}")
            }
            Some((wide, "w")) => [&[wide], operands].concat().join(" "),
            _ => [&[name], operands].concat().join(" "),
        },
    }
}

fn loaded(operand: &str, comment: &str) -> String {
    match comment.split_once(' ') {
        Some(("int", value)) => format!("push int {value}"),
        Some(("long", value)) => format!("push long {}", value.trim_end_matches('l')),
        Some((kind @ ("float" | "double"), _)) => format!("push {kind}"),
        _ => format!("push {operand}"),
    }
}

fn spell(instruction: &Instruction) -> String {
    let index = |name: &str, index: &PoolIndex| format!("{name} #{}", index.0);
    match instruction {
        Instruction::Nop => "nop".into(),
        Instruction::Push(constant) => push(*constant),
        Instruction::Load { kind, index } => format!("{}load {index}", letter(*kind)),
        Instruction::Store { kind, index } => format!("{}store {index}", letter(*kind)),
        Instruction::ArrayLoad(kind) => format!("{}aload", element(*kind)),
        Instruction::ArrayStore(kind) => format!("{}astore", element(*kind)),
        Instruction::Stack(op) => stack(*op).into(),
        Instruction::Arith { kind, op } => format!("{}{}", numeric(*kind), arith(*op)),
        Instruction::Bitwise { kind, op } => format!("{}{}", integer(*kind), bits(*op)),
        Instruction::Shift { kind, op } => format!("{}{}", integer(*kind), shift(*op)),
        Instruction::Neg(kind) => format!("{}neg", numeric(*kind)),
        Instruction::Increment { index, by } => format!("iinc {index} {by}"),
        Instruction::Convert { from, to } => format!("{}2{}", numeric(*from), converted(*to)),
        Instruction::Compare(op) => compare(*op).into(),
        Instruction::If { condition, target } => format!("if{} {target}", relation(*condition)),
        Instruction::IfInts { condition, target } => format!("if_icmp{} {target}", relation(*condition)),
        Instruction::IfRefs { same, target } => {
            format!("if_acmp{} {target}", if *same { "eq" } else { "ne" })
        }
        Instruction::IfNull { null, target } => format!("if{}null {target}", if *null { "" } else { "non" }),
        Instruction::Goto { target } => format!("goto {target}"),
        Instruction::Jsr { target } => format!("jsr {target}"),
        Instruction::Ret { index } => format!("ret {index}"),
        Instruction::TableSwitch(switch) => cases("tableswitch", switch.cases(), switch.default),
        Instruction::LookupSwitch(switch) => {
            cases("lookupswitch", switch.cases.iter().copied(), switch.default)
        }
        Instruction::Return(kind) => format!("{}return", kind.map_or("", letter)),
        Instruction::GetStatic(field) => index("getstatic", field),
        Instruction::PutStatic(field) => index("putstatic", field),
        Instruction::GetField(field) => index("getfield", field),
        Instruction::PutField(field) => index("putfield", field),
        Instruction::Invoke { kind, method } => index(invoke(*kind), method),
        Instruction::InvokeDynamic(site) => index("invokedynamic", site),
        Instruction::New(class) => index("new", class),
        Instruction::NewArray(element) => format!("newarray {}", primitive(element)),
        Instruction::NewRefArray(class) => index("anewarray", class),
        Instruction::NewMultiArray { class, dimensions } => {
            format!("multianewarray #{} {dimensions}", class.0)
        }
        Instruction::ArrayLength => "arraylength".into(),
        Instruction::Throw => "athrow".into(),
        Instruction::CheckCast(class) => index("checkcast", class),
        Instruction::InstanceOf(class) => index("instanceof", class),
        Instruction::MonitorEnter => "monitorenter".into(),
        Instruction::MonitorExit => "monitorexit".into(),
    }
}

fn push(constant: Const) -> String {
    match constant {
        Const::Null => "push null".into(),
        Const::Int(value) => format!("push int {value}"),
        Const::Long(value) => format!("push long {value}"),
        Const::Float(_) => "push float".into(),
        Const::Double(_) => "push double".into(),
        Const::String(index)
        | Const::Class(index)
        | Const::MethodHandle(index)
        | Const::MethodType(index)
        | Const::Dynamic(index) => format!("push #{}", index.0),
    }
}

fn cases(name: &str, cases: impl Iterator<Item = (i32, u32)>, default: u32) -> String {
    let cases: String = cases.map(|(key, target)| format!(" {key}:{target}")).collect();
    format!("{name}{cases} default:{default}")
}

fn letter(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "i",
        Kind::Long => "l",
        Kind::Float => "f",
        Kind::Double => "d",
        Kind::Ref => "a",
    }
}

fn element(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Int => "i",
        ElementKind::Long => "l",
        ElementKind::Float => "f",
        ElementKind::Double => "d",
        ElementKind::Ref => "a",
        ElementKind::Byte => "b",
        ElementKind::Char => "c",
        ElementKind::Short => "s",
    }
}

fn numeric(kind: NumericKind) -> &'static str {
    match kind {
        NumericKind::Int => "i",
        NumericKind::Long => "l",
        NumericKind::Float => "f",
        NumericKind::Double => "d",
    }
}

fn integer(kind: IntegerKind) -> &'static str {
    match kind {
        IntegerKind::Int => "i",
        IntegerKind::Long => "l",
    }
}

fn converted(to: ConvertTo) -> &'static str {
    match to {
        ConvertTo::Int => "i",
        ConvertTo::Long => "l",
        ConvertTo::Float => "f",
        ConvertTo::Double => "d",
        ConvertTo::Byte => "b",
        ConvertTo::Char => "c",
        ConvertTo::Short => "s",
    }
}

fn arith(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "add",
        ArithOp::Sub => "sub",
        ArithOp::Mul => "mul",
        ArithOp::Div => "div",
        ArithOp::Rem => "rem",
    }
}

fn bits(op: BitOp) -> &'static str {
    match op {
        BitOp::And => "and",
        BitOp::Or => "or",
        BitOp::Xor => "xor",
    }
}

fn shift(op: ShiftOp) -> &'static str {
    match op {
        ShiftOp::Left => "shl",
        ShiftOp::Right => "shr",
        ShiftOp::UnsignedRight => "ushr",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Long => "lcmp",
        CompareOp::Float { nan: -1 } => "fcmpl",
        CompareOp::Float { .. } => "fcmpg",
        CompareOp::Double { nan: -1 } => "dcmpl",
        CompareOp::Double { .. } => "dcmpg",
    }
}

fn relation(condition: Condition) -> &'static str {
    match condition {
        Condition::Eq => "eq",
        Condition::Ne => "ne",
        Condition::Lt => "lt",
        Condition::Ge => "ge",
        Condition::Gt => "gt",
        Condition::Le => "le",
    }
}

fn invoke(kind: InvokeKind) -> &'static str {
    match kind {
        InvokeKind::Virtual => "invokevirtual",
        InvokeKind::Special => "invokespecial",
        InvokeKind::Static => "invokestatic",
        InvokeKind::Interface => "invokeinterface",
    }
}

fn stack(op: StackOp) -> &'static str {
    match op {
        StackOp::Pop => "pop",
        StackOp::Pop2 => "pop2",
        StackOp::Dup => "dup",
        StackOp::DupX1 => "dup_x1",
        StackOp::DupX2 => "dup_x2",
        StackOp::Dup2 => "dup2",
        StackOp::Dup2X1 => "dup2_x1",
        StackOp::Dup2X2 => "dup2_x2",
        StackOp::Swap => "swap",
    }
}

fn primitive(element: &Type) -> &'static str {
    match element {
        Type::Boolean => "boolean",
        Type::Byte => "byte",
        Type::Char => "char",
        Type::Short => "short",
        Type::Int => "int",
        Type::Long => "long",
        Type::Float => "float",
        Type::Double => "double",
        Type::Object(_) | Type::Array(_) => "no primitive type",
    }
}
