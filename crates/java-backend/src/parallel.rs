//! Work that is done side by side, with results that do not tell by whom.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does something with every item, in their order whoever is done first. Each thread has a bench of its own.
pub(crate) fn side_by_side<I: Sync, R: Send, B>(
    jobs: usize,
    items: &[I],
    bench: impl Fn() -> B + Sync,
    work: impl Fn(&mut B, &I) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, R>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                let mut bench = bench();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = work(&mut bench, item);
                    done.lock().expect("no panic while locked").insert(number, result);
                }
            });
        }
    });
    done.into_inner().expect("no panic while locked").into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_and_benches_are_reused() {
        let benches = AtomicUsize::new(0);
        let bench = || benches.fetch_add(1, Ordering::Relaxed);
        let items: Vec<u64> = (0..40).rev().collect();
        let squares = side_by_side(4, &items, bench, |_, &item| {
            std::thread::sleep(std::time::Duration::from_micros(item * 20));
            item * item
        });
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert_eq!(benches.into_inner(), 4);
        assert_eq!(side_by_side(4, &[], || (), |(), item: &u64| *item), []);
    }
}
