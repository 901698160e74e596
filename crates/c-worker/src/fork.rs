//! A run in a process of its own, for targets after which nothing can simply be reset.

use crate::layout::Placed;
use crate::region::Region;
use crate::sandbox;
use std::io;
use std::ptr;
use std::sync::Once;
use std::time::{Duration, Instant};

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// By `_exit` with this status.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// By us, when its time was over.
    TimedOut,
    /// It never started.
    Failed,
}

/// Runs `body` in a child and waits for its end. Whatever processes it starts end with it, unless they
/// leave its process group. `shared` is the memory in which the child tells its story. `body` gives the status with
/// which a process ends that the target has made itself.
pub(crate) fn in_child(
    millis: u64,
    confine_signals: bool,
    shared: [&Region; 4],
    body: impl FnOnce() -> i32,
) -> End {
    watch_forks();
    // SAFETY: the child runs `body` and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    match child {
        -1 => End::Failed,
        0 => {
            // SAFETY: plain system calls.
            unsafe {
                libc::setpgid(0, 0);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            }
            // SAFETY: this process has one thread.
            unsafe { STORY = shared.map(|region| (region.base() as usize, region.len())) };
            if confine_signals {
                sandbox::confine_signals();
            }
            // SAFETY: plain system calls; `_exit` runs no handlers of the worker.
            unsafe {
                let own = libc::getpid();
                let status = body();
                libc::_exit(if libc::getpid() == own { 0 } else { status })
            }
        }
        child => wait(child, millis),
    }
}

/// In a child: the memory it shares with the worker.
static mut STORY: [(usize, usize); 4] = [(0, 0); 4];

/// A target may fork and both processes may return. Only the first of them is the run; the others get their
/// own copy of what it is told in.
fn watch_forks() {
    extern "C" fn detach() {
        // SAFETY: set by `in_child`, or empty.
        for (base, len) in unsafe { STORY } {
            // SAFETY: replaces a mapping by a copy of itself.
            unsafe { make_private(base, len) };
        }
    }
    static ONCE: Once = Once::new();
    // SAFETY: the handler only makes system calls.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(detach));
    });
}

unsafe fn make_private(base: usize, len: usize) {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: by contract; a process without its copy must not go on.
    unsafe {
        if len == 0 {
            return;
        }
        let copy = libc::mmap(ptr::null_mut(), len, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        if copy == libc::MAP_FAILED {
            libc::_exit(0);
        }
        ptr::copy_nonoverlapping(base as *const u8, copy.cast(), len);
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        if libc::mremap(copy, len, len, flags, base as *mut libc::c_void) == libc::MAP_FAILED {
            libc::_exit(0);
        }
    }
}

fn wait(child: libc::pid_t, millis: u64) -> End {
    // SAFETY: plain system calls on our own child. The group is killed while the child, dead or alive, still
    // holds its number.
    unsafe {
        libc::setpgid(child, child);
        let in_time = wait_until_dead(child, Duration::from_millis(millis));
        libc::kill(-child, libc::SIGKILL);
        libc::kill(child, libc::SIGKILL);
        let mut status = 0;
        while libc::waitpid(child, &mut status, 0) < 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return End::Failed;
            }
        }
        if !in_time {
            End::TimedOut
        } else if libc::WIFSIGNALED(status) {
            End::Signalled(libc::WTERMSIG(status))
        } else {
            End::Exited(libc::WEXITSTATUS(status))
        }
    }
}

/// Waits until the child has ended, without reaping it.
fn wait_until_dead(child: libc::pid_t, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    // SAFETY: plain system calls; the descriptor is closed below.
    unsafe {
        let handle = libc::syscall(libc::SYS_pidfd_open, child, 0) as i32;
        if handle < 0 {
            return poll_until_dead(child, deadline);
        }
        let mut poll = libc::pollfd { fd: handle, events: libc::POLLIN, revents: 0 };
        let ended = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let millis = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
            match libc::poll(&mut poll, 1, millis) {
                0 => break false,
                n if n > 0 => break true,
                // The clock of in-process runs beats here too.
                _ if Instant::now() >= deadline => break false,
                _ => {}
            }
        };
        libc::close(handle);
        ended
    }
}

/// For kernels without process descriptors.
fn poll_until_dead(child: libc::pid_t, deadline: Instant) -> bool {
    loop {
        // SAFETY: plain system call; the child stays a zombie.
        let ended = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, child as libc::id_t, &mut info, flags) == 0 && info.si_pid() == child
        };
        if ended || Instant::now() >= deadline {
            return ended;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Where a child leaves what can be observed: its own memory is gone when the parent looks.
#[derive(Debug)]
pub(crate) struct Views {
    memory: Region,
}

impl Views {
    pub(crate) fn new() -> io::Result<Views> {
        Ok(Views { memory: Region::shared(1)? })
    }

    /// Gives every object a place to be copied to.
    pub(crate) fn assign(&mut self, placed: &mut [Placed]) -> io::Result<()> {
        // Behind the objects a byte for each: whether it was freed.
        let total: usize = placed.iter().map(|place| place.size.next_multiple_of(16) + 1).sum();
        if total > self.memory.len() {
            self.memory = Region::shared(total.next_power_of_two())?;
        }
        let mut view = self.memory.base() as usize;
        for place in placed.iter_mut().filter(|place| place.start != 0) {
            place.view = view;
            view += place.size.next_multiple_of(16);
        }
        Ok(())
    }

    /// In the parent, after the run: what became of the objects.
    pub(crate) fn recall(placed: &mut [Placed]) {
        let Some(notes) = notes(placed) else { return };
        for (i, place) in placed.iter_mut().enumerate() {
            // SAFETY: `assign` has made room.
            place.freed = unsafe { *((notes + i) as *const u8) } != 0;
        }
    }

    /// Where the copies are.
    pub(crate) fn memory(&self) -> &Region {
        &self.memory
    }

    /// In the child, after the run: copies every object to its place.
    ///
    /// # Safety
    /// The objects are readable.
    pub(crate) unsafe fn save(placed: &[Placed]) {
        for place in placed.iter().filter(|place| place.start != 0) {
            // SAFETY: `assign` has made room.
            unsafe { ptr::copy_nonoverlapping(place.start as *const u8, place.view as *mut u8, place.size) };
        }
        let Some(notes) = notes(placed) else { return };
        for (i, place) in placed.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *((notes + i) as *mut u8) = place.freed.into() };
        }
    }
}

/// Where it is noted what was freed; `None` if no object is anywhere.
fn notes(placed: &[Placed]) -> Option<usize> {
    let last = placed.iter().rfind(|place| place.start != 0)?;
    Some(last.view + last.size.next_multiple_of(16))
}
