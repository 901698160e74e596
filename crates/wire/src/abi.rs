//! The contract between instrumented C code and the runtime in the worker: the one place where both sides
//! look. The instrumenter emits calls through the table; the worker fills it after loading.
//!
//! A target image exports
//! - [`RUNTIME_TABLE`]: `ptr[Slot::COUNT]`, filled in by the worker,
//! - [`TICKS`]: `i64`, counted down at function entries and loop heads; below zero the code calls
//!   [`Slot::OutOfTicks`],
//! - [`ENVIRONMENT_FLAG`]: `i32`, set before calls whose results depend on the machine,
//! - every function and global of the program under its `symbol`,
//! - for every function `SYMBOL` a trampoline [`TRAMPOLINE`]`SYMBOL(ptr arguments, ptr result)` that loads the
//!   arguments from the block at [`model::Param::offset`] and stores the result at `result`.

/// Name of the table of runtime functions.
pub const RUNTIME_TABLE: &str = "bw_runtime";
/// Name of the tick counter.
pub const TICKS: &str = "bw_ticks";
/// Name of an `i32` that becomes 1 when a run calls one of [`ENVIRONMENT`].
pub const ENVIRONMENT_FLAG: &str = "bw_environment";
/// Prefix of a function's trampoline.
pub const TRAMPOLINE: &str = "bw_call.";
/// The lines of stubs are those of a file named after the unit, with this behind its name.
pub const STUBS_FILE: &str = " (stubs)";
/// Set in a probe's branch id when the source condition is the negation of what the probe computes.
pub const INVERTED: u32 = 1 << 31;
/// "No default branch" in a switch table.
pub const NO_BRANCH: u64 = u64::MAX;

macro_rules! slots {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Entries of the runtime table in order.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum Slot { $($(#[$doc])* $name),* }

        impl Slot {
            /// All slots in table order.
            pub const ALL: &'static [Slot] = &[$(Slot::$name),*];
            /// Number of slots.
            pub const COUNT: usize = Slot::ALL.len();
        }
    };
}

slots! {
    /// `(u32 branch, u64 a, u64 b)`: condition is `a == b`, operands sign-extended.
    Equal,
    /// `(u32 branch, i64 a, i64 b)`: condition is `a < b`.
    SignedLess,
    /// `(u32 branch, i64 a, i64 b)`: condition is `a <= b`.
    SignedLessEqual,
    /// `(u32 branch, u64 a, u64 b)`: condition is `a < b`.
    UnsignedLess,
    /// `(u32 branch, u64 a, u64 b)`: condition is `a <= b`.
    UnsignedLessEqual,
    /// `(u32 branch, i128 a, i128 b)`.
    Equal128,
    /// `(u32 branch, i128 a, i128 b)`.
    SignedLess128,
    /// `(u32 branch, i128 a, i128 b)`.
    SignedLessEqual128,
    /// `(u32 branch, u128 a, u128 b)`.
    UnsignedLess128,
    /// `(u32 branch, u128 a, u128 b)`.
    UnsignedLessEqual128,
    /// `(u32 branch, u32 predicate, f64 a, f64 b)`: predicate as numbered by LLVM (1 `oeq` … 14 `une`);
    /// `float` operands are widened.
    Float,
    /// `(u32 branch, u32 predicate, long double a, long double b)`.
    LongDouble,
    /// `(u32 branch, u32 condition)`: a truth value whose operands are unknown.
    Truth,
    /// `(const u64 *table, u64 value)`: a `switch`. The table is
    /// `[n, default branch or NO_BRANCH, (branch, low, high) × n]`, value and cases sign-extended, both ends of
    /// a row included; several rows, one after the other, may name one branch.
    Switch,
    /// `()`, does not return: the tick counter ran out.
    OutOfTicks,
    /// `(u32 index)`, does not return: a call to the undefined function with this index.
    Undefined,
    /// `(u32 check)`, does not return: the [`model::Check`] with this number failed.
    FailedCheck,
    /// `(int status)`, does not return: `exit`.
    Exit,
    /// `(int status)`, does not return: `quick_exit`.
    QuickExit,
    /// `(int status)`, does not return and calls no handlers: `_exit`, `_Exit`.
    ExitAtOnce,
    /// `()`, does not return: the input is one that the user ruled out.
    Reject,
    /// `()`, returns if the run has a process of its own; it is repeated there otherwise.
    Alone,
    /// `()`, does not return: `abort`.
    Abort,
    /// `(expression, file, line, function)`, does not return: `__assert_fail`.
    AssertFail,
    /// `(handler)`: `atexit`.
    AtExit,
    /// `(handler)`: `at_quick_exit`.
    AtQuickExit,
    /// `malloc`.
    Malloc,
    /// `calloc`.
    Calloc,
    /// `realloc`.
    Realloc,
    /// `free`.
    Free,
    /// `aligned_alloc`, `memalign`.
    AlignedAlloc,
    /// `posix_memalign`.
    PosixMemalign,
    /// `strdup`.
    Strdup,
    /// `strndup`.
    Strndup,
}

/// C library functions replaced in instrumented code.
pub const INTERPOSED: &[(&str, Slot)] = &[
    ("exit", Slot::Exit),
    ("_exit", Slot::ExitAtOnce),
    ("_Exit", Slot::ExitAtOnce),
    ("quick_exit", Slot::QuickExit),
    ("bwp_reject", Slot::Reject),
    ("bwp_alone", Slot::Alone),
    ("abort", Slot::Abort),
    ("__assert_fail", Slot::AssertFail),
    ("atexit", Slot::AtExit),
    ("at_quick_exit", Slot::AtQuickExit),
    ("malloc", Slot::Malloc),
    ("calloc", Slot::Calloc),
    ("realloc", Slot::Realloc),
    ("free", Slot::Free),
    ("aligned_alloc", Slot::AlignedAlloc),
    ("memalign", Slot::AlignedAlloc),
    ("posix_memalign", Slot::PosixMemalign),
    ("strdup", Slot::Strdup),
    ("strndup", Slot::Strndup),
];

/// External functions after which a process cannot simply be reset, or that a signal would interrupt: their
/// callers run in forked children.
pub const NEEDS_FORK: &[&str] = &[
    "accept",
    "alarm",
    "brk",
    "bsd_signal",
    "chdir",
    "clearenv",
    "clock_nanosleep",
    "clone",
    "close",
    "close_range",
    "closefrom",
    "creat",
    "daemon",
    "dlopen",
    "drand48",
    "dup",
    "dup2",
    "dup3",
    "epoll_create",
    "epoll_create1",
    "epoll_wait",
    "err",
    "error",
    "errx",
    "eventfd",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fchdir",
    "fclose",
    "fdopen",
    "fexecve",
    "fopen",
    "fopen64",
    "fork",
    "freopen",
    "freopen64",
    "initstate",
    "inotify_init",
    "kill",
    "killpg",
    "lrand48",
    "memfd_create",
    "mkstemp",
    "mkstemp64",
    "mlockall",
    "mmap",
    "mprotect",
    "mrand48",
    "mremap",
    "msgrcv",
    "munmap",
    "nanosleep",
    "open",
    "open64",
    "openat",
    "openat64",
    "opendir",
    "pause",
    "pipe",
    "pipe2",
    "poll",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "ppoll",
    "prctl",
    "pselect",
    "pthread_create",
    "pthread_kill",
    "pthread_sigmask",
    "putenv",
    "raise",
    "sbrk",
    "select",
    "setbuf",
    "setenv",
    "seteuid",
    "setitimer",
    "setlocale",
    "setpgid",
    "setrlimit",
    "setsid",
    "setstate",
    "setvbuf",
    "sigaction",
    "sigaltstack",
    "siginterrupt",
    "signal",
    "sigprocmask",
    "sigqueue",
    "sigset",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "socket",
    "socketpair",
    "srand48",
    "syscall",
    "system",
    "thrd_create",
    "thrd_sleep",
    "timer_create",
    "tmpfile",
    "tmpfile64",
    "umask",
    "unsetenv",
    "usleep",
    "verr",
    "verrx",
    "vfork",
    "wait",
    "waitpid",
];

/// Those of [`ENVIRONMENT`], sources of random numbers, and what works on files, that unit tests replace by stubs: their
/// results are inputs then. Each has its text in `c-frontend/stubs/`.
pub const CONTROLLED: &[&str] = &[
    "access",
    "clock",
    "close",
    "closedir",
    "fclose",
    "fopen",
    "fstat",
    "getenv",
    "getpid",
    "isatty",
    "lseek",
    "lstat",
    "mkdir",
    "open",
    "opendir",
    "rand",
    "random",
    "read",
    "readdir",
    "recv",
    "remove",
    "rename",
    "rewinddir",
    "rmdir",
    "stat",
    "time",
    "unlink",
    "write",
];

/// External functions whose result or effect depends on the machine, the time or other processes, or reaches
/// beyond the process. A run that calls one is no test: it would not repeat, or would touch what is not ours.
pub const ENVIRONMENT: &[&str] = &[
    "accept",
    "access",
    "at_quick_exit",
    "atexit",
    "bind",
    "chdir",
    "chmod",
    "chown",
    "clock",
    "clock_gettime",
    "close",
    "closefrom",
    "close_range",
    "connect",
    "creat",
    "dup",
    "dup2",
    "dup3",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "fcntl",
    "fdopen",
    "fork",
    "fopen",
    "freopen",
    "fstat",
    "getaddrinfo",
    "getcwd",
    "getenv",
    "gethostbyname",
    "gethostname",
    "getpid",
    "getppid",
    "getrandom",
    "getrusage",
    "gettimeofday",
    "getuid",
    "ioctl",
    "isatty",
    "kill",
    "link",
    "listen",
    "localtime",
    "lseek",
    "lstat",
    "mkdir",
    "mkdtemp",
    "mkfifo",
    "mkstemp",
    "on_exit",
    "open",
    "open64",
    "openat",
    "opendir",
    "pipe",
    "pipe2",
    "poll",
    "popen",
    "posix_spawn",
    "ptrace",
    "read",
    "readdir",
    "readlink",
    "recv",
    "recvfrom",
    "recvmsg",
    "remove",
    "rename",
    "rmdir",
    "select",
    "send",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "socket",
    "socketpair",
    "stat",
    "symlink",
    "sysconf",
    "system",
    "time",
    "times",
    "tmpfile",
    "tmpnam",
    "truncate",
    "uname",
    "unlink",
    "unlinkat",
    "utime",
    "vfork",
    "wait",
    "waitpid",
];
