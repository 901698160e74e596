package branchwise.rt;

import java.lang.reflect.Array;

/**
 * What instrumented classes call. Every hook takes copies of what it looks at, and the place it stands at.
 *
 * <p>None of them throws but {@link #tick} and {@link #exit}, and none calls code under test.
 */
public final class Hooks {
    /** What results of comparisons are compared with: inserted code has no way to push it. */
    public static final float FLOAT_ZERO = 0;

    /** The same for doubles. */
    public static final double DOUBLE_ZERO = 0;

    private Hooks() {
    }

    public static void tick() {
        Budget.tick();
    }

    public static void exit(int status) {
        Budget.exit(status);
    }

    public static void jump(int value, int id) {
        Trace.put(Codes.JUMP << 24 | id, value);
    }

    public static void jump(int left, int right, int id) {
        Trace.put(Codes.JUMP_TWO << 24 | id, left, right);
    }

    public static void jump(Object value, int id) {
        Trace.put(Codes.JUMP_REFERENCE << 24 | id, value == null ? 1 : 0);
    }

    public static void jump(Object left, Object right, int id) {
        Trace.put(Codes.JUMP_REFERENCE << 24 | id, left == right ? 1 : 0);
    }

    /** Compared with zero, the result gives what the two give with each other: four slots are too many to copy. */
    public static long compare(long left, long right, int id) {
        int head = Codes.COMPARE_LONG << 24 | id;
        Trace.put(head, (int) left, (int) (left >> 32), (int) right, (int) (right >> 32));
        return Long.compare(left, right);
    }

    public static float compare(float left, float right, int id) {
        int head = Codes.COMPARE_FLOAT << 24 | id;
        Trace.put(head, Float.floatToRawIntBits(left), Float.floatToRawIntBits(right));
        return left < right ? -1 : left > right ? 1 : left == right ? 0 : Float.NaN;
    }

    public static double compare(double left, double right, int id) {
        long a = Double.doubleToRawLongBits(left);
        long b = Double.doubleToRawLongBits(right);
        Trace.put(Codes.COMPARE_DOUBLE << 24 | id, (int) a, (int) (a >> 32), (int) b, (int) (b >> 32));
        return left < right ? -1 : left > right ? 1 : left == right ? 0 : Double.NaN;
    }

    public static void textEquals(Object text, Object other, int id) {
        if (text instanceof String && other instanceof String && Trace.isOn()) {
            text(Texts.toEqual((String) text, (String) other, false), id);
        }
    }

    public static void textEqualsIgnoreCase(Object text, Object other, int id) {
        if (text instanceof String && other instanceof String && Trace.isOn()) {
            text(Texts.toEqual((String) text, (String) other, true), id);
        }
    }

    public static void textStarts(Object text, Object part, int id) {
        if (text instanceof String && part instanceof String && Trace.isOn()) {
            text(Texts.toHave((String) text, (String) part, 0), id);
        }
    }

    public static void textEnds(Object text, Object part, int id) {
        if (text instanceof String && part instanceof String && Trace.isOn()) {
            String whole = (String) text;
            text(Texts.toHave(whole, (String) part, whole.length() - ((String) part).length()), id);
        }
    }

    public static void textContains(Object text, Object part, int id) {
        if (text instanceof String && part instanceof String && Trace.isOn()) {
            text(Texts.toContain((String) text, (String) part), id);
        }
    }

    public static void textEmpty(Object text, int id) {
        if (text instanceof String) {
            text(((String) text).length(), id);
        }
    }

    /** One character more or less makes false of true. */
    private static void text(int toTrue, int id) {
        Trace.put(Codes.COMPARE_TEXT << 24 | id, toTrue, toTrue == 0 ? 1 : 0);
    }

    public static void enter(int method) {
        Trace.put(Codes.ENTER << 24 | method);
    }

    public static void argument(int value, int local) {
        Trace.put(Codes.ARGUMENT << 24 | local, value, 0);
    }

    public static void argument(float value, int local) {
        argument(Float.floatToRawIntBits(value), local);
    }

    public static void argument(long value, int local) {
        Trace.put(Codes.ARGUMENT << 24 | local, (int) value, (int) (value >> 32));
    }

    public static void argument(double value, int local) {
        argument(Double.doubleToRawLongBits(value), local);
    }

    public static void argument(Object value, int local) {
        object(Codes.ARGUMENT, value, local);
    }

    public static void done(int id) {
        Trace.put(Codes.DONE << 24 | id);
    }

    public static void handle(Object thrown, int id) {
        object(Codes.HANDLE, thrown, id);
    }

    public static void value(int value, int id) {
        Trace.put(Codes.VALUE << 24 | id, value);
    }

    public static void value(float value, int id) {
        Trace.put(Codes.VALUE << 24 | id, Float.floatToRawIntBits(value));
    }

    public static void value(long value, int id) {
        Trace.put(Codes.WIDE << 24 | id, (int) value, (int) (value >> 32));
    }

    public static void value(double value, int id) {
        value(Double.doubleToRawLongBits(value), id);
    }

    public static void value(Object value, int id) {
        object(Codes.REFERENCE, value, id);
    }

    public static void access(Object array, int index, int id) {
        int length = array == null ? -1 : Array.getLength(array);
        Trace.put(Codes.ACCESS << 24 | id, hash(array), Classes.number(array), length, index);
    }

    public static void length(Object array, int id) {
        Trace.put(Codes.LENGTH << 24 | id, hash(array), array == null ? -1 : Array.getLength(array));
    }

    public static void made(Object object, int id) {
        object(Codes.MADE, object, id);
    }

    public static void type(Object object, int id) {
        object(Codes.TYPE, object, id);
    }

    static void step(int number) {
        Trace.put(Codes.STEP << 24 | number);
    }

    private static void object(int code, Object object, int id) {
        if (Trace.isOn()) {
            Trace.put(code << 24 | id, hash(object), Classes.number(object));
        }
    }

    private static int hash(Object object) {
        return System.identityHashCode(object);
    }
}
