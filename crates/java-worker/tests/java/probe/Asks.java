package probe;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Paths;

/** What runs may ask the machine for. */
public class Asks {
    public static boolean exists(String name) {
        return new File(name).exists();
    }

    public static boolean isHere() {
        return Files.exists(Paths.get(""));
    }

    public static boolean temporary() throws IOException {
        File file = File.createTempFile("own", null);
        return Files.readAllBytes(file.toPath()).length == 0 && file.delete();
    }

    public static boolean deletes(String name) {
        return new File(name).delete();
    }

    public static boolean network() throws IOException {
        return InetAddress.getByName("localhost").isLoopbackAddress();
    }

    public static boolean property() {
        return System.getProperty("line.separator").isEmpty();
    }

    public static boolean isWatched() {
        return System.getSecurityManager() != null;
    }
}
