//! The Java of the user: the one in `JAVA_HOME`, or else what is on the path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where the tools of a JDK are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jdk {
    /// The virtual machine that classes run in.
    pub java: PathBuf,
    /// The compiler. A runtime has none, and then it is the one on the path, whatever version that has.
    pub javac: PathBuf,
    /// The archiver, likewise.
    pub jar: PathBuf,
}

impl Jdk {
    /// The one that the environment names.
    #[must_use]
    pub fn find() -> Jdk {
        let told = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Jdk::of(told("JAVA_HOME").as_deref(), &told("PATH").unwrap_or_default())
    }

    /// The one that these values of `JAVA_HOME` and `PATH` name. A home without a virtual machine is not replaced by what is on the path:
    /// who names it wants to know.
    #[must_use]
    pub fn of(home: Option<&OsStr>, path: &OsStr) -> Jdk {
        let in_home = |tool: &str| home.map(|home| Path::new(home).join("bin").join(tool));
        let on_path = |tool: &str| {
            let mut places = std::env::split_paths(path).map(|folder| folder.join(tool));
            places.find(|place| place.is_file()).unwrap_or_else(|| PathBuf::from(tool))
        };
        let either = |tool| in_home(tool).filter(|file| file.is_file()).unwrap_or_else(|| on_path(tool));
        let java = in_home("java").unwrap_or_else(|| on_path("java"));
        Jdk { java, javac: either("javac"), jar: either("jar") }
    }

    /// The folder that a tool belongs to: the tool itself may be behind links, in `bin`.
    #[must_use]
    pub fn home_of(tool: &Path) -> Option<PathBuf> {
        Some(tool.canonicalize().ok()?.parent()?.parent()?.to_owned())
    }

    /// A virtual machine that has the compiler in it: the one that belongs to the compiler.
    #[must_use]
    pub fn java_of_compiler(&self) -> PathBuf {
        let beside = Jdk::home_of(&self.javac).map(|home| home.join("bin/java"));
        beside.filter(|java| java.is_file()).unwrap_or_else(|| self.java.clone())
    }

    /// The version of Java that a tool belongs to, such as 17; `None` if it does not say.
    #[must_use]
    pub fn version_of(tool: &Path) -> Option<u32> {
        let release = std::fs::read_to_string(Jdk::home_of(tool)?.join("release")).ok()?;
        release.lines().find_map(|line| major(line.strip_prefix("JAVA_VERSION=")?))
    }
}

/// `"17.0.15"` is 17, and `"1.8.0_452"` is 8.
fn major(version: &str) -> Option<u32> {
    let mut parts = version.trim_matches('"').split(|c: char| !c.is_ascii_digit());
    let first = parts.next()?.parse().ok()?;
    if first == 1 { parts.next()?.parse().ok() } else { Some(first) }
}

/// The Java that class files of a version need: 17 for version 61.
#[must_use]
pub fn java_of_class_version(major: u16) -> u32 {
    u32::from(major).saturating_sub(44)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_goes_before_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |place: &str, tools: &[&str]| {
            let bin = folder.path().join(place).join("bin");
            std::fs::create_dir_all(&bin).expect("a folder");
            tools.iter().for_each(|tool| std::fs::write(bin.join(tool), "").expect("a file"));
            folder.path().join(place)
        };
        let (jdk, runtime) = (make("jdk", &["java", "javac", "jar"]), make("runtime", &["java"]));
        let path = jdk.join("bin").into_os_string();
        let all_of = |home: &Path| Jdk {
            java: home.join("bin/java"),
            javac: home.join("bin/javac"),
            jar: home.join("bin/jar"),
        };
        assert_eq!(Jdk::of(None, &path), all_of(&jdk));
        let other = make("other", &["java", "javac", "jar"]);
        assert_eq!(Jdk::of(Some(other.as_os_str()), &path), all_of(&other));
        // A runtime has no compiler, so that of the path is taken, and a virtual machine to run it.
        let mixed = Jdk::of(Some(runtime.as_os_str()), &path);
        assert_eq!(mixed, Jdk { java: runtime.join("bin/java"), ..all_of(&jdk) });
        assert_eq!(mixed.java_of_compiler(), jdk.join("bin/java").canonicalize().expect("a file"));
        // What is named and not there is not replaced.
        let nowhere = Path::new("/nowhere");
        assert_eq!(Jdk::of(Some(nowhere.as_os_str()), &path).java, nowhere.join("bin/java"));
        assert_eq!(Jdk::of(None, OsStr::new("")).java, Path::new("java"));
    }

    #[test]
    fn versions_are_read_as_they_are_written() {
        let written = [("\"17.0.15\"", 17), ("\"21\"", 21), ("\"1.8.0_452\"", 8), ("\"25-ea\"", 25)];
        for (text, version) in written {
            assert_eq!(major(text), Some(version), "{text}");
        }
        assert_eq!((major("\"x\""), major("")), (None, None));
        let runtime = java_testing::runtime(21);
        assert_eq!(Jdk::version_of(&runtime.join("bin/java")), Some(21));
    }
}
