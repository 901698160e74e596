//! A suite is written only as far as the compiler takes it.

use super::suites::Suites;
use crate::failure::Failure;
use java_emit::Emission;
use java_judge::{Case, Tools};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The tests, by suite and number, that the compiler refuses in a suite that was written to a folder. `None` if it takes all of them, or if
/// there is nothing to compile with: then `check` will say so.
pub(crate) fn refused(
    out: &Path,
    class_path: &[PathBuf],
    emission: &Emission,
    suites: &Suites,
) -> Result<Option<BTreeSet<(usize, usize)>>, Failure> {
    let suite = out.canonicalize().map_err(|e| Failure::file(out, &e))?;
    let case = Case { suite, class_path: class_path.to_vec(), classes: Vec::new(), claims: Vec::new() };
    let Ok(Some(words)) = java_judge::compile(&case, &Tools::default()) else { return Ok(None) };
    let mut refused = BTreeSet::new();
    for (path, line) in words.lines().filter_map(place) {
        let Some(file) = emission.files.iter().find(|file| path.ends_with(&file.path)) else { continue };
        let class = file.path.trim_end_matches(".java").rsplit('/').next().unwrap_or_default();
        let of_class = emission.tests.iter().filter(|test| test.class.rsplit('.').next() == Some(class));
        let method = method_at(&file.contents, line);
        let named = of_class.clone().find(|test| Some(test.method.as_str()) == method);
        match named {
            Some(test) => drop(refused.insert((test.suite, test.test))),
            // What stands outside of tests is needed by all of them.
            None => refused.extend(of_class.map(|test| (test.suite, test.test))),
        }
    }
    if refused.is_empty() {
        // Somewhere else: nothing of it can be kept.
        let all = suites.list.iter().enumerate();
        refused.extend(all.flat_map(|(suite, list)| (0..list.tests.len()).map(move |test| (suite, test))));
    }
    Ok(Some(refused))
}

/// File and line of `path/FooTest.java:84: error: …`.
fn place(line: &str) -> Option<(&str, usize)> {
    let (before, _) = line.split_once(": error: ")?;
    let (path, number) = before.rsplit_once(':')?;
    Some((path, number.parse().ok()?))
}

/// The name of the method that a line stands in: the nearest head before it.
fn method_at(text: &str, line: usize) -> Option<&str> {
    let heads = text.lines().take(line).filter_map(|line| {
        let (_, rest) = line.split_once("void ")?;
        rest.split_once('(').map(|(name, _)| name)
    });
    heads.last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_places() {
        assert_eq!(place("/a/b/FooTest.java:84: error: no"), Some(("/a/b/FooTest.java", 84)));
        assert_eq!(place("  symbol: x"), None);
    }

    #[test]
    fn lines_stand_in_the_method_above() {
        let text = "class A {\n    void one() {\n        x();\n    }\n\n    public void two() throws E {\n        y();\n    }\n}\n";
        assert_eq!(
            (method_at(text, 3), method_at(text, 7), method_at(text, 1)),
            (Some("one"), Some("two"), None)
        );
    }
}
