//! Progress: one line per running function or phase on a terminal, plain lines elsewhere, nothing when quiet.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Where progress goes.
pub(crate) enum Progress {
    /// Nowhere.
    Quiet,
    /// One plain line when a function is done.
    Lines,
    /// Live lines.
    Live(MultiProgress),
}

/// Progress of one function.
pub(crate) struct FunctionProgress {
    bar: Option<ProgressBar>,
    goals: usize,
    covered: usize,
}

/// Progress of a phase in which many things are done. It is gone when this is dropped.
pub(crate) struct PhaseProgress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn new(quiet: bool) -> Progress {
        if quiet {
            Progress::Quiet
        } else if std::io::stderr().is_terminal() {
            Progress::Live(MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10)))
        } else {
            Progress::Lines
        }
    }

    /// A phase is begun, in which so many things are done, if that is known.
    pub(crate) fn phase(&self, name: &str, things: Option<usize>) -> PhaseProgress {
        let Progress::Live(multi) = self else {
            if let Progress::Lines = self {
                eprintln!("{name}{}", things.map(|n| format!(": {n}")).unwrap_or_default());
            }
            return PhaseProgress(None);
        };
        let (bar, template) = match things {
            Some(n) => (ProgressBar::new(n as u64), "{prefix:36!} {bar:24} {pos}/{len} {elapsed}"),
            None => (ProgressBar::new_spinner(), "{prefix:36!} {spinner} {elapsed}"),
        };
        let bar = multi.add(bar);
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        PhaseProgress(Some(bar))
    }

    /// A function is begun.
    pub(crate) fn begin(&self, name: &str, goals: usize) -> FunctionProgress {
        let bar = match self {
            Progress::Live(multi) => {
                let bar = multi.add(ProgressBar::new(goals as u64));
                let style = ProgressStyle::with_template("{prefix:24!} {bar:24} {pos}/{len} {elapsed}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.set_prefix(name.to_owned());
                bar.enable_steady_tick(Duration::from_millis(200));
                Some(bar)
            }
            _ => None,
        };
        FunctionProgress { bar, goals, covered: 0 }
    }

    /// A function is done.
    pub(crate) fn end(&self, name: &str, function: &FunctionProgress, tests: usize) {
        match (self, &function.bar) {
            (Progress::Lines, _) => {
                eprintln!("{name}: {}/{} goals, {tests} tests", function.covered, function.goals);
            }
            (_, Some(bar)) => bar.finish_and_clear(),
            _ => {}
        }
    }
}

impl PhaseProgress {
    /// One more thing is done.
    pub(crate) fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for PhaseProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl FunctionProgress {
    /// More goals are covered.
    pub(crate) fn covered(&mut self, more: usize) {
        self.set_covered(self.covered + more);
    }

    /// So many goals are covered.
    pub(crate) fn set_covered(&mut self, covered: usize) {
        self.covered = covered;
        if let Some(bar) = &self.bar {
            bar.set_position(covered as u64);
        }
    }
}
