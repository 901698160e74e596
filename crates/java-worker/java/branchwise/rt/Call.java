package branchwise.rt;

import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** A step with its class and member, of one class loader. */
final class Call {
    private final Script.Step step;
    private final Class<?> type;
    private final Constructor<?> constructor;
    private final Method method;
    private final Field field;

    /** By answer of a stub: the method that gives it. */
    private final String[] answers;

    /** Its objects belong to one that is the first argument. */
    private final boolean isInner;

    /** In place of a constructor or method that reflection does not give. */
    private final MethodHandle handle;

    /** What it gives: a type, or void. */
    final Class<?> result;

    Call(Script.Step step, Members members) throws ReflectiveOperationException {
        this.step = step;
        boolean isStatic = !step.hasReceiver();
        Class<?> type = null;
        Constructor<?> constructor = null;
        Method method = null;
        Field field = null;
        String[] answers = null;
        MethodHandle handle = null;
        switch (step.kind) {
            case Codes.CONSTRUCT:
            case Codes.INVOKE:
            case Codes.INVOKE_STATIC:
                try {
                    if (step.kind == Codes.CONSTRUCT) {
                        constructor = members.constructor(step.type, step.descriptor);
                        type = constructor.getDeclaringClass();
                    } else {
                        method = members.method(step.type, step.name, step.descriptor, isStatic);
                        type = method.getReturnType();
                    }
                } catch (NoClassDefFoundError e) {
                    handle = members.handle(step);
                    type = handle.type().returnType();
                }
                break;
            case Codes.ARRAY:
            case Codes.LOOK:
                type = members.type(step.descriptor);
                break;
            case Codes.FILE:
            case Codes.FOLDER:
                type = File.class;
                break;
            case Codes.STUB:
                type = members.named(step.type);
                constructor = Stub.constructor(type, members.parameters(step.descriptor), members.loader);
                answers = step.name.isEmpty() ? new String[0] : step.name.split("\\.");
                break;
            default:
                field = members.field(step.type, step.name, step.descriptor, isStatic);
                boolean loads = step.kind == Codes.LOAD || step.kind == Codes.LOAD_STATIC;
                type = loads ? field.getType() : void.class;
        }
        this.type = type;
        this.constructor = constructor;
        this.method = method;
        this.field = field;
        this.answers = answers;
        this.handle = handle;
        this.result = type;
        this.isInner = step.kind == Codes.CONSTRUCT && constructor != null && isInner(type);
    }

    private static boolean isInner(Class<?> type) {
        try {
            return type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
        } catch (LinkageError e) {
            // The class around it is not there, or does not know it.
            return false;
        }
    }

    /** Whether it asks what is in its result, whoever has made that. */
    boolean looksInside() {
        return step.kind == Codes.LOOK;
    }

    /**
     * Does it.
     *
     * @throws InvocationTargetException with what code under test threw
     * @throws ReflectiveOperationException if the script is wrong, as do runtime exceptions
     */
    Object perform(Object[] values, Object[] results) throws ReflectiveOperationException {
        Object receiver = null;
        if (step.hasReceiver()) {
            receiver = step.argument(0, values, results);
            if (receiver == null) {
                throw new InvocationTargetException(new NullPointerException());
            }
        }
        if (handle != null) {
            return invoke(step.arguments(0, values, results));
        }
        Object[] arguments = step.arguments(step.hasReceiver() ? 1 : 0, values, results);
        switch (step.kind) {
            case Codes.CONSTRUCT:
                if (isInner && arguments[0] == null) {
                    // What compilers write for `outer.new Inner()` does not get as far as the constructor.
                    throw new IllegalArgumentException("no object around it");
                }
                return constructor.newInstance(arguments);
            case Codes.INVOKE:
            case Codes.INVOKE_STATIC:
                return method.invoke(receiver, arguments);
            case Codes.LOAD:
            case Codes.LOAD_STATIC:
                return field.get(receiver);
            case Codes.STORE:
            case Codes.STORE_STATIC:
                field.set(receiver, arguments[0]);
                return null;
            case Codes.FILE:
                return OwnFiles.file(arguments[0]);
            case Codes.FOLDER:
                return OwnFiles.folder(arguments);
            case Codes.STUB:
                return Stub.of(type, constructor, answers, arguments);
            case Codes.LOOK:
                return arguments[0];
            default:
                return array(arguments);
        }
    }

    private Object invoke(Object[] arguments) throws InvocationTargetException {
        try {
            return handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new InvocationTargetException(e);
        }
    }

    private Object array(Object[] elements) {
        Object array = Array.newInstance(type.getComponentType(), elements.length);
        for (int i = 0; i < elements.length; i++) {
            Array.set(array, i, elements[i]);
        }
        return array;
    }
}
