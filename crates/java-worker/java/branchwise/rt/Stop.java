package branchwise.rt;

/** Ends a run from inside: it used up its ticks, or wanted to end the machine. Code under test may catch it, but not for long. */
final class Stop extends Error {
    private static final long serialVersionUID = 1;

    /** One is enough: it has no stack, and where it must be thrown there may be no memory for another. */
    static final Stop STOP = new Stop();

    private Stop() {
        super("the run is over", null, false, false);
    }
}
