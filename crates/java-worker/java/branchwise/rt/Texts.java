package branchwise.rt;

/** How many characters of a text would have to change. */
final class Texts {
    /** Longer texts are compared place by place: the exact number takes the product of their lengths. */
    private static final int EXACT = 40;

    private Texts() {
    }

    /** To make two texts equal: insertions, deletions and replacements. */
    static int toEqual(String text, String other, boolean ignoreCase) {
        if (text.length() > EXACT || other.length() > EXACT) {
            int shorter = Math.min(text.length(), other.length());
            int changes = Math.max(text.length(), other.length()) - shorter;
            for (int i = 0; i < shorter; i++) {
                changes += same(text.charAt(i), other.charAt(i), ignoreCase) ? 0 : 1;
            }
            return changes;
        }
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= text.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (same(text.charAt(i - 1), other.charAt(j - 1), ignoreCase) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }

    /** To have a part at a place; what lies outside of the text has to be added. */
    static int toHave(String text, String part, int from) {
        int changes = 0;
        for (int i = 0; i < part.length(); i++) {
            int at = from + i;
            changes += at >= 0 && at < text.length() && text.charAt(at) == part.charAt(i) ? 0 : 1;
        }
        return changes;
    }

    /** To have a part anywhere. */
    static int toContain(String text, String part) {
        if (text.contains(part)) {
            return 0;
        }
        int least = part.length();
        for (int from = 0; from < Math.min(text.length(), 1000); from++) {
            least = Math.min(least, toHave(text, part, from));
        }
        return least;
    }

    private static boolean same(char a, char b, boolean ignoreCase) {
        return a == b || ignoreCase && (Character.toUpperCase(a) == Character.toUpperCase(b)
                || Character.toLowerCase(a) == Character.toLowerCase(b));
    }
}
