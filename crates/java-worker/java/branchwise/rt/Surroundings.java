package branchwise.rt;

import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/** What a run may change outside of its own classes, as it was at first; and threads that it leaves behind, or that end with an exception. */
final class Surroundings implements Thread.UncaughtExceptionHandler {
    /** How long threads that a run started may take to end, in milliseconds. */
    private static final long GRACE = 50;

    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final ThreadGroup all = root();
    private final long locals = localsOffset();
    private final Thread[] known = new Thread[64];
    private final Thread[] found = new Thread[64];

    /** What ended the first thread of a run that nobody looks after. */
    private Throwable uncaught;

    Surroundings() {
        all.enumerate(known);
        Thread.setDefaultUncaughtExceptionHandler(this);
    }

    private static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    private static long localsOffset() {
        try {
            return Trace.MEMORY.objectFieldOffset(Thread.class.getDeclaredField("threadLocals"));
        } catch (NoSuchFieldException e) {
            return -1;
        }
    }

    void restore() {
        Thread.interrupted();
        if (!properties.equals(System.getProperties())) {
            System.setProperties((Properties) properties.clone());
        }
        if (!locale.equals(Locale.getDefault()) || !display.equals(Locale.getDefault(Locale.Category.DISPLAY))
                || !format.equals(Locale.getDefault(Locale.Category.FORMAT))) {
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
        }
        Thread.setDefaultUncaughtExceptionHandler(this);
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    /** Notes it, and prints what the machine would. */
    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
        // Hooks end a run in this way, in whichever thread it is.
        if (thrown instanceof Stop) {
            return;
        }
        synchronized (this) {
            uncaught = uncaught == null ? thrown : uncaught;
        }
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
    }

    /** What ended a thread since this was asked last, or null. */
    synchronized Throwable takeUncaught() {
        Throwable taken = uncaught;
        uncaught = null;
        return taken;
    }

    /** Values of thread-local variables belong to classes that are to be loaded again. */
    void forgetLocals() {
        if (locals >= 0) {
            Trace.MEMORY.putObject(Thread.currentThread(), locals, null);
        }
    }

    /** Whether threads are there that were not at first, and do not end soon. */
    boolean hasThreads() {
        int count = all.enumerate(found);
        long until = 0;
        for (int i = 0; i < count; i++) {
            Thread thread = found[i];
            found[i] = null;
            if (isKnown(thread)) {
                continue;
            }
            until = until == 0 ? System.currentTimeMillis() + GRACE : until;
            if (!ends(thread, until - System.currentTimeMillis())) {
                return true;
            }
        }
        return false;
    }

    private boolean isKnown(Thread thread) {
        for (Thread one : known) {
            if (one == thread) {
                return true;
            }
        }
        return false;
    }

    private static boolean ends(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
