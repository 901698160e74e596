//! Names of variables and of tests.

use java_classfile::{RESERVED, Type};
use java_wire::message::{End, Seen};
use java_wire::{Action, Script, Value};
use std::collections::BTreeSet;

/// Words that are names nearly everywhere, and not where variables are declared.
const CONTEXTUAL: [&str; 2] = ["record", "var"];

/// Whether a word of the language cannot be the name of a variable or a test.
fn is_word(name: &str) -> bool {
    RESERVED.contains(&name) || CONTEXTUAL.contains(&name)
}

/// Names that are taken in some scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Nothing gets this name any more.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// The wanted name, numbered from 2 on if it is taken.
    pub(crate) fn unique(&mut self, wanted: &str) -> String {
        let gap = if wanted.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let numbered = (2..).map(|number| format!("{wanted}{gap}{number}"));
        let mut all = std::iter::once(wanted.to_owned()).chain(numbered);
        let free = all.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }
}

/// What a variable must not be called where a class is named: it would hide the class, those around it, or the package where that is written
/// out. Of packages only the first part counts (section 6.4.2 of the language specification).
pub(crate) fn hidden_by_variables(class: &str) -> impl Iterator<Item = &str> {
    let (package, simple_name) = class.rsplit_once('/').unwrap_or(("", class));
    package.split('/').take(1).filter(|part| !part.is_empty()).chain(simple_name.split('$'))
}

/// A name for a variable: what a type is called at the end, `monitor` for `TemperatureMonitor`, unless the type says little and the
/// parameter that it is for says more.
pub(crate) fn variable(ty: &Type, parameter: Option<&str>) -> String {
    let from_parameter = || parameter.filter(|name| is_plain(name)).map(str::to_owned);
    match ty {
        Type::Object(class) => match class.as_str() {
            "java/lang/String" => from_parameter().unwrap_or_else(|| "text".into()),
            "java/lang/Object" => from_parameter().unwrap_or_else(|| "object".into()),
            _ if java_wire::Slot::of(ty).is_some() => from_parameter().unwrap_or_else(|| "value".into()),
            _ => last_word(class),
        },
        Type::Array(_) => from_parameter().unwrap_or_else(|| "array".into()),
        _ => from_parameter().unwrap_or_else(|| "value".into()),
    }
}

/// `tryCatch` of `TryCatch`, and `theDefault` of what would be a word of the language.
fn decapitalized(simple_name: &str) -> String {
    let mut chars = simple_name.chars().filter(|c| c.is_alphanumeric());
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    let name: String = first.into_iter().chain(chars).collect();
    let is_bad = is_word(&name) || name.starts_with(|c: char| c.is_numeric());
    if is_bad { format!("the{simple_name}") } else { name }
}

fn is_plain(name: &str) -> bool {
    let made_up = name.strip_prefix("arg").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    !made_up && name.chars().all(|c| c.is_ascii_alphanumeric()) && !is_word(name)
}

/// `monitor` of `jtestcraft/TemperatureMonitor`.
fn last_word(class: &str) -> String {
    let simple_name = simple(class);
    let chars: Vec<char> = simple_name.chars().collect();
    let begins_word =
        |i: &usize| chars[*i].is_uppercase() && chars.get(i + 1).is_some_and(|c| c.is_lowercase());
    let start = (0..chars.len()).rev().find(begins_word).unwrap_or(0);
    let word: String =
        chars[start..].iter().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    match word.as_str() {
        "" => "object".to_owned(),
        word if is_word(word) || word.starts_with(|c: char| c.is_numeric()) => decapitalized(&simple_name),
        word => word.to_owned(),
    }
}

/// The name of a class without package and outer classes.
pub(crate) fn simple(class: &str) -> String {
    let last = class.rsplit(['/', '$']).find(|part| !part.is_empty()).unwrap_or(class);
    last.to_owned()
}

/// What a test does and what came of it: `warning_returnsTrue`, `pop_throwsIllegalStateException`.
pub(crate) fn test(script: &Script, end: &End, results: &[Seen]) -> String {
    let step = match end {
        End::Threw { step, .. } => *step as usize,
        _ => script.steps.len().saturating_sub(1),
    };
    let action = script.steps.get(step).map(|step| &step.action);
    let what = match action {
        Some(Action::Construct { .. }) => "constructor".to_owned(),
        Some(Action::Invoke { name, .. } | Action::Load { name, .. } | Action::Store { name, .. }) => {
            name.clone()
        }
        _ => "test".to_owned(),
    };
    let outcome = match end {
        End::Threw { thrown, .. } => format!("throws{}", simple(&thrown.class)),
        _ => match action {
            Some(Action::Construct { class, .. }) => format!("makes{}", simple(class)),
            _ => {
                let declared = action.and_then(Action::result);
                results
                    .get(step)
                    .map_or_else(|| "completes".to_owned(), |seen| returned(seen, declared.as_ref()))
            }
        },
    };
    identifier(&format!("{what}_{outcome}"))
}

fn returned(seen: &Seen, declared: Option<&Type>) -> String {
    match seen {
        Seen::Void | Seen::Threw(_) => "completes".to_owned(),
        Seen::Null | Seen::Value(Value::Null) => "returnsNull".to_owned(),
        Seen::Value(value) => format!("returns{}", value_word(value)),
        Seen::Enum(_, name) => format!("returns{name}"),
        Seen::Array(_, length, _) => format!("returnsArrayOf{length}"),
        Seen::Same(_) => "returnsSameObject".to_owned(),
        Seen::Object(class, _) => match (simple(class), declared) {
            // Classes without names are known by what they are for.
            (name, Some(Type::Object(declared))) if name.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("returns{}", simple(declared))
            }
            (name, _) => format!("returns{name}"),
        },
    }
}

fn value_word(value: &Value) -> String {
    match value {
        Value::Boolean(true) => "True".to_owned(),
        Value::Boolean(false) => "False".to_owned(),
        Value::Byte(number) => number_word(i64::from(*number)),
        Value::Short(number) => number_word(i64::from(*number)),
        Value::Int(number) => number_word(i64::from(*number)),
        Value::Long(number) => number_word(*number),
        Value::Char(unit) => match char::from_u32(u32::from(*unit)) {
            Some(c) if c.is_ascii_alphanumeric() => format!("Char{}", c.to_ascii_uppercase()),
            _ => "Char".to_owned(),
        },
        Value::Float(bits) => real_word(f64::from(f32::from_bits(*bits))),
        Value::Double(bits) => real_word(f64::from_bits(*bits)),
        Value::Boxed(inner) => value_word(inner),
        Value::Text(units) if units.is_empty() => "EmptyText".to_owned(),
        Value::Text(_) => "Text".to_owned(),
        Value::Array(_, elements) => format!("ArrayOf{}", elements.len()),
        Value::Null => "Null".to_owned(),
    }
}

fn number_word(number: i64) -> String {
    if number < 0 { format!("Minus{}", number.unsigned_abs()) } else { number.to_string() }
}

fn real_word(number: f64) -> String {
    match number {
        n if n.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "MinusInfinity".to_owned(),
        n if n.trunc() == n && n.abs() < 1e9 => number_word(n as i64),
        _ => "Fraction".to_owned(),
    }
}

/// A text as a Java identifier.
pub(crate) fn identifier(text: &str) -> String {
    let letters = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = text.chars().map(letters).collect();
    let bad_start = name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty();
    if bad_start || is_word(&name) { format!("test_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(ty: &str, parameter: Option<&str>) -> String {
        variable(&ty.parse().expect("a type"), parameter)
    }

    #[test]
    fn variables_are_called_after_their_types() {
        assert_eq!(named("Ljtestcraft/TemperatureMonitor;", Some("m")), "monitor");
        assert_eq!(named("Lcontainers/UBStack;", None), "stack");
        assert_eq!(named("Lfeatures/Nested$Pair;", None), "pair");
        assert_eq!(named("La/URL;", None), "url");
        assert_eq!(named("Ljava/lang/String;", Some("owner")), "owner");
        assert_eq!(named("Ljava/lang/String;", Some("arg0")), "text");
        assert_eq!(named("[I", Some("default")), "array");
        assert_eq!(named("La/Default;", None), "theDefault");
        assert_eq!(named("La/TryCatch;", None), "tryCatch");
    }

    #[test]
    fn equal_names_are_numbered() {
        let mut names = Names::default();
        let all = ["list", "list", "of_returns1", "of_returns1"].map(|name| names.unique(name));
        assert_eq!(all, ["list", "list2", "of_returns1", "of_returns1_2"]);
    }
}
