//! Members of archives that the native program does not need but its bitcode does.
//!
//! An optimiser inlines small functions of the project, and the linker then leaves out the archive member that defines
//! them. The bitcode is not optimised and still calls them; without the member's own bitcode they would run as code
//! that nobody can look into.

use super::record::{self, Head};
use super::{Bundle, BundledUnit, SECTION};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::HashSet;
use std::path::Path;

/// Takes the units of members that define what the others call, and what those call in turn.
pub(super) fn add(bundle: &mut Bundle) {
    let mut members: Vec<Member> = bundle
        .link_flags
        .iter()
        .filter(|flag| flag.ends_with(".a"))
        .flat_map(|path| read(Path::new(path)))
        .collect();
    if members.is_empty() {
        return;
    }
    let mut names = Names::default();
    bundle.units.iter().for_each(|unit| names.note(&unit.bitcode));
    while let Some(next) = members.iter().position(|member| names.lack(&member.defines)) {
        let member = members.swap_remove(next);
        for unit in member.units {
            names.note(&unit.bitcode);
            if !bundle.units.contains(&unit) {
                bundle.units.push(unit);
            }
        }
        names.defined.extend(member.defines);
    }
}

struct Member {
    units: Vec<BundledUnit>,
    defines: Vec<String>,
}

fn read(archive: &Path) -> Vec<Member> {
    let Ok(bytes) = std::fs::read(archive) else { return Vec::new() };
    let Ok(file) = ArchiveFile::parse(&*bytes) else { return Vec::new() };
    let members = file.members().filter_map(Result::ok).filter_map(|member| member.data(&*bytes).ok());
    members.filter_map(member).collect()
}

/// A member that carries bitcode.
fn member(bytes: &[u8]) -> Option<Member> {
    let file = object::File::parse(bytes).ok()?;
    let records = record::read_all(file.section_by_name(SECTION)?.data().ok()?).ok()?;
    let units = records.into_iter().filter_map(|record| match record.head {
        Head::Unit { source, directory, flags, .. } => Some(BundledUnit {
            source: source.into(),
            directory: directory.into(),
            flags,
            bitcode: record.bitcode,
        }),
        _ => None,
    });
    let symbols = file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition());
    let defines = symbols.filter_map(|symbol| Some(symbol.name().ok()?.to_owned())).collect();
    Some(Member { units: units.collect(), defines })
}

/// External names of several units.
#[derive(Default)]
struct Names {
    defined: HashSet<String>,
    called: HashSet<String>,
}

impl Names {
    fn note(&mut self, bitcode: &[u8]) {
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "unit");
        let Ok(module) = Module::parse_bitcode_from_buffer(&buffer, &context) else { return };
        for function in module.get_functions() {
            let name = function.get_name().to_string_lossy().into_owned();
            let is_here = function.count_basic_blocks() > 0;
            match function.get_linkage() {
                Linkage::Internal | Linkage::Private => {}
                // A copy for the optimiser: the function itself is elsewhere.
                Linkage::AvailableExternally => _ = self.called.insert(name),
                _ if is_here => _ = self.defined.insert(name),
                _ => _ = self.called.insert(name),
            }
        }
    }

    /// Whether one of these is called and not defined.
    fn lack(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.called.contains(name) && !self.defined.contains(name))
    }
}
