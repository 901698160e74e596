/** Prints how a class fails to link. */
public class Refused {
    public static void main(String[] arguments) throws Exception {
        try { Class.forName("Counted"); System.out.println("linked"); } catch (Throwable t) { System.out.println(t.getClass().getName()); }
    }
}
