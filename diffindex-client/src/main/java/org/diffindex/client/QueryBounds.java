package org.diffindex.client;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.base.Suppliers;
import org.diffindex.model.ColumnType;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.KeyOrder;

/**
 * The ranges of index row keys that a query selects, in the order in which it reads them: one, or one for each value of its
 * IN. They have no key in common. If the query continues after a token, what lies before it is left out, and {@link
 * #select} tells it from what the query never reads. Pure and immutable.
 */
final class QueryBounds {
    /** A range, and the equal values of which it was made: those of the first columns and, if there is an IN, one of its. */
    private record Selected(List<Object> equalTo, KeyRange range) {}

    private final ScanDirection direction;

    /** In the order of their keys. */
    private final List<Selected> selected;

    /** The bounds of the same query without a token; these, if it has none. */
    private final QueryBounds whole;

    private final Supplier<byte[]> digest;

    private QueryBounds(ScanDirection direction, List<Selected> selected) {
        this.direction = direction;
        this.selected = selected;
        this.whole = this;
        this.digest = Suppliers.memoize(this::digestOfRanges);
    }

    private QueryBounds(List<Selected> left, QueryBounds whole) {
        this.direction = whole.direction;
        this.selected = left;
        this.whole = whole;
        this.digest = whole.digest;
    }

    /**
     * Binds a query to the definition of its index.
     *
     * @throws InvalidQueryException if there are more values than columns, a value is not of its column's type, the end of
     *     a range is not above its start, or the type of a column has no prefixes
     * @throws PageTokenException if the query continues after a token of another query or index
     */
    static QueryBounds of(IndexQuery query, IndexDefinition definition) {
        QueryConditions conditions = query.conditions();
        TreeMap<byte[], Selected> ranges = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        for (List<Object> equalTo : equalValues(conditions)) {
            KeyRange range = range(equalTo, conditions, definition);
            if (!range.isEmpty()) {
                ranges.put(range.start(), new Selected(equalTo, range));
            }
        }
        List<Selected> all = List.copyOf(ranges.values());
        QueryBounds bounds = new QueryBounds(query.direction(), all);
        return query.position().map(token -> bounds.after(token, definition)).orElse(bounds);
    }

    private static List<List<Object>> equalValues(QueryConditions conditions) {
        if (conditions.in().isEmpty()) {
            return List.of(conditions.equalTo());
        }
        List<List<Object>> all = new ArrayList<>(conditions.in().size());
        for (Object value : conditions.in()) {
            List<Object> equalTo = new ArrayList<>(conditions.equalTo());
            equalTo.add(value);
            all.add(equalTo);
        }
        return all;
    }

    private static KeyRange range(List<Object> equalTo, QueryConditions conditions, IndexDefinition definition) {
        byte[] equal = conditions.prefix().isPresent()
                ? beginning(definition, equalTo, conditions.prefix().get())
                : prefix(definition, equalTo, List.of());
        byte[] from = conditions.from().isEmpty() ? equal : prefix(definition, equalTo, conditions.from());
        byte[] stop = KeyOrder.firstAfterPrefix(equal);
        if (!conditions.to().isEmpty()) {
            byte[] end = prefix(definition, equalTo, conditions.to());
            stop = conditions.toInclusive() ? KeyOrder.firstAfterPrefix(end) : end;
        }
        if (new KeyRange(from, stop).isEmpty()) {
            throw new InvalidQueryException("The range of a query by index " + definition.logicalName()
                    + " is empty: from "
                    + QueryConditions.show(conditions.from()) + (conditions.toInclusive() ? " toInclusive " : " to ")
                    + QueryConditions.show(conditions.to())
                    + "; nothing was read; give an end that is above the start, or the same value with toInclusive");
        }
        byte[] start = firstKey(from, definition);
        boolean isBehindAllKeys = start.length == 0 && from.length > 0;
        return isBehindAllKeys ? KeyRange.NOTHING : new KeyRange(start, firstKey(stop, definition));
    }

    /**
     * Returns the first key of an index that is not before a bound; open if there is none. A bound may be longer than
     * any key, and HBase's client refuses it then.
     */
    private static byte[] firstKey(byte[] bound, IndexDefinition definition) {
        int longest = definition.maxKeyLength();
        return bound.length <= longest ? bound : KeyOrder.firstAfterPrefix(Arrays.copyOf(bound, longest));
    }

    /** Returns the first bytes of exactly the keys that begin with these values. */
    private static byte[] prefix(IndexDefinition definition, List<Object> equalTo, List<Object> bound) {
        List<Object> objects = new ArrayList<>(equalTo);
        objects.addAll(bound);
        requireColumns(definition, objects);
        IndexKeyCodec codec = new IndexKeyCodec(definition);
        List<byte[]> values = new ArrayList<>();
        byte[] prefix = new byte[0];
        for (int i = 0; i < objects.size(); i++) {
            IndexedColumn column = definition.keyColumns().get(i);
            try {
                values.add(TextValue.bytesOf(objects.get(i), column.type()));
                prefix = codec.prefix(values);
            } catch (IllegalArgumentException e) {
                throw misfit(objects.get(i), column, definition, e);
            }
        }
        return prefix;
    }

    /** Returns the first bytes of exactly the keys that begin with these values, and whose next value has a prefix. */
    private static byte[] beginning(IndexDefinition definition, List<Object> equalTo, Object next) {
        List<Object> objects = new ArrayList<>(equalTo);
        objects.add(next);
        requireColumns(definition, objects);
        IndexedColumn column = definition.keyColumns().get(equalTo.size());
        ColumnType type = column.type();
        if (type.keyPrefix(new byte[0]).isEmpty()) {
            throw new InvalidQueryException("Column " + column + " of index " + definition.logicalName()
                    + " has no prefixes: a value of type " + type + " does not begin with another one;"
                    + " nothing was read; give a range with from and to");
        }
        byte[] first;
        try {
            first = type.keyPrefix(TextValue.bytesOf(next, type)).orElseThrow();
        } catch (IllegalArgumentException e) {
            throw misfit(next, column, definition, e);
        }
        return Bytes.add(prefix(definition, equalTo, List.of()), first);
    }

    private static void requireColumns(IndexDefinition definition, List<Object> values) {
        int columns = definition.keyColumns().size();
        if (values.size() > columns) {
            throw new InvalidQueryException("Index " + definition.logicalName() + " has "
                    + (columns == 1 ? "one column" : columns + " columns") + ", but "
                    + values.size() + " values were given: " + QueryConditions.show(values)
                    + "; nothing was read; leave the last of them out");
        }
    }

    private static InvalidQueryException misfit(
            Object value, IndexedColumn column, IndexDefinition definition, IllegalArgumentException cause) {
        String message = value instanceof TextValue
                ? "'" + value + "' is not a value of column " + ConditionText.nameOf(column) + " of type "
                        + column.type() + " of index " + definition.logicalName() + " (" + cause.getMessage() + ")"
                : "Column " + column + " of index " + definition.logicalName() + ": " + cause.getMessage();
        return new InvalidQueryException(message + "; nothing was read", cause);
    }

    /** Returns what is left to read after the position of a token. */
    private QueryBounds after(PageToken token, IndexDefinition definition) {
        token.requireOf(definition, digest());
        if (token.key().length == 0) {
            return this;
        }
        List<Selected> left = new ArrayList<>();
        for (Selected each : selected) {
            KeyRange rest = each.range().after(token.key(), direction);
            if (!rest.isEmpty()) {
                left.add(new Selected(each.equalTo(), rest));
            }
        }
        return new QueryBounds(List.copyOf(left), whole);
    }

    /**
     * Returns the first 16 bytes of the SHA-256 of the direction and of the ranges without a token; not to be modified. Tokens
     * hold it, so that it must not change. It is computed once.
     */
    byte[] digest() {
        return digest.get();
    }

    private byte[] digestOfRanges() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((byte) (direction == ScanDirection.REVERSE ? 1 : 0));
            for (Selected each : selected) {
                for (byte[] bound : List.of(each.range().start(), each.range().stop())) {
                    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bound.length));
                    digest.update(bound);
                }
            }
            return Arrays.copyOf(digest.digest(), PageToken.DIGEST_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    ScanDirection direction() {
        return direction;
    }

    /** Returns the ranges, none of them empty, in the order in which they are read. */
    List<KeyRange> ranges() {
        List<KeyRange> ranges = new ArrayList<>(selected.size());
        selected.forEach(each -> ranges.add(each.range()));
        if (direction == ScanDirection.REVERSE) {
            Collections.reverse(ranges);
        }
        return ranges;
    }

    /** Returns the equal values of the range at a position of {@link #ranges}. */
    List<Object> equalTo(int position) {
        return selected.get(inOrder(position)).equalTo();
    }

    /** Returns the position in {@link #ranges} of the range that contains a key; negative if none does. */
    int rangeOf(byte[] key) {
        int low = 0;
        int high = selected.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (Bytes.compareTo(selected.get(middle).range().start(), key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low <= high && selected.get(low).range().contains(key) ? inOrder(low) : -1;
    }

    /** Converts between the position of a range in the order of keys and that in the order of reading. */
    private int inOrder(int position) {
        return direction == ScanDirection.REVERSE ? selected.size() - 1 - position : position;
    }

    /** Returns whether nothing is left to read: the query selects no key, or none behind its token. */
    boolean isEmpty() {
        return selected.isEmpty();
    }

    /** Returns whether an entry lies in a range that is left to read. */
    boolean contain(IndexEntry entry) {
        return rangeOf(entry.key()) >= 0;
    }

    /** Returns whether the conditions select an entry, also if it lies before the token. */
    boolean select(IndexEntry entry) {
        return whole.contain(entry);
    }
}
