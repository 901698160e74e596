/** Runs the main methods of some classes. */
public class RunAll {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            System.out.println("== " + name);
            Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }
}
