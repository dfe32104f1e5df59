package org.diffindex.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.KeyOrder;

/**
 * The range of index row keys that a query selects: from {@code start}, inclusive, to {@code stop}, exclusive. Empty
 * arrays mean the index's beginning and end. Pure and immutable.
 */
final class QueryBounds {
    private static final byte[] OPEN = new byte[0];
    private static final QueryBounds NOTHING = new QueryBounds(new byte[1], new byte[1]);

    private final byte[] start;
    private final byte[] stop;

    private QueryBounds(byte[] start, byte[] stop) {
        this.start = start;
        this.stop = stop;
    }

    /**
     * Returns the bounds of a query by an index.
     *
     * @throws IllegalArgumentException if there are more values than columns, or a value is not of its column's type
     */
    static QueryBounds of(IndexQuery query, IndexDefinition definition) {
        byte[] equal = prefix(definition, query.equalTo(), List.of());
        byte[] from = prefix(definition, query.equalTo(), query.from());
        byte[] stop = KeyOrder.firstAfterPrefix(equal);
        if (!query.to().isEmpty()) {
            byte[] end = prefix(definition, query.equalTo(), query.to());
            stop = query.isToInclusive() ? KeyOrder.firstAfterPrefix(end) : end;
        }
        byte[] start = firstKey(from, definition);
        boolean isBehindAllKeys = start.length == 0 && from.length > 0;
        return isBehindAllKeys ? NOTHING : new QueryBounds(start, firstKey(stop, definition));
    }

    /**
     * Returns the first key of an index that is not before a bound; open if there is none. A bound may be longer than
     * any key, and HBase's client refuses it then.
     */
    private static byte[] firstKey(byte[] bound, IndexDefinition definition) {
        int longest = definition.maxKeyLength();
        return bound.length <= longest ? bound : KeyOrder.firstAfterPrefix(Arrays.copyOf(bound, longest));
    }

    byte[] start() {
        return start;
    }

    byte[] stop() {
        return stop;
    }

    /** Returns whether no key lies between the bounds. */
    boolean isEmpty() {
        return stop.length > 0 && Bytes.compareTo(start, stop) >= 0;
    }

    /** Returns whether an entry's key lies between the bounds. */
    boolean contain(IndexEntry entry) {
        return Bytes.compareTo(entry.key(), start) >= 0 && (stop.length == 0 || Bytes.compareTo(entry.key(), stop) < 0);
    }

    private static byte[] prefix(IndexDefinition definition, List<Object> equalTo, List<Object> bound) {
        List<Object> objects = new ArrayList<>(equalTo);
        objects.addAll(bound);
        List<IndexedColumn> columns = definition.keyColumns();
        if (objects.size() > columns.size()) {
            throw new IllegalArgumentException("Index " + definition.name() + " has " + columns.size()
                    + " columns, but " + objects.size() + " values were given: " + show(objects));
        }
        IndexKeyCodec codec = new IndexKeyCodec(definition);
        List<byte[]> values = new ArrayList<>();
        byte[] prefix = OPEN;
        for (int i = 0; i < objects.size(); i++) {
            try {
                values.add(columns.get(i).type().toValue(objects.get(i)));
                prefix = codec.prefix(values);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "Column " + columns.get(i) + " of index " + definition.name() + ": " + e.getMessage(), e);
            }
        }
        return prefix;
    }

    /** Formats values of a query for messages. */
    static String show(List<Object> values) {
        return values.stream()
                .map(value -> value instanceof byte[] bytes ? Bytes.toStringBinary(bytes) : value.toString())
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
