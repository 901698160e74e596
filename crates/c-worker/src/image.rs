//! An instrumented shared object, loaded.

use crate::runtime;
use libc::{PF_W, PF_X, PT_GNU_RELRO, PT_LOAD, PT_TLS};
use model::{FunctionId, GlobalId, Program};
use std::ffi::{CStr, CString, c_int, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use wire::abi::{ENVIRONMENT_FLAG, RUNTIME_TABLE, Slot, TICKS, TRAMPOLINE};

/// Why a shared object cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The dynamic linker refuses it; in its own words.
    #[error("cannot load the target: {0}")]
    Link(String),
    /// It was not made by our instrumentation.
    #[error("the target does not export `{0}`")]
    Missing(&'static str),
    /// Its segments cannot be found in memory.
    #[error("the target's segments cannot be found")]
    Segments,
}

/// Calls a function: takes its arguments from one block and stores its result in another.
pub(crate) type Trampoline = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// A loaded target: code, data and what the model says about them.
#[derive(Debug)]
pub struct Image {
    handle: *mut c_void,
    program: Arc<Program>,
    pub(crate) ticks: *mut i64,
    /// Not zero after a run that asked the machine something; null if the image has no such flag.
    pub(crate) environment: *mut i32,
    pub(crate) segments: Segments,
}

/// Where the parts of an image are in memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Segments {
    /// Address that offset 0 of the file has.
    pub(crate) base: usize,
    /// Everything from the first byte to the last.
    pub(crate) extent: Range<usize>,
    /// Code.
    pub(crate) code: Vec<Range<usize>>,
    /// Data that can be written to.
    pub(crate) writable: Vec<Range<usize>>,
    /// This thread's copy of the thread-local variables.
    pub(crate) thread_local: Option<Range<usize>>,
}

impl Image {
    /// Loads the shared object and fills in its table of runtime functions.
    ///
    /// # Errors
    /// When it cannot be linked, or was not made by our instrumentation.
    pub fn load(path: &Path, program: Arc<Program>) -> Result<Image, LoadError> {
        let handle = open_object(path)?;
        let mut image = Image {
            handle,
            program,
            ticks: ptr::null_mut(),
            environment: ptr::null_mut(),
            segments: Segments::default(),
        };
        let table = image.symbol(RUNTIME_TABLE).ok_or(LoadError::Missing(RUNTIME_TABLE))?;
        image.ticks = image.symbol(TICKS).ok_or(LoadError::Missing(TICKS))?.cast();
        image.environment = image.symbol(ENVIRONMENT_FLAG).unwrap_or(ptr::null_mut()).cast();
        image.segments = find_segments(table as usize).ok_or(LoadError::Segments)?;
        for (i, &slot) in Slot::ALL.iter().enumerate() {
            // SAFETY: by the ABI the table has a place for every slot.
            unsafe { *table.cast::<*const c_void>().add(i) = runtime::entry(slot) };
        }
        Ok(image)
    }

    /// What the model says about the target.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The trampoline of a function.
    pub(crate) fn trampoline(&self, function: FunctionId) -> Option<Trampoline> {
        let function = self.program.functions.get(function.0 as usize)?;
        let symbol = self.symbol(&format!("{TRAMPOLINE}{}", function.symbol))?;
        // SAFETY: by the ABI.
        Some(unsafe { std::mem::transmute::<*mut c_void, Trampoline>(symbol) })
    }

    /// The address of a global.
    pub(crate) fn global(&self, global: GlobalId) -> Option<*mut u8> {
        let global = self.program.globals.get(global.0 as usize)?;
        self.symbol(&global.symbol).map(<*mut c_void>::cast)
    }

    /// The address of a function.
    pub(crate) fn function(&self, function: FunctionId) -> Option<*mut u8> {
        let function = self.program.functions.get(function.0 as usize)?;
        self.symbol(&function.symbol).map(<*mut c_void>::cast)
    }

    fn symbol(&self, name: &str) -> Option<*mut c_void> {
        symbol_of(self.handle, name)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: opened in `load`; nothing of it is running.
        unsafe { libc::dlclose(self.handle) };
    }
}

impl Segments {
    /// Offset of an address of code from the start of the image.
    pub(crate) fn site(&self, address: u64) -> Option<u64> {
        let address = address as usize;
        self.code.iter().any(|range| range.contains(&address)).then(|| (address - self.base) as u64)
    }

    /// The `N` bytes of code in front of an address.
    pub(crate) fn code_before<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (start, end) = ((address as usize).checked_sub(N)?, address as usize);
        let inside = self.code.iter().any(|range| range.start <= start && end <= range.end);
        // SAFETY: between the bounds of a loaded segment; bytes have no alignment.
        inside.then(|| unsafe { (start as *const [u8; N]).read() })
    }
}

/// Loads a shared object.
pub(crate) fn open_object(path: &Path) -> Result<*mut c_void, LoadError> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|e| LoadError::Link(e.to_string()))?;
    // SAFETY: runs the constructors of the target, as every program that uses it does.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() { Err(LoadError::Link(link_error())) } else { Ok(handle) }
}

/// What a loaded object exports under a name.
pub(crate) fn symbol_of(handle: *mut c_void, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is open.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

fn link_error() -> String {
    // SAFETY: the message is valid until the next call.
    unsafe {
        let message = libc::dlerror();
        if message.is_null() {
            "unknown error".to_owned()
        } else {
            CStr::from_ptr(message).to_string_lossy().into()
        }
    }
}

/// The segments of the image that `inside` belongs to.
fn find_segments(inside: usize) -> Option<Segments> {
    struct Search {
        inside: usize,
        found: Option<Segments>,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the linker passes a valid description, `find_segments` the search.
        let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
        // SAFETY: as above.
        let segments = unsafe { segments_of(info) };
        if segments.writable.iter().chain(&segments.code).any(|range| range.contains(&search.inside)) {
            search.found = Some(segments);
            return 1;
        }
        0
    }
    let mut search = Search { inside, found: None };
    // SAFETY: `visit` only reads.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

unsafe fn segments_of(info: &libc::dl_phdr_info) -> Segments {
    let base = info.dlpi_addr as usize;
    // SAFETY: the linker's own description.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let range = |h: &libc::Elf64_Phdr| base + h.p_vaddr as usize..base + (h.p_vaddr + h.p_memsz) as usize;
    let loads = || headers.iter().filter(|h| h.p_type == PT_LOAD);
    let sealed = headers.iter().find(|h| h.p_type == PT_GNU_RELRO).map(range);
    Segments {
        base,
        extent: loads().map(|h| range(h).start).min().unwrap_or(0)
            ..loads().map(|h| range(h).end).max().unwrap_or(0),
        code: loads().filter(|h| h.p_flags & PF_X != 0).map(range).collect(),
        writable: loads()
            .filter(|h| h.p_flags & PF_W != 0)
            .map(|h| without_sealed(range(h), sealed.as_ref()))
            .filter(|range| !range.is_empty())
            .collect(),
        thread_local: headers.iter().find(|h| h.p_type == PT_TLS && h.p_memsz > 0).map(|h| {
            let start = thread_local_block(info.dlpi_tls_modid);
            start..start + h.p_memsz as usize
        }),
    }
}

/// The linker seals whole pages from the start of the relocated part: those cannot be written to any more.
fn without_sealed(segment: Range<usize>, sealed: Option<&Range<usize>>) -> Range<usize> {
    match sealed {
        Some(sealed) if segment.contains(&sealed.start) => {
            (sealed.end & !(crate::region::PAGE - 1)).max(segment.start)..segment.end
        }
        _ => segment,
    }
}

/// This thread's block of a module; asking for it makes it.
fn thread_local_block(module: usize) -> usize {
    unsafe extern "C" {
        fn __tls_get_addr(index: *const [usize; 2]) -> *mut c_void;
    }
    // SAFETY: the module is loaded; offset 0 is its first variable.
    unsafe { __tls_get_addr(&[module, 0]) as usize }
}
