package org.diffindex.model;

import java.util.Comparator;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of one generation of an index. An index whose columns, split points, protected cells or format change gets another
 * table, and each table belongs to a generation. The first one has the name of the index, such as {@code by_origin}; later ones
 * add a point and their number, as in {@code by_origin.2}. A name that users give to an index has no point ({@link
 * IndexDefinition.Builder#build}), so that each text is the name of one generation of one index. Immutable.
 *
 * @param index the name that users give to the index
 * @param generation the number of the generation, from 1
 */
public record GenerationName(String index, int generation) implements Comparable<GenerationName> {
    private static final Pattern LATER = Pattern.compile("(.+)\\.([1-9][0-9]{0,8})");

    private static final Comparator<GenerationName> ORDER =
            Comparator.comparing(GenerationName::index).thenComparingInt(GenerationName::generation);

    /**
     * Creates a name.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public GenerationName {
        Objects.requireNonNull(index, "index");
        if (generation < 1) {
            throw new IllegalArgumentException("The generations of an index are counted from 1, not " + generation);
        }
    }

    /** Parses the name of a generation; a text of any other form is the name of a first generation. */
    public static GenerationName of(String name) {
        Matcher later = LATER.matcher(name);
        if (later.matches()) {
            int generation = Integer.parseInt(later.group(2));
            if (generation > 1) {
                return new GenerationName(later.group(1), generation);
            }
        }
        return new GenerationName(name, 1);
    }

    /** Returns whether this is the first generation, which has the name of the index. */
    public boolean isFirst() {
        return generation == 1;
    }

    /** Returns the name of the next generation of the index. */
    public GenerationName next() {
        return new GenerationName(index, generation + 1);
    }

    /**
     * Returns the name of the generation before.
     *
     * @throws IllegalArgumentException if this is the first one
     */
    public GenerationName previous() {
        return new GenerationName(index, generation - 1);
    }

    /** Orders names by index, then by generation. */
    @Override
    public int compareTo(GenerationName other) {
        return ORDER.compare(this, other);
    }

    /** Returns the name, as {@link #of} parses it. */
    @Override
    public String toString() {
        return isFirst() ? index : index + "." + generation;
    }
}
