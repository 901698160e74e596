//! The Java of the user, and whether it is new enough for the classes.

use super::sandbox;
use crate::failure::Failure;
use java_frontend::{ClassEntry, Jdk, java_name, java_of_class_version};
use java_judge::Tools;
use java_worker::{MachineSettings, OWN_FOLDER};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Since Java 24 nobody can watch what code asks of the machine, and since 18 only who asks for it.
pub(crate) const UNWATCHED_SINCE: u32 = 24;
const WATCHED_IF_ASKED: (u32, &str) = (18, "-Djava.security.manager=allow");

/// A path that holds also where the links to it do not lead anywhere, as in a sandbox.
fn whole(tool: &Path) -> PathBuf {
    tool.canonicalize().unwrap_or_else(|_| tool.to_owned())
}

/// What a sandbox puts before a command that runs Java; see [`sandbox::wrapper`].
fn wrapper(own: &str, kept: &[PathBuf], scratch: &Path) -> Result<Vec<std::ffi::OsString>, Failure> {
    let home = Jdk::home_of(&Jdk::find().java);
    sandbox::wrapper(own, kept.iter().chain(&home).map(PathBuf::as_path).chain([scratch]))
}

/// How machines of the search are started.
pub(crate) fn machines(
    scratch: &Path,
    class_path: &[PathBuf],
    run_timeout: Duration,
) -> Result<MachineSettings, Failure> {
    let wrapper = wrapper(OWN_FOLDER, class_path, scratch)?;
    let java = whole(&Jdk::find().java);
    let (since, flag) = WATCHED_IF_ASKED;
    let asks = Jdk::version_of(&java).is_some_and(|version| (since..UNWATCHED_SINCE).contains(&version));
    let flags = if asks { vec![flag.into()] } else { Vec::new() };
    let class_path = class_path.to_vec();
    Ok(MachineSettings { java, wrapper, class_path, flags, run_timeout, ..MachineSettings::new(scratch) })
}

/// What suites are compiled and run with.
pub(crate) fn tools() -> Tools {
    let Jdk { java, javac, jar } = Jdk::find();
    Tools { version: Jdk::version_of(&java), java: whole(&java), javac, jar, ..Tools::default() }
}

/// The same in a sandbox, in which the class path can be read.
pub(crate) fn confined_tools(class_path: &[PathBuf], scratch: &Path) -> Result<Tools, Failure> {
    let wrapper = wrapper(java_judge::OWN_FOLDER, class_path, scratch)?;
    Ok(Tools { wrapper, scratch: Some(scratch.to_owned()), ..tools() })
}

/// The Java of the user, if it is there.
///
/// # Errors
/// When `JAVA_HOME` names a folder that has none.
pub(crate) fn find() -> Result<Jdk, Failure> {
    let jdk = Jdk::find();
    match std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty() && !jdk.java.is_file()) {
        Some(home) => Err(Failure::input(format!("JAVA_HOME is {}, which has no bin/java", home.display()))
            .hint("without JAVA_HOME the java on the PATH is used")),
        None => Ok(jdk),
    }
}

/// Why classes are of no use with a virtual machine and a compiler of these versions, each in words.
///
/// # Errors
/// When nothing is left to work with.
pub(crate) fn too_new(own: &[ClassEntry], jdk: &Jdk) -> Result<Vec<String>, Failure> {
    let versions = [
        ("the virtual machine", &jdk.java, Jdk::version_of(&jdk.java)),
        ("the compiler of tests", &jdk.javac, Jdk::version_of(&jdk.javac)),
    ];
    // The first that is too old says enough.
    let one = |entry: &ClassEntry| {
        let needed = java_of_class_version(entry.class.major);
        let (tool, path, version) =
            versions.iter().find(|(.., version)| version.is_some_and(|v| v < needed))?;
        Some(format!(
            "{} ({}) is for Java {needed}, and {tool}, {}, has Java {}",
            java_name(&entry.name),
            entry.origin,
            path.display(),
            version.unwrap_or_default()
        ))
    };
    let found: Vec<String> = own.iter().filter_map(one).collect();
    match found.first() {
        Some(first) if found.len() == own.len() => {
            let more = match found.len() - 1 {
                0 => String::new(),
                more => format!("; so it is with {more} more"),
            };
            Err(Failure::input(format!("{first}{more}")).hint(OF_TOO_NEW))
        }
        _ => Ok(found),
    }
}

/// What decides which classes of a jar are loaded.
pub(crate) const OF_VERSIONS: &str = "tests are for the version of Java that is used, and JAVA_HOME names it";

/// What helps.
pub(crate) const OF_TOO_NEW: &str = "JAVA_HOME names the JDK that is used: JAVA_HOME=FOLDER branchwise …";

#[cfg(test)]
mod tests {
    use super::*;
    use java_frontend::ClassPath;
    use std::fs;

    /// A JDK that says what version it has.
    fn tool(folder: &Path, name: &str, version: &str) -> PathBuf {
        let bin = folder.join(name).join("bin");
        fs::create_dir_all(&bin).expect("a folder");
        fs::write(bin.join("tool"), "").expect("a file");
        fs::write(folder.join(name).join("release"), format!("JAVA_VERSION=\"{version}\"\n"))
            .expect("a file");
        bin.join("tool")
    }

    fn class(major: u8) -> ClassEntry {
        let bytes = [
            &[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, major, 0, 5, 7, 0, 2, 1, 0, 1][..],
            b"A",
            &[7, 0, 4, 1, 0, 16],
            b"java/lang/Object",
            &[0, 0x21, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        .concat();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("A.class");
        fs::write(&file, bytes).expect("a file");
        let read = ClassPath::read(&[file], &[], folder.path()).expect("a class").own.remove(0);
        ClassEntry { origin: "A.class".to_owned(), ..read }
    }

    #[test]
    fn the_older_of_machine_and_compiler_decides() {
        let folder = tempfile::tempdir().expect("a folder");
        let (old, new) = (tool(folder.path(), "old", "17.0.15"), tool(folder.path(), "new", "21.0.8"));
        let jdk = |java: &PathBuf, javac: &PathBuf| Jdk {
            java: java.clone(),
            javac: javac.clone(),
            jar: PathBuf::new(),
        };
        assert_eq!(too_new(&[class(65)], &jdk(&new, &new)).expect("usable"), Vec::<String>::new());
        let told = |jdk| too_new(&[class(65)], &jdk).expect_err("nothing is left").to_string();
        let machine = told(jdk(&old, &new));
        assert!(machine.contains("A (A.class) is for Java 21, and the virtual machine"), "{machine}");
        let compiler = told(jdk(&new, &old));
        assert!(compiler.contains("the compiler of tests") && compiler.contains("has Java 17"), "{compiler}");
        // What is left is worked with.
        assert_eq!(too_new(&[class(65), class(61)], &jdk(&old, &old)).expect("one is left").len(), 1);
        // Who does not say its version is tried.
        let unknown = PathBuf::from("/nowhere/java");
        assert_eq!(too_new(&[class(69)], &jdk(&unknown, &unknown)).expect("usable").len(), 0);
    }
}
