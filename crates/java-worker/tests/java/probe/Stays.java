package probe;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Threads and files that stay. */
public class Stays {
    /** How many files are in the folder of the machine, one more than before. */
    public static int leaveFile(String name) throws IOException {
        new File(name).createNewFile();
        return new File(System.getProperty("user.dir")).list().length;
    }

    /** The same with a temporary file in its place. */
    public static int leaveTemporary() throws IOException {
        File file = File.createTempFile("left", null);
        return file.getParentFile().list().length;
    }

    public static void leaveThread() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            started.countDown();
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException e) {
                Thread.yield();
            }
        });
        thread.setDaemon(true);
        thread.start();
        started.await();
    }

    public static int passingThread(int n) throws InterruptedException {
        int[] result = new int[1];
        Thread thread = new Thread(() -> {
            for (int i = 0; i < n; i++) {
                result[0] += i;
            }
        });
        thread.start();
        thread.join();
        return result[0];
    }

    private static final ThreadLocal<Integer> CALLS = ThreadLocal.withInitial(() -> 0);

    public static int calls() {
        CALLS.set(CALLS.get() + 1);
        return CALLS.get();
    }

    public static void speakOut() throws IOException {
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        out.write(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0});
        out.flush();
    }

    public static int exitInThread() throws InterruptedException {
        Thread thread = new Thread(() -> System.exit(5));
        thread.start();
        thread.join();
        return 0;
    }

    public static int exitElsewhere() throws ReflectiveOperationException {
        System.class.getMethod("exit", int.class).invoke(null, 17);
        return 0;
    }
}
