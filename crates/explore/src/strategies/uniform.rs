//! `UniformRandomSearch` (Burnim and Sen 2008, section 3.1): random paths instead of random inputs.
//!
//! From position i the j-th branch of the path is picked with probability 2^-j, none with what is left; forced
//! or not, the search goes on after it. That is a fair coin at every branch, and for a decision with n ways a
//! fair choice among them. If everything can be solved, a path with k branches comes out with probability 2^-k.

use crate::{Execution, Explorer, Flip, Forced, Stop, Strategy};
use fastrand::Rng;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The strategy `uniform`.
#[derive(Clone, Copy, Debug)]
pub struct UniformRandom;

impl Strategy for UniformRandom {
    fn name(&self) -> &'static str {
        "uniform"
    }

    fn summary(&self) -> &'static str {
        "random paths: at every branch each way with the same probability"
    }

    fn parameters(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[]
    }

    fn with(&self, _: &str, _: u64) -> Option<Box<dyn Strategy>> {
        None
    }

    fn explore(&self, explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop> {
        UniformRandom::sample(explorer, start)?;
        ControlFlow::Continue(())
    }
}

impl UniformRandom {
    /// One random path.
    pub(crate) fn sample(explorer: &mut Explorer<'_>, start: Vec<u128>) -> ControlFlow<Stop, Rc<Execution>> {
        let mut path = explorer.run(start)?;
        let mut position = 0;
        while let Some(flip) = pick(&path, position, &mut explorer.rng) {
            if let Forced::Reached(forced) | Forced::Supplied(forced) = explorer.flip(&path, flip)? {
                path = forced;
            }
            position = flip.decision + 1;
        }
        ControlFlow::Continue(path)
    }
}

fn pick(path: &Execution, position: u32, rng: &mut Rng) -> Option<Flip> {
    let count = path.path.decisions.len() as u32;
    (position..count).find_map(|decision| {
        let stay = path.decision(decision).others.len() as u32;
        let way = rng.u32(0..=stay);
        (way != stay).then_some(Flip { decision, way })
    })
}
