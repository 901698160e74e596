//! Reads back what a run has left in memory.

use crate::cell::{Op, Store};
use crate::heap;
use crate::layout::{Kind, Placed, Plan, TablePlan};
use input::TableId;
use target::Seen;

/// Every object of the input, cell by cell.
///
/// # Safety
/// The views of `placed` are readable.
pub(crate) unsafe fn objects(plan: &Plan, placed: &[Placed]) -> Vec<Vec<Seen>> {
    let empty = TablePlan::default();
    placed
        .iter()
        .map(|place| {
            let table = plan.table(place.table).unwrap_or(&empty);
            // SAFETY: by contract.
            unsafe { elements(table, place, plan, placed) }
        })
        .collect()
}

/// A value whose unions all show their first member.
///
/// # Safety
/// `value` is readable as `table` says.
pub(crate) unsafe fn value(table: &TablePlan, value: *const u8, plan: &Plan, placed: &[Placed]) -> Vec<Seen> {
    let first_members = vec![0; table.ops.len()];
    // SAFETY: by contract.
    table.ops.iter().map(|op| unsafe { cell(table, op, value, &first_members, plan, placed) }).collect()
}

unsafe fn elements(table: &TablePlan, place: &Placed, plan: &Plan, placed: &[Placed]) -> Vec<Seen> {
    let count = table.ops.len();
    let len = place.size.checked_div(table.stride).unwrap_or(0);
    if place.view == 0 {
        return vec![Seen::Unstable; count];
    }
    let mut seen = Vec::with_capacity(len * count);
    for i in 0..len {
        let element = (place.view + i * table.stride) as *const u8;
        let selected = place.cells.get(i * count..(i + 1) * count).unwrap_or(&[]);
        // SAFETY: by contract.
        seen.extend(table.ops.iter().map(|op| unsafe { cell(table, op, element, selected, plan, placed) }));
    }
    seen
}

/// One cell. Of a union only the selected member can be asserted: the others see its bytes.
unsafe fn cell(
    table: &TablePlan,
    op: &Op,
    element: *const u8,
    selected: &[u128],
    plan: &Plan,
    placed: &[Placed],
) -> Seen {
    if op.guard.is_some() && !table.is_active(op, selected) {
        return Seen::Unstable;
    }
    if op.store == Store::Selector {
        let index = table.ops.iter().position(|other| std::ptr::eq(other, op));
        return Seen::Bits(index.and_then(|i| selected.get(i)).copied().unwrap_or(0));
    }
    // SAFETY: by contract.
    let bits = unsafe { op.load(element) };
    if op.store == Store::Pointer { pointer(bits as usize, plan, placed) } else { Seen::Bits(bits) }
}

/// Which element of the input an address is. The end of one object may be the start of the next, which is
/// the better answer. Behind a global may stand anything, a string constant for instance.
fn pointer(address: usize, plan: &Plan, placed: &[Placed]) -> Seen {
    if address == 0 {
        return Seen::Null;
    }
    let stride_of = |table: TableId| plan.table(table).map_or(0, |t| t.stride);
    let find = |hit: fn(&Placed, usize) -> bool| {
        placed.iter().enumerate().find_map(|(object, place)| {
            let stride = stride_of(place.table);
            let offset = address.wrapping_sub(place.start);
            let named = place.start != 0 && place.kind != Kind::Parameter && stride != 0;
            (named && hit(place, offset) && offset.is_multiple_of(stride))
                .then(|| Seen::Element { object: object as u32, element: (offset / stride) as u32 })
        })
    };
    find(|place, offset| offset < place.size)
        .or_else(|| find(|place, offset| offset == place.size && place.kind == Kind::Heap))
        .unwrap_or_else(|| match heap::bw_heap_contains(address as *const std::ffi::c_void) {
            0 => Seen::Elsewhere,
            _ => Seen::Allocated,
        })
}
