package probe;

import java.util.Objects;

/** Jumps on texts. */
public class Texts {
    public static int isMagic(String text) {
        return text.equals("magic") ? 1 : 0;
    }

    public static int same(String text, String other) {
        return Objects.equals(text, other) ? 1 : 0;
    }

    public static int ignoring(String text, String other) {
        return text.equalsIgnoreCase(other) ? 1 : 0;
    }

    public static int starts(String text, String part) {
        return text.startsWith(part) ? 1 : 0;
    }

    public static int ends(String text, String part) {
        return text.endsWith(part) ? 1 : 0;
    }

    public static int contains(String text, String part) {
        return text.contains(part) ? 1 : 0;
    }

    public static int empty(String text, String ignored) {
        return text.isEmpty() ? 1 : 0;
    }
}
