package odd;

/** Prints the class file of a class of the library. */
public class Copy {
    public static void main(java.lang.String[] arguments) throws Exception {
        System.out.write(Object.class.getResourceAsStream(arguments[0]).readAllBytes());
        System.out.flush();
    }
}
