//! Which inputs meet what C leaves undefined, told by an image with checks.

use crate::calls;
use crate::place::Places;
use crate::worker::{Backend, BackendError, Manner};
use campaign::Settings;
use input::Input;
use model::FunctionId;
use std::path::Path;
use target::{CrashKind, Outcome};

/// Undefined behaviour that an input meets.
#[derive(Clone, PartialEq, Debug)]
pub struct Undefined {
    /// The check that fails.
    pub outcome: Outcome,
    /// `file:line`, if known.
    pub place: Option<String>,
    /// Calls up to the function under test, innermost first.
    pub stack: Vec<String>,
}

/// What each of the inputs meets first, if it meets any. The backend's image has checks.
///
/// # Errors
/// When no worker can be started.
pub fn undefined(
    backend: &Backend,
    id: FunctionId,
    settings: &Settings,
    inputs: &[Input],
    tick_limit: u64,
    image: &Path,
) -> Result<Vec<Option<Undefined>>, BackendError> {
    let manner = Manner { tick_limit, randomised: false, watched: false };
    let replayed = backend.replay(id, settings.limits, &settings.rules, inputs, manner)?;
    let places = std::cell::LazyCell::new(|| Places::new(image));
    let meets = replayed.into_iter().map(|replayed| match replayed.outcome {
        Outcome::Crashed(crash) if matches!(crash.kind, CrashKind::Check(_)) => Some(Undefined {
            outcome: replayed.outcome,
            place: places.line_of(&replayed.calls).or_else(|| places.line(crash.site)),
            stack: calls::describe(&replayed.calls, &places),
        }),
        _ => None,
    });
    Ok(meets.collect())
}
