package branchwise.rt;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Classes and members by the names and descriptors of class files.
 *
 * <p>Members are looked up once: reflection gives a copy each time, which is slow to get and begins slowly.
 */
final class Members {
    final Loader loader;

    private final Map<String, Member> known = new HashMap<>();

    Members(Loader loader) {
        this.loader = loader;
    }

    /** A class by its internal name, or an array by its descriptor. It is not initialized. */
    Class<?> named(String name) throws ClassNotFoundException {
        return Class.forName(name.replace('/', '.'), false, loader);
    }

    /** A type by its descriptor. */
    Class<?> type(String descriptor) throws ClassNotFoundException {
        int primitive = "ZBCSIJFD".indexOf(descriptor.charAt(0));
        if (primitive >= 0) {
            return Values.PRIMITIVES[primitive];
        }
        switch (descriptor.charAt(0)) {
            case 'V': return void.class;
            case 'L': return named(descriptor.substring(1, descriptor.length() - 1));
            default: return Array.newInstance(type(descriptor.substring(1)), 0).getClass();
        }
    }

    /** The types of the parameters of a method. */
    Class<?>[] parameters(String descriptor) throws ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (int from = 1; descriptor.charAt(from) != ')';) {
            int to = from;
            while (descriptor.charAt(to) == '[') {
                to++;
            }
            to = descriptor.charAt(to) == 'L' ? descriptor.indexOf(';', to) + 1 : to + 1;
            types.add(type(descriptor.substring(from, to)));
            from = to;
        }
        return types.toArray(new Class<?>[0]);
    }

    Constructor<?> constructor(String owner, String descriptor) throws ReflectiveOperationException {
        String key = owner + descriptor;
        Constructor<?> constructor = (Constructor<?>) known.get(key);
        if (constructor == null) {
            constructor = opened(named(owner).getDeclaredConstructor(parameters(descriptor)));
            known.put(key, constructor);
        }
        return constructor;
    }

    /** The method that a call names: of the class, of a superclass, of an interface. */
    Method method(String owner, String name, String descriptor, boolean isStatic)
            throws ReflectiveOperationException {
        String key = owner + '.' + name + descriptor;
        Method method = (Method) known.get(key);
        if (method == null) {
            method = opened(find(owner, name, descriptor));
            known.put(key, method);
        }
        return checked(method, isStatic);
    }

    private Method find(String owner, String name, String descriptor) throws ReflectiveOperationException {
        Class<?>[] parameters = parameters(descriptor);
        Class<?> result = type(descriptor.substring(descriptor.indexOf(')') + 1));
        Class<?> named = named(owner);
        for (Class<?> type = named; type != null; type = type.getSuperclass()) {
            Method method = declared(type, name, parameters, result);
            if (method != null) {
                return method;
            }
        }
        for (Class<?> type : new Class<?>[] {named, Object.class}) {
            for (Method method : type.getMethods()) {
                if (fits(method, name, parameters, result)) {
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(owner + "." + name + descriptor);
    }

    private static Method declared(Class<?> type, String name, Class<?>[] parameters, Class<?> result) {
        try {
            Method method = type.getDeclaredMethod(name, parameters);
            if (method.getReturnType() == result) {
                return method;
            }
        } catch (NoSuchMethodException e) {
            return null;
        }
        // Bridges differ from what they lead to in the result alone.
        for (Method method : type.getDeclaredMethods()) {
            if (fits(method, name, parameters, result)) {
                return method;
            }
        }
        return null;
    }

    private static boolean fits(Method method, String name, Class<?>[] parameters, Class<?> result) {
        return method.getReturnType() == result && method.getName().equals(name)
            && Arrays.equals(method.getParameterTypes(), parameters);
    }

    Field field(String owner, String name, String descriptor, boolean isStatic) throws ReflectiveOperationException {
        String key = owner + '.' + name + ' ' + descriptor;
        Field field = (Field) known.get(key);
        if (field == null) {
            field = named(owner).getDeclaredField(name);
            if (field.getType() != type(descriptor)) {
                throw new NoSuchFieldException(owner + "." + name + " has another type");
            }
            known.put(key, opened(field));
        }
        return checked(field, isStatic);
    }

    /**
     * A constructor or method without a look at others of its class: reflection refuses all of them if one names a class that is
     * missing.
     */
    MethodHandle handle(Script.Step step) throws ReflectiveOperationException {
        Class<?> owner = named(step.type);
        Class<?>[] parameters = parameters(step.descriptor);
        Class<?> result = type(step.descriptor.substring(step.descriptor.indexOf(')') + 1));
        MethodType type = MethodType.methodType(result, parameters);
        switch (step.kind) {
            case Codes.CONSTRUCT: return lookup().findConstructor(owner, type);
            case Codes.INVOKE: return lookup().findVirtual(owner, step.name, type);
            default: return lookup().findStatic(owner, step.name, type);
        }
    }

    /** One that may see everything. */
    static MethodHandles.Lookup lookup() throws NoSuchFieldException {
        Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = Trace.MEMORY.staticFieldBase(field);
        return (MethodHandles.Lookup) Trace.MEMORY.getObject(base, Trace.MEMORY.staticFieldOffset(field));
    }

    private static <M extends Member> M checked(M member, boolean isStatic) throws IllegalAccessException {
        if (Modifier.isStatic(member.getModifiers()) != isStatic) {
            throw new IllegalAccessException(member + (isStatic ? " is not static" : " is static"));
        }
        return member;
    }

    /** What is public anyway is left alone: modules of the library refuse. */
    private static <M extends AccessibleObject & Member> M opened(M member) {
        boolean isPublic = Modifier.isPublic(member.getModifiers())
            && Modifier.isPublic(member.getDeclaringClass().getModifiers());
        if (!isPublic || member.getDeclaringClass().getClassLoader() instanceof Loader) {
            member.setAccessible(true);
        }
        return member;
    }
}
