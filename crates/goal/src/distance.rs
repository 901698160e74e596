//! Branch distance: how far a predicate is from each of its two outcomes.
