package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;

/** One row that a read by index found. Immutable; its arrays are not copies, so not to be changed. */
public final class IndexHit {
    private final IndexDefinition definition;
    private final IndexKeyCodec.Key key;
    private final IndexEntry entry;
    private final Optional<Result> result;

    IndexHit(IndexDefinition definition, IndexKeyCodec.Key key, IndexEntry entry, Optional<Result> result) {
        this.definition = definition;
        this.key = key;
        this.entry = entry;
        this.result = result;
    }

    /** The base row's key. */
    public byte[] row() {
        return key.row();
    }

    /** The value bytes of the indexed columns, in the order of the index's columns. */
    public List<byte[]> values() {
        return key.values();
    }

    /** The newest timestamp among the row's indexed cells, in milliseconds. */
    public long timestamp() {
        return entry.timestamp();
    }

    /** The index row key under which the hit was found. */
    public byte[] key() {
        return entry.key();
    }

    /**
     * The base row, every column of it.
     *
     * @throws IllegalStateException if the query did not ask for rows
     */
    public Result result() {
        return result.orElseThrow(() -> new IllegalStateException(
                "The query by index " + definition.name() + " asked for keys only; build it with withRows()"));
    }

    /** The values as text, each formatted by its column's type. */
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
