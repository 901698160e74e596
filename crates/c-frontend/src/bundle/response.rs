//! Response files: `@file` on a command line stands for the arguments in the file.

use std::path::Path;

/// Files may name files; more than this is a loop.
const DEPTH: usize = 20;

/// The arguments with every `@file` replaced. A file that cannot be read stays as it is, for the compiler to judge.
pub(super) fn expand(arguments: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for argument in arguments {
        expand_into(argument, DEPTH, &mut all);
    }
    all
}

fn expand_into(argument: &str, depth: usize, all: &mut Vec<String>) {
    let file = argument.strip_prefix('@').filter(|_| depth > 0);
    match file.and_then(|file| std::fs::read_to_string(Path::new(file)).ok()) {
        Some(text) => split(&text).iter().for_each(|inner| expand_into(inner, depth - 1, all)),
        None => all.push(argument.to_owned()),
    }
}

/// GNU rules: white space separates, quotes of both kinds hold together, a backslash takes the next character as it
/// is, inside quotes too.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => word.get_or_insert_default().extend(characters.next()),
            c if quote == Some(c) => quote = None,
            c if quote.is_some() => word.get_or_insert_default().push(c),
            '\'' | '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_gnu_tools_do() {
        assert_eq!(
            split("-DA=\\\"x\\\" 'two words'\n\"it's\" ''a\\ b\t\"\" end"),
            ["-DA=\"x\"", "two words", "it's", "a b", "", "end"]
        );
    }

    #[test]
    fn files_may_name_files_but_not_forever() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        std::fs::write(path("outer"), format!("-c @{} z.c", path("inner"))).unwrap();
        std::fs::write(path("inner"), "-DX").unwrap();
        std::fs::write(path("loop"), format!("@{}", path("loop"))).unwrap();
        let given = [format!("@{}", path("outer")), "@absent".into()];
        assert_eq!(expand(&given), ["-c", "-DX", "z.c", "@absent"]);
        assert_eq!(expand(&[format!("@{}", path("loop"))]).len(), 1);
    }
}
