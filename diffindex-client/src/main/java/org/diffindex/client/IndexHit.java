package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;

/** One row found by a read by index. Immutable; its arrays are not copies and must not be modified. */
public final class IndexHit {
    private final IndexDefinition definition;
    private final IndexKeyCodec.Key key;
    private final IndexEntry entry;
    private final Optional<Result> result;
    private final FoundEntry found;

    /**
     * Creates a hit.
     *
     * @param found the entry at whose place it is returned: its own, or an earlier one of the row
     */
    IndexHit(
            IndexDefinition definition,
            IndexKeyCodec.Key key,
            IndexEntry entry,
            Optional<Result> result,
            FoundEntry found) {
        this.definition = definition;
        this.key = key;
        this.entry = entry;
        this.result = result;
        this.found = found;
    }

    /** Returns the key of the base row. */
    public byte[] row() {
        return key.row();
    }

    /** Returns the value bytes of the indexed columns, in the order of the index's columns. */
    public List<byte[]> values() {
        return key.values();
    }

    /**
     * Returns the base timestamp: the newest timestamp among the row's indexed cells, in milliseconds unless clients
     * set other timestamps.
     */
    public long timestamp() {
        return entry.timestamp();
    }

    /** Returns the row key of the index entry by which the hit was found. */
    public byte[] key() {
        return entry.key();
    }

    /**
     * Returns the base row with all its columns.
     *
     * @throws IllegalStateException if the query was built without {@link IndexQuery.Builder#withRows}
     */
    public Result result() {
        return result.orElseThrow(() -> new IllegalStateException(
                "The query by index " + definition.name() + " requested keys only; build it with withRows()"));
    }

    /** Returns the key at which the scan was when it returned the hit; empty if it had passed all keys. */
    Optional<byte[]> position() {
        return found.late() ? Optional.empty() : Optional.of(found.key());
    }

    /** Returns the columns of the index by which the hit was found, in the order of {@link #values}. */
    public List<IndexedColumn> columns() {
        return definition.keyColumns();
    }

    /** Returns the values as text, each formatted by its column's type. */
    public List<String> text() {
        List<String> texts = new ArrayList<>(values().size());
        for (int i = 0; i < values().size(); i++) {
            texts.add(definition.keyColumns().get(i).type().format(values().get(i)));
        }
        return texts;
    }

    @Override
    public String toString() {
        return text() + " -> " + Bytes.toStringBinary(row()) + "@" + timestamp();
    }
}
