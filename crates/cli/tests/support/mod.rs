//! What the end-to-end tests share: the program as a user meets it, and what the fixtures say of themselves.

#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod header;

use report::{FunctionSummary, GoalSummary, State, Summary};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Far beyond what anything here takes, so that only a hang meets it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// A scratch folder: sources, output and the program's own temporary files of one test.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        let folder = tempfile::Builder::new().prefix("e2e-").tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("tmp")).expect("a folder for temporary files");
        Desk { folder }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders it lies in.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("below the desk")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Copies fixtures into a folder of the desk.
    pub(crate) fn copy(&self, folder: &str, fixtures: &[&str]) -> PathBuf {
        for name in fixtures {
            let text = std::fs::read_to_string(fixture(name)).expect("a fixture");
            self.write(&format!("{folder}/{name}"), &text);
        }
        self.path(folder)
    }

    /// `branchwise` with these arguments, standing in the desk.
    pub(crate) fn branchwise<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_branchwise"));
        command.args(arguments).current_dir(self.folder.path()).env("TMPDIR", self.path("tmp"));
        command
    }

    /// `branchwise gen SOURCE --out OUT ARGUMENTS`.
    pub(crate) fn generate(&self, source: &Path, out: &str, arguments: &[&str]) -> Ended {
        let mut command = self.branchwise(["gen".as_ref(), source.as_os_str()]);
        run(command.arg("--out").arg(self.path(out)).args(arguments), PATIENCE)
    }

    /// `branchwise check OUT`.
    pub(crate) fn check(&self, out: &str) -> Ended {
        run(&mut self.branchwise(["check".as_ref(), self.path(out).as_os_str()]), PATIENCE)
    }

    pub(crate) fn summary(&self, out: &str) -> Summary {
        judge::read_summary(&self.path(out)).expect("a summary")
    }

    /// Processes that have a file of this desk mapped: workers map the program under test, and so do their
    /// children, whatever group or session they are in.
    pub(crate) fn processes(&self) -> Vec<String> {
        let place = self.folder.path().to_string_lossy().into_owned();
        let ids = std::fs::read_dir("/proc").expect("/proc").flatten().map(|e| e.path());
        ids.filter(|id| std::fs::read_to_string(id.join("maps")).is_ok_and(|maps| maps.contains(&place)))
            .map(|id| format!("{} {:?}", id.display(), std::fs::read_to_string(id.join("comm"))))
            .collect()
    }

    /// Waits until no such process is left.
    pub(crate) fn expect_no_processes(&self) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) && !self.processes().is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(self.processes(), [""; 0], "processes are left");
    }

    /// Temporary files of the program that are still there.
    pub(crate) fn litter(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.path("tmp")).expect("the folder").flatten().map(|e| e.path()).collect()
    }
}

/// Starts a program with its output going to files, so that no full pipe ever stops it.
pub(crate) fn start(command: &mut Command) -> (Child, tempfile::TempDir) {
    let logs = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| File::create(logs.path().join(name)).expect("a log");
    let child = command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr")).spawn();
    (child.expect("the program starts"), logs)
}

/// Waits for a program; one that outlasts `limit` is killed and fails the test.
pub(crate) fn finish((mut child, logs): (Child, tempfile::TempDir), limit: Duration) -> Ended {
    let begun = Instant::now();
    let read = |name: &str| {
        let bytes = std::fs::read(logs.path().join(name)).expect("a log");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    loop {
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            let (stdout, stderr) = (read("stdout"), read("stderr"));
            return Ended { code: status.code(), stdout, stderr, took: begun.elapsed() };
        }
        if begun.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            panic!("not done after {limit:?}\n{}\n{}", read("stdout"), read("stderr"));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn run(command: &mut Command, limit: Duration) -> Ended {
    finish(start(command), limit)
}

impl Ended {
    /// The exit code must be this one, and there must be no panic.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Standard error must contain every one of these.
    #[track_caller]
    pub(crate) fn complains(self, words: &[&str]) -> Ended {
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in:\n{}", self.stderr);
        }
        self
    }
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/c").canonicalize().expect("the fixtures")
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    fixtures().join(name)
}

/// The C files of a folder of fixtures, in order.
pub(crate) fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of fixtures");
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// Builds and runs an emitted suite with its own Makefile.
pub(crate) fn make(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new("make");
    command.arg("-C").arg(folder).args(arguments);
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
        command.env_remove(name);
    }
    run(&mut command, PATIENCE)
}

/// All files below a folder, by relative path.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(folder).expect("below").to_owned();
                files.insert(name, std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    files
}

/// Fails with the names and first different lines of files in which two folders differ.
#[track_caller]
pub(crate) fn expect_same_trees(one: &Path, other: &Path) {
    let (left, right) = (tree(one), tree(other));
    let names = |tree: &BTreeMap<PathBuf, Vec<u8>>| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&left), names(&right), "the folders hold different files");
    for (name, bytes) in &left {
        let texts = [bytes, &right[name]].map(|b| String::from_utf8_lossy(b).into_owned());
        let lines = texts[0].lines().zip(texts[1].lines()).find(|(a, b)| a != b);
        assert!(bytes == &right[name], "{} differs: {lines:?}", name.display());
    }
}

pub(crate) fn function<'a>(summary: &'a Summary, name: &str) -> &'a FunctionSummary {
    summary.functions.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no function {name}"))
}

pub(crate) fn not_covered(function: &FunctionSummary) -> impl Iterator<Item = &GoalSummary> {
    function.goals.iter().filter(|g| g.state != State::Covered)
}

/// So many goals, all covered, and llvm-cov agrees.
pub(crate) fn expect_all_covered(desk: &Desk, out: &str, goals: usize) {
    let summary = desk.summary(out);
    let left: Vec<_> = summary.functions.iter().flat_map(not_covered).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(summary.totals.goals.total, goals);
    desk.check(out).expect(0);
}

/// Does the same to everything on two threads, and reports all failures together.
pub(crate) fn on_all<T: Sync + std::fmt::Debug>(items: &[T], work: impl Fn(&T) + Sync) {
    let (next, failures) = (Mutex::new(items.iter()), Mutex::new(Vec::new()));
    let attempt = |item: &T| {
        let work = std::panic::AssertUnwindSafe(|| work(item));
        std::panic::catch_unwind(work).map_err(|_| format!("{item:?}"))
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(item) = next.lock().expect("not poisoned").next() else { break };
                    failures.lock().expect("not poisoned").extend(attempt(item).err());
                }
            });
        }
    });
    let failures = failures.into_inner().expect("not poisoned");
    assert!(failures.is_empty(), "{} of {} failed: {failures:#?}", failures.len(), items.len());
}
