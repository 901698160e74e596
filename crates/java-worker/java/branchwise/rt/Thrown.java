package branchwise.rt;

import java.io.IOException;

/** Tells what was thrown. */
final class Thrown {
    private static final int FRAMES = 8;

    /** Beyond those before, only methods of users: whose calls an exception ends has to be known, and recursion of several methods is to show once round. */
    private static final int MANY = 64;
    private static final int LONGEST = 4096;

    private Thrown() {
    }

    static void tell(Message message, Throwable thrown) throws IOException {
        message.text(Classes.name(thrown.getClass()));
        // What a static initialiser threw is told in place of what the machine made of it.
        Throwable cause = thrown instanceof ExceptionInInitializerError ? thrown.getCause() : null;
        message.optional(cause == null ? text(thrown) : Classes.name(cause.getClass()).replace('/', '.') + colon(text(cause)));
        tell(message, stack(cause == null ? thrown : cause), MANY);
    }

    private static String colon(String text) {
        return text == null ? "" : ": " + text;
    }

    /** Where a run was stopped; nothing if that is null. */
    static void tellStopped(Message message, StackTraceElement[] stack) throws IOException {
        tell(message, stack == null ? new StackTraceElement[0] : stack, FRAMES);
    }

    private static void tell(Message message, StackTraceElement[] stack, int most) throws IOException {
        int told = 0;
        int mark = message.mark();
        message.out.writeInt(0);
        for (int i = 0; i < stack.length && told < most; i++) {
            String type = stack[i].getClassName();
            if (type.equals(Call.class.getName())) {
                // Behind it is the worker alone.
                break;
            }
            if (!isOurs(type) && (told < FRAMES || !isOfPlatform(type))) {
                message.text(type.replace('.', '/'));
                message.text(stack[i].getMethodName());
                message.out.writeInt(Math.max(0, stack[i].getLineNumber()));
                told++;
            }
        }
        message.patch(mark, told);
    }

    private static boolean isOfPlatform(String type) {
        return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.");
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

    static boolean isOurs(String type) {
        return type.startsWith("branchwise.rt.") || type.startsWith("java.lang.reflect.") || type.startsWith("java.lang.invoke.")
            || type.startsWith("jdk.internal.reflect.") || type.startsWith("sun.reflect.");
    }
}
