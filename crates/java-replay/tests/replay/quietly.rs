//! What quiet execution believes, and what it does not: a method a mistake that it could make.

use crate::library::{settings, with_library};
use crate::support::{Both, Stage, text};
use java_classfile::ClassFile;
use java_frontend::Platform;
use java_replay::{Check, Settings, What};
use java_testing::Draft;
use java_wire::{Primitive, Value};
use std::collections::BTreeMap;
use tempfile::TempDir;

const SOURCE: &str = r#"
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.nio.*;
import java.util.*;
import java.util.function.*;

public class Quietly {
    // Accesses that are wider than an element.
    public static int buffer(byte[] data) { return ByteBuffer.wrap(data).getInt() == 5 ? 1 : 0; }
    public static int inside(byte[] data) {
        ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        return buffer.getShort(1) == -2 ? 1 : buffer.getLong(0) == 1L << 40 ? 2 : buffer.getChar(2) == 'x' ? 3 : 0;
    }
    public static int put(int a) {
        ByteBuffer buffer = ByteBuffer.allocate(16).putShort((short) a).putLong(-2L - a).putChar((char) a);
        return buffer.get(1) == 17 ? 1 : buffer.get(2) == 0 ? 2 : buffer.get(9) == 7 ? 3 : buffer.get(11);
    }

    // Constructors of texts and boxes.
    @SuppressWarnings("removal")
    public static int boxed(int a) { return new Integer(a).intValue() == 7 ? 1 : 0; }
    public static int spelled(char[] letters) { return new String(letters).equals("ab") ? 1 : 0; }

    // Who gets what, and what is believed of it afterwards.
    public static int lent(int a) {
        List<Integer> list = new ArrayList<>();
        list.add(a);
        ToIntFunction<List<Integer>> count = given -> given.size();
        int size = count.applyAsInt(list) + Optional.of(list).map(given -> given.size()).get();
        return list.get(0) == 7 ? size : 0;
    }
    public static int later(int a, int b) throws Throwable {
        MethodHandle swap = MethodHandles.lookup().findStatic(Collections.class, "swap",
            MethodType.methodType(void.class, List.class, int.class, int.class));
        Object[] cells = new Object[3];
        int length = Array.getLength(cells);
        List<Integer> list = new ArrayList<>();
        list.add(a); list.add(b);
        cells[0] = list; cells[1] = 0; cells[2] = 1;
        swap.invokeWithArguments(cells);
        return list.contains(7) ? length : 0;
    }
    public static int copied(int a, int b) throws Throwable {
        Object[] cells = {a}, others = {b};
        Array.set(cells, 0, b);
        System.arraycopy(cells, 0, others, 0, 1);
        return Arrays.asList(others).contains(7) ? 1 : 0;
    }
    static List<Integer> kept = new ArrayList<>();
    public static List<Integer> give() { return kept; }
    public static int given(int a) throws Exception {
        kept.add(a);
        Object same = Quietly.class.getMethod("give").invoke(null);
        return kept.contains(7) ? 1 : 0;
    }
    public static int first(List<Integer> list) { return list.contains(7) ? 1 : 0; }

    // Hashes of what is no plain object.
    public static int proxied(int a) {
        InvocationHandler handler = (proxy, method, all) -> method.getName().equals("hashCode") ? 5 : null;
        Object key = Proxy.newProxyInstance(Quietly.class.getClassLoader(), new Class<?>[] {Runnable.class}, handler);
        Map<Object, Integer> map = new HashMap<>();
        map.put(key, a);
        return map.size();
    }
    public static int hashed(int a) {
        Runnable key = () -> {};
        Map<Runnable, Integer> map = new HashMap<>();
        map.put(key, a);
        return map.get(key) == 7 ? 1 : 0;
    }

    // Calls that do not return.
    public static int absent(String text) {
        try {
            return Optional.of(text).isPresent() ? 1 : 0;
        } catch (NullPointerException e) {
            return 2;
        }
    }
    public static int number(String text) {
        try {
            return Integer.parseInt(text) == 12 ? 1 : 0;
        } catch (NumberFormatException e) {
            return 2;
        }
    }
    public static int binary(String text) {
        try {
            return Integer.parseInt(text, 2) == 12 ? 1 : 0;
        } catch (NumberFormatException e) {
            return 2;
        }
    }
    public static int sized(int length) {
        try {
            return Arrays.copyOf(new String[] {"a"}, length).length == 3 ? 1 : 0;
        } catch (NegativeArraySizeException e) {
            return 2;
        }
    }

    // Who is called.
    static class Growing extends ArrayList<Integer> {
        public Object[] grow() { return null; }
    }
    interface One extends Supplier<Integer> {
        default Integer get() { return 1; }
    }
    interface Two extends One {
        default Integer get() { return 2; }
    }
    static class Both implements One, Two {}
    public static int growing(int a) {
        List<Integer> list = new Growing();
        list.add(a);
        return list.get(0) == 7 ? 1 : 0;
    }
    public static int nearest(int a) {
        return Optional.<Integer>empty().orElseGet(new Both()) == a ? 1 : 0;
    }

    // Many.
    public static int many(int a, int count) {
        List<Integer> list = new ArrayList<>(count);
        for (int at = 0; at < count; at++) list.add(3);
        list.set(count - 1, a);
        return list.get(count - 1) == 7 ? 1 : 0;
    }

    // Results that their type does not hold.
    static class Card implements Comparable<Card> {
        final int rank;
        Card(int rank) { this.rank = rank; }
        public int compareTo(Card other) { return rank - other.rank; }
    }
    public static int sorted(int a, int b) {
        List<Card> cards = new ArrayList<>(Arrays.asList(new Card(a), new Card(b)));
        Collections.sort(cards);
        return cards.get(0).rank;
    }

    // Texts that are the same, or only equal.
    String state;
    static Quietly constant() { Quietly made = new Quietly(); made.state = "on"; return made; }
    static Quietly equal() { Quietly made = new Quietly(); made.state = "xon".substring(1); return made; }
}
"#;

/// Classes without hooks, as those of the platform are.
const PLAIN: &str = r#"
import java.util.*;

public class Plain implements Names {
    private static int level = 1;
    public static List<Integer> shared;
    public static class Inner {
        public static void raise() { level = 4 + Thread.activeCount() / Thread.activeCount(); }
    }
    public static int above(int a) { return a > level ? 1 : 0; }
    public static int last() { return LAST; }
    public static void turn() { if (Thread.activeCount() > 0) Collections.swap(shared, 0, 1); }
}
interface Names {
    int LAST = new int[9].length;
}
"#;
const BESIDE: &str = r#"
import java.util.*;

public class Beside {
    public static int raised(int a) { Plain.Inner.raise(); return Plain.above(a); }
    public static int named(int a) { return a == Plain.last() ? 1 : 0; }
    public static int turned(int a, int b) {
        List<Integer> list = new ArrayList<>(Arrays.asList(a, b));
        Plain.shared = list;
        Plain.turn();
        return list.contains(7) ? 1 : 0;
    }
}
"#;

fn stage() -> Stage {
    with_library(Stage::new(&[("Quietly.java", SOURCE.to_owned())]), None)
}

fn bytes(values: &[i8]) -> Value {
    Value::Array(Primitive::Byte, values.iter().map(|&value| Value::Byte(value)).collect())
}

fn run(stage: &mut Stage, named: &str, values: &[Value]) -> Both {
    let named = if named.contains('.') { named.to_owned() } else { format!("Quietly.{named}") };
    run_with(stage, &Draft::of_static(&named, values), &settings())
}

fn run_with(stage: &mut Stage, draft: &Draft, settings: &Settings) -> Both {
    let both = stage.both(draft, settings);
    both.check().unwrap_or_else(|why| panic!("{:?} {:?}: {why}", draft.script.steps, draft.values));
    both
}

/// The replay follows the library all the way, and its last condition hangs on all of these variables.
fn asks(stage: &mut Stage, named: &str, values: &[Value], variables: &[&str]) {
    let both = run(stage, named, values);
    assert!(both.replayed.given_up.is_empty(), "{named} {values:?}: {:?}", both.replayed.given_up);
    let texts = both.texts();
    let last = texts.last().unwrap_or_else(|| panic!("{named} {values:?} asks nothing"));
    assert!(variables.iter().all(|variable| last.contains(variable)), "{named} {values:?}: {texts:?}");
}

/// The replay gives up a method of the library, for this reason.
fn gives_up(both: &Both, method: &str, reason: &str) {
    let is_it = |why: &String| why.starts_with(method) && why.ends_with(reason);
    assert!(both.replayed.given_up.keys().any(is_it), "{:?}", both.replayed.given_up);
}

/// Bytes that are read as one number are all of it, and a number that is written becomes its bytes.
#[test]
fn memory_is_as_wide_as_it_is_asked_for() {
    let mut stage = stage();
    for data in [[0, 0, 0, 5], [0, 0, 0, 6], [-1, 2, -128, 5]] {
        asks(&mut stage, "buffer([B)I", &[bytes(&data)], &["v1", "v2", "v3", "v4"]);
    }
    asks(&mut stage, "inside([B)I", &[bytes(&[7, -2, -1, 0, 0, 0, 0, 0])], &["v2", "v3"]);
    asks(&mut stage, "inside([B)I", &[bytes(&[0, 0, 0, 0, 0, 1, 0, 0])], &["v1", "v5", "v8"]);
    asks(&mut stage, "inside([B)I", &[bytes(&[7, 3, 120, 0, 0, -1, 0, 9])], &["v3", "v4"]);
    for a in [17, -2, -9, 40_000, 0x1_0041] {
        let both = run(&mut stage, "put(I)I", &[Value::Int(a)]);
        assert!(both.replayed.given_up.is_empty() && !both.texts().is_empty(), "{a}: {:?}", both.replayed);
    }
}

#[test]
fn texts_and_boxes_that_are_made_are_what_they_are_made_of() {
    let mut stage = stage();
    for a in [0, 7] {
        asks(&mut stage, "boxed(I)I", &[Value::Int(a)], &["v0"]);
    }
    let letters = "ax".encode_utf16().map(Value::Char).collect();
    asks(&mut stage, "spelled([C)I", &[Value::Array(Primitive::Char, letters)], &["v2"]);
}

/// Only who nobody sees may have written to what he gets, now or later.
#[test]
fn what_is_believed_is_what_nobody_can_have_written() {
    const OTHERS: &str = "that others may have written";
    let mut stage = stage();
    let two = [7, 9].map(Value::Int);
    asks(&mut stage, "lent(I)I", &two[..1], &["v0"]);
    gives_up(&run(&mut stage, "later(II)I", &two), "java/util/ArrayList.", OTHERS);
    gives_up(&run(&mut stage, "copied(II)I", &two), "java/util/Arrays$ArrayList.", OTHERS);
    gives_up(&run(&mut stage, "given(I)I", &two[..1]), "java/util/ArrayList.", OTHERS);

    // A step whose result nobody told.
    let mut draft = Draft::new();
    let list = draft.new_object("java/util/ArrayList", "()V", &[]);
    draft.call_static("java/lang/System.identityHashCode(Ljava/lang/Object;)I", &[list]);
    draft.call_static("Quietly.first(Ljava/util/List;)I", &[list]);
    gives_up(&run_with(&mut stage, &draft, &settings()), "java/util/ArrayList.", OTHERS);
}

#[test]
fn hashes_are_those_of_objects_only_if_nobody_redefines_them() {
    let mut stage = stage();
    let both = run(&mut stage, "proxied(I)I", &[Value::Int(1)]);
    gives_up(&both, "java/util/HashMap.hash", "is not known");
    asks(&mut stage, "hashed(I)I", &[Value::Int(1)], &["v0"]);
}

#[test]
fn models_say_nothing_of_calls_that_do_not_return() {
    let mut stage = stage();
    for value in [Value::Null, text("a")] {
        let both = run(&mut stage, "absent(Ljava/lang/String;)I", &[value]);
        assert!(both.replayed.given_up.is_empty(), "{:?}", both.replayed.given_up);
        assert!(both.conditions().count() > 0, "{:?}", both.replayed.decisions);
    }
    // Digits of other scripts, and a character whose lower half is that of a minus.
    for word in ["12", "x1", "-7", "\u{663}", "1\u{663}", "\u{12d}1"] {
        run(&mut stage, "number(Ljava/lang/String;)I", &[text(word)]);
        run(&mut stage, "binary(Ljava/lang/String;)I", &[text(word)]);
    }
    for length in [3, 1, 0, -1] {
        let both = run(&mut stage, "sized(I)I", &[Value::Int(length)]);
        let holds = length >= 0;
        let is_size = |what: What| matches!(what, What::Check { check: Check::Size, holds } if holds);
        let asks = both.conditions().any(|(decision, _)| is_size(decision.what));
        assert_eq!(asks, holds, "{length}: {:?}", both.texts());
    }
}

#[test]
fn calls_lead_where_the_machine_finds_them() {
    let mut stage = stage();
    asks(&mut stage, "growing(I)I", &[Value::Int(1)], &["v0"]);
    asks(&mut stage, "nearest(I)I", &[Value::Int(2)], &["v0"]);
}

#[test]
fn static_fields_are_what_nobody_else_can_have_written() {
    let (folder, plain) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let source = |name: &str, text| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("writable");
        file
    };
    java_testing::javac(&[source("Plain.java", PLAIN)], plain.path(), &[]);
    let path = plain.path().to_str().expect("a path");
    let hooked = java_testing::compiled(&[source("Beside.java", BESIDE)], &["-cp", path]);
    let mut stage = Stage::beside(hooked, None, &[plain.path().to_owned()]);
    let classes: BTreeMap<String, ClassFile> = java_testing::read_classes(plain.path())
        .into_iter()
        .map(|compiled| (compiled.class.name.clone(), compiled.class))
        .collect();
    let (platform, program) = (Platform::find(), std::mem::take(&mut stage.program));
    stage.program =
        program.with_library(move |name| classes.get(name).cloned().or_else(|| platform.class_file(name)));

    // A class of the same nest writes it, unseen.
    gives_up(&run(&mut stage, "Beside.raised(I)I", &[Value::Int(3)]), "Plain.above", "what Plain.level is");
    // The interface that declares it is initialised, not the class that it is asked of.
    asks(&mut stage, "Beside.named(I)I", &[Value::Int(3)], &["v0 != 9"]);
    // What is put there others find.
    let both = run(&mut stage, "Beside.turned(II)I", &[7, 9].map(Value::Int));
    gives_up(&both, "java/util/ArrayList.", "that others may have written");
}

/// Every call of a method of the library is tried, so none may cost as much as the objects that it looks at.
#[test]
fn long_lists_are_followed() {
    let mut stage = stage();
    asks(&mut stage, "many(II)I", &[1, 30_000].map(Value::Int), &["v0"]);
}

#[test]
fn overflows_in_callbacks_name_code_with_hooks_only() {
    let mut stage = stage();
    let draft = Draft::of_static("Quietly.sorted(II)I", &[i32::MAX, -2].map(Value::Int));
    let both = run_with(&mut stage, &draft, &Settings { overflow: true, ..settings() });
    let [overflow] = &both.replayed.overflows[..] else { panic!("{:?}", both.replayed.overflows) };
    let names: Vec<&str> = overflow.stack.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["compareTo", "compareTo", "sorted"]);
}

/// Code may ask whether a text is the very object of a constant.
#[test]
fn states_tell_constants_from_texts_that_equal_them() {
    let mut stage = stage();
    let mut left = |name: &str| {
        let mut draft = Draft::new();
        draft.call_static(&format!("Quietly.{name}()LQuietly;"), &[]);
        let both = run_with(&mut stage, &draft, &Settings { state: true, ..settings() });
        both.replayed.left.expect("a state")
    };
    let (constant, equal) = (left("constant"), left("equal"));
    assert_eq!(constant, left("constant"));
    assert_ne!(constant, equal);
    assert_eq!(constant.objects.len(), equal.objects.len());
}
