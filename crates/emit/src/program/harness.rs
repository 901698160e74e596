//! The library that answers a harness from the file `values`, and the headers a harness includes.
//!
//! What there is to be called is written once, in `c-frontend/program`: while tests are searched for, the same calls
//! are answered with what is tried.

use super::ProgramKind;
use crate::EmittedFile;

const FILES: [(&str, &str); 8] = [
    ("harness/replay.c", include_str!("../runtime/program/replay.c")),
    ("harness/ends.c", include_str!("../runtime/program/ends.c")),
    ("harness/program.h", include_str!("../runtime/program/program.h")),
    ("harness/calls.c", include_str!("../../../c-frontend/program/harness.c")),
    ("harness/verdict.c", include_str!("../../../c-frontend/program/verdict.c")),
    ("harness/include/branchwise.h", include_str!("../../../c-frontend/program/include/branchwise.h")),
    ("harness/include/crest.h", include_str!("../../../c-frontend/program/include/crest.h")),
    ("harness/include/klee/klee.h", include_str!("../../../c-frontend/program/include/klee/klee.h")),
];

/// The `main` of a fuzz target.
const FUZZER: (&str, &str) = ("harness/fuzzer.c", include_str!("../runtime/program/fuzzer.c"));

/// For the linker, behind the program's own objects: what a harness defines itself counts.
pub(super) const LINK_FLAG: &str = " -Wl,--allow-multiple-definition";

/// The files a program of this kind is built with.
pub(super) fn files(kind: ProgramKind) -> impl Iterator<Item = EmittedFile> {
    let fuzzer = (kind == ProgramKind::Fuzzer).then_some(FUZZER);
    FILES.into_iter().chain(fuzzer).map(|(path, text)| EmittedFile::text(path, text))
}

/// The C files among them that are compiled, without their ending.
pub(super) fn units(kind: ProgramKind) -> &'static [&'static str] {
    match kind {
        ProgramKind::Program => &[],
        ProgramKind::Harness => &["replay", "verdict", "ends"],
        ProgramKind::Fuzzer => &["replay", "verdict", "ends", "fuzzer"],
    }
}
