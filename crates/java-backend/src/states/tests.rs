//! Candidates that are left out, with machines that run them.

use super::{Known, States};
use crate::pool::package_of;
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
fn c79_one_sequence_of_each_length_leads_to_a_new_sorted_list() {
    let (tried, all) = Stage::of(SORTED).tried("Sorted.hasGap(I)Z", 6);
    let of_length = |adds: usize| format!("Sorted; {}hasGap", "add; ".repeat(adds));
    assert_eq!(tried, (0..5).map(of_length).collect::<Vec<_>>());
    // Three calls in each place between the constructor and the method under test.
    assert_eq!(all, 1 + 3 + 9 + 27 + 81);
}

/// A number that is changed if it is large, or always.
const DIAL: &str = "public class Dial {
    private int value;
    public void first(int to) { WHEN_FIRST value = to; }
    public void second(int to) { WHEN_SECOND value = to; }
    public boolean isSeven() { return value == 7; }
}
";

#[test]
fn c79_a_wider_state_stands_for_a_narrower_one_and_not_the_other_way_round() {
    let dial = |first, second| {
        let source = DIAL.replace("WHEN_FIRST", first).replace("WHEN_SECOND", second);
        Stage::of(&source).tried("Dial.isSeven()Z", 4).0
    };
    let (wide, narrow) = ("", "if (to > 10)");
    assert_eq!(dial(wide, narrow), ["Dial; isSeven", "Dial; first; isSeven"]);
    assert_eq!(dial(narrow, wide), ["Dial; isSeven", "Dial; first; isSeven", "Dial; second; isSeven"]);
    // Numbers that are computed are compared as well, but not found backwards.
    assert_eq!(dial(wide, "to = to / 2;"), ["Dial; isSeven", "Dial; first; isSeven"]);
}

#[test]
fn c79_null_and_a_box_are_two_states() {
    let source = "public class Place {
        private Integer held;
        public void put(Integer what) { held = what; }
        public boolean isEmpty() { return held == null; }
    }";
    let (tried, all) = Stage::of(source).tried("Place.isEmpty()Z", 4);
    // That put leaves null is known from the constructor, that it leaves a number is not.
    assert_eq!(tried, ["Place; isEmpty", "Place; put; isEmpty"]);
    assert!(all > tried.len());
}

#[test]
fn c79_boxes_that_are_compared_as_objects_are_unknown() {
    // Small numbers share their boxes, large ones do not; no path says so.
    let source = "public class Twice {
        private Integer last;
        private int same;
        public void put(Integer what) { if (last != null && what == last) { same++; } last = what; }
        public boolean wasSame() { return same > 0; }
    }";
    let (tried, all) = Stage::of(source).tried("Twice.wasSame()Z", 4);
    assert_eq!(tried, ["Twice; wasSame", "Twice; put; wasSame", "Twice; put; put; wasSame"]);
    assert_eq!(all, tried.len());
}

#[test]
fn c79_what_is_behind_code_without_hooks_is_unknown() {
    let listed = "public class Listed {
        private final java.util.ArrayList<Integer> list = new java.util.ArrayList<>();
        public void add(int value) { list.add(value); }
        public boolean isLong() { return list.size() > 2; }
    }";
    let (tried, all) = Stage::of(listed).tried("Listed.isLong()Z", 5);
    assert_eq!((tried.len(), all), (4, 4));
    // What sorts an array writes it, and tells nobody what.
    let sorted = "public class Three {
        private final int[] values = new int[3];
        public void set(int value) { values[0] = value; java.util.Arrays.sort(values); }
        public boolean isSorted() { return values[0] > 5; }
    }";
    let (tried, all) = Stage::of(sorted).tried("Three.isSorted()Z", 5);
    assert_eq!((tried.len(), all), (4, 4));
}

#[test]
fn c79_containers_are_covered_as_well_with_fewer_runs() {
    let files = java_testing::files(&java_testing::fixtures().join("containers"), "java");
    let stage = Stage::new(&files);
    let [all, new] = [States::All, States::New].map(|states| {
        let settings = SearchSettings { states, runs: 20_000, ..SearchSettings::default() };
        let classes = stage.program.classes.own.iter().map(|entry| entry.name.as_str());
        classes.map(|name| stage.candidates_only(name, settings.clone())).collect::<Vec<Effort>>()
    });
    for (all, new) in all.iter().zip(&new) {
        assert!(new.covered.is_superset(&all.covered), "{all:?}\n{new:?}");
    }
    let sum = |efforts: &[Effort], of: fn(&Effort) -> u64| efforts.iter().map(of).sum::<u64>();
    assert_eq!(sum(&all, |effort| effort.left_out), 0);
    assert!(sum(&new, |effort| effort.left_out) > 100);
    let [charged, run]: [fn(&Effort) -> u64; 2] = [|effort| effort.charged, |effort| effort.run];
    for of in [charged, run] {
        // A good fifth is saved; a tenth leaves room for other seeds and solvers.
        assert!(sum(&new, of) * 10 < sum(&all, of) * 9, "{all:?}\n{new:?}");
    }
}

/// What came of the candidates for the methods of a class.
#[derive(Debug)]
struct Effort {
    covered: BTreeSet<Goal>,
    /// Runs and questions about states.
    charged: u64,
    /// Runs of the machine.
    run: u64,
    left_out: u64,
}

impl Stage {
    /// Searches with candidates and nothing before them.
    fn candidates_only(&self, class: &str, settings: SearchSettings) -> Effort {
        let program = &self.program;
        let named = |name: &str| name.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'));
        let functions = (0..).map(FunctionId).zip(&program.model.program.functions);
        let ids: Vec<FunctionId> =
            functions.filter(|(_, function)| named(&function.symbol)).map(|(id, _)| id).collect();
        let options = settings.options.clone();
        let catalogue = Catalogue::new(program.knowledge(), package_of(class), &options);
        let mut searcher = self.searcher(settings);
        for id in ids {
            searcher.method(id, &catalogue, 0).expect("a machine");
        }
        let (searched, host) = searcher.finish();
        let (mut charged, mut left_out) = (0, 0);
        for account in searched.accounts.values() {
            charged += account.runs;
            left_out += account.left_out;
        }
        let covered = searched.found.into_iter().flat_map(|test| test.covers).collect();
        Effort { covered, charged, run: host.counts().runs, left_out }
    }
}
