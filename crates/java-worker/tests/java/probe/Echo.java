package probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Gives back what it gets. */
public class Echo {
    public enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "green";
            }
        }
    }

    public interface Oracle {
        int number();

        String word();

        default String both() {
            return number() + word();
        }
    }

    public static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }

        @Override
        public String toString() {
            return "Point " + x;
        }
    }

    protected static int count;
    private int last;

    protected Echo() {
    }

    public static boolean of(boolean value) {
        return value;
    }

    public static byte of(byte value) {
        return value;
    }

    public static char of(char value) {
        return value;
    }

    public static short of(short value) {
        return value;
    }

    public static int of(int value) {
        return value;
    }

    public static long of(long value) {
        return value;
    }

    public static float of(float value) {
        return value;
    }

    public static double of(double value) {
        return value;
    }

    public static Object of(Object value) {
        return value;
    }

    public static Object point(int x) {
        return new Point(x);
    }

    public static List<Integer> list(int n) {
        return new ArrayList<>(Arrays.asList(n, n + 1));
    }

    public static int[][] nested(int n) {
        return new int[][] {{n}, null, {}};
    }

    public static Object[] self() {
        Object[] array = new Object[1];
        array[0] = array;
        return array;
    }

    public static int next() {
        return ++count;
    }

    private int remember(int value) {
        int before = last;
        last = value;
        return before;
    }

    public static String ask(Oracle oracle) {
        return oracle.both() + oracle.number() + oracle.word();
    }

    public static int print(String text) {
        System.out.print(text);
        System.err.print("!");
        return 0;
    }

    public static int compare(long a, long b, double c, double d, float e, float f) {
        int found = 0;
        if (a < b) {
            found |= 1;
        }
        if (c >= d) {
            found |= 2;
        }
        if (e <= f) {
            found |= 4;
        }
        return found;
    }

    public static boolean isMagic(String text) {
        return text.equals("magic");
    }

    public static void refuse(String why) {
        throw new IllegalStateException(why);
    }

    public static double wide(double[] values, int at, double value) {
        values[at] = value;
        long[] longs = new long[2];
        longs[at] = values.length;
        byte[] bytes = {1, 2};
        bytes[at] += 3;
        return values[at] + longs[at] + bytes[at];
    }
}
