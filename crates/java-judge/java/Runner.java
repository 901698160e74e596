package branchwise.judge;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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
 * Arguments: the file for the lines, the seed, whether the order is to be turned around, whether what tests do besides is watched
 * ("no", "shared" for what tests share, "machine" also for what they ask of the machine), the classes.
 *
 * <p>Lines that are there already are those of a machine that a test took with it: what it began, or should skip, is left out.
 */
public final class Runner {
    private Runner() {
    }

    public static void main(String[] arguments) throws Exception {
        Set<String> done = done(Paths.get(arguments[0]));
        PrintWriter out = new PrintWriter(
                new OutputStreamWriter(new FileOutputStream(arguments[0], true), StandardCharsets.UTF_8), true);
        LauncherDiscoveryRequestBuilder everything = LauncherDiscoveryRequestBuilder.request();
        for (int i = 4; i < arguments.length; i++) {
            everything.selectors(DiscoverySelectors.selectClass(arguments[i]));
        }
        Launcher launcher = LauncherFactory.create();
        List<TestIdentifier> tests = tests(launcher.discover(everything.build()));
        tests.sort(Comparator.comparing(TestIdentifier::getUniqueId));
        Collections.shuffle(tests, new Random(Long.parseLong(arguments[1])));
        if (Boolean.parseBoolean(arguments[2])) {
            Collections.reverse(tests);
        }
        tests.removeIf(test -> done.contains(name(test)));
        for (TestIdentifier test : tests) {
            out.println("planned\t" + name(test));
        }
        if (arguments[3].equals("no")) {
            for (TestIdentifier test : tests) {
                out.println("begin\t" + name(test));
                out.println(run(launcher, test));
            }
            keepCounts();
        } else {
            watched(launcher, tests, out, arguments[3].equals("machine"));
        }
        out.println("end");
        // Neither threads nor shutdown hooks that tests left behind hold us up.
        Runtime.getRuntime().halt(0);
    }

    /** Runs a test and says what came of it. */
    private static String run(Launcher launcher, TestIdentifier test) {
        Listener listener = new Listener();
        launcher.execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectUniqueId(test.getUniqueId())).build(), listener);
        if (listener.failure == null && listener.isFinished) {
            return "passed\t" + name(test);
        }
        return "failed\t" + name(test) + "\t" + oneLine(String.valueOf(listener.failure));
    }

    /** Runs tests and says also what else they do. */
    private static void watched(Launcher launcher, List<TestIdentifier> tests, PrintWriter out, boolean byMachine) {
        Watch watch = new Watch();
        Machine machine = new Machine();
        if (byMachine && !machine.watch()) {
            out.println("unwatched");
        }
        Map<Object, TestIdentifier> hooks = new LinkedHashMap<>();
        for (TestIdentifier test : tests) {
            out.println("begin\t" + name(test));
            watch.begin();
            machine.begin();
            String came = run(launcher, test);
            String asked = machine.asked();
            String changed = watch.changed();
            watch.hooksLeft().forEach(hook -> hooks.put(hook, test));
            if (asked != null) {
                came = "asked\t" + name(test) + "\t" + asked;
            } else if (changed != null) {
                came = "changed\t" + name(test) + "\t" + changed;
            }
            out.println(came);
        }
        if (watch.hasStartedThreads()) {
            out.println("threads");
        }
        hooks.forEach((hook, test) -> {
            if (!Watch.ends(hook)) {
                out.println("changed\t" + name(test) + "\tshutdown hooks, by one that does not end");
            }
        });
    }

    private static Set<String> done(Path lines) throws IOException {
        Set<String> done = new HashSet<>();
        for (String line : Files.readAllLines(lines)) {
            if (line.startsWith("begin\t") || line.startsWith("skip\t")) {
                done.add(line.substring(line.indexOf('\t') + 1));
            }
        }
        return done;
    }

    private static List<TestIdentifier> tests(TestPlan plan) {
        List<TestIdentifier> tests = new ArrayList<>();
        for (TestIdentifier root : plan.getRoots()) {
            for (TestIdentifier test : plan.getDescendants(root)) {
                if (test.isTest()) {
                    tests.add(test);
                }
            }
        }
        return tests;
    }

    /** JaCoCo writes what it counted when a machine ends in order, which this one does not. */
    private static void keepCounts() throws ReflectiveOperationException {
        Class<?> type;
        Object agent;
        try {
            type = Class.forName("org.jacoco.agent.rt.IAgent");
            agent = Class.forName("org.jacoco.agent.rt.RT").getMethod("getAgent").invoke(null);
        } catch (ClassNotFoundException e) {
            // Nothing is measured.
            return;
        }
        type.getMethod("dump", boolean.class).invoke(agent, false);
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
