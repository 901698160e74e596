import java.util.function.IntSupplier;

/** Gives every loop of Endless a budget and prints how it ended. */
public class EndlessMain {
    static void show(String name, IntSupplier loop) {
        Hooks.budget = 1000;
        String end;
        try { end = "returned " + loop.getAsInt(); } catch (Throwable t) { end = t.getClass().getName(); }
        System.out.println(name + " " + end + (Thread.holdsLock(Endless.lock) ? " and holds the lock" : ""));
    }

    public static void main(String[] arguments) {
        show("plain", Endless::plain);
        show("swallowed", Endless::swallowed);
        show("again", Endless::again);
        show("inner", Endless::inner);
        show("last", Endless::last);
        show("locked", Endless::locked);
        show("both", Endless::both);
    }
}
