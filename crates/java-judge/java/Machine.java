package branchwise.judge;

import java.io.File;
import java.io.FileDescriptor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Permission;
import java.util.HashSet;
import java.util.Set;

/** Allows everything, and notes what a test asks of the machine around it. */
@SuppressWarnings({"removal", "deprecation"})
final class Machine extends SecurityManager {
    private final Path folder = Paths.get("").toAbsolutePath();
    private final Path temporary = Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath();

    /** Files that the test has made or written. */
    private final Set<Path> written = new HashSet<>();

    private String asked;

    /** Begins to watch, unless this virtual machine cannot. */
    static Machine watch() {
        Machine machine = new Machine();
        try {
            System.setSecurityManager(machine);
        } catch (UnsupportedOperationException e) {
            return machine;
        }
        return machine;
    }

    /** Before a test. */
    synchronized void begin() {
        asked = null;
        written.clear();
    }

    /** After it: what it asked for, in words; null if nothing. */
    synchronized String asked() {
        return asked;
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
    public synchronized void checkDelete(String file) {
        if (!written.contains(path(file))) {
            note("deletes files");
        }
    }

    private static Path path(String file) {
        return new File(file).getAbsoluteFile().toPath().normalize();
    }
}
