package branchwise.judge;

import java.io.File;
import java.io.FileDescriptor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Permission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Allows everything, and notes what a test asks of the machine around it. */
@SuppressWarnings({"removal", "deprecation"})
final class Machine extends SecurityManager {
    private final Path folder = Paths.get("").toAbsolutePath();
    private final Path temporary = Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath();

    /** Files that the test has made or written. */
    private final Set<Path> written = new HashSet<>();

    /** What the virtual machine itself reads: its own files, the classes, and what it seeds random numbers with. */
    private final List<Path> own = own();

    private String asked;
    private boolean reads;
    private boolean isLooking;

    /** Begins to watch, and says whether this virtual machine lets it: after Java 23 none does. */
    boolean watch() {
        try {
            System.setSecurityManager(this);
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    /** Before a test. */
    synchronized void begin() {
        asked = null;
        reads = false;
        written.clear();
    }

    /** After it: what it asked for, in words; null if nothing. */
    synchronized String asked() {
        return asked == null && reads ? "reads files" : asked;
    }

    private synchronized void note(String what) {
        asked = asked == null ? what : asked;
    }

    @Override
    public void checkPermission(Permission permission) {
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
    }

    @Override
    public void checkConnect(String host, int port) {
        note("asks for the network");
    }

    @Override
    public void checkConnect(String host, int port, Object context) {
        note("asks for the network");
    }

    @Override
    public void checkListen(int port) {
        note("asks for the network");
    }

    @Override
    public void checkAccept(String host, int port) {
        note("asks for the network");
    }

    @Override
    public void checkMulticast(InetAddress address) {
        note("asks for the network");
    }

    @Override
    public void checkExec(String command) {
        note("starts a program");
    }

    @Override
    public void checkWrite(FileDescriptor descriptor) {
    }

    /** Files in the folder for temporary ones are nobody's. */
    @Override
    public synchronized void checkWrite(String file) {
        Path path = path(file);
        written.add(path);
        if (path.startsWith(folder) || !path.startsWith(temporary)) {
            note("writes files");
        }
    }

    @Override
    public void checkRead(FileDescriptor descriptor) {
    }

    @Override
    public void checkRead(String file, Object context) {
        checkRead(file);
    }

    /** What is somewhere else on another machine, or not there at all. A file that is nowhere is missing everywhere. */
    @Override
    public synchronized void checkRead(String file) {
        if (isLooking || reads) {
            return;
        }
        isLooking = true;
        try {
            if (file.isEmpty()) {
                // A file without a name is nowhere, but a path without one is where the machine was started.
                reads = isBelow("sun.nio.fs.") && !isPrivileged();
                return;
            }
            Path path = path(file);
            boolean isOwn = written.contains(path) || own.stream().anyMatch(path::startsWith);
            reads = !isOwn && path.toFile().exists() && !isPrivileged();
        } catch (RuntimeException e) {
            // No name of a file.
        } finally {
            isLooking = false;
        }
    }

    /** Whether the platform reads in its own right: its settings, and classes. */
    private static boolean isPrivileged() {
        return isBelow("java.security.AccessController");
    }

    /** Whether a method is running of a class whose name begins so. */
    private static boolean isBelow(String name) {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getClassName().startsWith(name)) {
                return true;
            }
        }
        return false;
    }

    private static List<Path> own() {
        List<Path> own = new ArrayList<>();
        own.add(path(System.getProperty("java.home")));
        own.add(path("/dev/random"));
        own.add(path("/dev/urandom"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.isEmpty()) {
                own.add(path(entry));
            }
        }
        return own;
    }

    @Override
    public synchronized void checkDelete(String file) {
        if (!written.contains(path(file))) {
            note("deletes files");
        }
    }

    private static Path path(String file) {
        return new File(file).getAbsoluteFile().toPath().normalize();
    }
}
