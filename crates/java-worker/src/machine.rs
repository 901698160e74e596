//! One virtual machine with a worker in it.

use crate::MachineSettings;
use crate::home::{Home, StartError};
use crate::prepared::Prepared;
use crate::process::Process;
use crate::trace::Trace;
use java_wire::message::{ClassFacts, End, Frame, Manner, Reply, Request, SILENT_AT, Unreadable};
use java_wire::{Script, Slot, Value};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// A script that was learnt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScriptId(pub(crate) u32);

/// A virtual machine that runs scripts.
#[derive(Debug)]
pub struct Machine {
    home: Arc<Home>,
    process: Process,
    trace: Trace,
    /// Slots of the scripts that it knows, by their numbers.
    slots: Vec<Option<Vec<Slot>>>,
    classes: Vec<ClassFacts>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran<'a> {
    /// How it ended and what was seen.
    pub reply: Reply,
    /// Its trace, to be read with [`java_wire::event::Events`].
    pub words: &'a [u32],
    /// All classes that traces of this machine name; the first has number 1.
    pub classes: &'a [ClassFacts],
}

/// A machine that is not there any more. The run that it was lost in is to blame, and nothing else is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Gone {
    /// It said nothing for too long and was ended.
    #[error("it said nothing for {0:?}")]
    Hung(Duration),
    /// It ended.
    #[error("it ended with {}: {errors}", ending(.status, .signal))]
    Died {
        /// What it ended with by itself.
        status: Option<i32>,
        /// What ended it.
        signal: Option<i32>,
        /// The end of what it wrote to its standard error.
        errors: String,
    },
    /// What it said is no reply, so that code under test must have got hold of the pipe.
    #[error("it does not speak as it should")]
    Garbled,
}

/// What is left of a machine that is gone.
#[derive(Debug)]
pub struct Remains<'a> {
    /// The trace as far as it was written, and then zeros.
    pub words: &'a [u32],
    /// Where the run was, innermost first, if it said nothing for long before it was ended.
    pub stack: Vec<Frame>,
}

/// The frames that the last words of a machine tell.
fn last_stack(words: &str) -> Vec<Frame> {
    let frame = |line: &str| {
        let mut parts = line.strip_prefix(SILENT_AT)?.split(' ');
        Some((parts.next()?.to_owned(), parts.next()?.to_owned(), parts.next()?.parse().ok()?))
    };
    words.lines().filter_map(frame).collect()
}

fn ending(status: &Option<i32>, signal: &Option<i32>) -> String {
    match (status, signal) {
        (Some(status), _) => format!("status {status}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

impl Machine {
    /// Starts a machine with a folder of its own.
    ///
    /// # Errors
    /// When it cannot be started or does not get ready in time.
    pub fn start(settings: &MachineSettings, classes: &Prepared) -> Result<Machine, StartError> {
        Machine::start_in(&Arc::new(Home::make(settings, classes)?))
    }

    /// Starts a machine that shares a folder with others.
    ///
    /// # Errors
    /// When it cannot be started or does not get ready in time.
    pub fn start_in(home: &Arc<Home>) -> Result<Machine, StartError> {
        let trace = Trace::create(home.settings().trace_words).map_err(StartError::Map)?;
        let process = Process::start(home, &trace)?;
        let home = Arc::clone(home);
        let mut machine = Machine { home, process, trace, slots: Vec::new(), classes: Vec::new() };
        let patience = machine.home.settings().start_timeout;
        match machine.reply(patience) {
            Ok(_) => Ok(machine),
            Err(gone) => Err(StartError::Silent(gone.to_string())),
        }
    }

    /// Makes a script known. The reply's end says whether it can be used.
    ///
    /// # Errors
    /// When the machine is gone.
    pub fn learn(&mut self, script: &Script) -> Result<(ScriptId, End), Gone> {
        let id = ScriptId(self.slots.len() as u32);
        Ok((id, self.learn_as(id, script)?))
    }

    /// Makes a script known under a number.
    pub(crate) fn learn_as(&mut self, id: ScriptId, script: &Script) -> Result<End, Gone> {
        let reply = self.ask(Request::Learn { number: id.0, script })?;
        let place = id.0 as usize;
        self.slots.resize(self.slots.len().max(place + 1), None);
        self.slots[place] = Some(script.slots.clone());
        Ok(reply.end)
    }

    /// Whether a script was learnt here.
    pub(crate) fn knows(&self, id: ScriptId) -> bool {
        self.slots.get(id.0 as usize).is_some_and(Option::is_some)
    }

    /// Runs a script. Values that do not fit its slots are told as [`End::Unusable`].
    ///
    /// # Errors
    /// When the machine is gone.
    pub fn run(&mut self, script: ScriptId, values: &[Value], manner: Manner) -> Result<Ran<'_>, Gone> {
        let slots = self.slots.get(script.0 as usize).and_then(Option::as_deref);
        let reply = match slots.map(|slots| misfit(slots, values)) {
            None => unusable("the script was never learnt".to_owned()),
            Some(Some(why)) => unusable(why),
            Some(None) => self.ask(Request::Run { script: script.0, values, manner })?,
        };
        self.trace.take(reply.words);
        Ok(Ran { reply, words: self.trace.words(), classes: &self.classes })
    }

    /// All classes that traces of this machine name; the first has number 1.
    #[must_use]
    pub fn classes(&self) -> &[ClassFacts] {
        &self.classes
    }

    /// What a machine left that is gone, if the run that it was lost in was its first: only then is the rest of the memory empty.
    #[must_use]
    pub fn remains(&mut self) -> Remains<'_> {
        self.trace.take_all();
        Remains { words: self.trace.words(), stack: last_stack(&self.process.last_words()) }
    }

    /// The trace of the last run.
    pub(crate) fn words(&self) -> &[u32] {
        self.trace.words()
    }

    fn ask(&mut self, request: Request<'_>) -> Result<Reply, Gone> {
        match self.process.send(request) {
            Ok(()) => self.reply(self.home.settings().run_timeout),
            Err(_) => Err(self.died()),
        }
    }

    fn reply(&mut self, patience: Duration) -> Result<Reply, Gone> {
        let reply = self.process.receive(patience).map_err(|error| match error {
            Unreadable::Pipe(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.process.kill();
                Gone::Hung(patience)
            }
            Unreadable::Pipe(_) => self.died(),
            Unreadable::Garbled => {
                self.process.kill();
                Gone::Garbled
            }
        })?;
        self.classes.extend(reply.classes.iter().cloned());
        Ok(reply)
    }

    fn died(&mut self) -> Gone {
        let status = self.process.wait_for_end();
        Gone::Died {
            status: status.as_ref().and_then(ExitStatus::code),
            signal: status.as_ref().and_then(ExitStatusExt::signal),
            errors: self.process.last_words(),
        }
    }
}

/// Why values cannot be those of slots.
fn misfit(slots: &[Slot], values: &[Value]) -> Option<String> {
    if slots.len() != values.len() {
        return Some(format!("{} values for {} slots", values.len(), slots.len()));
    }
    let fits = |(slot, value): &(&Slot, &Value)| match (slot, value) {
        (Slot::Primitive(wanted), value) => value.primitive() == Some(*wanted),
        (_, Value::Null) | (Slot::Text, Value::Text(_)) => true,
        (Slot::Boxed(wanted), Value::Boxed(value)) => value.primitive() == Some(*wanted),
        (Slot::Array(wanted), Value::Array(element, elements)) => {
            wanted == element && elements.iter().all(|value| value.primitive() == Some(*wanted))
        }
        _ => false,
    };
    let place = slots.iter().zip(values).position(|pair| !fits(&pair))?;
    Some(format!("value {place} does not fit its slot"))
}

fn unusable(why: String) -> Reply {
    Reply {
        end: End::Unusable { step: 0, why },
        results: Vec::new(),
        observed: Vec::new(),
        words: 0,
        cut: false,
        tainted: false,
        litters: false,
        stopped: Vec::new(),
        uncaught: None,
        output: String::new(),
        classes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_wire::Primitive;

    #[test]
    fn the_last_stack_is_read_among_other_words() {
        let words = "Exception in thread\nsilent at a/B m 7\nsilent at a/C <init> 0\nsilent at half";
        let expected = [("a/B".to_owned(), "m".to_owned(), 7), ("a/C".to_owned(), "<init>".to_owned(), 0)];
        assert_eq!(last_stack(words), expected);
    }

    #[test]
    fn values_fit_slots_of_their_kind() {
        let slots =
            [Slot::Primitive(Primitive::Int), Slot::Boxed(Primitive::Long), Slot::Array(Primitive::Byte)];
        let boxed = Value::Boxed(Box::new(Value::Long(1)));
        let bytes = Value::Array(Primitive::Byte, vec![Value::Byte(1)]);
        assert_eq!(misfit(&slots, &[Value::Int(1), boxed.clone(), bytes]), None);
        assert_eq!(misfit(&slots, &[Value::Int(1), Value::Null, Value::Null]), None);
        assert!(misfit(&slots, &[Value::Null, boxed.clone(), Value::Null]).is_some());
        let shorts = Value::Array(Primitive::Byte, vec![Value::Short(1)]);
        assert!(misfit(&slots, &[Value::Int(1), boxed, shorts]).is_some());
        assert!(misfit(&slots, &[]).is_some());
    }
}
