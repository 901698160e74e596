//! Sets of small integers as bits, alone and as the rows of a matrix.

const WORD: usize = u64::BITS as usize;

/// A set of indices. Whoever makes one knows how many there are; `grow` is for those who do not.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(crate) fn new(length: usize) -> Bits {
        Bits { words: vec![0; length.div_ceil(WORD)] }
    }

    pub(crate) fn grow(&mut self, length: usize) {
        let words = length.div_ceil(WORD).max(self.words.len());
        self.words.resize(words, 0);
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn insert(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / WORD) {
            *word |= 1 << (index % WORD);
        }
    }

    pub(crate) fn remove(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / WORD) {
            *word &= !(1 << (index % WORD));
        }
    }

    pub(crate) fn contains(&self, index: usize) -> bool {
        contains(&self.words, index)
    }

    pub(crate) fn intersects(&self, other: &[u64]) -> bool {
        intersects(&self.words, other)
    }

    pub(crate) fn unite(&mut self, other: &[u64]) {
        self.words.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
    }

    pub(crate) fn keep(&mut self, other: &[u64]) {
        self.words.iter_mut().zip(other).for_each(|(word, mask)| *word &= mask);
    }

    pub(crate) fn subtract(&mut self, other: &[u64]) {
        self.words.iter_mut().zip(other).for_each(|(word, less)| *word &= !less);
    }

    /// Becomes a copy without asking for memory: both are of the same length.
    pub(crate) fn copy(&mut self, other: &[u64]) {
        self.words.iter_mut().zip(other).for_each(|(word, new)| *word = *new);
    }

    /// The smallest index in the set that is not below `from`.
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        next(&self.words, from)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        indices(&self.words)
    }
}

// Trailing zero words say nothing: the sets of two summaries need not be equally long.
impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Bits {}

/// A relation between indices.
#[derive(Clone, Debug)]
pub(crate) struct BitMatrix {
    words: Vec<u64>,
    stride: usize,
}

impl BitMatrix {
    pub(crate) fn new(rows: usize, columns: usize) -> BitMatrix {
        let stride = columns.div_ceil(WORD);
        BitMatrix { words: vec![0; rows * stride], stride }
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        self.words.get(row * self.stride..(row + 1) * self.stride).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / WORD] |= 1 << (column % WORD);
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> bool {
        contains(self.row(row), column)
    }

    /// Adds the members of row `from` to row `to`, and says whether that was news.
    pub(crate) fn unite_rows(&mut self, to: usize, from: usize) -> bool {
        let mut changed = false;
        for word in 0..self.stride {
            let more = self.words[from * self.stride + word];
            let into = &mut self.words[to * self.stride + word];
            changed |= more & !*into != 0;
            *into |= more;
        }
        changed
    }
}

pub(crate) fn contains(words: &[u64], index: usize) -> bool {
    words.get(index / WORD).is_some_and(|word| word >> (index % WORD) & 1 == 1)
}

pub(crate) fn intersects(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).any(|(l, r)| l & r != 0)
}

/// Whether everything in `inner` is in `outer`, a row of the same matrix or as long.
pub(crate) fn is_subset(inner: &[u64], outer: &[u64]) -> bool {
    inner.iter().zip(outer).all(|(i, o)| i & !o == 0)
}

pub(crate) fn indices(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let index = next(words, from)?;
        from = index + 1;
        Some(index)
    })
}

fn next(words: &[u64], from: usize) -> Option<usize> {
    let first = from / WORD;
    let head = words.get(first)? & (u64::MAX << (from % WORD));
    if head != 0 {
        return Some(first * WORD + head.trailing_zeros() as usize);
    }
    let (at, word) = words.iter().enumerate().skip(first + 1).find(|(_, word)| **word != 0)?;
    Some(at * WORD + word.trailing_zeros() as usize)
}
