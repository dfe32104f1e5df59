package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/**
 * Reads a region's own rows as they were after the write of a sequence number, for every kind of mutation and any
 * timestamps. Uses the region's own scanner, bypassing the access checks that apply to the writer.
 *
 * <p>HBase itself shows the past to a scanner with a read point. Such a scanner seeks the requested columns, only in
 * the files that may contain them, but it skips newer cells one by one, including those of the following rows; in a
 * memstore full of new rows that takes as long as reading all of it. So only the near past is read that way ({@link
 * RecentWrites}). For the far past the row is scanned raw as it is now, and {@link AsOfFilter} selects the cells that
 * were visible. Where the filter cannot decide, the read point is used: in families whose visibility rules are not
 * HBase's classic ones (NEW_VERSION_BEHAVIOR, MIN_VERSIONS), beside coprocessors that replace these rules, and where
 * clients set the same timestamp twice.
 */
public final class RegionRowReader implements RowReader {
    private final Region region;
    private final List<IndexDefinition> indexes;
    private final List<IndexedColumn> columns;
    private final AskedColumns asked;
    private final Expiry expiry;

    /** Whether HBase's classic rules apply in the families of all columns, unless a coprocessor replaces them. */
    private final boolean areFamiliesClassic;

    private final BooleanSupplier hasHBasesRules;

    /**
     * Whether an indexed family is MOB: filters then see references to MOB files, which HBase resolves only after
     * filtering.
     */
    private final boolean hasMediumObjects;

    private final LongSupplier horizon;
    private final RecentWrites recent;

    /**
     * Creates a reader of the columns that some indexes read.
     *
     * @param horizon supplies an upper bound of the timestamps that clients set on cells of the region
     * @param recent the recent writes to the region
     * @param hasHBasesRules returns whether HBase's own rules decide which cells of the region are visible, rather than
     *     those of a coprocessor
     */
    public RegionRowReader(
            Region region,
            Collection<IndexDefinition> indexes,
            LongSupplier horizon,
            RecentWrites recent,
            BooleanSupplier hasHBasesRules) {
        this.region = region;
        this.indexes = List.copyOf(indexes);
        this.horizon = horizon;
        this.recent = recent;
        this.hasHBasesRules = hasHBasesRules;
        this.columns = indexes.stream()
                .flatMap(index -> index.readColumns().stream())
                .distinct()
                .toList();
        this.asked = new AskedColumns(columns);
        this.expiry = new Expiry(region.getTableDescriptor(), this.indexes);
        this.areFamiliesClassic = columns.stream().allMatch(this::isClassic);
        this.hasMediumObjects = columns.stream().anyMatch(this::isOfMediumObjects);
    }

    private boolean isOfMediumObjects(IndexedColumn column) {
        ColumnFamilyDescriptor family = region.getTableDescriptor().getColumnFamily(column.family());
        return family != null && family.isMobEnabled();
    }

    private boolean isClassic(IndexedColumn column) {
        ColumnFamilyDescriptor family = region.getTableDescriptor().getColumnFamily(column.family());
        return family != null && !family.isNewVersionBehavior() && family.getMinVersions() == 0;
    }

    /** Returns whether a raw scan can show the past: whether {@link AsOfFilter} knows the rules. */
    private boolean isClassic() {
        return areFamiliesClassic && hasHBasesRules.getAsBoolean();
    }

    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        if (sequence <= 0) {
            return List.of();
        }
        if (sequence == NOW) {
            return readNow(row, 0);
        }
        if (isClassic() && !recent.areFewSince(sequence, 1)) {
            AsOfFilter filter = new AsOfFilter(sequence, horizon, asked);
            List<Cell> cells = read(rawScan(row, filter));
            if (!filter.isAmbiguous()) {
                return cells;
            }
        }
        return read(asOf(row, sequence));
    }

    /** Uses one scanner that moves from row to row, where that is faster. */
    @Override
    public NavigableMap<byte[], List<Cell>> readAll(NavigableSet<byte[]> rows, long sequence) throws IOException {
        boolean farBack = isClassic() && !recent.areFewSince(sequence, rows.size());
        if (farBack || sequence <= 0 || rows.size() == 1) {
            return RowReader.super.readAll(rows, sequence);
        }
        Scan scan = asOf(sequence)
                .withStartRow(rows.first())
                .withStopRow(rows.last(), true)
                .setReadType(Scan.ReadType.PREAD);
        try (RegionScanner scanner = region.getScanner(scan)) {
            return readAll(rows, scanner, () -> true);
        }
    }

    /**
     * Reads what rows show now, with one scanner that moves from row to row, as long as there is time.
     *
     * @param rows at least one, in HBase's order
     * @param goesOn returns whether there is time to read another row
     */
    public PresentRows.Snapshot readPresent(NavigableSet<byte[]> rows, BooleanSupplier goesOn) throws IOException {
        Scan scan = ofColumns()
                .withStartRow(rows.first())
                .withStopRow(rows.last(), true)
                .setReadType(Scan.ReadType.PREAD);
        try (RegionScanner scanner = region.getScanner(scan)) {
            return new PresentRows.Snapshot(scanner.getMvccReadPoint(), readAll(rows, scanner, goesOn));
        }
    }

    private NavigableMap<byte[], List<Cell>> readAll(
            NavigableSet<byte[]> rows, RegionScanner scanner, BooleanSupplier goesOn) throws IOException {
        NavigableMap<byte[], List<Cell>> read = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        List<Cell> found = List.of();
        for (byte[] row : rows) {
            if (!goesOn.getAsBoolean()) {
                break;
            }
            if (isBefore(found, row)) {
                scanner.reseek(row);
                found = nextRow(scanner);
            }
            boolean isThere = !found.isEmpty() && CellUtil.matchingRows(found.get(0), row);
            read.put(row, isThere ? found : List.of());
        }
        return read;
    }

    /**
     * Reads the past with one raw scan, except for sequence numbers at which that scan cannot decide what was visible.
     */
    @Override
    public NavigableMap<Long, List<Cell>> readEach(byte[] row, NavigableSet<Long> sequences) throws IOException {
        NavigableSet<Long> past = sequences.headSet(NOW, false);
        NavigableMap<Long, List<Cell>> read = readEachOfThePast(row, past);
        if (sequences.contains(NOW)) {
            read.put(NOW, readNow(row, past.isEmpty() ? 0 : past.last()));
        }
        return read;
    }

    /**
     * Reads what is visible, not what is in memory: another thread may be applying a write cell by cell.
     *
     * @param atLeast a write to include even if HBase does not show it yet; no earlier write of the row is half applied
     */
    private List<Cell> readNow(byte[] row, long atLeast) throws IOException {
        try (RegionScanner scanner =
                region.getScanner(ofColumns().withStartRow(row).withStopRow(row, true))) {
            if (scanner.getMvccReadPoint() >= atLeast) {
                return nextRow(scanner);
            }
        }
        return read(asOf(row, atLeast));
    }

    private NavigableMap<Long, List<Cell>> readEachOfThePast(byte[] row, NavigableSet<Long> sequences)
            throws IOException {
        if (sequences.isEmpty()) {
            return new TreeMap<>();
        }
        if (!isClassic() || hasMediumObjects || sequences.size() == 1 || recent.areFewSince(sequences.first(), 1)) {
            return RowReader.super.readEach(row, sequences);
        }
        AsOfEachFilter filter = new AsOfEachFilter(sequences, horizon, asked);
        read(rawScan(row, filter));
        NavigableMap<Long, List<Cell>> read = new TreeMap<>();
        for (long sequence : sequences) {
            Optional<List<Cell>> visible = sequence <= 0 ? Optional.of(List.of()) : filter.visibleAfter(sequence);
            read.put(sequence, visible.isPresent() ? visible.get() : read(asOf(row, sequence)));
        }
        return read;
    }

    /** Returns whether the row a scanner found last precedes another row, or the scanner found none. */
    private static boolean isBefore(List<Cell> found, byte[] row) {
        return found.isEmpty() || CellComparator.getInstance().compareRows(found.get(0), row, 0, row.length) < 0;
    }

    private List<Cell> nextRow(RegionScanner scanner) throws IOException {
        List<Cell> cells = new ArrayList<>(columns.size());
        scanner.next(cells);
        cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
        if (scanner instanceof Shipper blocks) {
            blocks.shipped(); // else the scanner would retain the blocks of all rows until closed
        }
        return cells;
    }

    private List<Cell> read(Scan scan) throws IOException {
        try (RegionScanner scanner = region.getScanner(scan)) {
            return nextRow(scanner);
        }
    }

    private Scan rawScan(byte[] row, Filter filter) {
        Scan scan = new Scan(new Get(row)).setRaw(true).readAllVersions().setFilter(filter);
        for (IndexedColumn column : columns) {
            scan.addFamily(column.family());
            expiry.leaveOutExpired(scan, column.family(), EnvironmentEdgeManager.currentTime());
        }
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, Long.MAX_VALUE);
        return scan;
    }

    private Scan asOf(byte[] row, long sequence) {
        return asOf(sequence).withStartRow(row).withStopRow(row, true);
    }

    private Scan asOf(long sequence) {
        Scan scan = ofColumns();
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, sequence);
        return scan;
    }

    private Scan ofColumns() {
        Scan scan = new Scan();
        indexes.forEach(index -> index.addReadColumns(scan));
        return scan;
    }

    /**
     * Returns whether the region has cells of a row, in a family that an index reads, that a recent write put there,
     * whether they are visible or not.
     *
     * @param sequence the log sequence number of the write
     */
    public boolean hasCellsOf(byte[] row, long sequence) throws IOException {
        return !read(rawScan(row, new OfWriteFilter(sequence))).isEmpty();
    }

    /**
     * Returns the log sequence number of the write of a cell; 0 if HBase no longer keeps it because the cell is old.
     */
    public static long sequenceOf(Cell cell) {
        return AsOfFilter.sequenceOf(cell);
    }
}
