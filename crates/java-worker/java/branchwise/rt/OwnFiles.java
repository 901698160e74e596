package branchwise.rt;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files and folders that a run has for itself. They have the names that tests give them, and are gone when the run is over. So is whatever
 * else it has left in the folder of the machine: another run would find it there.
 */
final class OwnFiles {
    private static final File PLACE = new File(System.getProperty("user.dir"));

    /** JUnit gives its temporary folders such names: what comes first of two files by name is the same there. */
    static final File HOME = new File(PLACE, "junit0");
    static final File TEMPORARY = new File(System.getProperty("java.io.tmpdir"));
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

    /** Between runs. Says whether the last one has left something that is neither its own nor temporary. */
    static boolean clear() {
        files = 0;
        boolean isLittered = false;
        for (File file : inside(PLACE)) {
            if (file.equals(TEMPORARY)) {
                inside(TEMPORARY).forEach(OwnFiles::drop);
            } else {
                isLittered |= !file.equals(HOME);
                drop(file);
            }
        }
        return isLittered;
    }

    private static List<File> inside(File folder) {
        File[] files = folder.listFiles();
        return files == null ? Collections.emptyList() : Arrays.asList(files);
    }

    private static void drop(File file) {
        try {
            delete(file.toPath());
        } catch (IOException | UncheckedIOException e) {
            // Then the next run finds it there, and what it does is not repeated elsewhere.
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
