//! Random C functions without undefined behaviour, for tests of what reads C.
//!
//! The same seed gives the same text. Beyond what the language defines, functions may overflow signed integers, shift
//! named types by too much and divide by zero: whoever compiles them defines the first two (`-fwrapv`, amounts modulo
//! the width) and observes the third.

mod expression;
mod scope;
mod statement;
mod types;

use fastrand::Rng;
use scope::{Callee, Scope};
use statement::Body;
use std::fmt::Write;
use types::{AGGREGATES, Scalar, WORD};

const PRELUDE: &str = include_str!("prelude.c");

/// A random source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text, without `main`.
    pub text: String,
    /// Names of the random functions.
    pub functions: Vec<String>,
    /// For each of them an `unsigned long NAME(unsigned long)` that makes its arguments from a number, calls it and
    /// gives a digest of its result.
    pub drivers: Vec<String>,
}

/// What a parameter is.
#[derive(Clone, Copy)]
enum Parameter {
    Scalar(Scalar),
    Aggregate(usize),
    Pointer(usize),
}

/// A file with `count` random functions.
#[must_use]
pub fn source(seed: u64, count: usize) -> Source {
    let mut rng = Rng::with_seed(seed);
    let mut source = Source { text: with_fields(&mut rng), functions: Vec::new(), drivers: Vec::new() };
    let mut callees = Vec::new();
    for i in 0..3 {
        callees.push(helper(&mut source.text, &mut rng, i));
    }
    for i in 0..count {
        function(&mut source, &mut rng, &callees, i);
    }
    source
}

/// The prelude with a `struct bits` of random widths.
fn with_fields(rng: &mut Rng) -> String {
    let mut fields = String::from("struct bits {\n");
    let members = [
        ("int a", 32),
        ("unsigned b", 32),
        ("unsigned long c", 64),
        ("signed int d", 32),
        ("_Bool e", 1),
        ("unsigned char f", 8),
    ];
    for (member, most) in members {
        let _ = writeln!(fields, "    {member} : {};", rng.u32(1..=most));
    }
    fields.push_str("};\n\n");
    let at = PRELUDE.find("char text").unwrap_or(0);
    format!("{}{fields}{}", &PRELUDE[..at], &PRELUDE[at..])
}

/// A small function of scalars that others call.
fn helper(text: &mut String, rng: &mut Rng, number: usize) -> Callee {
    let parameters: Vec<Scalar> = (0..rng.usize(1..4)).map(|_| Scalar::any(rng)).collect();
    let result = Scalar::any(rng);
    let mut scope = Scope::new(rng.fork(), Vec::new());
    let mut declared = Vec::new();
    for (i, ty) in parameters.iter().enumerate() {
        declared.push(format!("{} p{i}", ty.spelling()));
        scope.scalars.push((format!("p{i}"), *ty));
    }
    let mut body = Body::new(scope);
    body.line("unsigned long acc = 0;");
    let condition = body.scope.condition(2);
    let early = body.scope.value(result, 1);
    body.line(&format!("if ({condition}) return {early};"));
    body.statements(2, 1);
    let value = body.scope.value(result, 2);
    body.line(&format!("return (void)acc, {value};"));
    let name = format!("h{number}");
    let _ =
        write!(text, "\nstatic {} {name}({})\n{{\n{}}}\n", result.spelling(), declared.join(", "), body.text);
    Callee { name, parameters, result }
}

fn function(source: &mut Source, rng: &mut Rng, callees: &[Callee], number: usize) {
    let parameters: Vec<Parameter> = (0..rng.usize(1..6)).map(|_| parameter(rng)).collect();
    let result = Scalar::named(rng);
    let mut scope = Scope::new(rng.fork(), callees.to_vec());
    let mut declared = Vec::new();
    for (i, &parameter) in parameters.iter().enumerate() {
        declared.push(declare(&mut scope, parameter, i));
    }
    let mut body = Body::new(scope);
    body.line("unsigned long acc = 0;");
    body.line("text[15] = 0;");
    body.declarations();
    let count = body.scope.rng.u32(1..5);
    body.statements(count, 2);
    finish(&mut body, result);
    let name = format!("f{number}");
    let _ =
        write!(source.text, "\n{} {name}({})\n{{\n{}}}\n", result.spelling(), declared.join(", "), body.text);
    driver(source, rng, &parameters, result, number);
    source.functions.push(name);
}

fn parameter(rng: &mut Rng) -> Parameter {
    match rng.u8(..8) {
        0 | 1 => Parameter::Aggregate(rng.usize(..AGGREGATES.len())),
        2 => Parameter::Pointer(rng.usize(..AGGREGATES.len())),
        _ => Parameter::Scalar(Scalar::named(rng)),
    }
}

fn declare(scope: &mut Scope, parameter: Parameter, number: usize) -> String {
    let name = format!("p{number}");
    match parameter {
        Parameter::Scalar(ty) => {
            scope.scalars.push((name.clone(), ty));
            format!("{} {name}", ty.spelling())
        }
        Parameter::Aggregate(kind) => {
            scope.add_aggregate(&name, kind);
            format!("{} {name}", AGGREGATES[kind].spelling())
        }
        Parameter::Pointer(kind) => {
            scope.pointers.push((name.clone(), kind));
            format!("{} *{name}", AGGREGATES[kind].spelling())
        }
    }
}

/// Everything computed has a part in the result.
fn finish(body: &mut Body, result: Scalar) {
    for (name, ty) in body.scope.scalars.clone() {
        let number = if ty.is_float() { expression::truncated(&name, types::LONG) } else { name };
        body.line(&format!("acc = acc * 31 + (unsigned long)({number});"));
    }
    body.end_of_heap();
    let value = match result {
        Scalar::Named(_, 128, _) => format!("({})acc * acc", result.spelling()),
        _ => format!("({})acc", result.spelling()),
    };
    body.line(&format!("return {value};"));
}

/// The arguments are parts of one number.
fn driver(source: &mut Source, rng: &mut Rng, parameters: &[Parameter], result: Scalar, number: usize) {
    let name = format!("on{number}");
    let mut before = String::new();
    let mut arguments = Vec::new();
    for (i, &parameter) in parameters.iter().enumerate() {
        let part = format!("(seed >> {})", rng.u32(..56));
        arguments.push(match parameter {
            Parameter::Scalar(ty) if ty.is_float() => format!("({})(int){part} / 4", ty.spelling()),
            Parameter::Scalar(ty) => format!("({}){part}", ty.spelling()),
            Parameter::Aggregate(kind) => format!("make_{}{part}", AGGREGATES[kind].name),
            Parameter::Pointer(kind) => {
                let (ty, make) = (AGGREGATES[kind].spelling(), AGGREGATES[kind].name);
                let _ = writeln!(before, "    {ty} q{i} = make_{make}{part};");
                format!("seed % 7 ? &q{i} : 0")
            }
        });
    }
    let call = format!("f{number}({})", arguments.join(", "));
    let digest = if result.is_float() { expression::truncated(&call, WORD) } else { format!("fold({call})") };
    let _ = write!(
        source.text,
        "\nunsigned long {name}(unsigned long seed)\n{{\n{before}    return {digest};\n}}\n"
    );
    source.drivers.push(name);
}
