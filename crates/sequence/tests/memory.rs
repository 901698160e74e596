//! Enumeration in constant memory, counted by an allocator.

use sequence::{Candidates, Filters, Invokable, InvokableId, Kind, PrefixWalk, Universe, UniverseBuilder};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The allocator of the system, and how often a thread asked it for memory.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the allocator of the system unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn coinbox() -> (Universe, InvokableId) {
    let mut builder = UniverseBuilder::new();
    let class = builder.reference_type();
    let fields = [builder.field(), builder.field(), builder.static_field()];
    let method = || Invokable::new(Kind::InstanceMethod).on(class);
    builder.invokable(Invokable::new(Kind::Constructor).returns(class).defines(&fields));
    builder.invokable(method().takes(class).defines(&fields[1..]).uses(&fields[1..]));
    builder.invokable(method().defines(&fields[1..2]));
    let target = builder.invokable(method().takes(class).defines(&fields).uses(&fields));
    (builder.build().expect("a sound universe"), target)
}

#[test]
fn c26_going_on_asks_for_no_memory() {
    let (universe, target) = coinbox();
    let mut candidates = Candidates::new(&universe, target, Filters::default(), 8);
    let before = ASKED.get();
    while candidates.step().is_some() {}
    assert_eq!(ASKED.get() - before, 0);
    // A constructor, then any of four in each place: 1 + 4 + … + 4^6.
    assert_eq!(candidates.yielded(), 5461);
}

#[test]
fn c26_grouping_asks_for_no_memory_either() {
    let (universe, target) = coinbox();
    let mut walk = PrefixWalk::new(&universe, target, Filters::default(), 8);
    let before = ASKED.get();
    while walk.step().is_some() {}
    assert_eq!(ASKED.get() - before, 0);
    assert_eq!(walk.yielded(), 4096);
}
