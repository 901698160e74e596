//! The probes: instrumented code calls them at every branch, they keep the smallest distance to either outcome.
//!
//! One table for the whole program, two distances a branch; and the list of branches touched in this run,
//! so that forgetting a run costs as much as the run did. Both lie in memory that forked children share.

use crate::region::Region;
use goal::distance::{self, Distances, FloatPredicate};
use goal::mcdc::Walk;
use model::{BranchId, Program};
use std::io;
use std::ptr;
use target::{Distance, NOT_EVALUATED};
use wire::abi::{INVERTED, NO_BRANCH};

/// The distances of one run.
#[derive(Debug)]
pub(crate) struct Probes {
    memory: Region,
    branches: u32,
}

/// What the probes see: they have no other argument to find it by.
struct Table {
    branches: u32,
    /// Number of touched branches, then their ids.
    touched: *mut u32,
    distances: *mut [Distance; 2],
    /// What follows the decisions of the program; null unless their vectors are goals.
    vectors: *mut Walk,
}

static mut TABLE: Table =
    Table { branches: 0, touched: ptr::null_mut(), distances: ptr::null_mut(), vectors: ptr::null_mut() };

const EMPTY: [Distance; 2] = [NOT_EVALUATED; 2];

impl Probes {
    /// A table for the branches of a program. There is one at a time in a process.
    pub(crate) fn new(program: &Program) -> io::Result<Probes> {
        let branches = program.branch_count;
        let count = branches as usize;
        let memory = Region::shared(count * size_of::<[Distance; 2]>() + (count + 1) * size_of::<u32>())?;
        let distances: *mut [Distance; 2] = memory.base().cast();
        // SAFETY: the region has room for both parts; the table is only used by the thread that owns us.
        unsafe {
            std::slice::from_raw_parts_mut(distances, count).fill(EMPTY);
            let vectors = Walk::new(program).map_or(ptr::null_mut(), |v| Box::into_raw(Box::new(v)));
            TABLE = Table { branches, touched: distances.add(count).cast(), distances, vectors };
        }
        Ok(Probes { memory, branches })
    }

    /// Where the table is.
    pub(crate) fn memory(&self) -> &Region {
        &self.memory
    }

    /// Forgets the last run.
    #[inline]
    pub(crate) fn reset(&self) {
        // SAFETY: ids were checked when they were entered; a damaged count is bounded by `touched`.
        unsafe {
            for branch in self.touched() {
                *TABLE.distances.add(branch.0.min(self.branches - 1) as usize) = EMPTY;
            }
            *TABLE.touched = 0;
            if let Some(vectors) = TABLE.vectors.as_mut() {
                vectors.reset();
            }
        }
    }

    /// Branches evaluated since the last reset, in order of first evaluation.
    #[inline]
    pub(crate) fn touched(&self) -> &[BranchId] {
        // SAFETY: BranchId is a u32; the list has room for every branch.
        unsafe {
            let count = (*TABLE.touched).min(self.branches);
            std::slice::from_raw_parts(TABLE.touched.add(1).cast::<BranchId>(), count as usize)
        }
    }

    /// Smallest distance since the last reset; `index` as by [`model::Goal::index`].
    #[inline]
    pub(crate) fn distance(&self, index: usize) -> Distance {
        if index / 2 >= self.branches as usize {
            return NOT_EVALUATED;
        }
        // SAFETY: in range.
        unsafe { *TABLE.distances.cast::<Distance>().add(index) }
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        // SAFETY: late probes (a thread of the target) find no branch.
        unsafe {
            TABLE.branches = 0;
            if !TABLE.vectors.is_null() {
                drop(Box::from_raw(TABLE.vectors));
                TABLE.vectors = ptr::null_mut();
            }
        }
    }
}

/// Enters an evaluation, also as one of a decision.
#[inline(always)]
fn record(branch: u32, found: Distances) {
    let id = branch & !INVERTED;
    let found =
        if branch == id { found } else { Distances { to_true: found.to_false, to_false: found.to_true } };
    enter(id, found);
    // SAFETY: only the thread that owns the probes runs the target.
    if let Some(vectors) = unsafe { TABLE.vectors.as_mut() }
        && let Some(node) = vectors.step(id, found.to_true == 0)
    {
        enter(node, found);
    }
}

/// Enters an evaluation. The branch joins the list before its distances are written: a run may be left
/// between any two instructions, and what is in the table must be in the list.
#[inline(always)]
fn enter(id: u32, Distances { to_true, to_false }: Distances) {
    // SAFETY: the id is checked against the table.
    unsafe {
        if id >= TABLE.branches {
            return;
        }
        let slot = &mut *TABLE.distances.add(id as usize);
        if *slot == EMPTY {
            let count = *TABLE.touched;
            if count < TABLE.branches {
                *TABLE.touched = count + 1;
                *TABLE.touched.add(1 + count as usize) = id;
            }
        }
        slot[0] = slot[0].min(to_true);
        slot[1] = slot[1].min(to_false);
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $probe:ident($operand:ty) = $distance:path;)*) => {$(
        $(#[$doc])*
        pub(crate) extern "C" fn $probe(branch: u32, a: $operand, b: $operand) {
            record(branch, $distance(a, b));
        }
    )*};
}

comparisons! {
    /// `a == b`.
    equal(i64) = distance::equal;
    /// `a < b`.
    signed_less(i64) = distance::signed_less;
    /// `a <= b`.
    signed_less_equal(i64) = distance::signed_less_equal;
    /// `a < b`.
    unsigned_less(u64) = distance::unsigned_less;
    /// `a <= b`.
    unsigned_less_equal(u64) = distance::unsigned_less_equal;
    /// `a == b`.
    equal_128(i128) = distance::wide::equal;
    /// `a < b`.
    signed_less_128(i128) = distance::wide::signed_less;
    /// `a <= b`.
    signed_less_equal_128(i128) = distance::wide::signed_less_equal;
    /// `a < b`.
    unsigned_less_128(u128) = distance::wide::unsigned_less;
    /// `a <= b`.
    unsigned_less_equal_128(u128) = distance::wide::unsigned_less_equal;
}

/// Floating-point comparison by LLVM's predicate number.
pub(crate) extern "C" fn float(branch: u32, predicate: u32, a: f64, b: f64) {
    record(branch, distance::float(FloatPredicate::from_code(predicate as u8), a, b));
}

/// A truth value.
pub(crate) extern "C" fn truth(branch: u32, condition: u32) {
    record(branch, distance::truth(condition != 0));
}

/// The C part of the probe for `long double` calls this with the bits.
///
/// # Safety
/// `a` and `b` point to two words each.
#[unsafe(no_mangle)]
unsafe extern "C" fn bw_record_long_double(
    branch: u32,
    predicate: u32,
    a: *const [u64; 2],
    b: *const [u64; 2],
) {
    let bits = |words: [u64; 2]| u128::from(words[0]) | u128::from(words[1]) << 64;
    // SAFETY: by contract.
    let (a, b) = unsafe { (bits(*a), bits(*b)) };
    record(branch, distance::long_double(FloatPredicate::from_code(predicate as u8), a, b));
}

/// A switch. Several rows, one after the other, may share a branch: it is as near as the nearest of them.
///
/// # Safety
/// `table` is laid out as [`wire::abi::Slot::Switch`] says.
pub(crate) unsafe extern "C" fn switch(table: *const u64, value: u64) {
    // SAFETY: by contract.
    unsafe {
        let rows = std::slice::from_raw_parts(table.add(2).cast::<[u64; 3]>(), *table as usize);
        let default = *table.add(1);
        let value = value as i64;
        let mut nearest = Distance::MAX;
        for rows in rows.chunk_by(|a, b| a[0] == b[0]) {
            let to_branch = rows.iter().map(|row| to_range(value, row[1] as i64, row[2] as i64)).min();
            let to_branch = to_branch.unwrap_or(Distance::MAX);
            nearest = nearest.min(to_branch);
            record(rows[0][0] as u32, Distances { to_true: to_branch, to_false: u128::from(to_branch == 0) });
        }
        if default != NO_BRANCH {
            record(default as u32, Distances { to_true: u128::from(nearest == 0), to_false: nearest });
        }
    }
}

/// Distance to the nearest value of `low..=high`.
fn to_range(value: i64, low: i64, high: i64) -> Distance {
    let end = if value < low { low } else { value.min(high.max(low)) };
    distance::switch_case(value, end).to_true
}
