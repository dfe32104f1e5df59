package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/**
 * Reads a region's own rows as they were after the write of a sequence number, for every kind of mutation, whatever its
 * timestamps. The scanner is the region's own, past the access checks of the writer.
 *
 * <p>HBase itself shows the past to a scanner with a read point; but such a scanner passes over what is newer one cell
 * after the other, through the rows behind too, which in a memstore full of new rows takes as long as reading all of it.
 * So a row is scanned raw as it is now, and {@link AsOfFilter} picks what was visible. Only where that cannot
 * tell is a row read at a read point: in families for which HBase has other rules of visibility than the classic ones
 * (NEW_VERSION_BEHAVIOR, MIN_VERSIONS), and where clients gave the same timestamp twice.
 */
public final class RegionRowReader implements RowReader {
    private final Region region;
    private final List<IndexedColumn> columns;
    private final AskedColumns asked;
    private final boolean classic;
    private final LongSupplier horizon;

    /**
     * A reader of the columns of some indexes.
     *
     * @param horizon tells the newest timestamp that a client gave to a cell of the region
     */
    public RegionRowReader(Region region, Collection<IndexDefinition> indexes, LongSupplier horizon) {
        this.region = region;
        this.horizon = horizon;
        this.columns = indexes.stream()
                .flatMap(index -> index.columns().stream())
                .distinct()
                .toList();
        this.asked = new AskedColumns(columns);
        this.classic = columns.stream().allMatch(this::isClassic);
    }

    private boolean isClassic(IndexedColumn column) {
        ColumnFamilyDescriptor family = region.getTableDescriptor().getColumnFamily(column.family());
        return family != null && !family.isNewVersionBehavior() && family.getMinVersions() == 0;
    }

    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        if (sequence <= 0) {
            return List.of();
        }
        if (classic) {
            AsOfFilter filter = new AsOfFilter(sequence, horizon.getAsLong(), asked);
            List<Cell> cells = read(rawScan(row, filter));
            if (!filter.isAmbiguous()) {
                return cells;
            }
        }
        return read(scan(row, sequence));
    }

    private List<Cell> read(Scan scan) throws IOException {
        List<Cell> cells = new ArrayList<>(columns.size());
        try (RegionScanner scanner = region.getScanner(scan)) {
            scanner.next(cells);
            cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
        }
        return cells;
    }

    private Scan rawScan(byte[] row, AsOfFilter filter) {
        Scan scan = new Scan(new Get(row)).setRaw(true).readAllVersions().setFilter(filter);
        for (IndexedColumn column : columns) {
            scan.addFamily(column.family());
            leaveOutWhatHasExpired(scan, column.family());
        }
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, Long.MAX_VALUE);
        return scan;
    }

    /** A raw scan shows expired cells too, as long as they are there. */
    private void leaveOutWhatHasExpired(Scan scan, byte[] family) {
        int seconds = region.getTableDescriptor().getColumnFamily(family).getTimeToLive();
        if (seconds != HConstants.FOREVER) {
            long oldest = EnvironmentEdgeManager.currentTime() - TimeUnit.SECONDS.toMillis(seconds);
            scan.setColumnFamilyTimeRange(family, Math.max(0, oldest), Long.MAX_VALUE);
        }
    }

    private Scan scan(byte[] row, long sequence) {
        Scan scan = new Scan(new Get(row));
        for (IndexedColumn column : columns) {
            scan.addColumn(column.family(), column.qualifier());
        }
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, sequence);
        return scan;
    }

    /** The sequence number that HBase gave to the write of a cell; 0 if it has forgotten it, being old. */
    public static long sequenceOf(Cell cell) {
        return AsOfFilter.sequenceOf(cell);
    }
}
