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
use std::collections::HashSet;
use wire::abi::CONTROLLED;

/// The texts of [`CONTROLLED`], in its order.
const TEXTS: [&str; CONTROLLED.len()] = [
    include_str!("../../stubs/access.c"),
    include_str!("../../stubs/clock.c"),
    include_str!("../../stubs/getenv.c"),
    include_str!("../../stubs/getpid.c"),
    include_str!("../../stubs/isatty.c"),
    include_str!("../../stubs/rand.c"),
    include_str!("../../stubs/random.c"),
    include_str!("../../stubs/read.c"),
    include_str!("../../stubs/recv.c"),
    include_str!("../../stubs/time.c"),
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

/// The stubs for those of `names` that are controlled.
pub(super) fn pieces(names: &[String]) -> Vec<Piece> {
    let texts = CONTROLLED.iter().zip(TEXTS);
    texts.filter(|(name, _)| names.iter().any(|n| n == *name)).map(|(name, text)| piece(name, text)).collect()
}

fn piece(name: &str, text: &str) -> Piece {
    let lines: Vec<&str> = text.lines().collect();
    let heads = lines.windows(2).filter(|pair| pair[1] == "{").map(|pair| pair[0]);
    let heads: Vec<(&str, &str)> = heads
        .filter(|head| !head.starts_with("static "))
        .filter_map(|head| Some((defined(head)?, head)))
        .collect();
    let label = |(name, head): &(&str, &str)| format!("{head} __asm__(\"{REDIRECTION}{name}\");\n");
    let variables = lines.iter().filter(|line| line.ends_with(';') && !line.starts_with(' '));
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

    #[test]
    fn labels_and_names_come_from_the_text() {
        let piece = pieces(&["getenv".to_owned()]).remove(0);
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
        let pieces = pieces(&names);
        assert_eq!(pieces.len(), CONTROLLED.len());
        for piece in pieces {
            assert_eq!(piece.redirects, [piece.name.as_str()]);
            assert!(piece.defines.len() > 1, "{} has no inputs", piece.name);
        }
    }
}
