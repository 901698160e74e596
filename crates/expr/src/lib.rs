//! Terms: what a program computed, as a function of its inputs.
//!
//! There is one sort, bit-vectors of 1 to 128 bits; a truth value has one bit, and floating-point operations take
//! and give the IEEE bits of `float` (32) and `double` (64). Terms live in a [`Terms`] store and are interned:
//! equal terms are the same [`Term`]. A store only grows.
//!
//! | module | holds |
//! |---|---|
//! | `op` | the operations and what they mean |
//! | `store`, `interned` | interning |
//! | `build`, `checked` | constructors, which keep terms in normal form |
//! | `normal` | that form, rule by rule, and a check of it |
//! | `simplify`, `plain` | the rewriting that leads there, and a short cut |
//! | `value`, `float` | the meaning of one operation on numbers |
//! | `tape` | evaluating many terms under many assignments |
//! | `walk` | size, depth, variables, substitution |
//! | `variables` | the variables of many terms |
//! | `text` | terms as C for people to read |
//! | `smt` | terms as SMT-LIB 2 text |

mod build;
mod checked;
mod float;
mod interned;
mod normal;
mod op;
mod plain;
mod simplify;
mod smt;
mod store;
mod tape;
mod text;
mod value;
mod variables;
mod walk;

pub use op::Op;
pub use smt::{Script, parse_values};
pub use store::{Node, Table, TableId, Term, Terms, Variable};
pub use tape::{Slot, Tape};
pub use value::{apply, apply_narrow, mask, sign_extend};
pub use variables::{VariableSet, VariableSets};

/// Values of variables by their index; a variable beyond the end is 0.
pub type Assignment = [u128];
