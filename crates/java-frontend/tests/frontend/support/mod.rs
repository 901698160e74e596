//! Fixtures, compiled once a test program.

use java_frontend::{
    ClassPath, Hierarchy, JavaModel, Knowledge, Options, Place, Platform, Sequences, Set, Summaries,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The classes of all fixtures and what is known of them.
pub(crate) struct Fixtures {
    _scratch: TempDir,
    /// Their classes.
    pub(crate) classes: ClassPath,
    /// Their hierarchy.
    pub(crate) hierarchy: Hierarchy,
    /// Their model.
    pub(crate) model: JavaModel,
    /// What their methods do.
    pub(crate) summaries: Summaries,
}

impl Fixtures {
    /// All of it.
    pub(crate) fn knowledge(&self) -> Knowledge<'_> {
        let (methods, classes) = (&self.model.methods, &self.classes.own);
        Knowledge { classes, hierarchy: &self.hierarchy, methods, summaries: &self.summaries }
    }

    /// The sequences for a method.
    pub(crate) fn sequences(&self, target: &str, options: &Options) -> Sequences {
        Sequences::new(self.knowledge(), target, options).expect("callable")
    }

    /// Names of places: `field`, or `*Class` for contents.
    pub(crate) fn names(&self, set: &Set) -> Vec<String> {
        let name = |number| match self.summaries.places().get(number).expect("numbered") {
            Place::Field { name, .. } => name.clone(),
            Place::Contents { class } => format!("*{class}"),
        };
        let mut names: Vec<String> = set.iter().map(name).collect();
        names.sort_unstable();
        names
    }
}

/// All fixtures.
pub(crate) fn fixtures() -> &'static Fixtures {
    static FIXTURES: OnceLock<Fixtures> = OnceLock::new();
    FIXTURES.get_or_init(|| read(&[repository().join("fixtures/java")]))
}

/// What a user would get for some paths.
pub(crate) fn read(paths: &[PathBuf]) -> Fixtures {
    let scratch = tempfile::tempdir().expect("writable");
    let classes = ClassPath::read(paths, &[], scratch.path()).expect("readable");
    let hierarchy = Hierarchy::new(&classes, Platform::find());
    let model = JavaModel::new(&classes.own, &hierarchy);
    let summaries = Summaries::new(&classes.own, &model.methods, &hierarchy);
    Fixtures { _scratch: scratch, classes, hierarchy, model, summaries }
}

/// Classes of sources that a test brings along: file names with texts.
pub(crate) fn compile(sources: &[(&str, &str)]) -> Fixtures {
    let folder = tempfile::tempdir().expect("writable");
    for (name, text) in sources {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    read(&[folder.path().to_owned()])
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("there")
}

/// Runs a tool and gives what it prints.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().expect("installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
