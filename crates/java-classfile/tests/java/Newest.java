import java.util.*;

/** What Java 12 to 17 added: records, sealed types, patterns, switch expressions, text blocks. */
public class Newest {
    sealed interface Shape permits Circle, Square, Other {}
    record Circle(double radius) implements Shape {}
    record Square(int side, List<String> tags) implements Shape {
        Square { if (side < 0) throw new IllegalArgumentException("side " + side); }
        Square(int side) { this(side > 100 ? 100 : side, side == 1 ? List.of("unit") : List.of()); }
    }
    static final class Other implements Shape {}
    enum Day { MON, SAT, SUN }

    static String describe(Object o) {
        if (o instanceof Circle c && c.radius() > 1) return "circle " + c.radius();
        if (!(o instanceof Square s)) return "none";
        return s.side() + s.tags().toString();
    }
    static int rate(Day day) { return switch (day) { case MON -> 1; case SAT, SUN -> { int x = day.ordinal(); while (x < 10) x *= 3; yield x; } }; }
    static String word(String s) { return switch (s) { case "one", "two" -> "number"; case "" -> throw new IllegalStateException("empty"); default -> s + switch (s.length()) { case 1 -> "!"; default -> "?"; }; }; }

    public static void main(String[] arguments) {
        for (Object o : new Object[] {new Circle(0.5), new Circle(2), new Square(1), new Square(500), new Other(), null}) System.out.println(describe(o) + " " + (o instanceof Shape));
        System.out.println(new Square(3).equals(new Square(3)) + " " + new Circle(1).hashCode() + " " + new Square(2));
        try { new Square(-1); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        for (Day day : Day.values()) System.out.print(rate(day) + " ");
        for (String s : new String[] {"one", "x", "xyz", ""}) try { System.out.println(word(s)); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        System.out.println("""
            a text
              block""");
    }
}
