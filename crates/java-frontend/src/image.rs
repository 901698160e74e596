//! The image that a Java runtime keeps its classes in: `lib/modules`.
//!
//! ```text
//! header │ redirects │ offsets │ locations │ names │ contents
//! ```
//!
//! A path such as `/java.base/java/util/List.class` is hashed to a redirect, which says with which seed to hash it once more, or
//! directly which offset is meant. The offset leads to a location: where the contents are, and how long. Images that `jlink` made may hold
//! compressed contents. Numbers are those of the machine, so little-endian here.

use flate2::read::ZlibDecoder;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: u32 = 0xCAFE_DADA;
const COMPRESSED: u32 = 0xCAFE_FAFA;
const HEADER: usize = 28;
/// What stands before compressed contents: magic, both sizes, names of the method and of its settings, whether it is the last.
const COMPRESSED_HEADER: usize = 29;
/// First seed of the hash, and its factor.
const SEED: u32 = 0x0100_0193;
/// Larger indices and contents are none of a runtime.
const LARGEST: u64 = 64 << 20;

/// An image that is open.
pub(crate) struct Image {
    file: File,
    /// Everything before the contents.
    index: Vec<u8>,
    /// How many redirects there are, and how many offsets.
    length: usize,
    /// Where locations and names begin.
    locations: usize,
    names: usize,
}

/// Where contents are.
#[derive(Default)]
struct Location {
    offset: u64,
    /// How long they are in the image; 0 if they are not compressed.
    compressed: u64,
    size: u64,
}

impl Image {
    /// Opens the image of a runtime; `None` if there is none that can be read.
    pub(crate) fn open(path: &Path) -> Option<Image> {
        let file = File::open(path).ok()?;
        let mut header = vec![0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let word = |nth: usize| word(&header, nth * 4);
        if word(0)? != MAGIC || word(1)? >> 16 != 1 {
            return None;
        }
        let [length, locations_size, names_size] = [word(4)?, word(5)?, word(6)?].map(u64::from);
        let locations = HEADER as u64 + length * 8;
        let whole = locations + locations_size + names_size;
        if length == 0 || whole > LARGEST {
            return None;
        }
        let mut index = vec![0; whole as usize];
        file.read_exact_at(&mut index, 0).ok()?;
        let names = (locations + locations_size) as usize;
        Some(Image { file, index, length: length as usize, locations: locations as usize, names })
    }

    /// A class file.
    pub(crate) fn class(&self, name: &str) -> Option<Vec<u8>> {
        let of = |module: &str| self.contents(&format!("/{module}/{name}.class"));
        // Nearly all that programs name is there.
        of("java.base").or_else(|| of(&self.module(name.rsplit_once('/')?.0)?))
    }

    /// Names of all classes of a package.
    pub(crate) fn package(&self, package: &str) -> Vec<String> {
        let entries = (0..self.length).filter_map(|slot| Some(self.entry(slot)?.0));
        let classes = entries.filter(|parts| self.is(parts[1], package) && self.is(parts[3], "class"));
        classes.filter_map(|parts| Some(format!("{package}/{}", self.name(parts[2])?))).collect()
    }

    /// Whether a name is this.
    fn is(&self, offset: u32, text: &str) -> bool {
        let bytes = self.index.get(self.names + offset as usize..).unwrap_or_default();
        bytes.starts_with(text.as_bytes()) && bytes.get(text.len()) == Some(&0)
    }

    /// The module that a package is in. Several may have it, but only in one there are classes.
    fn module(&self, package: &str) -> Option<String> {
        let pairs = self.contents(&format!("/packages/{}", package.replace('/', ".")))?;
        let has_classes = |pair: &&[u8]| word(pair, 0) == Some(0);
        let pair = pairs.chunks_exact(8).find(has_classes)?;
        self.name(word(pair, 4)?)
    }

    fn name(&self, offset: u32) -> Option<String> {
        let bytes = self.index.get(self.names + offset as usize..)?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn contents(&self, path: &str) -> Option<Vec<u8>> {
        let place = self.location(path)?;
        let length = if place.compressed == 0 { place.size } else { place.compressed };
        let mut bytes = vec![0; usize::try_from(length.min(LARGEST)).ok()?];
        self.file.read_exact_at(&mut bytes, self.index.len() as u64 + place.offset).ok()?;
        if place.compressed == 0 {
            return Some(bytes);
        }
        self.decompressed(&bytes)
    }

    /// `jlink` has two methods, and may use one after the other. The one that is not known here shares names between classes.
    fn decompressed(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_zip = word(bytes, 0)? == COMPRESSED && self.name(word(bytes, 20)?)? == "zip";
        let is_last = *bytes.get(COMPRESSED_HEADER - 1)? != 0;
        if !is_zip || !is_last {
            return None;
        }
        let mut contents = Vec::new();
        let decoder = ZlibDecoder::new(&bytes[COMPRESSED_HEADER..]);
        decoder.take(LARGEST).read_to_end(&mut contents).ok()?;
        Some(contents)
    }

    fn location(&self, path: &str) -> Option<Location> {
        let at = |seed: u32| hash(path, seed) as usize % self.length;
        let redirect = word(&self.index, HEADER + at(SEED) * 4)?.cast_signed();
        let slot = match redirect {
            0 => return None,
            1.. => at(redirect.cast_unsigned()),
            _ => (-1 - redirect) as usize,
        };
        let (parts, place) = self.entry(slot)?;
        // Every path has a place, those that are not there have that of another.
        (self.path(parts)? == path).then_some(place)
    }

    /// What is in a slot: the parts of its path, and where its contents are.
    fn entry(&self, slot: usize) -> Option<([u32; 4], Location)> {
        let offset = word(&self.index, HEADER + (self.length + slot) * 4)?;
        let attributes = Attributes(self.index.get(self.locations + offset as usize..self.names)?);
        let (mut place, mut parts) = (Location::default(), [0; 4]);
        for (kind, value) in attributes {
            match kind {
                1..=4 => parts[usize::from(kind) - 1] = u32::try_from(value).ok()?,
                5 => place.offset = value,
                6 => place.compressed = value,
                7 => place.size = value,
                _ => return None,
            }
        }
        Some((parts, place))
    }

    /// The path of a location: module, folder, name and ending.
    fn path(&self, parts: [u32; 4]) -> Option<String> {
        let mut path = String::new();
        for (part, before, after) in
            [(parts[0], "/", "/"), (parts[1], "", "/"), (parts[2], "", ""), (parts[3], ".", "")]
        {
            let name = self.name(part)?;
            if !name.is_empty() {
                path.extend([before, &name, after]);
            }
        }
        Some(path)
    }
}

/// What is said of a location: kinds and values, up to a zero.
struct Attributes<'a>(&'a [u8]);

impl Iterator for Attributes<'_> {
    type Item = (u8, u64);

    fn next(&mut self) -> Option<(u8, u64)> {
        let (&head, rest) = self.0.split_first()?;
        let (kind, length) = (head >> 3, usize::from(head & 7) + 1);
        if kind == 0 {
            return None;
        }
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((kind, value.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))))
    }
}

fn hash(path: &str, seed: u32) -> u32 {
    path.bytes().fold(seed, |hash, byte| hash.wrapping_mul(SEED) ^ u32::from(byte)) & 0x7FFF_FFFF
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use java_classfile::ClassFile;

    fn image(version: u32) -> Image {
        Image::open(&java_testing::runtime(version).join("lib/modules")).expect("an image")
    }

    #[test]
    fn compressed_classes_of_all_modules_are_found() {
        for (version, major) in [(21, 65), (25, 69)] {
            let image = image(version);
            for name in ["java/lang/Object", "java/util/TreeMap$Entry", "java/util/logging/Logger"] {
                let class = ClassFile::read(&image.class(name).expect(name)).expect("a class");
                assert_eq!((class.name.as_str(), class.major), (name, major));
            }
            assert!(image.class("java/util/NoSuchClass").is_none());
            let package = image.package("java/util/logging");
            let has = |name: &str| package.iter().any(|class| class == name);
            assert!(
                has("java/util/logging/Logger") && has("java/util/logging/LogManager$Cleaner"),
                "{package:?}"
            );
            assert!(!has("java/util/List") && image.package("java/util/logg").is_empty());
            assert!(image.class("NoPackage").is_none());
        }
    }

    #[test]
    fn what_is_no_image_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("modules");
        let whole = std::fs::read(java_testing::runtime(21).join("lib/modules")).expect("an image");
        for (length, byte) in [(0, 0), (20, 0), (28, 0), (1000, 0), (1 << 20, 0), (1 << 20, 1)] {
            let mut bytes = whole[..length].to_vec();
            if byte != 0 {
                bytes[0] ^= byte;
            }
            std::fs::write(&file, bytes).expect("writable");
            // An image that is cut short behind its index has an index, and no class.
            assert!(Image::open(&file).and_then(|image| image.class("java/lang/Object")).is_none());
        }
    }
}
