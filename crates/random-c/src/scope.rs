//! What a piece of code can name.

use crate::types::{AGGREGATES, Scalar};
use fastrand::Rng;

/// A function that may be called.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Scalar>,
    pub(crate) result: Scalar,
}

/// Names in scope, and the random numbers that choose among them.
pub(crate) struct Scope {
    pub(crate) rng: Rng,
    /// Expressions of scalar variables and members.
    pub(crate) scalars: Vec<(String, Scalar)>,
    /// Arrays with their number of elements.
    pub(crate) arrays: Vec<(String, u32, Scalar)>,
    /// Pointers to aggregates, null perhaps.
    pub(crate) pointers: Vec<(String, usize)>,
    /// Aggregates.
    pub(crate) aggregates: Vec<(String, usize)>,
    pub(crate) callees: Vec<Callee>,
}

impl Scope {
    /// The variables of the prelude.
    pub(crate) fn new(rng: Rng, callees: Vec<Callee>) -> Scope {
        let array = |name: &str, length, element| (name.to_owned(), length, element);
        Scope {
            rng,
            scalars: vec![("counter".to_owned(), crate::types::UNSIGNED)],
            arrays: vec![
                array("data", 16, Scalar::Named("unsigned char", 8, false)),
                array("shorts", 8, Scalar::Named("short", 16, true)),
                array("doubles", 4, Scalar::Double),
            ],
            pointers: Vec::new(),
            aggregates: Vec::new(),
            callees,
        }
    }

    pub(crate) fn add_aggregate(&mut self, name: &str, kind: usize) {
        for (member, ty) in AGGREGATES[kind].members {
            self.scalars.push((format!("{name}.{member}"), *ty));
        }
        self.aggregates.push((name.to_owned(), kind));
    }

    /// One of several.
    pub(crate) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.usize(..all.len())].clone()
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: u32) -> bool {
        self.rng.u32(..n) == 0
    }

    /// A variable, member or element, and its type. Indices are in range whatever the numbers are.
    pub(crate) fn place(&mut self, depth: u32) -> (String, Scalar) {
        if self.once_in(3) {
            let arrays = self.arrays.clone();
            let (name, length, ty) = self.pick(&arrays);
            let index = self.index(length, depth);
            return (format!("{name}[{index}]"), ty);
        }
        let scalars = self.scalars.clone();
        self.pick(&scalars)
    }

    /// An index below `length`.
    fn index(&mut self, length: u32, depth: u32) -> String {
        if depth == 0 || self.once_in(4) {
            return self.rng.u32(..length).to_string();
        }
        let number = self.integer(depth - 1);
        if length.is_power_of_two() && self.rng.bool() {
            format!("({number}) & {}", length - 1)
        } else {
            format!("(unsigned)({number}) % {length}u")
        }
    }
}
