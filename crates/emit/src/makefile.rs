//! The Makefile beside the tests.
//!
//! Make cannot quote: a space ends a target, `$` starts a variable. So targets are ASCII stems only, and paths
//! and flags of the user appear in recipes alone, quoted for the shell. Whatever was built is built anew every
//! time: what it depends on has names make could not be told, and flags may differ from the last time.

use crate::crashes::Reproducer;
use crate::{EmitJob, EmittedFile, Unit, flags, stubs};
use model::Program;
use std::collections::HashSet;

const RUN: &str = r#"run: build
	@for test in $(TESTS); do \
	    $(OUT)/$$test $(ARGS) || [ $$? -eq 1 ] || echo "FAIL $$test (did not finish)"; \
	done | awk ' \
	    /^[0-9]+ passed, [0-9]+ failed$$/ { passed += $$1; failed += $$3; next } \
	    /^FAIL .* \(did not finish\)$$/ { failed++ } \
	    { print } \
	    END { printf "%d passed, %d failed\n", passed, failed; exit (failed > 0) }'
"#;

/// The text of the Makefile. `libraries` go before the user's own.
pub(crate) fn makefile(job: &EmitJob, crashes: &[Reproducer], libraries: &str) -> String {
    let tests: Vec<String> = job.tested_units().map(|u| format!("test_{}", u.stem)).collect();
    let mut text = format!(
        "# Builds and runs the tests: make, or for example make CC=clang CFLAGS=--coverage ARGS=--no-death\n\
         \nCFLAGS ?= -g\nLDLIBS ?= -lm\nSANITIZE ?= -fsanitize=address,undefined\nOUT ?= .\nTESTS = {}\n\
         \n.PHONY: run build clean FORCE\n\n{RUN}\nbuild: $(TESTS:%=$(OUT)/%)\n",
        tests.join(" ")
    );
    for unit in job.tested_units() {
        text += &test_rule(job, unit, libraries);
    }
    text += &runner_rules(job);
    if job.units.len() > 1 {
        job.units.iter().for_each(|unit| text += &object_rule(job.program, unit));
    }
    crashes.iter().for_each(|crash| text += &crash_rule(job, crash));
    text += "\nclean:\n\trm -f $(OUT)/*.o crashes/*.o $(TESTS:%=$(OUT)/%)\n\nFORCE:\n";
    text
}

fn test_rule(job: &EmitJob, unit: &Unit, libraries: &str) -> String {
    let stem = &unit.stem;
    let others = others(job, unit);
    let compile = compile(unit, "$(CFLAGS)", &format!("\"$$here/test_{stem}.c\""), &format!("test_{stem}.o"));
    let link = link(
        &job.units,
        "$(CFLAGS)",
        &format!("$(OUT)/test_{stem}.o $(OUT)/branchwise.o{others}"),
        "$@",
        libraries,
    );
    format!("\n$(OUT)/test_{stem}: FORCE $(OUT)/branchwise.o{others}\n\t{compile}\n\t{link}\n")
}

fn runner_rules(job: &EmitJob) -> String {
    let rule = |name: &str| format!("\n$(OUT)/{name}.o: FORCE\n\t$(CC) $(CFLAGS) -c {name}.c -o $@\n");
    let missing = missing_functions(job.program).map_or(String::new(), |_| rule("branchwise_missing"));
    format!("{}{missing}", rule("branchwise"))
}

/// A unit as part of the tests of another one; two `main`s in one binary would be one too many, and its
/// warnings are the user's business.
fn object_rule(program: &Program, unit: &Unit) -> String {
    let stem = &unit.stem;
    let flags = format!("$(CFLAGS) -w -Dmain=branchwise_unused_main_{stem}");
    let source = match stubs::of(program, unit).next() {
        Some(_) => format!("\"$$here/{}\"", stubs::file_name(unit)),
        None => shell_quoted(&unit.path),
    };
    let compile = compile(unit, &flags, &source, &format!("unit_{stem}.o"));
    format!("\n$(OUT)/unit_{stem}.o: FORCE\n\t{compile}\n")
}

fn crash_rule(job: &EmitJob, crash: &Reproducer) -> String {
    let Reproducer { number, unit, file } = crash;
    let others = others(job, unit);
    let source = format!("\"$$here\"/{}", shell_quoted(&file.path));
    let binary = format!("crashes/crash-{number}");
    let compile = compile(unit, "-g $(SANITIZE) $(CFLAGS)", &source, &format!("{binary}.o"));
    let binary = format!("$(OUT)/{binary}");
    let link = link(&job.units, "-g $(SANITIZE) $(CFLAGS)", &format!("{binary}.o{others}"), &binary, "");
    format!(
        "\n# {}\ncrash-{number}: FORCE{others}\n\t{compile}\n\t{link}\n\
         \t@echo \"built {binary}: run it to see the fault\"\n",
        file.path.replace('\\', "/"),
    )
}

/// The objects a test of `unit` is linked with, each after a space. A unit that defines the same thing again is
/// part of another program.
fn others(job: &EmitJob, unit: &Unit) -> String {
    let mut defined = ambiguous(job.program, unit);
    let mut objects = String::new();
    for other in job.units.iter().filter(|u| u.stem != unit.stem) {
        let names = ambiguous(job.program, other);
        if names.is_disjoint(&defined) {
            defined.extend(names);
            objects += &format!(" $(OUT)/unit_{}.o", other.stem);
        }
    }
    if missing_functions(job.program).is_some() {
        objects += " $(OUT)/branchwise_missing.o";
    }
    objects
}

/// What a unit defines for all to see, but had to get a name of its own in the image because others do so too. A
/// `main` is taken care of.
fn ambiguous<'p>(program: &'p Program, unit: &Unit) -> HashSet<&'p str> {
    let functions = program.functions.iter().filter(|f| f.span.file == unit.file && f.name != "main");
    let functions = functions.map(|f| (f.is_static, &f.name, &f.symbol));
    let globals = program.globals.iter().filter(|g| g.file == unit.file);
    let all = functions.chain(globals.map(|g| (g.is_static, &g.name, &g.symbol)));
    all.filter(|(is_static, name, symbol)| !is_static && name != symbol)
        .map(|(_, name, _)| name.as_str())
        .collect()
}

/// A compile command in the folder where the unit's flags hold.
pub(crate) fn compile(unit: &Unit, more_flags: &str, source: &str, object: &str) -> String {
    let flags = quoted_words(flags::compile_flags(unit));
    let directory = match unit.directory.as_str() {
        "" => String::new(),
        directory => format!("cd {} && ", shell_quoted(directory)),
    };
    format!(
        "here=$$(pwd) && out=$$(cd $(OUT) && pwd) && {directory}$(CC) {flags}{more_flags} -c {source} \
         -o \"$$out/{object}\""
    )
}

/// Words for the shell, each followed by a space.
fn quoted_words(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("{} ", shell_quoted(&word))).collect()
}

/// A link command. Since all units go into one program, so do the flags and libraries of all.
pub(crate) fn link(units: &[Unit], flags: &str, objects: &str, binary: &str, libraries: &str) -> String {
    let collect = |words: Vec<String>| {
        let mut seen = HashSet::new();
        quoted_words(words.into_iter().filter(|word| seen.insert(word.clone())))
    };
    let link_flags = collect(units.iter().flat_map(flags::link_flags).collect());
    let given = collect(units.iter().flat_map(flags::libraries).collect());
    format!("$(CC) {link_flags}{flags} $(LDFLAGS) {objects} -o {binary} {given}{libraries}$(LDLIBS)")
}

/// A word for the shell inside a recipe: `$` doubled for make, the rest in single quotes where needed.
pub(crate) fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''")).replace('$', "$$")
}

/// Definitions for what the program uses but nobody defines, so that the rest can be linked: functions that say
/// so when they are called, variables of zeros.
pub(crate) fn missing_functions(program: &Program) -> Option<EmittedFile> {
    let is_symbol =
        |name: &&String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
    let stubs: String = program
        .undefined
        .iter()
        .filter(is_symbol)
        .enumerate()
        .map(|(i, name)| {
            // The label gives the symbol; the C name is ours, as a builtin's could not be declared this way.
            if program.undefined_variables.contains(name) {
                return format!(
                    "\nextern char branchwise_missing_{i}[4096] __asm__(\"{name}\") \
                     __attribute__((weak, aligned(16)));\nchar branchwise_missing_{i}[4096] = {{0}};\n"
                );
            }
            format!(
                "\nvoid branchwise_missing_{i}(void) __asm__(\"{name}\") __attribute__((weak));\n\
                 void branchwise_missing_{i}(void)\n{{\n    missing(\"{name}\");\n}}\n"
            )
        })
        .collect();
    let contents = format!(
        "/* What the program uses and nobody defines. */\n#include <stdio.h>\n#include <stdlib.h>\n\
         \n__attribute__((unused)) static void missing(const char *name)\n{{\n    \
         fprintf(stderr, \"%s is called but defined nowhere\\n\", name);\n    abort();\n}}\n{stubs}"
    );
    (!stubs.is_empty()).then_some(EmittedFile::text("branchwise_missing.c", contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_make_and_shell() {
        assert_eq!(shell_quoted("-DX=1"), "-DX=1");
        assert_eq!(shell_quoted("a b"), "'a b'");
        assert_eq!(shell_quoted("it's $5"), r"'it'\''s $$5'");
        assert_eq!(shell_quoted(""), "''");
        assert_eq!(shell_quoted("naïve"), "'naïve'");
    }
}
