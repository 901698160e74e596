//! The crate table of `docs/ARCHITECTURE.md` against the dependencies Cargo knows.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crate name to the workspace crates it may use.
type Map = BTreeMap<String, BTreeSet<String>>;

const HEADER: &str = "| crate | holds | may use | does not know |";
const NOTHING: &str = "–";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows below [`HEADER`], up to the end of the table.
fn documented(text: &str) -> Map {
    let table = text.lines().skip_while(|line| *line != HEADER).skip(2);
    table.take_while(|line| line.starts_with('|')).map(row).collect()
}

fn row(line: &str) -> (String, BTreeSet<String>) {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [name, _, uses, _] = cells[..] else { panic!("not four columns: {line}") };
    let uses = uses.split_whitespace().filter(|word| *word != NOTHING).map(unquoted);
    (unquoted(name), uses.collect())
}

fn unquoted(word: &str) -> String {
    let inner = word.strip_prefix('`').and_then(|w| w.strip_suffix('`'));
    inner.unwrap_or_else(|| panic!("not in backquotes: {word}")).to_owned()
}

fn actual() -> Map {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages.iter().map(|package| (text(&package["name"]), workspace_uses(package))).collect()
}

/// Normal dependencies by path: those of tests and build scripts shape no layer.
fn workspace_uses(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
    let of_layers = |d: &&Value| d["kind"].is_null() && !d["path"].is_null();
    dependencies.iter().filter(of_layers).map(|d| text(&d["name"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn the_table_of_crates_is_what_cargo_builds() {
    let text = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the document exists");
    let (documented, actual) = (documented(&text), actual());
    let names = |map: &Map| map.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&documented),
        names(&actual),
        "crates in docs/ARCHITECTURE.md (left) and in the workspace"
    );
    for (name, uses) in &actual {
        assert_eq!(
            &documented[name], uses,
            "`may use` of {name}: docs/ARCHITECTURE.md (left), Cargo.toml (right)"
        );
    }
}

#[test]
fn a_row_is_read_whole() {
    let text = format!(
        "{HEADER}\n|---|---|---|---|\n| `a` | x | – | y |\n| `b` | x | `a` `c-d` | y |\n\n| `e` | | | |"
    );
    let expected = [("a", vec![]), ("b", vec!["a", "c-d"])];
    let expected =
        expected.map(|(name, uses)| (name.to_owned(), uses.into_iter().map(String::from).collect()));
    assert_eq!(documented(&text), Map::from(expected));
}
