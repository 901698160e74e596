package odd;

/** Named like a variable. */
public class value {
    public static int of(java.lang.Integer number) {
        return number == null ? 0 : number;
    }
}
