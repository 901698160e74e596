//! Peak memory of every process a run starts.

use crate::subject::{fixture, generate};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LINES: usize = 5000;
/// The kernel keeps the peak, so a rare look is enough as long as every process is seen near its end.
const LOOK: Duration = Duration::from_micros(500);

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    println!("### Peak memory (resident set, largest process of each kind)\n");
    println!("| file | driver | worker | compiler | linker |\n|---|--:|--:|--:|--:|");
    for source in [fixture("triangle.c")?, large_source(folder.path())?] {
        let peaks = peaks(&source, &folder.path().join("out"))?;
        let peak = |name: &str| {
            let largest = peaks.iter().filter(|(n, _)| n.starts_with(name)).map(|(_, &kib)| kib).max();
            largest.map_or("–".to_owned(), |kib| format!("{:.1} MB", kib as f64 / 1024.0))
        };
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let driver = peaks.get("branchwise").map_or(0.0, |&kib| kib as f64 / 1024.0);
        println!(
            "| `{name}` | {driver:.1} MB | {} | {} | {} |",
            peak("branchwise-"),
            peak("clang"),
            peak("ld")
        );
    }
    Ok(())
}

/// Peak in KiB by name of process.
fn peaks(source: &Path, out: &Path) -> Result<BTreeMap<String, u64>> {
    let mut child = generate(source, out, &["--budget", "20000x"])?.spawn()?;
    let mut peaks = BTreeMap::new();
    while child.try_wait()?.is_none() {
        for pid in descendants(child.id()) {
            if let Some((name, kib)) = peak_of(pid) {
                let peak = peaks.entry(name).or_insert(0);
                *peak = kib.max(*peak);
            }
        }
        std::thread::sleep(LOOK);
    }
    std::fs::remove_dir_all(out)?;
    Ok(peaks)
}

fn descendants(pid: u32) -> Vec<u32> {
    let mut all = vec![pid];
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        next += 1;
    }
    all
}

fn peak_of(pid: u32) -> Option<(String, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let kib = field("VmHWM:")?.split(' ').next()?.parse().ok()?;
    Some((field("Name:")?.to_owned(), kib))
}

/// A file of 5,000 lines: the same three kinds of function with other numbers again and again.
pub(crate) fn large_source(folder: &Path) -> Result<PathBuf> {
    let mut text = String::new();
    for i in 0.. {
        add_functions(&mut text, i)?;
        if text.lines().count() >= LINES {
            break;
        }
    }
    let path = folder.join("large.c");
    std::fs::write(&path, text)?;
    Ok(path)
}

fn add_functions(text: &mut String, i: usize) -> std::fmt::Result {
    let (low, high) = (i * 17 + 3, i * 31 + 400);
    writeln!(
        text,
        "int band_{i}(int value, int other)
{{
    if (value < {low})
        return -1;
    if (value > {high} && other == value + {i})
        return 1;
    if (value == other)
        return 2;
    return 0;
}}

int count_{i}(const char *text, int limit)
{{
    int count = 0;

    if (!text)
        return -1;
    while (*text && count < limit) {{
        if (*text == '{letter}')
            count++;
        text++;
    }}
    return count;
}}

struct point_{i} {{ int x, y; struct point_{i} *next; }};

int kind_{i}(struct point_{i} *point)
{{
    if (!point)
        return 0;
    switch (point->x) {{
    case {low}:
        return 1;
    case {high}:
        return point->next ? 2 : 3;
    default:
        return point->y > {low} ? 4 : 5;
    }}
}}
",
        letter = char::from(b'a' + (i % 26) as u8)
    )
}
