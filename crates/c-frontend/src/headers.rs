//! The headers that harnesses include: ours, and those of tools whose harnesses are understood.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

/// The headers: name as it is included, and text.
pub const HEADERS: [(&str, &str); 3] = [
    ("branchwise.h", include_str!("../program/include/branchwise.h")),
    ("crest.h", include_str!("../program/include/crest.h")),
    ("klee/klee.h", include_str!("../program/include/klee/klee.h")),
];

/// Writes the headers below a folder.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_headers(folder: &Path) -> io::Result<()> {
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)?;
        // Others may read it at the same time.
        let new = tempfile::NamedTempFile::new_in(parent)?;
        fs::write(new.path(), text)?;
        fs::set_permissions(new.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        new.persist(&path)?;
    }
    Ok(())
}

/// Where compilers look for headers of C behind those the user names, ours included. `None` where there is no
/// place to write them.
///
/// A variable of the environment and not a flag: what build systems see of a command stays the user's own.
pub(crate) fn search_path() -> Option<(&'static str, std::ffi::OsString)> {
    const VARIABLE: &str = "C_INCLUDE_PATH";
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| places().into_iter().find(|place| write_headers(place).is_ok()));
    let before = env::var_os(VARIABLE).filter(|before| !before.is_empty());
    let folders = before.iter().flat_map(env::split_paths).chain([folder.clone()?]);
    Some((VARIABLE, env::join_paths(folders).ok()?))
}

/// The same in every run: dependency files of the user's build may name it.
fn places() -> Vec<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or(home);
    let cached = cache.map(|cache| cache.join("branchwise").join(format!("include-{version}")));
    let user = fs::metadata("/proc/self").map_or(0, |data| std::os::unix::fs::MetadataExt::uid(&data));
    let temporary = env::temp_dir().join(format!("branchwise-include-{version}-{user}"));
    cached.into_iter().chain([temporary]).collect()
}
