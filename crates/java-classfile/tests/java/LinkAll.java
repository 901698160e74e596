import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Links, and so verifies, every class below some folders, and prints what became of each. */
public class LinkAll {
    public static void main(String[] folders) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String folder : folders) urls.add(new File(folder).toURI().toURL());
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), LinkAll.class.getClassLoader());
        for (String folder : folders) {
            Path root = Path.of(folder);
            List<String> names;
            try (Stream<Path> files = Files.walk(root)) {
                names = files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                    .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                    .sorted().toList();
            }
            for (String name : names) System.out.println(name + " " + link(loader, name));
        }
    }

    private static String link(ClassLoader loader, String name) {
        try {
            // Asking for methods links a class without initializing it.
            Class.forName(name, false, loader).getDeclaredMethods();
            return "linked";
        } catch (NoClassDefFoundError e) {
            return "lacks " + e.getMessage();
        } catch (Throwable e) {
            return e.toString().replace('\n', ' ');
        }
    }
}
