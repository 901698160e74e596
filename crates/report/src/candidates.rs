//! What became of the sequences of calls that could test a method, where a search looks for such.

use serde::{Deserialize, Serialize};

/// Sequences of calls, on objects that were chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CandidatesSummary {
    /// Those whose values were looked for.
    pub tried: u64,
    /// Left out: they lead only to states that others have led to.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known: u64,
    /// Left out, with all that begin alike: with fewer calls they do the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pointless: u64,
    /// Left out, with all that begin alike: some of their calls stand in another order in others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reordered: u64,
    /// More statements could matter than were looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// All were tried, or left out for good reason, up to the longest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exhausted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
