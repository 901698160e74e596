package some.where;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** Something of everything that a class says about itself. */
@Deprecated
@Attributes.Generated(names = {"a", "b"}, nested = @Attributes.Inner(5))
public abstract class Attributes<T extends Comparable<T>> implements Supplier<List<T>> {
    @interface Generated { String[] names(); Inner nested(); Class<?> type() default Object.class; }

    @interface Inner { int value(); }

    sealed interface Shape permits Circle, Square {}

    record Circle(double radius, List<String> tags) implements Shape {}

    record Square() implements Shape {}

    static final long LIMIT = 1L << 33;
    static final String LONE = "x\ud83d";
    protected List<T> items;

    @Deprecated
    public abstract <E extends Exception> T pick(final int first, long second, T[][] third) throws E, IOException;

    Object local(int given) {
        String text = "n" + given;
        return new Object() { @Override public String toString() { return text; } };
    }
}
