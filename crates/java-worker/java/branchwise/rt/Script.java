package branchwise.rt;

import java.io.DataInput;
import java.io.IOException;

/** The calls of a test, as the driver sends them. */
final class Script {
    final int[] slots;
    final Step[] steps;
    final Step[] observers;

    Script(DataInput in) throws IOException {
        slots = new int[in.readInt()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = in.readUnsignedByte();
        }
        steps = steps(in);
        observers = steps(in);
    }

    private static Step[] steps(DataInput in) throws IOException {
        Step[] steps = new Step[in.readInt()];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = new Step(in);
        }
        return steps;
    }

    /** One of the calls. */
    static final class Step {
        final int kind;
        final String type;
        final String name;
        final String descriptor;
        private final int[] kinds;
        private final int[] numbers;

        private Step(DataInput in) throws IOException {
            kind = in.readUnsignedByte();
            type = Message.text(in);
            name = Message.text(in);
            descriptor = Message.text(in);
            int count = in.readInt();
            kinds = new int[count];
            numbers = new int[count];
            for (int i = 0; i < count; i++) {
                kinds[i] = in.readUnsignedByte();
                numbers[i] = in.readInt();
            }
        }

        boolean hasReceiver() {
            return kind == Codes.INVOKE || kind == Codes.LOAD || kind == Codes.STORE;
        }

        /** Arguments from one on, the receiver being the first if there is one. */
        Object[] arguments(int from, Object[] values, Object[] results) {
            Object[] arguments = new Object[Math.max(0, kinds.length - from)];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = argument(from + i, values, results);
            }
            return arguments;
        }

        /** An argument; null if the script has none such. */
        Object argument(int i, Object[] values, Object[] results) {
            if (i >= kinds.length) {
                return null;
            }
            Object[] from = kinds[i] == Codes.ARGUMENT_SLOT ? values : results;
            return kinds[i] == Codes.ARGUMENT_NULL || numbers[i] >= from.length ? null : from[numbers[i]];
        }
    }
}
