package branchwise.rt;

import java.io.IOException;
import java.lang.reflect.Array;
import java.util.regex.Pattern;

/** Tells what is seen of results. */
final class Observer {
    private static final int ELEMENTS = 64;
    private static final int DEPTH = 3;
    private static final int LONGEST_STRING = 1 << 16;
    private static final int LONGEST_TEXT = 4096;

    /** What {@code Object.toString} prints, also in the middle of other texts: it differs from run to run. */
    private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{5,8}(?![0-9A-Za-z])");

    private static final ClassValue<Boolean> PRINTS = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException | LinkageError e) {
                return false;
            }
        }
    };

    private final Message message;
    private final Object[] results;

    /** Results of steps that came to an end. */
    Observer(Message message, Object[] results) {
        this.message = message;
        this.results = results;
    }

    /** What a step of a type gave; objects that an earlier step gave are told as such. */
    void see(Object value, Class<?> type, int earlier) throws IOException {
        int mark = message.mark();
        try {
            if (type == void.class) {
                message.out.writeByte(Codes.SEEN_VOID);
            } else if (type.isPrimitive()) {
                number(Codes.SEEN_PRIMITIVE, value);
            } else {
                reference(value, earlier, 0);
            }
        } catch (StackOverflowError | OutOfMemoryError e) {
            message.back(mark);
            object(value, null);
        }
    }

    void threw(Throwable thrown) throws IOException {
        message.out.writeByte(Codes.SEEN_THREW);
        message.text(Classes.name(thrown.getClass()));
    }

    private void number(int kind, Object box) throws IOException {
        message.out.writeByte(kind + Values.primitive(box));
        message.out.writeLong(Values.bits(box));
    }

    private void reference(Object value, int earlier, int depth) throws IOException {
        if (value == null) {
            message.out.writeByte(Codes.SEEN_NULL);
        } else if (value instanceof String && ((String) value).length() <= LONGEST_STRING) {
            message.out.writeByte(Codes.SEEN_TEXT);
            message.out.writeInt(((String) value).length());
            message.out.writeChars((String) value);
        } else if (Values.primitive(value) >= 0) {
            number(Codes.SEEN_BOXED, value);
        } else if (value instanceof Enum) {
            message.out.writeByte(Codes.SEEN_ENUM);
            message.text(Classes.name(((Enum<?>) value).getDeclaringClass()));
            message.text(((Enum<?>) value).name());
        } else if (step(value, earlier) >= 0) {
            message.out.writeByte(Codes.SEEN_SAME);
            message.out.writeInt(step(value, earlier));
        } else if (value.getClass().isArray() && depth < DEPTH) {
            array(value, earlier, depth);
        } else {
            object(value, text(value));
        }
    }

    private int step(Object value, int earlier) {
        for (int i = 0; i < earlier; i++) {
            if (results[i] == value) {
                return i;
            }
        }
        return -1;
    }

    private void array(Object array, int earlier, int depth) throws IOException {
        int length = Array.getLength(array);
        boolean isPrimitive = array.getClass().getComponentType().isPrimitive();
        message.out.writeByte(Codes.SEEN_ARRAY);
        message.text(Classes.name(array.getClass()));
        message.out.writeInt(length);
        message.out.writeInt(Math.min(length, ELEMENTS));
        for (int i = 0; i < Math.min(length, ELEMENTS); i++) {
            if (isPrimitive) {
                number(Codes.SEEN_PRIMITIVE, Array.get(array, i));
            } else {
                reference(Array.get(array, i), earlier, depth + 1);
            }
        }
    }

    private void object(Object value, String text) throws IOException {
        message.out.writeByte(Codes.SEEN_OBJECT);
        message.text(Classes.name(value.getClass()));
        message.optional(text);
    }

    /** Code under test, maybe: whatever it does ends here. */
    private static String text(Object value) {
        try {
            if (value instanceof String || !PRINTS.get(value.getClass())) {
                return null;
            }
            String text = value.toString();
            boolean isUsable = text != null && text.length() <= LONGEST_TEXT && !IDENTITY.matcher(text).find();
            return isUsable ? text : null;
        } catch (Throwable e) {
            return null;
        }
    }
}
