//! A Java program that can be tested: its classes, what is known of them, and machines that run them.

use java_classfile::Instruction;
use java_classfile::Type;
use java_frontend::{
    ClassEntry, ClassPath, Hierarchy, JavaModel, Knowledge, Platform, SourceDecisions, Summaries,
};
use java_wire::Slot;
use java_worker::{Home, HookSet, MachineSettings, Prepared, StartError};
use model::{BranchId, FunctionId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A program.
pub struct JavaProgram {
    /// Its classes.
    pub classes: ClassPath,
    /// Who extends whom.
    pub hierarchy: Hierarchy,
    /// Functions, branches, jumps.
    pub model: JavaModel,
    /// What methods define and use.
    pub summaries: Summaries,
    /// The classes with hooks; or why one has none.
    pub prepared: Prepared,
    /// Classes that could not get hooks: names and reasons.
    pub without_hooks: Vec<(String, String)>,
    /// The code that is executed again to get terms.
    pub code: java_replay::Program,
    /// Runs may see what others left in static fields, unless classes are loaded anew.
    pub has_state: bool,
    /// Branches of methods that have no room for all hooks: replay does not see which of them were taken.
    pub(crate) unreplayed: BTreeSet<BranchId>,
    /// By class: the outermost class around it.
    units: Vec<usize>,
}

impl JavaProgram {
    /// From the classes of a user.
    #[must_use]
    pub fn new(classes: ClassPath) -> JavaProgram {
        JavaProgram::deciding(classes, None)
    }

    /// The same with the decisions of its sources, if they are wanted.
    #[must_use]
    pub fn deciding(classes: ClassPath, source: Option<&SourceDecisions>) -> JavaProgram {
        let hierarchy = Hierarchy::new(&classes, Platform::find());
        let model = JavaModel::deciding(&classes.own, &hierarchy, source);
        let summaries = Summaries::new(&classes.own, &model.methods, &hierarchy);
        let (mut prepared, mut without_hooks) = (Prepared::new(), Vec::new());
        let mut code = Vec::new();
        for entry in &classes.own {
            code.push(java_replay::Class {
                file: entry.class.clone(),
                first_jump: prepared.jumps(),
                first_method: prepared.methods(),
            });
            if let Err(why) = prepared.add(&entry.bytes, &entry.class) {
                without_hooks.push((entry.name.clone(), why.to_string()));
            }
        }
        let has_state = classes.own.iter().any(has_state);
        let platform = hierarchy.platform().clone();
        let code = java_replay::Program::new(code).with_library(move |name| platform.class_file(name));
        let units = units(&classes.own);
        let unreplayed = unreplayed(&classes.own, &model, &prepared);
        JavaProgram {
            unreplayed,
            units,
            classes,
            hierarchy,
            model,
            summaries,
            prepared,
            without_hooks,
            code,
            has_state,
        }
    }

    /// What sequences are made from.
    #[must_use]
    pub fn knowledge(&self) -> Knowledge<'_> {
        Knowledge {
            classes: &self.classes.own,
            hierarchy: &self.hierarchy,
            methods: &self.model.methods,
            summaries: &self.summaries,
        }
    }

    /// A folder from which machines are started. Without another class path they get that of the user.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn home(&self, settings: &MachineSettings) -> Result<Arc<Home>, StartError> {
        let mut settings = settings.clone();
        if settings.class_path.is_empty() {
            settings.class_path = self.classes.entries();
        }
        Ok(Arc::new(Home::make(&settings, &self.prepared)?))
    }

    /// The class around a class and all others in it, itself if there is none.
    #[must_use]
    pub fn unit(&self, class: usize) -> usize {
        self.units.get(class).copied().unwrap_or(class)
    }

    /// The outermost class around a function.
    #[must_use]
    pub fn unit_of(&self, function: FunctionId) -> Option<usize> {
        self.class_of(function).map(|class| self.unit(class))
    }

    /// The class of a function, by its place.
    #[must_use]
    pub fn class_of(&self, function: FunctionId) -> Option<usize> {
        self.model.methods.places().get(function.0 as usize).map(|place| place.0)
    }
}

/// The branches of methods without all hooks.
fn unreplayed(classes: &[ClassEntry], model: &JavaModel, prepared: &Prepared) -> BTreeSet<BranchId> {
    let full = prepared.untouched().iter().filter(|(_, set, _)| *set == HookSet::Full);
    let places = full.filter_map(|(name, _, left)| {
        let class = classes.iter().position(|entry| entry.name == *name)?;
        Some((class, left.method))
    });
    let sites = places.flat_map(|(class, method)| model.sites.of_method(class, method));
    sites.flat_map(|site| (0..site.width()).map(|offset| BranchId(site.branch.0 + offset))).collect()
}

/// For every class its unit.
fn units(classes: &[ClassEntry]) -> Vec<usize> {
    let numbers: HashMap<&str, usize> =
        classes.iter().enumerate().map(|(number, entry)| (entry.name.as_str(), number)).collect();
    let outermost = |(number, entry): (usize, &ClassEntry)| {
        let ends = entry.name.match_indices('$').map(|(end, _)| &entry.name[..end]);
        ends.filter_map(|name| numbers.get(name).copied()).next().unwrap_or(number)
    };
    classes.iter().enumerate().map(outermost).collect()
}

/// Whether a class has static fields that may change after its initialiser has run: they are written elsewhere, or what they lead to
/// may be.
fn has_state(entry: &ClassEntry) -> bool {
    let writes = entry.class.methods.iter().filter(|method| method.name != "<clinit>").any(|method| {
        let code = method.code.iter().flat_map(|code| &code.instructions);
        code.into_iter().any(|(_, instruction)| matches!(instruction, Instruction::PutStatic(_)))
    });
    let enumerators = entry.class.superclass.as_deref() == Some("java/lang/Enum");
    let is_mutable = |ty: &Type| match Slot::of(ty) {
        Some(Slot::Primitive(_) | Slot::Boxed(_) | Slot::Text) => false,
        Some(Slot::Array(_)) => true,
        None => !enumerators,
    };
    let fields = entry.class.fields.iter().filter(|field| field.access.is_static());
    writes
        || fields
            .into_iter()
            .filter(|field| !field.access.is_synthetic())
            .any(|field| is_mutable(&field.descriptor))
}
