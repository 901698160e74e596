//! For the tests of other crates: functions by hand.

use crate::Function;

/// A function that has its name and nothing else; its result is of the program's first type. What a test needs goes on
/// top of it: `Function { params, ..function("f") }`.
#[must_use]
pub fn function(name: &str) -> Function {
    Function::named(name)
}
