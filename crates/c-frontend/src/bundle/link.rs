//! What a link command says about linking the same program again from its bitcode, as a shared object.

use super::arguments::{Argument, CommandLine};
use super::record::Head;
use super::{SECTION, record};
use object::{Object, ObjectSection};
use std::path::Path;

/// Words for the linker itself that change what the program means, or where libraries are found; the others are
/// about the form of the output. `--whole-archive` must not stay: the members are there as bitcode.
const MEANING: [&str; 9] =
    ["-rpath", "--rpath", "-rpath-link", "--rpath-link", "--wrap", "-wrap", "--defsym", "-defsym", "-l"];

/// Libraries, their folders, and objects that carry no bitcode; paths made absolute.
pub(super) fn flags(line: &CommandLine, directory: &Path) -> Vec<String> {
    let mut kept = Vec::new();
    let mut for_linker = Vec::new();
    for argument in &line.arguments {
        match argument {
            Argument::File(path) => kept.extend(file(&directory.join(path))),
            Argument::Pair(flag, value) => match flag.as_str() {
                "-L" => kept.push(folder(value, directory)),
                "-l" => kept.push(format!("-l{value}")),
                "-Xlinker" => for_linker.push(value.clone()),
                _ => {}
            },
            Argument::Flag(flag) => {
                if let Some(words) = flag.strip_prefix("-Wl,") {
                    for_linker.extend(words.split(',').map(str::to_owned));
                } else if let Some(path) = flag.strip_prefix("-L") {
                    kept.push(folder(path, directory));
                } else if flag.starts_with("-l") || flag == "-pthread" {
                    kept.push(flag.clone());
                }
            }
            Argument::Source(_) => {}
        }
    }
    kept.extend(linker_words(&for_linker));
    kept
}

fn folder(path: &str, directory: &Path) -> String {
    format!("-L{}", directory.join(path).display())
}

/// A file for the linker, unless its bitcode takes its place.
fn file(path: &Path) -> Option<String> {
    (!carries_units(path)).then(|| path.to_string_lossy().into_owned())
}

/// Whether a file is an object with bitcode. Archives are never: their members are taken only where something is
/// still undefined.
fn carries_units(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    let Some(section) = file.section_by_name(SECTION) else { return false };
    let records = section.data().ok().and_then(|data| record::read_all(data).ok()).unwrap_or_default();
    file.kind() == object::ObjectKind::Relocatable
        && records.iter().any(|r| matches!(r.head, Head::Unit { .. }))
}

fn linker_words(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        if !MEANING.contains(&name) {
            if name.starts_with("-l") {
                kept.push(word.clone());
            }
            continue;
        }
        let Some(value) = value.or_else(|| words.next().map(String::as_str)) else { break };
        kept.push(format!("-Wl,{name},{value}"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags_of(text: &str) -> Vec<String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        flags(&CommandLine::parse(&words), Path::new("/here"))
    }

    #[test]
    fn libraries_stay_and_the_form_of_the_output_goes() {
        assert_eq!(
            flags_of(
                "-shared -Wl,-soname,libx.so.1 -o libx.so -Llib -L /abs -lm -l pcre ../libz.a -static -s"
            ),
            ["-L/here/lib", "-L/abs", "-lm", "-lpcre", "/here/../libz.a"]
        );
    }

    #[test]
    fn words_for_the_linker_are_sorted_out() {
        assert_eq!(
            flags_of(
                "a.o -Wl,--whole-archive -Wl,-rpath,/x,--as-needed -Xlinker --wrap=malloc -Wl,-z,now -Wl,-rpath -Wl,/y"
            ),
            ["/here/a.o", "-Wl,-rpath,/x", "-Wl,--wrap,malloc", "-Wl,-rpath,/y"]
        );
    }
}
