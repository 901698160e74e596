//! Test classes for the two generations of JUnit.

use crate::body::{Suppressed, Throws, Writer};
use crate::facts::package_of;
use crate::imports::Imports;
use crate::names::{self, Names};
use crate::own_files::{Home, OwnFiles};
use crate::{Emission, EmittedFile, EmittedTest, JavaEmitter, JavaJob, JavaSuite, JavaTest, LeftOut};
use crate::{check, layout, project};
use java_wire::{Action, Script};
use std::collections::BTreeMap;

/// In what the two differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dialect {
    /// The class of the assertions.
    pub(crate) assertions: &'static str,
    /// The annotation of a test.
    pub(crate) test: &'static str,
    /// Whether classes and methods must be public.
    pub(crate) is_public: bool,
    /// Whether numbers with fractions are compared with a tolerance, which may be zero.
    pub(crate) wants_delta: bool,
    /// Where tests put files of their own.
    pub(crate) home: Home,
    /// What builds and runs the tests.
    pub(crate) project: &'static project::Project,
}

/// JUnit 5.
pub(crate) struct JUnit5;

/// JUnit 4.13.
pub(crate) struct JUnit4;

pub(crate) const DIALECT_5: Dialect = Dialect {
    assertions: "org/junit/jupiter/api/Assertions",
    test: "org/junit/jupiter/api/Test",
    is_public: false,
    wants_delta: false,
    home: Home::TempDir,
    project: &project::JUNIT_5,
};

const DIALECT_4: Dialect = Dialect {
    assertions: "org/junit/Assert",
    test: "org/junit/Test",
    is_public: true,
    wants_delta: true,
    home: Home::TemporaryFolder,
    project: &project::JUNIT_4,
};

impl JavaEmitter for JUnit5 {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn summary(&self) -> &'static str {
        "JUnit 5, with Maven and Gradle files and a script"
    }

    fn emit(&self, job: &JavaJob<'_>) -> Emission {
        emit(job, &DIALECT_5)
    }
}

impl JavaEmitter for JUnit4 {
    fn name(&self) -> &'static str {
        "junit4"
    }

    fn summary(&self) -> &'static str {
        "JUnit 4.13, with Maven and Gradle files and a script"
    }

    fn emit(&self, job: &JavaJob<'_>) -> Emission {
        emit(job, &DIALECT_4)
    }
}

fn emit(job: &JavaJob<'_>, dialect: &Dialect) -> Emission {
    let mut emission = Emission::default();
    let mut class_names: BTreeMap<String, Names> = BTreeMap::new();
    for (number, suite) in job.suites.iter().enumerate() {
        let package = suite.package.replace('.', "/");
        let taken = class_names.entry(package.clone()).or_default();
        let class = class_name(job, suite, &package, taken);
        let mut file = TestClass::new(job, suite, dialect, &package, &class);
        for (position, test) in suite.tests.iter().enumerate() {
            match file.add(test) {
                Ok(method) => emission.tests.push(EmittedTest {
                    suite: number,
                    test: position,
                    class: file.full_name(),
                    method,
                }),
                Err(reason) => emission.left_out.push(LeftOut { suite: number, test: position, reason }),
            }
        }
        if !file.methods.is_empty() {
            let folder = if package.is_empty() { String::new() } else { format!("{package}/") };
            let path = format!("{}/{folder}{class}.java", project::SOURCES);
            emission.files.push(EmittedFile { path, contents: file.text(), executable: false });
        }
    }
    let mut classes: Vec<&str> = emission.tests.iter().map(|test| test.class.as_str()).collect();
    classes.dedup();
    let files = project::files(dialect.project, job, &classes);
    emission.files.extend(files);
    emission
}

/// `FooTest`, or another name if there is such a class already.
fn class_name(job: &JavaJob<'_>, suite: &JavaSuite, package: &str, taken: &mut Names) -> String {
    let class = suite.class_under_test.rsplit('/').next().unwrap_or("Class");
    let stem = names::identifier(&class.replace('$', ""));
    let wanted = format!("{stem}Test");
    let wanted = if job.facts.has_class(package, &wanted) { format!("{stem}BranchTest") } else { wanted };
    taken.unique(&wanted)
}

/// A test class as it grows.
struct TestClass<'j> {
    job: &'j JavaJob<'j>,
    dialect: &'j Dialect,
    package: &'j str,
    class: &'j str,
    imports: Imports<'j>,
    suppressed: Suppressed,
    own_files: OwnFiles,
    /// Names that variables must not have: those of classes and packages would be hidden.
    reserved: Names,
    method_names: Names,
    methods: Vec<String>,
}

impl<'j> TestClass<'j> {
    fn new(
        job: &'j JavaJob<'j>,
        suite: &JavaSuite,
        dialect: &'j Dialect,
        package: &'j str,
        class: &'j str,
    ) -> TestClass<'j> {
        let mut imports = Imports::new(job.facts, package, class);
        // The classes of the tests come first, so that they have the short names.
        for test in &suite.tests {
            classes(&test.script).for_each(|class| {
                if package_of(class) == package && job.facts.is_accessible(class, package) {
                    imports.name(class);
                }
            });
        }
        let mut reserved = Names::default();
        let of_tests = suite.tests.iter().flat_map(|test| classes(&test.script));
        for part in of_tests.flat_map(names::hidden_by_variables) {
            reserved.reserve(part);
        }
        for part in ["java", "org", "javax"] {
            reserved.reserve(part);
        }
        TestClass {
            job,
            dialect,
            package,
            class,
            imports,
            suppressed: Suppressed::default(),
            own_files: OwnFiles::default(),
            reserved,
            method_names: Names::default(),
            methods: Vec::new(),
        }
    }

    fn full_name(&self) -> String {
        let package = self.package.replace('/', ".");
        if package.is_empty() { self.class.to_owned() } else { format!("{package}.{}", self.class) }
    }

    /// Writes a test and says how it is called.
    fn add(&mut self, test: &JavaTest) -> Result<String, crate::Reason> {
        check::check(test, self.job.facts)?;
        let mut writer = Writer {
            test,
            facts: self.job.facts,
            package: self.package,
            dialect: self.dialect,
            asserts: self.job.asserts,
            imports: &mut self.imports,
            suppressed: &mut self.suppressed,
            own_files: &mut self.own_files,
            throws: Throws::Nothing,
            held: Vec::new(),
            slots: BTreeMap::new(),
            types: Vec::new(),
            names: self.reserved.clone(),
        };
        let groups = writer.groups();
        let throws = writer.throws;
        let wanted = match &test.name {
            Some(name) => names::identifier(name),
            None => names::test(&test.script, &test.end, &test.results),
        };
        let name = self.method_names.unique(&wanted);
        let annotation = self.imports.name(self.dialect.test);
        let mut text: String =
            test.comment.iter().map(|line| format!("    {}\n", layout::comment(line))).collect();
        let public = if self.dialect.is_public { "public " } else { "" };
        let throws = match throws {
            Throws::Nothing => String::new(),
            Throws::Exception => format!(" throws {}", self.imports.name("java/lang/Exception")),
            Throws::Throwable => format!(" throws {}", self.imports.name("java/lang/Throwable")),
        };
        text += &format!(
            "    @{annotation}\n    {public}void {name}(){throws} {{\n{}    }}\n",
            paragraphs(&groups)
        );
        self.methods.push(text);
        Ok(name)
    }

    fn text(&mut self) -> String {
        let suppress = suppressions(self.suppressed, &mut self.imports);
        let package = match self.package {
            "" => String::new(),
            package => format!("package {};\n\n", package.replace('/', ".")),
        };
        let public = if self.dialect.is_public { "public " } else { "" };
        let fields = self.own_files.fields(self.dialect.home, &mut self.imports);
        let helpers = self.own_files.methods(self.dialect.home, &mut self.imports);
        let members = fields.into_iter().chain(self.methods.iter().cloned()).chain(helpers);
        let members: Vec<String> = members.collect();
        let members = members.join("\n");
        format!("{package}{}{suppress}{public}class {} {{\n{members}}}\n", self.imports.text(), self.class)
    }
}

/// The annotation that keeps a compiler quiet.
pub(crate) fn suppressions(suppressed: Suppressed, imports: &mut Imports<'_>) -> String {
    let Suppressed { raw, deprecation, serial } = suppressed;
    let mut words = Vec::new();
    if raw {
        words.extend(["\"unchecked\"", "\"rawtypes\""]);
    }
    if deprecation {
        words.extend(["\"deprecation\"", "\"removal\""]);
    }
    if serial {
        words.push("\"serial\"");
    }
    let name =
        if words.is_empty() { return String::new() } else { imports.name("java/lang/SuppressWarnings") };
    match words.as_slice() {
        [word] => format!("@{name}({word})\n"),
        words => format!("@{name}({{{}}})\n", words.join(", ")),
    }
}

/// Statements, with an empty line between the groups.
pub(crate) fn paragraphs(groups: &[Vec<String>]) -> String {
    let indented =
        |line: &String| if line.is_empty() { "\n".to_owned() } else { format!("        {line}\n") };
    let groups = groups.iter().filter(|group| !group.is_empty());
    let texts: Vec<String> = groups.map(|group| group.iter().map(indented).collect()).collect();
    texts.join("\n")
}

/// The classes that the steps of a script name.
pub(crate) fn classes(script: &Script) -> impl Iterator<Item = &str> {
    script.steps.iter().chain(&script.observers).filter_map(|step| match &step.action {
        Action::Construct { class, .. }
        | Action::Invoke { class, .. }
        | Action::Load { class, .. }
        | Action::Store { class, .. }
        | Action::Stub { class, .. } => Some(class.as_str()),
        Action::Array { .. } | Action::File { .. } | Action::Look { .. } => None,
    })
}
