package branchwise.rt;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/** One run of a script: how it ends, and what is seen. */
final class Run {
    private final Script script;
    private final Object[] values;
    private final Call[] calls;
    private final Object[] results;

    /** Steps that came to an end. */
    private int done;

    /** Results are gone. */
    private boolean isLetGo;

    private int end = Codes.END_RETURNED;
    private Throwable thrown;

    /** Where it was when it was stopped, or memory ran out. */
    private StackTraceElement[] stopped;

    Run(Script script, Object[] values, Call[] calls) {
        this.script = script;
        this.values = values;
        this.calls = calls;
        this.results = new Object[calls.length];
    }

    /** Runs the steps. Nothing gets out, whatever they throw. */
    void go(long ticks) {
        Budget.begin(ticks);
        Trace.restart();
        try {
            while (done < script.steps.length) {
                Hooks.step(done);
                results[done] = calls[done].perform(values, results);
                if (Budget.isSpent()) {
                    break;
                }
                done++;
            }
        } catch (InvocationTargetException e) {
            end = Codes.END_THREW;
            thrown = e.getCause();
        } catch (ReflectiveOperationException | RuntimeException e) {
            end = Codes.END_UNUSABLE;
            thrown = e;
        } catch (Throwable e) {
            end = Codes.END_THREW;
            thrown = e;
        }
        Trace.pause();
        stopped = Budget.stack();
        // Code under test may have caught what should have stopped it.
        if (Budget.isExited()) {
            end = Codes.END_EXITED;
        } else if (Budget.isSpent()) {
            end = Codes.END_OUT_OF_TICKS;
        }
    }

    /** Whether the classes may be used again: not if they were stopped halfway, or hold all memory. */
    boolean spoils() {
        return end == Codes.END_EXITED || end == Codes.END_OUT_OF_TICKS || thrown instanceof VirtualMachineError;
    }

    /** After all memory was used: what the run made is let go. */
    boolean isOutOfMemory() {
        return thrown instanceof OutOfMemoryError;
    }

    void letGo() {
        Arrays.fill(results, null);
        Arrays.fill(values, null);
        isLetGo = true;
    }

    /** Where it was stopped. */
    void tellStopped(Message message) throws IOException {
        if (isOutOfMemory()) {
            try {
                // Only the first few of a machine have one.
                stopped = thrown.getStackTrace();
            } catch (Throwable e) {
                stopped = null;
            }
        }
        Thrown.tellStopped(message, stopped);
    }

    void tellEnd(Message message, long ticks) throws IOException {
        Budget.begin(ticks);
        int exit = Budget.status();
        message.out.writeByte(end);
        if (end == Codes.END_RETURNED) {
            return;
        }
        message.out.writeInt(done);
        if (end == Codes.END_THREW) {
            Thrown.tell(message, thrown);
        } else if (end == Codes.END_EXITED) {
            message.out.writeInt(exit);
        } else if (end == Codes.END_UNUSABLE) {
            message.text(String.valueOf(thrown));
        }
    }

    /** Results of the steps, then of the observers if the last step was reached. */
    void tellSeen(Message message, long ticks) throws IOException {
        Observer observer = new Observer(message, results);
        int told = isLetGo ? 0 : done;
        message.out.writeInt(told);
        for (int i = 0; i < told; i++) {
            Budget.begin(ticks);
            observer.see(results[i], calls[i].result, i);
        }
        boolean isReached = end == Codes.END_RETURNED || end == Codes.END_THREW && done == script.steps.length - 1;
        int observers = isReached && !isLetGo ? script.observers.length : 0;
        message.out.writeInt(observers);
        for (int i = 0; i < observers; i++) {
            Budget.begin(ticks);
            observe(observer, script.steps.length + i);
        }
    }

    /** Observers are steps behind the last one: a test calls them, too. */
    private void observe(Observer observer, int number) throws IOException {
        Trace.resume();
        Hooks.step(number);
        try {
            results[number] = calls[number].perform(values, results);
        } catch (InvocationTargetException e) {
            observer.threw(e.getCause());
            return;
        } catch (Throwable e) {
            observer.threw(e);
            return;
        } finally {
            Trace.pause();
        }
        observer.see(results[number], calls[number].result, calls[number].looksInside() ? 0 : done);
    }
}
