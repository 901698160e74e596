//! Which tests a compiler means that refuses a suite.

use super::suites::Suites;
use java_emit::Emission;
use std::collections::BTreeSet;

/// The tests, by suite and number, that the words of the compiler are about.
pub(crate) fn refused(words: &str, emission: &Emission, suites: &Suites) -> BTreeSet<(usize, usize)> {
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
    refused
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
