//! A finding as a program: plain Java with a `main`, in the package of what it calls, and no part of the suite.

use crate::body::{Suppressed, Throws, Writer};
use crate::imports::Imports;
use crate::names::{self, Names};
use crate::own_files::{Home, OwnFiles};
use crate::test_class::{DIALECT_5, classes, paragraphs, suppressions};
use crate::{EmittedFile, Facts, JavaTest, Reason, check, layout};
use java_wire::message::End;
use java_wire::{Script, Value};
use std::collections::BTreeMap;

/// The folder of reproducers in the output folder.
const FOLDER: &str = "crashes";

/// The parameter of `main`, which nobody looks at.
const PARAMETER: &str = "ignored";

/// A program that repeats a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reproducer {
    /// The source.
    pub file: EmittedFile,
    /// Its class, with dots.
    pub class: String,
    /// The calls, a statement each.
    pub statements: Vec<String>,
}

/// Writes a program that makes the calls of a script and expects nothing. `package` has dots, `name` becomes the name of the class, and the
/// lines of `head` stand before it as a comment.
///
/// # Errors
/// If it cannot be written, as for tests.
pub fn reproducer(
    facts: &Facts,
    package: &str,
    name: &str,
    (script, values): (&Script, &[Value]),
    head: &[String],
) -> Result<Reproducer, Reason> {
    let test = &JavaTest {
        name: None,
        script: script.clone(),
        values: values.to_vec(),
        end: End::Returned,
        results: Vec::new(),
        observed: Vec::new(),
        comment: Vec::new(),
    };
    check::check(test, facts)?;
    let folder = package.replace('.', "/");
    let class = names::identifier(name);
    let mut imports = Imports::new(facts, &folder, &class);
    let mut suppressed = Suppressed::default();
    let mut own_files = OwnFiles::default();
    let mut reserved = Names::default();
    let parts = classes(&test.script).flat_map(names::hidden_by_variables);
    parts.chain(["java", "org", "javax", PARAMETER]).for_each(|part| reserved.reserve(part));
    let mut writer = Writer {
        test,
        facts,
        package: &folder,
        dialect: &DIALECT_5,
        asserts: true,
        imports: &mut imports,
        suppressed: &mut suppressed,
        own_files: &mut own_files,
        throws: Throws::Nothing,
        held: Vec::new(),
        slots: BTreeMap::new(),
        types: Vec::new(),
        names: reserved,
    };
    let groups = writer.groups();
    let suppress = suppressions(suppressed, &mut imports);
    let throwable = imports.name("java/lang/Throwable");
    let text = imports.name("java/lang/String");
    let members: Vec<String> = own_files
        .fields(Home::Plain, &mut imports)
        .into_iter()
        .chain(own_files.methods(Home::Plain, &mut imports))
        .collect();
    let members: String = members.iter().map(|member| format!("\n{member}")).collect();
    let comment: String = head.iter().map(|line| format!("{}\n", layout::comment(line))).collect();
    let declaration = if package.is_empty() { String::new() } else { format!("package {package};\n\n") };
    let contents = format!(
        "{comment}{declaration}{}{suppress}public class {class} {{\n    public static void main({text}[] {PARAMETER}) throws {throwable} \
         {{\n{}    }}\n{members}}}\n",
        imports.text(),
        paragraphs(&groups)
    );
    let between = if folder.is_empty() { "" } else { "/" };
    let path = format!("{FOLDER}/{folder}{between}{class}.java");
    let dot = if package.is_empty() { "" } else { "." };
    Ok(Reproducer {
        file: EmittedFile { path, contents, executable: false },
        class: format!("{package}{dot}{class}"),
        statements: statements(&groups),
    })
}

/// The calls of a script, a statement each, as they stand in a class of this package and name.
pub(crate) fn statements_of(
    facts: &Facts,
    package: &str,
    name: &str,
    test: (&Script, &[Value]),
) -> Result<Vec<String>, Reason> {
    reproducer(facts, package, name, test, &[]).map(|written| written.statements)
}

/// A script beside them that compiles and runs one.
#[must_use]
pub fn reproducer_script(class_path: &[String]) -> EmittedFile {
    let quoted = format!("'{}'", class_path.join(":").replace('\'', "'\\''"));
    let contents = format!(
        "#!/bin/sh\n# Compiles one of the programs in this folder and runs it, with assertions on: sh run.sh CLASS\nset -eu\n\
         here=$(cd \"$(dirname \"$0\")\" && pwd)\nclasses=$(mktemp -d)\ntrap 'rm -rf \"$classes\"' EXIT\npath={quoted}\n\
         java=${{JAVA_HOME:+$JAVA_HOME/bin/}}java\njavac=${{JAVA_HOME:+$JAVA_HOME/bin/}}javac\n[ -x \"$javac\" ] || javac=javac\n\
         \"$javac\" -encoding UTF-8 -nowarn -proc:none -cp \"$path\" -d \"$classes\" \"$here/$(echo \"$1\" | tr . /).java\"\n\
         \"$java\" -ea -cp \"$classes:$path\" \"$1\"\n"
    );
    EmittedFile { path: format!("{FOLDER}/run.sh"), contents, executable: true }
}

/// Lines that continue others put together with them.
fn statements(groups: &[Vec<String>]) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in groups.iter().flatten().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        match statements.last_mut() {
            Some(last) if is_open => *last = format!("{last} {line}"),
            _ => statements.push(line.to_owned()),
        }
        let last = statements.last().map_or("", String::as_str);
        let depth = |open, close| last.matches(open).count() > last.matches(close).count();
        is_open = !last.ends_with(';') || depth('{', '}');
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_whole() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let groups = [
            lines(&["Shape shape = new Shape() {", "    int area() {", "        return 1;", "    }", "};"]),
            lines(&["use(shape,", "        3);"]),
        ];
        let whole = ["Shape shape = new Shape() { int area() { return 1; } };", "use(shape, 3);"];
        assert_eq!(statements(&groups), whole);
    }
}
