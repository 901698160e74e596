//! The calls that led to where a run was stopped.
//!
//! Instrumented code keeps frame pointers: each frame begins with the frame pointer of its caller, followed by the
//! address to return to. Library code need not, so behind it the walk goes on from the next return address into
//! the target that lies on the stack. The target may have overwritten any of it: a link is believed only while it
//! leads further up its own stack.

use crate::stop::{Map, Report, how, is_memory_fault};
use wire::Calls;

/// Calls kept from the inner and from the outer end.
const INNER: usize = 48;
const OUTER: usize = 16;
/// How many words of the stack are searched for a caller.
const SEARCHED: usize = 512;
/// How often the walk may pass through library code: a smashed stack can look like a great many.
const DETOURS: usize = 16;

/// The calls of an abandoned run. Plain data, for it may lie in memory shared with a child.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Trace {
    count: usize,
    inner: [u64; INNER],
    /// The last calls added, each at its number modulo the length.
    outer: [u64; OUTER],
}

impl Default for Trace {
    fn default() -> Self {
        Trace { count: 0, inner: [0; INNER], outer: [0; OUTER] }
    }
}

impl Trace {
    fn add(&mut self, site: u64) {
        match self.inner.get_mut(self.count) {
            Some(place) => *place = site,
            None => self.outer[self.count % OUTER] = site,
        }
        self.count += 1;
    }

    pub(crate) fn calls(&self) -> Calls {
        let inner = self.count.min(INNER);
        let outer = (self.count - inner).min(OUTER);
        let left_out = self.count - inner - outer;
        Calls {
            inner: self.inner[..inner].to_vec(),
            left_out: left_out as u64,
            outer: (inner + left_out..self.count).map(|i| self.outer[i % OUTER]).collect(),
        }
    }
}

/// A place on the stack from which to look on: everything below was looked at.
struct Position {
    from: u64,
    /// What may be the frame pointer there.
    bp: u64,
}

/// The calls from where the run was stopped up to the trampoline.
#[cold]
pub(crate) fn walk(report: &Report, map: &Map<'_>) -> Trace {
    let mut walk = Walk { map, trace: Trace::default() };
    let mut outside = walk.start(report);
    for _ in 0..DETOURS {
        let Some(inside) = outside.and_then(|library| walk.leave_library(&library)) else { break };
        outside = walk.follow(inside);
    }
    walk.trace
}

struct Walk<'a> {
    map: &'a Map<'a>,
    trace: Trace,
}

impl Walk<'_> {
    /// The innermost function, and those above it up to the first of the library.
    fn start(&mut self, report: &Report) -> Option<Position> {
        let position = Position { from: report.sp, bp: report.bp };
        let is_signal = matches!(report.how, how::SIGNALLED | how::TIMED_OUT);
        let Some(site) = self.map.segments.site(report.pc) else {
            return is_signal.then_some(position);
        };
        self.trace.add(if is_signal { site } else { site - 1 });
        if let Some(caller) = self.caller_of_unfinished(report) {
            self.trace.add(caller - 1);
        }
        self.follow(position)
    }

    /// Where the innermost function was called from, if it had no room to save the frame pointer: the first thing
    /// it does.
    fn caller_of_unfinished(&self, report: &Report) -> Option<u64> {
        const PUSH_BP: u8 = 0x55;
        let faults_below = report.how == how::SIGNALLED
            && is_memory_fault(report)
            && report.address == report.sp.wrapping_sub(8);
        let [instruction] = self.map.segments.code_before(report.pc + 1)?;
        let &[word] = self.map.stack.words(report.sp, 1) else { return None };
        (faults_below && instruction == PUSH_BP).then(|| return_site(word, self.map)).flatten()
    }

    /// Goes from frame to frame while they belong to the target. Returns where the library begins, if a frame
    /// says that it was called from there.
    fn follow(&mut self, Position { mut from, mut bp }: Position) -> Option<Position> {
        loop {
            let [link, after_call] = self.frame(from, bp)?;
            from = bp + 16;
            bp = link;
            match return_site(after_call, self.map) {
                Some(site) => self.trace.add(site - 1),
                None => return Some(Position { from, bp }),
            }
        }
    }

    fn frame(&self, from: u64, bp: u64) -> Option<[u64; 2]> {
        let is_above = bp >= from && bp.is_multiple_of(8);
        is_above.then(|| self.map.stack.words(bp, 2).try_into().ok()).flatten()
    }

    /// Finds the function of the target that called the library, and its frame: the library has left the frame
    /// pointer alone, or saved it, most likely first of all.
    fn leave_library(&mut self, library: &Position) -> Option<Position> {
        let (slot, site) = caller(library.from, self.map)?;
        self.trace.add(site - 1);
        let from = slot + 8;
        let is_of_target = |&bp: &u64| {
            self.frame(from, bp).is_some_and(|[_, after_call]| return_site(after_call, self.map).is_some())
        };
        let words = (slot.saturating_sub(library.from) / 8) as usize;
        let saved = self.map.stack.words(library.from, words).iter().rev().copied();
        let bp = std::iter::once(library.bp).chain(saved).find(is_of_target);
        Some(Position { from, bp: bp.unwrap_or(library.bp) })
    }
}

/// The first address on the stack from `from` upwards to which a call of the target would return: where it
/// lies, and its offset in the image.
pub(crate) fn caller(from: u64, map: &Map<'_>) -> Option<(u64, u64)> {
    let from = from.next_multiple_of(8);
    let words = map.stack.words(from, SEARCHED).iter().zip((from..).step_by(8));
    words.into_iter().find_map(|(&word, slot)| Some((slot, return_site(word, map)?)))
}

/// Offset in the image of an address behind a call. Many words on a stack are addresses of functions.
fn return_site(address: u64, map: &Map<'_>) -> Option<u64> {
    let site = map.segments.site(address)?;
    follows_call(map.segments.code_before(address)?).then_some(site)
}

/// Whether code ends with a call: `e8` and four bytes, or `ff /2` with what its operand takes.
fn follows_call(code: [u8; 7]) -> bool {
    let is_indirect = |length: usize| {
        let at = code.len() - length;
        code[at] == 0xff && (code[at + 1] >> 3) & 7 == 2
    };
    code[2] == 0xe8 || [2, 3, 4, 6, 7].into_iter().any(is_indirect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_stacks_keep_both_ends() {
        let mut trace = Trace::default();
        for site in 0..1000 {
            trace.add(site);
        }
        let calls = trace.calls();
        assert_eq!(calls.inner, (0..48).collect::<Vec<u64>>());
        assert_eq!(calls.outer, (984..1000).collect::<Vec<u64>>());
        assert_eq!(calls.left_out, 1000 - 48 - 16);
    }

    #[test]
    fn short_stacks_are_whole() {
        for length in [0, 1, 48, 49, 63, 64] {
            let mut trace = Trace::default();
            (0..length).for_each(|site| trace.add(site));
            let calls = trace.calls();
            assert_eq!(calls.left_out, 0, "{length}");
            assert_eq!([calls.inner, calls.outer].concat(), (0..length).collect::<Vec<u64>>());
        }
    }

    /// Encodings from the processor's manual.
    #[test]
    fn calls_are_told_from_other_code() {
        let calls: [[u8; 7]; 6] = [
            [0x90, 0x90, 0xe8, 1, 2, 3, 4],             // call rel32
            [0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0], // call *%rax
            [0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd3], // call *%r11
            [0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x18], // call *0x18(%rax)
            [0x90, 0xff, 0x15, 1, 2, 3, 4],             // call *x(%rip)
            [0xff, 0x94, 0x24, 0x80, 0, 0, 0],          // call *0x80(%rsp)
        ];
        assert!(calls.into_iter().all(follows_call));
        let others: [[u8; 7]; 3] = [
            [0x0f, 0x1f, 0x80, 0, 0, 0, 0],             // padding before a function
            [0x90, 0x90, 0xe9, 1, 2, 3, 4],             // jmp rel32
            [0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0], // jmp *%rax
        ];
        assert!(!others.into_iter().any(follows_call));
    }
}
