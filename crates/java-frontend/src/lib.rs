//! Java classes to their model.
//!
//! ```text
//! paths ──► ClassPath ──► Hierarchy ──► JavaModel      functions, branches as JaCoCo counts them, control flow
//!                              └──────► Summaries      what every method may define and use
//!                                           └────────► Sequences   the universe of call sequences, and scripts for them
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `sources.rs`, `archive.rs` | class files, jars, folders and sources to classes |
//! | `facts.rs`, `platform.rs`, `hierarchy.rs` | who extends whom, down to the classes of the JDK |
//! | `sites.rs`, `boundaries.rs`, `verdict.rs` | jumps and their branches, boundaries of comparisons; events of a run to distances |
//! | `jacoco/` | which branches JaCoCo counts |
//! | `flow.rs`, `calls.rs`, `methods.rs`, `names.rs` | control flow, callees, the model |
//! | `named.rs` | what users name in settings |
//! | `decisions/` | which conditions belong together, from sources |
//! | `effects.rs`, `opaque.rs`, `places.rs`, `sets.rs`, `summary.rs` | what methods define and use, closed over what they call |
//! | `options.rs`, `statements.rs`, `foreign.rs`, `generics.rs`, `sequences.rs`, `declare.rs`, `script.rs` | what tests may call, the universe for a method, scripts of candidates |
//!
//! Nothing here runs the classes; the compiler is started for sources, and a program of our own that asks it for their decisions.

mod archive;
mod boundaries;
mod calls;
mod decisions;
mod declare;
mod effects;
mod elsewhere;
mod facts;
mod flow;
mod foreign;
mod generics;
mod hierarchy;
mod image;
pub mod jacoco;
mod jdk;
mod landing;
mod methods;
mod missing;
mod named;
mod names;
mod observers;
mod opaque;
mod options;
mod places;
mod platform;
mod script;
mod sequences;
mod sets;
mod settled;
mod sites;
mod sources;
mod statements;
mod summary;
mod throws;
mod uncallable;
mod verdict;

pub use boundaries::Boundaries;
pub use calls::{Callees, MethodTable};
pub use decisions::SourceDecisions;
pub use effects::Effects;
pub use facts::{ClassFacts, FieldFacts, MethodFacts, Origin};
pub use flow::{Blocks, graph};
pub use foreign::own_file;
pub use hierarchy::Hierarchy;
pub use jacoco::{Filter, View};
pub use jdk::{Jdk, java_of_class_version};
pub use methods::JavaModel;
pub use missing::{Missing, missing, unwritable};
pub use named::{NamedMethod, Names, NotNamed};
pub use names::{is_writable, java_name, parameter_names, source_path, spell};
pub use options::Options;
pub use places::{ArrayKind, Place, Places};
pub use platform::Platform;
pub use script::ScriptError;
pub use sequences::{Catalogue, Parameter, SequenceError, Sequences, Statement};
pub use sets::Set;
pub use settled::{Settled, ruled_out, settled};
pub use sites::{Shape, Site, Sites, Target};
pub use sources::{ClassEntry, ClassPath, SourceError, Unreadable};
pub use statements::Knowledge;
pub use summary::Summaries;
pub use throws::Throws;
pub use uncallable::Uncallable;
pub use verdict::Judge;
