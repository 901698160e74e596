package odd;

import java.util.Comparator;

public class Overloads {
    public int seen = 1;
    private final String how;

    public Overloads(String text) {
        how = "text";
    }

    public Overloads(StringBuilder text) {
        how = "builder";
    }

    public String how() {
        return how;
    }

    public static String f(Object object) {
        return "Object";
    }

    public static String f(String text) {
        return "String";
    }

    public static String f(long number) {
        return "long";
    }

    public static String f(String text, Object... rest) {
        return "rest" + rest.length;
    }

    @Deprecated
    public static int old(Comparator<String> order) {
        return order.compare("a", "b") + order.compare("b", "a");
    }

    public static int anything(boolean fails) throws Throwable {
        if (fails) {
            throw new Secret("hidden");
        }
        return 7;
    }

    public static Object[] mixed() {
        return new Object[] {"a", 'c', new StringBuilder("b"), null};
    }

    public static Object[] secrets() {
        return new Secret[] {null};
    }

    public static Object raw() {
        return new double[] {0.5, -0.0};
    }

    private static class Secret extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        Secret(String message) {
            super(message);
        }
    }

    public static class Derived extends Overloads {
        public int seen = 2;

        public Derived() {
            super((String) null);
        }

        public class Inner {
            private final int sum;

            public Inner(int a, byte b) {
                sum = a + b + seen;
            }

            public int sum() {
                return sum;
            }
        }
    }
}
