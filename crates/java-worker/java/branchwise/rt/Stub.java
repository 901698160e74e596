package branchwise.rt;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

/** Answers of an object of an interface or abstract class that nobody implements: given values in turn. */
public final class Stub implements InvocationHandler {
    private final Object[] answers;
    private final boolean[] given;

    private Stub(Object[] answers) {
        this.answers = answers;
        this.given = new boolean[answers.length];
    }

    /**
     * What makes the objects of an abstract class; nothing for an interface.
     *
     * @throws InstantiationException if there can be none
     */
    static Constructor<?> constructor(Class<?> type, Loader loader) throws ReflectiveOperationException {
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
            Constructor<?> made = loader.define(name, () -> new StubClass(type, name).bytes()).getConstructor();
            made.setAccessible(true);
            return made;
        } catch (IOException e) {
            throw new InstantiationException(e.toString());
        }
    }

    /** An object that answers; the constructor is that of its class, or nothing for an interface. */
    static Object of(Class<?> type, Constructor<?> constructor, Object[] answers) throws ReflectiveOperationException {
        Stub stub = new Stub(answers);
        if (constructor == null) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, stub);
        }
        Object made = constructor.newInstance();
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
        return answer(method.getReturnType());
    }

    /** The first answer that fits and was not given yet, or nothing. */
    private Object answer(Class<?> wanted) {
        if (wanted == void.class) {
            return null;
        }
        Class<?> box = MethodType.methodType(wanted).wrap().returnType();
        for (int i = 0; i < answers.length; i++) {
            boolean fits = answers[i] == null ? !wanted.isPrimitive() : box.isInstance(answers[i]);
            if (!given[i] && fits) {
                given[i] = true;
                return answers[i];
            }
        }
        return nothing(wanted);
    }

    private static Object nothing(Class<?> wanted) {
        return wanted.isPrimitive() ? Array.get(Array.newInstance(wanted, 1), 0) : null;
    }

    /** What methods of {@link StubClass} call; while the constructor runs there is no stub yet. */
    public static Object objectOf(Stub stub, Class<?> wanted) {
        return stub == null ? nothing(wanted) : stub.answer(wanted);
    }

    public static boolean booleanOf(Stub stub) {
        return (Boolean) objectOf(stub, boolean.class);
    }

    public static byte byteOf(Stub stub) {
        return (Byte) objectOf(stub, byte.class);
    }

    public static char charOf(Stub stub) {
        return (Character) objectOf(stub, char.class);
    }

    public static short shortOf(Stub stub) {
        return (Short) objectOf(stub, short.class);
    }

    public static int intOf(Stub stub) {
        return (Integer) objectOf(stub, int.class);
    }

    public static long longOf(Stub stub) {
        return (Long) objectOf(stub, long.class);
    }

    public static float floatOf(Stub stub) {
        return (Float) objectOf(stub, float.class);
    }

    public static double doubleOf(Stub stub) {
        return (Double) objectOf(stub, double.class);
    }
}
