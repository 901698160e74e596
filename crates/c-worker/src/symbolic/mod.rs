//! Symbolic runs: the twins of the target's functions, and the path that comes of running one.

mod accesses;
mod arithmetic;
mod hooks;
mod import;
mod lengths;
mod log;
mod memory;
mod objects;
mod pointers;
mod variadic;

use crate::image::{Image, LoadError, Trampoline, open_object};
use crate::layout::{CellKind, Placed, PlacedCell, Plan};
use expr::{Op, Terms};
use hooks::{Recorder, Union};
use input::Input;
use lengths::Length;
use log::{Log, Record};
use memory::{Entry, Memory};
use model::{Function, Program};
use objects::Objects;
use pointers::Pointers;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::path::Path as FilePath;
use target::{NO_LENGTH, Path};
use variadic::Extras;
use wire::abi::TRAMPOLINE;
use wire::symbolic::{LIBRARY_TABLES, LossSite, SymbolicSlot, TABLE, TWIN_SUFFIX, TWINS};

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
    /// The values of the variables of the present run.
    assignment: Vec<u128>,
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
            objects: Objects::new(variables(image, handle)),
            pointers: Pointers::default(),
            extras: Extras::default(),
            unions: Vec::new(),
            twins,
            overwritten: (0, [0; 16]),
            choices: wire::DEFAULT_CHOICES as usize,
            cells_left: 0,
            tables: HashMap::new(),
            find_errors,
            lengths: Vec::new(),
        };
        Ok(Twins { recorder: Box::new(recorder), sites, handle, assignment: Vec::new() })
    }

    /// How to call the twin of a function.
    pub(crate) fn trampoline(&self, function: &Function) -> Option<Trampoline> {
        let name = format!("{TRAMPOLINE}{}{TWIN_SUFFIX}", function.symbol);
        let symbol = crate::image::symbol_of(self.handle, &name)?;
        // SAFETY: by the ABI.
        Some(unsafe { std::mem::transmute::<*mut c_void, Trampoline>(symbol) })
    }

    /// Makes every cell of the input a variable; `names` has their numbers. The input must be in memory already.
    pub(crate) fn begin(&mut self, plan: &Plan, input: &Input, placed: &[Placed], names: &[u32]) {
        let recorder = &mut *self.recorder;
        recorder.log.clear();
        recorder.memory.clear();
        let most = |i: usize, object: &input::Object| {
            if plan.is_root(i) {
                0
            } else {
                plan.stride(object.table).saturating_mul(plan.most_elements as usize)
            }
        };
        let objects = input.objects.iter().zip(placed).enumerate();
        recorder.objects.set_input(objects.map(|(i, (object, place))| (place, most(i, object))));
        recorder.cells_left = accesses::CELLS_PER_RUN;
        recorder.pointers.clear();
        recorder.unions.clear();
        recorder.extras.clear();
        recorder.lengths.clear();
        recorder.tables.clear();
        self.assignment.clear();
        self.assignment
            .resize(names.iter().filter(|&&n| n != NO_LENGTH).max().map_or(0, |&last| last as usize + 1), 0);
        let mut first = 0;
        for (i, (object, place)) in input.objects.iter().zip(placed).enumerate() {
            let is_rest = plan.rest == Some(i);
            plan.each_variable(object, place, |at| {
                // How an argument is written down is nothing that a run can ask.
                if is_rest && matches!(at.kind, CellKind::Union { .. }) {
                    return;
                }
                let Some(&variable) = names.get(first + at.cell) else { return };
                let term = recorder.mark(variable, at);
                let mut value = object.cells[at.cell];
                match at.kind {
                    CellKind::Number => {}
                    CellKind::Pointer { is_untyped } => {
                        // SAFETY: the input is there.
                        let address = unsafe { (at.address as *const u64).read_unaligned() };
                        recorder.pointers.add(term, address, is_untyped);
                        value = address.into();
                    }
                    CellKind::Union { members, bytes } => {
                        let place = at.address..at.address + bytes as usize;
                        recorder.unions.push(Union {
                            place,
                            term,
                            members,
                            chosen: value as u32,
                            decided: false,
                            reads: Vec::new(),
                        });
                    }
                }
                self.assignment[variable as usize] = value;
            });
            if is_rest {
                recorder.begin_extras(place.start);
            }
            first += object.cells.len();
        }
        for ((object, place), &variable) in input.objects.iter().zip(placed).zip(names.iter().skip(first)) {
            if variable != NO_LENGTH {
                let stride = plan.stride(object.table);
                recorder.lengths.push(Length::new(place, stride, variable, plan.most_elements));
                self.assignment[variable as usize] = object.len.into();
            }
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

    /// The path of the run since `begin`.
    pub(crate) fn end(&mut self, terms: &mut Terms) -> Path {
        // SAFETY: the run is over.
        unsafe { hooks::install(std::ptr::null_mut()) };
        let path = import::path(&self.recorder.log, &self.sites, terms, &self.assignment);
        self.recorder.memory.clear();
        path
    }
}

impl Recorder {
    /// Makes a cell a variable. Returns the variable's term.
    fn mark(&mut self, variable: u32, at: PlacedCell) -> u32 {
        let PlacedCell { address, bit, width, .. } = at;
        let term =
            self.log.push(Record { op: Op::Var as u8, width: width as u8, a: variable, ..Record::default() });
        if matches!(at.kind, CellKind::Union { .. }) {
            return term;
        }
        if term != 0 && bit == 0 && width.is_multiple_of(8) {
            for i in 0..width / 8 {
                self.memory.set(address + i as usize, Entry::new(term, i));
            }
        } else if term != 0 {
            self.mark_field(term, address, bit, width);
        }
        term
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

/// Where the program's variables are, and the tables of the library.
fn variables(image: &Image, twins: *mut c_void) -> Vec<Range<usize>> {
    let program: &Program = image.program();
    let globals = (0..program.globals.len()).filter_map(|i| {
        let id = model::GlobalId(i as u32);
        let start = image.global(id)? as usize;
        let size = program.types.size(program.globals[i].ty) as usize;
        Some(start..start + size)
    });
    let tables = LIBRARY_TABLES.iter().filter_map(|&(name, size)| {
        let start = crate::image::symbol_of(twins, name)? as usize;
        Some(start..start + size)
    });
    globals.chain(tables).collect()
}
