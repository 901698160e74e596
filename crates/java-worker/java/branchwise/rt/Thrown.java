package branchwise.rt;

import java.io.IOException;

/** Tells what was thrown. */
final class Thrown {
    private static final int FRAMES = 8;
    private static final int LONGEST = 4096;

    private Thrown() {
    }

    static void tell(Message message, Throwable thrown) throws IOException {
        message.text(Classes.name(thrown.getClass()));
        message.optional(text(thrown));
        StackTraceElement[] stack = stack(thrown);
        int told = 0;
        int mark = message.mark();
        message.out.writeInt(0);
        for (int i = 0; i < stack.length && told < FRAMES; i++) {
            String type = stack[i].getClassName();
            if (type.equals(Call.class.getName())) {
                // Behind it is the worker alone.
                break;
            }
            if (!isOurs(type)) {
                message.text(type.replace('.', '/'));
                message.text(stack[i].getMethodName());
                message.out.writeInt(Math.max(0, stack[i].getLineNumber()));
                told++;
            }
        }
        message.patch(mark, told);
    }

    /** The message, which code under test may compute. */
    private static String text(Throwable thrown) {
        try {
            String text = thrown.getMessage();
            return text == null || text.length() <= LONGEST ? text : text.substring(0, LONGEST);
        } catch (Throwable e) {
            return null;
        }
    }

    private static StackTraceElement[] stack(Throwable thrown) {
        if (thrown instanceof OutOfMemoryError) {
            // The machine has a few of them in store with a place for the stack, and later ones have none.
            return new StackTraceElement[0];
        }
        try {
            StackTraceElement[] stack = thrown.getStackTrace();
            return stack == null ? new StackTraceElement[0] : stack;
        } catch (Throwable e) {
            return new StackTraceElement[0];
        }
    }

    private static boolean isOurs(String type) {
        return type.startsWith("branchwise.rt.") || type.startsWith("java.lang.reflect.") || type.startsWith("java.lang.invoke.")
            || type.startsWith("jdk.internal.reflect.") || type.startsWith("sun.reflect.");
    }
}
