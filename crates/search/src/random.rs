//! Random search: the baseline every other engine must beat.

use crate::{Engine, Oracle};
use input::Input;
use std::ops::ControlFlow;

/// Independent random inputs; fitness is used for nothing but the end.
#[derive(Clone, Copy, Debug)]
pub struct RandomSearch;

impl Engine for RandomSearch {
    fn name(&self) -> &'static str {
        "random"
    }

    fn summary(&self) -> &'static str {
        "independent random inputs, small numbers preferred; the baseline"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[]
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn search(&self, oracle: &mut dyn Oracle, start: Input) -> ControlFlow<()> {
        let space = oracle.space().clone();
        oracle.evaluate(&start)?;
        if start.vars(&space).next().is_none() {
            return ControlFlow::Continue(());
        }
        loop {
            let input = Input::random(&space, oracle.rng());
            oracle.evaluate(&input)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Subject};

    #[test]
    fn finds_small_numbers_and_repeats_itself() {
        let mut evaluations = Vec::new();
        for _ in 0..2 {
            let subject = Subject::ints(32, true, 1);
            let mut bench = Bench::new(&subject, 4, 10_000, |values| values.equal(0, 42));
            assert!(bench.run(&RandomSearch));
            evaluations.push(bench.evaluations);
        }
        assert_eq!(evaluations[0], evaluations[1]);
    }
}
