//! The stack the target runs on: its own, so that its limit is exact and an overflow is recognised.

use crate::region::{PAGE, Region, STACK};
use std::io;
use std::ops::Range;

/// A frame larger than this that skips the whole guard would go unnoticed; `unsigned` lengths do not.
const GUARD: usize = 16 << 30;
const SMALL_GUARD: usize = 64 << 20;
/// Room above the first frame for targets that write beyond it.
const ABOVE: usize = 2 * PAGE;
const SIGNAL_STACK: usize = 256 << 10;

/// The target's stack, with a guard below and one above, and the stack for signal handlers.
#[derive(Debug)]
pub(crate) struct Stack {
    region: Region,
    guard: usize,
    bytes: usize,
    _signals: Region,
    before: libc::stack_t,
}

impl Stack {
    /// A stack of `bytes`, and an alternate one for the signal handlers of the calling thread.
    pub(crate) fn new(bytes: usize) -> io::Result<Stack> {
        let bytes = bytes.clamp(16 * PAGE, 8 << 30).next_multiple_of(PAGE);
        let reserve =
            |guard: usize| Region::reserve(STACK, guard + bytes + ABOVE + PAGE).map(|region| (region, guard));
        let (region, guard) = reserve(GUARD).or_else(|_| reserve(SMALL_GUARD))?;
        region.open(guard, bytes + ABOVE)?;
        let signals = Region::reserve(0, PAGE + SIGNAL_STACK)?;
        signals.open(PAGE, SIGNAL_STACK)?;
        let before = signal_stack(&libc::stack_t {
            // SAFETY: inside the region.
            ss_sp: unsafe { signals.base().add(PAGE) }.cast(),
            ss_flags: 0,
            ss_size: SIGNAL_STACK,
        });
        Ok(Stack { region, guard, bytes, _signals: signals, before })
    }

    /// The stack pointer a run starts with.
    pub(crate) fn top(&self) -> *mut u8 {
        // SAFETY: inside the region.
        unsafe { self.region.base().add(self.guard + self.bytes) }
    }

    /// Whether a faulting address means that the stack ran out.
    pub(crate) fn is_overflow(&self, address: u64) -> bool {
        (address as usize).wrapping_sub(self.region.base() as usize) < self.guard
    }

    /// The words from a stack pointer upwards, if it points into this stack.
    pub(crate) fn words(&self, sp: u64, most: usize) -> &[u64] {
        let end = self.top() as usize;
        let sp = (sp as usize).next_multiple_of(8);
        if sp < end - self.bytes || sp >= end {
            return &[];
        }
        // SAFETY: between the lowest usable byte and the top, aligned to words.
        unsafe { std::slice::from_raw_parts(sp as *const u64, most.min((end - sp) / 8)) }
    }

    /// Its address space, guards included.
    pub(crate) fn range(&self) -> Range<usize> {
        let base = self.region.base() as usize;
        base..base + self.region.len()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        signal_stack(&self.before);
    }
}

fn signal_stack(stack: &libc::stack_t) -> libc::stack_t {
    // SAFETY: plain data; the kernel copies it.
    unsafe {
        let mut before: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(stack, &mut before);
        before
    }
}
