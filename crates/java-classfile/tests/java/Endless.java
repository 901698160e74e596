/** Loops that end only if nobody catches what ends them. */
public class Endless {
    static long n;
    static final Object lock = new Object();

    static int plain() { while (true) n++; }

    static int swallowed() { try { while (true) n++; } catch (Throwable t) { return -1; } }

    static int again() { while (true) { try { n = work(n); } catch (Throwable t) { n--; } } }

    static int inner() { while (true) { try { while (true) { try { n++; if (n < 0) return 1; } catch (Error e) { n--; } } } catch (Throwable t) { n -= 2; } } }

    @SuppressWarnings("finally")
    static int last() { while (true) { try { for (;;) n++; } finally { continue; } } }

    static int locked() { synchronized (lock) { while (true) n++; } }

    static int both() { while (true) { try { synchronized (lock) { while (true) n++; } } catch (Throwable t) { n++; } } }

    static long work(long n) { if (n % 3 == 0) throw new IllegalStateException(); return n + 1; }
}
