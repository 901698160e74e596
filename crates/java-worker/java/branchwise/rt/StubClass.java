package branchwise.rt;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The file of a class that extends an abstract one.
 *
 * <pre>
 * class X$$Stub extends X {
 *     Stub stub;
 *     X$$Stub(int a, Y b) { super(a, b); }
 *     int f(long a) { return Stub.intOf(stub, "f(J)I"); }
 *     Y g() { return (Y) Stub.objectOf(stub, "g()LY;"); }
 * }
 * </pre>
 */
final class StubClass {
    static final String FIELD = "stub";
    private static final String STUB = "branchwise/rt/Stub";

    private final Class<?> parent;
    private final String name;
    private final Map<String, Integer> known = new LinkedHashMap<>();
    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private int constants = 1;

    StubClass(Class<?> parent, String name) {
        this.parent = parent;
        this.name = name.replace('.', '/');
    }

    /** What constructors of the class call: those above that are not private. */
    private List<Constructor<?>> constructors() throws InstantiationException {
        List<Constructor<?>> found = new ArrayList<>();
        for (Constructor<?> one : parent.getDeclaredConstructors()) {
            if (!Modifier.isPrivate(one.getModifiers())) {
                found.add(one);
            }
        }
        if (found.isEmpty()) {
            throw new InstantiationException(parent.getName() + " has no constructor to call");
        }
        return found;
    }

    /** The methods to implement, by name and descriptor: those whose most special version is abstract. */
    private Map<String, Method> methods() {
        Map<String, Method> all = new LinkedHashMap<>();
        for (Class<?> type = parent; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                all.putIfAbsent(method.getName() + descriptor(method), method);
            }
        }
        for (Method method : parent.getMethods()) {
            all.putIfAbsent(method.getName() + descriptor(method), method);
        }
        all.values().removeIf(method -> !Modifier.isAbstract(method.getModifiers()));
        return all;
    }

    static String descriptor(Method method) {
        return MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString();
    }

    byte[] bytes() throws IOException, InstantiationException {
        ByteArrayOutputStream bodyBytes = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(bodyBytes);
        body.writeShort(Modifier.PUBLIC | 0x20);
        body.writeShort(type(name));
        body.writeShort(type(parent.getName().replace('.', '/')));
        body.writeShort(0);
        body.writeShort(1);
        member(body, Modifier.PUBLIC, FIELD, "L" + STUB + ";");
        body.writeShort(0);
        Map<String, Method> methods = methods();
        List<Constructor<?>> constructors = constructors();
        body.writeShort(constructors.size() + methods.size());
        for (Constructor<?> above : constructors) {
            constructor(body, above);
        }
        for (Method method : methods.values()) {
            method(body, method);
        }
        body.writeShort(0);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        // Java 5: classes are constants, and there are no stack maps.
        out.writeInt(49);
        out.writeShort(constants);
        poolBytes.writeTo(out);
        bodyBytes.writeTo(out);
        return bytes.toByteArray();
    }

    private void member(DataOutputStream out, int access, String name, String descriptor) throws IOException {
        out.writeShort(access);
        out.writeShort(text(name));
        out.writeShort(text(descriptor));
    }

    private void constructor(DataOutputStream out, Constructor<?> above) throws IOException {
        Class<?>[] parameters = above.getParameterTypes();
        Code code = new Code();
        code.op(42);
        int variable = 1;
        for (Class<?> parameter : parameters) {
            code.op(!parameter.isPrimitive() ? 25 : parameter == long.class ? 22 : parameter == float.class ? 23
                : parameter == double.class ? 24 : 21);
            code.op(variable);
            variable += slots(parameter);
        }
        String descriptor = MethodType.methodType(void.class, parameters).toMethodDescriptorString();
        code.op(183, reference(10, parent.getName().replace('.', '/'), "<init>", descriptor));
        code.op(177);
        member(out, Modifier.PUBLIC, "<init>", descriptor);
        code.write(out, variable, variable);
    }

    private static int slots(Class<?> type) {
        return type == long.class || type == double.class ? 2 : 1;
    }

    private void method(DataOutputStream out, Method method) throws IOException {
        Class<?> result = method.getReturnType();
        Code code = new Code();
        if (result == void.class) {
            code.op(177);
        } else {
            code.op(42);
            code.op(180, reference(9, name, FIELD, "L" + STUB + ";"));
            code.op(19, pair(8, text(method.getName() + descriptor(method)), -1));
            if (result.isPrimitive()) {
                String kind = MethodType.methodType(result).toMethodDescriptorString().substring(2);
                code.op(184, reference(10, STUB, result.getName() + "Of", "(L" + STUB + ";Ljava/lang/String;)" + kind));
                code.op(kind.equals("J") ? 173 : kind.equals("F") ? 174 : kind.equals("D") ? 175 : 172);
            } else {
                code.op(184, reference(10, STUB, "objectOf", "(L" + STUB + ";Ljava/lang/String;)Ljava/lang/Object;"));
                code.op(192, type(result.getName().replace('.', '/')));
                code.op(176);
            }
        }
        int access = method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED);
        member(out, access, method.getName(), descriptor(method));
        int variables = 1;
        for (Class<?> parameter : method.getParameterTypes()) {
            variables += slots(parameter);
        }
        code.write(out, 2, variables);
    }

    private int text(String text) throws IOException {
        Integer index = known.get(text);
        if (index == null) {
            index = constants++;
            known.put(text, index);
            pool.writeByte(1);
            pool.writeUTF(text);
        }
        return index;
    }

    /** A constant of two indices, or of one if the second is negative. */
    private int pair(int tag, int first, int second) throws IOException {
        String key = "\0" + tag + "," + first + "," + second;
        Integer index = known.get(key);
        if (index == null) {
            index = constants++;
            known.put(key, index);
            pool.writeByte(tag);
            pool.writeShort(first);
            if (second >= 0) {
                pool.writeShort(second);
            }
        }
        return index;
    }

    private int type(String name) throws IOException {
        return pair(7, text(name), -1);
    }

    private int reference(int tag, String owner, String name, String descriptor) throws IOException {
        return pair(tag, type(owner), pair(12, text(name), text(descriptor)));
    }

    /** The code of a method. */
    private final class Code {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        void op(int opcode) {
            bytes.write(opcode);
        }

        void op(int opcode, int index) {
            bytes.write(opcode);
            bytes.write(index >> 8);
            bytes.write(index);
        }

        void write(DataOutputStream out, int stack, int variables) throws IOException {
            out.writeShort(1);
            out.writeShort(text("Code"));
            out.writeInt(12 + bytes.size());
            out.writeShort(stack);
            out.writeShort(variables);
            out.writeInt(bytes.size());
            bytes.writeTo(out);
            out.writeInt(0);
        }
    }
}
