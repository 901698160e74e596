//! Code addresses of the image as places in the source.

use std::path::Path;
use wire::Calls;
use wire::abi::STUBS_FILE;

/// Looks up addresses of one image.
pub(crate) struct Places {
    loader: Option<addr2line::Loader>,
}

impl Places {
    /// For the image at `path`; without debug information every look-up gives nothing.
    pub(crate) fn new(path: &Path) -> Places {
        Places { loader: addr2line::Loader::new(path).ok() }
    }

    /// The functions at an address, innermost inlined one first: `name (file:line)`.
    pub(crate) fn stack(&self, address: u64) -> Vec<String> {
        let Some(Ok(mut frames)) = self.loader.as_ref().map(|l| l.find_frames(address)) else {
            return Vec::new();
        };
        let mut stack = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|f| f.raw_name().ok().map(|n| n.into_owned()));
            let place = frame.location.and_then(|l| Some(format!("{}:{}", l.file?, l.line?)));
            stack.push(match (name, place) {
                (Some(name), Some(place)) => format!("{name} ({place})"),
                (Some(name), None) => name,
                (None, Some(place)) => place,
                (None, None) => continue,
            });
        }
        stack
    }

    /// The function an address belongs to; what was inlined into it is part of it.
    pub(crate) fn function(&self, address: u64) -> Option<String> {
        let mut frames = self.loader.as_ref()?.find_frames(address).ok()?;
        let mut outermost = None;
        while let Ok(Some(frame)) = frames.next() {
            outermost = frame.function;
        }
        outermost.and_then(|f| f.raw_name().ok().map(|name| name.into_owned()))
    }

    /// `file:line` of the innermost call that is no stub's: stubs have lines of their own, or none.
    pub(crate) fn line_of(&self, calls: &Calls) -> Option<String> {
        let is_stub = |place: &String| place.contains(&format!("{STUBS_FILE}:"));
        calls.inner.iter().filter_map(|&site| self.line(site)).find(|place| !is_stub(place))
    }

    /// `file:line` of an address.
    pub(crate) fn line(&self, address: u64) -> Option<String> {
        let location = self.loader.as_ref()?.find_location(address).ok()??;
        Some(format!("{}:{}", location.file?, location.line?))
    }
}
