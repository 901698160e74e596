import java.util.*;
import java.util.function.*;

/** One use of every construct of Java 8. */
public class Constructs {
    enum Color { RED, GREEN { @Override int weight() { return 20; } }, BLUE; int weight() { return ordinal(); } }

    interface Shape { double area(); default String name() { return "shape of " + area(); } static Shape unit() { return () -> 1.0; } }

    static class Base {
        final String text;
        Base(String text) { this.text = text; }
        Base(int number) { this(number > 3 ? "many" : number == 3 ? "three" : String.valueOf(number)); }
    }

    static class Derived extends Base {
        long wide = 5L;
        { wide += 2; }
        Derived(boolean flag, Object other) { super(flag ? (other == null ? "null" : other.toString()) : new String("plain" + flag)); }
        Derived(int n) { super(n < 0 ? -n : n); if (n == 7) wide = -1; }
        Derived() { this(new int[] {1, 2}.length > 1, new Object() { @Override public String toString() { return "anonymous"; } }); }
    }

    class Inner {
        int value;
        Inner(int value) { this.value = value + offset; }
        class Deeper { int sum() { return value + offset; } }
    }

    int offset = 100;
    static int calls;

    static int dense(int k) { switch (k) { case 1: return 10; case 2: return 20; case 3: k++; case 4: return k; default: return -1; } }
    static int sparse(int k) { switch (k) { case -1000000: return 1; case 0: return 2; case 77: return 3; case 2000000000: return 4; } return 0; }
    static String strings(String s) { switch (s) { case "a": return "A"; case "Aa": case "BB": return "clash"; default: return s; } }
    static int enums(Color c) { switch (c) { case RED: return 1; case BLUE: return 3; default: return c.weight(); } }

    static String tries(int k) {
        StringBuilder log = new StringBuilder();
        try {
            log.append("t");
            if (k == 1) throw new IllegalStateException("one");
            if (k == 2) return log.append("r").toString();
            if (k == 3) ((Object) null).hashCode();
            try { if (k == 4) throw new Exception("inner"); } finally { log.append("f1"); }
            int[] a = new int[k];
            a[5] = 1;
            log.append(a.length);
        } catch (IllegalStateException | NullPointerException e) {
            log.append("c").append(e instanceof IllegalStateException);
        } catch (RuntimeException e) {
            log.append("r").append(e.getClass().getSimpleName());
        } catch (Exception e) {
            log.append("e").append(e.getMessage());
        } finally {
            log.append("f2");
            for (int i = 0; i < 2; i++) { if (i == 1) continue; log.append(i); }
        }
        return log.toString();
    }

    static class Resource implements AutoCloseable {
        final String name;
        Resource(String name) { this.name = name; }
        @Override public void close() { System.out.println("close " + name); if (name.equals("bad")) throw new IllegalArgumentException(name); }
    }

    static String resources(String second) {
        try (Resource a = new Resource("a"); Resource b = new Resource(second)) {
            return a.name + b.name;
        } catch (IllegalArgumentException e) {
            return "caught " + e.getMessage() + e.getSuppressed().length;
        }
    }

    static long loops(int n) {
        long total = 0;
        outer:
        for (int i = 0; i < n; i++) {
            int j = 0;
            while (true) {
                if (j > i) continue outer;
                if (i * j > 12) break outer;
                do { total += i ^ j; j++; } while (j % 3 != 0);
            }
        }
        return total;
    }

    static double numbers(double d, float f, long l, int i, byte b, char c, short s) {
        double r = d > f ? d % 3 : f / 2;
        r += l > i ? (l >>> 3) + (l << 2) - (l >> 1) : (i >>> 1) ^ ~i;
        if (d != d) r = -1;
        if (f <= 2.5f || !(d >= 1e10)) r -= (byte) i + (char) l + (short) d;
        b += c; c++; s -= b;
        r += (int) f + (long) d + (float) l + b + c + s + (i | 0x55) + (l & 0xff) + -i + -l;
        return r + (i == 0 ? 0 : 100 / i) + (l == 0 ? 0 : 1000L % l);
    }

    static int many(int... values) { int sum = 0; for (int v : values) sum += v; return sum; }
    static <T extends Comparable<T>> T largest(List<? extends T> list) { T best = null; for (T t : list) if (best == null || t.compareTo(best) > 0) best = t; return best; }

    static synchronized int locked(Object lock) {
        int n = 0;
        synchronized (lock) { for (int i = 0; i < 3; i++) { synchronized (Constructs.class) { n += i; if (i == 2) return n; } } }
        return n;
    }

    static String arrays() {
        int[][][] cube = new int[2][3][];
        cube[1][2] = new int[] {4, 5};
        long[][] wide = {{1}, {2, 3}};
        wide[1][0] += 7; wide[0][0]++;
        boolean[] flags = new boolean[2]; flags[1] |= true;
        byte[] bytes = {1}; bytes[0] <<= 3; char[] chars = {'x'}; chars[0]++; short[] shorts = {9}; shorts[0] /= 2;
        float[] floats = {1.5f}; floats[0] *= 2; double[] doubles = {2.5}; doubles[0]--; String[][] names = new String[1][1]; names[0][0] = "n";
        return Arrays.deepToString(cube) + Arrays.deepToString(wide) + flags[1] + bytes[0] + chars[0] + shorts[0] + floats[0] + doubles[0] + names[0][0];
    }

    static String lambdas(int k) {
        IntBinaryOperator op = k > 1 ? (a, b) -> a * b + k : Math::max;
        Supplier<List<String>> make = ArrayList::new;
        List<String> list = make.get();
        Runnable r = () -> { for (int i = 0; i < k; i++) list.add("x" + i); };
        r.run();
        Function<Integer, Function<Integer, Integer>> curry = a -> b -> a - b;
        class Local { int twice() { return k * 2 + op.applyAsInt(k, 3); } }
        return list + " " + new Local().twice() + " " + curry.apply(9).apply(k) + " " + Shape.unit().name();
    }

    static String asserts(int k) { try { assert k > 0 : "k is " + k; return "fine"; } catch (AssertionError e) { return e.getMessage(); } }
    static int recursive(int n) { calls++; return n <= 1 ? n : recursive(n - 1) + recursive(n - 2); }
    static boolean logic(boolean a, boolean b, boolean c) { boolean x = a && b || !c; x ^= a; x &= b | c; return x == c ? a != b : (a ? b : c); }
    static Object refs(Object a, Object b) { if (a == b) return "same"; if (a != null && b == null) return a; return a == null ? b : a.equals(b); }
    static String nested(boolean f) { return new String(f ? new StringBuilder(!f ? "x" : "y").append(f ? 1 : 2).toString() : "z"); }
    static int spin(int n) { while (true) { if (n-- <= 0) return n; } }

    public static void main(String[] arguments) {
        for (int k = -1; k < 6; k++) System.out.println(dense(k) + " " + tries(k) + " " + asserts(k) + " " + spin(k) + " " + loops(k));
        for (int k : new int[] {-1000000, 0, 77, 2000000000, 5}) System.out.println(sparse(k));
        for (String s : new String[] {"a", "Aa", "BB", "zz"}) System.out.println(strings(s));
        for (Color c : Color.values()) System.out.println(c + " " + enums(c) + " " + Color.valueOf(c.name()).weight());
        System.out.println(resources("b") + resources("bad"));
        System.out.println(numbers(1.5, 2.5f, 1L << 40, 7, (byte) 120, 'z', (short) -3) + " " + numbers(Double.NaN, -1f, -5, 0, (byte) 1, 'a', (short) 2));
        System.out.println(many() + many(1) + many(1, 2, 3) + " " + largest(Arrays.asList("b", "d", "a")));
        System.out.println(locked(new Object()) + " " + arrays() + " " + lambdas(1) + lambdas(4));
        System.out.println(new Derived(true, null).text + new Derived(true, 5).text + new Derived(false, 1).text + new Derived(-7).text + new Derived(7).wide + new Derived(3).text + new Derived().text);
        Constructs outer = new Constructs();
        Inner inner = outer.new Inner(5);
        Inner.Deeper deeper = inner.new Deeper();
        System.out.println(inner.value + " " + deeper.sum() + " " + recursive(12) + " " + calls);
        for (int bits = 0; bits < 8; bits++) System.out.print(logic((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0) ? 1 : 0);
        System.out.println(" " + refs(null, null) + refs("a", null) + refs(null, "b") + refs("a", "b") + refs(1, 1));
        System.out.println(nested(true) + nested(false));
        String text = null;
        text += 'c' + 1 + 2L + " " + 3.0f + true + new int[0].length;
        System.out.println(text);
    }
}
