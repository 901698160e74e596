package branchwise.judge;

import java.io.FilterInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

/** What a test changes that others share. It is put back, so that those are not blamed. */
final class Watch {
    /** How long threads that a test started may take to end, and shutdown hooks, in milliseconds. */
    private static final long GRACE = 100;
    private static final long LAST_GRACE = 2000;

    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final TimeZone zone = TimeZone.getDefault();
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final long started = startedThreads();
    private final Map<?, ?> hooks = hooks();

    private In ownIn;
    private Out ownOut;
    private Out ownErr;
    private Set<Thread> threads;
    private Set<Object> knownHooks;

    /** Before a test. */
    void begin() {
        ownIn = new In(in);
        ownOut = new Out();
        ownErr = new Out();
        System.setIn(ownIn);
        System.setOut(ownOut);
        System.setErr(ownErr);
        threads = threads();
        knownHooks = copy(hooks.keySet());
    }

    /** After it: what is not as it was, in words; null if everything is. */
    String changed() {
        String changed = null;
        Thread.interrupted();
        if (System.in != ownIn || System.out != ownOut || System.err != ownErr
                || ownIn.isClosed || ownOut.isClosed || ownErr.isClosed) {
            changed = "the standard streams";
        }
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        if (!locale.equals(Locale.getDefault())) {
            Locale.setDefault(locale);
            changed = "the locale";
        }
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
            changed = "the time zone";
        }
        if (handler != Thread.getDefaultUncaughtExceptionHandler()) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
            changed = "what is done with exceptions of threads";
        }
        Properties now = System.getProperties();
        for (String name : properties.stringPropertyNames()) {
            if (!properties.getProperty(name).equals(now.getProperty(name))) {
                now.setProperty(name, properties.getProperty(name));
                changed = "the property " + name;
            }
        }
        return hasThreads() ? "threads that go on" : changed;
    }

    /** Whether threads are there that were not before the test, and do not end soon. */
    private boolean hasThreads() {
        long until = System.currentTimeMillis() + GRACE;
        for (Thread thread : threads()) {
            if (!threads.contains(thread) && !ends(thread, until - System.currentTimeMillis())) {
                return true;
            }
        }
        return false;
    }

    /** Shutdown hooks that the test left. */
    Set<Object> hooksLeft() {
        Set<Object> left = copy(hooks.keySet());
        left.removeAll(knownHooks);
        return left;
    }

    /** Whether a shutdown hook comes to an end. */
    static boolean ends(Object hook) {
        if (hook instanceof Thread) {
            ((Thread) hook).start();
            return ends((Thread) hook, LAST_GRACE);
        }
        return true;
    }

    /** Whether threads were started since this began to watch. */
    boolean hasStartedThreads() {
        return startedThreads() > started;
    }

    private static long startedThreads() {
        return ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
    }

    private static boolean ends(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private static Set<Thread> threads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] found = new Thread[all.activeCount() * 2 + 16];
        int count = all.enumerate(found);
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < count; i++) {
            threads.add(found[i]);
        }
        return threads;
    }

    private static Set<Object> copy(Set<?> threads) {
        Set<Object> copy = Collections.newSetFromMap(new IdentityHashMap<>());
        copy.addAll(threads);
        return copy;
    }

    /** The machine's own table of hooks. To open its package would be seen by code under test. */
    private static Map<?, ?> hooks() {
        try {
            Field access = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            access.setAccessible(true);
            sun.misc.Unsafe memory = (sun.misc.Unsafe) access.get(null);
            Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
            return (Map<?, ?>) memory.getObject(memory.staticFieldBase(hooks), memory.staticFieldOffset(hooks));
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Another machine than is known here.
            return Collections.emptyMap();
        }
    }

    private static final class In extends FilterInputStream {
        private boolean isClosed;

        private In(InputStream in) {
            super(in);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static final class Nowhere extends OutputStream {
        @Override
        public void write(int one) {
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
        }
    }

    private static final class Out extends PrintStream {
        private boolean isClosed;

        private Out() {
            super(new Nowhere(), true);
        }

        @Override
        public void close() {
            isClosed = true;
            super.close();
        }
    }
}
