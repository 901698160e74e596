package branchwise.rt;

/** Ticks that a run has left, and whether it wanted to end the machine. */
final class Budget {
    private static Thread runner;
    private static long left = -1;

    /** Other threads have a budget of their own: how they are scheduled must not change when the run ends. */
    private static long others = -1;

    private static boolean exited;
    private static int status;

    /** Where the run was when it was stopped. */
    private static StackTraceElement[] stack;

    private Budget() {
    }

    static void begin(long ticks) {
        runner = Thread.currentThread();
        exited = false;
        stack = null;
        left = ticks;
        others = ticks;
    }

    /** Whatever is still running ends at its next tick. */
    static void end() {
        left = -1;
        others = -1;
    }

    static boolean isSpent() {
        return left < 0;
    }

    static boolean isExited() {
        return exited;
    }

    static int status() {
        return status;
    }

    /** Where the run was when it was stopped; null if it was not. */
    static StackTraceElement[] stack() {
        return stack;
    }

    private static void noteStack() {
        try {
            stack = new Throwable().getStackTrace();
        } catch (Throwable e) {
            // There may be no stack or memory left to tell.
            stack = null;
        }
    }

    static void tick() {
        if (Thread.currentThread() == runner) {
            if (--left < 0) {
                if (left == -1 && stack == null && !exited) {
                    noteStack();
                }
                left = -1;
                throw Stop.STOP;
            }
        } else if (--others < 0) {
            others = -1;
            throw Stop.STOP;
        }
    }

    /** Whichever thread asks for it, the run ends. */
    static void exit(int wanted) {
        if (!exited && left >= 0) {
            noteStack();
            exited = true;
            status = wanted;
            left = -1;
        }
        throw Stop.STOP;
    }
}
