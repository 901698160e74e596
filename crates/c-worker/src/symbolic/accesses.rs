//! Hooks of what computes addresses and reaches memory.
//!
//! An address that depends on the input may lead to any cell of its object, if those are few; otherwise it is taken as a
//! number.

use super::hooks::{Head, Recorder, pin, recorder};
use super::log::{Event, Log, NEGATED, Record, kind, number};
use super::memory::Entry;
use super::pointers::Base;
use expr::Op;
use std::iter::StepBy;
use std::ops::Range;
use wire::symbolic::{ANONYMOUS, Access};

/// Different reads of one union that are told.
const MOST_READS: usize = 16;

/// Cells that the accesses of one run may choose from together: tables of tables would fill the log.
pub(super) const CELLS_PER_RUN: usize = 1 << 15;

/// A store chooses from so many times fewer cells than a load: each of them becomes a new term, and is chosen from again.
const STORES: usize = 16;

/// No object is larger.
const LARGEST: u64 = 1 << 31;

/// Bytes behind an object that count as near: as many as are sure to be closed.
const NEAR: u64 = 2048;

pub(super) extern "C" fn index(
    sbase: u32,
    sindex: u32,
    base: u64,
    index: u64,
    scale: u64,
    width: u32,
) -> u32 {
    let Some(Recorder { log, .. }) = recorder() else { return 0 };
    let base = log.operand(sbase, base, 64);
    let offset = if sindex == 0 {
        log.constant(index.wrapping_mul(scale), 64)
    } else {
        let wide = match width {
            64 => sindex,
            65.. => log.extract(sindex, 0, 64),
            _ => log.make(Op::SExt, 64, [sindex, 0, 0]),
        };
        if scale == 1 {
            wide
        } else {
            let scale = log.constant(scale, 64);
            log.make(Op::Mul, 64, [wide, scale, 0])
        }
    };
    log.make(Op::Add, 64, [base, offset, 0])
}

pub(super) extern "C" fn load(address: usize, saddress: u32, access: u32, width: u32, site: u32) -> u32 {
    let Some(recorder) = recorder() else { return 0 };
    let (_, bytes) = Access::read(access);
    recorder.decide_members(address, access);
    recorder.note_extra(address, access);
    if saddress == 0 {
        return recorder.loaded(address, bytes, width);
    }
    match recorder.place(address, saddress, access) {
        Some(place) => {
            recorder.decide_bounds(&place, bytes);
            recorder.chosen(&place, bytes, width, site)
        }
        None => recorder.loaded(address, bytes, width),
    }
}

/// An address that depends on the input.
struct Dependent {
    address: usize,
    /// Its distance from `origin`.
    term: u32,
    /// Where the pointer of the input leads that it was made of; 0 if it was made of none.
    origin: u64,
}

impl Dependent {
    /// Another address as a number beside its term.
    fn number(&self, address: usize) -> u64 {
        (address as u64).wrapping_sub(self.origin)
    }
}

impl Recorder {
    /// Whether an address was made of a pointer of the input by adding a small number: then it is not null, and no input
    /// makes it so.
    pub(super) fn is_inside(&mut self, term: u32, address: u64) -> bool {
        let base = self.pointers.base(self.log.records(), term);
        base.is_some_and(|base| {
            let offset = address.wrapping_sub(base.address) as i64;
            base.address != 0 && !base.is_indexed && offset != 0 && offset.unsigned_abs() < LARGEST
        })
    }

    /// Which member of a union is meant is a decision of whoever reads it first: is it the first, or else the second …
    /// What it is read as is told as well.
    fn decide_members(&mut self, address: usize, access: u32) {
        let Recorder { unions, log, .. } = self;
        let (_, bytes) = Access::read(access);
        let read = address..address + bytes as usize;
        let meets = |place: &Range<usize>| place.start < read.end && read.start < place.end;
        for union in unions.iter_mut().filter(|union| meets(&union.place)) {
            let offset = address.wrapping_sub(union.place.start) as u64;
            if union.reads.len() < MOST_READS && !union.reads.contains(&(offset, access)) {
                union.reads.push((offset, access));
                let term = union.term;
                log.event(Event { kind: kind::MEMBER, id: access, term, width: 32, value: offset, table: 0 });
            }
            if union.decided {
                continue;
            }
            union.decided = true;
            for member in 0..=union.chosen.min(union.members.saturating_sub(2)) {
                let is = log.pair(Head::new(Op::Eq, 1), 32, (union.term, 0), (0, member.into()));
                let value = u64::from(member == union.chosen);
                log.event(Event { kind: kind::BRANCH, id: ANONYMOUS, term: is, width: 1, value, table: 0 });
            }
        }
    }

    /// What an access hangs on; `None` if only on a pointer of the input not being null.
    fn place(&mut self, address: usize, saddress: u32, access: u32) -> Option<Dependent> {
        let Some(base) = self.pointers.base(self.log.records(), saddress) else {
            return Some(Dependent { address, term: saddress, origin: 0 });
        };
        self.follow(base, address, access);
        let same_object =
            |o: &Range<usize>| o.contains(&address) && (o.start..=o.end).contains(&(base.address as usize));
        if !base.is_indexed {
            return None;
        }
        if self.objects.containing(address).is_some_and(|object| !same_object(&object)) {
            return Some(Dependent { address, term: saddress, origin: 0 });
        }
        let term = self.log.make(Op::Sub, 64, [saddress, base.pointer, 0]);
        Some(Dependent { address, term, origin: base.address })
    }

    /// A pointer of the input is about to be followed.
    fn follow(&mut self, base: Base, address: usize, access: u32) {
        let offset = (address as u64).wrapping_sub(base.address);
        if self.pointers.use_as(base.pointer, offset, access) {
            let term = base.pointer;
            self.log.event(Event { kind: kind::USED, id: access, term, width: 64, value: offset, table: 0 });
        }
        if base.address == 0 {
            let (_, bytes) = Access::read(access);
            self.log.miss(base.pointer, address as u64 + u64::from(bytes));
        } else if self.pointers.follow(base.pointer) {
            let head = Head { extra: NEGATED, ..Head::new(Op::Eq, 1) };
            let term = self.log.pair(head, 64, (base.pointer, 0), (0, 0));
            self.log.event(Event { kind: kind::FOLLOWED, id: 0, term, width: 1, value: 1, table: 0 });
        }
    }
}

impl Recorder {
    /// The term of a value in memory; 0 if no byte of it has one.
    fn loaded(&mut self, address: usize, bytes: u32, width: u32) -> u32 {
        if let Some(term) = self.memory.whole(address, bytes as usize) {
            return self.cut(term, width);
        }
        if !(0..bytes).any(|i| self.memory.get(address + i as usize) != Entry::NONE) {
            return 0;
        }
        // SAFETY: the target has just read it.
        let numbers = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
        let whole = self.assembled(address, numbers);
        if width < bytes * 8 { self.log.extract(whole, 0, width) } else { whole }
    }

    /// A stored term as a value of this width.
    #[inline]
    fn cut(&mut self, term: u32, width: u32) -> u32 {
        match u32::from(self.log.records()[term as usize].width).cmp(&width) {
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => self.log.extract(term, 0, width),
            // The bits above were zero when it was stored.
            std::cmp::Ordering::Less => self.log.make(Op::ZExt, width, [term, 0, 0]),
        }
    }

    /// The bytes put together, highest first; those without a term are these numbers.
    fn assembled(&mut self, address: usize, numbers: &[u8]) -> u32 {
        let mut whole = 0;
        for (i, &number) in numbers.iter().enumerate() {
            let byte = self.byte(address + i, number);
            let width = (i as u32 + 1) * 8;
            whole = if i == 0 { byte } else { self.log.make(Op::Concat, width, [byte, whole, 0]) };
        }
        whole
    }

    fn byte(&mut self, address: usize, number: u8) -> u32 {
        let Some((term, n)) = self.memory.get(address).get() else {
            return self.log.constant(number.into(), 8);
        };
        let whole = u32::from(self.log.records()[term as usize].width);
        let low = n * 8;
        if whole == 8 {
            term
        } else if whole >= low + 8 {
            self.log.extract(term, low, 8)
        } else {
            let part = self.log.extract(term, low, whole - low);
            self.log.make(Op::ZExt, 8, [part, 0, 0])
        }
    }

    /// A load at an address that depends on the input: any cell of the object that it points into.
    fn chosen(&mut self, place: &Dependent, bytes: u32, width: u32, site: u32) -> u32 {
        let cells = self.cells(place.address, bytes);
        let table = cells.and_then(|cells| Some((self.table(&cells, bytes, width)?, cells)));
        let Some((table, cells)) = table else {
            // The address is taken as a number.
            self.pin(place.term, place.number(place.address), 64, site);
            return self.loaded(place.address, bytes, width);
        };
        let index = self.index_of_cell(&cells, place, bytes, site);
        if index == 0 {
            return 0;
        }
        self.log.push(Record {
            op: Op::Lookup as u8,
            width: width as u8,
            extra: 0,
            number: number::NONE,
            a: index,
            b: table,
            c: cells.len() as u32,
        })
    }

    /// The rows of a table of these cells. One without terms that has not changed is entered once: every character that a
    /// program looks at may be looked up in the same one.
    fn table(&mut self, cells: &StepBy<Range<usize>>, bytes: u32, width: u32) -> Option<u32> {
        let first = cells.clone().next()?;
        let size = cells.len() * bytes as usize;
        let is_plain = !self.memory.any(first, size);
        // SAFETY: inside a live object.
        let content = unsafe { std::slice::from_raw_parts(first as *const u8, size) };
        if is_plain
            && let Some((known, table)) = self.tables.get(&(first, bytes, width))
            && known == content
        {
            return Some(*table);
        }
        self.cells_left = self.cells_left.checked_sub(cells.len())?;
        let rows: Vec<u32> = cells.clone().map(|cell| self.cell(cell, bytes, width)).collect();
        let table = self.log.add_rows(&rows).filter(|_| !rows.contains(&0))?;
        if is_plain {
            self.tables.insert((first, bytes, width), (content.to_vec(), table));
        }
        Some(table)
    }

    /// The addresses that an access may have instead of `address`: those of whole cells of its object, unless they are
    /// too many.
    fn cells(&self, address: usize, bytes: u32) -> Option<StepBy<Range<usize>>> {
        let size = bytes as usize;
        let object = self.objects.containing(address).filter(|o| address + size <= o.end)?;
        let first = object.start + (address - object.start) % size;
        let count = (object.end - first) / size;
        let is_small = count <= self.choices;
        is_small.then(|| (first..first + count * size).step_by(size))
    }

    /// Which of the cells an address is; the path says that it is one of them.
    fn index_of_cell(
        &mut self,
        cells: &StepBy<Range<usize>>,
        place: &Dependent,
        bytes: u32,
        site: u32,
    ) -> u32 {
        let Some(first) = cells.clone().next() else { return 0 };
        let by_number = |log: &mut Log, op, width, term, number: u64| {
            log.pair(Head::new(op, width), 64, (term, 0), (0, number))
        };
        if let Some((base, wide)) = self.scaled(place, bytes.into()) {
            let before = base.wrapping_sub(place.number(first)) as i64 / i64::from(bytes);
            let index = by_number(&mut self.log, Op::Add, 64, wide, before as u64);
            let inside = by_number(&mut self.log, Op::Ult, 1, index, cells.len() as u64);
            self.assume(inside, site);
            return index;
        }
        let offset = by_number(&mut self.log, Op::Sub, 64, place.term, place.number(first));
        let index = by_number(&mut self.log, Op::UDiv, 64, offset, bytes.into());
        let inside = by_number(&mut self.log, Op::Ult, 1, index, cells.len() as u64);
        self.assume(inside, site);
        if bytes > 1 {
            let rest = by_number(&mut self.log, Op::URem, 64, offset, bytes.into());
            let aligned = by_number(&mut self.log, Op::Eq, 1, rest, 0);
            self.assume(aligned, site);
        }
        index
    }

    /// The number and the index of which an address was made by adding the number and the index times so many bytes.
    fn scaled(&self, place: &Dependent, bytes: u64) -> Option<(u64, u32)> {
        let record = |term: u32| self.log.records().get(term as usize);
        let number = |term: u32| {
            record(term).filter(|r| r.op == Op::Const as u8).map(|r| u64::from(r.a) | u64::from(r.b) << 32)
        };
        let pair = |term: u32, op: Op| {
            record(term).filter(|r| r.op == op as u8 && r.number == number::NONE).map(|r| (r.a, r.b))
        };
        let (base, offset) = match place.origin {
            0 => pair(place.term, Op::Add).and_then(|(base, offset)| Some((number(base)?, offset)))?,
            _ => {
                let (address, pointer) = pair(place.term, Op::Sub)?;
                let (base, offset) = pair(address, Op::Add)?;
                (base == pointer).then_some((0, offset))?
            }
        };
        if bytes == 1 {
            return Some((base, offset));
        }
        let (index, scale) = pair(offset, Op::Mul)?;
        (number(scale) == Some(bytes)).then_some((base, index))
    }

    /// The value of a cell, as a term in any case.
    fn cell(&mut self, address: usize, bytes: u32, width: u32) -> u32 {
        let term = self.loaded(address, bytes, width);
        if term != 0 {
            return term;
        }
        let mut number = [0; 16];
        // SAFETY: inside a live object; no cell has more than 16 bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, number.as_mut_ptr(), bytes.min(16) as usize);
        }
        self.log.wide_constant(u128::from_le_bytes(number), width)
    }

    /// A store at an address that depends on the input: every cell of the object has the new value, or keeps its own.
    /// Nothing is done if there are too many.
    fn spread(&mut self, place: &Dependent, bytes: u32, svalue: u32, site: u32) -> bool {
        let address = place.address;
        let few = self.choices / STORES;
        let cells = self.cells(address, bytes).filter(|cells| cells.len() <= few.min(self.cells_left));
        let Some(cells) = cells.filter(|_| self.overwritten.0 == address) else { return false };
        self.cells_left -= cells.len();
        let width = bytes * 8;
        let index = self.index_of_cell(&cells, place, bytes, site);
        let overwritten = self.overwritten.1;
        let before = match self.memory.whole(address, bytes as usize) {
            Some(term) => self.cut(term, width),
            None => self.assembled(address, &overwritten[..bytes as usize]),
        };
        self.put(address, bytes, svalue);
        let new = self.cell(address, bytes, width);
        for (i, cell) in cells.enumerate() {
            let old = if cell == address { before } else { self.cell(cell, bytes, width) };
            let here = self.log.pair(Head::new(Op::Eq, 1), 64, (index, 0), (0, i as u64));
            let value = self.log.make(Op::Ite, width, [here, new, old]);
            self.put(cell, bytes, value);
        }
        true
    }

    pub(super) fn pin(&mut self, term: u32, value: u64, width: u32, site: u32) {
        self.log.lose(site);
        self.log.event(Event { kind: kind::PIN, id: site, term, width, value, table: 0 });
    }

    /// Two decisions that no goal belongs to: whether an address of the input is near its object, and if so, whether the
    /// access is inside. So there is a way that leads just behind the end, where the access faults.
    fn decide_bounds(&mut self, place: &Dependent, bytes: u32) {
        let address = place.address;
        let size = bytes as usize;
        let object = self.objects.containing(address).filter(|o| self.find_errors && address + size <= o.end);
        let Some(object) = object else { return };
        let last = (object.len() - size) as u64;
        let offset =
            self.log.pair(Head::new(Op::Sub, 64), 64, (place.term, 0), (0, place.number(object.start)));
        for most in [last + NEAR, last] {
            let holds = self.log.pair(Head::new(Op::Ule, 1), 64, (offset, 0), (0, most));
            if holds != 0 {
                let event =
                    Event { kind: kind::BRANCH, id: ANONYMOUS, term: holds, width: 1, value: 1, table: 0 };
                self.log.event(event);
            }
        }
    }

    /// Bytes that are read or written together are taken to be those that they are now; only whether their object can have so
    /// many is told. An input for which it cannot ends there: another must ask for fewer. Ways that lead outside are only
    /// looked for when errors are. `false` if the object is not known.
    fn decide_extent(&mut self, address: usize, saddress: u32, bytes: u64, sbytes: u32) -> bool {
        let base = match saddress {
            0 => None,
            _ => match self.pointers.base(self.log.records(), saddress) {
                // No bytes can be reached through null. An input that asks for some gets an object.
                Some(base) if base.address == 0 => return true,
                Some(base) => Some(base),
                None => return false,
            },
        };
        let anchor = base.as_ref().map_or(address, |base| base.address as usize);
        let Some((start, length)) = self.objects.extent(anchor) else { return false };
        let (length, offset) = (length as u64, (address as u64).wrapping_sub(start as u64));
        let soffset = match base.filter(|base| base.is_indexed) {
            Some(base) => {
                let distance = self.log.make(Op::Sub, 64, [saddress, base.pointer, 0]);
                let before = base.address.wrapping_sub(start as u64);
                self.log.pair(Head::new(Op::Add, 64), 64, (distance, 0), (0, before))
            }
            None => 0,
        };
        let begins = self.log.pair(Head::new(Op::Ule, 1), 64, (soffset, offset), (0, length));
        if self.decide_inside(begins, offset <= length) {
            let room = self.log.pair(Head::new(Op::Sub, 64), 64, (0, length), (soffset, offset));
            let fits = self.log.pair(Head::new(Op::Ule, 1), 64, (sbytes, bytes), (room, length - offset));
            self.decide_inside(fits, bytes <= length - offset);
        }
        true
    }

    fn decide_inside(&mut self, term: u32, holds: bool) -> bool {
        if term != 0 {
            let decided = !holds || self.find_errors;
            let kind = if decided { kind::BRANCH } else { kind::FOLLOWED };
            self.log.event(Event { kind, id: ANONYMOUS, term, width: 1, value: holds.into(), table: 0 });
        }
        holds
    }

    /// A condition that must go on to hold.
    fn assume(&mut self, term: u32, site: u32) {
        if term != 0 {
            self.log.event(Event { kind: kind::PIN, id: site, term, width: 1, value: 1, table: 0 });
        }
    }

    pub(super) fn put(&mut self, address: usize, bytes: u32, term: u32) {
        if term != 0 && self.memory.replace(address, bytes as usize, term) {
            return;
        }
        for i in 0..bytes {
            let entry = if term == 0 { Entry::NONE } else { Entry::new(term, i) };
            self.memory.set(address + i as usize, entry);
        }
    }
}

pub(super) extern "C" fn store(
    address: usize,
    saddress: u32,
    access: u32,
    svalue: u32,
    width: u32,
    site: u32,
) {
    let Some(recorder) = recorder() else { return };
    let (_, bytes) = Access::read(access);
    // Memory holds whole bytes: bits above the width are zero.
    let whole = bytes * 8;
    let term = match svalue {
        _ if whole > 128 => 0,
        0 => 0,
        _ if width < whole => recorder.log.make(Op::ZExt, whole, [svalue, 0, 0]),
        _ => svalue,
    };
    if saddress != 0
        && let Some(place) = recorder.place(address, saddress, access)
    {
        recorder.decide_bounds(&place, bytes);
        if whole <= 128 && recorder.spread(&place, bytes, term, site) {
            return;
        }
        recorder.pin(place.term, place.number(address), 64, site);
    }
    recorder.put(address, bytes, term);
}

pub(super) extern "C" fn before_store(address: usize, saddress: u32, access: u32) {
    let Some(recorder) = recorder() else { return };
    let (_, bytes) = Access::read(access);
    if let Some(base) = recorder.pointers.base(recorder.log.records(), saddress) {
        recorder.follow(base, address, access);
        recorder.log.note_written();
    }
    let bytes = (bytes as usize).min(16);
    recorder.overwritten = (0, [0; 16]);
    // A wild address must fault in the target.
    if recorder.objects.containing(address).is_some_and(|object| address + bytes <= object.end) {
        recorder.overwritten.0 = address;
        // SAFETY: inside a live object.
        unsafe {
            let place = recorder.overwritten.1.as_mut_ptr();
            std::ptr::copy_nonoverlapping(address as *const u8, place, bytes);
        }
    }
}

pub(super) extern "C" fn copy(to: usize, from: usize, bytes: usize) {
    let Some(Recorder { memory, objects, log, .. }) = recorder() else { return };
    if objects.is_input(to) {
        log.note_written();
    }
    if from == 0 || to == 0 || (!memory.any(from, bytes) && !memory.any(to, bytes)) {
        return;
    }
    let shadows: Vec<Entry> = (0..bytes).map(|i| memory.get(from + i)).collect();
    for (i, shadow) in shadows.into_iter().enumerate() {
        memory.set(to + i, shadow);
    }
}

pub(super) extern "C" fn fill(to: usize, svalue: u32, bytes: usize) {
    let Some(Recorder { memory, objects, log, .. }) = recorder() else { return };
    if objects.is_input(to) {
        log.note_written();
    }
    if to == 0 || (svalue == 0 && !memory.any(to, bytes)) {
        return;
    }
    // The value of `memset` is an int of which the low byte counts.
    let byte = match svalue {
        0 => 0,
        term if log.records()[term as usize].width > 8 => log.extract(term, 0, 8),
        term => term,
    };
    let entry = if byte == 0 { Entry::NONE } else { Entry::new(byte, 0) };
    for i in 0..bytes {
        memory.set(to + i, entry);
    }
}

pub(super) extern "C" fn extent(
    address: usize,
    saddress: u32,
    bytes: u64,
    sbytes: u32,
    site: u32,
    pinned: u32,
) {
    let Some(recorder) = recorder() else { return };
    if recorder.decide_extent(address, saddress, bytes, sbytes) {
        let base = recorder.pointers.base(recorder.log.records(), saddress);
        if sbytes != 0 || base.is_some_and(|base| base.is_indexed) {
            recorder.log.lose(site);
        }
        return;
    }
    for (term, value) in [(saddress, address as u64), (sbytes, bytes)] {
        if term != 0 {
            pin(term, value, 64, pinned);
        }
    }
}
