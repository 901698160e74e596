//! Sets of small numbers that are united often.

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Set {
    /// Without zeros at the end, so that equal sets are equal.
    words: Vec<u64>,
}

impl Set {
    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds all numbers of another set.
    pub fn unite(&mut self, other: &Set) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Its numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        // Most bits are zero, and each would be asked: the lowest one that is set is found and taken out instead.
        let bits = |(at, word): (usize, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at as u32 * 64 + bit)
            })
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}

impl Extend<u32> for Set {
    fn extend<T: IntoIterator<Item = u32>>(&mut self, numbers: T) {
        numbers.into_iter().for_each(|number| self.insert(number));
    }
}
