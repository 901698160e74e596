package branchwise.rt;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.stream.Stream;

/**
 * Files and folders that a run has for itself. They have the names that tests give them, and are gone when the run is over. So is whatever
 * else it has left in the folder of the machine, which is also that for temporary files: another run would find it there.
 */
final class OwnFiles {
    private static final File PLACE = new File(System.getProperty("user.dir"));
    private static final File HOME = new File(PLACE, "files");
    private static int files;

    private OwnFiles() {
    }

    /** A file with this text; without a text there is none by that name. */
    static File file(Object text) {
        File file = next(home(), "file");
        if (text != null) {
            write(file, text);
        }
        return file;
    }

    /** A folder with a file for each text, and with a folder in place of each that is null. */
    static File folder(Object[] texts) {
        File folder = next(home(), "folder");
        folder.mkdir();
        for (Object text : texts) {
            File file = next(folder, "file");
            if (text == null) {
                file.mkdir();
            } else {
                write(file, text);
            }
        }
        return folder;
    }

    /** Between runs. */
    static void clear() {
        files = 0;
        String[] left = PLACE.list();
        for (String name : left == null ? new String[0] : left) {
            try {
                delete(Paths.get(PLACE.getPath(), name));
            } catch (IOException | UncheckedIOException e) {
                // Then the next run that makes files finds others there, and what it does is not repeated elsewhere.
            }
        }
    }

    private static File home() {
        HOME.mkdir();
        return HOME;
    }

    private static File next(File folder, String name) {
        return new File(folder, name + ++files);
    }

    private static void write(File file, Object text) {
        try {
            Files.write(file.toPath(), ((String) text).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> inside = Files.list(path)) {
                for (Object one : inside.toArray()) {
                    delete((Path) one);
                }
            }
        }
        Files.deleteIfExists(path);
    }
}
