//! Terms: what a program computed, as a function of its inputs.
//!
//! There is one sort, bit-vectors of 1 to 128 bits; a truth value has one bit, and floating-point operations take
//! and give the IEEE bits of `float` (32) and `double` (64). Terms live in a [`Terms`] store and are interned:
//! equal terms are the same [`Term`]. A store only grows.
//!
//! | module | holds |
//! |---|---|
//! | `op` | the operations and what they mean |
//! | `store` | interning |
//! | `build` | constructors, which keep terms in normal form |
//! | `value` | the meaning of one operation on numbers |
//! | `tape` | evaluating many terms under many assignments |
//! | `smt` | terms as SMT-LIB 2 text |

mod build;
mod op;
mod smt;
mod store;
mod tape;
mod value;

pub use op::Op;
pub use smt::{Script, parse_values};
pub use store::{Node, Table, TableId, Term, Terms, Variable};
pub use tape::Tape;
pub use value::{apply, mask, sign_extend};

/// Values of variables by their index; a variable beyond the end is 0.
pub type Assignment = [u128];
