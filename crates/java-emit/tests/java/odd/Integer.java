package odd;

/** Named like a class of java.lang. */
public class Integer {
    public static int twice(int number) {
        return 2 * number;
    }

    public static java.lang.Integer box(int number) {
        return number;
    }
}
