//! The table of interned nodes.
//!
//! Reading a run makes one lookup an operation, so this is where its time goes: a table of eight bytes an entry with
//! linear probing takes a third of the instructions of a general one, which this replaces for nodes only.

/// Finds the index of a node by its hash. The nodes themselves are kept elsewhere, once only.
#[derive(Debug, Default)]
pub(crate) struct Interned {
    /// The hash above the index plus one; 0 where nothing is. A power of two of them, at most half of them in use.
    entries: Vec<u64>,
    count: usize,
}

/// Mixes all bits of a node into the 32 that the table uses.
#[inline]
pub(crate) fn hash_of_words([a, b]: [u64; 2]) -> u32 {
    // Odd constants without pattern; the high half of the product depends on all bits of both words.
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    const SECOND: u64 = 0xd6e8_feb8_6659_fd93;
    let product = u128::from(a ^ FIRST) * u128::from(b ^ SECOND);
    product as u32 ^ (product >> 64) as u32
}

impl Interned {
    /// The index for which `is_it` holds, or the place for a new one.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let last = self.entries.len().wrapping_sub(1);
        let mut place = hash as usize & last;
        // An empty table has no place at all; `insert` makes room.
        while let Some(&entry) = self.entries.get(place) {
            if entry == 0 {
                return Err(place);
            }
            let index = (entry as u32).wrapping_sub(1);
            if (entry >> 32) as u32 == hash && is_it(index) {
                return Ok(index);
            }
            place = (place + 1) & last;
        }
        Err(0)
    }

    /// Enters an index at the place that [`Interned::find`] gave.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, place: usize, index: u32) {
        self.count += 1;
        let entry = u64::from(hash) << 32 | u64::from(index.wrapping_add(1));
        if self.count * 2 > self.entries.len() {
            self.grow(self.count);
            self.put(entry);
        } else {
            self.entries[place] = entry;
        }
    }

    /// Makes room for so many entries in all.
    pub(crate) fn reserve(&mut self, count: usize) {
        if count * 2 > self.entries.len() {
            self.grow(count);
        }
    }

    #[cold]
    fn grow(&mut self, count: usize) {
        let old = std::mem::replace(&mut self.entries, vec![0; (count * 2).next_power_of_two().max(64)]);
        old.into_iter().filter(|&entry| entry != 0).for_each(|entry| self.put(entry));
    }

    /// Enters what is not there yet.
    fn put(&mut self, entry: u64) {
        let last = self.entries.len() - 1;
        let mut place = (entry >> 32) as usize & last;
        while self.entries[place] != 0 {
            place = (place + 1) & last;
        }
        self.entries[place] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All hashes alike, and different ones, over several growths.
    #[test]
    fn everything_is_found_again() {
        for hash in [|_| 7, |i: u32| hash_of_words([i.into(), 0]), |i: u32| i << 20] {
            let mut table = Interned::default();
            for i in 0..1_000_u32 {
                let place = table.find(hash(i), |known| known == i).expect_err("not there yet");
                table.insert(hash(i), place, i);
            }
            assert!((0..1_000).all(|i| table.find(hash(i), |known| known == i) == Ok(i)));
            assert!(table.find(hash(5), |known| known == 1_000).is_err());
        }
    }

    #[test]
    fn room_made_before_changes_nothing() {
        let mut table = Interned::default();
        let place = table.find(3, |_| true).expect_err("empty");
        table.insert(3, place, 0);
        table.reserve(10_000);
        assert_eq!(table.find(3, |known| known == 0), Ok(0));
    }
}
