//! One ELF file: its records, and the shared objects it needs.

use super::record::{self, Head, Record, Unreadable};
use super::{BundleError, SECTION};
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, DynamicTag};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection};
use std::path::{Path, PathBuf};

/// What is read of one file.
#[derive(Debug, Default)]
pub(super) struct Image {
    pub(super) path: PathBuf,
    pub(super) records: Vec<Record>,
    /// The shared objects it needs, by the names the loader looks for.
    pub(super) needed: Vec<String>,
    /// The name by which others need it.
    name: Option<String>,
    /// Where the loader looks.
    run_path: Vec<PathBuf>,
}

impl Image {
    pub(super) fn open(path: &Path) -> Result<Image, BundleError> {
        let unreadable = |source| BundleError::Unreadable { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let not_elf = |_| BundleError::NotElf(path.to_owned());
        let file: ElfFile64<'_, LittleEndian> = ElfFile64::parse(&*bytes).map_err(not_elf)?;
        let section =
            file.section_by_name(SECTION).map(|section| section.data()).transpose().map_err(not_elf)?;
        let records = record::read_all(section.unwrap_or_default()).map_err(|why| match why {
            Unreadable::Damaged => BundleError::Damaged(path.to_owned()),
            Unreadable::OtherVersion(found) => {
                BundleError::OtherVersion { path: path.to_owned(), found, known: record::VERSION }
            }
        })?;
        let strings = dynamic_strings(&file, &bytes);
        let all = |wanted: DynamicTag| {
            strings.iter().filter(move |(tag, _)| *tag == wanted).map(|(_, text)| text.clone())
        };
        let folder = path.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
        let run_path = all(DT_RPATH).chain(all(DT_RUNPATH)).flat_map(|list| {
            let list = list.replace("${ORIGIN}", &folder).replace("$ORIGIN", &folder);
            list.split(':').map(PathBuf::from).collect::<Vec<_>>()
        });
        let (needed, run_path) = (all(DT_NEEDED).collect(), run_path.collect());
        Ok(Image { path: path.to_owned(), records, needed, name: all(DT_SONAME).next(), run_path })
    }

    /// The name by which others need it: the one inside, or that of the file.
    pub(super) fn name(&self) -> String {
        let file = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(file)
    }

    /// Whether it is made of C files that went through our compiler.
    pub(super) fn is_ours(&self) -> bool {
        self.records.iter().any(|r| matches!(r.head, Head::Unit { .. } | Head::Missing { .. }))
    }

    /// How it was linked, if our compiler linked it.
    pub(super) fn link_flags(&self) -> Option<Vec<String>> {
        let mut links = self.records.iter().filter_map(|record| match &record.head {
            Head::Link { flags } => Some(flags),
            _ => None,
        });
        let first = links.next()?.clone();
        Some(links.fold(first, |all, more| [all, more.clone()].concat()))
    }

    /// Where its libraries may be: where the loader looks, and where the linker found them.
    pub(super) fn library_folders(&self) -> Vec<PathBuf> {
        let linked = self.link_flags().unwrap_or_default();
        let linked = linked.iter().filter_map(|flag| match flag.strip_prefix("-L") {
            Some(folder) => Some(PathBuf::from(folder)),
            None if flag.starts_with('-') => None,
            None => Path::new(flag).parent().map(Path::to_owned),
        });
        self.run_path.iter().cloned().chain(linked).collect()
    }
}

/// The texts of the dynamic section; none in what is linked statically, or is broken there.
fn dynamic_strings(file: &ElfFile64<'_, LittleEndian>, bytes: &[u8]) -> Vec<(DynamicTag, String)> {
    let Ok(table) = file.elf_section_table().dynamic_table(LittleEndian, bytes) else { return Vec::new() };
    let text = |entry: object::read::elf::Dynamic| {
        let text = table.string(entry).ok()?;
        Some((entry.tag, String::from_utf8_lossy(text).into_owned()))
    };
    table.iter().filter(|entry| entry.is_string()).filter_map(text).collect()
}
