//! The user's compile flags, sorted by who needs them: the compiler, the linker, or nobody.

use crate::Unit;

/// Flags that take the next word as their argument and that no test needs.
const DROPPED_PAIRS: [&str; 3] = ["-MF", "-MT", "-MQ"];

/// Flags for compiling a test of the unit. Left out are those that ask for warnings (a test is not the user's
/// code), write dependency files, or are meant for the linker.
pub(crate) fn compile_flags(unit: &Unit) -> impl Iterator<Item = String> {
    words(unit).into_iter().filter(|flag| !is_dropped(flag) && !is_for_linker_alone(flag))
}

/// Flags that the linker must see, before the objects.
pub(crate) fn link_flags(unit: &Unit) -> impl Iterator<Item = String> {
    const SHARED: [&str; 8] =
        ["-pthread", "-fopenmp", "-fsanitize", "-fprofile", "--coverage", "-flto", "-m", "-static"];
    words(unit).into_iter().filter_map(|flag| match flag.as_str() {
        // Code that is not position independent cannot go into the kind of program that is the default.
        "-fno-pie" | "-fno-PIE" | "-no-pie" => Some("-no-pie".to_owned()),
        f if SHARED.iter().any(|prefix| f.starts_with(prefix)) || f.starts_with("-Wl,") => Some(flag),
        _ => None,
    })
}

/// Libraries and objects to be linked with, after the objects.
pub(crate) fn libraries(unit: &Unit) -> impl Iterator<Item = String> {
    let directory = unit.directory.clone();
    let absolute = move |path: &str| {
        if path.starts_with('/') || directory.is_empty() {
            path.to_owned()
        } else {
            format!("{directory}/{path}")
        }
    };
    words(unit).into_iter().filter_map(move |flag| match flag.strip_prefix("-L") {
        Some(folder) => Some(format!("-L{}", absolute(folder))),
        None if flag.starts_with("-l") => Some(flag),
        None if is_binary(&flag) => Some(absolute(&flag)),
        None => None,
    })
}

/// The flags, each with its argument where `-L` and `-l` stand alone, without dropped pairs.
fn words(unit: &Unit) -> Vec<String> {
    let mut words = Vec::new();
    let mut flags = unit.flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "-L" | "-l" => words.extend(flags.next().map(|argument| format!("{flag}{argument}"))),
            f if DROPPED_PAIRS.contains(&f) => {
                flags.next();
            }
            _ => words.push(flag.clone()),
        }
    }
    words
}

fn is_dropped(flag: &str) -> bool {
    let is_warning = flag.starts_with("-W") && !["-Wl,", "-Wa,", "-Wp,"].iter().any(|p| flag.starts_with(p));
    is_warning || flag.starts_with("-pedantic") || ["-MD", "-MMD", "-MP", "-MG"].contains(&flag)
}

fn is_for_linker_alone(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-static", "-no-pie"].iter().any(|prefix| flag.starts_with(prefix))
        || is_binary(flag)
}

fn is_binary(flag: &str) -> bool {
    !flag.starts_with('-') && [".o", ".a", ".so"].iter().any(|suffix| flag.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(flags: &[&str]) -> Unit {
        Unit {
            file: 0,
            path: "/x.c".into(),
            stem: "x".into(),
            flags: flags.iter().map(|&f| f.to_owned()).collect(),
            directory: "/d".into(),
            source: None,
        }
    }

    #[test]
    fn warnings_and_dependency_files_are_dropped() {
        let unit = unit(&["-Wall", "-I.", "-MF", "x.d", "-MD", "-Werror=foo", "-Wp,-DX", "-pedantic", "-DY"]);
        assert_eq!(compile_flags(&unit).collect::<Vec<_>>(), ["-I.", "-Wp,-DX", "-DY"]);
        assert_eq!(link_flags(&unit).count() + libraries(&unit).count(), 0);
    }

    #[test]
    fn the_linker_gets_its_own() {
        let unit = unit(&["-pthread", "-L", "lib", "-L/abs", "-lfoo", "x y.o", "-fno-pie", "-Wl,-z,now"]);
        assert_eq!(compile_flags(&unit).collect::<Vec<_>>(), ["-pthread", "-fno-pie"]);
        assert_eq!(link_flags(&unit).collect::<Vec<_>>(), ["-pthread", "-no-pie", "-Wl,-z,now"]);
        assert_eq!(libraries(&unit).collect::<Vec<_>>(), ["-L/d/lib", "-L/abs", "-lfoo", "/d/x y.o"]);
    }
}
