//! Names for what a test declares.

use model::{Program, TypeKind};
use std::collections::HashSet;

/// Words a test may not use for anything else. Beside the keywords these are names that the test file itself
/// needs or that common headers define as macros.
const RESERVED: &str = "alignas alignof asm auto bool break case char const constexpr continue default do double \
    else enum extern false float for goto if inline int long nullptr register restrict return short signed sizeof \
    static static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile \
    while linux unix i386 errno stdin stdout stderr assert signbit isnan complex I NULL NAN INFINITY main SET NEW";

/// Names in use.
#[derive(Clone, Debug)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// The keywords, and every function, global, enumerator and type of the program: a local of that name
    /// would hide what the test wants to use.
    pub(crate) fn of_program(program: &Program) -> Names {
        let mut used: HashSet<String> = RESERVED.split_whitespace().map(str::to_owned).collect();
        // What stands in for the library is in no file that a test includes.
        let is_there = |file: u32| !program.files[file as usize].path.starts_with('<');
        used.extend(program.functions.iter().filter(|f| is_there(f.span.file)).map(|f| f.name.clone()));
        used.extend(program.globals.iter().filter(|g| is_there(g.file)).map(|g| g.name.clone()));
        for (_, ty) in program.types.iter() {
            match &ty.kind {
                TypeKind::Enum { values, .. } => used.extend(values.iter().map(|v| v.name.clone())),
                TypeKind::Typedef { .. } => used.extend(ty.name.clone()),
                _ => {}
            }
        }
        Names(used)
    }

    /// Takes `wanted`, or the first free name made from it by appending `_` or a number.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            name = if number == 1 { format!("{wanted}_") } else { format!("{wanted}_{number}") };
            number += 1;
        }
        name
    }
}

/// The words of a path such as `[3].name`, joined by `_`: `3_name`.
pub(crate) fn words(path: &str) -> String {
    path.split(['.', '[', ']']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// A file stem for every path: its own with all but ASCII letters and digits replaced by `_`, numbered where
/// two are alike. Make knows no way to quote a space in a target, so none may contain one.
#[must_use]
pub fn unique_stems<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut used = HashSet::new();
    paths.into_iter().map(|path| unique_stem(path, &mut used)).collect()
}

fn unique_stem(path: &str, used: &mut HashSet<String>) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let base: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut name = base.clone();
    let mut number = 2;
    while !used.insert(name.clone()) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_ascii_and_unique() {
        let paths = ["/a/tri angle.c", "/b/tri_angle.c", "/c/naïve.c", "x.y.c", "noext"];
        assert_eq!(unique_stems(paths), ["tri_angle", "tri_angle_2", "na_ve", "x_y", "noext"]);
    }

    #[test]
    fn taken_names_give_way() {
        let mut names = Names::of_program(&Program::default());
        let taken: Vec<String> = ["p", "p", "p", "int"].iter().map(|n| names.take(n)).collect();
        assert_eq!(taken, ["p", "p_", "p_2", "int_"]);
    }

    #[test]
    fn paths_become_words() {
        assert_eq!(words("[3].name"), "3_name");
        assert_eq!(words(""), "");
    }
}
