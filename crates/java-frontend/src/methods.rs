//! The own methods as a [`model::Program`].
//!
//! Functions are the own methods with code, in the order of [`MethodTable`]. Their branches are those of [`Sites`]; the ones that JaCoCo does not
//! count are there for guidance. Types of the model are spelled as in Java; references have no layout and are
//! [`TypeKind::Unsupported`]. Class files know lines, so spans begin and end at column 1, but for conditions of decisions that were read from the
//! source ([`crate::decisions`]).

use crate::boundaries::Boundaries;
use crate::calls::{Callees, MethodTable, symbol};
use crate::decisions::{self, SourceDecisions};
use crate::flow::{Blocks, graph};
use crate::hierarchy::Hierarchy;
use crate::names::{java_name, parameter_names, source_path};
use crate::sites::{Shape, Site, Sites};
use crate::sources::ClassEntry;
use crate::throws::Throws;
use goal::mcdc::Walk;
use java_classfile::instruction::Const;
use java_classfile::{ClassFile, Code, Instruction, Method, Type};
use model::{
    Branch, BranchId, BranchKind, CallSite, FloatKind, Function, FunctionId, Param, Position, Program,
    SourceFile, Span, TypeId, TypeKind,
};
use std::collections::{BTreeSet, HashMap};

/// The model of a program, and where its parts stand in class files.
#[derive(Clone, Debug)]
pub struct JavaModel {
    /// Functions, branches, control flow.
    pub program: Program,
    /// Jumps, by the ids of their events.
    pub sites: Sites,
    /// Class and method of every function.
    pub methods: MethodTable,
    /// Follows the decisions of a run, if there are any.
    pub walk: Option<Walk>,
    /// Comparisons whose boundaries are goals: none unless they are asked for.
    pub boundaries: Boundaries,
    /// Lines that throw by themselves what the machine throws elsewhere.
    pub throws: Throws,
}

impl JavaModel {
    /// Of the own classes.
    #[must_use]
    pub fn new(classes: &[ClassEntry], hierarchy: &Hierarchy) -> JavaModel {
        JavaModel::deciding(classes, hierarchy, None)
    }

    /// The same with decisions, if they are asked for. The ids of branches are the same; those of decisions stand behind them.
    #[must_use]
    pub fn deciding(
        classes: &[ClassEntry],
        hierarchy: &Hierarchy,
        source: Option<&SourceDecisions>,
    ) -> JavaModel {
        let (mut sites, methods) = (Sites::of(classes), MethodTable::of(classes));
        let matched = source.map(|source| source.matched(classes));
        for (class, method, pc, taken_is) in matched.iter().flat_map(|matched| matched.jumps()) {
            sites.mean(class, method, pc, taken_is);
        }
        let mut builder = Builder::default();
        let mut callees = Callees::new(&methods, hierarchy);
        for (number, (class, method)) in (0..).zip(methods.places()) {
            let entry = &classes[*class];
            let found = &entry.class.methods[*method];
            let Some(code) = &found.code else { continue };
            let of_method = sites.of_method(*class, *method);
            builder.add(FunctionId(number), &entry.class, found, code, of_method, &mut callees);
        }
        let mut program = builder.program;
        program.branch_count = sites.branch_count();
        let (boundaries, throws) = (Boundaries::default(), Throws::of(classes));
        let mut model = JavaModel { program, sites, methods, walk: None, boundaries, throws };
        if let Some(matched) = &matched {
            let joins = decisions::add(&mut model.program, matched, &model.sites, &model.methods);
            model.walk = Walk::new(&model.program);
            for (branch, condition) in joins {
                model.walk.iter_mut().for_each(|walk| walk.join(branch, condition));
            }
        }
        model
    }

    /// Makes the boundaries of comparisons goals, with ids behind all others.
    pub fn add_boundaries(&mut self) {
        self.boundaries = Boundaries::add(&mut self.program, &self.sites);
    }
}

#[derive(Default)]
struct Builder {
    program: Program,
    files: HashMap<String, u32>,
    types: HashMap<Option<Type>, TypeId>,
}

impl Builder {
    fn add(
        &mut self,
        id: FunctionId,
        class: &ClassFile,
        method: &Method,
        code: &Code,
        sites: &[Site],
        callees: &mut Callees<'_>,
    ) {
        let blocks = Blocks::of(code);
        let file = self.file(class);
        let at = |line: u32| Position { line, column: 1 };
        let span = |first: u32, last: u32| Span { file, start: at(first), end: at(last) };
        let lines = code.lines.iter().map(|line| u32::from(line.line));
        let calls = self.add_calls(id, class, code, &blocks, callees);
        let (constants, strings) = constants(class, code);
        let function = Function {
            name: format!("{}.{}", java_name(&class.name), method.name),
            symbol: symbol(&class.name, &method.name, &method.descriptor.to_string()),
            span: span(lines.clone().min().unwrap_or(0), lines.max().unwrap_or(0)),
            is_static: method.access.is_private(),
            variadic: method.access.is_varargs(),
            params: self.params(class, method),
            made: Vec::new(),
            rest: None,
            ret: self.type_of(method.descriptor.result.as_ref()),
            branches: sites
                .iter()
                .flat_map(|site| branches(site, &blocks, span(site.line, site.line)))
                .collect(),
            decisions: Vec::new(),
            left_out: Vec::new(),
            cfg: graph(code, &blocks, sites),
            data: None,
            reads: Vec::new(),
            hidden: Vec::new(),
            writes: Vec::new(),
            calls,
            externals: Vec::new(),
            stubs: Vec::new(),
            uncallable: None,
            constants,
            pointees: Vec::new(),
            strings,
        };
        self.program.functions.push(function);
    }

    fn add_calls(
        &mut self,
        caller: FunctionId,
        class: &ClassFile,
        code: &Code,
        blocks: &Blocks,
        callees: &mut Callees<'_>,
    ) -> Vec<FunctionId> {
        let mut all = BTreeSet::new();
        for (pc, instruction) in &code.instructions {
            for callee in callees.of(class, instruction) {
                self.program.call_sites.push(CallSite { caller, block: blocks.at(*pc), callee });
                all.insert(callee);
            }
        }
        all.into_iter().collect()
    }

    fn file(&mut self, class: &ClassFile) -> u32 {
        let path = source_path(class);
        let files = &mut self.program.files;
        *self.files.entry(path.clone()).or_insert_with(|| {
            files.push(SourceFile { path });
            files.len() as u32 - 1
        })
    }

    fn params(&mut self, class: &ClassFile, method: &Method) -> Vec<Param> {
        let names = parameter_names(class, method);
        let mut offset = 0;
        let mut param = |(name, ty): (String, &Type)| {
            let param = Param { name, ty: self.type_of(Some(ty)), offset };
            offset += u32::from(ty.slots());
            param
        };
        names.into_iter().zip(&method.descriptor.parameters).map(&mut param).collect()
    }

    fn type_of(&mut self, ty: Option<&Type>) -> TypeId {
        let types = &mut self.program.types;
        *self.types.entry(ty.cloned()).or_insert_with(|| types.push(model_type(ty)))
    }
}

fn branches(site: &Site, blocks: &Blocks, span: Span) -> Vec<Branch> {
    let kind = match site.shape {
        Shape::Condition { .. } => BranchKind::Condition,
        Shape::Switch { .. } => BranchKind::Target,
    };
    let branch = |offset| Branch {
        id: BranchId(site.branch.0 + offset),
        kind,
        span,
        expansion: None,
        block: blocks.at(site.pc),
        counted: site.hidden_by.is_none(),
    };
    (0..site.width()).map(branch).collect()
}

/// Numbers and texts that the code knows: what it compares its inputs with is often among them.
fn constants(class: &ClassFile, code: &Code) -> (Vec<i128>, Vec<Vec<u8>>) {
    let (mut numbers, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for (_, instruction) in &code.instructions {
        match instruction {
            Instruction::Push(Const::Int(value)) => drop(numbers.insert(i128::from(*value))),
            Instruction::Push(Const::Long(value)) => drop(numbers.insert(i128::from(*value))),
            Instruction::Push(Const::String(index)) => {
                texts.extend(class.pool.string(*index).map(|text| text.as_str().as_bytes().to_vec()));
            }
            Instruction::TableSwitch(switch) => numbers.extend(switch.cases().map(|case| i128::from(case.0))),
            Instruction::LookupSwitch(switch) => {
                numbers.extend(switch.cases.iter().map(|case| i128::from(case.0)))
            }
            _ => {}
        }
    }
    (numbers.into_iter().collect(), texts.into_iter().collect())
}

fn model_type(ty: Option<&Type>) -> model::Type {
    let integer = |bits: u16, signed, character| TypeKind::Int { bits, signed, character };
    let (kind, size) = match ty {
        None => (TypeKind::Void, 0),
        Some(Type::Boolean) => (TypeKind::Bool, 1),
        Some(Type::Byte) => (integer(8, true, false), 1),
        Some(Type::Char) => (integer(16, false, true), 2),
        Some(Type::Short) => (integer(16, true, false), 2),
        Some(Type::Int) => (integer(32, true, false), 4),
        Some(Type::Long) => (integer(64, true, false), 8),
        Some(Type::Float) => (TypeKind::Float(FloatKind::F32), 4),
        Some(Type::Double) => (TypeKind::Float(FloatKind::F64), 8),
        Some(reference) => (TypeKind::Unsupported(crate::names::spell(reference)), 8),
    };
    let name = ty.map(crate::names::spell);
    model::Type { kind, size, align: size.max(1), name }
}
