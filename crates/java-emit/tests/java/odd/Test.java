package odd;

/** Named like the annotation of a test. */
public class Test {
    public java.lang.String name(java.util.TreeMap<Integer, Integer> map, TreeMap own) {
        return map == null ? "none" : "some" + own;
    }
}
