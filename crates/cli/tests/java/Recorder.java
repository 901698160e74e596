package recorded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Notes how decisions were evaluated, and writes that to the file `RECORD` in the end: key, values, outcome. */
public final class Recorder {
    private static final List<Frame> OPEN = new ArrayList<>();
    private static final Set<String> SEEN = new TreeSet<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.write(Paths.get(System.getenv("RECORD")), SEEN);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }));
    }

    private Recorder() {}

    /** An evaluation that has begun: by which call, and what is known of its conditions. */
    private static final class Frame {
        final String key;
        final long depth;
        final StringBuilder values;

        Frame(String key, int conditions, long depth) {
            this.key = key;
            this.depth = depth;
            this.values = new StringBuilder("-".repeat(conditions));
        }
    }

    private static long depth() {
        return StackWalker.getInstance().walk(frames -> frames.count());
    }

    /** A decision of so many conditions is about to be evaluated. */
    public static String begin(String key, int conditions) {
        long depth = depth();
        // What an exception has left.
        OPEN.removeIf(frame -> frame.depth > depth || frame.depth == depth && frame.key.equals(key));
        OPEN.add(new Frame(key, conditions, depth));
        return key;
    }

    /** One of its conditions was. */
    public static boolean c(int number, boolean value) {
        long depth = depth();
        OPEN.removeIf(frame -> frame.depth > depth);
        OPEN.get(OPEN.size() - 1).values.setCharAt(number, value ? 'T' : 'F');
        return value;
    }

    /** All of it was. */
    public static boolean end(String key, boolean outcome) {
        long depth = depth();
        OPEN.removeIf(frame -> frame.depth > depth);
        Frame frame = OPEN.remove(OPEN.size() - 1);
        if (!frame.key.equals(key)) {
            throw new IllegalStateException(frame.key + " is not " + key);
        }
        SEEN.add(key + " " + frame.values + " " + outcome);
        return outcome;
    }
}
