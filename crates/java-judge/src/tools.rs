//! The programs and libraries that the judge needs.

use crate::JudgeError;
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

/// What the judge calls, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tools {
    /// The JVM.
    pub java: String,
    /// The compiler.
    pub javac: String,
    /// The archiver of the JDK.
    pub jar: String,
    /// The folder with the jars of JUnit and JaCoCo.
    pub jars: PathBuf,
    /// The orders in which the tests are run.
    pub seeds: Vec<u64>,
    /// A JVM that runs tests for longer than this hangs.
    pub seconds: u64,
}

impl Default for Tools {
    fn default() -> Self {
        Tools {
            java: "java".into(),
            javac: "javac".into(),
            jar: "jar".into(),
            jars: "/usr/share/java".into(),
            seeds: vec![1, 2, 3],
            seconds: 300,
        }
    }
}

/// Where the libraries are.
#[derive(Clone, Debug)]
pub(crate) struct Jars {
    pub(crate) junit: Vec<PathBuf>,
    pub(crate) jacoco: Vec<PathBuf>,
    pub(crate) agent: PathBuf,
}

impl Jars {
    /// Finds all of them.
    pub(crate) fn find(folder: &Path) -> Result<Jars, JudgeError> {
        let find = |(name, package): (&str, &'static str)| {
            let path = folder.join(format!("{name}.jar"));
            if path.exists() { Ok(path) } else { Err(JudgeError::MissingJar { path, package }) }
        };
        Ok(Jars {
            junit: JUNIT.into_iter().map(find).collect::<Result<_, _>>()?,
            jacoco: JACOCO.into_iter().map(find).collect::<Result<_, _>>()?,
            agent: find(AGENT)?,
        })
    }
}

/// A class path as the JVM wants it, whatever folder it runs in.
pub(crate) fn class_path<'p>(places: impl IntoIterator<Item = &'p PathBuf>) -> String {
    let absolute = |place: &PathBuf| std::path::absolute(place).unwrap_or_else(|_| place.clone());
    let places: Vec<String> = places.into_iter().map(|place| absolute(place).display().to_string()).collect();
    places.join(":")
}
