//! What can go wrong for the user, and the exit code it gets.

use c_backend::BackendError;
use c_frontend::{BuildError, ClangError};
use std::fmt;
use std::process::ExitCode;

/// Goals left unknown with `--strict`, or `check` found a difference.
pub(crate) const EXIT_UNMET: u8 = 1;
/// The user's input is at fault.
pub(crate) const EXIT_INPUT: u8 = 2;
/// A bug of ours.
pub(crate) const EXIT_BUG: u8 = 70;
/// Nobody reads what is printed any more: what a shell says of a command that SIGPIPE ended.
pub(crate) const EXIT_UNREAD: i32 = 141;

/// A failure with words for the user and, where there is one, a hint.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// Something the user can change.
    pub(crate) fn input(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, code: EXIT_INPUT }
    }

    /// Something only we can change.
    pub(crate) fn bug(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, code: EXIT_BUG }
    }

    /// Adds advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A file could not be read or written.
    pub(crate) fn file(path: &std::path::Path, error: &std::io::Error) -> Failure {
        Failure::input(format!("{}: {error}", path.display()))
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let message = error.to_string();
        match error {
            BuildError::Clang(ClangError::Missing { .. }) => {
                Failure::input(message).hint("`branchwise doctor` says how to install clang 19")
            }
            BuildError::Clang(ClangError::Rejected { diagnostics }) => {
                let failure =
                    Failure::input(format!("the source does not compile\n{}", diagnostics.trim_end()));
                if diagnostics.contains("file not found") {
                    failure.hint("give the compiler's flags after `--`, e.g. `branchwise gen a.c -- -Iinclude`, or a compile_commands.json")
                } else {
                    failure
                }
            }
            BuildError::Clang(ClangError::Unlinkable { diagnostics }) => {
                Failure::input(format!("the program does not link\n{}", diagnostics.trim_end()))
                    .hint("name the libraries and objects it needs after `--`, e.g. `-- -Llib -lz parser.o`, and nothing that defines a function of these sources again")
            }
            BuildError::NoEntry(_) => Failure::input(message)
                .hint("`branchwise run` needs a main or an LLVMFuzzerTestOneInput; `branchwise gen` tests functions"),
            BuildError::Contract(_) => Failure::input(message).hint(
                "a precondition is an expression over the parameters and what the source declares, or a function \
                 `pre_f` with the first parameters of `f`; `preconditions = false` in branchwise.toml ignores such functions",
            ),
            BuildError::Io { .. } => Failure::input(message),
            BuildError::Mapping(_) | BuildError::Debug(_) | BuildError::Internal(_) => Failure::bug(message),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        let message = error.to_string();
        match error {
            BackendError::Start { .. } => Failure::input(message)
                .hint("branchwise-worker must stand beside the branchwise program; `make install` puts both in place"),
            BackendError::Load(_) => Failure::input(message)
                .hint("name the libraries the program needs after `--`, e.g. `-- -lz`"),
            BackendError::DiesAlways(_) | BackendError::Interrupted | BackendError::Pipe(_) => Failure::bug(message),
        }
    }
}
