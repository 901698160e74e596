//! Names of classes in a test file, and the imports they need.

use crate::facts::{Facts, package_of};
use java_classfile::Type;
use java_wire::Primitive;
use std::collections::{BTreeMap, BTreeSet};

/// The names that a file has used so far.
#[derive(Debug)]
pub(crate) struct Imports<'f> {
    facts: &'f Facts,
    package: String,
    /// Which top-level class each simple name stands for.
    meanings: BTreeMap<String, String>,
    imported: BTreeSet<String>,
    statics: BTreeSet<String>,
}

impl<'f> Imports<'f> {
    /// Of a file in a package, given with slashes, that declares a class.
    pub(crate) fn new(facts: &'f Facts, package: &str, declared: &str) -> Imports<'f> {
        let own = if package.is_empty() { declared.to_owned() } else { format!("{package}/{declared}") };
        Imports {
            facts,
            package: package.to_owned(),
            meanings: BTreeMap::from([(declared.to_owned(), own)]),
            imported: BTreeSet::new(),
            statics: BTreeSet::new(),
        }
    }

    /// How a class is written: the simple name if it can mean this class, else with its package.
    pub(crate) fn name(&mut self, class: &str) -> String {
        if let Some((outer, simple_name)) = self.facts.outer(class) {
            return format!("{}.{simple_name}", self.name(&outer));
        }
        let package = package_of(class);
        let simple_name = class.rsplit('/').next().unwrap_or(class).to_owned();
        let is_implicit = package == self.package || package == "java/lang";
        // A class of the package wins over one of java.lang, and an import over both.
        let hidden = package != self.package && self.facts.has_class(&self.package, &simple_name);
        let meaning = self.meanings.get(&simple_name);
        if hidden || meaning.is_some_and(|meaning| meaning != class) {
            return class.replace('/', ".");
        }
        self.meanings.insert(simple_name.clone(), class.to_owned());
        if !is_implicit {
            self.imported.insert(class.replace('/', "."));
        }
        simple_name
    }

    /// How a type is written.
    pub(crate) fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Object(class) => self.name(class),
            Type::Array(element) => self.ty(element) + "[]",
            other => Primitive::of(other).map_or_else(String::new, |p| crate::literal::keyword(p).to_owned()),
        }
    }

    /// Names a static method that is used without its class.
    pub(crate) fn statically(&mut self, class: &str, method: &str) {
        self.statics.insert(format!("{}.{method}", class.replace('/', ".")));
    }

    /// The import declarations, the static ones first.
    pub(crate) fn text(&self) -> String {
        let group = |names: &BTreeSet<String>, word: &str| -> String {
            names.iter().map(|name| format!("{word} {name};\n")).collect()
        };
        let groups = [group(&self.statics, "import static"), group(&self.imported, "import")];
        groups.iter().filter(|group| !group.is_empty()).map(|group| format!("{group}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_class_gets_the_simple_name() {
        let facts = Facts::default();
        let mut imports = Imports::new(&facts, "a/b", "FooTest");
        assert_eq!(imports.name("a/b/Foo"), "Foo");
        assert_eq!(imports.name("java/util/List"), "List");
        assert_eq!(imports.name("java/awt/List"), "java.awt.List");
        assert_eq!(imports.name("java/util/Map$Entry"), "Map.Entry");
        assert_eq!(imports.name("x/FooTest"), "x.FooTest");
        assert_eq!(imports.ty(&"[[Ljava/lang/String;".parse().expect("a type")), "String[][]");
        imports.statically("org/junit/Assert", "assertNull");
        let expected =
            "import static org.junit.Assert.assertNull;\n\nimport java.util.List;\nimport java.util.Map;\n\n";
        assert_eq!(imports.text(), expected);
    }
}
