//! What is left of a method: its candidate sequences, the shortest first, and for each of them a campaign for the values of its slots.
//!
//! Scripts come in rounds. In each a script has more runs than in the one before, more scripts get their turn, and more objects are tried in their
//! places, so that neither a long sequence nor a value that is hard to find is waited for in vain.

use crate::account::MethodAccount;
use crate::references::{Fillings, Ways};
use crate::search::{ScriptManner, Searcher};
use crate::states::{Known, States};
use java_frontend::{Parameter, Sequences, Statement};
use java_wire::Script;
use java_worker::StartError;
use model::FunctionId;
use sequence::{Candidates, Filters, InvokableId, Por};

/// Scripts of the first round, runs of each, and how both grow.
const FIRST_SCRIPTS: usize = 24;
const FIRST_RUNS: u64 = 200;
const GROWTH: u64 = 3;
/// Sequences that are looked at in the time of a run.
const CANDIDATES: u64 = 256;
/// The part of the runs of a method for candidates, if evolution has left so many: one in so many.
const CANDIDATE_SHARE: u64 = 8;

/// What becomes of a script.
enum Fate {
    /// Values are looked for.
    Tried,
    /// It leads only to states that others have led to.
    Known,
    /// Nothing comes of so many first calls on these objects.
    Hopeless(usize),
}

impl Searcher<'_> {
    /// Tries candidates until nothing is open or the budget is spent.
    pub(crate) fn rounds(
        &mut self,
        id: FunctionId,
        sequences: &Sequences,
        account: &mut MethodAccount,
    ) -> Result<(), StartError> {
        let (mut scripts, mut runs, mut ways) = (FIRST_SCRIPTS, FIRST_RUNS, Ways::FIRST);
        let method = self.under_test(id);
        let (all, nulls) = (self.settings.runs, self.settings.rules.nulls);
        // Nothing but its values matters to what looks at no state: there is no other sequence that the budget could go into.
        let closed = sequences.statement(sequences.target).is_some_and(is_closed);
        // What took long in evolution was charged for more than it was.
        account.runs = account.runs.min(all - all / CANDIDATE_SHARE);
        let limit =
            if closed || !self.settings.evolution { all } else { account.runs + all / CANDIDATE_SHARE };
        let (states, pruned) = (self.settings.states == States::New, self.settings.pruned);
        let mut known = (states || pruned).then(|| Known::new(sequences, self.smt.clone(), nulls));
        while self.is_open(&method) && account.runs < limit && !self.is_late() {
            if let Some(known) = &mut known {
                known.forget_candidates();
            }
            let (universe, target) = (&sequences.universe, sequences.target);
            let mut candidates = Candidates::new(universe, target, self.filters(), self.settings.longest);
            let before = account.runs;
            let mut tried = 0;
            let mut is_cut = false;
            let exhausted = loop {
                let work = limit.saturating_sub(account.runs).saturating_mul(CANDIDATES);
                let next = || candidates.step_within(work).map(<[InvokableId]>::to_vec);
                let Some(sequence) = self.times.generating(next) else { break candidates.is_exhausted() };
                if let Some(beginning) = known.as_ref().and_then(|known| known.dead_beginning(&sequence)) {
                    account.leave(beginning);
                    continue;
                }
                let mut fillings = Fillings::new(universe, &sequence, ways, nulls);
                while let Some(references) = self.times.generating(|| fillings.step()) {
                    let Ok(script) = sequences.script(&sequence, references) else { continue };
                    let Some(mut script) = self.kept_to_rules(script, &[]) else { continue };
                    sequences.observe(&mut script, &self.program.hierarchy);
                    let fresh = self.is_shared(sequences, &sequence);
                    let comparing = known.as_mut().filter(|_| !fresh);
                    let fate = self.fate(comparing, &sequence, &script, account)?;
                    if account.runs >= limit || self.is_late() {
                        return Ok(());
                    }
                    match fate {
                        Fate::Tried => {}
                        Fate::Known => continue,
                        Fate::Hopeless(placed) => {
                            fillings.skip(placed);
                            continue;
                        }
                    }
                    tried += 1;
                    let left = limit.saturating_sub(account.runs);
                    account.scripts += 1;
                    let closed = closed && !fresh && sequence.len() == 1;
                    let runs = if closed { left } else { runs.min(left) };
                    let manner = ScriptManner { runs, fresh, closed };
                    account.runs += self.script(&method, &script, &[], manner, account)?;
                    if !self.is_open(&method) || account.runs >= limit || self.is_late() {
                        return Ok(());
                    }
                }
                is_cut |= fillings.is_cut();
                if tried >= scripts {
                    break false;
                }
            };
            account.exhausted |= exhausted && !is_cut;
            account.runs += candidates.tried() / CANDIDATES;
            if account.runs == before {
                // There is no way to call it, and more rounds would not find one.
                break;
            }
            scripts = scripts.saturating_mul(GROWTH as usize);
            runs = runs.saturating_mul(GROWTH);
            ways = ways.grown();
        }
        Ok(())
    }

    /// Which sequences are candidates.
    fn filters(&self) -> Filters {
        let settings = &self.settings;
        let por = if settings.reduced { Por::Sound } else { Por::None };
        Filters { connected: settings.connected, nulls: settings.rules.nulls, por, ..Filters::default() }
    }

    /// Whether values are looked for. If not, to find that out is charged like a run at least.
    fn fate(
        &mut self,
        known: Option<&mut Known<'_>>,
        sequence: &[InvokableId],
        script: &Script,
        account: &mut MethodAccount,
    ) -> Result<Fate, StartError> {
        let Some(known) = known else { return Ok(Fate::Tried) };
        let mut fate = Fate::Tried;
        // What is left for another reason must not stand for others that lead to its states.
        if self.settings.pruned
            && let Some(hopeless) = self.hopeless(known, sequence, script)?
        {
            account.leave(hopeless);
            self.bury(known, &sequence[..hopeless.placed])?;
            fate = Fate::Hopeless(hopeless.placed);
        } else if self.settings.states == States::New && self.is_known(known, sequence, script)? {
            account.left_out += 1;
            fate = Fate::Known;
        }
        account.runs += known.take_spent().max(u64::from(!matches!(fate, Fate::Tried)));
        Ok(fate)
    }

    /// Whether some step of a sequence, or what comes before it, reads or writes what other runs can see.
    fn is_shared(&self, sequences: &Sequences, sequence: &[InvokableId]) -> bool {
        let mut steps = sequence.iter().map(|&id| sequences.statement(id));
        !self.settings.rules.opening.is_empty()
            || steps.any(|statement| statement.is_none_or(|statement| statement.is_shared))
    }
}

/// Whether what a statement does depends on nothing but its values.
fn is_closed(statement: &Statement) -> bool {
    let is_value = |parameter: &Parameter| matches!(parameter, Parameter::Value(_));
    !statement.is_shared && statement.arguments.iter().all(is_value)
}
