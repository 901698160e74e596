/** What Java 1.4 had. */
public class Old {
    final String text;

    Old(int n) { this(n > 2 ? "many" : new String("few")); }

    Old(String text) { this.text = text; }

    static int count(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            switch (i) { case 1: sum += 5; break; case 3: continue; case 900: return -1; default: sum++; }
            try { sum += 10 / (i - 2); } catch (ArithmeticException e) { sum += 100; } finally { sum *= 2; }
        }
        return sum;
    }

    static Object pick(Object a, Object b) { return a == null ? b : a == b ? "same" : a; }
}
