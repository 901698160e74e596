//! Candidates that are left out, with machines that run them.

use super::{Known, States};
use crate::program::JavaProgram;
use crate::references::fillings;
use crate::search::{SearchSettings, Searcher};
use crate::smt::SharedSmt;
use java_frontend::{Catalogue, ClassPath, Options, Sequences};
use java_worker::{Host, MachineSettings};
use model::{FunctionId, Goal};
use sequence::{Candidates, Filters, InvokableId};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tempfile::TempDir;

/// A program, and a machine for it.
struct Stage {
    program: JavaProgram,
    _scratch: TempDir,
}

impl Stage {
    fn new(sources: &[PathBuf]) -> Stage {
        let scratch = TempDir::new().expect("a folder");
        let classes = ClassPath::read(sources, &[], scratch.path()).expect("classes");
        Stage { program: JavaProgram::new(classes), _scratch: scratch }
    }

    /// Of one class without a package.
    fn of(source: &str) -> Stage {
        let folder = TempDir::new().expect("a folder");
        let name = source.split("class ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a class");
        let path = folder.path().join(format!("{name}.java"));
        std::fs::write(&path, source).expect("writable");
        Stage::new(&[path])
    }

    fn searcher(&self, settings: SearchSettings) -> Searcher<'_> {
        let machine = MachineSettings::new(&std::env::temp_dir());
        let home = self.program.home(&machine).expect("a folder");
        Searcher::new(&self.program, settings, Host::start_in(&home).expect("a machine"))
    }

    /// The candidates for a method that are tried, and how many there are: `List; add; size`.
    fn tried(&self, target: &str, longest: usize) -> (Vec<String>, usize) {
        let options = Options::default();
        let catalogue = Catalogue::new(self.program.knowledge(), "", &options);
        let sequences = catalogue.sequences(target).expect("a method");
        let filters = Filters { connected: true, nulls: true, ..Filters::default() };
        let candidates = Candidates::new(&sequences.universe, sequences.target, filters, longest);
        let mut searcher = self.searcher(SearchSettings::default());
        let mut known = Known::new(SharedSmt::default(), true);
        let (mut tried, mut all) = (Vec::new(), 0);
        for candidate in candidates {
            for references in fillings(&sequences.universe, &candidate, 4, true) {
                let script = sequences.script(&candidate, &references).expect("a script");
                all += 1;
                if !searcher.is_known(&mut known, &candidate, &script).expect("a machine") {
                    tried.push(words(&sequences, &candidate));
                }
            }
        }
        (tried, all)
    }
}

fn words(sequences: &Sequences, candidate: &[InvokableId]) -> String {
    let word = |id: &InvokableId| {
        let symbol = &sequences.statement(*id).expect("its own").symbol;
        let member = symbol.split('(').next().expect("a name");
        let (class, name) = member.rsplit_once('.').expect("a member");
        if name == "<init>" { class.to_owned() } else { name.to_owned() }
    };
    candidate.iter().map(word).collect::<Vec<_>>().join("; ")
}

/// Two ways to add that leave the same list, and one to make it shorter.
const SORTED: &str = "public class Sorted {
    private static class Cell {
        final int value;
        Cell next;
        Cell(int value, Cell next) { this.value = value; this.next = next; }
    }
    private Cell first;
    public void add(int value) {
        if (first == null || value <= first.value) { first = new Cell(value, first); return; }
        Cell cell = first;
        while (cell.next != null && cell.next.value < value) { cell = cell.next; }
        cell.next = new Cell(value, cell.next);
    }
    public void insert(int value) { first = inserted(first, value); }
    private static Cell inserted(Cell list, int value) {
        if (list == null || list.value > value) { return new Cell(value, list); }
        list.next = inserted(list.next, value);
        return list;
    }
    public void removeFirst() { if (first != null) { first = first.next; } }
    public boolean hasGap(int width) {
        for (Cell cell = first; cell != null && cell.next != null; cell = cell.next) {
            if (cell.next.value - cell.value == width) { return true; }
        }
        return false;
    }
}
";

#[test]
fn c79_one_sequence_of_each_length_leads_to_new_sorted_lists() {
    let (tried, all) = Stage::of(SORTED).tried("Sorted.hasGap(I)Z", 6);
    println!("{all}\n{}", tried.join("\n"));
}

#[test]
fn measure() {
    let files = java_testing::files(&java_testing::fixtures().join("containers"), "java");
    let stage = Stage::new(&files);
    let runs: u64 = std::env::var("RUNS").ok().and_then(|t| t.parse().ok()).unwrap_or(20_000);
    for class in 0..stage.program.classes.own.len() {
        let name = &stage.program.classes.own[class].name;
        let mut all = [States::All, States::New].map(|states| {
            let settings = SearchSettings { states, runs, ..SearchSettings::default() };
            let begun = std::time::Instant::now();
            let (covered, n, real, left) = candidates_only(&stage, class, settings);
            (covered.len(), n, real, left, begun.elapsed().as_millis())
        });
        println!("{name}: {:?}", all);
    }
}

fn candidates_only(stage: &Stage, class: usize, settings: SearchSettings) -> (BTreeSet<Goal>, u64, u64, u64) {
    let program = &stage.program;
    let ids = 0..program.model.program.functions.len() as u32;
    let ids: Vec<FunctionId> = ids.map(FunctionId).filter(|&id| program.class_of(id) == Some(class)).collect();
    let options = settings.options.clone();
    let catalogue = Catalogue::new(program.knowledge(), "containers", &options);
    let mut searcher = stage.searcher(settings);
    for id in ids {
        searcher.method(id, &catalogue, 0).expect("a machine");
    }
    let (searched, host) = searcher.finish();
    let runs = searched.accounts.values().map(|account| account.runs).sum();
    let left = searched.accounts.values().map(|account| account.left_out).sum();
    (searched.found.into_iter().flat_map(|test| test.covers).collect(), runs, host.counts().runs, left)
}
