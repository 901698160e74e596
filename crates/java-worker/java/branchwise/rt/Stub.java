package branchwise.rt;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/** Answers of an object of an interface or abstract class that nobody implements: given values in turn. */
public final class Stub implements InvocationHandler {
    private final String[] methods;
    private final Object[] answers;
    private final boolean[] given;

    private Stub(String[] methods, Object[] answers) {
        this.methods = methods;
        this.answers = answers;
        this.given = new boolean[answers.length];
    }

    /**
     * What makes the objects of an abstract class, of a constructor with these parameters; nothing for an interface.
     *
     * @throws InstantiationException if there can be none
     */
    static Constructor<?> constructor(Class<?> type, Class<?>[] parameters, Loader loader)
            throws ReflectiveOperationException {
        if (type.isInterface()) {
            return null;
        }
        if (type.isPrimitive() || type.isArray() || Modifier.isFinal(type.getModifiers())) {
            throw new InstantiationException(type.getName() + " is final");
        }
        // In its own package, where the library does not forbid that: it may have members for the package alone.
        boolean isOurs = type.getClassLoader() instanceof Loader;
        String name = (isOurs ? "" : "branchwise.stub.") + type.getName() + "$$Stub";
        try {
            Class<?> below = loader.define(name, () -> new StubClass(type, name).bytes());
            Constructor<?> made = below.getConstructor(parameters);
            made.setAccessible(true);
            return made;
        } catch (IOException e) {
            throw new InstantiationException(e.toString());
        }
    }

    /** An object that answers; the constructor is that of its class, or nothing for an interface. Its arguments come first. */
    static Object of(Class<?> type, Constructor<?> constructor, String[] methods, Object[] arguments)
            throws ReflectiveOperationException {
        int taken = constructor == null ? 0 : constructor.getParameterCount();
        Stub stub = new Stub(methods, Arrays.copyOfRange(arguments, taken, taken + methods.length));
        if (constructor == null) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, stub);
        }
        Object made = constructor.newInstance(Arrays.copyOf(arguments, taken));
        made.getClass().getField(StubClass.FIELD).set(made, stub);
        return made;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            switch (method.getName()) {
                case "equals": return self == arguments[0];
                case "hashCode": return System.identityHashCode(self);
                default: return self.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(self));
            }
        }
        if (method.isDefault()) {
            return Members.lookup().unreflectSpecial(method, method.getDeclaringClass()).bindTo(self)
                .invokeWithArguments(arguments == null ? new Object[0] : arguments);
        }
        Class<?> result = method.getReturnType();
        Object answer = result == void.class ? null : answer(method.getName() + StubClass.descriptor(method));
        return answer == null && result.isPrimitive() ? nothing(result) : answer;
    }

    /** The first answer of a method that was not given yet, or null. */
    private Object answer(String method) {
        for (int i = 0; i < answers.length; i++) {
            if (!given[i] && methods[i].equals(method)) {
                given[i] = true;
                return answers[i];
            }
        }
        return null;
    }

    private static Object nothing(Class<?> primitive) {
        return primitive == void.class ? null : Array.get(Array.newInstance(primitive, 1), 0);
    }

    /** What methods of {@link StubClass} call; while the constructor runs there is no stub yet. */
    public static Object objectOf(Stub stub, String method) {
        return stub == null ? null : stub.answer(method);
    }

    private static Object valueOf(Stub stub, String method, Class<?> primitive) {
        Object answer = objectOf(stub, method);
        return answer == null ? nothing(primitive) : answer;
    }

    public static boolean booleanOf(Stub stub, String method) {
        return (Boolean) valueOf(stub, method, boolean.class);
    }

    public static byte byteOf(Stub stub, String method) {
        return (Byte) valueOf(stub, method, byte.class);
    }

    public static char charOf(Stub stub, String method) {
        return (Character) valueOf(stub, method, char.class);
    }

    public static short shortOf(Stub stub, String method) {
        return (Short) valueOf(stub, method, short.class);
    }

    public static int intOf(Stub stub, String method) {
        return (Integer) valueOf(stub, method, int.class);
    }

    public static long longOf(Stub stub, String method) {
        return (Long) valueOf(stub, method, long.class);
    }

    public static float floatOf(Stub stub, String method) {
        return (Float) valueOf(stub, method, float.class);
    }

    public static double doubleOf(Stub stub, String method) {
        return (Double) valueOf(stub, method, double.class);
    }
}
