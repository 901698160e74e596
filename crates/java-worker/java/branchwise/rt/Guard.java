package branchwise.rt;

import java.io.File;
import java.io.FileDescriptor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Permission;
import java.util.ArrayList;
import java.util.List;

/**
 * Allows everything, and notes whether a run asks the machine for something that is not its own: the network, another program, files that
 * others have made. A test of that would say nothing of other machines. Code under test can see it, so nothing else is believed of such a run.
 */
@SuppressWarnings({"removal", "deprecation"})
final class Guard extends SecurityManager {
    /** Files of runs, which are gone when a run is over, and what the platform reads for itself. */
    private final List<Path> own = new ArrayList<>();

    private volatile boolean asked;

    /** Who is asked about a file may ask about files. */
    private final ThreadLocal<Boolean> isLooking = new ThreadLocal<>();

    Guard() {
        own.add(OwnFiles.HOME.toPath());
        own.add(OwnFiles.TEMPORARY.toPath().toAbsolutePath());
        own.add(Paths.get(System.getProperty("java.home")));
        own.add(Paths.get("/dev/random"));
        own.add(Paths.get("/dev/urandom"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.isEmpty()) {
                own.add(path(entry));
            }
        }
    }

    /** Begins to watch, if the virtual machine lets it: after Java 23 none does. */
    void begin() {
        asked = false;
        try {
            System.setSecurityManager(this);
        } catch (UnsupportedOperationException e) {
            // Then tests are tried without somebody who looks, and that is told.
        }
    }

    /** Ends it, and says whether the run has asked for something. */
    boolean end() {
        if (System.getSecurityManager() == this) {
            System.setSecurityManager(null);
        }
        return asked;
    }

    @Override
    public void checkPermission(Permission permission) {
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
    }

    @Override
    public void checkConnect(String host, int port) {
        asked = true;
    }

    @Override
    public void checkConnect(String host, int port, Object context) {
        asked = true;
    }

    @Override
    public void checkListen(int port) {
        asked = true;
    }

    @Override
    public void checkAccept(String host, int port) {
        asked = true;
    }

    @Override
    public void checkMulticast(InetAddress address) {
        asked = true;
    }

    @Override
    public void checkExec(String command) {
        asked = true;
    }

    @Override
    public void checkWrite(FileDescriptor descriptor) {
    }

    @Override
    public void checkWrite(String file) {
        asked |= !isOwn(file);
    }

    @Override
    public void checkDelete(String file) {
        asked |= !isOwn(file);
    }

    @Override
    public void checkRead(FileDescriptor descriptor) {
    }

    @Override
    public void checkRead(String file, Object context) {
        checkRead(file);
    }

    /** A file that is nowhere is missing everywhere. */
    @Override
    public void checkRead(String file) {
        if (asked || isLooking.get() != null) {
            return;
        }
        isLooking.set(true);
        try {
            if (file.isEmpty()) {
                // A file without a name is nowhere, but a path without one is where the machine was started.
                asked = isBelow("sun.nio.fs.") && !isPrivileged();
            } else {
                asked = !isOwn(file) && new File(file).exists() && !isPrivileged();
            }
        } finally {
            isLooking.remove();
        }
    }

    private boolean isOwn(String file) {
        try {
            Path path = path(file);
            for (Path place : own) {
                if (path.startsWith(place)) {
                    return true;
                }
            }
            return false;
        } catch (RuntimeException e) {
            // No name of a file.
            return true;
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

    private static Path path(String file) {
        return new File(file).getAbsoluteFile().toPath().normalize();
    }
}
