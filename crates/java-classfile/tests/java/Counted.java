/** Small methods whose hooks are counted. */
public class Counted {
    final int value;

    Counted(int value) { this.value = value; }

    Counted(boolean flag) { this(flag ? 1 : 2); }

    static int loop(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }

    static int choose(int k) { switch (k) { case 1: return 10; case 2: return 20; default: return 0; } }

    static int caught(int[] a, int i) { try { return a[i]; } catch (ArrayIndexOutOfBoundsException e) { return -1; } }

    static long calls(long x) { return Math.abs(x) + Math.max(x, 3L); }

    /** Its first instruction is where its loop begins. */
    static int first(int n) { do { n--; } while (n > 0); return n; }

    static boolean same(Object a, Object b) { return a == b || a == null; }

    static Object make(boolean flag) { return new Counted(flag); }
}
