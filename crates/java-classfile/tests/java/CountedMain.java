import java.util.function.Supplier;

/** Calls the methods of Counted and prints what the hooks saw of each call. */
public class CountedMain {
    static void show(String name, Supplier<Object> call) {
        Hooks.counts.clear();
        Object result = call.get();
        System.out.println(name + " = " + result + " " + Hooks.counts);
    }

    public static void main(String[] arguments) {
        show("loop(5)", () -> Counted.loop(5));
        show("loop(0)", () -> Counted.loop(0));
        show("choose(2)", () -> Counted.choose(2));
        show("caught(in)", () -> Counted.caught(new int[] {7}, 0));
        show("caught(out)", () -> Counted.caught(new int[] {7}, 1));
        show("calls(-9)", () -> Counted.calls(-9));
        show("first(4)", () -> Counted.first(4));
        show("same(null, x)", () -> Counted.same(null, "x"));
        show("make(true)", () -> ((Counted) Counted.make(true)).value);
    }
}
