package org.diffindex.lab.chaos;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Neighbouring values of the small domain from which all indexed values come.
 *
 * @param first the number of the lowest value
 * @param count how many values
 */
record ValueRange(int first, int count) {
    /** How many values there are. */
    static final int DOMAIN = 100;

    /** The value of that number; values sort as their numbers do. */
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
