package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.lab.bench.rivals.RivalClient;
import org.diffindex.ycsb.Items;

/**
 * A client that reads a number of entries of an index, starting at the first key of a region. Clients by index and
 * plain clients know the start key in advance, fetch the same number of entries per call, and make their calls on the
 * calling thread. A read fails if it returns another number of entries, an entry outside of its range, or entries out of
 * order; nobody writes meanwhile. Entries that another system does not return are {@linkplain #missing counted} instead,
 * so that a fault of that system does not end the measurement of the others. The checks take about as long for all clients, and little compared with a read.
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
    static RangeClient byIndex(Connection connection, BenchTable table, int entries, IntSupplier region)
            throws IOException {
        return new ByIndex(new IndexedTable(connection, table.name()), table, entries, region);
    }

    /** Returns a client that reads a table of another system by that system's client, which it closes. */
    static RangeClient ofRival(RivalClient client, TableName table, int entries, IntSupplier region) {
        return new OfRival(client, table, entries, region);
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

    /**
     * Reads entries, starting at the first key of region {@code from}, and returns how many it found.
     *
     * @throws IOException if an entry is out of order or of another range
     */
    abstract int read(int from, int entries) throws IOException;

    @Override
    public void operate() throws IOException {
        int found = read(region.getAsInt(), entries);
        if (found != entries) {
            foundAnotherNumber(found);
        }
    }

    /** Receives the number of entries that a read has found if it is not the right one. */
    void foundAnotherNumber(int found) throws IOException {
        throw new IOException("A range read of " + table + " returned " + found + " entries instead of " + entries);
    }

    /**
     * Returns how many entries the reads so far should have returned and have not; empty for a client whose reads fail
     * then.
     */
    OptionalLong missing() {
        return OptionalLong.empty();
    }

    /** The order of the entries that one read has returned so far. No entry has the key with which its range starts. */
    private static final class Order {
        private byte[] last;
        private int found;

        Order(byte[] start) {
            this.last = start;
        }

        void add(byte[] key) throws IOException {
            if (Bytes.compareTo(key, last) <= 0) {
                throw new IOException("A range read returned the entry " + Bytes.toStringBinary(key) + " after "
                        + (found == 0 ? "its start " : "the entry ") + Bytes.toStringBinary(last));
            }
            last = key;
            found++;
        }
    }

    private static final class ByIndex extends RangeClient {
        private final IndexedTable indexed;
        private final BenchTable table;

        ByIndex(IndexedTable indexed, BenchTable table, int entries, IntSupplier region) {
            super(table.name(), entries, region);
            this.indexed = indexed;
            this.table = table;
        }

        @Override
        int read(int from, int entries) throws IOException {
            IndexQuery.Builder query =
                    IndexQuery.index(BenchTable.BY_TITLE).limit(entries).caching(CACHING);
            String start = from == 0 ? "" : Items.splits(BenchTables.REGIONS).get(from - 1);
            if (from > 0) {
                query.from(start);
            }
            Order order = new Order(Bytes.toBytes(start));
            IndexHit last = null;
            try (IndexScanner scanner = indexed.getByIndex(query.build())) {
                for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                    order.add(hit.key());
                    last = hit;
                }
            }
            if (last != null && !table.mayContain(last.values().get(0), last.row())) {
                throw new IOException("A range read of " + table.name() + " returned " + last
                        + ", but that is not the title of the row");
            }
            return order.found;
        }

        @Override
        public void close() throws IOException {
            indexed.close();
        }
    }

    private static final class OfRival extends RangeClient {
        /** No title or row key sorts before it. */
        private static final String FIRST = "0";

        private final RivalClient client;
        private final int entries;
        private long missing;

        OfRival(RivalClient client, TableName table, int entries, IntSupplier region) {
            super(table, entries, region);
            this.client = client;
            this.entries = entries;
        }

        @Override
        void foundAnotherNumber(int found) throws IOException {
            if (found > entries) {
                super.foundAnotherNumber(found);
            }
            missing += entries - found;
        }

        @Override
        OptionalLong missing() {
            return OptionalLong.of(missing);
        }

        @Override
        int read(int from, int entries) throws IOException {
            return client.range(
                    from == 0 ? FIRST : Items.splits(BenchTables.REGIONS).get(from - 1), entries);
        }

        @Override
        public void close() throws IOException {
            client.close();
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
            Order order = new Order(starts.get(from));
            try (ResultScanner scanner = scanned.getScanner(scan)) {
                for (Result row = scanner.next(); row != null; row = scanner.next()) {
                    order.add(row.getRow());
                }
            }
            return order.found;
        }

        @Override
        public void close() throws IOException {
            scanned.close();
        }
    }
}
