//! The table `[java]` of `branchwise.toml`: what den Hollander's JTestCraft lets its user choose.
//!
//! ```toml
//! [java]
//! heap = "reasoning"             # or "simulation"; which elements of arrays solvers choose
//! only = ["shop.Cart"]           # own members that tests are made of, beside the one under test
//! exclude = ["shop.Cart.erase"]  # members that tests never call
//! package_access = false         # tests call public members only …
//! also = ["shop.Cart.audit"]     # … and these
//! fields = false                 # tests read and write no fields
//! null = false                   # tests pass no null
//! exceptions = false             # no test ends with an exception
//! asserts = false                # tests say nothing of what they expect, but have a place for it
//! boundaries = true              # both sides of `i <= 5` are tested where they meet, with 5 and with 6
//! search = "candidates"          # nothing but candidate sequences, with values that are searched and solved for; or "all"
//! connected = false              # candidates whose statements have nothing to do with each other are tried, too
//! states = "new"                 # candidates that lead only to states that others have led to are not tried; or "all"
//! reduced = false                # candidates that differ only in an order that does not matter are all tried
//! pruned = true                  # candidates are left out if a run of their first calls shows that fewer would do
//! paths_per_invokable = 10       # paths of a call that solvers are asked for, after one path of the calls before it
//! longest = 6                    # statements of a test
//! array_size = 16                # elements of an array, per dimension
//! initial = ["shop.Clock.set(12)"]   # what every test begins with
//!
//! [java.producers]               # where objects of a type come from
//! "java.lang.Comparable" = ["java.lang.Integer.valueOf"]
//! ```
//!
//! Classes and members have names as in Java: `shop.Cart`, `Cart.add`, `Cart.add(int, String)`, `Cart.new`.

use clap::ValueEnum;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A name or statement, and where it stands.
pub(crate) type Named = Spanned<String>;

/// The table as written.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct JavaTable {
    pub(crate) heap: Option<HeapArg>,
    pub(crate) only: Option<Vec<Named>>,
    #[serde(default)]
    pub(crate) exclude: Vec<Named>,
    #[serde(default)]
    pub(crate) also: Vec<Named>,
    pub(crate) package_access: Option<bool>,
    pub(crate) fields: Option<bool>,
    pub(crate) null: Option<bool>,
    pub(crate) exceptions: Option<bool>,
    pub(crate) asserts: Option<bool>,
    pub(crate) boundaries: Option<bool>,
    pub(crate) search: Option<SearchArg>,
    pub(crate) connected: Option<bool>,
    pub(crate) reduced: Option<bool>,
    pub(crate) pruned: Option<bool>,
    pub(crate) states: Option<StatesArg>,
    pub(crate) paths_per_invokable: Option<Spanned<usize>>,
    pub(crate) longest: Option<Spanned<usize>>,
    pub(crate) array_size: Option<Spanned<usize>>,
    #[serde(default)]
    pub(crate) initial: Vec<Named>,
    #[serde(default)]
    pub(crate) producers: BTreeMap<Named, Vec<Named>>,
}

/// How tests are searched for.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SearchArg {
    /// Whole classes first, by tests that evolve, then candidate sequences
    All,
    /// Candidate sequences alone, as JTestCraft does
    Candidates,
}

/// Which candidate sequences are tried.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StatesArg {
    /// All
    All,
    /// Those that lead to a state that no other has led to
    New,
}

/// What solvers know of arrays.
#[derive(ValueEnum, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HeapArg {
    /// Solvers choose the element of an array of numbers
    Reasoning,
    /// An index is what it was in the run: every element is a path of its own
    Simulation,
}
