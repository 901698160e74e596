//! Where things are, as seen from the folder of a suite: what lies in it, or was named from here on, may be moved together with it.

use std::path::{Component, Path, PathBuf};

/// A class path as a suite in a folder writes it down. Of paths that the user has named those count that are not absolute.
pub(crate) fn from_suite<'a>(
    class_path: &[PathBuf],
    suite: &Path,
    named: impl Iterator<Item = &'a PathBuf>,
) -> Vec<String> {
    let relative = named.filter(|path| path.is_relative());
    let relative: Vec<PathBuf> = relative.filter_map(|path| path.canonicalize().ok()).collect();
    let is_named =
        |path: &PathBuf| relative.iter().any(|named| named.starts_with(path) || path.starts_with(named));
    let written = |path: &PathBuf| {
        if path.starts_with(suite) || is_named(path) { between(suite, path) } else { path.clone() }
    };
    class_path.iter().map(|path| written(path).to_string_lossy().into_owned()).collect()
}

/// The way from one absolute path to another.
fn between(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(common)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_suite_or_was_named_from_here_is_relative() {
        let here = std::env::current_dir().expect("a folder").canonicalize().expect("it is there");
        let suite = here.join("out/suite");
        let class_path = [suite.join("classes"), here.join("src"), PathBuf::from("/usr/lib/a.jar")];
        let named = [PathBuf::from("src"), PathBuf::from("/usr/lib/a.jar")];
        let written = from_suite(&class_path, &suite, named.iter());
        assert_eq!(written, ["classes", "../../src", "/usr/lib/a.jar"]);
        let written = from_suite(&class_path, &suite, std::iter::empty());
        assert_eq!(written[1], here.join("src").to_string_lossy());
        assert_eq!(between(&suite, &suite), PathBuf::from("."));
    }
}
