//! Programs that others wrote, fetched as Debian source packages when this runs: built with `CC="branchwise cc"`,
//! tried out, and explored for a while.

use crate::explored::{Searched, explore};
use crate::subject::{grouped, program, timed};
use anyhow::{Context, Result, ensure};
use c_frontend::bundle::{self, Bundle};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Work on each program.
const SECONDS: u64 = 20;

/// A program to build and explore.
pub(crate) struct Project {
    pub(crate) package: &'static str,
    /// From the unpacked sources to the program; `$CC` is the compiler.
    build: &'static str,
    program: &'static str,
    /// Arguments, input and expected output of a call that shows that the program works.
    smoke: (&'static [&'static str], &'static str, &'static str),
    /// How it is explored.
    explore: &'static [&'static str],
}

pub(crate) const PROJECTS: [Project; 6] = [
    Project {
        package: "mawk",
        build: "./configure && make mawk",
        program: "mawk",
        smoke: (&["{ s += $2 } END { print s }"], "a 3\nb 4\n", "7\n"),
        explore: &["--sym-arg", "1=12", "--sym-stdin", "4"],
    },
    Project {
        package: "bc",
        build: "./configure && make -C lib && make -C dc",
        program: "dc/dc",
        smoke: (&[], "2 3 ^ 34 + p\n", "42\n"),
        explore: &["--sym-stdin", "8"],
    },
    Project {
        package: "cjson",
        build: "cmake -S . -B build && make -C build fuzz_main",
        program: "build/fuzzing/fuzz_main",
        smoke: (&["CMakeLists.txt"], "", ""),
        explore: &["--sym-file", "input=20", "--", "input"],
    },
    Project {
        package: "gzip",
        build: "./configure && make",
        program: "gzip",
        smoke: (&["-dcf"], "not packed\n", "not packed\n"),
        explore: &["--sym-stdin", "24", "--", "-dc"],
    },
    Project {
        package: "sed",
        build: "./configure --disable-nls --disable-acl --without-selinux && make",
        program: "sed/sed",
        smoke: (&["s/l\\(.\\)/<\\1>/2;y/o/0/"], "hello world\n", "hell0 w0r<d>\n"),
        explore: &["--sym-arg", "1=8", "--sym-stdin", "8"],
    },
    Project {
        package: "grep",
        build: "./configure --disable-nls && make",
        program: "src/grep",
        smoke: (&["-no", "h.l*"], "oh\nhello\n", "2:hell\n"),
        explore: &["--sym-arg", "1=6", "--sym-stdin", "8"],
    },
];

pub(crate) fn report() -> Result<()> {
    println!("### Programs of others, {SECONDS} s each\n");
    println!(
        "| program | files | lines | built by clang | by `branchwise cc` | goals | covered | infeasible | tests | findings | runs/s | losses |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let desk = desk()?;
    let packages = Packages::new(desk.path())?;
    // `PROJECTS="sed grep"` chooses some: all of them take a while.
    let chosen = std::env::var("PROJECTS").unwrap_or_default();
    let is_chosen = |project: &&Project| {
        chosen.is_empty() || chosen.split_whitespace().any(|name| name == project.package)
    };
    for project in PROJECTS.iter().filter(is_chosen) {
        // One that cannot be had or built must not cost the others.
        if let Err(error) = row(project, &packages, desk.path()) {
            println!("| {} | {error:#} |", project.package);
        }
    }
    Ok(())
}

/// A folder for packages and builds.
pub(crate) fn desk() -> Result<TempDir> {
    // apt checks signatures as a user of its own, who must be able to enter.
    let everyone = std::fs::Permissions::from_mode(0o755);
    Ok(tempfile::Builder::new().permissions(everyone).tempdir()?)
}

/// Fetches a project and builds it with `branchwise cc`; gives the program.
pub(crate) fn built(project: &Project, packages: &Packages, desk: &Path) -> Result<PathBuf> {
    let archive = packages.fetch(project.package)?;
    Ok(build(project, &archive, &desk.join("ours"), &compiler()?)?.1)
}

fn compiler() -> Result<String> {
    Ok(format!("{} cc", program("branchwise")?.display()))
}

/// Lines of the sources that were linked into a program.
pub(crate) fn lines(bundle: &Bundle) -> usize {
    let lines =
        |path: &Path| std::fs::read(path).map_or(0, |text| text.iter().filter(|b| **b == b'\n').count());
    bundle.units.iter().map(|unit| lines(&unit.source)).sum()
}

fn row(project: &Project, packages: &Packages, desk: &Path) -> Result<()> {
    let archive = packages.fetch(project.package)?;
    let (plain, _) = build(project, &archive, &desk.join("plain"), "clang-19")?;
    let (carrying, built) = build(project, &archive, &desk.join("ours"), &compiler()?)?;
    let bundle = bundle::read(&built)?;
    ensure!(bundle.missing.is_empty(), "without bitcode: {:?}", bundle.missing);
    let told = explore(&built, SECONDS, &desk.join("out").join(project.package), project.explore)?;
    let whole = told.program.as_ref().context("a program")?;
    let goals = told.totals.goals;
    println!(
        "| {} | {} | {} | {plain:.0} s | {carrying:.0} s | {} | {} | {} | {} | {} | {} | {} |",
        project.program.rsplit('/').next().unwrap_or_default(),
        bundle.units.len(),
        grouped(lines(&bundle) as f64),
        goals.total,
        goals.covered,
        goals.infeasible,
        whole.tests.len(),
        whole.findings.len(),
        Searched::of(whole).map_or("–".to_owned(), |s| grouped(s.runs_per_second())),
        grouped(whole.approximations.iter().map(|a| a.count).sum::<u64>() as f64),
    );
    Ok(())
}

/// Debian's source packages, through lists of our own.
pub(crate) struct Packages {
    folder: PathBuf,
}

impl Packages {
    pub(crate) fn new(desk: &Path) -> Result<Packages> {
        const KNOWN: &str = "/etc/apt/sources.list.d/debian.sources";
        let folder = desk.join("packages");
        std::fs::create_dir_all(folder.join("lists/partial"))?;
        std::fs::create_dir_all(folder.join("cache"))?;
        let known = std::fs::read_to_string(KNOWN).context(KNOWN)?;
        std::fs::write(folder.join("source.sources"), known.replace("Types: deb\n", "Types: deb-src\n"))?;
        let packages = Packages { folder };
        packages.apt(&["update"])?;
        Ok(packages)
    }

    fn apt(&self, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new("apt-get");
        for (name, value) in [
            ("Dir::Etc::sourcelist", self.folder.join("source.sources")),
            ("Dir::Etc::sourceparts", "/dev/null".into()),
            ("Dir::State::lists", self.folder.join("lists")),
            ("Dir::Cache", self.folder.join("cache")),
        ] {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        }
        succeed(command.arg("-qq").args(arguments).current_dir(&self.folder))
    }

    /// The archive of the sources as their author published them.
    pub(crate) fn fetch(&self, package: &str) -> Result<PathBuf> {
        self.apt(&["source", "--download-only", package])?;
        let files = std::fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&format!("{package}_")) && name.contains(".orig.tar.") && !name.ends_with(".asc")
        };
        files.into_iter().find(is_it).with_context(|| format!("no archive of {package}"))
    }
}

/// The sources of an archive, in a folder that need not be there.
pub(crate) fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    succeed(Command::new("tar").arg("xf").arg(archive).args(["--strip-components=1", "-C"]).arg(folder))
}

/// Seconds of a build from nothing, and the program, which must work.
fn build(project: &Project, archive: &Path, folder: &Path, cc: &str) -> Result<(f64, PathBuf)> {
    let folder = folder.join(project.package);
    unpack(archive, &folder)?;
    let mut shell = Command::new("sh");
    // As root some configure scripts refuse to work.
    shell.args(["-c", project.build]).current_dir(&folder).env("CC", cc).env("FORCE_UNSAFE_CONFIGURE", "1");
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CFLAGS"] {
        shell.env_remove(name);
    }
    let (seconds, done) = timed(|| succeed(&mut shell));
    done?;
    let program = folder.join(project.program);
    let (arguments, input, expected) = project.smoke;
    let mut child = Command::new(&program)
        .args(arguments)
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("a pipe")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.stdout == expected.as_bytes(), "{} says {output:?}", program.display());
    Ok((seconds, program))
}

/// Runs a command without a word; what it says is in the error if it fails.
fn succeed(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(3).collect();
    let name = command.get_program().to_string_lossy().into_owned();
    let arguments: Vec<&OsStr> = command.get_args().collect();
    ensure!(output.status.success(), "{name} {arguments:?}: {}", last.join(" / "));
    Ok(())
}
