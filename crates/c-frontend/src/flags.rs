//! How clang is called for code that will be taken apart, here and in `build.rs`.

/// Flags for a build whose meaning does not depend on undefined behaviour: the instrumented code is optimised,
/// the judge's is not, and both must take the same branches.
pub(crate) const DEFINED: [&str; 5] = [
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
    "-fno-strict-overflow",
];

/// Flags for code as it was written.
pub(crate) const AS_WRITTEN: [&str; 11] = [
    "-g",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-inline",
    "-fno-optimize-sibling-calls",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
    "-fPIC",
];
