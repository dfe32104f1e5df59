package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.InvalidDefinitionException.Reason;

/**
 * A condition on one column of a base row. A row has an entry in a partial index only if it satisfies all conditions of the
 * definition. Values are compared as the column's type sorts them; a cell that its type cannot decode satisfies no
 * condition but that it is present. Immutable; thread-safe.
 */
public final class ColumnCondition {
    /** The most values of one condition. */
    public static final int MOST_VALUES = 100;

    /** What a condition asks of its column. */
    public enum Operator {
        /** The value is one of the condition's. */
        IN("in"),
        /** The value is the condition's, or sorts after it. */
        AT_LEAST(">="),
        /** The value sorts after the condition's. */
        ABOVE(">"),
        /** The value is the condition's, or sorts before it. */
        AT_MOST("<="),
        /** The value sorts before the condition's. */
        BELOW("<"),
        /** The row has a cell of the column, whatever its value. */
        PRESENT("present"),
        /** The row has no cell of the column. */
        ABSENT("absent");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        /** Returns the text by which definitions and commands name the operator. */
        String symbol() {
            return symbol;
        }

        static Optional<Operator> of(String symbol) {
            return Stream.of(values())
                    .filter(each -> each.symbol.equals(symbol))
                    .findFirst();
        }

        /** Returns whether it compares the value, which the column's type must decode then. */
        boolean compares() {
            return this != PRESENT && this != ABSENT;
        }
    }

    /** A comma that separates values in the text of a condition: not one behind a backslash. */
    private static final String SEPARATOR = "(?<!\\\\),";

    private final IndexedColumn column;
    private final Operator operator;

    /** The values by their key bytes, as the column's type sorts them. */
    private final TreeMap<byte[], byte[]> values = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /**
     * Creates a condition.
     *
     * @param values Java values or value bytes, as in queries: some for {@link Operator#IN}, one for another comparison, else
     *     none
     * @throws IllegalArgumentException if a value is not of the column's type
     * @throws InvalidDefinitionException if there are too few or too many values, or the column is descending
     */
    public ColumnCondition(IndexedColumn column, Operator operator, List<?> values) {
        this.column = column;
        this.operator = operator;
        int least = operator.compares() ? 1 : 0;
        int most = operator == Operator.IN ? MOST_VALUES : least;
        if (values.size() < least || values.size() > most) {
            throw invalid(
                    Reason.CONDITION_VALUES,
                    "has " + values.size() + " values, and '" + operator.symbol + "' takes "
                            + (least == most ? least : least + " to " + most));
        }
        if (column.isDescending()) {
            throw invalid(Reason.CONDITION_IN_ORDER, "compares values, whatever their order; leave :desc out");
        }
        for (Object value : values) {
            byte[] bytes = column.type().toValue(value);
            this.values.put(IndexKeyCodec.encodePrefix(List.of(column), List.of(bytes)), bytes);
        }
    }

    /** Returns the condition that the column has one of these values. */
    public static ColumnCondition in(IndexedColumn column, Object... values) {
        return new ColumnCondition(column, Operator.IN, Arrays.asList(values));
    }

    /** Returns the condition that the column has a cell. */
    public static ColumnCondition present(IndexedColumn column) {
        return new ColumnCondition(column, Operator.PRESENT, List.of());
    }

    /** Returns the condition that the column has no cell. */
    public static ColumnCondition absent(IndexedColumn column) {
        return new ColumnCondition(column, Operator.ABSENT, List.of());
    }

    /**
     * Parses {@code COLUMN = VALUE}, {@code COLUMN in (VALUE,VALUE)}, {@code COLUMN >= VALUE}, {@code >}, {@code <=} or {@code <},
     * {@code COLUMN present} or {@code COLUMN absent}, with a blank before and behind the operator; the column as in {@link
     * IndexedColumn#parse}. Everything behind the blank is the value; in a list a comma within a value is written {@code
     * \,}.
     *
     * @throws IllegalArgumentException if the text is not of that form, or as for the constructor
     */
    public static ColumnCondition parse(String text) {
        String[] parts = text.stripLeading().split(" ", 3);
        if (parts.length < 2) {
            throw malformed(text);
        }
        IndexedColumn column = IndexedColumn.parse(parts[0]);
        String rest = parts.length < 3 ? "" : parts[2];
        if (parts[1].equals("=")) {
            return in(column, column.type().parse(rest));
        }
        Operator operator = Operator.of(parts[1]).orElseThrow(() -> malformed(text));
        return new ColumnCondition(column, operator, valuesIn(rest, column, operator, text));
    }

    private static List<byte[]> valuesIn(String rest, IndexedColumn column, Operator operator, String text) {
        if (!operator.compares()) {
            if (!rest.isBlank()) {
                throw malformed(text);
            }
            return List.of();
        }
        if (operator != Operator.IN) {
            return List.of(column.type().parse(rest));
        }
        if (!rest.startsWith("(") || !rest.endsWith(")")) {
            throw malformed(text);
        }
        return Stream.of(rest.substring(1, rest.length() - 1).split(SEPARATOR, -1))
                .map(value -> column.type().parse(value.replace("\\,", ",")))
                .toList();
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "A condition is written 'COLUMN = VALUE', 'COLUMN in (VALUE,...)', 'COLUMN >= VALUE',"
                        + " with >, <= or < likewise, 'COLUMN present' or 'COLUMN absent', with blanks around the operator; not '"
                        + text
                        + "'");
    }

    private InvalidDefinitionException invalid(Reason reason, String problem) {
        return new InvalidDefinitionException(reason, "The condition on column " + column + " " + problem);
    }

    public IndexedColumn column() {
        return column;
    }

    public Operator operator() {
        return operator;
    }

    /** Returns the value bytes, as the column's type sorts them; not copies, must not be modified. */
    public List<byte[]> values() {
        return List.copyOf(values.values());
    }

    /**
     * Returns whether a row satisfies the condition.
     *
     * @param cellBytes the visible cell of the column; empty if the row has none
     * @throws UndecodableValueException if the condition compares the value, and the column's type cannot decode it
     */
    public boolean isMetBy(Optional<byte[]> cellBytes) throws UndecodableValueException {
        if (!operator.compares()) {
            return cellBytes.isPresent() == (operator == Operator.PRESENT);
        }
        if (cellBytes.isEmpty()) {
            return false;
        }
        return isMetByKey(IndexKeyCodec.keyOf(column, column.type().valueOf(cellBytes.get())));
    }

    /** Returns whether a value with these key bytes satisfies a condition that compares it. */
    private boolean isMetByKey(byte[] key) {
        int order = Bytes.compareTo(key, values.firstKey());
        return switch (operator) {
            case AT_LEAST -> order >= 0;
            case ABOVE -> order > 0;
            case AT_MOST -> order <= 0;
            case BELOW -> order < 0;
            default -> values.containsKey(key);
        };
    }

    /** Returns whether no row can satisfy both this condition and another one. */
    boolean excludes(ColumnCondition other) {
        if (!column.hasCellsOf(other.column)) {
            return false;
        }
        if (operator == Operator.ABSENT || other.operator == Operator.ABSENT) {
            return operator != other.operator;
        }
        return column.equals(other.column)
                && (operator.compares() && other.operator.compares())
                && excludesValuesOf(other);
    }

    private boolean excludesValuesOf(ColumnCondition other) {
        if (operator == Operator.IN) {
            return values.keySet().stream().noneMatch(other::isMetByKey);
        }
        if (other.operator == Operator.IN) {
            return other.excludesValuesOf(this);
        }
        boolean isLower = operator == Operator.AT_LEAST || operator == Operator.ABOVE;
        boolean isOtherLower = other.operator == Operator.AT_LEAST || other.operator == Operator.ABOVE;
        int order = Bytes.compareTo(values.firstKey(), other.values.firstKey());
        boolean isOpen = operator == Operator.ABOVE
                || operator == Operator.BELOW
                || other.operator == Operator.ABOVE
                || other.operator == Operator.BELOW;
        return isLower != isOtherLower && (order == 0 ? isOpen : isLower == order > 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnCondition that
                && column.equals(that.column)
                && operator == that.operator
                && Arrays.deepEquals(
                        values.keySet().toArray(), that.values.keySet().toArray());
    }

    @Override
    public int hashCode() {
        return 31 * column.hashCode() + operator.hashCode();
    }

    /** Returns the condition in a form that {@link #parse} reads back. */
    @Override
    public String toString() {
        List<String> texts = new ArrayList<>();
        values.values().forEach(value -> texts.add(column.type().format(value)));
        if (operator == Operator.IN && texts.size() > 1) {
            return column + " in "
                    + texts.stream().map(text -> text.replace(",", "\\,")).collect(Collectors.joining(",", "(", ")"));
        }
        String symbol = operator == Operator.IN ? "=" : operator.symbol;
        return texts.isEmpty() ? column + " " + symbol : column + " " + symbol + " " + texts.get(0);
    }
}
