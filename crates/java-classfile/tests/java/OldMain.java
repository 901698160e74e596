/** Prints what old classes compute. */
public class OldMain {
    public static void main(String[] arguments) throws Exception {
        for (int n = 0; n < 6; n++) System.out.println(Old.count(n) + new Old(n).text);
        System.out.println(Old.pick(null, "b") + " " + Old.pick("a", "b") + " " + Old.pick("a", "a"));
        Hooks.counts.clear();
        Object result = Class.forName("Sub").getMethod("run", int.class).invoke(null, 5);
        System.out.println(result + " " + Hooks.counts);
    }
}
