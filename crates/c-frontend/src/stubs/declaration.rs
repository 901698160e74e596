//! How a function or variable is declared, from clang's syntax tree.
//!
//! Debug information does not say how something is declared that is defined elsewhere, so clang is asked for the
//! declarations of one name at a time: the tree of a whole unit can be a thousand times as long as the unit.

use serde::Deserialize;

/// A declaration at file scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Declaration {
    /// Of a function.
    Function(Prototype),
    /// Of a variable, with its type as clang spells it.
    Variable(String),
}

/// How a function is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Prototype {
    /// Spelling of the result's type.
    pub(crate) result: String,
    pub(crate) params: Vec<Param>,
    pub(crate) variadic: bool,
    /// `f(void)` or with parameters, unlike `f()`.
    pub(crate) has_prototype: bool,
    pub(crate) returns: bool,
}

/// A parameter of a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Param {
    pub(crate) name: Option<String>,
    /// Spelling of its type.
    pub(crate) spelling: String,
}

#[derive(Deserialize)]
struct Node {
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(rename = "type")]
    ty: Option<Spelling>,
    #[serde(default)]
    variadic: bool,
    tls: Option<String>,
    #[serde(default)]
    inner: Vec<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    kind: Option<String>,
    name: Option<String>,
    #[serde(rename = "type")]
    ty: Option<Spelling>,
}

#[derive(Deserialize)]
struct Spelling {
    #[serde(rename = "qualType")]
    text: String,
}

/// The declaration of `name` among the trees that clang dumped, which are one after the other; the one that names
/// most parameters if there are several. `None` if there is none that a stub could follow.
pub(crate) fn read(dump: &[u8], name: &str) -> Option<Declaration> {
    let nodes = serde_json::Deserializer::from_slice(dump).into_iter::<Node>().map_while(Result::ok);
    let declarations = nodes.filter(|node| node.name == name).filter_map(declaration);
    declarations.max_by_key(|declaration| match declaration {
        Declaration::Function(prototype) => prototype.params.iter().filter(|p| p.name.is_some()).count(),
        Declaration::Variable(_) => 0,
    })
}

/// Names of the functions among the trees that clang dumped.
pub(crate) fn functions_in(dump: &[u8]) -> impl Iterator<Item = String> {
    let nodes = serde_json::Deserializer::from_slice(dump).into_iter::<Node>().map_while(Result::ok);
    nodes.filter(|node| node.kind == "FunctionDecl").map(|node| node.name)
}

fn declaration(node: Node) -> Option<Declaration> {
    let spelling = &node.ty.as_ref()?.text;
    match node.kind.as_str() {
        "FunctionDecl" => prototype(&node, spelling).map(Declaration::Function),
        "VarDecl" if node.tls.is_none() => Some(Declaration::Variable(spelling.clone())),
        _ => None,
    }
}

/// `struct node *(int, char *)` is a function type; one that returns a pointer to a function is left alone.
fn prototype(node: &Node, spelling: &str) -> Option<Prototype> {
    let (result, rest) = spelling.split_once('(')?;
    if rest.starts_with('*') || result.contains("typeof") {
        return None;
    }
    let is = |inner: &Inner, kind: &str| inner.kind.as_deref() == Some(kind);
    let params: Vec<Param> = node
        .inner
        .iter()
        .filter(|inner| is(inner, "ParmVarDecl"))
        .map(|inner| Some(Param { name: inner.name.clone(), spelling: inner.ty.as_ref()?.text.clone() }))
        .collect::<Option<_>>()?;
    let ends = node.inner.iter().any(|i| is(i, "C11NoReturnAttr") || is(i, "NoReturnAttr"));
    Some(Prototype {
        result: result.trim().to_owned(),
        variadic: node.variadic,
        has_prototype: !params.is_empty() || rest.starts_with("void)"),
        returns: !ends && !spelling.contains("noreturn"),
        params,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(name: Option<&str>, spelling: &str) -> Param {
        Param { name: name.map(str::to_owned), spelling: spelling.to_owned() }
    }

    #[test]
    fn the_declaration_with_names_is_taken() {
        let dump = br#"
            {"kind": "FunctionDecl", "name": "find", "type": {"qualType": "struct n *(int, char *)"},
             "inner": [{"kind": "ParmVarDecl", "name": "key", "type": {"qualType": "int"}, "inner": [{}]},
                       {"kind": "ParmVarDecl", "type": {"qualType": "char *"}}]}
            {"kind": "FunctionDecl", "name": "find_all", "type": {"qualType": "int (void)"}}
            {"kind": "FunctionDecl", "name": "find", "type": {"qualType": "struct n *(int, char *)"},
             "inner": [{"kind": "ParmVarDecl", "type": {"qualType": "int"}},
                       {"kind": "ParmVarDecl", "type": {"qualType": "char *"}}]}"#;
        let Some(Declaration::Function(found)) = read(dump, "find") else { panic!("a function") };
        assert_eq!(found.result, "struct n *");
        assert_eq!(found.params, [param(Some("key"), "int"), param(None, "char *")]);
        assert!(found.has_prototype && found.returns && !found.variadic);
    }

    #[test]
    fn what_does_not_return_is_recognised() {
        let c11 = br#"{"kind": "FunctionDecl", "name": "die", "type": {"qualType": "void (void)"},
                       "inner": [{"kind": "C11NoReturnAttr"}]}"#;
        let gnu = br#"{"kind": "FunctionDecl", "name": "die",
                       "type": {"qualType": "void (void) __attribute__((noreturn))"}}"#;
        for dump in [&c11[..], gnu] {
            let Some(Declaration::Function(found)) = read(dump, "die") else { panic!("a function") };
            assert!(!found.returns && found.has_prototype);
        }
    }

    #[test]
    fn old_declarations_and_variables_are_told_apart() {
        let dump = br#"{"kind": "FunctionDecl", "name": "f", "type": {"qualType": "int ()"}}
                       {"kind": "VarDecl", "name": "v", "type": {"qualType": "int[2][3]"}}
                       {"kind": "VarDecl", "name": "t", "type": {"qualType": "int"}, "tls": "static"}
                       {"kind": "FunctionDecl", "name": "g", "type": {"qualType": "int (*(int))(void)"}}"#;
        assert!(matches!(read(dump, "f"), Some(Declaration::Function(f)) if !f.has_prototype));
        assert_eq!(read(dump, "v"), Some(Declaration::Variable("int[2][3]".into())));
        assert_eq!(read(dump, "t"), None, "every thread would have one");
        assert_eq!(read(dump, "g"), None, "returns a pointer to a function");
        assert_eq!(read(dump, "h"), None);
    }
}
