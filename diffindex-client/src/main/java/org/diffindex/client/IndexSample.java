package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.ProtectedCells;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.Regions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds split keys for the table of an index by a sample of the rows that the caller may read. In each of at most 64
 * regions of the base table, which are spread over it, reads a few rows at places that divide the region's keys evenly; at
 * most 2,048 rows in all, with or without the indexed columns, and looks at no more than four times as many, if protected
 * cells are left out. So it takes about as many short calls, whatever the size of the table and however few rows the index
 * will have.
 */
final class IndexSample {
    private static final Logger LOG = LoggerFactory.getLogger(IndexSample.class);

    private static final int MOST_REGIONS = 64;
    private static final int PLACES = 128;
    private static final int ROWS_OF_A_PLACE = 16;

    /** The most rows of a place to look at, if nothing may be read of some: all of their cells are protected. */
    private static final int LOOKS_OF_A_PLACE = 64;

    /** A part of the index with fewer sampled entries is not worth a region. */
    private static final int FEWEST_OF_A_PART = 8;

    private final Connection connection;
    private final IndexDefinition definition;
    private final IndexEntryFunction function;

    /** The keys of the sampled entries. */
    private final NavigableSet<byte[]> keys = new TreeSet<>(Bytes.BYTES_COMPARATOR);

    IndexSample(Connection connection, IndexDefinition definition) {
        this.connection = connection;
        this.definition = definition;
        this.function = new IndexEntryFunction(definition);
    }

    /**
     * Returns keys that divide the entries into parts of about the same number; none if the caller may read no rows, or if the
     * servers have the coprocessors from a jar that a table names only: they cannot leave out protected cells, whose values
     * would be seen in the keys.
     *
     * @param parts the most parts, at least 1
     */
    byte[][] splitKeys(int parts) throws IOException {
        if (parts > 1) {
            try {
                sample();
            } catch (AccessDeniedException e) {
                LOG.info("{} is not split by a sample, since this user may not read all of its rows", definition, e);
            } catch (DoNotRetryIOException e) {
                if (!Messages.of(e).contains(ProtectedCells.class.getName())) {
                    throw e;
                }
                LOG.info(
                        "{} is not split by a sample, since diffindex-server's jar is not on the class path of a server",
                        definition,
                        e);
            }
        }
        return quantiles(Math.min(parts, keys.size() / FEWEST_OF_A_PART));
    }

    private byte[][] quantiles(int parts) {
        List<byte[]> sorted = List.copyOf(keys);
        byte[][] splits = new byte[Math.max(0, parts - 1)][];
        for (int i = 0; i < splits.length; i++) {
            splits[i] = sorted.get((int) ((long) (i + 1) * sorted.size() / parts));
        }
        return splits;
    }

    private void sample() throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(definition.table());
                Table base = connection.getTable(definition.table())) {
            List<RegionInfo> regions =
                    Regions.of(locator).stream().map(HRegionLocation::getRegion).toList();
            int sampled = Math.min(regions.size(), MOST_REGIONS);
            for (int i = 0; i < sampled; i++) {
                sample(base, regions.get((int) ((long) i * regions.size() / sampled)), PLACES / sampled);
            }
        }
    }

    /** Reads rows at a number of places of a region. */
    private void sample(Table base, RegionInfo region, int places) throws IOException {
        byte[] first = firstRow(base, families(region));
        if (first == null) {
            return;
        }
        byte[] last = firstRow(base, reversed(region));
        for (byte[] start : starts(first, last == null ? first : last, places)) {
            Scan scan = sampling(region)
                    .withStartRow(start)
                    .setLimit(ROWS_OF_A_PLACE)
                    .setCaching(ROWS_OF_A_PLACE);
            try (ResultScanner rows = base.getScanner(scan)) {
                for (Result row = rows.next(); row != null; row = rows.next()) {
                    function.entryOf(row.getRow(), List.of(row.rawCells())).ifPresent(entry -> keys.add(entry.key()));
                }
            }
        }
    }

    private Scan sampling(RegionInfo region) {
        Filter cells = indexedColumnsOfEachRow();
        if (!definition.indexesProtectedCells()) {
            // Nothing of Diff-Index answers: the table may have no index.
            cells = ProtectedCells.beside(cells, LOOKS_OF_A_PLACE);
        }
        return families(region).setFilter(cells);
    }

    private Scan families(RegionInfo region) {
        Scan scan = new Scan().withStartRow(region.getStartKey()).withStopRow(region.getEndKey());
        definition.readColumns().forEach(column -> scan.addFamily(column.family()));
        return scan;
    }

    /**
     * Returns a filter for the indexed columns, and the first cell of each row. With that, a row without the columns counts
     * towards the limit of a scan, which would otherwise read on to the next row with them.
     */
    private Filter indexedColumnsOfEachRow() {
        FilterList cells = new FilterList(FilterList.Operator.MUST_PASS_ONE, new FirstKeyOnlyFilter());
        for (IndexedColumn column : definition.readColumns()) {
            cells.addFilter(new FilterList(
                    FilterList.Operator.MUST_PASS_ALL,
                    new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(column.family())),
                    new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(column.qualifier()))));
        }
        return cells;
    }

    private Scan reversed(RegionInfo region) {
        boolean open = region.getEndKey().length == 0;
        return families(region)
                .setReversed(true)
                .withStartRow(region.getEndKey(), open)
                .withStopRow(region.getStartKey(), true);
    }

    /** Returns the key of the first row of a scan, also if all of its cells are protected: no value is read. */
    private static byte[] firstRow(Table base, Scan scan) throws IOException {
        Filter keys = new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter());
        try (ResultScanner rows = base.getScanner(scan.setFilter(keys).setLimit(1))) {
            Result row = rows.next();
            return row == null ? null : row.getRow();
        }
    }

    /** Returns keys that divide a range evenly, as numbers: its first one, and others below the last one. */
    private static List<byte[]> starts(byte[] first, byte[] last, int places) {
        List<byte[]> starts = new ArrayList<>(List.of(first));
        if (places > 1 && isBelow(first, last)) {
            byte[][] between = Bytes.split(first, last, places - 1);
            for (int i = 1; i < between.length - 1; i++) {
                starts.add(between[i]);
            }
        }
        return starts;
    }

    /** Returns whether a key is below another one as a number; zeros at the end make no difference. */
    private static boolean isBelow(byte[] key, byte[] other) {
        int length = Math.max(key.length, other.length);
        return Bytes.compareTo(Arrays.copyOf(key, length), Arrays.copyOf(other, length)) < 0;
    }
}
