//! The Rust side of the shim: signals, the clock under the tick limit, the call itself.

use crate::image::Trampoline;
use crate::stop::Report;
use std::ffi::{c_int, c_void};
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    static mut bw_report: *mut Report;
    static mut bw_beats_allowed: i32;
    fn bw_install(beat: c_int);
    fn bw_uninstall(beat: c_int);
    fn bw_run(function: Trampoline, arguments: *mut c_void, result: *mut c_void, stack: *mut u8) -> c_int;
    fn bw_stdio_purge();
    fn bw_stdout_flush(stack: *mut u8);
}

/// Handlers and runtime tables belong to the process: one target at a time.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The right to run a target in this process.
#[derive(Debug)]
pub(crate) struct Claim(());

impl Claim {
    /// `None` while another target has it.
    pub(crate) fn take() -> Option<Claim> {
        (!TAKEN.swap(true, Ordering::Acquire)).then_some(Claim(()))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        TAKEN.store(false, Ordering::Release);
    }
}

/// Signal handlers and the clock, until dropped.
#[derive(Debug)]
pub(crate) struct Guard {
    clock: libc::timer_t,
    beat: c_int,
}

impl Guard {
    /// Takes over the signals for runs of the calling thread; a run longer than `millis` is stopped.
    /// `report` is filled in when a run is abandoned.
    pub(crate) fn install(millis: u64, report: *mut Report) -> io::Result<Guard> {
        let beat = libc::SIGRTMIN() + 5;
        let period = (millis / 8).clamp(1, 100);
        // SAFETY: the handlers use only what is set here.
        unsafe {
            bw_report = report;
            bw_beats_allowed = i32::try_from(millis.div_ceil(period)).unwrap_or(i32::MAX).max(1);
            bw_install(beat);
        }
        match start_clock(beat, period) {
            Ok(clock) => Ok(Guard { clock, beat }),
            Err(error) => {
                // SAFETY: just installed.
                unsafe { bw_uninstall(beat) };
                Err(error)
            }
        }
    }

    /// Calls the function. Returns one of [`crate::stop::how`].
    ///
    /// # Safety
    /// The arguments are laid out as the trampoline expects, the result has room, and `stack` is the top
    /// of a stack with a guard.
    #[inline]
    pub(crate) unsafe fn call(
        &self,
        function: Trampoline,
        arguments: usize,
        result: *mut u8,
        stack: *mut u8,
    ) -> i32 {
        // SAFETY: by contract.
        unsafe { bw_run(function, arguments as *mut c_void, result.cast(), stack) }
    }

    /// Writes the target's buffered output to its descriptor.
    pub(crate) fn flush_stdout(&self, stack: *mut u8) {
        // SAFETY: guarded like a run.
        unsafe { bw_stdout_flush(stack) };
    }

    /// Drops the target's buffered output.
    pub(crate) fn purge_stdio(&self) {
        // SAFETY: standard streams are always there.
        unsafe { bw_stdio_purge() };
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: made by `install`.
        unsafe {
            libc::timer_delete(self.clock);
            bw_uninstall(self.beat);
            bw_report = ptr::null_mut();
        }
    }
}

/// A timer that beats on this thread only. It runs all the time, so that a run costs no system call.
fn start_clock(beat: c_int, period_millis: u64) -> io::Result<libc::timer_t> {
    let period = libc::timespec { tv_sec: 0, tv_nsec: period_millis as i64 * 1_000_000 };
    // SAFETY: plain data for the kernel.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = beat;
        event.sigev_notify_thread_id = libc::gettid();
        let mut clock: libc::timer_t = ptr::null_mut();
        if libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut clock) != 0 {
            return Err(io::Error::last_os_error());
        }
        let setting = libc::itimerspec { it_interval: period, it_value: period };
        if libc::timer_settime(clock, 0, &setting, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(clock)
    }
}
