package branchwise.judge;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Collections;
import java.util.Random;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of classes one by one, in an order that a seed decides, and writes what came of each as a line.
 * Arguments: the file for the lines, the seed, the classes.
 */
public final class Runner {
    private Runner() {
    }

    public static void main(String[] arguments) throws Exception {
        PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(arguments[0]), StandardCharsets.UTF_8), true);
        LauncherDiscoveryRequestBuilder everything = LauncherDiscoveryRequestBuilder.request();
        for (int i = 2; i < arguments.length; i++) {
            everything.selectors(DiscoverySelectors.selectClass(arguments[i]));
        }
        Launcher launcher = LauncherFactory.create();
        TestPlan plan = launcher.discover(everything.build());
        List<TestIdentifier> tests = new ArrayList<>();
        for (TestIdentifier root : plan.getRoots()) {
            for (TestIdentifier test : plan.getDescendants(root)) {
                if (test.isTest()) {
                    tests.add(test);
                }
            }
        }
        tests.sort(Comparator.comparing(TestIdentifier::getUniqueId));
        Collections.shuffle(tests, new Random(Long.parseLong(arguments[1])));
        for (TestIdentifier test : tests) {
            out.println("begin\t" + name(test));
            Listener listener = new Listener();
            launcher.execute(LauncherDiscoveryRequestBuilder.request()
                    .selectors(DiscoverySelectors.selectUniqueId(test.getUniqueId())).build(), listener);
            if (listener.failure == null && listener.isFinished) {
                out.println("passed\t" + name(test));
            } else {
                out.println("failed\t" + name(test) + "\t" + oneLine(String.valueOf(listener.failure)));
            }
        }
        out.println("end");
        // Threads that tests left behind do not hold us up. JaCoCo writes its file on the way out.
        System.exit(0);
    }

    private static String name(TestIdentifier test) {
        if (test.getSource().orElse(null) instanceof MethodSource) {
            MethodSource source = (MethodSource) test.getSource().get();
            return source.getClassName() + "\t" + source.getMethodName();
        }
        return test.getDisplayName() + "\t";
    }

    private static String oneLine(String text) {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n");
    }

    private static final class Listener implements TestExecutionListener {
        private Throwable failure;
        private boolean isFinished;

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            isFinished |= test.isTest();
            if (failure == null) {
                failure = result.getThrowable().orElse(null);
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            isFinished = true;
        }
    }
}
