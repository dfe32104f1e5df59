package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.ycsb.Items;

/**
 * A client that reads a number of entries of an index, starting at the first key of a region. Clients by index and
 * plain clients know the start key in advance, fetch the same number of entries per call, and make their calls on the
 * calling thread. A read that returns another number of entries fails.
 */
abstract class RangeClient implements Load.Client {
    private static final int CACHING = 1_000;

    private final TableName table;
    private final int entries;
    private final IntSupplier region;

    private RangeClient(TableName table, int entries, IntSupplier region) {
        this.table = table;
        this.entries = entries;
        this.region = region;
    }

    /** Returns a client that reads by the index on titles. */
    static RangeClient byIndex(Bench bench, BenchTable table, int entries, IntSupplier region) throws IOException {
        return new ByIndex(new IndexedTable(bench.connection(), table.name()), table.name(), entries, region);
    }

    /** Returns a client that scans the index table. */
    static RangeClient plain(Bench bench, TableName index, int entries, IntSupplier region) throws IOException {
        List<byte[]> starts = new ArrayList<>();
        try (RegionLocator locator = bench.connection().getRegionLocator(index)) {
            for (HRegionLocation each : locator.getAllRegionLocations()) {
                starts.add(each.getRegion().getStartKey());
            }
        }
        return new Plain(bench.scanned(index), starts, entries, region);
    }

    /** Reads entries, starting at the first key of region {@code from}, and returns how many it found. */
    abstract int read(int from, int entries) throws IOException;

    @Override
    public void operate() throws IOException {
        int found = read(region.getAsInt(), entries);
        if (found != entries) {
            throw new IOException("A range read of " + table + " returned " + found + " entries instead of " + entries);
        }
    }

    private static final class ByIndex extends RangeClient {
        private final IndexedTable indexed;

        ByIndex(IndexedTable indexed, TableName table, int entries, IntSupplier region) {
            super(table, entries, region);
            this.indexed = indexed;
        }

        @Override
        int read(int from, int entries) throws IOException {
            IndexQuery.Builder query =
                    IndexQuery.index(BenchTable.BY_TITLE).limit(entries).caching(CACHING);
            if (from > 0) {
                query.from(Items.splits(BenchTables.REGIONS).get(from - 1));
            }
            try (IndexScanner scanner = indexed.getByIndex(query.build())) {
                int found = 0;
                while (scanner.next() != null) {
                    found++;
                }
                return found;
            }
        }

        @Override
        public void close() throws IOException {
            indexed.close();
        }
    }

    private static final class Plain extends RangeClient {
        private final Table scanned;
        private final List<byte[]> starts;

        Plain(Table scanned, List<byte[]> starts, int entries, IntSupplier region) {
            super(scanned.getName(), entries, region);
            this.scanned = scanned;
            this.starts = starts;
        }

        @Override
        int read(int from, int entries) throws IOException {
            Scan scan = new Scan()
                    .withStartRow(starts.get(from))
                    .setCaching(Math.min(CACHING, entries))
                    .setLimit(entries);
            try (ResultScanner scanner = scanned.getScanner(scan)) {
                int found = 0;
                while (scanner.next() != null) {
                    found++;
                }
                return found;
            }
        }

        @Override
        public void close() throws IOException {
            scanned.close();
        }
    }
}
