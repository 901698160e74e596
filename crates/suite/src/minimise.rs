//! Greedy minimisation.

use model::Goal;
use std::collections::BTreeSet;

/// Chooses tests that together cover everything all of them cover: always the one that adds most, the earlier
/// one on a tie. Returns `(index, goals it adds)` in order of choice.
#[must_use]
pub fn minimise(covers: &[Vec<Goal>]) -> Vec<(usize, Vec<Goal>)> {
    let mut missing: BTreeSet<Goal> = covers.iter().flatten().copied().collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let adds = |i: usize| covers[i].iter().filter(|g| missing.contains(g)).count();
        let best =
            (0..covers.len()).rev().max_by_key(|&i| adds(i)).expect("a goal is missing, so a test has it");
        let added: Vec<Goal> = covers[best].iter().copied().filter(|g| missing.remove(g)).collect();
        chosen.push((best, added));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::BranchId;

    fn goals(ids: &[u32]) -> Vec<Goal> {
        ids.iter().map(|&i| Goal { branch: BranchId(i), outcome: true }).collect()
    }

    #[test]
    fn c74_keeps_all_goals_and_drops_the_rest() {
        let covers = [goals(&[1]), goals(&[1, 2, 3]), goals(&[3, 4]), goals(&[2])];
        assert_eq!(minimise(&covers), vec![(1, goals(&[1, 2, 3])), (2, goals(&[4]))]);
    }

    #[test]
    fn earlier_test_wins_a_tie() {
        assert_eq!(minimise(&[goals(&[7]), goals(&[7])]), vec![(0, goals(&[7]))]);
        assert_eq!(minimise(&[]), vec![]);
    }
}
