package branchwise.rt;

/** Ticks that a run has left, and whether it wanted to end the machine. */
final class Budget {
    private static Thread runner;
    private static long left = -1;

    /** Other threads have a budget of their own: how they are scheduled must not change when the run ends. */
    private static long others = -1;

    private static boolean exited;
    private static int status;

    private Budget() {
    }

    static void begin(long ticks) {
        runner = Thread.currentThread();
        exited = false;
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

    static void tick() {
        if (Thread.currentThread() == runner) {
            if (--left < 0) {
                left = -1;
                throw Stop.STOP;
            }
        } else if (--others < 0) {
            others = -1;
            throw Stop.STOP;
        }
    }

    static void exit(int wanted) {
        if (Thread.currentThread() == runner && !exited && left >= 0) {
            exited = true;
            status = wanted;
            left = -1;
        }
        throw Stop.STOP;
    }
}
