package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UndecodableValueException;

/**
 * Compares an index with its base table, entry by entry: both are streamed once, and only where their digests differ are
 * the entries themselves put side by side.
 *
 * <p>Meant for tables that are not being written, with the AUQ drained. The entries of a scheme that leaves stale ones
 * behind are taken as a reader gets them, after the double check. For use by one thread.
 */
public final class IndexComparison {
    private static final int EXAMPLES = 5;
    private static final int CACHING = 2_000;

    private final Connection connection;
    private final IndexDefinition definition;
    private final IndexEntryFunction function;

    private long missing;
    private long dangling;
    private long stale;
    private long wrongTimestamp;
    private final List<String> examples = new ArrayList<>();

    private IndexComparison(Connection connection, IndexDefinition definition) {
        this.connection = connection;
        this.definition = definition;
        this.function = new IndexEntryFunction(definition);
    }

    /** Takes in entries, one after the other. */
    @FunctionalInterface
    private interface EntryVisitor {
        void visit(IndexEntry entry);
    }

    /** Compares the index with its base table. */
    public static ComparisonReport compare(Connection connection, IndexDefinition definition) throws IOException {
        return new IndexComparison(connection, definition).run();
    }

    private ComparisonReport run() throws IOException {
        BucketDigests should = new BucketDigests();
        BucketDigests is = new BucketDigests();
        visitBase(should::add);
        visitIndex(is::add);
        BitSet different = should.differenceFrom(is);
        if (!different.isEmpty()) {
            join(different);
        }
        return new ComparisonReport(
                definition, should.total(), is.total(), missing, dangling, stale, wrongTimestamp, examples);
    }

    private void visitBase(EntryVisitor visitor) throws IOException {
        Scan scan = new Scan().setCaching(CACHING);
        for (IndexedColumn column : definition.columns()) {
            scan.addColumn(column.family(), column.qualifier());
        }
        try (Table base = connection.getTable(definition.table());
                ResultScanner results = base.getScanner(scan)) {
            for (Result row : results) {
                function.entryOf(row.getRow(), row.listCells()).ifPresent(visitor::visit);
            }
        }
    }

    private void visitIndex(EntryVisitor visitor) throws IOException {
        if (definition.scheme().leavesStaleEntries()) {
            visitHits(visitor);
            return;
        }
        try (Table index = connection.getTable(definition.indexTable());
                ResultScanner results = index.getScanner(new Scan().setCaching(CACHING))) {
            for (Result row : results) {
                visitor.visit(IndexCell.entryOf(row));
            }
        }
    }

    private void visitHits(EntryVisitor visitor) throws IOException {
        IndexQuery all = IndexQuery.index(definition.name()).caching(CACHING).build();
        try (IndexedTable table = new IndexedTable(connection, definition.table());
                IndexScanner hits = table.getByIndex(all)) {
            for (IndexHit hit : hits) {
                visitor.visit(new IndexEntry(function.codec().encode(hit.values(), hit.row()), hit.timestamp()));
            }
        } catch (UndecodableValueException e) {
            throw new IOException("A hit of index " + definition.name() + " holds values that are not of its types", e);
        }
    }

    /** Puts the entries of the buckets that differ side by side. */
    private void join(BitSet different) throws IOException {
        Map<ImmutableBytesWritable, IndexEntry> should = new HashMap<>();
        Set<ImmutableBytesWritable> rowsWithEntry = new HashSet<>();
        List<IndexEntry> is = new ArrayList<>();
        visitIndex(entry -> {
            if (different.get(BucketDigests.bucketOf(entry))) {
                is.add(entry);
            }
        });
        Set<ImmutableBytesWritable> rowsOfEntries = new HashSet<>();
        is.forEach(entry -> rowsOfEntries.add(rowOf(entry)));
        visitBase(entry -> {
            if (different.get(BucketDigests.bucketOf(entry))) {
                should.put(new ImmutableBytesWritable(entry.key()), entry);
            }
            if (rowsOfEntries.contains(rowOf(entry))) {
                rowsWithEntry.add(rowOf(entry));
            }
        });
        for (IndexEntry entry : is) {
            classify(entry, Optional.ofNullable(should.remove(new ImmutableBytesWritable(entry.key()))), rowsWithEntry);
        }
        for (IndexEntry entry : should.values()) {
            missing++;
            example("missing", entry);
        }
    }

    private ImmutableBytesWritable rowOf(IndexEntry entry) {
        return new ImmutableBytesWritable(function.codec().decode(entry.key()).row());
    }

    private void classify(IndexEntry entry, Optional<IndexEntry> should, Set<ImmutableBytesWritable> rowsWithEntry) {
        if (should.isPresent() && should.get().timestamp() != entry.timestamp()) {
            wrongTimestamp++;
            example("timestamp should be " + should.get().timestamp(), entry);
        } else if (should.isEmpty() && rowsWithEntry.contains(rowOf(entry))) {
            stale++;
            example("stale", entry);
        } else if (should.isEmpty()) {
            dangling++;
            example("dangling", entry);
        }
    }

    private void example(String what, IndexEntry entry) {
        if (examples.size() < EXAMPLES) {
            examples.add(what + " row=" + Bytes.toStringBinary(rowOf(entry).get()) + " " + entry);
        }
    }
}
