package branchwise.rt;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The worker: reads requests from its standard input and writes replies to its standard output.
 *
 * <p>Arguments: the file of the trace, the files of classes with few and with all hooks, the milliseconds after which a run
 * is so late that nobody can be waiting for it, and those after which it tells where it is, since the driver may end it soon.
 */
public final class Worker implements Runnable {
    /** Deep recursion is to fail as it does elsewhere, and soon. */
    private static final long STACK = 8 << 20;

    /** Ticks that the message of an exception may take. */
    private static final long TICKS = 1 << 14;

    /** Frames that are told of a run that says nothing. */
    private static final int FRAMES = 12;

    private final DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
    private final OutputStream out = new FileOutputStream(FileDescriptor.out);
    private final Map<Integer, Script> scripts = new HashMap<>();
    private final long patience;
    private final long silence;
    private final Loader.Source few;
    private final Loader.Source full;
    private final Message message = new Message();
    private final Output output = new Output();
    private Surroundings surroundings;
    private Guard guard;

    /** When the current run is late, in the time of {@link System#nanoTime}; 0 between runs. */
    private volatile long late;

    private Worker(String few, String full, String millis, String silentMillis) {
        patience = Long.parseLong(millis) * 1_000_000;
        silence = Long.parseLong(silentMillis) * 1_000_000;
        this.few = new Loader.Source(new File(few));
        this.full = new Loader.Source(new File(full));
    }

    public static void main(String[] arguments) throws Exception {
        Trace.map(arguments[0]);
        Worker worker = new Worker(arguments[1], arguments[2], arguments[3], arguments[4]);
        Thread test = new Thread(null, worker, "test", STACK);
        Thread watch = new Thread(() -> worker.watch(test), "watch");
        watch.setDaemon(true);
        watch.start();
        test.start();
        // When this one ends, the machine starts another in its place, which would look like one of the run.
        test.join();
    }

    /** A driver that is still there has ended a worker long before it is late: this one is alone. */
    private void watch(Thread test) {
        long told = 0;
        while (true) {
            try {
                Thread.sleep(Math.max(50, Math.min(1000, silence / 4_000_000)));
            } catch (InterruptedException e) {
                continue;
            }
            long limit = late;
            long left = limit - System.nanoTime();
            if (limit != 0 && left < 0) {
                Runtime.getRuntime().halt(3);
            }
            if (limit != 0 && limit != told && left < patience - silence) {
                told = limit;
                tellPlace(test);
            }
        }
    }

    /** Writes the innermost frames of a run that says nothing to the standard error, for whoever ends the machine. */
    private static void tellPlace(Thread test) {
        StringBuilder text = new StringBuilder();
        int told = 0;
        for (StackTraceElement frame : test.getStackTrace()) {
            if (frame.getClassName().equals(Call.class.getName()) || told == FRAMES) {
                break;
            }
            if (!Thrown.isOurs(frame.getClassName())) {
                told++;
                text.append(Codes.SILENT_AT).append(frame.getClassName().replace('.', '/')).append(' ').append(frame.getMethodName());
                text.append(' ').append(Math.max(0, frame.getLineNumber())).append('\n');
            }
        }
        try {
            new FileOutputStream(FileDescriptor.err).write(text.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Then nobody knows.
        }
    }

    @Override
    public void run() {
        int status = 0;
        try {
            output.begin();
            warm();
            surroundings = new Surroundings();
            guard = new Guard();
            // The driver waits for the first reply before it asks for anything.
            plain(Codes.END_RETURNED, 0, null);
            while (true) {
                byte[] request = new byte[in.readInt()];
                in.readFully(request);
                answer(new DataInputStream(new ByteArrayInputStream(request)));
            }
        } catch (EOFException e) {
            // Nothing more is asked.
        } catch (Throwable e) {
            e.printStackTrace(new PrintStream(new FileOutputStream(FileDescriptor.err), true));
            status = 4;
        }
        Runtime.getRuntime().halt(status);
    }

    /** Loads what hooks need while there is stack and memory for it. */
    private void warm() {
        Budget.begin(10);
        Hooks.tick();
        Hooks.value("", 0);
        Hooks.textEquals("a", "b", 0);
        Classes.number(Stop.STOP);
        try {
            Hooks.exit(0);
        } catch (Stop e) {
            Budget.end();
        }
    }

    private void answer(DataInputStream request) throws IOException {
        if (request.readUnsignedByte() == Codes.LEARN) {
            int number = request.readInt();
            Script script = new Script(request);
            Script old = scripts.put(number, script);
            if (old != null) {
                few.forget(old);
                full.forget(old);
            }
            try {
                few.get(false).calls(script);
                plain(Codes.END_RETURNED, 0, null);
            } catch (Loader.Unusable e) {
                plain(Codes.END_UNUSABLE, e.step, e.getMessage());
            }
            return;
        }
        Script script = scripts.get(request.readInt());
        int flags = request.readUnsignedByte();
        long ticks = request.readLong();
        if (script == null) {
            plain(Codes.END_UNUSABLE, 0, "no such script");
            return;
        }
        late = System.nanoTime() + patience | 1;
        run(script, Values.read(request, script.slots), flags, ticks);
        late = 0;
    }

    private void run(Script script, Object[] values, int flags, long ticks) throws IOException {
        boolean isFresh = (flags & Codes.FLAG_FRESH) != 0;
        Loader.Source source = (flags & Codes.FLAG_FULL) != 0 ? full : few;
        Run run;
        try {
            if (isFresh) {
                source.forget();
                surroundings.forgetLocals();
            }
            Loader loader = source.get(isFresh);
            run = new Run(script, values, loader.calls(script));
            Thread.currentThread().setContextClassLoader(loader);
        } catch (Loader.Unusable e) {
            plain(Codes.END_UNUSABLE, e.step, e.getMessage());
            return;
        }
        boolean isWatched = (flags & Codes.FLAG_WATCHED) != 0;
        if (isWatched) {
            guard.begin();
        }
        output.begin();
        run.go(ticks);
        if (run.isOutOfMemory()) {
            run.letGo();
        }
        if (run.spoils()) {
            few.forget();
            full.forget();
            Thread.currentThread().setContextClassLoader(null);
        }
        tell(run, isWatched, (flags & Codes.FLAG_OBSERVE) != 0, ticks);
    }

    private void tell(Run run, boolean isWatched, boolean observe, long ticks) throws IOException {
        message.clear();
        run.tellEnd(message, ticks);
        if (observe) {
            run.tellSeen(message, ticks);
        } else {
            message.out.writeLong(0);
        }
        Budget.end();
        boolean hasAsked = isWatched && guard.end();
        boolean isLittered = OwnFiles.clear() | hasAsked;
        surroundings.restore();
        boolean hasThreads = surroundings.hasThreads();
        int left = (hasThreads ? Codes.LEFT_THREADS : 0) | (isLittered ? Codes.LEFT_FILES : 0);
        int words = Trace.words();
        Throwable uncaught = surroundings.takeUncaught();
        finish(words, Trace.isCut(), left, run, uncaught, observe ? output.text() : "");
    }

    /** A reply without a run. */
    private void plain(int end, int step, String why) throws IOException {
        message.clear();
        message.out.writeByte(end);
        if (why != null) {
            message.out.writeInt(step);
            message.text(why);
        }
        message.out.writeLong(0);
        finish(0, false, 0, null, null, "");
    }

    private void finish(int words, boolean cut, int left, Run run, Throwable uncaught, String printed) throws IOException {
        message.out.writeInt(words);
        message.out.writeBoolean(cut);
        message.out.writeByte(left);
        if (run == null) {
            message.out.writeInt(0);
        } else {
            run.tellStopped(message);
        }
        message.out.writeByte(uncaught == null ? 0 : 1);
        if (uncaught != null) {
            // Its message may be computed by code with hooks.
            Budget.begin(TICKS);
            Thrown.tell(message, uncaught);
            Budget.end();
        }
        message.text(printed);
        List<List<String>> news = Classes.takeNews();
        message.out.writeInt(news.size());
        for (List<String> facts : news) {
            message.text(facts.get(0));
            message.out.writeInt(facts.size() - 1);
            for (String above : facts.subList(1, facts.size())) {
                message.text(above);
            }
        }
        message.send(out);
    }
}
