//! Literals mean what they should: a compiler turns each back into the same bits.

use emit::{Exactness, scalar};
use input::{Leaf, LeafKind, Space};
use model::{FloatKind, Type, TypeId, TypeKind, Types};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt::Write;
use std::process::Command;

/// The types, with their spelling in C.
fn all_types() -> (Types, Vec<(TypeId, &'static str)>) {
    let mut types = Types::default();
    let mut list = Vec::new();
    let mut add = |kind, size, spelling: &'static str, name: &str| {
        let ty = Type { kind, size, align: size, name: Some(name.to_owned()) };
        list.push((types.push(ty), spelling));
    };
    for (bits, name) in
        [(8, "char"), (16, "short"), (32, "int"), (64, "long"), (64, "long long"), (128, "__int128")]
    {
        for (signed, prefix) in [(true, "signed"), (false, "unsigned")] {
            let spelling: &'static str = Box::leak(format!("{prefix} {name}").into_boxed_str());
            add(
                TypeKind::Int { bits, signed, character: bits == 8 },
                u64::from(bits) / 8,
                spelling,
                spelling,
            );
        }
    }
    add(TypeKind::Bool, 1, "_Bool", "_Bool");
    add(TypeKind::Float(FloatKind::F32), 4, "float", "float");
    add(TypeKind::Float(FloatKind::F64), 8, "double", "double");
    add(TypeKind::Float(FloatKind::F80), 16, "long double", "long double");
    (types, list)
}

/// Bits that make a value of the leaf's type: canonical NaNs only, since payloads are not kept, and x87
/// patterns that are numbers.
fn valid(leaf: &Leaf, bits: u128) -> u128 {
    let masked = if leaf.width == 128 { bits } else { bits & ((1 << leaf.width) - 1) };
    match leaf.kind {
        LeafKind::Bool => bits & 1,
        LeafKind::Float(FloatKind::F32) if f32::from_bits(masked as u32).is_nan() => {
            f32::NAN.to_bits().into()
        }
        LeafKind::Float(FloatKind::F64) if f64::from_bits(masked as u64).is_nan() => {
            f64::NAN.to_bits().into()
        }
        LeafKind::Float(FloatKind::F80) => match masked >> 64 & 0x7fff {
            0x7fff => 0x7fff_c000_0000_0000_0000,
            0 => masked & !(1 << 63),
            _ => masked | 1 << 63,
        },
        _ => masked,
    }
}

/// Random bits, with the ends of ranges, small numbers and short floats among them.
fn interesting_bits() -> impl Strategy<Value = u128> {
    let near = (0u32..=128, -2i128..=2).prop_map(|(shift, delta)| {
        let power = if shift == 128 { 0 } else { 1u128 << shift };
        power.wrapping_add(delta as u128)
    });
    let double = any::<f64>().prop_map(|v| u128::from(v.to_bits()));
    let short_double = (-99999i32..=99999, 0i32..=4)
        .prop_map(|(n, decimals)| u128::from((f64::from(n) / 10f64.powi(decimals)).to_bits()));
    let extended = (0u128..=0x7fff, any::<u64>(), 0u32..64)
        .prop_map(|(exponent, bits, zeros)| exponent << 64 | u128::from(bits >> zeros << zeros));
    prop_oneof![any::<u128>(), near.clone(), near.prop_map(|b| !b), double, short_double, extended]
}

/// A program that compares every literal, as initialiser and as argument, with the bytes it must have.
fn comparing_program(cases: usize) -> String {
    let (types, list) = all_types();
    let mut runner = TestRunner::deterministic();
    let mut body = String::new();
    for case in 0..cases {
        let (ty, spelling) = list[case % list.len()];
        let leaf = Space::leaves_of(&types, ty).leaves.swap_remove(0);
        let bits = interesting_bits().new_tree(&mut runner).expect("a value").current();
        let bits = valid(&leaf, bits);
        let size = usize::from(leaf.width).div_ceil(8);
        let bytes: Vec<String> = bits.to_le_bytes()[..size].iter().map(u8::to_string).collect();
        for exactness in [Exactness::Converted, Exactness::Argument] {
            let literal = scalar(&types, &leaf, bits, exactness);
            let bytes = bytes.join(", ");
            writeln!(body, "    {{ {spelling} v = {literal}; SAME({case}, v, {bytes}); }}")
                .expect("a string");
        }
    }
    format!(
        "#include <limits.h>\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\
         static int failures;\n#define SAME(n, v, ...) do {{ unsigned char b[] = {{__VA_ARGS__}};\\\n\
         if (memcmp(&v, b, sizeof b) != 0) {{ failures++; printf(\"case %d\\n\", n); }} }} while (0)\n\
         int main(void)\n{{\n{body}    return failures != 0;\n}}\n"
    )
}

#[test]
fn literals_round_trip_through_both_compilers() {
    let directory = tempfile::tempdir().expect("temporary folder");
    let source = directory.path().join("literals.c");
    std::fs::write(&source, comparing_program(1600)).expect("written");
    for compiler in ["gcc", "clang-19"] {
        let program = directory.path().join(compiler);
        let flags = ["-Wall", "-Wextra", "-Werror", "-o"];
        let output =
            Command::new(compiler).args(flags).args([&program, &source]).output().expect("compiler runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = Command::new(&program).output().expect("program runs");
        assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn arguments_have_the_type_of_their_parameter() {
    let (types, list) = all_types();
    let mut runner = TestRunner::deterministic();
    let mut body = String::new();
    for case in 0..600 {
        let (ty, spelling) = list[case % list.len()];
        let leaf = Space::leaves_of(&types, ty).leaves.swap_remove(0);
        let bits = valid(&leaf, interesting_bits().new_tree(&mut runner).expect("a value").current());
        let literal = scalar(&types, &leaf, bits, Exactness::Argument);
        // NAN and INFINITY are floats for every format; integer types narrower than int are promoted.
        if !literal.contains("NAN") && !literal.contains("INFINITY") {
            writeln!(body, "_Static_assert(sizeof(+({spelling})0) == sizeof(+({literal})), \"{case}\");")
                .expect("a string");
            writeln!(body, "_Static_assert((({spelling})-1 < 0) == (((__typeof__({literal}))-1) < 0) || sizeof({spelling}) < 4, \"{case}\");")
                .expect("a string");
        }
    }
    let directory = tempfile::tempdir().expect("temporary folder");
    let source = directory.path().join("arguments.c");
    std::fs::write(&source, format!("#include <limits.h>\n#include <math.h>\n{body}")).expect("written");
    let output = Command::new("gcc").args(["-fsyntax-only"]).arg(&source).output().expect("compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
