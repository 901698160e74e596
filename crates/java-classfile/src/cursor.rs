//! Reading big-endian numbers from a part of a file, with errors that say where.

use crate::error::{ClassError, Malformed};
use std::ops::Range;

/// A position in a file and the end of the part that is read.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Cursor<'a> {
        Cursor { file, at: 0, end: file.len() }
    }

    /// Offset in the file.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end - self.at
    }

    /// The part that is still to be read.
    pub(crate) fn rest(&self) -> Range<usize> {
        self.at..self.end
    }

    pub(crate) fn fail<T>(&self, what: Malformed) -> Result<T, ClassError> {
        Err(ClassError { at: self.at, what })
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], ClassError> {
        if count > self.remaining() {
            return self.fail(Malformed::Truncated);
        }
        let bytes = &self.file[self.at..self.at + count];
        self.at += count;
        Ok(bytes)
    }

    /// A cursor for the next bytes, which this one skips.
    pub(crate) fn part(&mut self, count: usize) -> Result<Cursor<'a>, ClassError> {
        let at = self.at;
        self.bytes(count)?;
        Ok(Cursor { file: self.file, at, end: self.at })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ClassError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, ClassError> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub(crate) fn u2(&mut self) -> Result<u16, ClassError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u4(&mut self) -> Result<u32, ClassError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn u8(&mut self) -> Result<u64, ClassError> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    pub(crate) fn i1(&mut self) -> Result<i8, ClassError> {
        Ok(i8::from_be_bytes(self.array()?))
    }

    pub(crate) fn i2(&mut self) -> Result<i16, ClassError> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(crate) fn i4(&mut self) -> Result<i32, ClassError> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// As many things as a number of two bytes says.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Cursor<'a>) -> Result<T, ClassError>,
    ) -> Result<Vec<T>, ClassError> {
        let count = self.u2()?;
        (0..count).map(|_| item(self)).collect()
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), ClassError> {
        if self.is_empty() { Ok(()) } else { self.fail(Malformed::Excess(self.remaining())) }
    }
}

/// Gives an error its place.
pub(crate) trait Located<T> {
    fn located(self, at: usize) -> Result<T, ClassError>;
}

impl<T> Located<T> for Result<T, Malformed> {
    fn located(self, at: usize) -> Result<T, ClassError> {
        self.map_err(|what| ClassError { at, what })
    }
}
