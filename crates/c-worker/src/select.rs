//! What a function needs, found out once when it is chosen.

use crate::image::{Image, Trampoline};
use crate::layout::{Plan, TablePlan};
use crate::run::Isolation;
use input::Space;
use model::{Function, FunctionId};
use wire::abi::NEEDS_FORK;

/// Functions that allocate with the library's own `malloc`: what the target does not free stays.
const LIBRARY_ALLOCATES: &[&str] = &[
    "argz_add",
    "argz_create",
    "asprintf",
    "canonicalize_file_name",
    "fmemopen",
    "getaddrinfo",
    "getcwd",
    "getdelim",
    "getline",
    "getwline",
    "glob",
    "hcreate",
    "open_memstream",
    "qsort",
    "realpath",
    "regcomp",
    "scandir",
    "tempnam",
    "tsearch",
    "vasprintf",
    "wcsdup",
];

/// What is fixed as long as the function stays the same.
#[derive(Debug)]
pub(crate) struct Selected {
    /// Which function.
    pub(crate) function: FunctionId,
    /// How to call it.
    pub(crate) trampoline: Trampoline,
    /// How to ask whether its precondition holds.
    pub(crate) guard: Option<(FunctionId, Trampoline)>,
    /// How its inputs are laid out.
    pub(crate) plan: Plan,
    /// The cells of its result.
    pub(crate) result: TablePlan,
    /// Runs in children.
    pub(crate) forked: bool,
    /// Uses the standard streams.
    pub(crate) prints: bool,
    /// Uses the library's random numbers.
    pub(crate) random: bool,
    /// Sends signals.
    pub(crate) signals: bool,
    /// May leave memory of the library's own heap behind.
    pub(crate) leaks: bool,
}

impl Selected {
    /// `None` if the image has no such function.
    pub(crate) fn new(
        image: &Image,
        id: FunctionId,
        space: &Space,
        isolation: Isolation,
    ) -> Option<Selected> {
        let trampoline = image.trampoline(id)?;
        let program = image.program();
        let function = program.function(id);
        let calls = |names: &[&str]| function.externals.iter().any(|name| names.contains(&name.as_str()));
        Some(Selected {
            function: id,
            trampoline,
            guard: program.contract(id).and_then(|c| Some((c.guard, image.trampoline(c.guard)?))),
            plan: Plan::new(image, space),
            result: TablePlan::new(&Space::leaves_of(&program.types, function.ret)),
            forked: isolation == Isolation::Fork || calls(NEEDS_FORK),
            prints: prints(function),
            leaks: calls(LIBRARY_ALLOCATES),
            random: calls(&["rand", "random", "srand", "srandom"]),
            signals: calls(&["kill", "killpg", "raise", "sigqueue", "pthread_kill", "syscall", "tgkill"]),
        })
    }
}

/// Whether a function uses the standard streams.
fn prints(function: &Function) -> bool {
    const PARTS: [&str; 9] = ["print", "put", "write", "scanf", "get", "perror", "psignal", "fflush", "warn"];
    function.externals.iter().any(|name| PARTS.iter().any(|part| name.contains(part)))
}
