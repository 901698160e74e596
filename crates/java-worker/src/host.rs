//! A machine that is replaced when it is lost.

use crate::home::{Home, MachineSettings, StartError};
use crate::machine::{Gone, Machine, Ran, ScriptId};
use crate::prepared::Prepared;
use java_wire::message::{End, Manner};
use java_wire::{Script, Value};
use std::sync::Arc;

/// Runs scripts, each in a machine that is in order.
#[derive(Debug)]
pub struct Host {
    home: Arc<Home>,
    machine: Option<Machine>,
    /// The last run left threads behind.
    spoiled: bool,
    scripts: Vec<Script>,
    /// Others have run something in the classes that are loaded.
    is_used: bool,
    counts: Counts,
}

/// What a host has been through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Runs that were asked for.
    pub runs: u64,
    /// Machines that were started.
    pub started: u64,
    /// Machines that said nothing any more.
    pub hung: u64,
    /// Machines that ended, or spoke nonsense.
    pub died: u64,
    /// Machines that were given up because of threads in them.
    pub spoiled: u64,
}

/// What comes of a run.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nobody keeps one, and nearly every one is the large")]
pub enum Answer<'a> {
    /// It ended.
    Ran(Ran<'a>),
    /// It took the machine with it.
    Gone(Gone),
}

impl Host {
    /// Starts the first machine.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(settings: &MachineSettings, classes: &Prepared) -> Result<Host, StartError> {
        Host::start_in(&Arc::new(Home::make(settings, classes)?))
    }

    /// Starts the first machine in a folder that others use too.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start_in(home: &Arc<Home>) -> Result<Host, StartError> {
        let mut host = Host {
            home: Arc::clone(home),
            machine: None,
            spoiled: false,
            scripts: Vec::new(),
            is_used: false,
            counts: Counts::default(),
        };
        host.machine()?;
        Ok(host)
    }

    /// What it has been through.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Makes a script known to this machine and all that replace it, and says whether it can be used. One that takes the machine
    /// with it cannot.
    ///
    /// # Errors
    /// When no machine can be started.
    pub fn learn(&mut self, script: &Script) -> Result<(ScriptId, End), StartError> {
        let id = ScriptId(self.scripts.len() as u32);
        self.scripts.push(script.clone());
        let end = self.teach(id, script)?;
        Ok((id, end))
    }

    /// The same under the number of an earlier script, which is forgotten: for the many that are tried once.
    ///
    /// # Errors
    /// When no machine can be started.
    pub fn learn_over(&mut self, id: ScriptId, script: &Script) -> Result<End, StartError> {
        if let Some(known) = self.scripts.get_mut(id.0 as usize) {
            known.clone_from(script);
        }
        self.teach(id, script)
    }

    /// Makes a script known to the machine. If one is gone that was there before, that need not be due to this script: it may have been ended
    /// while nobody looked. So a new one is asked, too.
    fn teach(&mut self, id: ScriptId, script: &Script) -> Result<End, StartError> {
        loop {
            let is_new = self.machine.is_none() || self.spoiled;
            match self.machine()?.learn_as(id, script) {
                Ok(end) => return Ok(end),
                Err(gone) => {
                    let why = gone.to_string();
                    self.lose(&gone);
                    if is_new {
                        return Ok(End::Unusable { step: 0, why });
                    }
                }
            }
        }
    }

    /// Forgets all scripts, and lets the next run have classes that were just loaded: somebody else goes on with this machine, who must
    /// not be able to tell it from a new one.
    pub fn forget(&mut self) {
        self.scripts.clear();
        self.is_used = true;
    }

    /// Runs a script.
    ///
    /// # Errors
    /// When no machine can be started.
    pub fn run(&mut self, id: ScriptId, values: &[Value], manner: Manner) -> Result<Answer<'_>, StartError> {
        self.counts.runs += 1;
        if let Err(gone) = self.relearn(id)? {
            self.lose(&gone);
            return Ok(Answer::Gone(gone));
        }
        let fresh = manner.fresh || std::mem::take(&mut self.is_used);
        let gone = match self.machine()?.run(id, values, Manner { fresh, ..manner }) {
            Ok(ran) => {
                // The borrow of the machine cannot be both handed out and kept for the other way out.
                let reply = ran.reply;
                self.spoiled = reply.tainted;
                let machine = self.machine.as_ref();
                let (words, classes) = machine.map_or((&[][..], &[][..]), |m| (m.words(), m.classes()));
                return Ok(Answer::Ran(Ran { reply, words, classes }));
            }
            Err(gone) => gone,
        };
        self.lose(&gone);
        Ok(Answer::Gone(gone))
    }

    /// Tells a script to a machine that was started after it was learnt.
    fn relearn(&mut self, id: ScriptId) -> Result<Result<(), Gone>, StartError> {
        if self.machine()?.knows(id) {
            return Ok(Ok(()));
        }
        let Some(script) = self.scripts.get(id.0 as usize).cloned() else { return Ok(Ok(())) };
        let machine = self.machine()?;
        Ok(machine.learn_as(id, &script).map(|_| ()))
    }

    /// A machine that is in order.
    fn machine(&mut self) -> Result<&mut Machine, StartError> {
        if std::mem::take(&mut self.spoiled) {
            self.counts.spoiled += 1;
            self.machine = None;
        }
        let machine = match self.machine.take() {
            Some(machine) => machine,
            None => {
                let machine = Machine::start_in(&self.home)?;
                self.counts.started += 1;
                machine
            }
        };
        Ok(self.machine.insert(machine))
    }

    fn lose(&mut self, gone: &Gone) {
        match gone {
            Gone::Hung(_) => self.counts.hung += 1,
            Gone::Died { .. } | Gone::Garbled => self.counts.died += 1,
        }
        self.machine = None;
    }
}
