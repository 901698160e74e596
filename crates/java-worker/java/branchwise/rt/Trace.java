package branchwise.rt;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import sun.misc.Unsafe;

/**
 * The events of a run, written into memory that the driver maps too.
 *
 * <p>Only the thread that runs the test writes: events of several threads would mix. What does not fit ends the trace.
 */
final class Trace {
    static final Unsafe MEMORY = unsafe();

    /** A collected buffer would be unmapped under the hooks. */
    private static MappedByteBuffer kept;

    private static long begin;
    private static long end;
    private static long at;
    private static boolean cut;

    /** The thread whose events are written; nobody's while the worker itself is at work. */
    private static Thread recorded;

    private Trace() {
    }

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void map(String file) throws IOException, NoSuchFieldException {
        try (RandomAccessFile opened = new RandomAccessFile(file, "rw")) {
            kept = opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, opened.length());
            begin = MEMORY.getLong(kept, MEMORY.objectFieldOffset(Buffer.class.getDeclaredField("address")));
            end = begin + opened.length();
            at = begin;
        }
    }

    static void restart() {
        at = begin;
        cut = false;
        recorded = Thread.currentThread();
    }

    static void pause() {
        recorded = null;
    }

    /** Goes on where it was paused. */
    static void resume() {
        if (!cut) {
            recorded = Thread.currentThread();
        }
    }

    static int words() {
        return (int) ((at - begin) >> 2);
    }

    static boolean isCut() {
        return cut;
    }

    /** Whether an event of the current thread is wanted. */
    static boolean isOn() {
        return Thread.currentThread() == recorded;
    }

    /** Where an event of so many words goes, or 0. */
    private static long room(int words) {
        if (Thread.currentThread() != recorded) {
            return 0;
        }
        if (end - at < 4L * words) {
            cut = true;
            recorded = null;
            return 0;
        }
        return at;
    }

    static void put(int head) {
        long to = room(1);
        if (to != 0) {
            MEMORY.putInt(to, head);
            at = to + 4;
        }
    }

    static void put(int head, int a) {
        long to = room(2);
        if (to != 0) {
            MEMORY.putInt(to, head);
            MEMORY.putInt(to + 4, a);
            at = to + 8;
        }
    }

    static void put(int head, int a, int b) {
        long to = room(3);
        if (to != 0) {
            MEMORY.putInt(to, head);
            MEMORY.putInt(to + 4, a);
            MEMORY.putInt(to + 8, b);
            at = to + 12;
        }
    }

    static void put(int head, int a, int b, int c, int d) {
        long to = room(5);
        if (to != 0) {
            MEMORY.putInt(to, head);
            MEMORY.putInt(to + 4, a);
            MEMORY.putInt(to + 8, b);
            MEMORY.putInt(to + 12, c);
            MEMORY.putInt(to + 16, d);
            at = to + 20;
        }
    }
}
