//! A section more in an ELF file, and an object with nothing but that section.

use object::elf::{self, FileHeader64, SectionHeader64};
use object::pod;
use object::read::elf::{FileHeader, SectionHeader};
use object::{LittleEndian, U16, U32, U64};

type Header = FileHeader64<LittleEndian>;
type Section = SectionHeader64<LittleEndian>;

const LE: LittleEndian = LittleEndian;

/// A relocatable file with one more section that is not loaded: everything stands where it stood, and behind it
/// come the section, the section names with one more, and the section headers with one more.
///
/// `None` if the file is something else, or has more sections than its header can count.
pub(super) fn with_section(file: &[u8], name: &str, data: &[u8]) -> Option<Vec<u8>> {
    let header = Header::parse(file).ok()?;
    if header.e_type(LE) != elf::ET_REL {
        return None;
    }
    let sections = header.section_headers(LE, file).ok()?;
    let names_index = header.shstrndx(LE, file).ok()? as usize;
    let old_names = sections.get(names_index)?.data(LE, file).ok()?;
    let count = u16::try_from(sections.len() + 1).ok().filter(|count| *count < elf::SHN_LORESERVE)?;

    let mut out = file.to_vec();
    let data_at = append(&mut out, data, 1);
    let mut names = old_names.to_vec();
    let name_at = u32::try_from(names.len()).ok()?;
    names.extend(name.bytes().chain([0]));
    let names_at = append(&mut out, &names, 1);

    let mut table = sections.to_vec();
    table[names_index].sh_offset = U64::new(LE, names_at);
    table[names_index].sh_size = U64::new(LE, names.len() as u64);
    table.push(unloaded(name_at, data_at, data.len() as u64));
    let table_at = append(&mut out, pod::bytes_of_slice(&table), 8);

    let mut header = *header;
    header.e_shoff = U64::new(LE, table_at);
    header.e_shnum = U16::new(LE, count);
    out[..size_of::<Header>()].copy_from_slice(pod::bytes_of(&header));
    Some(out)
}

fn append(out: &mut Vec<u8>, bytes: &[u8], align: usize) -> u64 {
    out.resize(out.len().next_multiple_of(align), 0);
    let at = out.len() as u64;
    out.extend(bytes);
    at
}

fn unloaded(name: u32, offset: u64, size: u64) -> Section {
    let zero = U64::new(LE, 0);
    SectionHeader64 {
        sh_name: U32::new(LE, name),
        sh_type: U32::new(LE, elf::SHT_PROGBITS),
        sh_flags: U64::new(LE, elf::SectionFlags(0)),
        sh_addr: zero,
        sh_offset: U64::new(LE, offset),
        sh_size: U64::new(LE, size),
        sh_link: U32::new(LE, 0),
        sh_info: U32::new(LE, 0),
        sh_addralign: U64::new(LE, 1),
        sh_entsize: zero,
    }
}

/// An object for the linker that brings nothing but the section, and changes nothing else in what is linked.
pub(super) fn object_with(name: &str, data: &[u8]) -> Vec<u8> {
    use object::write::{Object, SectionFlags};
    use object::{Architecture, BinaryFormat, Endianness, SectionKind};
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    // The linker's garbage collection would drop an object in which nothing is used.
    file.flags =
        object::FileFlags::Elf { os_abi: elf::ELFOSABI_GNU, abi_version: 0, e_flags: elf::FileFlags(0) };
    let retain = SectionFlags::Elf { sh_type: elf::SHT_PROGBITS, sh_flags: elf::SHF_GNU_RETAIN };
    let section = file.add_section(Vec::new(), name.into(), SectionKind::Other);
    file.append_section_data(section, data, 1);
    file.section_mut(section).flags = retain;
    // Without it the linker makes the stack executable.
    file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    let property = file.add_section(Vec::new(), b".note.gnu.property".to_vec(), SectionKind::Note);
    file.append_section_data(property, &CODE_PROPERTIES, 8);
    file.write().expect("two sections without relocations")
}

/// A program has the protections (IBT, shadow stack) that all of its objects have; one without code has them all.
const CODE_PROPERTIES: [u8; 32] = {
    let words =
        [4, 16, elf::NT_GNU_PROPERTY_TYPE_0.0, u32::from_le_bytes(*b"GNU\0"), 0xc000_0002, 4, 3, 0u32];
    let mut bytes = [0; 32];
    let mut at = 0;
    while at < 32 {
        bytes[at] = words[at / 4].to_le_bytes()[at % 4];
        at += 1;
    }
    bytes
};
