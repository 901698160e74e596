//! The Makefile of a program's suite. See [`crate::makefile`] for what may be written where.

use super::{ProgramBuild, ProgramKind, harness};
use crate::makefile::{compile, link, shell_quoted};

/// The text of the Makefile.
pub(super) fn makefile(build: &ProgramBuild, has_crashes: bool) -> String {
    let built = match &build.built {
        Some(path) if build.kind == ProgramKind::Program => {
            format!(
                "# As built already; make check PROGRAM= builds it anew from its sources.\nPROGRAM ?= {}\n",
                path.replace('$', "$$")
            )
        }
        _ => String::new(),
    };
    let mut text = format!(
        "# Builds the program and runs its tests: make check\n\
         # A program built elsewhere: make check PROGRAM=path; some tests alone: make check TESTS=tests/test_001\n\
         \nCFLAGS ?= -g\nLDLIBS ?= -lm\nSANITIZE ?= -fsanitize=address,undefined\nOUT ?= .\n{built}export PROGRAM\n\
         \n.PHONY: check build{} clean FORCE\n\
         \ncheck: $(if $(PROGRAM),,build)\n\t@PROGRAM=\"$${{PROGRAM:-$(OUT)/program}}\" sh run.sh $(TESTS)\n\
         \nbuild: $(OUT)/program\n",
        if has_crashes { " crashes" } else { "" },
    );
    text += &program_rule(build, "program", "$(CFLAGS)");
    if has_crashes {
        text += "\n# Runs every input on which the program faults or hangs, and shows what happens.\n\
                 crashes: $(OUT)/sanitized\n\t@PROGRAM=\"$(OUT)/sanitized\" sh run.sh --show crashes/*\n";
        text += &program_rule(build, "sanitized", "-g $(SANITIZE) $(CFLAGS)");
    }
    text += "\nclean:\n\trm -f $(OUT)/*.o $(OUT)/program $(OUT)/sanitized\n\nFORCE:\n";
    text
}

/// Compiles everything, always: what it depends on has names make could not be told.
fn program_rule(build: &ProgramBuild, binary: &str, flags: &str) -> String {
    let mut text = format!("\n$(OUT)/{binary}: FORCE\n");
    let mut objects: Vec<String> = Vec::new();
    let is_harness = build.kind != ProgramKind::Program;
    // Where the user has headers of these names, those count.
    let headers = if is_harness { " -idirafter \"$$here/harness/include\"" } else { "" };
    for unit in &build.units {
        let object = format!("{binary}_{}.o", unit.stem);
        // Warnings of the program are the user's business.
        let compile = compile(unit, &format!("{flags} -w{headers}"), &shell_quoted(&unit.path), &object);
        text += &format!("\t{compile}\n");
        objects.push(object);
    }
    for stem in harness::units(build.kind) {
        let object = format!("{binary}-{stem}.o");
        text += &format!("\t$(CC) {flags} -c harness/{stem}.c -o $(OUT)/{object}\n");
        objects.push(object);
    }
    let objects: Vec<String> = objects.iter().map(|object| format!("$(OUT)/{object}")).collect();
    let link_flags = format!("{flags}{}", if is_harness { harness::LINK_FLAG } else { "" });
    let link = link(&build.units, &link_flags, &objects.join(" "), "$@", &libraries(build));
    format!("{text}\t{link}\n")
}

fn libraries(build: &ProgramBuild) -> String {
    build.link_flags.iter().map(|word| format!("{} ", shell_quoted(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    #[test]
    fn a_program_that_is_there_is_used_unless_it_is_a_harness() {
        let mut build = ProgramBuild { built: Some("/a $b".to_owned()), ..ProgramBuild::default() };
        assert!(makefile(&build, false).contains("\nPROGRAM ?= /a $$b\n"));
        build.kind = ProgramKind::Harness;
        assert!(!makefile(&build, false).contains("PROGRAM ?="));
    }

    #[test]
    fn objects_of_the_program_and_of_the_harness_never_meet() {
        let unit = |path: &str, stem: &str| Unit {
            file: 0,
            path: path.to_owned(),
            stem: stem.to_owned(),
            flags: Vec::new(),
            directory: String::new(),
            source: None,
        };
        let build = ProgramBuild {
            units: vec![unit("/x/replay.c", "replay")],
            kind: ProgramKind::Harness,
            ..ProgramBuild::default()
        };
        let text = makefile(&build, false);
        assert!(text.contains("/program_replay.o") && text.contains("/program-replay.o"), "{text}");
    }
}
