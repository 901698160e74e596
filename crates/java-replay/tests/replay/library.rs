//! Methods of the platform, executed without hooks: collections, texts that are built, streams of bytes.

use crate::random::leaves;
use crate::support::{Both, Stage};
use fastrand::Rng;
use java_frontend::Platform;
use java_replay::{Approximation, Arrays, Settings};
use java_testing::Draft;
use java_wire::event::{Code, Events};
use java_wire::{Primitive, Value};
use std::collections::BTreeMap;
use tempfile::TempDir;

const SOURCE: &str = r#"
import java.io.*;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;

public class Library {
    static class Card implements Comparable<Card> {
        final int rank;
        Card(int rank) { this.rank = rank; }
        public int compareTo(Card other) { return rank < other.rank ? -1 : rank > other.rank ? 1 : 0; }
    }
    static class Bag extends ArrayList<Integer> {
        int added;
        @Override public boolean add(Integer value) { added++; return super.add(value); }
    }

    public static int list(int a, int b, int c) {
        List<Integer> list = new ArrayList<>();
        list.add(a); list.add(b); list.add(1, c);
        list.remove(0);
        int sum = 0;
        for (int value : list) sum += value;
        return sum == 77 ? 1 : list.contains(42) ? 2 : list.indexOf(7);
    }
    public static int sorted(int a, int b, int c) {
        List<Card> cards = new ArrayList<>(Arrays.asList(new Card(a), new Card(b), new Card(c)));
        Collections.sort(cards);
        return cards.get(1).rank == 5 ? 1 : 0;
    }
    public static int map(int a, int b, int c) {
        Map<Integer, Integer> map = new HashMap<>();
        map.put(a, 1); map.put(b, 2); map.merge(c, 3, Integer::sum);
        Integer got = map.get(9);
        return got == null ? map.size() : got == 2 ? 10 : 20;
    }
    public static int tree(int a, int b, int c) {
        TreeMap<Integer, String> map = new TreeMap<>();
        map.put(a, "a"); map.put(b, "b"); map.put(c, "c");
        return map.firstKey() == 3 ? 1 : map.headMap(10).size();
    }
    public static int deque(int a, int b, int c) {
        Deque<Integer> deque = new ArrayDeque<>();
        deque.push(a); deque.addLast(b); deque.push(c);
        PriorityQueue<Integer> queue = new PriorityQueue<>(deque);
        return deque.peekLast() == 8 ? 1 : queue.poll() < 0 ? 2 : 3;
    }
    public static int linked(int a, int b, int c) {
        LinkedList<Integer> list = new LinkedList<>();
        list.add(a); list.addFirst(b); list.add(1, c);
        ListIterator<Integer> at = list.listIterator();
        at.next();
        at.remove();
        return list.getFirst() == 6 ? 1 : list.get(5);
    }
    public static int bag(int a, int b, int c) {
        Bag bag = new Bag();
        bag.add(a); bag.add(b);
        return bag.get(1) == 12 && bag.added == 2 ? bag.size() : c;
    }
    public static int builder(String text, int number) {
        StringBuilder builder = new StringBuilder();
        for (char c : text.toCharArray()) if (c != ' ') builder.append(c);
        builder.append(number).reverse();
        String s = builder.toString();
        return s.equals("3ab") ? 1 : s.length() > 3 && s.charAt(2) == 'q' ? 2 : s.lastIndexOf('z');
    }
    public static int trimmed(String text, int number) {
        String t = text.trim().toUpperCase().replace('A', 'B');
        return t.startsWith("BB") ? 1 : t.compareToIgnoreCase("cc") > 0 ? 2 : t.isBlank() ? 3 : 4;
    }
    public static int split(String text, int number) {
        String[] parts = text.split(",");
        return parts.length == 2 ? parts[1].equals("x") ? 1 : 2 : String.join("-", parts).indexOf("--") + number;
    }
    public static int bytes(byte[] data) throws IOException {
        InputStream in = new BufferedInputStream(new ByteArrayInputStream(data));
        int first = in.read();
        return first == 0xFE ? in.read() == 0xFF ? 1 : 2 : in.available() > 2 ? 3 : first;
    }
    public static int written(int a, int b, int c) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(out);
        data.writeInt(a); data.writeShort(b);
        return out.toByteArray()[3] == 17 ? 1 : out.size() + c;
    }
    public static int reader(String text, int number) throws IOException {
        BufferedReader reader = new BufferedReader(new StringReader(text));
        String line = reader.readLine();
        return line == null ? 0 : line.equals("go") ? 1 : reader.read();
    }
    public static int joined(String text, int number) {
        StringBuilder all = new StringBuilder("<");
        for (String part : text.split(" ")) all.append(part).append('|');
        all.setLength(all.length() - 1);
        return all.indexOf("a|b") > 0 ? 1 : all.charAt(1) == 'x' ? 2 : all.insert(0, number).length();
    }
    public static int tokens(String text, int number) {
        StringTokenizer tokens = new StringTokenizer(text, ", ");
        int count = 0;
        while (tokens.hasMoreTokens()) if (tokens.nextToken().equals("a1")) count++;
        return count == number ? 1 : count;
    }
    public static int matched(String text, int number) {
        return Pattern.compile("a+[0-9]b").matcher(text).find() ? 1 : 0;
    }
    public static int lambdas(int a, int b, int c) {
        List<Integer> list = new ArrayList<>(List.of(a, b, c));
        list.removeIf(value -> value > 100);
        list.replaceAll(value -> value + 1);
        list.sort(Comparator.reverseOrder());
        int[] sum = new int[1];
        list.forEach(value -> sum[0] += value);
        return sum[0] == 31 ? 1 : list.isEmpty() ? 2 : 3;
    }
    public static int streams(int a, int b, int c) {
        long count = Arrays.asList(a, b, c).stream().filter(value -> value % 3 == 1).count();
        return count == 3 ? 1 : (int) count;
    }
    public static int bits(int a, int b, int c) {
        BitSet bits = new BitSet();
        bits.set(a & 31); bits.set(b & 31);
        return bits.cardinality() == 1 ? 1 : bits.nextSetBit(4);
    }
    public static int arrays(int a, int b, int c) {
        int[] values = {a, b, c};
        int[] longer = Arrays.copyOf(values, 5);
        Arrays.sort(values);
        return Arrays.equals(values, new int[] {1, 2, 3}) ? 1 : Arrays.hashCode(longer) == 4 ? 2 : Arrays.binarySearch(values, 6);
    }
    public static int optional(int a, int b, int c) {
        Optional<Integer> some = Optional.of(a).filter(value -> value > b);
        return some.map(value -> value + c).orElse(-1) == 50 ? 1 : 0;
    }
    public static int shuffled(int a, int b, int c) {
        List<Integer> list = new ArrayList<>();
        list.add(a); list.add(b);
        Collections.shuffle(list);
        list.add(c);
        return list.get(0) == 7 ? 1 : list.get(2) == 9 ? 2 : list.size();
    }
    public static int read(int a, int b, int c) throws Exception {
        int[] cells = {a, b, c};
        java.lang.reflect.Array.setInt(cells, 1, 40);
        return Arrays.stream(cells).sum() > 100 ? 1 : cells[1] == 40 ? 2 : 3;
    }
    public static int refused(int a, int b, int c) {
        List<Integer> list = Collections.unmodifiableList(new ArrayList<>(Arrays.asList(a, b)));
        try {
            if (list.get(c & 3) > 20) list.add(4);
            return 0;
        } catch (IndexOutOfBoundsException e) {
            return 1;
        } catch (UnsupportedOperationException e) {
            return a > 30 ? 2 : 3;
        }
    }
    public static int formatted(int a, int b, int c) {
        return String.format("%d-%s", a, b).length() > 6 ? 1 : Integer.toString(c).equals("-12") ? 2 : Integer.toHexString(a).length();
    }
}
"#;

/// A machine, and the classes of its platform beside those with hooks. The runtime is that of the path or a newer one.
fn stage_in(runtime: Option<u32>) -> Stage {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("Library.java");
    std::fs::write(&file, SOURCE).expect("writable");
    with_library(Stage::of(java_testing::compiled(&[file], &[]), runtime), runtime)
}

fn stage() -> Stage {
    stage_in(None)
}

/// The same with the classes of its platform beside those with hooks.
pub(crate) fn with_library(mut stage: Stage, runtime: Option<u32>) -> Stage {
    let platform =
        runtime.map_or_else(Platform::find, |version| Platform::at(&java_testing::runtime(version)));
    let program = std::mem::take(&mut stage.program);
    stage.program = program.with_library(move |name| platform.class_file(name));
    stage
}

/// Methods of three numbers, of a text and a number, of bytes; and how many conditions twenty runs of each have at least.
const METHODS: [(&str, &str, usize); 25] = [
    ("list", "III", 20),
    ("sorted", "III", 60),
    ("map", "III", 60),
    ("tree", "III", 20),
    ("deque", "III", 20),
    ("linked", "III", 20),
    ("bag", "III", 20),
    ("written", "III", 20),
    ("lambdas", "III", 60),
    ("streams", "III", 0),
    ("bits", "III", 20),
    ("arrays", "III", 20),
    ("optional", "III", 20),
    ("shuffled", "III", 0),
    ("read", "III", 0),
    ("refused", "III", 20),
    ("formatted", "III", 20),
    ("builder", "Ljava/lang/String;I", 20),
    ("trimmed", "Ljava/lang/String;I", 20),
    ("split", "Ljava/lang/String;I", 1),
    ("reader", "Ljava/lang/String;I", 1),
    ("matched", "Ljava/lang/String;I", 10),
    ("joined", "Ljava/lang/String;I", 10),
    ("tokens", "Ljava/lang/String;I", 1),
    ("bytes", "[B", 20),
];
/// Those that nobody can follow to the end: chance, reflection, and what the machine links when it runs.
const OPAQUE: [&str; 4] = ["streams", "shuffled", "read", "formatted"];
const LETTERS: [char; 8] = ['a', 'a', 'b', 'x', ' ', ',', '1', 'q'];

fn values(descriptor: &str, rng: &mut Rng) -> Vec<Value> {
    let mut number = || Value::Int(rng.i32(-5..60));
    match descriptor {
        "III" => [(); 3].map(|()| number()).to_vec(),
        "[B" => {
            let bytes = (0..rng.usize(..6)).map(|_| Value::Byte(rng.i8(..))).collect();
            vec![Value::Array(Primitive::Byte, bytes)]
        }
        _ => {
            let number = number();
            let units = (0..rng.usize(..6)).map(|_| LETTERS[rng.usize(..LETTERS.len())] as u16).collect();
            vec![Value::Text(units), number]
        }
    }
}

pub(crate) fn settings() -> Settings {
    Settings { library: true, arrays: Arrays::Reasoning { longest: 16 }, ..Settings::default() }
}

fn run(stage: &mut Stage, (name, descriptor): (&str, &str), values: &[Value]) -> Both {
    let draft = Draft::of_static(&format!("Library.{name}({descriptor})I"), values);
    let both = stage.both(&draft, &settings());
    both.check().unwrap_or_else(|why| panic!("{name} {values:?}: {why}"));
    both
}

#[test]
fn what_the_library_does_is_followed() {
    follow(&mut stage(), 20);
}

/// Newer platforms do the same with other classes.
#[test]
fn what_newer_libraries_do_is_followed() {
    for version in [21, 25] {
        let mut stage = stage_in(Some(version));
        follow(&mut stage, 3);
        let (same, left) = leave(&mut stage, 1);
        assert!(same > 5 && left > 5, "{version}: {same} the same, {left} left");
    }
}

fn follow(stage: &mut Stage, runs: usize) {
    let mut rng = Rng::with_seed(4);
    for (name, descriptor, least) in METHODS {
        let mut conditions = 0;
        let mut given_up = BTreeMap::new();
        for _ in 0..runs {
            let both = run(stage, (name, descriptor), &values(descriptor, &mut rng));
            conditions += both.texts().len();
            given_up.extend(both.replayed.given_up);
        }
        assert!(conditions >= least * runs / 20, "{name}: {conditions} conditions, {given_up:?}");
        assert_eq!(given_up.is_empty(), !OPAQUE.contains(&name), "{name}: {given_up:?}");
    }
}

#[test]
fn other_inputs_leave_the_library_where_its_conditions_say() {
    let (same, left) = leave(&mut stage(), 8);
    assert!(same > 50 && left > 50, "{same} the same, {left} left");
}

/// How many other inputs go the same way, and how many leave it where they must.
fn leave(stage: &mut Stage, inputs: usize) -> (usize, usize) {
    let mut rng = Rng::with_seed(5);
    let (mut same, mut left) = (0, 0);
    for (name, descriptor, _) in METHODS {
        for _ in 0..inputs {
            let mut values = values(descriptor, &mut rng);
            let first = run(stage, (name, descriptor), &values);
            let is_exact = |what: &Approximation| matches!(what, Approximation::Index);
            if !first.replayed.approximations.keys().all(is_exact) {
                continue;
            }
            for _ in 0..3 {
                change(&mut values, &mut rng);
                let second = run(stage, (name, descriptor), &values);
                match leaves(&first, &second) {
                    Ok(true) => left += 1,
                    Ok(false) => same += 1,
                    Err(why) => panic!("{name} {values:?}: {why}"),
                }
            }
        }
    }
    (same, left)
}

/// Another number, character or byte.
fn change(values: &mut [Value], rng: &mut Rng) {
    let at = rng.usize(..values.len());
    match &mut values[at] {
        Value::Text(units) if !units.is_empty() => {
            let unit = rng.usize(..units.len());
            units[unit] = LETTERS[rng.usize(..LETTERS.len())] as u16;
        }
        Value::Array(_, bytes) if !bytes.is_empty() => {
            let byte = rng.usize(..bytes.len());
            bytes[byte] = Value::Byte(rng.i8(..));
        }
        Value::Int(number) => *number = rng.i32(-5..60),
        _ => {}
    }
}

#[test]
fn c43_nothing_of_the_library_is_told() {
    // Collections that the machine itself uses leave no trace, and neither do those that code under test uses.
    let mut stage = stage();
    let both = run(&mut stage, ("map", "III"), &[1, 2, 3].map(Value::Int));
    let entered = Events::new(&both.words).map_while(Result::ok).filter(|event| event.code == Code::Enter);
    let class = stage.program.class("Library").expect("the class");
    let map = class.file.methods.iter().position(|method| method.name == "map").expect("the method");
    let entered: Vec<u32> = entered.map(|event| event.id).collect();
    assert_eq!(entered, [class.first_method + map as u32]);
}
