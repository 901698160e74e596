package branchwise.rt;

import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** An object of an interface that nobody implements: it answers with given values in turn. */
final class Stub implements InvocationHandler {
    private final Object[] answers;
    private final boolean[] given;

    private Stub(Object[] answers) {
        this.answers = answers;
        this.given = new boolean[answers.length];
    }

    /** Objects of abstract classes would need code of their own. */
    static void check(Class<?> type) throws InstantiationException {
        if (!type.isInterface()) {
            throw new InstantiationException(type.getName() + " is no interface");
        }
    }

    static Object of(Class<?> type, Object[] answers) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Stub(answers));
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
        return wanted.isPrimitive() ? Array.get(Array.newInstance(wanted, 1), 0) : null;
    }
}
