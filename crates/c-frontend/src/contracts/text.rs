//! The text of guards and predicates, and what is said about parts that do not fit.

use super::{Draft, Part, What};
use crate::BuildError;
use model::{Clause, TypeId, Types, spell};

/// What guards need. A part that passes an argument of another type is an error; what the unit does is its own affair.
pub(super) const PRELUDE: &str = r#"
_Noreturn void bwp_require(unsigned clause);
unsigned long bwp_elements(const volatile void *pointer, unsigned long size);
#undef elements
#define elements(...) ((__VA_ARGS__) ? bwp_elements(__VA_ARGS__, sizeof *(__VA_ARGS__)) : 0ul)
#ifndef NULL
#define NULL ((void *)0)
#endif
#pragma clang diagnostic error "-Wincompatible-pointer-types"
#pragma clang diagnostic error "-Wincompatible-pointer-types-discards-qualifiers"
#pragma clang diagnostic error "-Wint-conversion"
#pragma clang diagnostic error "-Wimplicit-function-declaration"
"#;

/// The parameters of a function.
pub(super) struct Signature {
    /// Declarations.
    list: Vec<String>,
    names: Vec<String>,
}

impl Signature {
    /// `None` if a type cannot be spelled.
    pub(super) fn of(types: &Types, params: &[(Option<String>, TypeId)]) -> Option<Signature> {
        let names: Vec<String> = (1..)
            .zip(params)
            .map(|(i, (name, _))| name.clone().unwrap_or_else(|| format!("argument_{i}")))
            .collect();
        let list = params.iter().zip(&names).map(|((_, ty), name)| spell(types, *ty, name));
        Some(Signature { list: list.collect::<Option<_>>()?, names })
    }

    /// Whether a function `pre_…` takes no more parameters than there are.
    pub(super) fn has_room_for(&self, part: &Part) -> bool {
        match part.what {
            What::Condition(_) => true,
            What::Call(_, parameters) => parameters <= self.names.len(),
        }
    }

    fn declared(&self) -> String {
        if self.list.is_empty() { "void".to_owned() } else { self.list.join(", ") }
    }

    fn condition(&self, part: &Part) -> String {
        match &part.what {
            What::Condition(text) => text.clone(),
            What::Call(name, parameters) => format!("{name}({})", self.names[..*parameters].join(", ")),
        }
    }
}

/// A function that returns if all parts hold. They are numbered from `first` on.
pub(super) fn guard(name: &str, draft: &Draft, parts: &[Part], first: u32) -> String {
    let mut text = format!("void {name}({})\n{{\n", draft.signature.declared());
    for (number, part) in (first..).zip(parts) {
        let file = part.file.replace('\\', "\\\\").replace('"', "\\\"");
        let condition = draft.signature.condition(part);
        text += &format!("#line {} \"{file}\"\nif (!({condition}))\nbwp_require({number}u);\n", part.line);
    }
    text + "}\n"
}

/// The same as a question, but for the lengths of objects: nobody outside of the back end knows them.
pub(super) fn predicate(name: &str, draft: &Draft) -> String {
    let signature = &draft.signature;
    let is_known = |part: &&Part| line_of(&signature.condition(part), "elements").is_none();
    let mut parts: Vec<String> =
        draft.parts.iter().filter(is_known).map(|part| format!("({})", signature.condition(part))).collect();
    if parts.is_empty() {
        parts.push("1".to_owned());
    }
    format!(
        "/* What {}() requires of its callers. */\n_Bool {name}({})\n{{\n    return {};\n}}\n",
        draft.function,
        signature.declared(),
        parts.join("\n        && ")
    )
}

/// A part as it is shown.
pub(super) fn clause(draft: &Draft, part: &Part) -> Clause {
    Clause { text: draft.signature.condition(part), place: place(part) }
}

/// Whether a result of this type says yes or no.
pub(super) fn is_answer(result: &str) -> bool {
    matches!(result, "_Bool" | "bool" | "int" | "unsigned int" | "BOOL" | "boolean")
}

/// The line on which a text names a function first that is called or defined there.
pub(super) fn line_of(text: &str, name: &str) -> Option<u32> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = |&(start, _): &(usize, &str)| {
        let before = text[..start].chars().next_back();
        let after = text[start + name.len()..].trim_start();
        !before.is_some_and(is_word) && after.starts_with('(')
    };
    let (start, _) = text.match_indices(name).find(named)?;
    Some(1 + text[..start].matches('\n').count() as u32)
}

fn place(part: &Part) -> String {
    format!("{}:{}", part.file, part.line)
}

pub(super) fn nameless(function: &str, part: &Part) -> BuildError {
    BuildError::Contract(format!(
        "{}: `{function}` takes a structure without a name, so nothing can be required of it",
        place(part)
    ))
}

pub(super) fn too_many(function: &str, part: &Part) -> BuildError {
    let What::Call(name, _) = &part.what else { return nameless(function, part) };
    BuildError::Contract(format!("{}: `{name}` takes more parameters than `{function}`", place(part)))
}

/// What the compiler says about a part.
pub(super) fn rejected(function: &str, part: &Part, diagnostics: &str) -> BuildError {
    let errors: Vec<&str> =
        diagnostics.lines().filter_map(|line| line.split_once(": error: ").map(|(_, what)| what)).collect();
    let words = match &part.what {
        What::Condition(text) => format!("`{text}`, which `{function}` requires, does not compile"),
        What::Call(name, _) => format!("`{name}` does not take the parameters of `{function}`"),
    };
    BuildError::Contract(format!("{}: {words}\n{}", place(part), errors.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_its_name_alone() {
        let text = "int xpre_f(int);\n/* pre_f */ int pre_full(int);\nint pre_f (int a) { return a; }\n";
        assert_eq!(line_of(text, "pre_f"), Some(3));
        assert_eq!(line_of(text, "pre_full"), Some(2));
        assert_eq!(line_of(text, "pre_g"), None);
    }

    #[test]
    fn parts_keep_their_lines_and_numbers() {
        let signature =
            Signature { list: vec!["int a".into(), "int b".into()], names: vec!["a".into(), "b".into()] };
        let part = |what, line| Part { what, file: "x.toml".into(), line };
        let parts = vec![part(What::Condition("a < b".into()), 3), part(What::Call("pre_f".into(), 1), 9)];
        let draft = Draft { function: "f".into(), signature, parts };
        assert_eq!(
            guard("g", &draft, &draft.parts, 7),
            "void g(int a, int b)\n{\n#line 3 \"x.toml\"\nif (!(a < b))\nbwp_require(7u);\n\
             #line 9 \"x.toml\"\nif (!(pre_f(a)))\nbwp_require(8u);\n}\n"
        );
        let text = predicate("requires_f", &draft);
        assert!(text.contains("return (a < b)\n        && (pre_f(a));"), "{text}");
    }
}
