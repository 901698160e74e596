//! Who may call whom among the own methods.

use crate::hierarchy::Hierarchy;
use crate::sources::ClassEntry;
use java_classfile::instruction::InvokeKind;
use java_classfile::{ClassFile, Constant, Instruction, MemberRef, PoolIndex};
use model::FunctionId;
use std::collections::HashMap;

/// The own methods with code, in the order of classes and class files.
#[derive(Clone, Debug, Default)]
pub struct MethodTable {
    places: Vec<(usize, usize)>,
    by_name: HashMap<String, FunctionId>,
}

impl MethodTable {
    /// Of the own classes.
    #[must_use]
    pub fn of(classes: &[ClassEntry]) -> MethodTable {
        let mut table = MethodTable::default();
        for (class, entry) in classes.iter().enumerate() {
            for (method, found) in entry.class.methods.iter().enumerate().filter(|(_, m)| m.code.is_some()) {
                let id = FunctionId(table.places.len() as u32);
                table.places.push((class, method));
                table.by_name.insert(symbol(&entry.name, &found.name, &found.descriptor.to_string()), id);
            }
        }
        table
    }

    /// Class and method of each, by their places.
    #[must_use]
    pub fn places(&self) -> &[(usize, usize)] {
        &self.places
    }

    /// The method of a class with a name and a descriptor.
    #[must_use]
    pub fn get(&self, class: &str, name: &str, descriptor: &str) -> Option<FunctionId> {
        self.by_name.get(&symbol(class, name, descriptor)).copied()
    }
}

/// The name of a method in the whole program: `a/B.m(I)V`.
pub(crate) fn symbol(class: &str, name: &str, descriptor: &str) -> String {
    format!("{class}.{name}{descriptor}")
}

/// Finds the own methods that instructions may enter. Virtual calls of the same method have the same answer.
pub struct Callees<'a> {
    table: &'a MethodTable,
    hierarchy: &'a Hierarchy,
    virtuals: HashMap<String, Vec<FunctionId>>,
}

impl<'a> Callees<'a> {
    /// Over a hierarchy.
    #[must_use]
    pub fn new(table: &'a MethodTable, hierarchy: &'a Hierarchy) -> Callees<'a> {
        Callees { table, hierarchy, virtuals: HashMap::new() }
    }

    /// The own methods that an instruction may enter. Whoever makes a lambda or a method reference counts as calling it.
    pub fn of(&mut self, class: &ClassFile, instruction: &Instruction) -> Vec<FunctionId> {
        match instruction {
            Instruction::Invoke { kind, method } => match class.pool.member(*method) {
                Ok(member) => self.of_member(*kind, member),
                Err(_) => Vec::new(),
            },
            Instruction::InvokeDynamic(site) => handles(class, *site)
                .into_iter()
                .flat_map(|(kind, member)| self.of_member(kind, member))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The own methods that a call of a method may enter.
    pub fn of_member(&mut self, kind: InvokeKind, member: MemberRef<'_>) -> Vec<FunctionId> {
        let (class, name, descriptor) = (member.class, member.name, member.descriptor);
        if matches!(kind, InvokeKind::Special | InvokeKind::Static) {
            let found = self.hierarchy.method(class, name, descriptor);
            return found
                .and_then(|facts| self.table.get(&facts.name, name, descriptor))
                .into_iter()
                .collect();
        }
        let key = symbol(class, name, descriptor);
        if let Some(known) = self.virtuals.get(&key) {
            return known.clone();
        }
        let classes = self.hierarchy.dispatch(class, name, descriptor);
        let found: Vec<FunctionId> =
            classes.iter().filter_map(|facts| self.table.get(&facts.name, name, descriptor)).collect();
        self.virtuals.insert(key, found.clone());
        found
    }
}

/// The methods that a dynamic call site is told of.
fn handles(class: &ClassFile, site: PoolIndex) -> Vec<(InvokeKind, MemberRef<'_>)> {
    let bootstrap = class.pool.dynamic(site).ok().map(|site| usize::from(site.bootstrap));
    let bootstrap = bootstrap.and_then(|index| class.attributes.bootstrap_methods.get(index));
    let arguments = bootstrap.map_or(&[][..], |bootstrap| &bootstrap.arguments);
    let handle = |argument: &PoolIndex| {
        let Constant::MethodHandle { kind, reference } = class.pool.get(*argument) else { return None };
        let kind = match kind {
            5 => InvokeKind::Virtual,
            6 => InvokeKind::Static,
            7 | 8 => InvokeKind::Special,
            9 => InvokeKind::Interface,
            _ => return None,
        };
        Some((kind, class.pool.member(*reference).ok()?))
    };
    arguments.iter().filter_map(handle).collect()
}
