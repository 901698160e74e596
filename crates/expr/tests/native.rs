//! The evaluator against the machine: plain Rust for integers, single instructions and libm for floating point.

#![cfg(target_arch = "x86_64")]

use expr::{Op, apply};
use proptest::prelude::*;
use std::arch::asm;
use std::hint::black_box;
use std::sync::LazyLock;

fn integers<const N: usize>(op: Op, width: u32, [a, b]: [u64; 2], expected: [u64; N]) {
    let result = apply(op, width, 0, [a.into(), b.into(), 0], [width; 3]);
    for expected in expected {
        assert_eq!(result, expected.into(), "{op:?} of {a:#x} and {b:#x} in {width} bits");
    }
}

macro_rules! compare_integers {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(a: $unsigned, b: $unsigned) {
            let (a, b) = black_box((a, b));
            let (s, t) = (a as $signed, b as $signed);
            let check = |op, value: $unsigned| {
                integers(op, <$unsigned>::BITS, [a.into(), b.into()], [value.into()]);
            };
            check(Op::Add, a.wrapping_add(b));
            check(Op::Sub, a.wrapping_sub(b));
            check(Op::Mul, a.wrapping_mul(b));
            check(Op::And, a & b);
            check(Op::Or, a | b);
            check(Op::Xor, a ^ b);
            if b != 0 {
                check(Op::UDiv, a / b);
                check(Op::URem, a % b);
                check(Op::SDiv, s.wrapping_div(t) as $unsigned);
                check(Op::SRem, s.wrapping_rem(t) as $unsigned);
            }
            if u32::try_from(b).is_ok_and(|by| by < <$unsigned>::BITS) {
                check(Op::Shl, a << b);
                check(Op::LShr, a >> b);
                check(Op::AShr, (s >> b) as $unsigned);
            }
            let check = |op, value: bool| {
                let widths = [<$unsigned>::BITS; 3];
                assert_eq!(apply(op, 1, 0, [a.into(), b.into(), 0], widths), value.into(), "{op:?} {a} {b}");
            };
            check(Op::Eq, a == b);
            check(Op::Ult, a < b);
            check(Op::Ule, a <= b);
            check(Op::Slt, s < t);
            check(Op::Sle, s <= t);
            let check = |op, width, value: u128| {
                assert_eq!(
                    apply(op, width, 0, [a.into(), 0, 0], [<$unsigned>::BITS; 3]),
                    value,
                    "{op:?} {a}"
                );
            };
            check(Op::Not, <$unsigned>::BITS, (!a).into());
            check(Op::Neg, <$unsigned>::BITS, a.wrapping_neg().into());
            check(Op::ZExt, 128, a.into());
            check(Op::SExt, 128, i128::from(s) as u128);
            check(Op::FFromSigned, 32, (s as f32).to_bits().into());
            check(Op::FFromSigned, 64, (s as f64).to_bits().into());
            check(Op::FFromUnsigned, 32, (a as f32).to_bits().into());
            check(Op::FFromUnsigned, 64, (a as f64).to_bits().into());
        }
    };
}

compare_integers!(bytes, u8, i8);
compare_integers!(shorts, u16, i16);
compare_integers!(ints, u32, i32);
compare_integers!(longs, u64, i64);

fn all_widths(a: u64, b: u64) {
    bytes(a as u8, b as u8);
    shorts(a as u16, b as u16);
    ints(a as u32, b as u32);
    longs(a, b);
}

/// Runs one instruction on the lowest lanes of two registers; operands stay in this order.
macro_rules! instruction {
    ($($name:literal)+, $a:expr, $b:expr, $float:ty) => {{
        let (mut a, b) = (<$float>::from_bits($a), <$float>::from_bits($b));
        // SAFETY: reads and writes these two registers only.
        unsafe {
            asm!(concat!($($name,)+ " {a}, {b}"), a = inout(xmm_reg) a, b = in(xmm_reg) b, options(pure, nomem, nostack));
        }
        a.to_bits()
    }};
}

macro_rules! convert {
    ($($name:literal)+, $a:expr, $from:ty, $to:ty) => {{
        let (a, mut result) = (<$from>::from_bits($a), <$to>::default());
        // SAFETY: reads and writes these two registers only.
        unsafe {
            asm!(concat!($($name,)+ " {r}, {a}"), r = inout(xmm_reg) result, a = in(xmm_reg) a, options(pure, nomem, nostack));
        }
        result.to_bits()
    }};
}

macro_rules! truncate {
    ($($name:literal)+, $a:expr, $from:ty, $to:ty, $class:literal) => {{
        let (a, result): (_, $to);
        a = <$from>::from_bits($a);
        // SAFETY: reads and writes these two registers only.
        unsafe {
            asm!(concat!($($name,)+ " {r", $class, "}, {a}"), r = out(reg) result, a = in(xmm_reg) a, options(pure, nomem, nostack));
        }
        result
    }};
}

/// A function of the C library. Asked for by name at run time: linked, Rust's own would answer.
macro_rules! libm {
    ($name:literal, $($argument:ident),+ => $float:ty) => {{
        type Function = extern "C" fn($(libm!(@ $argument $float)),+) -> $float;
        static FUNCTION: LazyLock<Function> = LazyLock::new(|| {
            // SAFETY: a function of this name in libm has this type.
            unsafe {
                let library = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
                let function = libc::dlsym(library, concat!($name, "\0").as_ptr().cast());
                assert!(!function.is_null(), $name);
                std::mem::transmute::<*mut libc::c_void, Function>(function)
            }
        });
        FUNCTION($($argument),+).to_bits()
    }};
    (@ $argument:ident $float:ty) => { $float };
}

macro_rules! compare_floats {
    ($name:ident, $float:ty, $bits:ty, $suffix:literal, [$fmod:literal $floor:literal $ceil:literal $trunc:literal $round:literal $rint:literal]) => {
        fn $name(a: $bits, b: $bits) {
            let (a, b) = black_box((a, b));
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            let widths = [<$bits>::BITS; 3];
            let check = |op, value: $bits| {
                let result = apply(op, <$bits>::BITS, 0, [a.into(), b.into(), 0], widths);
                assert_eq!(
                    result,
                    value.into(),
                    "{op:?} of {a:#x} and {b:#x} is {result:#x}, not {value:#x}"
                );
            };
            check(Op::FAdd, instruction!("adds" $suffix, a, b, $float));
            check(Op::FSub, instruction!("subs" $suffix, a, b, $float));
            check(Op::FMul, instruction!("muls" $suffix, a, b, $float));
            check(Op::FDiv, instruction!("divs" $suffix, a, b, $float));
            check(Op::FSqrt, convert!("sqrts" $suffix, a, $float, $float));
            // Clang's code for `fmin`: the smaller by instruction, operands exchanged, unless the first is none.
            let least = instruction!("mins" $suffix, b, a, $float);
            let most = instruction!("maxs" $suffix, b, a, $float);
            check(Op::FMin, if x.is_nan() { b } else { least });
            check(Op::FMax, if x.is_nan() { b } else { most });
            check(Op::FRem, libm!($fmod, x, y => $float));
            check(Op::FFloor, libm!($floor, x => $float));
            check(Op::FCeil, libm!($ceil, x => $float));
            check(Op::FTrunc, libm!($trunc, x => $float));
            check(Op::FRound, libm!($round, x => $float));
            check(Op::FRint, libm!($rint, x => $float));
            let check = |op, value: bool| {
                assert_eq!(
                    apply(op, 1, 0, [a.into(), b.into(), 0], widths),
                    value.into(),
                    "{op:?} {a:#x} {b:#x}"
                );
            };
            check(Op::FEq, x == y);
            check(Op::FLt, x < y);
            check(Op::FLe, x <= y);
            check(Op::FIsNan, x.is_nan());
        }
    };
}

compare_floats!(doubles, f64, u64, "d", ["fmod" "floor" "ceil" "trunc" "round" "rint"]);
compare_floats!(singles, f32, u32, "s", ["fmodf" "floorf" "ceilf" "truncf" "roundf" "rintf"]);

fn conversions(double: u64) {
    let double = black_box(double);
    let single = double as u32;
    let check = |op, width, from: u128, of, value: u128| {
        let result = apply(op, width, 0, [from, 0, 0], [of; 3]);
        assert_eq!(
            result, value,
            "{op:?} of {from:#x}, {of} to {width} bits, is {result:#x}, not {value:#x}"
        );
    };
    check(Op::FConvert, 32, double.into(), 64, convert!("cvtsd2ss", double, f64, f32).into());
    check(Op::FConvert, 64, single.into(), 32, convert!("cvtss2sd", single, f32, f64).into());
    let int = truncate!("cvttsd2si", double, f64, u32, ":e");
    let long = truncate!("cvttsd2si", double, f64, u64, "");
    check(Op::FToSigned, 32, double.into(), 64, int.into());
    check(Op::FToSigned, 64, double.into(), 64, long.into());
    // Narrower integers are cut from the results of instructions.
    check(Op::FToSigned, 8, double.into(), 64, (int as u8).into());
    check(Op::FToUnsigned, 16, double.into(), 64, (int as u16).into());
    check(Op::FToUnsigned, 32, double.into(), 64, (long as u32).into());
    check(Op::FToSigned, 32, single.into(), 32, truncate!("cvttss2si", single, f32, u32, ":e").into());
    check(Op::FToSigned, 64, single.into(), 32, truncate!("cvttss2si", single, f32, u64, "").into());
    let number = f64::from_bits(double);
    if (0.0..18_446_744_073_709_551_616.0).contains(&number) {
        check(Op::FToUnsigned, 64, double.into(), 64, (number as u64).into());
    }
    if number.abs() < 1.7e38 {
        check(Op::FToSigned, 128, double.into(), 64, (number as i128) as u128);
    }
}

fn fused(a: u64, b: u64, c: u64) {
    // Without the instruction glibc prefers other operands among those that are not numbers.
    let has_instruction = is_x86_feature_detected!("fma");
    let [x, y, z] = [a, b, c].map(f64::from_bits);
    let result = apply(Op::FFma, 64, 0, [a, b, c].map(u128::from), [64; 3]) as u64;
    let expected = libm!("fma", x, y, z => f64);
    let both_none = f64::from_bits(result).is_nan() && f64::from_bits(expected).is_nan();
    assert!(
        result == expected || (both_none && !has_instruction),
        "fma({a:#x}, {b:#x}, {c:#x}) is {result:#x}"
    );
    let (a, b, c) = (a as u32, b as u32, c as u32);
    let [x, y, z] = [a, b, c].map(f32::from_bits);
    let result = apply(Op::FFma, 32, 0, [a, b, c].map(u128::from), [32; 3]) as u32;
    let expected = libm!("fmaf", x, y, z => f32);
    let both_none = f32::from_bits(result).is_nan() && f32::from_bits(expected).is_nan();
    assert!(
        result == expected || (both_none && !has_instruction),
        "fmaf({a:#x}, {b:#x}, {c:#x}) is {result:#x}"
    );
}

const DOUBLES: [f64; 28] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    0.1,
    3.999_999_999_999,
    1e-310,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    2_147_483_647.5,
    -2_147_483_648.5,
    2_147_483_648.0,
    4_294_967_296.0,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    1e38,
    4_503_599_627_370_497.5,
];

/// Quiet and signalling, of both signs, with payloads.
const NOT_NUMBERS: [u64; 7] = [
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff8_0000_2000_0001,
    0xfff8_1234_5678_9abc,
    0x7ff0_0000_0000_0001,
    0xfff0_0000_4000_0000,
    0x7ff7_ffff_ffff_ffff,
];

const SINGLES: [u32; 16] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbfc0_0000,
    0x4020_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    0xffbf_ffff,
    0x4f00_0000,
];

fn special_doubles() -> Vec<u64> {
    DOUBLES.iter().map(|d| d.to_bits()).chain(NOT_NUMBERS).collect()
}

#[test]
fn special_numbers() {
    for a in special_doubles() {
        conversions(a);
        for b in special_doubles() {
            doubles(a, b);
            for c in special_doubles() {
                fused(a, b, c);
            }
        }
    }
    for a in SINGLES {
        conversions(a.into());
        for b in SINGLES {
            singles(a, b);
            for c in SINGLES {
                fused(a.into(), b.into(), c.into());
            }
        }
    }
}

#[test]
fn special_integers() {
    let numbers =
        [0, 1, 2, 7, 8, 31, 63, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let wide = [i64::MAX as u64, i64::MIN as u64, u64::MAX, u64::MAX - 1, 0x1_0000_0000, (1 << 53) + 1];
    for a in numbers.into_iter().chain(wide) {
        for b in numbers.into_iter().chain(wide) {
            all_widths(a, b);
        }
    }
}

/// Division by zero and shifts out of range have no meaning in Rust; in terms they have that of SMT-LIB.
#[test]
fn undefined_in_c_as_in_smt_lib() {
    integers(Op::UDiv, 8, [5, 0], [0xff]);
    integers(Op::URem, 8, [5, 0], [5]);
    integers(Op::SDiv, 8, [5, 0], [0xff]);
    integers(Op::SDiv, 8, [0xfb, 0], [1]);
    integers(Op::SRem, 8, [0xfb, 0], [0xfb]);
    integers(Op::SDiv, 8, [0x80, 0xff], [0x80]);
    integers(Op::SRem, 8, [0x80, 0xff], [0]);
    integers(Op::Shl, 8, [1, 8], [0]);
    integers(Op::LShr, 8, [0x80, 200], [0]);
    integers(Op::AShr, 8, [0x80, 200], [0xff]);
}

/// As printed by a C program built with clang 19 and libgcc.
#[test]
fn conversions_to_128_bits() {
    let signed = |number: f64| apply(Op::FToSigned, 128, 0, [number.to_bits().into(), 0, 0], [64; 3]);
    let unsigned = |number: f64| apply(Op::FToUnsigned, 128, 0, [number.to_bits().into(), 0, 0], [64; 3]);
    assert_eq!(signed(-1.0), u128::MAX);
    assert_eq!(signed(1e40), 0);
    assert_eq!(signed(f64::NAN), 0x8000_0000_0000_0000_8000_0000_0000_0000);
    assert_eq!(signed(3e38), 0xe1b1_e5f9_0f94_5000_0000_0000_0000_0000);
    assert_eq!(signed(-3e38), 0x1e4e_1a06_f06b_b000_0000_0000_0000_0000);
    assert_eq!(unsigned(-1.0), 0xffff_ffff_ffff_ffff);
    assert_eq!(unsigned(-2e19), 0xffff_ffff_ffff_ffff_8000_0000_0000_0000);
    assert_eq!(unsigned(1.8e38), 0x876a_bd2f_0958_f800_0000_0000_0000_0000);
    assert_eq!(unsigned(f64::INFINITY), 0);
    assert_eq!(unsigned(f64::NEG_INFINITY), 0x8000_0000_0000_0000_8000_0000_0000_0000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_integers(a in any::<u64>(), b in prop_oneof![any::<u64>(), 0..70_u64]) {
        all_widths(a, b);
    }

    #[test]
    fn random_floats(a in prop_oneof![any::<u64>(), any::<f64>().prop_map(f64::to_bits)], b: u64, c: u64) {
        doubles(a, b);
        singles(a as u32, b as u32);
        conversions(a);
        fused(a, b, c);
    }

    #[test]
    fn ordinary_floats(a in -1e20..1e20_f64, b in -1e3..1e3_f64, c in -1e20..1e20_f64) {
        doubles(a.to_bits(), b.to_bits());
        singles((a as f32).to_bits(), (b as f32).to_bits());
        conversions(a.to_bits());
        conversions(b.to_bits());
        conversions((b as f32).to_bits().into());
        fused(a.to_bits(), b.to_bits(), c.to_bits());
    }
}
