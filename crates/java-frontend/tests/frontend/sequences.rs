//! Call sequences from real class files: the numbers of the checklist stand in the names.

use crate::support::{compile, fixtures, repository, run};
use java_frontend::{Options, Parameter, SequenceError, Sequences, Statement, Uncallable};
use java_wire::{Action, Primitive, Slot};
use sequence::{Candidates, Filters, InvokableId, Kind, Por};
use std::collections::BTreeSet;

const WARNING: &str = "jtestcraft/TemperatureMonitor.warning()Z";

fn of(target: &str) -> Sequences {
    fixtures().sequences(target, &Options::default())
}

/// How many candidates there are of each length.
fn counts(sequences: &Sequences, filters: Filters, longest: usize) -> Vec<usize> {
    let mut counts = vec![0; longest];
    let mut candidates = Candidates::new(&sequences.universe, sequences.target, filters, longest);
    while let Some(found) = candidates.step() {
        counts[found.len() - 1] += 1;
    }
    counts
}

/// `TemperatureMonitor; warning`
fn words(sequences: &Sequences, candidate: &[InvokableId]) -> String {
    let word = |id: &InvokableId| {
        let symbol = &sequences.statement(*id).expect("its own").symbol;
        let member = symbol.split('(').next().expect("a name");
        let (class, name) = member.rsplit_once('.').unwrap_or(("", member));
        if name == "<init>" {
            class.rsplit(['/', '$']).next().expect("a name").to_owned()
        } else {
            name.to_owned()
        }
    };
    candidate.iter().map(word).collect::<Vec<_>>().join("; ")
}

fn all(sequences: &Sequences, filters: Filters, longest: usize) -> BTreeSet<String> {
    Candidates::new(&sequences.universe, sequences.target, filters, longest)
        .map(|c| words(sequences, &c))
        .collect()
}

const EXECUTABLE: Filters = Filters { executable: true, ..Filters::INFLUENCE };
const CONNECTED: Filters = Filters { connected: true, ..EXECUTABLE };

#[test]
fn c1_class_files_are_enough() {
    let folder = tempfile::tempdir().expect("writable");
    let source = repository().join("fixtures/java/jtestcraft/TemperatureMonitor.java");
    run(std::process::Command::new("javac").arg("-g:none").arg("-d").arg(folder.path()).arg(source));
    let bare = crate::support::read(&[folder.path().to_owned()]);
    let sequences = bare.sequences(WARNING, &Options::default());
    assert_eq!(counts(&sequences, CONNECTED, 5), [0, 1, 1, 2, 4]);
    assert_eq!(bare.model.program.functions.iter().map(|f| f.span.start.line).max(), Some(0));
}

#[test]
fn c2_an_excluded_method_is_in_no_sequence_and_a_list_is_kept_to() {
    let excluded = vec!["jtestcraft/TemperatureMonitor.setEnabled".to_owned()];
    let options = Options { excluded, ..Options::default() };
    let sequences = fixtures().sequences(WARNING, &options);
    assert!(sequences.statements().all(|(_, s)| !s.symbol.contains("setEnabled")));
    assert_eq!(counts(&sequences, CONNECTED, 4), [0, 1, 1, 1]);
    let only = ["jtestcraft/TemperatureMonitor.<init>()V", "jtestcraft/TemperatureMonitor.updateTemperature"];
    let options = Options { only: Some(only.map(str::to_owned).to_vec()), ..Options::default() };
    let sequences = fixtures().sequences(WARNING, &options);
    assert_eq!(sequences.statements().count(), 3);
}

#[test]
fn c2_a_method_under_test_that_is_excluded_comes_last_only() {
    let excluded = vec!["jtestcraft/TemperatureMonitor.updateTemperature".to_owned()];
    let options = Options { excluded, ..Options::default() };
    let sequences = fixtures().sequences("jtestcraft/TemperatureMonitor.updateTemperature(I)V", &options);
    assert!(!sequences.universe.is_allowed(sequences.target));
    assert!(all(&sequences, CONNECTED, 3).contains("TemperatureMonitor; setEnabled; updateTemperature"));
}

#[test]
fn c3_private_members_are_never_used_and_others_only_if_allowed() {
    let symbols = |options: &Options| -> BTreeSet<String> {
        let sequences = fixtures().sequences("features/Access.fields()Z", options);
        sequences.statements().map(|(_, s)| s.symbol.clone()).collect()
    };
    let inside = symbols(&Options::default());
    assert!(
        inside.contains("features/Access.<init>(I)V") && inside.contains("features/Access.visible"),
        "{inside:?}"
    );
    assert!(inside.iter().all(|s| !s.contains("secret") && !s.contains("hidden")));
    let outside = symbols(&Options { package_access: false, ..Options::default() });
    assert_eq!(outside.iter().collect::<Vec<_>>(), ["features/Access.fields()Z", "features/Access.open"]);
    let refused = Sequences::new(fixtures().knowledge(), "features/Access.secret(I)I", &Options::default());
    assert_eq!(
        refused.err(),
        Some(SequenceError::NotCallable("features/Access.secret(I)I".to_owned(), Uncallable::Private))
    );
    assert!(Sequences::new(fixtures().knowledge(), "no/Such.m()V", &Options::default()).is_err());
}

#[test]
fn c4_a_restricted_member_that_is_listed_appears() {
    let also = vec!["features/Access.<init>(I)V".to_owned()];
    let options = Options { package_access: false, also, ..Options::default() };
    let sequences = fixtures().sequences("features/Access.fields()Z", &options);
    assert!(all(&sequences, CONNECTED, 2).contains("Access; fields"));
    assert!(sequences.statements().all(|(_, s)| s.symbol != "features/Access.<init>()V"));
}

#[test]
fn c5_nested_classes_are_used_where_they_have_names() {
    let heap = of("containers/BinomialHeap.extractMin()Ljava/lang/Integer;");
    assert!(heap.statements().all(|(_, s)| !s.symbol.contains("$Node")));
    assert!(all(&heap, CONNECTED, 3).contains("BinomialHeap; insert; extractMin"));
    let counter = of("features/Nested$Counter.isAll()Z");
    assert!(
        all(&counter, CONNECTED, 4).contains("Nested; Counter; count; isAll"),
        "{:?}",
        all(&counter, CONNECTED, 4)
    );
}

#[test]
fn c6_only_listed_producers_yield_a_type() {
    let sources = [(
        "p/Sorted.java",
        "package p; public class Sorted { private Comparable<?> top; public Comparable<?> top() { return top; }
         public void put(Comparable<?> c) { top = c; } }",
    )];
    let subject = compile(&sources);
    let target = "p/Sorted.put(Ljava/lang/Comparable;)V";
    let free = subject.sequences(target, &Options::default());
    assert!(all(&free, CONNECTED, 3).contains("Sorted; top; put"));
    let valued = "java/lang/Integer.valueOf(I)Ljava/lang/Integer;";
    let producers = vec![("java/lang/Comparable".to_owned(), vec![valued.to_owned()])];
    let narrow = subject.sequences(target, &Options { producers, ..Options::default() });
    let found = all(&narrow, Filters { nulls: false, ..CONNECTED }, 3);
    assert!(found.iter().all(|words| words.contains("valueOf")), "{found:?}");
    let comparable = narrow.type_id(&"Ljava/lang/Comparable;".parse().expect("a type")).expect("asked for");
    for (id, statement) in narrow.statements() {
        let slot = sequence::Slot { role: sequence::Role::Argument, of: comparable };
        let returns = narrow.universe.get(id).and_then(|invokable| invokable.returns);
        let fits = returns.is_some_and(|class| narrow.universe.fits(id, class, &slot));
        assert_eq!(fits, statement.symbol == valued, "{}", statement.symbol);
    }
}

#[test]
fn c12_each_influence_and_none() {
    let subject = compile(&[(
        "p/All.java",
        "package p; public class All { int f; int g; static int s; int[] a = new int[3];
         public void setF(int x) { f = x; } public void setG(int x) { g = x; } public int getF() { return f; }
         public static void setS(int x) { s = x; } public static int getS() { return s; }
         public void put(int x) { a[0] = x; } public int at() { return a[0]; } public long l(long[] b) { return b[0]; } }",
    )]);
    let sequences = subject.sequences("p/All.getF()I", &Options { fields: false, ..Options::default() });
    assert_eq!(
        all(&sequences, Filters::INFLUENCE, 2),
        ["All; getF", "getF", "setF; getF"].map(str::to_owned).into()
    );
    let sequences = subject.sequences("p/All.at()I", &Options { fields: false, ..Options::default() });
    assert_eq!(
        all(&sequences, Filters::INFLUENCE, 2),
        ["All; at", "at", "put; at"].map(str::to_owned).into()
    );
    // An array of longs is a value, and nobody stores into one.
    let sequences = subject.sequences("p/All.l([J)J", &Options { fields: false, ..Options::default() });
    assert_eq!(all(&sequences, Filters::INFLUENCE, 2), ["All; l", "l"].map(str::to_owned).into());
}

#[test]
fn c13_static_fields_link_calls_without_objects() {
    let sequences = of("features/StaticState.call()Z");
    let found = all(&sequences, CONNECTED, 2);
    assert!(
        found.contains("reset; call") && found.contains("call; call") && found.contains("limit; call"),
        "{found:?}"
    );
}

#[test]
fn c14_a_subclass_fits_where_its_superclass_is_wanted() {
    let sequences = of("jtestcraft/Canvas.draw(Ljtestcraft/Shape;)Z");
    let found = all(&sequences, CONNECTED, 3);
    for shape in ["Circle", "Square"] {
        assert!(found.contains(&format!("{shape}; Canvas; draw")), "{found:?}");
    }
    assert!(
        sequences
            .statements()
            .all(|(_, s)| s.symbol != "jtestcraft/Shape.<init>()V" && s.symbol != "jtestcraft/Shape.area()J")
    );
    assert!(all(&sequences, CONNECTED, 4).contains("Canvas; Circle; show; draw"));
}

#[test]
fn c16_c17_c22_golden_counts_of_the_temperature_monitor() {
    let sequences = of(WARNING);
    assert_eq!(counts(&sequences, Filters::INFLUENCE, 7), [1, 2, 5, 14, 41, 122, 365]);
    assert_eq!(counts(&sequences, EXECUTABLE, 7), [0, 1, 2, 5, 14, 41, 122]);
    assert_eq!(counts(&sequences, CONNECTED, 7), [0, 1, 1, 2, 4, 8, 16]);
    let at_two = ["TemperatureMonitor; warning", "updateTemperature; warning"];
    assert_eq!(
        all(&sequences, Filters::INFLUENCE, 2).iter().filter(|w| w.contains(';')).collect::<Vec<_>>(),
        at_two
    );
}

#[test]
fn c16_the_defect_of_the_coinbox_is_among_its_candidates() {
    let sequences = of("jtestcraft/Coinbox.vend()I");
    let five = |words: &&String| words.matches(';').count() == 4;
    let connected = all(&sequences, CONNECTED, 5);
    assert_eq!(connected.iter().filter(five).count(), 27);
    assert!(connected.contains("Coinbox; addQtr; addQtr; returnQtrs; vend"));
}

#[test]
fn c18_every_kind_of_statement_is_offered() {
    let mut kinds = BTreeSet::new();
    for target in [
        "features/Access.fields()Z",
        "features/StaticState.call()Z",
        "jtestcraft/Canvas.draw(Ljtestcraft/Shape;)Z",
        "features/Dispatcher.register(Lfeatures/Listener;)Z",
    ] {
        let sequences = of(target);
        kinds.extend(sequences.statements().map(|(id, _)| kind(&sequences, id)));
    }
    let arrays = compile(&[(
        "p/Node.java",
        "package p; public class Node { public Node next; public static Node root = new Node();
         public static int sum(Node[] nodes) { return nodes[0].next == nodes[1] ? 1 : 0; } }",
    )]);
    let sequences = arrays.sequences("p/Node.sum([Lp/Node;)I", &Options::default());
    kinds.extend(sequences.statements().map(|(id, _)| kind(&sequences, id)));
    let found = all(&sequences, CONNECTED, 3);
    assert!(found.iter().any(|words| words.starts_with("Node; [Lp/Node;*1; sum")), "{found:?}");
    assert_eq!(kinds.len(), Kind::ALL.len(), "{kinds:?}");
}

fn kind(sequences: &Sequences, id: InvokableId) -> String {
    format!("{:?}", sequences.universe.get(id).expect("its own").kind)
}

#[test]
fn c19_c20_rows_of_a_matrix_are_values_and_arrays_have_a_limit() {
    // Alone: every array of references in the program could be the one that is loaded from.
    let alone = crate::support::read(&[repository().join("fixtures/java/jtestcraft/Matrix.java")]);
    let matrix = alone.sequences("jtestcraft/Matrix.check([[I)I", &Options::default());
    let arrays: Vec<&Statement> =
        matrix.statements().map(|(_, s)| s).filter(|s| matches!(s.action, Action::Array { .. })).collect();
    assert_eq!(arrays.len(), 4);
    let longest = arrays.iter().map(|s| s.arguments.len()).max();
    assert_eq!(longest, Some(3));
    assert_eq!(counts(&matrix, Filters { nulls: false, ..CONNECTED }, 2), [0, 4]);
    let options = Options { longest_array: 5, ..Options::default() };
    let matrix = alone.sequences("jtestcraft/Matrix.check([[I)I", &options);
    assert_eq!(counts(&matrix, Filters { nulls: false, ..CONNECTED }, 2), [0, 6]);
}

#[test]
fn c21_a_parameter_for_everything_takes_what_makes_a_difference() {
    let alone = compile(&[
        (
            "p/Money.java",
            &std::fs::read_to_string(repository().join("fixtures/java/jtestcraft/Money.java"))
                .expect("there")
                .replace("jtestcraft", "p"),
        ),
        ("p/Other.java", "package p; public class Other { public int hashCode() { return 1000; } }"),
        ("p/Plain.java", "package p; public class Plain { }"),
    ]);
    let sequences = alone.sequences("p/Money.equals(Ljava/lang/Object;)Z", &Options::default());
    let made: BTreeSet<String> =
        sequences.statements().filter_map(|(_, s)| s.returns.as_ref().map(ToString::to_string)).collect();
    assert_eq!(made.iter().collect::<Vec<_>>(), ["Lp/Money;", "Lp/Other;"]);
    assert!(all(&sequences, CONNECTED, 3).contains("Other; Money; equals"));
}

#[test]
fn c22_two_objects_cannot_both_be_the_receiver() {
    let subject = compile(&[(
        "p/Int.java",
        "package p; public class Int { private final int v; public Int(int v) { this.v = v; } public int hashCode() { return v; } }",
    )]);
    let sequences = subject.sequences("p/Int.hashCode()I", &Options::default());
    assert!(all(&sequences, EXECUTABLE, 3).contains("Int; Int; hashCode"));
    assert_eq!(all(&sequences, CONNECTED, 3).into_iter().collect::<Vec<_>>(), ["Int; hashCode"]);
}

#[test]
fn c23_a_list_made_by_a_static_initializer_links_its_users() {
    let sequences = of("jtestcraft/Reg.count()I");
    assert!(all(&sequences, CONNECTED, 3).contains("add; add; count"));
    assert_eq!(counts(&sequences, CONNECTED, 2), [1, 2]);
}

#[test]
fn c24_c25_orders_that_do_not_matter_are_one_and_those_that_do_are_kept() {
    let example = of("jtestcraft/PartialOrderReductionExample.calculate()Z");
    let setters = |words: &&String| ["setA", "setB", "setC"].iter().all(|setter| words.contains(setter));
    let orders = |por| all(&example, Filters { por, ..CONNECTED }, 5).iter().filter(setters).count();
    assert_eq!((orders(Por::None), orders(Por::Sound)), (6, 1));
    assert_eq!(counts(&example, CONNECTED, 5)[4], 27);
    let q = of("jtestcraft/Q.z()Z");
    assert!(all(&q, Filters { por: Por::Sound, ..CONNECTED }, 4).contains("Q; x; y; z"));
}

#[test]
fn c78_an_interface_without_implementors_gets_a_stand_in() {
    let sequences = of("features/Dispatcher.register(Lfeatures/Listener;)Z");
    let (_, stub) =
        sequences.statements().find(|(_, s)| matches!(s.action, Action::Stub { .. })).expect("a stand-in");
    assert_eq!(stub.symbol, "features/Listener.<stub>");
    assert_eq!(stub.arguments.len(), 6);
    assert!(
        all(&sequences, CONNECTED, 3).contains("Dispatcher; <stub>; register"),
        "{:?}",
        all(&sequences, CONNECTED, 3)
    );
}

#[test]
fn collections_are_made_and_filled() {
    let subject = compile(&[(
        "p/Sum.java",
        "package p; import java.util.*; public class Sum { public enum Mode { A, B }
         public static int sum(List<Integer> list, Mode mode) { int s = 0; for (int i : list) s += i; return mode == Mode.A ? s : -s; } }",
    )]);
    let sequences = subject.sequences("p/Sum.sum(Ljava/util/List;Lp/Sum$Mode;)I", &Options::default());
    let found = all(&sequences, Filters { nulls: false, ..CONNECTED }, 5);
    assert!(found.contains("A; ArrayList; add; sum"), "{found:?}");
    let add = sequences.statements().find(|(_, s)| s.symbol.starts_with("java/util/ArrayList.add"));
    let added = add.and_then(|(_, s)| s.arguments.last().copied());
    assert_eq!(added, Some(Parameter::Value(Slot::Boxed(Primitive::Int))));
    assert!(
        sequences
            .statements()
            .all(|(_, s)| !s.symbol.contains("$Mode.<init>") && !s.symbol.contains("values"))
    );
}

#[test]
fn type_arguments_say_what_is_answered_and_held() {
    let subject = compile(&[(
        "p/Uses.java",
        "package p; import java.util.*; import java.util.function.*; public class Uses {
         public static int both(Supplier<String> text, Supplier<Integer> number) { return 0; }
         public static List<Integer> numbers() { return new ArrayList<>(); }
         public static int texts(List<String> texts) { return texts.size(); }
         public static int any(List<? extends Number> numbers) { return numbers.size(); } }",
    )]);
    let options = Options::default();
    let suppliers = "(Ljava/util/function/Supplier;Ljava/util/function/Supplier;)I";
    let both = subject.sequences(&format!("p/Uses.both{suppliers}"), &options);
    let stubs = both.statements().filter(|(_, s)| matches!(s.action, Action::Stub { .. }));
    let answers: Vec<Vec<Parameter>> = stubs.map(|(_, s)| s.arguments.clone()).collect();
    let number = Slot::Boxed(Primitive::Int);
    assert_eq!(answers, [vec![Parameter::Value(Slot::Text); 2], vec![Parameter::Value(number); 2]]);
    for (target, fits) in
        [("p/Uses.texts(Ljava/util/List;)I", false), ("p/Uses.any(Ljava/util/List;)I", true)]
    {
        let sequences = subject.sequences(target, &options);
        let numbers = sequences.statements().find(|(_, s)| s.symbol.starts_with("p/Uses.numbers"));
        let (id, _) = numbers.expect("it gives a list");
        let made = sequences.universe.get(id).and_then(|numbers| numbers.returns).expect("a list");
        let place = sequences.universe.get(sequences.target).expect("the target").slots[0];
        assert_eq!(sequences.universe.fits(id, made, &place), fits, "{target}");
    }
}

#[test]
fn objects_of_the_platform_are_made_by_what_their_package_has() {
    let subject = compile(&[(
        "p/Uses.java",
        "package p; import java.io.*; import java.nio.charset.Charset; import java.nio.file.Path; import java.time.Instant;
         import java.util.concurrent.TimeUnit;
         public class Uses { public static void all(BufferedReader lines, InputStream bytes, Charset set, Path path, TimeUnit unit, Instant at) { } }",
    )]);
    let target = "p/Uses.all(Ljava/io/BufferedReader;Ljava/io/InputStream;Ljava/nio/charset/Charset;Ljava/nio/file/Path;Ljava/util/concurrent/TimeUnit;Ljava/time/Instant;)V";
    let sequences = subject.sequences(target, &Options::default());
    let offered: BTreeSet<&str> =
        sequences.statements().map(|(_, statement)| statement.symbol.as_str()).collect();
    for wanted in [
        "java/io/BufferedReader.<init>(Ljava/io/Reader;)V",
        "java/io/StringReader.<init>(Ljava/lang/String;)V",
        "java/io/ByteArrayInputStream.<init>([B)V",
        "java/nio/charset/StandardCharsets.UTF_8",
        "java/nio/charset/Charset.forName(Ljava/lang/String;)Ljava/nio/charset/Charset;",
        "java/nio/file/Path.of(Ljava/lang/String;[Ljava/lang/String;)Ljava/nio/file/Path;",
        "java/util/concurrent/TimeUnit.SECONDS",
        "java/time/Instant.ofEpochMilli(J)Ljava/time/Instant;",
    ] {
        assert!(offered.contains(wanted), "{wanted} is not among {offered:#?}");
    }
    let has = |word: &str| offered.iter().any(|symbol| symbol.contains(word));
    // What may fail for reasons outside of the program, what nobody should use, what is different every time.
    assert!(
        !has("FileInputStream") && !has("StringBufferInputStream") && !has("now(") && !has("defaultCharset")
    );
    // Bytes are real ones, but whatever implements a path may answer anything.
    assert!(!has("InputStream.<stub>") && has("Path.<stub>"), "{offered:#?}");
}

#[test]
fn what_makes_arguments_of_arguments_has_room_before_what_changes_fields() {
    let subject = compile(&[(
        "p/Gauge.java",
        "package p; public class Gauge { private int n; public Gauge(Scale scale) { n = 1; }
         public void a(int x) { n = x; } public void b(int x) { n = x; } public void c(int x) { n = x; }
         public void d(int x) { n = x; } public boolean isHigh() { return n > 3; } }
         class Scale { Scale(int x) {} }",
    )]);
    let options = Options { most: 3, fields: false, ..Options::default() };
    let sequences = subject.sequences("p/Gauge.isHigh()Z", &options);
    let chosen: Vec<&str> = sequences.statements().map(|(_, statement)| statement.symbol.as_str()).collect();
    assert_eq!(chosen, ["p/Gauge.<init>(Lp/Scale;)V", "p/Gauge.isHigh()Z", "p/Scale.<init>(I)V"]);
    assert!(sequences.is_cut);
    let whole = subject.sequences("p/Gauge.isHigh()Z", &Options { fields: false, ..Options::default() });
    assert!(!whole.is_cut && whole.statements().count() == 7);
}
