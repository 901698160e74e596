package branchwise.judge;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.analysis.ISourceNode;
import org.jacoco.core.tools.ExecFileLoader;

/**
 * Says what JaCoCo counted in classes, line by line. Arguments: the file for the lines, the folder with the files of the agent, the class
 * path, the classes.
 */
public final class Coverage {
    private Coverage() {
    }

    public static void main(String[] arguments) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        for (File file : new File(arguments[1]).listFiles((folder, name) -> name.endsWith(".exec"))) {
            loader.load(file);
        }
        List<URL> places = new ArrayList<>();
        for (String place : arguments[2].split(File.pathSeparator)) {
            places.add(new File(place).toURI().toURL());
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Paths.get(arguments[0]), StandardCharsets.UTF_8));
                URLClassLoader classes = new URLClassLoader(places.toArray(new URL[0]), null)) {
            for (int i = 3; i < arguments.length; i++) {
                CoverageBuilder builder = new CoverageBuilder();
                analyze(new Analyzer(loader.getExecutionDataStore(), builder), classes, arguments[i], out);
                for (IClassCoverage coverage : builder.getClasses()) {
                    print(coverage, out);
                }
            }
            out.println("end");
        }
    }

    private static void analyze(Analyzer analyzer, ClassLoader classes, String name, PrintWriter out) {
        try (InputStream file = classes.getResourceAsStream(name + ".class")) {
            if (file == null) {
                out.println("unread\t" + name + "\tnot on the class path");
            } else {
                analyzer.analyzeClass(file, name);
            }
        } catch (IOException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            out.println("unread\t" + name + "\t" + String.valueOf(cause.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private static void print(IClassCoverage coverage, PrintWriter out) {
        for (IMethodCoverage method : coverage.getMethods()) {
            out.println("method\t" + coverage.getName() + "\t" + method.getName() + "\t" + method.getDesc() + "\t"
                    + counts(method) + "\t" + count(method.getLineCounter()));
            for (int number = method.getFirstLine(); number <= method.getLastLine(); number++) {
                ILine line = method.getLine(number);
                if (number != ISourceNode.UNKNOWN_LINE && line.getStatus() != ICounter.EMPTY) {
                    out.println("line\t" + number + "\t" + count(line.getInstructionCounter()) + "\t"
                            + count(line.getBranchCounter()));
                }
            }
        }
    }

    private static String counts(IMethodCoverage method) {
        return count(method.getInstructionCounter()) + "\t" + count(method.getBranchCounter());
    }

    private static String count(ICounter counter) {
        return counter.getCoveredCount() + "\t" + counter.getTotalCount();
    }
}
