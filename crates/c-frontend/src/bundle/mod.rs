//! Programs that carry their own bitcode: a drop-in C compiler puts it in, a reader takes it out.
//!
//! ```text
//! CC="branchwise cc" make        app.c ──► app.o: native code + .branchwise: record of app.c
//!                                lib.c ──► lib.o ──► libx.a      (members carry theirs)
//!                                app.o, libx.a ──► app: native code + .branchwise: app.c, lib.c, how it was linked
//! read("app")                    the bitcode of app.c and lib.c, and the flags for linking it again
//! ```
//!
//! A record lies in a section that is not loaded. Linkers concatenate such sections of the objects they take, so the
//! program ends up with the units that are really in it, whichever way the build went: archives, `ld -r`, shared
//! objects. Nothing else has to know of them.

mod arguments;
mod compiler;
mod elf;
mod link;
mod needed;
mod read;
mod record;
mod response;

pub use compiler::cc;
pub use read::read;

use crate::clang::SourceUnit;
use std::path::PathBuf;

/// The section of the records.
const SECTION: &str = ".branchwise";

/// What a program carries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bundle {
    /// The C files in it, and those of the project's shared objects it needs.
    pub units: Vec<BundledUnit>,
    /// What to link beside the units: libraries, and objects without bitcode.
    pub link_flags: Vec<String>,
    /// C files in it whose bitcode could not be made, and why.
    pub missing: Vec<(PathBuf, String)>,
}

/// One C file of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundledUnit {
    /// The file, absolute.
    pub source: PathBuf,
    /// Where the compiler ran.
    pub directory: PathBuf,
    /// The user's flags as far as they change the meaning.
    pub flags: Vec<String>,
    /// The file compiled for analysis.
    pub bitcode: Vec<u8>,
}

impl BundledUnit {
    /// The unit as the source it was made of.
    #[must_use]
    pub fn to_source(&self) -> SourceUnit {
        SourceUnit { path: self.source.clone(), flags: self.flags.clone(), directory: self.directory.clone() }
    }
}

/// A program's bitcode could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A script, an archive, a program for another machine.
    #[error("{} is no 64-bit ELF file", .0.display())]
    NotElf(PathBuf),
    /// Another compiler built it.
    #[error("{} carries no bitcode; build it with CC=\"branchwise cc\"", .0.display())]
    NoBitcode(PathBuf),
    /// Another version of this program built it.
    #[error("{} was built by another version of branchwise cc (format {found}, this one reads {known}); build it again", path.display())]
    OtherVersion {
        /// Which file.
        path: PathBuf,
        /// The format of its records.
        found: u32,
        /// The format known here.
        known: u32,
    },
    /// The records make no sense.
    #[error("{}: the records of branchwise cc are damaged", .0.display())]
    Damaged(PathBuf),
}
