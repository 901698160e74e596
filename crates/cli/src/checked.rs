//! Tests that C leaves undefined, and how to do without them.
//!
//! What such a test expects is what one compiler made of it. So tests are also run in a second image with checks for errors;
//! where one fails, the function is searched once more in that image, in which no run goes on behind an error, and what is
//! found there takes the place of the test. A test for which there is nothing else stays, says so, and is a finding.

use crate::failure::Failure;
use crate::generate::{self, Generator, INTERRUPTED};
use c_backend::{Backend, Campaigned, Manner, Undefined, undefined};
use c_frontend::{Built, Clang, SourceUnit, Surroundings};
use campaign::{Budget, CampaignResult, Candidate, Settings};
use input::Input;
use model::{Function, FunctionId, Goal, Program};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use suite::{Finding, FunctionResult};
use wire::Isolation;

/// Runs of the search in the image with checks. It starts from tests that reach everything.
const RUNS: u64 = 20_000;
/// Ticks of a run that is only looked at.
const TICKS: u64 = 1 << 24;

/// How to make the image with checks, and that image as soon as a function needs it.
pub(crate) struct Checks<'a> {
    pub(crate) units: &'a [SourceUnit],
    pub(crate) surroundings: Surroundings,
    pub(crate) isolation: Isolation,
    pub(crate) made: OnceLock<Option<Checked>>,
}

/// The image with checks.
pub(crate) struct Checked {
    built: Built,
    backend: Backend,
}

/// A test that meets undefined behaviour.
pub(crate) type Doubtful = (Input, Undefined);

impl Generator<'_> {
    /// The image with checks; `None` if there is none, or inputs would mean something else in it.
    fn checked(&self) -> Option<&Checked> {
        let checks = self.checks.as_ref()?;
        checks.made.get_or_init(|| self.build_checked(checks).ok().flatten()).as_ref()
    }

    fn build_checked(&self, checks: &Checks<'_>) -> Result<Option<Checked>, Failure> {
        let folder = self.work.join("checked");
        std::fs::create_dir_all(&folder).map_err(|e| Failure::file(&folder, &e))?;
        let clang = Clang::default().with_checks(true);
        let built = c_frontend::build_with_stubs(checks.units, checks.surroundings.clone(), &clang, &folder)?;
        let backend = generate::backend(&built, &folder, checks.isolation, &self.config)?;
        Ok(takes_the_same(&self.built.program, &built.program).then_some(Checked { built, backend }))
    }

    /// Replaces the tests that meet undefined behaviour where others reach the same goals. Returns those that remain.
    pub(crate) fn avoid_undefined(
        &self,
        id: FunctionId,
        function: &Function,
        settings: &Settings,
        result: &mut CampaignResult,
    ) -> Result<Vec<Doubtful>, Failure> {
        let Some(checked) = self.checked().filter(|_| !result.tests.is_empty()) else {
            return Ok(Vec::new());
        };
        let inputs: Vec<Input> = result.tests.iter().map(|test| test.input.clone()).collect();
        let meets = undefined(&checked.backend, id, settings, &inputs, TICKS, &checked.built.image)?;
        if meets.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let others = self.others(checked, id, function, settings, inputs)?;
        let (mut kept, mut doubtful) = (Vec::new(), Vec::new());
        for (test, meets) in std::mem::take(&mut result.tests).into_iter().zip(meets) {
            match meets {
                None => kept.push(test),
                Some(undefined) => doubtful.push((test, undefined)),
            }
        }
        let wanted: BTreeSet<Goal> = doubtful.iter().flat_map(|(test, _)| test.covers.clone()).collect();
        let mut missing: BTreeSet<Goal> =
            wanted.into_iter().filter(|goal| !kept.iter().any(|test| test.covers.contains(goal))).collect();
        let mut adds = |test: &Candidate| {
            let before = missing.len();
            missing.retain(|goal| !test.covers.contains(goal));
            missing.len() < before
        };
        kept.extend(others.into_iter().filter(&mut adds));
        // A function without branches keeps its first test.
        let is_first = kept.is_empty();
        let doubtful: Vec<(Candidate, Undefined)> = doubtful
            .into_iter()
            .enumerate()
            .filter(|(i, (test, _))| adds(test) || is_first && *i == 0)
            .map(|(_, d)| d)
            .collect();
        kept.extend(doubtful.iter().map(|(test, _)| test.clone()));
        result.tests = kept;
        Ok(doubtful.into_iter().map(|(test, undefined)| (test.input, undefined)).collect())
    }

    /// Inputs that are found where no run goes on behind an error, with what they reach in the ordinary image.
    fn others(
        &self,
        checked: &Checked,
        id: FunctionId,
        function: &Function,
        settings: &Settings,
        seeds: Vec<Input>,
    ) -> Result<Vec<Candidate>, Failure> {
        let settings = Settings {
            engine: search::all()[0].name().to_owned(),
            budget: Budget::Executions(RUNS),
            impossible: Vec::new(),
            skip: Vec::new(),
            traced: false,
            // Branches have other numbers in that image.
            selection: None,
            ..settings.clone()
        };
        let found = checked.backend.campaign(id, &settings, &seeds, &INTERRUPTED, &mut |_| {})?;
        let Campaigned::Finished { result, .. } = found else { return Ok(Vec::new()) };
        let inputs: Vec<Input> = result.tests.iter().map(|test| test.input.clone()).collect();
        let manner = Manner { tick_limit: TICKS, randomised: false, watched: true };
        let replayed = self.backend.replay(id, settings.limits, &settings.rules, &inputs, manner)?;
        let own: BTreeSet<Goal> = function.goals().collect();
        let tests = inputs.into_iter().zip(replayed).filter(|(_, replayed)| replayed.outcome.is_testable());
        Ok(tests
            .map(|(input, replayed)| {
                let covers = replayed.covers.into_iter().filter(|goal| own.contains(goal)).collect();
                Candidate { input, outcome: replayed.outcome, covers }
            })
            .collect())
    }
}

/// Whether inputs of one program are inputs of the other.
fn takes_the_same(one: &Program, other: &Program) -> bool {
    let functions = |program: &Program| -> Vec<_> {
        program.functions.iter().map(|f| (f.symbol.clone(), f.params.clone(), f.pointees.clone())).collect()
    };
    one.types == other.types && one.globals == other.globals && functions(one) == functions(other)
}

/// Says of the tests that remained what they meet, and adds it to the findings.
pub(crate) fn tell(result: &mut FunctionResult, doubtful: Vec<Doubtful>) {
    for (input, Undefined { outcome, place, stack }) in doubtful {
        let Some(test) = result.tests.iter_mut().find(|test| test.input == input) else { continue };
        test.undefined = Some(match &place {
            Some(place) => format!("{outcome} at {place}"),
            None => outcome.to_string(),
        });
        let is_known = |finding: &Finding| {
            finding.outcome.class() == outcome.class() && finding.place.is_some() && finding.place == place
        };
        if !result.findings.iter().any(is_known) {
            let (reaches, culprit, also) = (Vec::new(), None, Vec::new());
            result.findings.push(Finding {
                input,
                outcome,
                place,
                stack,
                reaches,
                culprit,
                also,
                calls: None,
            });
        }
    }
}
