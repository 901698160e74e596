//! The events of a run, one ahead.

use java_wire::event::{Code, Event, Events};

/// Reads a trace.
#[derive(Clone)]
pub(crate) struct Trace<'a> {
    events: Events<'a>,
    next: Option<Event<'a>>,
    /// Events that were read.
    pub(crate) read: usize,
    /// Words were found that are no event.
    pub(crate) garbled: bool,
    /// The code that is executed has no hooks: there is no event of it.
    pub(crate) is_muted: bool,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(words: &'a [u32]) -> Trace<'a> {
        let mut trace =
            Trace { events: Events::new(words), next: None, read: 0, garbled: false, is_muted: false };
        trace.advance();
        trace
    }

    fn advance(&mut self) {
        loop {
            self.next = match self.events.next() {
                Some(Ok(event)) => Some(event),
                Some(Err(_)) => {
                    self.garbled = true;
                    None
                }
                None => None,
            };
            // Distances between texts are for searches.
            if self.next.is_none_or(|event| event.code != Code::CompareText) {
                return;
            }
        }
    }

    pub(crate) fn peek(&self) -> Option<Event<'a>> {
        self.next.filter(|_| !self.is_muted)
    }

    pub(crate) fn take(&mut self) -> Option<Event<'a>> {
        let event = self.peek()?;
        self.read += 1;
        self.advance();
        Some(event)
    }

    /// The next event if it is this one.
    pub(crate) fn take_if(&mut self, code: Code, id: u32) -> Option<Event<'a>> {
        let is_it = self.peek().is_some_and(|event| event.code == code && event.id == id);
        if is_it { self.take() } else { None }
    }

    /// The next event if it has this code, wherever it is.
    pub(crate) fn take_code(&mut self, code: Code) -> Option<Event<'a>> {
        if self.next_is(code) { self.take() } else { None }
    }

    pub(crate) fn next_is(&self, code: Code) -> bool {
        self.peek().is_some_and(|event| event.code == code)
    }
}
