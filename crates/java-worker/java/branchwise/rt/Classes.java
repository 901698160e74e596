package branchwise.rt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Numbers of classes: the same for a class that is loaded again. */
final class Classes {
    private static final Map<List<String>, Integer> NUMBERS = new HashMap<>();

    /** Classes that the driver was not told of: names, each followed by the supertypes. */
    private static List<List<String>> news = new ArrayList<>();

    private static final ClassValue<Integer> KNOWN = new ClassValue<Integer>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return register(type);
        }
    };

    private Classes() {
    }

    /** Number of the class of an object, 0 for null. */
    static int number(Object object) {
        return object == null ? 0 : KNOWN.get(object.getClass());
    }

    private static synchronized Integer register(Class<?> type) {
        List<String> facts = facts(type);
        Integer number = NUMBERS.get(facts);
        if (number == null) {
            number = NUMBERS.size() + 1;
            news.add(facts);
            NUMBERS.put(facts, number);
        }
        return number;
    }

    static synchronized List<List<String>> takeNews() {
        if (news.isEmpty()) {
            return Collections.emptyList();
        }
        List<List<String>> taken = news;
        news = new ArrayList<>();
        return taken;
    }

    /** Name and supertypes. */
    private static List<String> facts(Class<?> type) {
        List<String> facts = new ArrayList<>();
        facts.add(name(type));
        facts.addAll(supertypes(type));
        return facts;
    }

    private static Set<String> supertypes(Class<?> type) {
        Set<String> found = new LinkedHashSet<>();
        for (Class<?> above = type.getSuperclass(); above != null; above = above.getSuperclass()) {
            found.add(name(above));
        }
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            addInterfaces(one, found);
        }
        Class<?> element = type.getComponentType();
        if (element != null && !element.isPrimitive()) {
            for (String above : supertypes(element)) {
                found.add(above.startsWith("[") ? "[" + above : "[L" + above + ";");
            }
            if (element.isInterface()) {
                found.add("[Ljava/lang/Object;");
            }
        }
        return found;
    }

    private static void addInterfaces(Class<?> type, Set<String> found) {
        for (Class<?> above : type.getInterfaces()) {
            if (found.add(name(above))) {
                addInterfaces(above, found);
            }
        }
    }

    /** The internal name. Classes that the machine makes for lambdas have numbers in theirs, which differ from run to run. */
    static String name(Class<?> type) {
        String name = type.getName();
        int lambda = name.indexOf("$$Lambda");
        if (lambda >= 0) {
            name = name.substring(0, lambda) + "$$Lambda";
        } else if (name.indexOf('/') >= 0) {
            name = name.substring(0, name.indexOf('/'));
        }
        return name.replace('.', '/');
    }
}
