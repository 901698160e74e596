import com.google.common.base.CharMatcher;
import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.*;
import com.google.common.hash.Hashing;
import com.google.common.math.LongMath;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.commons.io.IOUtils;
import org.apache.commons.io.input.BoundedInputStream;
import org.apache.commons.lang3.*;
import org.apache.commons.lang3.builder.ToStringBuilder;
import org.apache.commons.lang3.math.Fraction;
import org.apache.commons.lang3.text.WordUtils;
import org.apache.commons.lang3.time.DurationFormatUtils;

/** Uses a little of everything, and prints what it got. */
public class Libraries {
    public static void main(String[] arguments) throws Exception {
        System.out.println(ImmutableSortedMap.of("b", 2, "a", 1, "c", 3).headMap("c"));
        System.out.println(Joiner.on('|').join(Splitter.on(',').trimResults().omitEmptyStrings().split("x, y,,z ")));
        System.out.println(CharMatcher.inRange('a', 'f').retainFrom("branches of feed"));
        TreeMultiset<String> words = TreeMultiset.create(Arrays.asList("b a b c b a".split(" ")));
        System.out.println(words + " " + words.descendingMultiset().firstEntry());
        Table<Integer, Integer, String> table = TreeBasedTable.create();
        for (int i = 0; i < 5; i++) table.put(i % 3, i, "v" + i);
        System.out.println(table.rowMap());
        System.out.println(Hashing.sha256().hashString("x", StandardCharsets.UTF_8) + " " + Hashing.murmur3_128().hashInt(7));
        System.out.println(LongMath.binomial(40, 20) + " " + LongMath.isPrime(1_000_003));
        System.out.println(CacheBuilder.newBuilder().maximumSize(2).<String, Integer>build().get("k", () -> 42));
        System.out.println(ContiguousSet.closedOpen(1, 5).headSet(3) + " " + Sets.powerSet(ImmutableSet.of(1, 2)).size());
        System.out.println(StringUtils.getLevenshteinDistance("kitten", "sitting") + StringUtils.abbreviate("abcdefghij", 7));
        System.out.println(StringEscapeUtils.escapeJava("a\"\t\u20ac") + WordUtils.capitalizeFully("hello wORLD"));
        System.out.println(Fraction.getFraction("3/9").reduce() + " " + DurationFormatUtils.formatDurationHMS(3_723_004));
        System.out.println(ArrayUtils.toString(ArrayUtils.removeElements(new int[] {1, 2, 3, 2}, 2, 3)));
        System.out.println(new ToStringBuilder("x", org.apache.commons.lang3.builder.ToStringStyle.SHORT_PREFIX_STYLE).append("a", 1).toString());
        System.out.println(IOUtils.toString(new BoundedInputStream(new ByteArrayInputStream("0123456789".getBytes()), 4), StandardCharsets.UTF_8));
        try { Validate.isTrue(false, "no %d", 5); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
    }
}
