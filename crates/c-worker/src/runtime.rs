//! The table of runtime functions that instrumented code calls through.

use crate::{heap, owned, probes};
use std::ffi::c_void;
use wire::abi::Slot;

unsafe extern "C" {
    fn bw_probe_long_double();
    fn bw_out_of_ticks();
    fn bw_undefined();
    fn bw_failed_check();
    fn bw_exit();
    fn bw_quick_exit();
    fn bw_exit_at_once();
    fn bw_reject();
    fn bw_require();
    fn bw_alone();
    fn bw_abort();
    fn bw_assert_fail();
    fn bw_at_exit();
    fn bw_at_quick_exit();
    fn bw_realloc();
    fn bw_free();
    fn bw_strdup();
    fn bw_strndup();
}

/// The function for a slot.
pub(crate) fn entry(slot: Slot) -> *const c_void {
    match slot {
        Slot::Equal => probes::equal as *const c_void,
        Slot::SignedLess => probes::signed_less as *const c_void,
        Slot::SignedLessEqual => probes::signed_less_equal as *const c_void,
        Slot::UnsignedLess => probes::unsigned_less as *const c_void,
        Slot::UnsignedLessEqual => probes::unsigned_less_equal as *const c_void,
        Slot::Equal128 => probes::equal_128 as *const c_void,
        Slot::SignedLess128 => probes::signed_less_128 as *const c_void,
        Slot::SignedLessEqual128 => probes::signed_less_equal_128 as *const c_void,
        Slot::UnsignedLess128 => probes::unsigned_less_128 as *const c_void,
        Slot::UnsignedLessEqual128 => probes::unsigned_less_equal_128 as *const c_void,
        Slot::Float => probes::float as *const c_void,
        Slot::LongDouble => bw_probe_long_double as *const c_void,
        Slot::Truth => probes::truth as *const c_void,
        Slot::Switch => probes::switch as *const c_void,
        Slot::OutOfTicks => bw_out_of_ticks as *const c_void,
        Slot::Undefined => bw_undefined as *const c_void,
        Slot::FailedCheck => bw_failed_check as *const c_void,
        Slot::Exit => bw_exit as *const c_void,
        Slot::QuickExit => bw_quick_exit as *const c_void,
        Slot::ExitAtOnce => bw_exit_at_once as *const c_void,
        Slot::Reject => bw_reject as *const c_void,
        Slot::Require => bw_require as *const c_void,
        Slot::Elements => owned::elements_behind as *const c_void,
        Slot::Alone => bw_alone as *const c_void,
        Slot::Abort => bw_abort as *const c_void,
        Slot::AssertFail => bw_assert_fail as *const c_void,
        Slot::AtExit => bw_at_exit as *const c_void,
        Slot::AtQuickExit => bw_at_quick_exit as *const c_void,
        Slot::Malloc => heap::bw_heap_malloc as *const c_void,
        Slot::Calloc => heap::calloc as *const c_void,
        Slot::Realloc => bw_realloc as *const c_void,
        Slot::Free => bw_free as *const c_void,
        Slot::AlignedAlloc => heap::aligned_alloc as *const c_void,
        Slot::PosixMemalign => heap::posix_memalign as *const c_void,
        Slot::Strdup => bw_strdup as *const c_void,
        Slot::Strndup => bw_strndup as *const c_void,
    }
}
