use super::super::{DwarfError, read};
use super::{object, print};
use model::Types;
use object::{Object, ObjectSection};
use std::ops::Range;

const SOURCE: &str = "typedef struct list { int v:3; struct list *next; char d[2][3]; } list;
    enum e { A = -1, B } e; static const list *g; union { float f; list l; } u;
    static int twice(int x) { return x * 2; } void *keep = twice;
    int f(list *l, int (*p)(enum e, ...)) { return twice(l->v) + p(e) + (g == 0) + u.f; }";

/// Reads damaged bytes; what is read all the same must be a model one can walk.
fn survive(bytes: &[u8]) -> bool {
    let mut types = Types::default();
    let Ok(info) = read(bytes, &mut types) else { return false };
    for (id, ty) in types.iter() {
        assert!(ty.align.is_power_of_two());
        let _ = types.resolved(id);
        let _ = types.is_const(id);
    }
    print::globals(&info, &types);
    print::functions(&info, &types);
    true
}

fn section(bytes: &[u8], name: &str) -> Range<usize> {
    let file = object::File::parse(bytes).unwrap();
    let (start, len) = file.section_by_name(name).unwrap().file_range().unwrap();
    start as usize..(start + len) as usize
}

#[test]
fn what_is_no_object_is_an_error() {
    for bytes in [&b""[..], b"int x;", b"\x7fELF", b"!<arch>\n", &[0; 4096]] {
        assert!(!survive(bytes));
    }
}

#[test]
fn truncated_objects_never_panic() {
    let whole = object(SOURCE, &["-O1"]);
    assert!(survive(&whole));
    for len in (0..whole.len()).step_by(7) {
        survive(&whole[..len]);
    }
}

/// Every byte of the sections that matter, with a handful of changes each.
#[test]
fn damaged_debug_sections_never_panic_or_hang() {
    let whole = object(SOURCE, &["-O1"]);
    let mut errors = 0;
    for name in [".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_line", ".rela.debug_info"] {
        for at in section(&whole, name) {
            for change in [0x01, 0x04, 0x10, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                errors += usize::from(!survive(&bytes));
            }
        }
    }
    assert!(errors > 100, "{errors} errors: the damage was not seen");
}

/// A typedef that names itself would send every reader of the model round in circles.
#[test]
fn a_type_that_contains_itself_is_an_error() {
    let mut bytes = object("typedef int number; number n;", &["-O0"]);
    let info = section(&bytes, ".debug_info");
    let unit =
        gimli::DebugInfo::new(&bytes[info.clone()], gimli::LittleEndian).units().next().unwrap().unwrap();
    let abbreviations =
        gimli::DebugAbbrev::new(&bytes[section(&bytes, ".debug_abbrev")], gimli::LittleEndian);
    let abbreviations = unit.abbreviations(&abbreviations).unwrap();
    let mut entries = unit.entries(&abbreviations);
    let offset = loop {
        let entry = entries.next_dfs().unwrap().unwrap();
        if entry.tag() == gimli::DW_TAG_typedef {
            break entry.offset().0;
        }
    };
    // The abbreviation code is one byte; the reference to the type, four bytes, comes first.
    let reference = info.start + offset + 1;
    bytes[reference..reference + 4].copy_from_slice(&(offset as u32).to_le_bytes());
    let error = read(&bytes, &mut Types::default()).unwrap_err();
    assert!(matches!(error, DwarfError::Circular), "{error}");
}
