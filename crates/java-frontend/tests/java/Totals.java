import java.io.InputStream;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import org.jacoco.core.analysis.*;
import org.jacoco.core.data.ExecutionDataStore;

/** Prints the branches that JaCoCo counts: a line for each class it cannot read, and one for each line of a method that has branches. */
public class Totals {
    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[0]);
        Path root = Files.isDirectory(path) ? path : FileSystems.newFileSystem(path, (ClassLoader) null).getPath("/");
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(f -> f.toString().endsWith(".class") && !f.toString().startsWith("/META-INF/")).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            Analyzer analyzer = new Analyzer(new ExecutionDataStore(), Totals::print);
            try (InputStream in = Files.newInputStream(file)) {
                analyzer.analyzeClass(in, file.toString());
            } catch (Exception e) {
                System.out.println("unread\t" + root.relativize(file));
            }
        }
    }

    private static void print(IClassCoverage c) {
        for (IMethodCoverage m : c.getMethods()) {
            for (int line = Math.max(m.getFirstLine(), 0); line <= Math.max(m.getLastLine(), 0); line++) {
                int total = m.getLine(line).getBranchCounter().getTotalCount();
                if (total > 0) {
                    System.out.println(c.getName() + "." + m.getName() + m.getDesc() + "\t" + line + "\t" + total);
                }
            }
            if (m.getFirstLine() < 0 && m.getBranchCounter().getTotalCount() > 0) {
                System.out.println(c.getName() + "." + m.getName() + m.getDesc() + "\t0\t" + m.getBranchCounter().getTotalCount());
            }
        }
    }
}
