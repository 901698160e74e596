//! Candidates that are left out, with machines that run them.

use super::{Known, States};
use crate::pool::package_of;
use crate::program::JavaProgram;
use crate::references::{Fillings, Ways};
use crate::search::{SearchSettings, Searcher};
use crate::smt::SharedSmt;
use java_frontend::{Catalogue, ClassPath, Options, Sequences};
use java_worker::{Host, MachineSettings};
use model::{FunctionId, Goal};
use sequence::{Candidates, Filters, InvokableId, Por};
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
        let mut known = Known::new(&sequences, SharedSmt::default(), true);
        let (mut tried, mut all) = (Vec::new(), 0);
        for candidate in candidates {
            let mut fillings = Fillings::new(&sequences.universe, &candidate, Ways::FIRST, true);
            while let Some(references) = fillings.step() {
                let script = sequences.script(&candidate, references).expect("a script");
                all += 1;
                if !searcher.is_known(&mut known, &candidate, &script).expect("a machine") {
                    tried.push(words(&sequences, &candidate));
                }
            }
        }
        (tried, all)
    }
}

impl Stage {
    /// The candidates for a method of which something comes.
    fn hopeful(&self, target: &str, longest: usize, settings: SearchSettings) -> Vec<String> {
        let options = Options::default();
        let (package, _) = target.rsplit_once('/').unwrap_or_default();
        let catalogue = Catalogue::new(self.program.knowledge(), package, &options);
        let sequences = catalogue.sequences(target).expect("a method");
        let por = if settings.reduced { Por::Sound } else { Por::None };
        let filters = Filters { por, ..Filters::default() };
        let candidates = Candidates::new(&sequences.universe, sequences.target, filters, longest);
        let mut searcher = self.searcher(settings);
        let mut known = Known::new(&sequences, SharedSmt::default(), true);
        let mut hopeful = Vec::new();
        for candidate in candidates {
            let is_dead = known.dead_beginning(&candidate).is_some();
            let mut fillings = Fillings::new(&sequences.universe, &candidate, Ways::FIRST, true);
            while let Some(references) = fillings.step() {
                let script = sequences.script(&candidate, references).expect("a script");
                match searcher.hopeless(&mut known, &candidate, &script).expect("a machine") {
                    Some(hopeless) => {
                        searcher.bury(&mut known, &candidate[..hopeless.placed]).expect("a machine");
                    }
                    None => {
                        assert!(!is_dead, "what is dead whatever it works on is hopeless on these objects");
                        hopeful.push(words(&sequences, &candidate));
                    }
                }
            }
        }
        hopeful.dedup();
        hopeful
    }
}

fn words(sequences: &Sequences, candidate: &[InvokableId]) -> String {
    let word = |id: &InvokableId| {
        let symbol = &sequences.statement(*id).expect("its own").symbol;
        let member = symbol.split('(').next().expect("a name");
        let (class, name) = member.rsplit_once('.').expect("a member");
        let class = class.rsplit('/').next().unwrap_or(class);
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
    pointless: u64,
    reordered: u64,
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
        let (mut pointless, mut reordered) = (0, 0);
        for account in searched.accounts.values() {
            charged += account.runs;
            left_out += account.left_out;
            pointless += account.pointless;
            reordered += account.reordered;
        }
        let covered = searched.found.into_iter().flat_map(|test| test.covers).collect();
        Effort { covered, charged, run: host.counts().runs, left_out, pointless, reordered }
    }
}

fn thesis(name: &str) -> PathBuf {
    java_testing::fixtures().join("jtestcraft").join(name)
}

#[test]
fn c59_two_sequences_are_left_for_the_temperature_monitor() {
    let stage = Stage::new(&[thesis("TemperatureMonitor.java")]);
    let hopeful = stage.hopeful("jtestcraft/TemperatureMonitor.warning()Z", 6, SearchSettings::default());
    let long = "TemperatureMonitor; setEnabled; updateTemperature; warning";
    assert_eq!(hopeful, ["TemperatureMonitor; warning", long]);
}

/// Two numbers in one array: what stores them clashes, by all that is known before it runs.
const TWO: &str = "public class Two {
    private final int[] slots = new int[2];
    public void left(int n) { slots[0] = n; }
    public void right(int n) { slots[1] = n; }
    public boolean isEven() { return slots[0] == slots[1] && slots[0] > 5; }
}
";

#[test]
fn c61_one_order_is_left_of_calls_that_turn_out_to_be_independent() {
    let stage = Stage::of(TWO);
    let hopeful = |reduced| {
        let settings = SearchSettings { reduced, ..SearchSettings::default() };
        stage.hopeful("Two.isEven()Z", 5, settings)
    };
    let short = ["Two; isEven", "Two; left; isEven", "Two; right; isEven"];
    assert_eq!(hopeful(true), [&short[..], &["Two; left; right; isEven"]].concat());
    let both = ["Two; right; left; isEven", "Two; left; right; isEven"];
    assert_eq!(hopeful(false), [&short[..], &both].concat());
}

#[test]
fn c25_an_order_that_can_be_seen_is_left() {
    let stage = Stage::new(&[thesis("Q.java")]);
    let hopeful = stage.hopeful("jtestcraft/Q.z()Z", 5, SearchSettings::default());
    assert!(hopeful.contains(&"Q; x; y; z".to_owned()), "{hopeful:?}");
    assert!(hopeful.contains(&"Q; y; x; z".to_owned()), "{hopeful:?}");
    // The second `y` writes over what the first wrote, and nobody has looked.
    assert!(!hopeful.contains(&"Q; y; y; z".to_owned()), "{hopeful:?}");
}

#[test]
fn c57_where_not_all_is_told_nothing_is_left_out() {
    let listed = "public class Listed {
        private final java.util.ArrayList<Integer> list = new java.util.ArrayList<>();
        public void clear() { list.clear(); }
        public boolean isEmpty() { return list.isEmpty(); }
    }";
    let hopeful =
        |source: &str, target: &str| Stage::of(source).hopeful(target, 4, SearchSettings::default());
    let all = ["isEmpty", "clear; isEmpty", "clear; clear; isEmpty"].map(|rest| format!("Listed; {rest}"));
    assert_eq!(hopeful(listed, "Listed.isEmpty()Z"), all);
    // A solver chooses the index: on the same path the second call writes over the first, or beside it.
    let board = "public class Board {
        private final int[] cells = new int[3];
        public void set(int at, int value) { cells[at] = value; }
        public boolean isFull() { return cells[0] > 1 && cells[2] > 1; }
    }";
    let all = ["isFull", "set; isFull", "set; set; isFull"].map(|rest| format!("Board; {rest}"));
    assert_eq!(hopeful(board, "Board.isFull()Z"), all);
}

#[test]
fn c57_what_static_fields_do_is_not_pruned() {
    let counter = "public class Counter {
        private static int count;
        public static void set(int to) { count = to; }
        public static boolean isThree() { return count == 3 && count == 4; }
    }";
    let settings = SearchSettings { runs: 400, pruned: true, evolution: false, ..SearchSettings::default() };
    let effort = Stage::of(counter).candidates_only("Counter", settings);
    assert_eq!((effort.pointless, effort.reordered), (0, 0));
    assert!(effort.run >= 100, "{effort:?}");
}

#[test]
fn c27_c59_with_less_effort_as_much_is_covered() {
    let names = ["Coinbox", "Flag", "PartialOrderReductionExample", "Q", "Redundancy", "TemperatureMonitor"];
    let sources = names.map(|name| thesis(&format!("{name}.java")));
    let stage = Stage::new(&sources);
    let [all, pruned] = [false, true].map(|pruned| {
        let settings = SearchSettings { pruned, runs: 5_000, evolution: false, ..SearchSettings::default() };
        names.map(|name| stage.candidates_only(&format!("jtestcraft/{name}"), settings.clone()))
    });
    for (all, pruned) in all.iter().zip(&pruned) {
        assert_eq!(all.covered, pruned.covered);
        assert_eq!((all.pointless, all.reordered), (0, 0));
    }
    let charged = |efforts: &[Effort]| efforts.iter().map(|effort| effort.charged).sum::<u64>();
    // Half is saved; a third leaves room for other seeds and solvers.
    assert!(charged(&pruned) * 3 < charged(&all) * 2, "{all:?}\n{pruned:?}");
    assert!(pruned.iter().map(|effort| effort.pointless).sum::<u64>() > 3, "{pruned:?}");
}
