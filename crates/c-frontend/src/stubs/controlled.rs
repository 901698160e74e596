//! Functions of the library that ask the machine or hand out memory, and what stands in for them.
//!
//! The library defines them, so a stub of that name would replace them for the runner of the tests and for llvm-cov's
//! runtime too. Instead the unit's own declaration gets another symbol, from a line before its text:
//!
//! ```c
//! long time(long *now) __asm__("bw_time");
//! #include "unit.c"
//! ```
//!
//! In the image the calls are redirected there, like those of whole programs to their surroundings.

use super::Piece;
use crate::whole::REDIRECTION;
use model::Handle;
use std::collections::HashSet;

/// What stands in for [`CONTROLLED`]. Functions that work on the same objects are in one text.
const TEXTS: [&str; 25] = [
    include_str!("../../stubs/access.c"),
    include_str!("../../stubs/clock.c"),
    include_str!("../../stubs/close.c"),
    include_str!("../../stubs/directory.c"),
    include_str!("../../stubs/fclose.c"),
    include_str!("../../stubs/fopen.c"),
    include_str!("../../stubs/fstat.c"),
    include_str!("../../stubs/getenv.c"),
    include_str!("../../stubs/getpid.c"),
    include_str!("../../stubs/isatty.c"),
    include_str!("../../stubs/lseek.c"),
    include_str!("../../stubs/lstat.c"),
    include_str!("../../stubs/mkdir.c"),
    include_str!("../../stubs/open.c"),
    include_str!("../../stubs/rand.c"),
    include_str!("../../stubs/random.c"),
    include_str!("../../stubs/read.c"),
    include_str!("../../stubs/recv.c"),
    include_str!("../../stubs/remove.c"),
    include_str!("../../stubs/rename.c"),
    include_str!("../../stubs/rmdir.c"),
    include_str!("../../stubs/stat.c"),
    include_str!("../../stubs/time.c"),
    include_str!("../../stubs/unlink.c"),
    include_str!("../../stubs/write.c"),
];

/// Functions that hand out memory, and what makes them fail: one text for all of them, as they count together.
const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "realloc"];
const ALLOCATION: &str = include_str!("../../stubs/allocation.c");

/// The stub that makes an allocation fail, if one of `names` is such. A program that defines one of these functions has
/// an allocator of its own.
pub(super) fn allocation(names: &[String], own: &HashSet<String>) -> Option<Piece> {
    let allocates = names.iter().any(|name| ALLOCATORS.contains(&name.as_str()));
    (allocates && !ALLOCATORS.iter().any(|name| own.contains(*name))).then(|| piece("malloc", ALLOCATION))
}

/// The stubs for those of `names` that are controlled. What belongs to one of `real` stays real with it.
pub(super) fn pieces(names: &[String], real: &HashSet<String>) -> Vec<Piece> {
    let all = TEXTS.iter().map(|text| piece(heads(text)[0].0, text));
    all.filter(|piece| piece.redirects.iter().any(|name| names.contains(name)))
        .filter(|piece| !piece.redirects.iter().any(|name| real.contains(name)))
        .collect()
}

/// The functions that a text defines for others: names, and the lines before their bodies.
fn heads(text: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = lines.windows(2).filter(|pair| pair[1] == "{").map(|pair| pair[0]);
    heads
        .filter(|head| !head.starts_with("static "))
        .filter_map(|head| Some((defined(head)?, head)))
        .collect()
}

/// A declaration as it can stand before all headers: structures of the library by their tags.
fn early(head: &str) -> String {
    let mut head = head.to_owned();
    for (name, handle) in [("FILE", Handle::Stream), ("DIR", Handle::Directory)] {
        head = head.replace(&format!("{name} *"), &format!("struct {} *", handle.library_tag()));
    }
    let tags = head.split("struct ").skip(1).filter_map(|rest| rest.split(' ').next());
    let declared: String = tags.map(|tag| format!("struct {tag};\n")).collect();
    declared + &head
}

fn piece(name: &str, text: &str) -> Piece {
    let heads = heads(text);
    let label = |(name, head): &(&str, &str)| format!("{} __asm__(\"{REDIRECTION}{name}\");\n", early(head));
    let variables = text.lines().filter(|line| line.ends_with(';') && !line.starts_with([' ', '}']));
    let variables = variables.filter_map(|line| defined(line)).map(str::to_owned);
    let functions: Vec<String> = heads.iter().map(|(name, _)| (*name).to_owned()).collect();
    Piece {
        name: name.to_owned(),
        before: heads.iter().map(label).collect(),
        text: text.to_owned(),
        defines: functions.iter().cloned().chain(variables).collect(),
        redirects: functions,
        is_callback: false,
    }
}

/// The name that a declaration at the beginning of a line defines: the last word before what is no part of a name.
fn defined(line: &str) -> Option<&str> {
    let end = line.find(['(', '[', ';', '=']).unwrap_or(line.len());
    line[..end].split([' ', '*']).rfind(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::abi::CONTROLLED;

    #[test]
    fn labels_and_names_come_from_the_text() {
        let piece = pieces(&["getenv".to_owned()], &HashSet::new()).remove(0);
        assert_eq!(piece.before, "char *getenv(const char *name) __asm__(\"bw_getenv\");\n");
        assert_eq!(piece.defines, ["getenv", "getenv_exists", "getenv_text"]);
        assert_eq!(piece.redirects, ["getenv"]);
    }

    #[test]
    fn allocators_go_together_and_are_left_to_those_who_have_their_own() {
        let needed = ["calloc".to_owned()];
        let piece = allocation(&needed, &HashSet::new()).expect("it allocates");
        assert_eq!(piece.redirects, ["malloc", "calloc", "realloc"]);
        assert_eq!(piece.defines, ["malloc", "calloc", "realloc", "alloc_fails_at"]);
        assert_eq!(allocation(&needed, &HashSet::from(["realloc".to_owned()])), None);
        assert_eq!(allocation(&["free".to_owned()], &HashSet::new()), None);
    }

    #[test]
    fn every_controlled_function_has_its_text() {
        let names: Vec<String> = CONTROLLED.iter().map(|&name| name.to_owned()).collect();
        let pieces = pieces(&names, &HashSet::new());
        let mut defined: Vec<&String> = pieces.iter().flat_map(|piece| &piece.redirects).collect();
        defined.sort_unstable();
        assert_eq!(defined, names.iter().collect::<Vec<_>>());
        for piece in &pieces {
            assert!(piece.defines.len() > piece.redirects.len(), "{} has no inputs", piece.name);
        }
    }

    #[test]
    fn what_works_on_the_same_objects_goes_together() {
        let piece = pieces(&["readdir".to_owned()], &HashSet::new()).remove(0);
        assert_eq!(piece.redirects, ["opendir", "readdir", "rewinddir", "closedir"]);
        assert_eq!(piece.defines[4..], ["opendir_results", "opendir_errors", "closedir_errors"]);
        assert!(
            piece.before.starts_with(
                "struct __dirstream;\nstruct __dirstream *opendir(const char *path) __asm__(\"bw_opendir\");\n"
            ),
            "{}",
            piece.before
        );
        assert!(pieces(&["readdir".to_owned()], &HashSet::from(["closedir".to_owned()])).is_empty());
    }
}
