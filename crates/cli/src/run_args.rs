//! The command line of `run`.

use crate::args::{Amount, IsolationArg, parse_budget};
use c_frontend::whole::{Argument, Entry, Surroundings};
use clap::Args;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Options of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// A program built with `CC="branchwise cc"`, or C files that make one
    #[arg(required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<PathBuf>,
    /// Arguments for the program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
    /// Let standard input be any text of at most N bytes
    #[arg(long, value_name = "N")]
    pub(crate) sym_stdin: Option<u32>,
    /// Let argument I (1 is the first) be any text of at most N bytes (may be repeated)
    #[arg(long, value_name = "I=N", value_parser = parse_argument)]
    pub(crate) sym_arg: Vec<(usize, u32)>,
    /// Let the file NAME have any contents of at most N bytes (may be repeated)
    #[arg(long, value_name = "NAME=N", value_parser = parse_file)]
    pub(crate) sym_file: Vec<(String, u32)>,
    /// Most numbers and blocks that a harness is given
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) sym_values: u32,
    /// Most bytes that a harness is given in blocks, or a fuzz target as its input
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) sym_bytes: u32,
    /// Engine, see `branchwise engines`
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Work: 60s, 500ms, 2m, or 100000x for executions (repeatable)
    #[arg(long, value_parser = parse_budget, value_name = "AMOUNT")]
    pub(crate) budget: Option<Amount>,
    /// Look for errors as well: overflow, division by zero, indices out of bounds, null pointers and the like
    #[arg(long)]
    pub(crate) find_errors: bool,
    /// Seed of all randomness
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Folder for the suite and the reports
    #[arg(long, short = 'o', default_value = "branchwise-out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Format of the suite: program, testcomp or ktest
    #[arg(long, default_value = "program", value_name = "FORMAT")]
    pub(crate) emit: String,
    /// How runs are kept apart
    #[arg(long, value_enum, default_value_t = IsolationArg::Auto)]
    pub(crate) isolation: IsolationArg,
    /// Flags for the compiler, if C files are named
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(crate) cflags: Option<String>,
    /// Settings file; default: branchwise.toml in the current folder, if there is one
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Exit with 1 if a goal is left unknown
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print nothing but errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

impl RunArgs {
    /// What the program gets from outside.
    pub(crate) fn surroundings(&self, entry: Entry) -> Surroundings {
        let mut arguments: Vec<Argument> =
            self.arguments.iter().map(|a| Argument::Fixed(a.as_bytes().to_vec())).collect();
        for &(index, size) in &self.sym_arg {
            if arguments.len() < index {
                arguments.resize(index, Argument::Fixed(Vec::new()));
            }
            arguments[index - 1] = Argument::Symbolic(size);
        }
        Surroundings {
            entry,
            stdin: self.sym_stdin,
            arguments,
            files: self.sym_file.clone(),
            values: self.sym_values,
            block_bytes: self.sym_bytes,
        }
    }

    /// The words that say what is run and what varies, paths made absolute.
    pub(crate) fn words(&self) -> Vec<String> {
        let absolute = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let mut words = vec!["run".to_owned()];
        words.extend(self.program.iter().map(|path| absolute(path).to_string_lossy().into_owned()));
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(size) = self.sym_stdin {
            option("--sym-stdin", size.to_string());
        }
        for (index, size) in &self.sym_arg {
            option("--sym-arg", format!("{index}={size}"));
        }
        for (name, size) in &self.sym_file {
            option("--sym-file", format!("{name}={size}"));
        }
        option("--sym-values", self.sym_values.to_string());
        option("--sym-bytes", self.sym_bytes.to_string());
        if let Some(flags) = &self.cflags {
            option("--cflags", flags.clone());
        }
        words
    }

    /// Whether anything but what a harness asks for varies.
    pub(crate) fn varies(&self) -> bool {
        self.sym_stdin.is_some() || !self.sym_arg.is_empty() || !self.sym_file.is_empty()
    }
}

/// Most bytes of one input: beyond, no search gets anywhere.
const MOST: u32 = 1 << 16;

fn size(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(size) if size <= MOST => Ok(size),
        _ => Err(format!("`{text}` is no number of bytes up to {MOST}")),
    }
}

fn parse_argument(text: &str) -> Result<(usize, u32), String> {
    let (index, bytes) = text.split_once('=').ok_or_else(|| format!("`{text}`: write I=N, as in 1=20"))?;
    match index.parse() {
        Ok(index) if (1..=256).contains(&index) => Ok((index, size(bytes)?)),
        _ => Err(format!("`{index}` is no number of an argument: 1 is the first")),
    }
}

fn parse_file(text: &str) -> Result<(String, u32), String> {
    let (name, bytes) =
        text.rsplit_once('=').ok_or_else(|| format!("`{text}`: write NAME=N, as in notes.txt=40"))?;
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.is_empty() || name.starts_with('/') || name.split('/').any(|part| part == "..") {
        return Err(format!("`{name}`: files are named relative to the folder in which the program runs"));
    }
    Ok((name.to_owned(), size(bytes)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names() {
        assert_eq!(parse_argument("2=20"), Ok((2, 20)));
        assert_eq!(parse_file("./a=b=7"), Ok(("a=b".to_owned(), 7)));
        for wrong in ["0=4", "x=4", "1", "1=-3", "1=9999999"] {
            assert!(parse_argument(wrong).is_err(), "{wrong}");
        }
        for wrong in ["=4", "/etc/passwd=4", "../x=4", "a"] {
            assert!(parse_file(wrong).is_err(), "{wrong}");
        }
    }
}
