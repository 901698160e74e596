package odd;

/** Named like a class of the library. */
public class TreeMap {
    @Override
    public java.lang.String toString() {
        return "own";
    }
}
