package branchwise.rt;

import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A reply in the making. Its buffer is there from the beginning: a run may leave no memory for another. */
final class Message {
    private final Buffer buffer = new Buffer();
    final DataOutputStream out = new DataOutputStream(buffer);

    /** UTF-8, its length first. */
    static String text(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    void text(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    void optional(String text) throws IOException {
        out.writeByte(text == null ? 0 : 1);
        if (text != null) {
            text(text);
        }
    }

    void clear() {
        buffer.restart();
    }

    int mark() {
        return buffer.size();
    }

    /** Takes back what was written since a mark. */
    void back(int mark) {
        buffer.cut(mark);
    }

    /** Writes a number that was not known before what follows it. */
    void patch(int mark, int number) {
        buffer.patch(mark, number);
    }

    /** Sends what was written, its length first. */
    void send(OutputStream to) throws IOException {
        buffer.send(to);
    }

    private static final class Buffer extends ByteArrayOutputStream {
        Buffer() {
            super(1 << 18);
            restart();
        }

        /** With room for the length. */
        void restart() {
            count = 4;
        }

        void cut(int to) {
            count = to;
        }

        void patch(int at, int number) {
            for (int i = 0; i < 4; i++) {
                buf[at + i] = (byte) (number >> (24 - 8 * i));
            }
        }

        void send(OutputStream to) throws IOException {
            patch(0, count - 4);
            to.write(buf, 0, count);
            to.flush();
        }
    }
}
