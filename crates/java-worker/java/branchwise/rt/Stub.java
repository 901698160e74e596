package branchwise.rt;

import java.lang.invoke.MethodType;
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
        Class<?> wanted = method.getReturnType();
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
        return wanted.isPrimitive() ? java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(wanted, 1), 0) : null;
    }
}
