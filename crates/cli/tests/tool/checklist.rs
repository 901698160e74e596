//! Every point of the checklist drawn from den Hollander's thesis has a test with its number, or a reason why not.

use std::collections::BTreeSet;
use std::path::Path;

/// Numbers in the name of a test: `c9_c10_table` has two.
fn numbers(name: &str) -> impl Iterator<Item = u32> {
    name.split('_').map_while(|part| part.strip_prefix('c')?.parse().ok())
}

fn tested(folder: &Path, found: &mut BTreeSet<u32>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            tested(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&entry).expect("a source");
            let lines = text.lines().map(str::trim);
            let pairs = lines.clone().zip(lines.skip(1));
            let names = pairs
                .filter(|(before, _)| *before == "#[test]")
                .filter_map(|(_, line)| Some(line.strip_prefix("fn ")?.split('(').next()?.to_owned()));
            found.extend(names.flat_map(|name| numbers(&name).collect::<Vec<_>>()));
        }
    }
}

#[test]
fn every_point_has_a_test_or_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/CHECKLIST-JTESTCRAFT.md")).expect("the list");
    let without =
        text.split("Points without a test:").nth(1).and_then(|rest| rest.split("Shown in part").next());
    let rows = without.expect("the table").lines().filter_map(|line| line.strip_prefix("| "));
    let reasons: BTreeSet<u32> = rows.filter_map(|row| row.split(' ').next()?.parse().ok()).collect();
    let mut found = BTreeSet::new();
    tested(&root.join("crates"), &mut found);
    let both: Vec<_> = found.intersection(&reasons).collect();
    assert!(both.is_empty(), "there are tests now: {both:?}");
    let missing: Vec<u32> = (1..=84).filter(|n| !found.contains(n) && !reasons.contains(n)).collect();
    assert!(missing.is_empty(), "neither a test nor a reason: {missing:?}");
    assert!(found.iter().all(|n| (1..=84).contains(n)), "{found:?}");
}
