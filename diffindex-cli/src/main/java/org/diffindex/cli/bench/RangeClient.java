package org.diffindex.cli.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
 * A client that reads so many entries of an index, from the beginning of a region on: by getByIndex, or by a plain scan of the
 * index's table. Both know where to begin before they begin, ask for the same number of entries a call, and make their calls on
 * their own thread. A read that does not find as many is an error.
 */
final class RangeClient implements Load.Client {
    private static final int CACHING = 1_000;

    private final int entries;
    private final IntSupplier region;
    private final Optional<IndexedTable> indexed;
    private final Table scanned;
    private final List<byte[]> starts = new ArrayList<>();

    private RangeClient(int entries, IntSupplier region, Optional<IndexedTable> indexed, Table scanned) {
        this.entries = entries;
        this.region = region;
        this.indexed = indexed;
        this.scanned = scanned;
    }

    /** Reads by the index by title of a table. */
    static RangeClient byIndex(Bench bench, BenchTable table, int entries, IntSupplier region) throws IOException {
        return new RangeClient(
                entries,
                region,
                Optional.of(new IndexedTable(bench.connection(), table.name())),
                bench.scanned(table.name()));
    }

    /** Scans the table of an index. */
    static RangeClient plain(Bench bench, TableName index, int entries, IntSupplier region) throws IOException {
        RangeClient client = new RangeClient(entries, region, Optional.empty(), bench.scanned(index));
        try (RegionLocator locator = bench.connection().getRegionLocator(index)) {
            for (HRegionLocation each : locator.getAllRegionLocations()) {
                client.starts.add(each.getRegion().getStartKey());
            }
        }
        return client;
    }

    @Override
    public void operate() throws IOException {
        int from = region.getAsInt();
        int found = indexed.isPresent() ? read(indexed.get(), from) : scan(starts.get(from));
        if (found != entries) {
            throw new IOException("A range read of " + scanned.getName() + " finds " + found + " entries, and not the "
                    + entries + " that are there");
        }
    }

    private int read(IndexedTable table, int from) throws IOException {
        IndexQuery.Builder query =
                IndexQuery.index(BenchTable.BY_TITLE).limit(entries).caching(CACHING);
        if (from > 0) {
            query.from(Items.splits(BenchTables.REGIONS).get(from - 1));
        }
        try (IndexScanner scanner = table.getByIndex(query.build())) {
            int found = 0;
            while (scanner.next() != null) {
                found++;
            }
            return found;
        }
    }

    private int scan(byte[] start) throws IOException {
        Scan scan = new Scan()
                .withStartRow(start)
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
        try (scanned) {
            if (indexed.isPresent()) {
                indexed.get().close();
            }
        }
    }
}
