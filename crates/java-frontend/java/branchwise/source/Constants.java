package branchwise.source;

import com.sun.source.tree.ExpressionTree;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.tree.JCTree;

/** What the compiler knows to be constant. Nothing public tells it, so this is the one place that looks into the compiler. */
final class Constants {
    private Constants() {}

    /** The value of a condition that always has the same; null for others. */
    static Object valueOf(ExpressionTree tree) {
        Type type = ((JCTree.JCExpression) tree).type;
        if (type == null || type.constValue() == null) {
            return null;
        }
        return type.isTrue();
    }
}
