//! For the tests of other crates: functions by hand.

use crate::{Cfg, Function, Span, TypeId};

/// A function that has its name and nothing else; its result is of the program's first type. What a test needs goes on
/// top of it: `Function { params, ..function("f") }`.
#[must_use]
pub fn function(name: &str) -> Function {
    Function {
        name: name.to_owned(),
        symbol: name.to_owned(),
        span: Span::default(),
        is_static: false,
        variadic: false,
        rest: None,
        params: Vec::new(),
        made: Vec::new(),
        ret: TypeId(0),
        branches: Vec::new(),
        cfg: Cfg::default(),
        data: None,
        decisions: Vec::new(),
        left_out: Vec::new(),
        reads: Vec::new(),
        hidden: Vec::new(),
        writes: Vec::new(),
        calls: Vec::new(),
        externals: Vec::new(),
        stubs: Vec::new(),
        uncallable: None,
        constants: Vec::new(),
        pointees: Vec::new(),
        strings: Vec::new(),
    }
}
