/** Every instruction that the compiler writes, in as few methods as can be. What they compute is looked at by jumps, which the trace tells of. */
public class Every {
    static int shared;
    int held;
    long wide;

    static boolean told(long number) { return number > 3; }
    static boolean told(float number) { return number > 3 && number < 1e9f; }
    static boolean told(double number) { return number > 3 && number < 1e9; }
    static boolean told(int number) { return number != 3; }

    static void constants() {
        told(-1); told(0); told(1); told(2); told(3); told(4); told(5); told(100); told(1000); told(100000);
        told(0L); told(1L); told(5L);
        told(0f); told(1f); told(2f); told(3.5f);
        told(0.0); told(1.0); told(2.5);
        Object none = null;
        if (none != null) { told(1); }
    }

    static void ints(int a, int b, int c, int d, int e) {
        a += b; b -= c; c *= d; d = a / e; e = b % e;
        told(a + b + c + d + e);
        told(-a << b >> c >>> d);
        told(a & b | c ^ d);
        a++;
        told((byte) a); told((char) b); told((short) c);
        told((long) a); told((float) b); told((double) c);
        if (a == 0) { told(1); }
        if (a != 0) { told(1); }
        if (a < 0) { told(1); }
        if (a >= 0) { told(1); }
        if (a > 0) { told(1); }
        if (a <= 0) { told(1); }
        if (a == b) { told(1); }
        if (a != b) { told(1); }
        if (a < b) { told(1); }
        if (a >= b) { told(1); }
        if (a > b) { told(1); }
        if (a <= b) { told(1); }
        while (a < b) { a += 1000; }
        switch (c) { case 1: told(1); break; case 2: told(2); break; case 3: told(3); break; default: told(4); }
        switch (d) { case 1: told(1); break; case 2000: told(2); break; default: told(3); }
    }

    static void longs(long a, long b, long c) {
        a += b; b -= c; c *= a;
        told(a + b + c); told(a / 7 % 5); told(-a << 3 >> 1 >>> 2); told(a & b | c ^ a);
        told((int) a); told((float) b); told((double) c);
    }

    static void oddLongs(int zero, long a, long b) { a += zero; b += a; told(a); told(b); }

    static void floats(float a, float b, float c, float d, float e) {
        a += b; b -= c; c *= d; d = a / e; e = b % 3;
        told(a); told(b); told(c); told(d); told(-e); told((int) a); told((long) b); told((double) c);
        if (a < b) { told(1); }
        if (a > b) { told(1); }
    }

    static void doubles(double a, double b, double c) {
        a += b; b -= c; c *= a;
        told(a); told(b / 3 % 5); told(-c); told((int) a); told((long) b); told((float) c);
        if (a < b) { told(1); }
        if (a > b) { told(1); }
    }

    static void oddDoubles(int zero, double a, double b) { a += zero; b += a; told(a); told(b); }

    static Object objects(Object a, Object b, Object c, Object d, Object e) {
        a = b; b = c; c = d; d = e; e = a;
        if (a == b) { told(1); }
        if (a != c) { told(1); }
        if (d == null) { told(1); }
        if (e != null) { told(1); }
        told(e instanceof String ? 1 : 2);
        String text = (String) e;
        told(text.length());
        Object local = text;
        return local;
    }

    static void arrays(int at) {
        int[] ints = new int[3]; long[] longs = new long[3]; float[] floats = new float[3]; double[] doubles = new double[3];
        Object[] objects = new Object[3]; byte[] bytes = new byte[3]; char[] chars = new char[3]; short[] shorts = new short[3];
        int[][] table = new int[2][3];
        ints[at] = 5; longs[at] = 6; floats[at] = 7; doubles[at] = 8;
        objects[at] = table; bytes[at] = 9; chars[at] = 'x'; shorts[at] = 11;
        told(ints[at]); told(longs[at]); told(floats[at]); told(doubles[at]);
        told(objects[at] == table ? 1 : 2); told(bytes[at]); told(chars[at]); told(shorts[at]);
        told(table.length + ints[at]++); told(longs[at]++);
        ints[at] += at;
        told(ints[at]);
    }

    void fields(int by) {
        told(held++); told(wide++);
        held += by; wide += by;
        told(held); told(wide);
        shared = held;
        told(shared);
    }

    static long counted(long from) { return from + 1; }
    static int count(int from) { return from + 1; }
    static float half(float of) { return of / 2; }
    static double third(double of) { return of / 3; }

    static int calls(int by) {
        Every every = new Every();
        every.fields(by);
        count(by); counted(by); told(half(by)); told(third(by));
        Runnable run = every::hashes;
        run.run();
        synchronized (every) { told(by); }
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException thrown) {
            told(by + 1);
        }
        return by;
    }

    private void hashes() { held = 9; }
}
