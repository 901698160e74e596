//! Methods of the platform, executed without hooks: collections, texts that are built, streams of bytes.

use crate::support::{Both, Stage};
use fastrand::Rng;
use java_frontend::Platform;
use java_replay::{Arrays, Settings};
use java_testing::Draft;
use java_wire::Value;

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
    public static int formatted(int a, int b, int c) {
        return String.format("%d-%s", a, b).length() > 6 ? 1 : Integer.toString(c).equals("-12") ? 2 : Integer.toHexString(a).length();
    }
}
"#;

pub(crate) fn stage() -> Stage {
    let mut stage = Stage::new(&[("Library.java", SOURCE.to_owned())]);
    let platform = Platform::find();
    let program = std::mem::take(&mut stage.program);
    stage.program = program.with_library(move |name| platform.class_file(name));
    stage
}

const NUMBERS: [&str; 14] = [
    "list",
    "sorted",
    "map",
    "tree",
    "deque",
    "linked",
    "bag",
    "written",
    "lambdas",
    "streams",
    "bits",
    "arrays",
    "optional",
    "formatted",
];
const LETTERS: [char; 8] = ['a', 'a', 'b', 'x', ' ', ',', '1', 'q'];
const TEXTS: [&str; 5] = ["builder", "trimmed", "split", "reader", "matched"];

fn run(stage: &mut Stage, name: &str, rng: &mut Rng) -> Both {
    let mut draft = Draft::new();
    if NUMBERS.contains(&name) {
        let arguments = [0; 3].map(|_| draft.int(rng.i32(-5..60)));
        draft.call_static(&format!("Library.{name}(III)I"), &arguments);
    } else if TEXTS.contains(&name) {
        let text =
            draft.text(&(0..rng.usize(..6)).map(|_| LETTERS[rng.usize(..LETTERS.len())]).collect::<String>());
        let number = draft.int(rng.i32(-5..60));
        draft.call_static(&format!("Library.{name}(Ljava/lang/String;I)I"), &[text, number]);
    } else {
        let bytes = (0..rng.usize(..6)).map(|_| Value::Byte(rng.i8(..))).collect();
        let bytes = draft.slot(
            java_wire::Slot::Array(java_wire::Primitive::Byte),
            Value::Array(java_wire::Primitive::Byte, bytes),
        );
        draft.call_static(&format!("Library.{name}([B)I"), &[bytes]);
    }
    let settings =
        Settings { library: true, arrays: Arrays::Reasoning { longest: 16 }, ..Settings::default() };
    stage.both(&draft, &settings)
}

#[test]
fn what_the_library_does_is_followed() {
    let mut stage = stage();
    let mut rng = Rng::with_seed(4);
    for name in NUMBERS.iter().chain(&TEXTS).chain(&["bytes"]) {
        let mut conditions = 0;
        let mut why = std::collections::BTreeMap::new();
        for _ in 0..20 {
            let both = run(&mut stage, name, &mut rng);
            both.check().unwrap_or_else(|why| panic!("{name}: {why}"));
            conditions += both.texts().len();
            for (reason, count) in &both.replayed.given_up {
                *why.entry(reason.clone()).or_insert(0) += count;
            }
            for (reason, count) in &both.replayed.approximations {
                *why.entry(format!("~ {reason}")).or_insert(0) += count;
            }
        }
        eprintln!("{name}: {conditions} conditions {why:#?}");
    }
}
