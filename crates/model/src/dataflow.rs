//! Which variables the blocks of a function read and write.
//!
//! ```c
//! int f(int a) {          // variable 0: a, an input       variable 1: flag
//!     int flag = 0;       // block 0: Define { flag, uses: [] }
//!     if (a == 3)         //          Decide { uses: [a] }
//!         flag = a;       // block 1: Define { flag, uses: [a] }
//!     if (flag)           // block 2: Decide { uses: [flag] }
//! ```

use crate::cfg::BlockId;
use serde::{Deserialize, Serialize};

/// Index of a variable in [`DataFlow::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct VariableId(pub u32);

/// The data flow of a function: what a definition of a variable is made of, and what a branch looks at.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DataFlow {
    /// What is read and written.
    pub variables: Vec<Variable>,
    /// For every block of the function's [`Cfg`](crate::Cfg), its accesses in the order of execution. Blocks that are missing at
    /// the end have none.
    pub blocks: Vec<Vec<Access>>,
}

/// Something that holds a value: a parameter, a local, a global, or memory that the front end does not tell apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// Name in the source.
    pub name: String,
    /// Has a value before the function begins, which tests choose: a parameter, or a global that is an input.
    pub is_input: bool,
}

/// A step of a block that reads or writes variables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Access {
    /// A variable gets a value.
    Define {
        /// Which.
        variable: VariableId,
        /// What the value is computed from.
        uses: Vec<VariableId>,
        /// Nothing is left of earlier values. Not so for an element of an array, or through a pointer that may lead elsewhere.
        kills: bool,
    },
    /// The branches of the block are decided; a block has one such step at most, not necessarily the last: `if (i++ < n)`.
    Decide {
        /// What the branches look at.
        uses: Vec<VariableId>,
    },
}

impl Access {
    /// The variables that it reads.
    #[must_use]
    pub fn uses(&self) -> &[VariableId] {
        match self {
            Access::Define { uses, .. } | Access::Decide { uses } => uses,
        }
    }
}

impl DataFlow {
    /// The accesses of a block.
    #[must_use]
    pub fn block(&self, block: BlockId) -> &[Access] {
        self.blocks.get(block.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether a variable has a value before the function begins.
    #[must_use]
    pub fn is_input(&self, variable: VariableId) -> bool {
        self.variables.get(variable.0 as usize).is_some_and(|variable| variable.is_input)
    }
}
