//! Plain data about a program under test: types, functions, control flow, branches.
//!
//! This crate knows no clang, no JVM, no files and no processes. A front end fills it in; everything
//! else reads it. Things are named by small integer ids; the [`Program`] owns them.

pub mod cfg;
mod dataflow;
pub mod decision;
mod definition;
mod handle;
mod program;
mod recipe;
pub mod rest;
mod spelling;
#[cfg(feature = "testing")]
pub mod testing;
pub mod types;

pub use cfg::{BlockId, Cfg, Edge};
pub use dataflow::{Access, DataFlow, Variable, VariableId};
pub use decision::{Decision, Node, Shape, ShapeError, Step, Vector};
pub use definition::define;
pub use handle::{Handle, stream};
pub use program::{
    Branch, BranchId, BranchKind, CallSite, Check, Clause, Contract, Function, FunctionId, Global, GlobalId,
    Goal, LeftOut, Param, Position, Program, SourceFile, Span, Stub,
};
pub use recipe::{Recipe, RecipeArgument, RecipeCall};
pub use rest::Rest;
pub use spelling::{spell, spell_pointer};
pub use types::{EnumValue, Field, FloatKind, Type, TypeId, TypeKind, Types};
