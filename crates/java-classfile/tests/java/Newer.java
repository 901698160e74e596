import java.util.*;
import java.util.stream.*;

/** What Java 9 to 11 added: private methods of interfaces, nests, `var`, string concatenation by call site. */
public class Newer {
    private int secret = 3;
    interface Named { private String inner() { return "private"; } default String name() { return inner(); } }
    static class Nested implements Named { private int other = 4; int peek(Newer n) { return n.secret + other; } }

    public static void main(String[] arguments) {
        var newer = new Newer();
        var nested = new Nested();
        System.out.println(nested.peek(newer) + nested.other + nested.name() + newer.secret + 1L + 'c' + 2.5 + null);
        var map = new TreeMap<String, Integer>();
        for (var word : "a b a c b a".split(" ")) map.merge(word, 1, Integer::sum);
        System.out.println(map + IntStream.range(0, 5).filter(i -> i % 2 == 0).mapToObj(i -> "n" + i).collect(Collectors.joining(",")));
        try (var scanner = new Scanner("1 2 x")) { var sum = 0; while (scanner.hasNext()) sum += scanner.hasNextInt() ? scanner.nextInt() : scanner.next().length() * 100; System.out.println(sum); }
    }
}
