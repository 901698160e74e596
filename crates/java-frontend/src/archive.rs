//! Archives of classes: jars.
//!
//! A jar for several versions of Java has further classes in `META-INF/versions/N`: a virtual machine of version N or newer loads these
//! instead of those outside (`java.util.jar.JarFile`), if the manifest says `Multi-Release: true`.

use crate::jdk::Jdk;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use zip::ZipArchive;

/// Larger entries are no class files: code, constants and lines of a class cannot be that many.
const LARGEST: u64 = 64 << 20;

/// Where classes for other versions of Java are.
const VERSIONS: &str = "META-INF/versions/";
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// The first version that looks for such.
const FIRST_VERSION: u32 = 9;

/// An archive that is open.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    /// By file, where it is, if there is one for the version of Java at hand.
    versioned: BTreeMap<String, String>,
    /// What is there for versions of Java, in words.
    pub(crate) notes: Vec<String>,
}

impl Archive {
    /// Opens a jar.
    pub(crate) fn open(path: &Path) -> Result<Archive, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| error.to_string())?;
        let mut archive = Archive { zip, versioned: BTreeMap::new(), notes: Vec::new() };
        archive.choose_versions(Jdk::version_of(&Jdk::find().java));
        Ok(archive)
    }

    /// Names of the files that a virtual machine finds in it: first as in the archive, then those for its version alone.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = self.entries();
        let alone = self.versioned.keys().filter(|name| !entries.contains(name)).cloned();
        let alone: Vec<String> = alone.collect();
        entries.into_iter().chain(alone).collect()
    }

    fn entries(&self) -> Vec<String> {
        self.zip.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect()
    }

    /// Where the file of a name is.
    pub(crate) fn place<'n>(&'n self, name: &'n str) -> &'n str {
        self.versioned.get(name).map_or(name, String::as_str)
    }

    /// Finds the classes that a virtual machine of a version loads, and notes what is there for others.
    fn choose_versions(&mut self, java: Option<u32>) {
        let mut found: BTreeMap<u32, Vec<(String, String)>> = BTreeMap::new();
        for entry in self.entries() {
            let Some((version, name)) = entry.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/'))
            else {
                continue;
            };
            if let Some(version) = version.parse().ok().filter(|_| name.ends_with(".class")) {
                found.entry(version).or_default().push((name.to_owned(), entry.clone()));
            }
        }
        let is_read = !found.is_empty() && self.is_for_several_versions();
        for (version, classes) in found {
            let count = classes.len();
            let what = match java {
                _ if !is_read => {
                    "no virtual machine loads them, since the manifest has no `Multi-Release: true`"
                }
                Some(java) if version <= java && version >= FIRST_VERSION => {
                    self.versioned.extend(classes);
                    "taken in place of those for older versions, as the virtual machine at hand does"
                }
                _ => "left out, as the virtual machine at hand does",
            };
            self.notes.push(format!("{VERSIONS}{version} has {count} class files: {what}"));
        }
    }

    /// Whether the main part of the manifest says so.
    fn is_for_several_versions(&mut self) -> bool {
        let manifest = self.read(MANIFEST).unwrap_or_default();
        let text = String::from_utf8_lossy(&manifest);
        let main = text.lines().take_while(|line| !line.trim().is_empty());
        let mut said = main.filter_map(|line| line.split_once(':'));
        said.any(|(name, value)| {
            name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    }

    /// What a file holds.
    pub(crate) fn read(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let name = self.place(name).to_owned();
        let entry = self.zip.by_name(&name).map_err(|error| error.to_string())?;
        if entry.size() > LARGEST {
            return Err(format!("{} bytes are more than a class file has", entry.size()));
        }
        let mut bytes = Vec::new();
        entry.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
