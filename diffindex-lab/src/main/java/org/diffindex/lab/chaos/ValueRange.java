package org.diffindex.lab.chaos;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A range of the small domain of indexed values.
 *
 * @param first the number of the lowest value
 * @param count the number of values
 */
record ValueRange(int first, int count) {
    /** The size of the domain. */
    static final int DOMAIN = 100;

    /** Returns the value of that number; values sort in the order of their numbers. */
    static String value(int number) {
        return "v%03d".formatted(number);
    }

    String low() {
        return value(first);
    }

    String high() {
        return value(first + count - 1);
    }

    List<String> values() {
        return IntStream.range(first, first + count).mapToObj(ValueRange::value).toList();
    }

    boolean contains(String value) {
        return value.compareTo(low()) >= 0 && value.compareTo(high()) <= 0;
    }

    @Override
    public String toString() {
        return count == 1 ? low() : low() + ".." + high();
    }
}
