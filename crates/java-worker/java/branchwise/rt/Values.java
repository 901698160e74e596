package branchwise.rt;

import java.io.DataInput;
import java.io.IOException;
import java.lang.reflect.Array;

/** Values of slots, from and to their bits. */
final class Values {
    /** By the numbers that the contract gives the primitive types. */
    static final Class<?>[] PRIMITIVES = {
        boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class, double.class
    };

    private Values() {
    }

    static Object[] read(DataInput in, int[] slots) throws IOException {
        Object[] values = new Object[slots.length];
        for (int i = 0; i < slots.length; i++) {
            values[i] = read(in, slots[i]);
        }
        return values;
    }

    private static Object read(DataInput in, int slot) throws IOException {
        if (slot < Codes.SLOT_BOXED) {
            return boxed(slot, in.readLong());
        }
        if (in.readByte() == 0) {
            return null;
        }
        if (slot < Codes.SLOT_ARRAY) {
            return boxed(slot - Codes.SLOT_BOXED, in.readLong());
        }
        return slot == Codes.SLOT_TEXT ? text(in) : array(in, slot - Codes.SLOT_ARRAY);
    }

    /** In tests they stand as constants, of which equal ones are one object. */
    private static String text(DataInput in) throws IOException {
        char[] units = new char[in.readInt()];
        for (int i = 0; i < units.length; i++) {
            units[i] = in.readChar();
        }
        return new String(units).intern();
    }

    private static Object array(DataInput in, int primitive) throws IOException {
        int length = in.readInt();
        Object array = Array.newInstance(PRIMITIVES[primitive], length);
        for (int i = 0; i < length; i++) {
            Array.set(array, i, boxed(primitive, in.readLong()));
        }
        return array;
    }

    private static Object boxed(int primitive, long bits) {
        switch (primitive) {
            case 0: return (bits & 1) == 1;
            case 1: return (byte) bits;
            case 2: return (char) bits;
            case 3: return (short) bits;
            case 4: return (int) bits;
            case 5: return bits;
            case 6: return Float.intBitsToFloat((int) bits);
            default: return Double.longBitsToDouble(bits);
        }
    }

    /** Which primitive a box holds, or -1. */
    static int primitive(Object box) {
        return box instanceof Integer ? 4
            : box instanceof Boolean ? 0
            : box instanceof Long ? 5
            : box instanceof Double ? 7
            : box instanceof Character ? 2
            : box instanceof Byte ? 1
            : box instanceof Short ? 3
            : box instanceof Float ? 6
            : -1;
    }

    static long bits(Object box) {
        if (box instanceof Boolean) {
            return (Boolean) box ? 1 : 0;
        } else if (box instanceof Character) {
            return (Character) box;
        } else if (box instanceof Float) {
            return Float.floatToRawIntBits((Float) box) & 0xffffffffL;
        } else if (box instanceof Double) {
            return Double.doubleToRawLongBits((Double) box);
        }
        return ((Number) box).longValue();
    }
}
