package probe;

/** Nobody extends it. */
public abstract class Abstract implements Comparable<String> {
    private final int made;

    Abstract(int made, String ignored, double alsoIgnored) {
        this.made = made;
    }

    protected abstract String name();

    abstract long count(double a, int b);

    abstract boolean[] flags();

    abstract void nothing(long a);

    public String tell(String text) {
        nothing(1);
        return made + ":" + name() + count(1, 2) + name() + count(3, 4) + (flags() != null || compareTo(text) != 0) + " " + text;
    }
}
