//! The constants of a class and those that are added to them.

use super::Why;
use crate::pool::Pool;
use crate::text;
use std::borrow::Cow;
use std::collections::HashMap;

/// One more than the highest index has to fit two bytes.
const MAX_COUNT: u32 = 65_535;

/// Constants of a file, and new ones. Equal constants are the same bytes, and stand once.
pub(super) struct PoolBuilder<'a> {
    file: &'a [u8],
    /// Where the constants of the file end.
    end: usize,
    known: HashMap<Cow<'a, [u8]>, u32>,
    count: u32,
    added: Vec<u8>,
}

/// A state to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    count: u32,
    bytes: usize,
}

/// Offset of the first constant.
const START: usize = 10;

impl<'a> PoolBuilder<'a> {
    /// The constants of a file.
    pub(super) fn new(file: &'a [u8], pool: &Pool) -> PoolBuilder<'a> {
        let mut known = HashMap::new();
        for (index, span) in (0..).zip(&pool.spans) {
            if !span.is_empty() {
                known.entry(Cow::Borrowed(&file[span.clone()])).or_insert(index);
            }
        }
        let end = pool.spans.iter().map(|span| span.end).max().unwrap_or(0).max(START);
        PoolBuilder { file, end, known, count: pool.count() as u32, added: Vec::new() }
    }

    /// Where the constants of the file end.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The beginning of the new file, up to the end of the constants.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut head = self.file[..START - 2].to_vec();
        head.extend((self.count as u16).to_be_bytes());
        head.extend_from_slice(&self.file[START..self.end]);
        head.extend_from_slice(&self.added);
        head
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { count: self.count, bytes: self.added.len() }
    }

    /// Takes back what was added since.
    pub(super) fn forget(&mut self, mark: Mark) {
        self.known.retain(|_, index| *index < mark.count);
        self.count = mark.count;
        self.added.truncate(mark.bytes);
    }

    /// The index of a constant of this many indices, given as the bytes of the file.
    fn intern(&mut self, constant: Vec<u8>, width: u32) -> Result<u16, Why> {
        if let Some(&index) = self.known.get(constant.as_slice()) {
            return Ok(index as u16);
        }
        if self.count + width > MAX_COUNT {
            return Err(Why::PoolFull);
        }
        let index = self.count;
        self.count += width;
        self.added.extend_from_slice(&constant);
        self.known.insert(Cow::Owned(constant), index);
        Ok(index as u16)
    }

    /// A text, which must have at most 65,535 bytes.
    pub(super) fn utf8(&mut self, text: &str) -> Result<u16, Why> {
        let encoded = text::encode(text);
        let mut constant = vec![1];
        constant.extend((encoded.len() as u16).to_be_bytes());
        constant.extend(encoded);
        self.intern(constant, 1)
    }

    pub(super) fn integer(&mut self, value: i32) -> Result<u16, Why> {
        self.intern([&[3][..], &value.to_be_bytes()].concat(), 1)
    }

    pub(super) fn long(&mut self, value: i64) -> Result<u16, Why> {
        self.intern([&[5][..], &value.to_be_bytes()].concat(), 2)
    }

    pub(super) fn class(&mut self, name: &str) -> Result<u16, Why> {
        let name = self.utf8(name)?;
        self.intern(of_indices(7, &[name]), 1)
    }

    pub(super) fn string(&mut self, text: &str) -> Result<u16, Why> {
        let text = self.utf8(text)?;
        self.intern(of_indices(8, &[text]), 1)
    }

    pub(super) fn field(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Why> {
        self.member(9, class, name, descriptor)
    }

    pub(super) fn method(&mut self, class: &str, name: &str, descriptor: &str) -> Result<u16, Why> {
        self.member(10, class, name, descriptor)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> Result<u16, Why> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.intern(of_indices(12, &[name, descriptor]), 1)?;
        self.intern(of_indices(tag, &[class, name_and_type]), 1)
    }
}

fn of_indices(tag: u8, indices: &[u16]) -> Vec<u8> {
    let mut constant = vec![tag];
    constant.extend(indices.iter().flat_map(|index| index.to_be_bytes()));
    constant
}
