//! The C text of a stub.
//!
//! ```c
//! int get_level(struct config *out);           /* get_level() is defined nowhere. … */
//!                                              int get_level_results[8];
//!                                              struct config get_level_out[8];
//!
//!                                              int get_level(struct config *out)
//!                                        ──►   {
//!                                                  static unsigned calls;
//!                                                  unsigned call = calls < 7 ? calls++ : 7;
//!
//!                                                  if (out)
//!                                                      *out = get_level_out[call];
//!                                                  return get_level_results[call];
//!                                              }
//! ```
//!
//! The counter is a static of the function, so that it is put back before every run and no input.

use super::Piece;
use super::callbacks::Callback;
use super::declaration::{Param, Prototype};
use model::{TypeId, TypeKind, Types};
use std::collections::HashSet;
use std::fmt::Write as _;

/// So many calls get values of their own.
const CALLS: usize = 8;
/// Of a type larger than this, in bytes, all calls get the same value.
const LARGE: u64 = 256;
/// Who asks for more bytes than this gets none: not every machine has them.
const LARGEST_BLOCK: u64 = 1 << 20;
/// Bytes that a stub writes into a buffer, and of a string that it returns.
const BYTES: usize = 16;

/// What the writer of a stub knows.
pub(crate) struct Known<'a> {
    pub(crate) types: &'a Types,
    /// The program frees memory: what a stub returns may be meant for that.
    pub(crate) frees: bool,
    /// `calloc` may be one that fails: the stub's own memory is to be had all the same.
    pub(crate) fail_alloc: bool,
    /// Names in use.
    pub(crate) names: &'a HashSet<String>,
}

/// Text for something that nobody else defines.
pub(super) fn definition(name: &str, text: String, defines: Vec<String>) -> Piece {
    Piece {
        name: name.to_owned(),
        before: String::new(),
        text,
        defines,
        redirects: Vec::new(),
        is_callback: false,
    }
}

/// The definition of a variable, zero at first.
pub(crate) fn variable(name: &str, spelling: &str) -> Piece {
    let text = match spelling.strip_suffix("[]") {
        // The size is the definition's business. Nobody knows it here.
        Some(element) => declare(element, &format!("{name}[{BYTES}]")),
        None => declare(spelling, name),
    };
    definition(name, format!("/* Defined nowhere. */\n{text};\n"), vec![name.to_owned()])
}

/// The definition of a function of these types; `None` if no value of its result can be made.
pub(crate) fn function(
    known: &Known<'_>,
    name: &str,
    prototype: &Prototype,
    result: TypeId,
    params: &[TypeId],
) -> Option<Piece> {
    let mut writer = Writer::new(known, name, prototype);
    if !prototype.returns {
        return Some(writer.finish("does not return: it aborts here", Some("__builtin_abort();".to_owned())));
    }
    let all = std::iter::once(result).chain(params.iter().copied());
    if all.map(|ty| pointee(known.types, ty).unwrap_or(ty)).any(|ty| known.types.size(ty) > LARGE) {
        writer.calls = 1;
    }
    for (index, &ty) in params.iter().enumerate() {
        writer.write_through(index, ty, params.get(index + 1).copied());
    }
    writer.end(result, params)
}

/// The definition of a function that pointers lead to. What it is given is the program's own, so it writes nothing but
/// single numbers.
pub(crate) fn callback(known: &Known<'_>, callback: &Callback) -> Option<Piece> {
    let mut writer = Writer::new(known, &callback.name, &callback.prototype);
    writer.is_callback = true;
    for (index, &ty) in callback.params.iter().enumerate() {
        let is_number = |to: TypeId| {
            let kind = &known.types.resolved(to).kind;
            matches!(kind, TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Enum { .. } | TypeKind::Float(_))
        };
        if pointee(known.types, ty).is_some_and(is_number) {
            writer.write_through(index, ty, None);
        }
    }
    Some(Piece { is_callback: true, ..writer.end(callback.result, &callback.params)? })
}

impl Writer<'_> {
    /// The rest of the function, with a value for its result; `None` if none can be made.
    fn end(mut self, result: TypeId, params: &[TypeId]) -> Option<Piece> {
        if matches!(self.known.types.resolved(result).kind, TypeKind::Void) {
            let does = if self.data.is_empty() {
                "does nothing here"
            } else {
                "writes these, call by call, the last ever after"
            };
            return Some(self.finish(does, None));
        }
        let value = match self.sizes(result, params)[..] {
            [size] => self.block("1", size),
            [count, size] => self.block(&self.params[count].clone(), size),
            _ => self.value(self.name, "_results", &self.prototype.result, result)?,
        };
        let last = Some(format!("return {value};"));
        Some(self.finish("gives these, call by call, the last ever after", last))
    }
}

/// How values of a type are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Like those of any variable.
    Plain,
    /// A string that ends.
    Text,
    /// The address of something that nobody can look into, or of memory for any use.
    Opaque,
}

fn shape(types: &Types, ty: TypeId) -> Option<Shape> {
    match &types.resolved(ty).kind {
        TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Enum { .. } | TypeKind::Float(_) => {
            Some(Shape::Plain)
        }
        TypeKind::Struct { fields: Some(_) } | TypeKind::Union { fields: Some(_) } => Some(Shape::Plain),
        TypeKind::Pointer { to } => match &types.resolved(*to).kind {
            TypeKind::Int { .. } if is_char(types, *to) => Some(Shape::Text),
            TypeKind::Void | TypeKind::Struct { fields: None } | TypeKind::Union { fields: None } => {
                Some(Shape::Opaque)
            }
            TypeKind::Function { .. } | TypeKind::Unsupported(_) => None,
            // Only the library makes such.
            TypeKind::Struct { .. } if types.resolved(*to).name.as_deref() == Some("_IO_FILE") => None,
            _ => Some(Shape::Plain),
        },
        _ => None,
    }
}

fn is_char(types: &Types, ty: TypeId) -> bool {
    types.resolved(ty).name.as_deref() == Some("char")
}

pub(super) fn pointee(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.resolved(ty).kind {
        TypeKind::Pointer { to } => Some(to),
        _ => None,
    }
}

/// A declaration of `declarator`, which may be an array, with a type as clang spells it.
fn declare(spelling: &str, declarator: &str) -> String {
    match spelling.split_once('[') {
        _ if spelling.contains('(') => format!("__typeof__({spelling}) {declarator}"),
        Some((element, extents)) => declare(element.trim_end(), &format!("{declarator}[{extents}")),
        None if spelling.ends_with('*') => format!("{spelling}{declarator}"),
        None => format!("{spelling} {declarator}"),
    }
}

/// A type without qualifiers of its own: what it points to keeps them.
pub(super) fn unqualified(spelling: &str) -> &str {
    let mut text = spelling.trim();
    loop {
        let before = text;
        for word in ["const", "volatile", "restrict", "__restrict"] {
            let cut = text.strip_suffix(word).filter(|rest| rest.ends_with([' ', '*']));
            text = cut.map_or(text, str::trim_end);
            if !text.contains('*') {
                text = text.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(text);
            }
        }
        if text == before {
            return text;
        }
    }
}

/// Whether a parameter behind a buffer says how long it is.
fn tells_length(types: &Types, param: &Param, ty: TypeId) -> bool {
    const WORDS: [&str; 9] = ["len", "size", "count", "cnt", "max", "cap", "num", "bytes", "sz"];
    let is_integer = matches!(types.resolved(ty).kind, TypeKind::Int { .. });
    let name = param.name.as_deref().unwrap_or_default().to_lowercase();
    let spelling = param.spelling.as_str();
    is_integer && (spelling == "size_t" || name == "n" || WORDS.iter().any(|word| name.contains(word)))
}

struct Writer<'a> {
    known: &'a Known<'a>,
    name: &'a str,
    prototype: &'a Prototype,
    /// Names of the parameters, all of them different and no local's.
    params: Vec<String>,
    /// Parameters that the body uses.
    used: HashSet<usize>,
    calls: usize,
    /// Nobody lacks it: it is what a pointer leads to.
    is_callback: bool,
    defines: Vec<String>,
    /// Declarations of variables that are inputs.
    data: Vec<String>,
    locals: Vec<String>,
    body: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(known: &'a Known<'a>, name: &'a str, prototype: &'a Prototype) -> Writer<'a> {
        let mut taken: HashSet<String> =
            ["blocks", "call", "calls", "i", "object", "real_calloc"].map(str::to_owned).into();
        taken.insert(name.to_owned());
        let mut params = Vec::new();
        for (index, param) in prototype.params.iter().enumerate() {
            let mut local = param.name.clone().unwrap_or_else(|| format!("p{}", index + 1));
            while !taken.insert(local.clone()) {
                local.push('_');
            }
            params.push(local);
        }
        Writer {
            known,
            name,
            prototype,
            params,
            used: HashSet::new(),
            calls: CALLS,
            is_callback: false,
            defines: vec![name.to_owned()],
            data: Vec::new(),
            locals: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Declares an input with one element a call; returns its name.
    fn input(&mut self, wanted: &str, spelling: &str, extent: &str) -> String {
        let mut name = wanted.to_owned();
        while self.known.names.contains(&name) || self.defines.contains(&name) {
            name.push('_');
        }
        self.data.push(format!("{};", declare(spelling, &format!("{name}[{}]{extent}", self.calls))));
        self.defines.push(name.clone());
        name
    }

    fn local(&mut self, declaration: &str) {
        if !self.locals.iter().any(|known| known == declaration) {
            self.locals.push(declaration.to_owned());
        }
    }

    fn index(&self) -> &'static str {
        if self.calls == 1 { "0" } else { "call" }
    }

    /// An expression for a new value of a type, from inputs whose names begin with `base`; one alone is called that
    /// and `suffix`.
    fn value(&mut self, base: &str, suffix: &str, spelling: &str, ty: TypeId) -> Option<String> {
        let call = self.index();
        match shape(self.known.types, ty)? {
            Shape::Plain => {
                Some(format!("{}[{call}]", self.input(&format!("{base}{suffix}"), unqualified(spelling), "")))
            }
            Shape::Text => {
                let exists = self.input(&format!("{base}_exists"), "_Bool", "");
                let text = self.input(&format!("{base}_text"), "char", &format!("[{BYTES}]"));
                self.body.push(format!("{text}[{call}][{}] = '\\0';", BYTES - 1));
                let may_be_freed = self.known.frees
                    && pointee(self.known.types, ty).is_some_and(|to| !self.known.types.is_const(to));
                let address = match may_be_freed {
                    true => format!("__builtin_strdup({text}[{call}])"),
                    false => format!("{text}[{call}]"),
                };
                Some(format!("{exists}[{call}] ? {address} : 0"))
            }
            Shape::Opaque => {
                let exists = self.input(&format!("{base}_exists"), "_Bool", "");
                if self.known.frees {
                    return Some(format!("{exists}[{call}] ? {}(1, 4096) : 0", self.calloc()));
                }
                // A page, aligned for everything.
                self.local("static long double object[256];");
                Some(format!("{exists}[{call}] ? (void *)object : 0"))
            }
        }
    }

    /// The parameters that tell how large a block of memory is wanted: all numbers of a function that returns `void *`,
    /// if they have no sign.
    fn sizes(&self, result: TypeId, params: &[TypeId]) -> Vec<usize> {
        let types = self.known.types;
        let is_block = pointee(types, result)
            .is_some_and(|to| matches!(types.resolved(to).kind, TypeKind::Void) && !types.is_const(to));
        let number = |&(_, ty): &(usize, &TypeId)| matches!(types.resolved(*ty).kind, TypeKind::Int { .. });
        let is_size = |ty: TypeId| matches!(types.resolved(ty).kind, TypeKind::Int { signed: false, bits, .. } if bits >= 32);
        let numbers = || params.iter().enumerate().filter(number);
        match is_block && numbers().all(|(_, &ty)| is_size(ty)) {
            true => numbers().map(|(index, _)| index).collect(),
            false => Vec::new(),
        }
    }

    /// Returns a new block of memory of the size asked for if an input says that there is one; else the value is what is
    /// left to return. The stub keeps the address, so that nobody takes it for a leak.
    fn block(&mut self, count: &str, size: usize) -> String {
        let call = self.index();
        let exists = self.input(&format!("{}_exists", self.name), "_Bool", "");
        self.used.extend((0..self.params.len()).filter(|&i| i == size || self.params[i] == count));
        self.local(&format!("static void *blocks[{}];", self.calls));
        let calloc = self.calloc();
        let size = &self.params[size];
        let bytes = if count == "1" { size.clone() } else { format!("(unsigned long){count} * {size}") };
        self.body.push(format!(
            "if ({exists}[{call}] && {bytes} <= {LARGEST_BLOCK})\n        \
             return blocks[{call}] = {calloc}({count}, {size});"
        ));
        "0".to_owned()
    }

    /// The name of a `calloc` that does not fail.
    fn calloc(&mut self) -> &'static str {
        if !self.known.fail_alloc {
            return "__builtin_calloc";
        }
        self.local("extern void *real_calloc(unsigned long, unsigned long) __asm__(\"calloc\");");
        "real_calloc"
    }

    /// Writes an input to where a parameter points, if that is what such a parameter is for.
    fn write_through(&mut self, index: usize, ty: TypeId, next: Option<TypeId>) {
        let types = self.known.types;
        let Some(to) = pointee(types, ty).filter(|&to| !types.is_const(to)) else { return };
        if types.is_of_library(to) {
            return;
        }
        let is_byte = matches!(types.resolved(to).kind, TypeKind::Int { bits: 8, .. });
        let is_void = matches!(types.resolved(to).kind, TypeKind::Void);
        let length = self.prototype.params.get(index + 1).zip(next);
        if (is_byte || is_void) && length.is_some_and(|(param, ty)| tells_length(types, param, ty)) {
            return self.fill_buffer(index, to);
        }
        // A lone `char *` is more often a string that nobody cared to call constant than a place for one character.
        if is_char(types, to) {
            return;
        }
        let param = self.params[index].clone();
        let spelling = &self.prototype.params[index].spelling;
        let target = match unqualified(spelling).strip_suffix('*') {
            Some(target) if !target.contains('(') => target.trim_end().to_owned(),
            _ => format!("__typeof__(*({spelling})0)"),
        };
        if let Some(value) = self.value(&format!("{}_{param}", self.name), "", &target, to) {
            self.used.insert(index);
            self.body.push(format!("if ({param})\n        *{param} = {value};"));
        }
    }

    fn fill_buffer(&mut self, index: usize, to: TypeId) {
        let (buffer, length) = (self.params[index].clone(), self.params[index + 1].clone());
        let byte = if is_char(self.known.types, to) { "char" } else { "unsigned char" };
        let bytes = self.input(&format!("{}_{buffer}", self.name), byte, &format!("[{BYTES}]"));
        self.local("long i;");
        self.used.extend([index, index + 1]);
        self.body.push(format!(
            "for (i = 0; {buffer} && i < (long){length} && i < {BYTES}; i++)\n        \
             (({byte} *){buffer})[i] = {bytes}[{}][i];",
            self.index()
        ));
    }

    fn head(&self) -> String {
        let named = self.prototype.params.iter().zip(&self.params);
        let mut params: Vec<String> = named.map(|(param, name)| declare(&param.spelling, name)).collect();
        if self.prototype.variadic {
            params.push("...".to_owned());
        }
        if params.is_empty() && self.prototype.has_prototype {
            params.push("void".to_owned());
        }
        declare(&self.prototype.result, &format!("{}({})", self.name, params.join(", ")))
    }

    fn finish(mut self, does: &str, last: Option<String>) -> Piece {
        let counts = self.calls > 1 && !self.data.is_empty();
        if counts {
            let most = self.calls - 1;
            self.locals.insert(0, "static unsigned calls;".to_owned());
            self.locals.insert(1, format!("unsigned call = calls < {most} ? calls++ : {most};"));
        }
        let is = if self.is_callback { "called through pointers" } else { "defined nowhere" };
        let mut text = format!("/* {}() is {is} and {does}. */\n", self.name);
        self.data.iter().for_each(|line| _ = writeln!(text, "{line}"));
        if !self.data.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}\n{{", self.head());
        self.locals.iter().for_each(|line| _ = writeln!(text, "    {line}"));
        let unused = (0..self.params.len()).filter(|index| !self.used.contains(index));
        let unused: Vec<String> = unused.map(|index| format!("(void){};", self.params[index])).collect();
        let statements: Vec<&String> = unused.iter().chain(&self.body).chain(&last).collect();
        if !self.locals.is_empty() && !statements.is_empty() {
            text.push('\n');
        }
        statements.iter().for_each(|line| _ = writeln!(text, "    {line}"));
        text.push_str("}\n");
        definition(self.name, text, self.defines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_declared_as_c_wants_them() {
        assert_eq!(declare("int", "x"), "int x");
        assert_eq!(declare("struct a *", "x[4]"), "struct a *x[4]");
        assert_eq!(declare("char[8]", "x"), "char x[8]");
        assert_eq!(declare("int[2][3]", "x"), "int x[2][3]");
        assert_eq!(declare("int (*)(int)", "x"), "__typeof__(int (*)(int)) x");
    }

    #[test]
    fn only_outer_qualifiers_go() {
        assert_eq!(unqualified("const int"), "int");
        assert_eq!(unqualified("const char *"), "const char *");
        assert_eq!(unqualified("int *const restrict"), "int *");
        assert_eq!(unqualified("struct constant"), "struct constant");
        assert_eq!(unqualified("volatile const int"), "int");
    }

    #[test]
    fn variables_of_unknown_length_get_one() {
        assert_eq!(variable("table", "const int[]").text, "/* Defined nowhere. */\nconst int table[16];\n");
        assert_eq!(variable("limit", "int").text, "/* Defined nowhere. */\nint limit;\n");
    }
}
