//! Symbolic runs: the twins of the target's functions, and the path that comes of running one.

mod hooks;
mod import;
mod log;
mod memory;
mod objects;
mod variadic;

use crate::image::{Image, LoadError, Trampoline, open_object};
use crate::layout::{Placed, Plan};
use expr::{Op, Terms};
use hooks::Recorder;
use input::Input;
use log::{Log, Record};
use memory::{Entry, Memory};
use model::{Function, Program};
use objects::Objects;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::path::Path as FilePath;
use target::Path;
use wire::abi::TRAMPOLINE;
use wire::symbolic::{LossSite, SymbolicSlot, TABLE, TWIN_SUFFIX, TWINS};

/// Why there is no symbolic twin.
#[derive(Debug, thiserror::Error)]
pub enum SymbolicError {
    /// The object cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The system refuses the address space for shadows.
    #[error("no room for shadows: {0}")]
    Room(#[from] std::io::Error),
    /// Two areas of memory would share their shadows.
    #[error("the target's memory lies so that its shadows would meet")]
    Overlap,
}

/// The loaded twins.
#[derive(Debug)]
pub(crate) struct Twins {
    recorder: Box<Recorder>,
    sites: Vec<LossSite>,
    handle: *mut c_void,
}

impl Twins {
    /// Loads the object that belongs to `image`. `areas` are the parts of memory whose shadows matter; `find_errors` makes
    /// decisions of accesses that could leave their object.
    pub(crate) fn load(
        path: &FilePath,
        sites: Vec<LossSite>,
        image: &Image,
        areas: &[Range<usize>],
        find_errors: bool,
    ) -> Result<Twins, SymbolicError> {
        if meet(areas) {
            return Err(SymbolicError::Overlap);
        }
        let handle = open_object(path)?;
        let symbol = |name: &'static str| {
            crate::image::symbol_of(handle, name).ok_or(SymbolicError::Load(LoadError::Missing(name)))
        };
        let table = symbol(TABLE)?;
        for (i, &slot) in SymbolicSlot::ALL.iter().enumerate() {
            // SAFETY: by the ABI the table has a place for every slot.
            unsafe { *table.cast::<*const c_void>().add(i) = hooks::entry(slot) };
        }
        // SAFETY: by the ABI pairs up to a null.
        let twins = unsafe { read_twins(symbol(TWINS)?.cast()) };
        let recorder = Recorder {
            log: Log::new()?,
            memory: Memory::new()?,
            objects: Objects::new(variables(image)),
            twins,
            overwritten: (0, [0; 16]),
            choices: wire::DEFAULT_CHOICES as usize,
            cells_left: 0,
            find_errors,
        };
        Ok(Twins { recorder: Box::new(recorder), sites, handle })
    }

    /// How to call the twin of a function.
    pub(crate) fn trampoline(&self, function: &Function) -> Option<Trampoline> {
        let name = format!("{TRAMPOLINE}{}{TWIN_SUFFIX}", function.symbol);
        let symbol = crate::image::symbol_of(self.handle, &name)?;
        // SAFETY: by the ABI.
        Some(unsafe { std::mem::transmute::<*mut c_void, Trampoline>(symbol) })
    }

    /// Makes every number of the input a variable. The input must be in memory already.
    pub(crate) fn begin(&mut self, plan: &Plan, input: &Input, placed: &[Placed]) {
        let recorder = &mut *self.recorder;
        recorder.log.clear();
        recorder.memory.clear();
        recorder.objects.set_input(placed);
        recorder.cells_left = hooks::CELLS_PER_RUN;
        let mut variable = 0;
        for (object, place) in input.objects.iter().zip(placed) {
            plan.each_number(object, place, |cell, address, bit, width| {
                recorder.mark(variable + cell as u32, address, bit, width);
            });
            variable += object.cells.len() as u32;
        }
        // SAFETY: the box stays where it is until `end`.
        unsafe { hooks::install(recorder) };
    }

    /// From now on a load or a store at an address of the input chooses from so many cells at most.
    pub(crate) fn set_choices(&mut self, cells: usize) {
        self.recorder.choices = cells;
    }

    /// What is lost at a place, in words.
    pub(crate) fn loss(&self, site: u32) -> Option<String> {
        let LossSite { file, line, what } = self.sites.get(site as usize)?;
        Some(if file.is_empty() { what.clone() } else { format!("{file}:{line}: {what}") })
    }

    /// The path of the run since `begin`, whose input it was.
    pub(crate) fn end(&mut self, input: &Input, terms: &mut Terms) -> Path {
        // SAFETY: the run is over.
        unsafe { hooks::install(std::ptr::null_mut()) };
        let path = import::path(&self.recorder.log, &self.sites, terms, &assignment(input));
        self.recorder.memory.clear();
        path
    }
}

/// The variables of an input: all its cells, one after the other.
fn assignment(input: &Input) -> Vec<u128> {
    input.objects.iter().flat_map(|object| object.cells.iter().copied()).collect()
}

impl Recorder {
    /// Makes the bits `bit .. bit + width` at an address a variable.
    fn mark(&mut self, variable: u32, address: usize, bit: u32, width: u32) {
        let term =
            self.log.push(Record { op: Op::Var as u8, width: width as u8, a: variable, ..Record::default() });
        if term == 0 {
            return;
        }
        if bit == 0 && width.is_multiple_of(8) {
            for i in 0..width / 8 {
                self.memory.set(address + i as usize, Entry::new(term, i));
            }
            return;
        }
        self.mark_field(term, address, bit, width);
    }

    /// A bit-field shares bytes with its neighbours.
    fn mark_field(&mut self, term: u32, address: usize, bit: u32, width: u32) {
        for byte in 0..(bit + width).div_ceil(8) {
            let at = address + byte as usize;
            let old = match self.memory.get(at).get() {
                Some((old, _)) => old,
                // SAFETY: the input is there.
                None => self.log.constant(u64::from(unsafe { *(at as *const u8) }), 8),
            };
            let from = (byte * 8).max(bit);
            let to = (byte * 8 + 8).min(bit + width);
            let mut whole = self.log.extract(term, from - bit, to - from);
            let low = from - byte * 8;
            if low > 0 {
                let below = self.log.extract(old, 0, low);
                whole = self.log.make(Op::Concat, low + to - from, [whole, below, 0]);
            }
            let high = to - byte * 8;
            if high < 8 {
                let above = self.log.extract(old, high, 8 - high);
                whole = self.log.make(Op::Concat, 8, [above, whole, 0]);
            }
            if whole != 0 {
                self.memory.set(at, Entry::new(whole, 0));
            }
        }
    }
}

fn meet(areas: &[Range<usize>]) -> bool {
    let windows: Vec<Range<usize>> = areas
        .iter()
        .map(|area| memory::window(area.start)..memory::window(area.start) + area.len())
        .collect();
    windows.iter().enumerate().any(|(i, a)| windows[..i].iter().any(|b| a.start < b.end && b.start < a.end))
}

unsafe fn read_twins(mut pair: *const [usize; 2]) -> HashMap<usize, usize> {
    let mut twins = HashMap::new();
    // SAFETY: by contract.
    unsafe {
        while (*pair.cast::<usize>()) != 0 {
            let [function, twin] = *pair;
            twins.insert(function, twin);
            pair = pair.add(1);
        }
    }
    twins
}

/// Where the program's variables are.
fn variables(image: &Image) -> Vec<Range<usize>> {
    let program: &Program = image.program();
    (0..program.globals.len())
        .filter_map(|i| {
            let id = model::GlobalId(i as u32);
            let start = image.global(id)? as usize;
            let size = program.types.size(program.globals[i].ty) as usize;
            Some(start..start + size)
        })
        .collect()
}
