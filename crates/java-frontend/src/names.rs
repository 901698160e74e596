//! Names as in the source.

use java_classfile::{ClassFile, Method, RESERVED, Type};

/// A type as Java writes it: `int[]`, `java.util.Map.Entry`.
#[must_use]
pub fn spell(ty: &Type) -> String {
    match ty {
        Type::Boolean => "boolean".to_owned(),
        Type::Byte => "byte".to_owned(),
        Type::Char => "char".to_owned(),
        Type::Short => "short".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Long => "long".to_owned(),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Object(name) => java_name(name),
        Type::Array(element) => format!("{}[]", spell(element)),
    }
}

/// The name of a class with dots. A `$` at either end of a name is part of it; elsewhere it leads to a nested class, which is right but for
/// sources that use the character themselves.
#[must_use]
pub fn java_name(internal: &str) -> String {
    let (package, simple) =
        internal.rsplit_once('/').map_or(("", internal), |(package, simple)| (package, simple));
    let mut name = String::new();
    for (at, c) in simple.char_indices() {
        let inside = at > 0 && at + 1 < simple.len();
        name.push(if c == '$' && inside { '.' } else { c });
    }
    if package.is_empty() { name } else { format!("{}.{name}", package.replace('/', ".")) }
}

/// The source of a class, below its source root: `a/b/File.java`. Without the attribute, that of its outermost class.
#[must_use]
pub fn source_path(class: &ClassFile) -> String {
    let (package, simple) = class.name.rsplit_once('/').unwrap_or(("", &class.name));
    let outermost = simple.split('$').find(|part| !part.is_empty()).unwrap_or(simple);
    let file = class.attributes.source_file.clone().unwrap_or_else(|| format!("{outermost}.java"));
    if package.is_empty() { file } else { format!("{package}/{file}") }
}

/// Names of the parameters without the receiver: those of debug information, or those that the class declares, or `arg0` and so on.
#[must_use]
pub fn parameter_names(class: &ClassFile, method: &Method) -> Vec<String> {
    let mut slot = u16::from(!method.access.is_static());
    let mut names = Vec::new();
    for (number, parameter) in method.descriptor.parameters.iter().enumerate() {
        let declared = method.parameters.get(number).and_then(|parameter| parameter.name.clone());
        let name = local_name(class, method, slot).or(declared);
        names.push(name.unwrap_or_else(|| format!("arg{number}")));
        slot = slot.saturating_add(parameter.slots());
    }
    names
}

/// The name that a local variable has from the beginning.
fn local_name(class: &ClassFile, method: &Method, slot: u16) -> Option<String> {
    let variables = &method.code.as_ref()?.variables;
    let variable = variables.iter().find(|variable| variable.index == slot && variable.start == 0)?;
    class.pool.utf8(variable.name).ok().map(str::to_owned)
}

/// Whether a source can write a name of a class, method or field. Class files can have nearly every text as one.
#[must_use]
pub fn is_writable(name: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    let mut letters = name.chars();
    letters.next().is_some_and(is_letter)
        && letters.all(|c| is_letter(c) || c.is_numeric())
        && !RESERVED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_in_the_source() {
        let spelled = |text: &str| spell(&text.parse().expect("a type"));
        assert_eq!(spelled("[[J"), "long[][]");
        assert_eq!(spelled("Ljava/util/Map$Entry;"), "java.util.Map.Entry");
        assert_eq!(spelled("L$Odd$;"), "$Odd$");
    }

    #[test]
    fn names_of_sources_are_told_from_others() {
        assert!(["a", "if2", "$", "größe", "record", "a1"].into_iter().all(is_writable));
        assert!(["", "if", "a-b", "1", "true", "_", "a b"].into_iter().all(|name| !is_writable(name)));
    }
}
