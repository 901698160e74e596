//! Types as text: everything the model says, tags already shown on the way only by name.
//!
//! `struct p 8/4 {x: int @0; y: int @32}` is a struct of 8 bytes aligned to 4, offsets in bits.

use super::super::{DebugFunction, DebugInfo};
use super::file_name;
use model::{Field, FloatKind, Type, TypeId, TypeKind, Types};

pub(super) fn globals(info: &DebugInfo, types: &Types) -> Vec<String> {
    let show = |g: &super::super::DebugGlobal| {
        let linkage = if g.is_external { "" } else { "static " };
        format!("{linkage}{}: {}", g.name, Printer { types, open: vec![] }.show(g.ty))
    };
    info.globals.iter().map(show).collect()
}

pub(super) fn functions(info: &DebugInfo, types: &Types) -> Vec<String> {
    info.functions.iter().map(|f| function(f, types)).collect()
}

fn function(f: &DebugFunction, types: &Types) -> String {
    let show = |id| Printer { types, open: vec![] }.show(id);
    let param =
        |(name, id): &(Option<String>, TypeId)| format!("{}: {}", name.as_deref().unwrap_or("_"), show(*id));
    let mut params: Vec<_> = f.params.iter().map(param).collect();
    params.extend(f.variadic.then(|| "...".to_owned()));
    let symbol = f.linkage_name.as_ref().map_or(String::new(), |s| format!(" symbol {s}"));
    format!(
        "{}:{} {}{}{}({}) -> {}{symbol}",
        file_name(&f.file),
        f.line,
        if f.is_external { "" } else { "static " },
        if f.prototyped { "" } else { "unprototyped " },
        f.name,
        params.join(", "),
        show(f.ret)
    )
}

struct Printer<'a> {
    types: &'a Types,
    open: Vec<TypeId>,
}

impl Printer<'_> {
    fn show(&mut self, id: TypeId) -> String {
        let ty = self.types.get(id);
        let name = ty.name.as_deref().unwrap_or("_");
        let layout = format!("{}/{}", ty.size, ty.align);
        match &ty.kind {
            TypeKind::Void => "void".to_owned(),
            TypeKind::Bool => format!("{name} bool{layout}"),
            TypeKind::Int { bits: 32, signed: true, .. } if name == "int" && layout == "4/4" => {
                "int".to_owned()
            }
            TypeKind::Int { bits: 8, signed: true, character: true } if name == "char" && layout == "1/1" => {
                "char".to_owned()
            }
            TypeKind::Int { bits, signed, character } => {
                let sign = if *signed { "i" } else { "u" };
                format!("{name} {sign}{bits} {layout}{}", if *character { " character" } else { "" })
            }
            TypeKind::Float(kind) => format!("{name} {} {layout}", float(*kind)),
            TypeKind::Enum { bits, signed, values } => {
                let values: Vec<_> = values.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
                let sign = if *signed { "i" } else { "u" };
                format!("enum {name} {sign}{bits} {layout} {{{}}}", values.join(", "))
            }
            TypeKind::Pointer { to } => format!("*{}", self.show(*to)),
            TypeKind::Array { of, len } => {
                let len = len.map_or(String::new(), |len| len.to_string());
                format!("[{len}] {layout} {}", self.show(*of))
            }
            TypeKind::Struct { fields } => self.aggregate("struct", id, ty, fields.as_deref()),
            TypeKind::Union { fields } => self.aggregate("union", id, ty, fields.as_deref()),
            TypeKind::Function { ret, params, variadic } => {
                let mut params: Vec<_> = params.iter().map(|id| self.show(*id)).collect();
                params.extend(variadic.then(|| "...".to_owned()));
                format!("fn({}) -> {}", params.join(", "), self.show(*ret))
            }
            TypeKind::Typedef { to } => format!("{name} {layout} = {}", self.show(*to)),
            TypeKind::Const { to } => format!("const {}", self.show(*to)),
            TypeKind::Qualified { keyword, to } => format!("{keyword} {}", self.show(*to)),
            TypeKind::Unsupported(what) => format!("unsupported({what}) {layout}"),
        }
    }

    fn aggregate(&mut self, keyword: &str, id: TypeId, ty: &Type, fields: Option<&[Field]>) -> String {
        let name = ty.name.as_deref().unwrap_or("_");
        let Some(fields) = fields else { return format!("{keyword} {name} incomplete") };
        if self.open.contains(&id) {
            return format!("{keyword} {name}");
        }
        self.open.push(id);
        let fields: Vec<_> = fields.iter().map(|field| self.field(field)).collect();
        self.open.pop();
        format!("{keyword} {name} {}/{} {{{}}}", ty.size, ty.align, fields.join("; "))
    }

    fn field(&mut self, field: &Field) -> String {
        let name = field.name.as_deref().unwrap_or("_");
        let width = field.bit_size.map_or(String::new(), |bits| format!(":{bits}"));
        format!("{name}{width}: {} @{}", self.show(field.ty), field.bit_offset)
    }
}

fn float(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F32 => "f32",
        FloatKind::F64 => "f64",
        FloatKind::F80 => "f80",
    }
}
