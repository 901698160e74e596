//! Decisions with `&` and `|` of truth values, read from clang's syntax tree.
//!
//! Nothing in the coverage mapping speaks of them, and the text alone does not tell `a & b` of flags from `a & b` of masks: types do. So
//! clang is asked for the tree of the whole unit. An operand is a truth value if it is a comparison, `!x`, of type `_Bool`, or made of such by
//! `&&`, `||`, `&`, `|`.

use super::text::Source;
use crate::BuildError;
use crate::clang::{Clang, SourceUnit};
use model::Position;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Trees may be deep: a chain of `else if` is one.
const STACK: usize = 1 << 28;

/// A decision with a bitwise operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bitwise {
    /// Its file, resolved.
    pub(crate) file: PathBuf,
    pub(crate) start: Position,
    pub(crate) end: Position,
    /// `None` if it comes from a macro, at least in part.
    pub(crate) tree: Option<Tree>,
}

/// How conditions are joined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tree {
    /// A condition.
    Leaf { start: Position, end: Position },
    /// The opposite.
    Not(Box<Tree>),
    /// `&&`, `||`, `&` or `|`.
    Join {
        and: bool,
        /// `&` or `|`: both sides are evaluated.
        whole: bool,
        /// Where the operator stands.
        operator: Position,
        sides: Box<[Tree; 2]>,
    },
}

impl Tree {
    fn has_bitwise(&self) -> bool {
        match self {
            Tree::Leaf { .. } => false,
            Tree::Not(inner) => inner.has_bitwise(),
            Tree::Join { whole, sides, .. } => *whole || sides.iter().any(Tree::has_bitwise),
        }
    }
}

/// The decisions with bitwise operators of a unit.
pub(crate) fn read(clang: &Clang, unit: &SourceUnit) -> Result<Vec<Bitwise>, BuildError> {
    let dump = clang.syntax(unit)?;
    let internal = |what: String| BuildError::Internal(format!("clang's syntax tree: {what}"));
    std::thread::scope(|scope| {
        let reading = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            let mut deserializer = serde_json::Deserializer::from_slice(&dump);
            deserializer.disable_recursion_limit();
            let root = Node::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
            let mut reader = Reader::new(&unit.directory);
            reader.visit(&root);
            Ok(reader.found)
        });
        let reading = reading.map_err(|error| internal(error.to_string()))?;
        reading.join().unwrap_or_else(|_| Err("no room for it".to_owned())).map_err(internal)
    })
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    kind: String,
    loc: Option<Location>,
    range: Option<Range>,
    opcode: Option<String>,
    #[serde(rename = "castKind")]
    cast: Option<String>,
    #[serde(rename = "type")]
    ty: Option<Type>,
    #[serde(default)]
    inner: Vec<Node>,
}

#[derive(Deserialize)]
struct Range {
    begin: Location,
    end: Location,
}

/// In a file, or in a macro; names of files are told when they change.
#[derive(Deserialize)]
struct Location {
    offset: Option<usize>,
    file: Option<String>,
    #[serde(rename = "tokLen", default)]
    length: usize,
    #[serde(rename = "spellingLoc")]
    spelling: Option<Box<Location>>,
    #[serde(rename = "expansionLoc")]
    expansion: Option<Box<Location>>,
}

#[derive(Deserialize)]
struct Type {
    #[serde(rename = "qualType")]
    spelled: String,
    #[serde(rename = "desugaredQualType")]
    meant: Option<String>,
}

impl Node {
    /// Without parentheses and conversions that keep a truth value.
    fn bare(&self) -> &Node {
        let keeps =
            |cast: &str| ["IntegralCast", "LValueToRValue", "IntegralToBoolean", "NoOp"].contains(&cast);
        let is_wrapping = match self.kind.as_str() {
            "ParenExpr" | "ConstantExpr" => true,
            "ImplicitCastExpr" => self.cast.as_deref().is_some_and(keeps),
            _ => false,
        };
        match &self.inner[..] {
            [inner] if is_wrapping => inner.bare(),
            _ => self,
        }
    }

    fn is_bool(&self) -> bool {
        self.ty.as_ref().is_some_and(|ty| {
            let meant = ty.meant.as_ref().unwrap_or(&ty.spelled);
            meant.split_whitespace().any(|word| word == "_Bool" || word == "bool")
                && !meant.contains(['*', '(', '['])
        })
    }

    /// Whether it is 0 or 1 by its form or type. Conversions hide that it is a `_Bool`, so these are taken off first.
    fn is_truth(&self) -> bool {
        let bare = self.bare();
        match (bare.kind.as_str(), bare.opcode.as_deref(), &bare.inner[..]) {
            ("BinaryOperator", Some("<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||"), _) => true,
            ("BinaryOperator", Some("&" | "|"), [a, b]) => a.is_truth() && b.is_truth(),
            ("UnaryOperator", Some("!"), _) => true,
            _ => bare.is_bool(),
        }
    }

    /// Whether it joins truth values; the operator, if so.
    fn join(&self) -> Option<(bool, bool, &Node, &Node)> {
        let (and, whole) = match self.opcode.as_deref().filter(|_| self.kind == "BinaryOperator")? {
            "&&" => (true, false),
            "||" => (false, false),
            "&" => (true, true),
            "|" => (false, true),
            _ => return None,
        };
        let [a, b] = &self.inner[..] else { return None };
        (!whole || self.is_truth()).then_some((and, whole, a, b))
    }

    /// Whether it has a bitwise operator among its operators.
    fn has_bitwise(&self) -> bool {
        let bare = self.bare();
        match bare.join() {
            Some((_, whole, a, b)) => whole || a.has_bitwise() || b.has_bitwise(),
            None => bare.negated().is_some_and(Node::has_bitwise),
        }
    }

    /// What `!` negates, if that is made of conditions.
    fn negated(&self) -> Option<&Node> {
        match (self.kind.as_str(), self.opcode.as_deref(), &self.inner[..]) {
            ("UnaryOperator", Some("!"), [inner]) => {
                let bare = inner.bare();
                (bare.join().is_some() || bare.negated().is_some()).then_some(inner)
            }
            _ => None,
        }
    }
}

struct Reader<'u> {
    directory: &'u Path,
    /// The file of the last location.
    file: String,
    texts: HashMap<String, Option<(PathBuf, Vec<u8>)>>,
    found: Vec<Bitwise>,
}

impl Reader<'_> {
    fn new(directory: &Path) -> Reader<'_> {
        Reader { directory, file: String::new(), texts: HashMap::new(), found: Vec::new() }
    }

    /// Goes through the tree in the order in which it was written: that is how files are known.
    fn visit(&mut self, node: &Node) {
        self.note(node);
        let is_top = node.bare().join().is_some() && node.kind == "BinaryOperator";
        match is_top && node.has_bitwise() {
            true => self.decision(node),
            false => node.inner.iter().for_each(|inner| self.visit(inner)),
        }
    }

    fn note(&mut self, node: &Node) {
        let range = node.range.iter().flat_map(|range| [&range.begin, &range.end]);
        for location in node.loc.iter().chain(range) {
            let nested = [&location.spelling, &location.expansion].into_iter().flatten();
            let files = nested.map(|inner| &inner.file).chain([&location.file]).flatten();
            if let Some(file) = files.last() {
                self.file.clone_from(file);
            }
        }
    }

    fn decision(&mut self, node: &Node) {
        let text = self.text();
        if let Some((file, text)) = &text {
            let source = Source::new(text);
            let place = Placing { text, source: &source };
            if let Some((from, to)) = place.range(node) {
                let (start, end) = (source.position(from), source.position(to));
                let tree = place.tree(node).filter(Tree::has_bitwise);
                self.found.push(Bitwise { file: file.clone(), start, end, tree });
            }
        }
        self.conditions(node);
    }

    /// Looks for decisions inside of the conditions of one.
    fn conditions(&mut self, node: &Node) {
        for inner in &node.inner {
            let bare = inner.bare();
            match bare.join().is_some() || bare.negated().is_some() {
                true => {
                    self.note(inner);
                    self.conditions(inner);
                }
                // `bare` may be the operator inside of parentheses that are part of the decision.
                false => self.visit(inner),
            }
        }
    }

    /// The file of the last location, and its text.
    fn text(&mut self) -> Option<(PathBuf, Vec<u8>)> {
        let path = self.directory.join(&self.file);
        let read = || Some((path.canonicalize().ok()?, std::fs::read(&path).ok()?));
        self.texts.entry(self.file.clone()).or_insert_with(read).clone()
    }
}

/// Finds nodes in the text of their file.
struct Placing<'s> {
    text: &'s [u8],
    source: &'s Source<'s>,
}

impl Placing<'_> {
    /// From the first character to the one behind the last; a macro counts from its name to the end of its arguments.
    fn range(&self, node: &Node) -> Option<(usize, usize)> {
        let range = node.range.as_ref()?;
        let end = match &range.end.expansion {
            None => range.end.offset? + range.end.length,
            Some(used) => self.behind_arguments(used.offset? + used.length),
        };
        let begin = range.begin.expansion.as_deref().unwrap_or(&range.begin).offset?;
        (begin < end && end <= self.text.len()).then_some((begin, end))
    }

    /// The end of a macro's arguments, if it has some.
    fn behind_arguments(&self, name: usize) -> usize {
        let rest = self.text.get(name..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let mut depth = 0usize;
        for (index, byte) in rest.iter().enumerate().skip(blanks) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return name + index + 1,
                b')' if depth > 1 => depth -= 1,
                _ if depth == 0 => break,
                _ => {}
            }
        }
        name
    }

    /// `None` if an operator does not stand between its operands, as where a macro makes it.
    fn tree(&self, node: &Node) -> Option<Tree> {
        let bare = node.bare();
        if let Some(inner) = bare.negated() {
            return Some(Tree::Not(Box::new(self.tree(inner)?)));
        }
        let Some((and, whole, first, second)) = bare.join() else { return self.leaf(node) };
        let operator = self.operator(first, second, and, whole)?;
        let side = |node: &Node| match node.bare().join().is_some() || node.bare().negated().is_some() {
            true => self.tree(node),
            // A condition of `&&` is what clang calls one, with its parentheses; one of `&` is the bare condition.
            false => self.leaf(if whole { node.bare() } else { node }),
        };
        let sides = Box::new([side(first)?, side(second)?]);
        Some(Tree::Join { and, whole, operator: self.source.position(operator), sides })
    }

    fn leaf(&self, node: &Node) -> Option<Tree> {
        let (from, to) = self.range(node)?;
        Some(Tree::Leaf { start: self.source.position(from), end: self.source.position(to) })
    }

    /// Where the operator between two operands begins: nothing else is there but blanks and comments.
    fn operator(&self, first: &Node, second: &Node, and: bool, whole: bool) -> Option<usize> {
        let sign: &[u8] = match (and, whole) {
            (true, false) => b"&&",
            (false, false) => b"||",
            (true, true) => b"&",
            (false, true) => b"|",
        };
        let (from, to) = (self.range(first)?.1, self.range(second)?.0);
        let mut at = from;
        let mut found = None;
        while at < to {
            let rest = self.text.get(at..to)?;
            at += match rest {
                [b'/', b'*', inside @ ..] => inside.windows(2).position(|w| w == b"*/")? + 4,
                [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
                [b'\\', b'\n', ..] => 2,
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ if found.is_none() && rest.starts_with(sign) => {
                    found = Some(at);
                    sign.len()
                }
                _ => return None,
            };
        }
        found
    }
}
