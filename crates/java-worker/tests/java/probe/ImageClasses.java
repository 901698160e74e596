package probe;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the class files of a module of this runtime into a file, each after its length. */
public class ImageClasses {
    public static int write(String module, String file) throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules", module);
        List<Path> classes;
        try (Stream<Path> all = Files.walk(root)) {
            classes = all.filter(path -> path.toString().endsWith(".class")).sorted().collect(Collectors.toList());
        }
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(file))))) {
            for (Path path : classes) {
                byte[] bytes = Files.readAllBytes(path);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
        return classes.size();
    }
}
