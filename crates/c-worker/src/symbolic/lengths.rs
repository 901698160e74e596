//! How long the objects of the input are, where somebody asks: lengths are variables, too.

use super::hooks::recorder;
use super::log::{Event, Log, Record, kind};
use crate::layout::Placed;
use expr::Op;

/// An object whose length has a variable.
#[derive(Debug)]
pub(super) struct Length {
    start: usize,
    end: usize,
    /// Bytes of an element.
    stride: u64,
    /// The variable.
    variable: u32,
    /// The most elements there can be.
    most: u32,
    /// Its term, once somebody asked.
    term: u32,
}

impl Length {
    pub(super) fn new(place: &Placed, stride: usize, variable: u32, most: u32) -> Length {
        let (start, end) = (place.start, place.start + place.size);
        Length { start, end, stride: stride as u64, variable, most, term: 0 }
    }

    /// The number of elements; it stays what an input can have.
    fn term(&mut self, log: &mut Log) -> u32 {
        if self.term == 0 {
            self.term =
                log.push(Record { op: Op::Var as u8, width: 64, a: self.variable, ..Record::default() });
            let (one, most) = (log.constant(1, 64), log.constant(self.most.into(), 64));
            for (least, greatest) in [(one, self.term), (self.term, most)] {
                let holds = log.make(Op::Ule, 1, [least, greatest, 0]);
                log.event(Event { kind: kind::FOLLOWED, id: 0, term: holds, width: 1, value: 1, table: 0 });
            }
        }
        self.term
    }
}

/// The term of the elements from an address to the end of its object.
pub(super) extern "C" fn elements(address: usize, size: u64) -> u32 {
    let Some(recorder) = recorder() else { return 0 };
    let found = recorder.lengths.iter_mut().find(|l| (l.start..=l.end).contains(&address));
    let Some(length) = found else { return 0 };
    let log = &mut recorder.log;
    let all = length.term(log);
    let before = (address - length.start) as u64;
    if size > 0 && size == length.stride && before.is_multiple_of(size) {
        let before = log.constant(before / size, 64);
        return log.make(Op::Sub, 64, [all, before, 0]);
    }
    let [stride, before, size] = [length.stride, before, size.max(1)].map(|number| log.constant(number, 64));
    let bytes = log.make(Op::Mul, 64, [all, stride, 0]);
    let bytes = log.make(Op::Sub, 64, [bytes, before, 0]);
    log.make(Op::UDiv, 64, [bytes, size, 0])
}
