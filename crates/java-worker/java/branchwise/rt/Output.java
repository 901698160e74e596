package branchwise.rt;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;

/** Standard streams of a run: nothing to read, and the beginning of what is printed is kept. */
final class Output extends OutputStream {
    private static final int KEPT = 4096;

    private final byte[] kept = new byte[KEPT];
    private int count;
    private boolean isClosed = true;
    private PrintStream stream;

    /** Before a run. */
    void begin() throws UnsupportedEncodingException {
        count = 0;
        if (isClosed) {
            stream = new PrintStream(this, true, "UTF-8");
            isClosed = false;
        }
        System.setOut(stream);
        System.setErr(stream);
        System.setIn(new ByteArrayInputStream(new byte[0]));
    }

    synchronized String text() {
        return new String(kept, 0, count, StandardCharsets.UTF_8);
    }

    @Override
    public synchronized void write(int one) {
        if (count < KEPT) {
            kept[count++] = (byte) one;
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
        int taken = Math.min(length, KEPT - count);
        System.arraycopy(bytes, from, kept, count, taken);
        count += taken;
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
