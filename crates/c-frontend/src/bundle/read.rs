//! Taking the bitcode out of a program and the project's shared objects it needs.

use super::needed::Image;
use super::record::Head;
use super::{Bundle, BundleError, BundledUnit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reads what a program carries.
///
/// # Errors
/// When the file is no program of `branchwise cc`.
pub fn read(program: &Path) -> Result<Bundle, BundleError> {
    let program = behind_libtool(program);
    let mut reader = Reader::default();
    reader.take(Image::open(&program)?)?;
    if reader.bundle.units.is_empty() && reader.bundle.missing.is_empty() {
        return Err(BundleError::NoBitcode(program));
    }
    Ok(reader.finish())
}

/// While a program needs shared objects that are not installed, libtool puts a script in its place.
fn behind_libtool(program: &Path) -> PathBuf {
    let hidden =
        program.parent().zip(program.file_name()).map(|(folder, name)| folder.join(".libs").join(name));
    let is_script = std::fs::read(program).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    hidden.filter(|hidden| is_script && hidden.is_file()).unwrap_or_else(|| program.to_owned())
}

#[derive(Default)]
struct Reader {
    bundle: Bundle,
    folders: Vec<PathBuf>,
    /// Names of shared objects that were looked at.
    seen: BTreeSet<String>,
    /// Those among them whose units are in the bundle.
    ours: BTreeSet<String>,
}

impl Reader {
    /// Adds a file, and then the shared objects it needs.
    fn take(&mut self, image: Image) -> Result<(), BundleError> {
        self.folders.extend(image.library_folders());
        let linked = image.link_flags();
        for needed in &image.needed {
            if !self.seen.insert(needed.clone()) {
                continue;
            }
            match self.find(needed)? {
                Some(library) => {
                    self.ours.insert(needed.clone());
                    self.take(library)?;
                }
                // Linked by somebody else: what it needs is all that is known.
                None if linked.is_none() => self.bundle.link_flags.push(format!("-l:{needed}")),
                None => {}
            }
        }
        self.bundle.link_flags.extend(linked.unwrap_or_default());
        self.records(image);
        Ok(())
    }

    fn records(&mut self, image: Image) {
        for record in image.records {
            match record.head {
                Head::Unit { source, directory, flags, .. } => {
                    let bitcode = record.bitcode;
                    let unit =
                        BundledUnit { source: source.into(), directory: directory.into(), flags, bitcode };
                    if !self.bundle.units.contains(&unit) {
                        self.bundle.units.push(unit);
                    }
                }
                Head::Missing { source, why } => self.bundle.missing.push((source.into(), why)),
                Head::Link { .. } => {}
            }
        }
    }

    /// A shared object of the project by its name.
    fn find(&self, name: &str) -> Result<Option<Image>, BundleError> {
        for path in self.folders.iter().map(|folder| folder.join(name)) {
            if !path.is_file() {
                continue;
            }
            match Image::open(&path) {
                Ok(image) => return Ok(Some(image).filter(Image::is_ours)),
                Err(BundleError::NotElf(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    /// Nothing is linked both as bitcode and as a shared object.
    fn finish(mut self) -> Bundle {
        let mut seen = BTreeSet::new();
        let flags = std::mem::take(&mut self.bundle.link_flags);
        let flags = flags.into_iter().filter(|flag| !self.is_inside(flag) && seen.insert(flag.clone()));
        self.bundle.link_flags = flags.collect();
        self.bundle
    }

    fn is_inside(&self, flag: &str) -> bool {
        let library = match flag.strip_prefix("-l") {
            Some(name) => self.folders.iter().map(|f| f.join(format!("lib{name}.so"))).find(|p| p.is_file()),
            None => Some(PathBuf::from(flag)).filter(|_| !flag.starts_with('-')),
        };
        let image = library.and_then(|path| Image::open(&path).ok());
        image.is_some_and(|image| self.ours.contains(&image.name()))
    }
}
