//! A compiler's command line, as far as it matters here: what is compiled, and to what.

use super::response;
use std::path::Path;

/// What a command makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Objects: `-c`.
    Objects,
    /// A program or a shared object.
    Linked,
    /// Something without a place for bitcode: preprocessed text, assembly, dependencies, `ld -r`, an answer.
    Other,
}

/// One argument, together with its value where that stands apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Flag(String),
    Pair(String, String),
    /// A file to compile as C.
    Source(String),
    /// A file for the linker, or in another language.
    File(String),
}

/// A command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CommandLine {
    pub(super) stage: Stage,
    pub(super) arguments: Vec<Argument>,
    pub(super) output: Option<String>,
}

/// Options whose value is the next argument. Of those that may also be glued to their value (`-Iinclude`) only the
/// bare form is here.
const TAKES_VALUE: [&str; 48] = [
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-G",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-internal-isystem",
    "-include-pch",
    "-ivfsoverlay",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-mllvm",
    "-arch",
    "-target",
    "--target",
    "--param",
    "-rpath",
    "-framework",
    "-aux-info",
    "--config",
    "-resource-dir",
    "-working-directory",
];

const NO_OBJECT: [&str; 26] = [
    "-E",
    "-S",
    "-M",
    "-MM",
    "-r",
    "-fsyntax-only",
    "-###",
    "-emit-llvm",
    "-emit-ast",
    "-cc1",
    "-cc1as",
    "--analyze",
    "--precompile",
    "--preprocess",
    "--assemble",
    "--version",
    "--help",
    "-help",
    "-dumpversion",
    "-dumpfullversion",
    "-dumpmachine",
    "-dumpspecs",
    "-dumpdir",
    "-rewrite-objc",
    "--dependencies",
    "--user-dependencies",
];

impl CommandLine {
    pub(super) fn parse(arguments: &[String]) -> CommandLine {
        let mut line = CommandLine { stage: Stage::Linked, arguments: Vec::new(), output: None };
        let mut language = None;
        let mut given = response::expand(arguments).into_iter();
        while let Some(argument) = given.next() {
            if TAKES_VALUE.contains(&argument.as_str()) {
                let value = given.next().unwrap_or_default();
                match argument.as_str() {
                    "-o" => line.output = Some(value.clone()),
                    "-x" => language = Some(value.clone()).filter(|l| l != "none"),
                    _ => {}
                }
                line.arguments.push(Argument::Pair(argument, value));
            } else if argument.len() > 1 && argument.starts_with('-') {
                line.flag(argument, &mut language);
            } else {
                line.file(argument, language.as_deref());
            }
        }
        if !line.arguments.iter().any(|a| matches!(a, Argument::Source(_) | Argument::File(_))) {
            line.stage = Stage::Other;
        }
        line
    }

    fn flag(&mut self, flag: String, language: &mut Option<String>) {
        if NO_OBJECT.contains(&flag.as_str()) || flag.starts_with("-print-") || flag.starts_with("--print-") {
            self.stage = Stage::Other;
        } else if matches!(flag.as_str(), "-c" | "--compile") && self.stage == Stage::Linked {
            self.stage = Stage::Objects;
        } else if let Some(path) = flag.strip_prefix("-o") {
            self.output = Some(path.to_owned());
        } else if let Some(name) = flag.strip_prefix("-x") {
            *language = Some(name.to_owned()).filter(|l| l != "none");
        }
        self.arguments.push(Argument::Flag(flag));
    }

    fn file(&mut self, path: String, language: Option<&str>) {
        if path == "-" {
            // Standard input can be read only once.
            self.stage = Stage::Other;
        }
        let is_c = match language {
            Some(language) => language == "c",
            None => Path::new(&path).extension().is_some_and(|e| e == "c"),
        };
        let argument = if is_c && Path::new(&path).is_file() { Argument::Source } else { Argument::File };
        self.arguments.push(argument(path));
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Source(path) => Some(path.as_str()),
            _ => None,
        })
    }

    pub(super) fn has_flag(&self, found: impl Fn(&str) -> bool) -> bool {
        self.arguments.iter().any(|a| matches!(a, Argument::Flag(flag) if found(flag)))
    }

    /// Whether some file's language was given by hand.
    pub(super) fn names_a_language(&self) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Pair(flag, _) => flag == "-x",
            Argument::Flag(flag) => flag.starts_with("-x"),
            _ => false,
        })
    }

    /// Everything but the files.
    pub(super) fn flags(&self) -> Vec<String> {
        let flags = self.arguments.iter().flat_map(|argument| match argument {
            Argument::Flag(flag) => vec![flag.clone()],
            Argument::Pair(flag, value) => vec![flag.clone(), value.clone()],
            Argument::Source(_) | Argument::File(_) => Vec::new(),
        });
        flags.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a line that stands in a folder with `a.c` and `b.txt`.
    fn parse(text: &str) -> (CommandLine, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.c", "b.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let place = folder.path().to_string_lossy().into_owned();
        let words: Vec<String> = text.split(' ').map(|w| w.replace('/', &format!("{place}/"))).collect();
        let line = CommandLine::parse(&words);
        let sources = line.sources().map(|s| s.replace(&place, "")).collect();
        (line, sources)
    }

    #[test]
    fn stages_are_told_apart() {
        for (text, stage) in [
            ("-c /a.c", Stage::Objects),
            ("/a.c", Stage::Linked),
            ("-shared x.o -o libx.so", Stage::Linked),
            ("-E /a.c", Stage::Other),
            ("-c -E /a.c", Stage::Other),
            ("-S -c /a.c", Stage::Other),
            ("-M /a.c", Stage::Other),
            ("-MMD -c /a.c", Stage::Objects),
            ("-x c -", Stage::Other),
            ("-xc - -c", Stage::Other),
            ("--version", Stage::Other),
            ("-v", Stage::Other),
            ("-print-prog-name=ld", Stage::Other),
            ("-r a.o b.o -o c.o", Stage::Other),
            ("-c -emit-llvm /a.c", Stage::Other),
        ] {
            assert_eq!(parse(text).0.stage, stage, "{text}");
        }
    }

    #[test]
    fn only_files_in_c_are_sources() {
        for (text, sources) in [
            ("-c /a.c -o /a.o", vec!["/a.c"]),
            ("-I /a.c -include /a.c x.o", vec![]),
            ("-o /a.c x.o", vec![]),
            ("-x c++ /a.c", vec![]),
            ("-x c /b.txt -x none /b.txt", vec!["/b.txt"]),
            ("/absent.c /a.c /a.c", vec!["/a.c", "/a.c"]),
            ("-xassembler /a.c", vec![]),
        ] {
            assert_eq!(parse(text).1, sources, "{text}");
        }
    }

    #[test]
    fn outputs_are_found_glued_or_apart() {
        assert_eq!(parse("-c a.c -o b.o").0.output.as_deref(), Some("b.o"));
        assert_eq!(parse("-c a.c -ob.o").0.output.as_deref(), Some("b.o"));
    }
}
