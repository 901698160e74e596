package branchwise.source;

import com.sun.source.tree.AssertTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.InstanceOfTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the decisions of Java sources, and compiles these with tables that say where each condition is in the code.
 *
 * <p>Arguments: a file with the options of the compiler, one a line, and a file with the sources. Of every source it prints
 *
 * <pre>
 * file       p/File.java
 * decision   5:13-5:41  |&amp;cc!&amp;cc      operators before what they join; `T` and `F` are constant conditions
 * condition  5:13-5:15                     its text; columns in bytes
 * own+       5:13-5:15                     the condition, or a part that decides it; columns as the compiler counts them
 * own-       5:14-5:15                     the same where the opposite of it decides
 * tail+      5:13-5:20                     a part of the decision that ends with the condition
 * choice     it is `a ? b : c`
 * instance   it is `a instanceof B`
 * </pre>
 */
public final class Decisions extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final PrintWriter out;
    private final CharSequence text;
    /** Where a statement begins that the compiler turns into a larger condition. */
    private long outside = -1;

    private Decisions(CompilationUnitTree unit, SourcePositions positions, PrintWriter out) throws IOException {
        this.unit = unit;
        this.positions = positions;
        this.out = out;
        this.text = unit.getSourceFile().getCharContent(true);
    }

    /** The program. */
    public static void main(String[] arguments) throws IOException {
        List<String> options = Files.readAllLines(Paths.get(arguments[0]));
        List<Path> sources = new ArrayList<>();
        for (String name : Files.readAllLines(Paths.get(arguments[1]))) {
            sources.add(Paths.get(name));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(sources.toArray(new Path[0]));
        StringWriter words = new StringWriter();
        JavacTask task = (JavacTask) compiler.getTask(words, files, null, options, null, units);
        PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
        List<CompilationUnitTree> parsed = new ArrayList<>();
        task.parse().forEach(parsed::add);
        // Types say which conditions are constant; compiling takes the trees apart.
        task.analyze();
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        for (CompilationUnitTree unit : parsed) {
            ExpressionTree name = unit.getPackageName();
            Path file = Paths.get(unit.getSourceFile().getName()).getFileName();
            out.println("file\t" + (name == null ? "" : name.toString().replace('.', '/') + "/") + file);
            new Decisions(unit, positions, out).scan(unit, null);
            try {
                Ends.remember(unit);
            } catch (LinkageError e) {
                // A compiler of another version: some conditions will not be found, and are listed.
                continue;
            }
        }
        task.generate();
        out.flush();
        System.err.print(words);
    }

    @Override
    public Void visitAssert(AssertTree tree, Void nothing) {
        ExpressionTree condition = plain(tree.getCondition());
        outside = isJoin(condition) || isGroup(condition) ? positions.getStartPosition(unit, tree) : -1;
        scan(condition, nothing);
        return scan(tree.getDetail(), nothing);
    }

    @Override
    public Void visitParenthesized(ParenthesizedTree tree, Void nothing) {
        return scan(tree.getExpression(), nothing);
    }

    @Override
    public Void visitUnary(UnaryTree tree, Void nothing) {
        return isGroup(tree) ? decision(tree) : super.visitUnary(tree, nothing);
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void nothing) {
        return isJoin(tree) ? decision(tree) : super.visitBinary(tree, nothing);
    }

    /** Prints a decision, then those inside of its conditions. */
    private Void decision(ExpressionTree tree) {
        List<Condition> conditions = new ArrayList<>();
        StringBuilder shape = new StringBuilder();
        boolean isNegated = take(tree, shape, conditions);
        Condition last = conditions.get(conditions.size() - 1);
        if (outside >= 0) {
            // `assert c` is `if (assertions are on && !c) throw`.
            long end = positions.getEndPosition(unit, tree);
            last.marks.add(mark("tail", !isNegated, new long[] {outside, end}));
            outside = -1;
        }
        out.println("decision\t" + range(of(tree), true) + "\t" + shape);
        for (Condition condition : conditions) {
            out.println("condition\t" + range(of(condition.tree), true));
            condition.marks.forEach(out::println);
        }
        conditions.forEach(condition -> scan(inside(condition.tree), null));
        return null;
    }

    /** What is evaluated to decide a condition, without what negates it. */
    private static ExpressionTree inside(ExpressionTree tree) {
        ExpressionTree plain = plain(tree);
        return isNegation(plain) ? inside(((UnaryTree) plain).getExpression()) : plain;
    }

    /** Collects the conditions of an expression; whether it is the opposite of the last of them. */
    private boolean take(ExpressionTree tree, StringBuilder shape, List<Condition> conditions) {
        ExpressionTree plain = plain(tree);
        boolean isNegated = false;
        if (isJoin(plain)) {
            BinaryTree join = (BinaryTree) plain;
            shape.append(join.getKind() == Tree.Kind.CONDITIONAL_AND ? '&' : '|');
            take(join.getLeftOperand(), shape, conditions);
            isNegated = take(join.getRightOperand(), shape, conditions);
        } else if (isGroup(plain)) {
            shape.append('!');
            isNegated = !take(((UnaryTree) plain).getExpression(), shape, conditions);
        } else {
            Condition condition = new Condition(plain);
            Object value = Constants.valueOf(plain);
            shape.append(value == null ? 'c' : value.equals(true) ? 'T' : 'F');
            conditions.add(condition);
            own(tree, false, condition);
            if (inside(plain) instanceof ConditionalExpressionTree) {
                condition.marks.add("choice");
            } else if (inside(plain) instanceof InstanceOfTree) {
                condition.marks.add("instance");
            }
            return false;
        }
        for (ExpressionTree part = tree; part != null; part = within(part)) {
            conditions.get(conditions.size() - 1).marks.add(mark("tail", isNegated, of(part)));
        }
        return isNegated;
    }

    /** Remembers whatever decides a condition: of `a ? b : c` each part, if that is no decision by itself. */
    private void own(ExpressionTree tree, boolean isNegated, Condition condition) {
        condition.marks.add(mark("own", isNegated, of(tree)));
        if (within(tree) != null) {
            own(within(tree), isNegated, condition);
        } else if (isNegation(tree)) {
            own(((UnaryTree) tree).getExpression(), !isNegated, condition);
        } else if (tree instanceof ConditionalExpressionTree) {
            ConditionalExpressionTree choice = (ConditionalExpressionTree) tree;
            for (ExpressionTree part : Arrays.asList(choice.getTrueExpression(), choice.getFalseExpression())) {
                if (!isJoin(plain(part)) && !isGroup(plain(part))) {
                    own(part, isNegated, condition);
                }
            }
        }
    }

    private String mark(String kind, boolean isNegated, long[] ends) {
        return kind + (isNegated ? "-" : "+") + "\t" + range(ends, false);
    }

    private static boolean isJoin(ExpressionTree tree) {
        return tree.getKind() == Tree.Kind.CONDITIONAL_AND || tree.getKind() == Tree.Kind.CONDITIONAL_OR;
    }

    /** Whether it is a negated decision; a negated condition is a condition. */
    private static boolean isGroup(ExpressionTree tree) {
        ExpressionTree inside = isNegation(tree) ? plain(((UnaryTree) tree).getExpression()) : null;
        return inside != null && (isJoin(inside) || isGroup(inside));
    }

    private static boolean isNegation(ExpressionTree tree) {
        return tree.getKind() == Tree.Kind.LOGICAL_COMPLEMENT;
    }

    /** What stands in parentheses; null if there are none. */
    private static ExpressionTree within(ExpressionTree tree) {
        return tree instanceof ParenthesizedTree ? ((ParenthesizedTree) tree).getExpression() : null;
    }

    private static ExpressionTree plain(ExpressionTree tree) {
        return within(tree) == null ? tree : plain(within(tree));
    }

    private long[] of(Tree tree) {
        return new long[] {positions.getStartPosition(unit, tree), positions.getEndPosition(unit, tree)};
    }

    private String range(long[] ends, boolean inBytes) {
        return position(ends[0], inBytes) + "-" + position(ends[1], inBytes);
    }

    private String position(long at, boolean inBytes) {
        LineMap lines = unit.getLineMap();
        long line = lines.getLineNumber(at);
        if (!inBytes) {
            return line + ":" + lines.getColumnNumber(at);
        }
        String before = text.subSequence((int) lines.getStartPosition(line), (int) at).toString();
        return line + ":" + (before.getBytes(StandardCharsets.UTF_8).length + 1);
    }

    /** A condition, and what is known of the parts of the source that it ends. */
    private static final class Condition {
        final ExpressionTree tree;
        final List<String> marks = new ArrayList<>();

        Condition(ExpressionTree tree) {
            this.tree = tree;
        }
    }
}
