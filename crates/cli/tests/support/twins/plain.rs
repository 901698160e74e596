//! The same program, built plainly: what does it print?

use super::Loaded;
use input::{Input, Place, Var};
use model::FunctionId;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use target::{CrashKind, Outcome, Seen, Target};

/// What a plain build is told so that overflow means the same.
const DEFINED: [&str; 5] =
    ["-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-ffp-contract=off", "-lm"];

/// How a run ended: a digest, or a signal.
pub(crate) type Ending = Result<u64, i32>;

/// Builds `source` plainly and runs every driver on every seed, each in a process of its own.
pub(crate) fn run(source: &Path, drivers: &[String], seeds: &[u64]) -> HashMap<(String, u64), Ending> {
    let folder = source.parent().expect("a file stands in a folder");
    let (main, program) = (folder.join("plain.c"), folder.join("plain"));
    std::fs::write(&main, main_text(source, drivers, seeds)).expect("the folder is ours");
    let mut clang = Command::new("clang-19");
    let built = clang.args(["-w", "-O0", "-o"]).arg(&program).arg(&main).args(DEFINED).status();
    assert!(built.expect("clang runs").success(), "{} does not compile", source.display());
    let output = Command::new(&program).output().expect("it runs").stdout;
    let text = String::from_utf8(output).expect("numbers");
    text.lines().map(|line| ending(line).expect("as main prints them")).collect()
}

fn ending(line: &str) -> Option<((String, u64), Ending)> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[driver, seed, kind, number] = &words[..] else { return None };
    let ending = match kind {
        "returned" => Ok(number.parse().ok()?),
        _ => Err(number.parse().ok()?),
    };
    Some(((driver.to_owned(), seed.parse().ok()?), ending))
}

fn main_text(source: &Path, drivers: &[String], seeds: &[u64]) -> String {
    let mut text = format!(
        "#include \"{}\"\n#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         static void on(const char *name, unsigned long (*f)(unsigned long), unsigned long seed)\n{{\n\
         \x20   int status;\n    fflush(stdout);\n    if (fork() == 0) {{\n\
         \x20       printf(\"%s %lu returned %lu\\n\", name, seed, f(seed));\n        fflush(stdout);\n\
         \x20       _exit(0);\n    }}\n    wait(&status);\n    if (WIFSIGNALED(status))\n\
         \x20       printf(\"%s %lu signal %d\\n\", name, seed, WTERMSIG(status));\n}}\n\nint main(void)\n{{\n",
        source.display()
    );
    for driver in drivers {
        for seed in seeds {
            let _ = writeln!(text, "    on(\"{driver}\", {driver}, {seed}UL);");
        }
    }
    text.push_str("}\n");
    text
}

impl Loaded<'_> {
    /// Compares both builds with what a plain one printed.
    pub(crate) fn compare_plain(&mut self, plain: &HashMap<(String, u64), Ending>) -> Result<usize, String> {
        for ((name, seed), expected) in plain {
            let functions = &self.builds.built.program.functions;
            let id = functions.iter().position(|f| f.name == *name).ok_or("a driver is missing")?;
            let id = FunctionId(id as u32);
            let space = self.space(id).ok_or("a driver cannot be called")?;
            let input = seeded(&space, *seed);
            let session = self.session(id, &space);
            for twin in [false, true] {
                let outcome = if twin {
                    session
                        .target
                        .trace(&input, &super::names(&input), &mut expr::Terms::new())
                        .ok_or("there is no twin")?
                        .0
                } else {
                    session.target.run(&input)
                };
                let actual = match outcome {
                    Outcome::Returned => match session.target.observe().result[..] {
                        [Seen::Bits(bits)] => Ok(bits as u64),
                        _ => return Err(format!("{name} has no result")),
                    },
                    Outcome::Crashed(crash) if crash.kind == CrashKind::Arithmetic => Err(libc::SIGFPE),
                    other => {
                        return Err(format!(
                            "{name}({seed}): {other:?} (twin: {twin}), plainly {expected:?}"
                        ));
                    }
                };
                if actual != *expected {
                    return Err(format!("{name}({seed}): {actual:?} (twin: {twin}), plainly {expected:?}"));
                }
            }
        }
        Ok(plain.len())
    }
}

/// Globals as the program has them, and the seed as the only argument.
pub(super) fn seeded(space: &input::Space, seed: u64) -> Input {
    let mut input = Input::zero(space);
    for (object, root) in space.roots.iter().enumerate() {
        if matches!(root.place, Place::Param { .. }) {
            *input.cell_mut(Var { object: object as u32, cell: 0 }) = seed.into();
        }
    }
    input
}
