package probe;

import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

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

    /** The same in few words: how many were refused for what, and a number that is another one if a single word is. */
    public static String summary(String names) {
        // Loaders have names that are others each time.
        String report = link(names).replaceAll("@[0-9a-f]+", "@");
        Map<String, Integer> refused = new TreeMap<>();
        for (String line : report.split("\n")) {
            refused.merge(line.split(" ")[1].replaceAll("[.:]*$", ""), 1, Integer::sum);
        }
        return refused + " " + report.hashCode() + "\n" + report.substring(report.lastIndexOf('\n') + 1);
    }
}
