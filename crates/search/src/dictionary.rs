//! What the program's own text suggests to a search.

use crate::Oracle;

/// Constants of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    /// Integers.
    pub(crate) constants: Vec<i128>,
    /// Integers, each with the numbers beside it: comparisons turn there.
    pub(crate) near_constants: Vec<i128>,
    /// Strings, without their ends.
    pub(crate) tokens: Vec<Vec<u8>>,
}

impl Dictionary {
    /// The constants an oracle knows.
    pub(crate) fn of(oracle: &dyn Oracle) -> Dictionary {
        let constants = oracle.constants().to_vec();
        let mut near_constants: Vec<i128> =
            constants.iter().flat_map(|&c| [c.saturating_sub(1), c, c.saturating_add(1)]).collect();
        near_constants.sort_unstable();
        near_constants.dedup();
        Dictionary { constants, near_constants, tokens: oracle.strings().to_vec() }
    }
}
