package branchwise.rt;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Loads instrumented classes itself and leaves all others to the class path. */
final class Loader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final Map<String, byte[]> classes;
    private final Map<Script, Call[]> calls = new HashMap<>();
    private final Members members = new Members(this);

    private Loader(Map<String, byte[]> classes) {
        super(ClassLoader.getSystemClassLoader());
        this.classes = classes;
        setDefaultAssertionStatus(true);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** A class of this loader that is made when it is first asked for. */
    Class<?> define(String name, Bytes made) throws IOException, InstantiationException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes = made.get();
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** The file of a class. */
    interface Bytes {
        byte[] get() throws IOException, InstantiationException;
    }

    /**
     * The calls of a script in the classes of this loader: first the steps, then the observers.
     *
     * @throws Unusable if one of them cannot be made
     */
    Call[] calls(Script script) throws Unusable {
        Call[] known = calls.get(script);
        if (known == null) {
            known = new Call[script.steps.length + script.observers.length];
            for (int i = 0; i < known.length; i++) {
                boolean isStep = i < script.steps.length;
                try {
                    known[i] = new Call(isStep ? script.steps[i] : script.observers[i - script.steps.length], members);
                } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
                    throw new Unusable(i, e);
                }
            }
            calls.put(script, known);
        }
        return known;
    }

    /** Nobody will ask for this script again. */
    private void forget(Script script) {
        calls.remove(script);
    }

    /** A step that cannot be taken. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;
        final int step;

        Unusable(int step, Throwable why) {
            super(why.toString());
            this.step = step;
        }
    }

    /** One of the two sets of hooks: its classes as bytes, read once, and the loader in use. */
    static final class Source {
        private final File file;
        private Map<String, byte[]> classes;
        private Loader current;

        Source(File file) {
            this.file = file;
        }

        Loader get(boolean fresh) throws IOException {
            if (classes == null) {
                classes = read(file);
            }
            if (fresh || current == null) {
                current = new Loader(classes);
            }
            return current;
        }

        /** A script that is not run again must not be kept: searches try one after the other. */
        void forget(Script script) {
            if (current != null) {
                current.forget(script);
            }
        }

        /** The next run gets a loader of its own. */
        void forget() {
            current = null;
        }

        private static Map<String, byte[]> read(File file) throws IOException {
            Map<String, byte[]> classes = new HashMap<>();
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
                for (int count = in.readInt(); count > 0; count--) {
                    String name = Message.text(in).replace('/', '.');
                    byte[] bytes = new byte[in.readInt()];
                    in.readFully(bytes);
                    classes.put(name, bytes);
                }
            }
            return classes;
        }
    }
}
