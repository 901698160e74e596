//! The programs and libraries that the judge needs.

use crate::JudgeError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Jars for running tests, and the Debian packages that have them.
const JUNIT: [(&str, &str); 10] = [
    ("junit-jupiter-api", "junit5"),
    ("junit-jupiter-engine", "junit5"),
    ("junit-platform-commons", "junit5"),
    ("junit-platform-engine", "junit5"),
    ("junit-platform-launcher", "junit5"),
    ("junit-vintage-engine", "junit5"),
    ("junit4", "junit4"),
    ("hamcrest", "libhamcrest-java"),
    ("apiguardian-api", "libapiguardian-java"),
    ("opentest4j", "libopentest4j-java"),
];

/// Jars for reading what JaCoCo wrote.
const JACOCO: [(&str, &str); 4] = [
    ("org.jacoco.core", "libjacoco-java"),
    ("asm", "libasm-java"),
    ("asm-commons", "libasm-java"),
    ("asm-tree", "libasm-java"),
];

/// The jar that has the agent inside.
const AGENT: (&str, &str) = ("org.jacoco.agent", "libjacoco-java");

/// In a [wrapper](Tools::wrapper), stands for the folder that tests start in.
pub const OWN_FOLDER: &str = "{}";

/// What the judge calls, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tools {
    /// The JVM.
    pub java: PathBuf,
    /// The version of Java that it has, such as 17, if that is known.
    pub version: Option<u32>,
    /// The compiler.
    pub javac: PathBuf,
    /// The archiver of the JDK.
    pub jar: PathBuf,
    /// The folder with the jars of JUnit and JaCoCo.
    pub jars: PathBuf,
    /// The orders in which the tests are run.
    pub seeds: Vec<u64>,
    /// A JVM that runs tests for longer than this hangs.
    pub seconds: u64,
    /// So does one in which no test came to an end for so long.
    pub silence: u64,
    /// JVMs that may be lost before the rest of a trial is given up.
    pub lost: u32,
    /// A command with arguments that is put before the JVM that runs tests and starts it: the one that confines it. The word
    /// [`OWN_FOLDER`] becomes the only folder that tests need to write to. Nothing of our environment is told to a JVM in it but the
    /// language, the time zone and where programs are.
    pub wrapper: Vec<OsString>,
    /// Where scratch folders are made; without it, where those of the system are.
    pub scratch: Option<PathBuf>,
}

impl Default for Tools {
    fn default() -> Self {
        Tools {
            java: "java".into(),
            version: None,
            javac: "javac".into(),
            jar: "jar".into(),
            jars: "/usr/share/java".into(),
            seeds: vec![1, 2, 3],
            seconds: 300,
            silence: 60,
            lost: 24,
            wrapper: Vec::new(),
            scratch: None,
        }
    }
}

/// The libraries for running tests.
pub(crate) fn junit(folder: &Path) -> Result<Vec<PathBuf>, JudgeError> {
    JUNIT.into_iter().map(|jar| find(folder, jar)).collect()
}

/// The libraries for counting what they run.
#[derive(Clone, Debug)]
pub(crate) struct Jacoco {
    pub(crate) jars: Vec<PathBuf>,
    /// The jar that has the agent inside.
    pub(crate) agent: PathBuf,
}

impl Jacoco {
    /// Finds all of them.
    pub(crate) fn find(folder: &Path) -> Result<Jacoco, JudgeError> {
        let jars = JACOCO.into_iter().map(|jar| find(folder, jar)).collect::<Result<_, _>>()?;
        Ok(Jacoco { jars, agent: find(folder, AGENT)? })
    }
}

fn find(folder: &Path, (name, package): (&str, &'static str)) -> Result<PathBuf, JudgeError> {
    let path = folder.join(format!("{name}.jar"));
    if path.exists() { Ok(path) } else { Err(JudgeError::MissingJar { path, package }) }
}

/// A class path as the JVM wants it, whatever folder it runs in.
pub(crate) fn class_path<'p>(places: impl IntoIterator<Item = &'p PathBuf>) -> String {
    let absolute = |place: &PathBuf| std::path::absolute(place).unwrap_or_else(|_| place.clone());
    let places: Vec<String> = places.into_iter().map(|place| absolute(place).display().to_string()).collect();
    places.join(":")
}
