package branchwise.source;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.tools.javac.tree.EndPosTable;
import com.sun.tools.javac.tree.JCTree;
import java.io.IOException;

/**
 * Where trees end. The compiler forgets it for names and constants that it puts in place of others, variables that a lambda captures above all;
 * but it still knows where they begin, and there the source has the old ones.
 */
final class Ends implements EndPosTable {
    private static final int UNKNOWN = -1;
    private final EndPosTable known;
    private final CharSequence text;

    private Ends(EndPosTable known, CharSequence text) {
        this.known = known;
        this.text = text;
    }

    /** Makes the compiler remember more about a source. */
    static void remember(CompilationUnitTree tree) throws IOException {
        JCTree.JCCompilationUnit unit = (JCTree.JCCompilationUnit) tree;
        unit.endPositions = new Ends(unit.endPositions, tree.getSourceFile().getCharContent(true));
    }

    @Override
    public int getEndPos(JCTree tree) {
        int end = known.getEndPos(tree);
        boolean isWord = tree instanceof JCTree.JCIdent || tree instanceof JCTree.JCLiteral;
        return end == UNKNOWN && isWord && tree.pos > 0 ? endOfName(tree.pos) : end;
    }

    private int endOfName(int begin) {
        int end = begin;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        return end > begin ? end : UNKNOWN;
    }

    @Override
    public void storeEnd(JCTree tree, int end) {
        known.storeEnd(tree, end);
    }

    @Override
    public int replaceTree(JCTree old, JCTree other) {
        return known.replaceTree(old, other);
    }
}
