//! Archives of classes: jars.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// Larger entries are no class files: code, constants and lines of a class cannot be that many.
const LARGEST: u64 = 64 << 20;

/// An archive that is open.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
}

impl Archive {
    /// Opens a jar.
    pub(crate) fn open(path: &Path) -> Result<Archive, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())?;
        Ok(Archive { zip })
    }

    /// Names of its entries, in the order of the archive.
    pub(crate) fn names(&self) -> Vec<String> {
        self.zip.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect()
    }

    /// What an entry holds.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let entry = self.zip.by_name(name).map_err(|error| error.to_string())?;
        if entry.size() > LARGEST {
            return Err(format!("{} bytes are more than a class file has", entry.size()));
        }
        let mut bytes = Vec::new();
        entry.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
