//! The folder that machines start from: the worker's classes, and those under test with both sets of hooks.

use crate::instrument::HookSet;
use crate::prepared::Prepared;
use crate::process::HELD_UP;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use thiserror::Error;

/// The Java side of the worker: names of class files and their bytes.
const RUNTIME: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

/// Where a machine has its temporary files, in its own folder.
const TEMPORARY: &str = "tmp";

/// Flags of every machine, with the reasons behind them.
const FLAGS: [&str; 18] = [
    // Machines of other versions do without what they do not know.
    "-XX:+IgnoreUnrecognizedVMOptions",
    // Starts fast, with one collector thread and no files in shared places.
    "-Xshare:auto",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    // Classes that were just loaded run too short for the second compiler: it takes a third more processor time for the same runs.
    "-XX:TieredStopAtLevel=1",
    // Room for loaded classes before a full collection looks for those to drop.
    "-XX:MetaspaceSize=96m",
    // Replies go to the standard output: the machine's own words must not.
    "-XX:+DisplayVMOutputToStderr",
    // What is thrown has a message and a stack, however often it was thrown before.
    "-XX:-OmitStackTraceInFastThrow",
    // No core files and no reports of crashes in the working folder.
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    // Collections that code under test asks for take longer than most runs.
    "-XX:+DisableExplicitGC",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.timezone=UTC",
    // Hooks write through `Unsafe`. Java 24 warns of that and later ones refuse it, unless somebody allows it; older ones do not know this.
    "-Dsun.misc.unsafe.memory.access=allow",
    // Parallel streams run in the thread that asks, in its order, and leave no threads behind.
    "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
];

/// In a [wrapper](MachineSettings::wrapper), stands for the folder that is a machine's own.
pub const OWN_FOLDER: &str = "{}";

/// How machines are started.
#[derive(Clone, Debug)]
pub struct MachineSettings {
    /// The launcher: `java`, or a path to it.
    pub java: PathBuf,
    /// A command with arguments that is put before the launcher and starts it: the one that confines it. The word [`OWN_FOLDER`]
    /// becomes the only folder that a machine needs to write to, which it starts in.
    pub wrapper: Vec<OsString>,
    /// Where classes without hooks are found: folders and jars.
    pub class_path: Vec<PathBuf>,
    /// A folder that exists, in which the machine's own are made.
    pub scratch: PathBuf,
    /// Size of the heap in megabytes.
    pub heap: u32,
    /// How long a machine may take until it is ready.
    pub start_timeout: Duration,
    /// How long a machine may say nothing before it is taken to hang.
    pub run_timeout: Duration,
    /// How many words a trace may have.
    pub trace_words: u32,
    /// More flags for the machine.
    pub flags: Vec<OsString>,
}

impl MachineSettings {
    /// Usual ones: `java` as it is found, 256 megabytes, five seconds for a run and sixty for a start, traces of four million words.
    #[must_use]
    pub fn new(scratch: &Path) -> MachineSettings {
        MachineSettings {
            java: PathBuf::from("java"),
            wrapper: Vec::new(),
            class_path: Vec::new(),
            scratch: scratch.to_owned(),
            heap: 256,
            start_timeout: Duration::from_secs(60),
            run_timeout: Duration::from_secs(5),
            trace_words: 4 << 20,
            flags: Vec::new(),
        }
    }
}

/// A machine cannot be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Its folder cannot be made.
    #[error("cannot prepare a folder for the virtual machine: {0}")]
    Folder(#[source] io::Error),
    /// There is no memory for its trace.
    #[error("cannot make memory that is shared with the virtual machine: {0}")]
    Map(#[source] io::Error),
    /// There is no such command.
    #[error("cannot start {command}: {error}")]
    Command {
        /// The command.
        command: String,
        /// What is wrong with it.
        #[source]
        error: io::Error,
    },
    /// It does not get ready.
    #[error("the virtual machine does not start: {0}")]
    Silent(String),
}

/// What machines of one program start from. It is removed when it is dropped.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    settings: MachineSettings,
    started: AtomicU32,
}

/// What one machine has of its own.
#[derive(Debug)]
pub(crate) struct Files {
    /// The folder that it starts in, and may write to.
    pub(crate) folder: PathBuf,
    /// Its last words.
    pub(crate) errors: PathBuf,
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_file(&self.errors);
    }
}

impl Home {
    /// Writes everything that machines need into a folder of their own.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn make(settings: &MachineSettings, classes: &Prepared) -> Result<Home, StartError> {
        Home::write(settings, classes).map_err(StartError::Folder)
    }

    fn write(settings: &MachineSettings, classes: &Prepared) -> io::Result<Home> {
        let folder =
            tempfile::Builder::new().prefix("jvm").tempdir_in(fs::canonicalize(&settings.scratch)?)?;
        let home = Home { folder, settings: settings.clone(), started: AtomicU32::new(0) };
        let runtime = home.path("worker/branchwise/rt");
        fs::create_dir_all(&runtime)?;
        for (name, bytes) in RUNTIME {
            fs::write(runtime.join(name), bytes)?;
        }
        for (set, name) in [(HookSet::Short, "short"), (HookSet::Full, "full")] {
            classes.write(set, &mut BufWriter::new(File::create(home.path(name))?))?;
        }
        Ok(home)
    }

    /// How machines are started here.
    #[must_use]
    pub fn settings(&self) -> &MachineSettings {
        &self.settings
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder for another machine, and names of its files. What code under test does to its folder, down to removing it, is of no
    /// consequence for others.
    pub(crate) fn files(&self) -> io::Result<Files> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let folder = self.path(&format!("machine-{number}"));
        fs::create_dir_all(folder.join(TEMPORARY))?;
        Ok(Files { folder, errors: self.path(&format!("errors-{number}")) })
    }

    pub(crate) fn command(&self, files: &Files, trace: &Path) -> Command {
        let settings = &self.settings;
        let own = |word: &OsString| match word == OWN_FOLDER {
            true => files.folder.clone().into_os_string(),
            false => word.clone(),
        };
        let mut words: Vec<OsString> = settings.wrapper.iter().map(own).collect();
        words.push(found(&settings.java).into_os_string());
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(FLAGS).arg(format!("-Xmx{}m", settings.heap)).args(&settings.flags);
        let mut temporary = OsString::from("-Djava.io.tmpdir=");
        temporary.push(files.folder.join(TEMPORARY));
        command.arg(temporary);
        command.arg("-cp").arg(self.class_path()).arg("branchwise.rt.Worker");
        // A machine that nobody waits for any more ends by itself, well after somebody would have ended it.
        let alone = settings.run_timeout * (HELD_UP + 2) + Duration::from_secs(10);
        command.arg(trace).args([self.path("short"), self.path("full")]);
        command.arg(alone.as_millis().to_string());
        // One that will be ended soon says where it is.
        command.arg((settings.run_timeout * 3 / 4).as_millis().to_string());
        command.env_clear().current_dir(&files.folder);
        command
    }

    fn class_path(&self) -> OsString {
        let mut path = self.path("worker").into_os_string();
        for entry in &self.settings.class_path {
            path.push(":");
            path.push(fs::canonicalize(entry).as_ref().unwrap_or(entry));
        }
        path
    }
}

/// Where a command is. The machine's environment is empty, so it cannot look for it itself.
fn found(command: &Path) -> PathBuf {
    if command.components().count() > 1 {
        return command.to_owned();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(command));
    places.find(|place| place.is_file()).unwrap_or_else(|| command.to_owned())
}
