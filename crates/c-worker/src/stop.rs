//! From the bare facts about an abandoned run to its outcome.

use crate::heap::{self, Met, Refusal};
use crate::image::Segments;
use crate::layout::{Kind, Placed};
use crate::stack::Stack;
use crate::trace;
use model::Check;
use target::{Access, Crash, CrashKind, HeapError, Outcome};

/// Mirrors `struct bw_report` of the shim.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(crate) struct Report {
    pub(crate) how: i32,
    pub(crate) code: i32,
    pub(crate) detail: i32,
    pub(crate) address: u64,
    pub(crate) pc: u64,
    pub(crate) sp: u64,
    pub(crate) bp: u64,
}

/// Mirrors the shim's values of `how`.
pub(crate) mod how {
    pub(crate) const RETURNED: i32 = 0;
    pub(crate) const EXITED: i32 = 1;
    pub(crate) const ABORTED: i32 = 2;
    pub(crate) const OUT_OF_TICKS: i32 = 3;
    pub(crate) const UNDEFINED: i32 = 4;
    pub(crate) const SIGNALLED: i32 = 5;
    pub(crate) const TIMED_OUT: i32 = 6;
    pub(crate) const BAD_FREE: i32 = 7;
    pub(crate) const EXITED_UNFLUSHED: i32 = 8;
    pub(crate) const REJECTED: i32 = 9;
    pub(crate) const NOT_ALONE: i32 = 10;
    pub(crate) const FAILED_CHECK: i32 = 11;
}

/// `si_code` of a fault whose address the kernel does not know.
const SI_KERNEL: i32 = 0x80;
/// Addresses below this are members of an object at address zero.
const NULL_PAGES: u64 = 64 << 10;
/// Faults up to this far behind the last object of its slot are blamed on it.
const BEHIND: u64 = 64 << 10;

/// Where things are, to interpret addresses.
pub(crate) struct Map<'a> {
    pub(crate) segments: &'a Segments,
    pub(crate) stack: &'a Stack,
    pub(crate) placed: &'a [Placed],
}

/// What can only be found out in the process that ran, before anything is reset.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(crate) struct Scene {
    /// Where the run was stopped; 0 if unknown.
    pub(crate) site: u64,
    /// What a fault met.
    met: Met,
}

/// Looks at the stack and at the heap.
pub(crate) fn scene(report: &Report, map: &Map<'_>) -> Scene {
    let met = match report.how == how::SIGNALLED && is_memory_fault(report) {
        true if is_freed(report.address as usize, map.placed) => Met::Freed,
        true => heap::met(report.address as usize),
        false => Met::Nothing,
    };
    Scene { site: site(report, map), met }
}

/// Whether an address lies in an object of the input that was freed.
fn is_freed(address: usize, placed: &[Placed]) -> bool {
    placed.iter().any(|place| place.freed && (place.start..place.start + place.size).contains(&address))
}

/// The outcome of a run that was stopped.
pub(crate) fn outcome(report: &Report, scene: Scene, map: &Map<'_>) -> Outcome {
    let site = scene.site;
    let called = |kind| Outcome::Crashed(Crash { kind, site, access: Access::None });
    match report.how {
        how::RETURNED => Outcome::Returned,
        how::EXITED | how::EXITED_UNFLUSHED => Outcome::Exited(report.code),
        how::ABORTED => Outcome::Aborted,
        how::REJECTED => Outcome::Rejected,
        how::OUT_OF_TICKS => Outcome::OutOfTicks,
        how::TIMED_OUT => Outcome::TimedOut,
        how::UNDEFINED => called(CrashKind::Undefined(report.code as u32)),
        how::FAILED_CHECK => called(CrashKind::Check(Check::numbered(report.code as u32))),
        how::BAD_FREE if report.code == Refusal::FreedBefore as i32 => {
            called(CrashKind::Heap(HeapError::DoubleFree))
        }
        how::BAD_FREE => called(CrashKind::Heap(HeapError::BadFree)),
        _ => Outcome::Crashed(crash(report, scene, map)),
    }
}

/// The outcome of a run that ended its process by a signal.
pub(crate) fn killed_by(signal: i32) -> Outcome {
    Outcome::Crashed(Crash { kind: kind_of(signal), site: 0, access: Access::None })
}

/// Whether the process may have been left in the middle of something: the C library gave up, or was
/// interrupted in code that may hold a lock.
pub(crate) fn is_suspect(report: &Report, map: &Map<'_>) -> bool {
    let outside = map.segments.site(report.pc).is_none();
    match report.how {
        how::TIMED_OUT => outside,
        how::SIGNALLED if report.code == libc::SIGABRT => true,
        how::SIGNALLED => outside && report.pc != 0 && access(report, map) == Access::Wild,
        _ => false,
    }
}

fn crash(report: &Report, Scene { site, met }: Scene, map: &Map<'_>) -> Crash {
    let overflow = is_memory_fault(report) && map.stack.is_overflow(report.address);
    let (kind, access) = match met {
        _ if overflow => (CrashKind::StackOverflow, Access::None),
        Met::End => (CrashKind::Check(Check::Bounds), Access::None),
        Met::Freed => (CrashKind::Heap(HeapError::UseAfterFree), Access::None),
        Met::Nothing => (kind_of(report.code), access(report, map)),
    };
    Crash { kind, site, access }
}

fn kind_of(signal: i32) -> CrashKind {
    match signal {
        libc::SIGSEGV => CrashKind::Segmentation,
        libc::SIGBUS => CrashKind::Bus,
        libc::SIGFPE => CrashKind::Arithmetic,
        libc::SIGILL | libc::SIGTRAP => CrashKind::Illegal,
        other => CrashKind::Signal(other),
    }
}

pub(crate) fn is_memory_fault(report: &Report) -> bool {
    matches!(report.code, libc::SIGSEGV | libc::SIGBUS)
}

/// The faulting instruction, or the instruction of the target that called what faulted or stopped; 0 if
/// unknown. Looks at the stack, so it is for the process that ran.
fn site(report: &Report, map: &Map<'_>) -> u64 {
    let here = map.segments.site(report.pc);
    match report.how {
        how::SIGNALLED | how::TIMED_OUT => {
            let caller = || trace::caller(report.sp, map).map(|(_, after_call)| after_call - 1);
            here.or_else(caller).unwrap_or(0)
        }
        _ => here.map_or(0, |after_call| after_call - 1),
    }
}

fn access(report: &Report, map: &Map<'_>) -> Access {
    if !is_memory_fault(report) {
        return Access::None;
    }
    if report.detail == SI_KERNEL {
        return Access::Wild;
    }
    let address = report.address;
    if address < NULL_PAGES {
        return Access::Null;
    }
    beyond(address, map.placed).unwrap_or(Access::Wild)
}

/// The object whose end is nearest below an address, unless the start of another is nearer above.
fn beyond(address: u64, placed: &[Placed]) -> Option<Access> {
    let objects =
        || placed.iter().enumerate().filter(|(_, place)| place.kind == Kind::Heap && place.start != 0);
    let (object, behind) = objects()
        .filter_map(|(i, place)| Some((i, address.checked_sub((place.start + place.size) as u64)?)))
        .min_by_key(|&(_, behind)| behind)?;
    let before = objects().filter_map(|(_, place)| (place.start as u64).checked_sub(address)).min();
    let offset = address - placed[object].start as u64;
    let blamed = behind < BEHIND && before.is_none_or(|before| behind <= before);
    blamed.then_some(Access::Beyond { object: object as u32, offset })
}
