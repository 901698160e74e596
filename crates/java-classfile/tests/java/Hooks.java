import java.util.Map;
import java.util.TreeMap;

/** What inserted code calls: counts by kind, and a budget for loops. */
public class Hooks {
    /** Thrown when the budget is spent, again and again. */
    public static class Spent extends Error {
        public Spent() { super("spent", null, false, false); }
    }

    public static long budget = Long.MAX_VALUE;
    public static final Map<String, Integer> counts = new TreeMap<>();
    private static boolean busy;

    private static void count(String what) {
        if (busy) return;
        busy = true;
        counts.merge(what, 1, Integer::sum);
        busy = false;
    }

    public static void entry(int id) { count("entry"); }
    public static void branch(int value, int id) { count("branch"); }
    public static void branch(int left, int right, int id) { count("branch"); }
    public static void branch(Object value, int id) { count("branch"); }
    public static void branch(Object left, Object right, int id) { count("branch"); }
    public static void choice(int value, int id) { count("switch"); }
    public static void result(int value, int id) { count("result"); }
    public static void result(long value, int id) { count("result"); }
    public static void result(float value, int id) { count("result"); }
    public static void result(double value, int id) { count("result"); }
    public static void result(Object value, int id) { count("result"); }
    public static void caught(Object exception, int id) { count("caught"); }
    public static void making(int id) { count("making"); }
    public static void made(Object object, int id) {
        if (object == null) throw new AssertionError("null was made");
        count("made");
    }
    public static void self(Object self) {
        if (self == null) throw new AssertionError("no this");
        count("self");
    }
    public static void tick() {
        count("tick");
        if (--budget < 0) throw new Spent();
    }
    /** Has arguments of every kind that code can push. */
    public static void pushed(int small, int large, long wide, String text, Class<?> type, Object field) {
        if (small != -7 || large != 1_000_000 || wide != 1L << 40 || !text.equals("a\0é😀") || type != Hooks.class
                || field != counts)
            throw new AssertionError("pushed " + small + large + wide + text + type + field);
        count("pushed");
    }
}
