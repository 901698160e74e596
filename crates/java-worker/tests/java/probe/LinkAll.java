package probe;

import java.util.StringJoiner;

/** Links, and so verifies, classes. */
public class LinkAll {
    public static String link(String names) {
        StringJoiner report = new StringJoiner("\n");
        int linked = 0;
        for (String name : names.split(" ")) {
            try {
                // Asking for methods links a class without initializing it.
                Class.forName(name, false, LinkAll.class.getClassLoader()).getDeclaredMethods();
                linked++;
            } catch (NoClassDefFoundError e) {
                report.add(name + " lacks " + e.getMessage());
            } catch (Throwable e) {
                report.add(name + " " + e.toString().split("\n")[0]);
            }
        }
        return report.add(linked + " linked").toString();
    }
}
