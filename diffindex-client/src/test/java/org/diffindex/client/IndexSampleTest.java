package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a sample of the rows divides the entries evenly, with few calls. */
class IndexSampleTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();

    private final Connection connection = mock();
    private final Table base = mock(Table.class, withSettings().stubOnly());
    private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /** The origin of rows of which all cells are protected. */
    private static final String SECRET = "secret";

    /** The first keys of the regions. */
    private List<String> starts = List.of("");

    private int scans;
    private int rowsRead;

    @BeforeEach
    void stubTable() throws IOException {
        RegionLocator locator = mock();
        when(locator.getAllRegionLocations()).thenAnswer(call -> regions());
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        when(connection.getTable(TABLE)).thenReturn(base);
        when(base.getScanner(any(Scan.class))).thenAnswer(call -> scan(call.getArgument(0)));
    }

    private List<HRegionLocation> regions() {
        List<HRegionLocation> regions = new ArrayList<>();
        for (int i = 0; i < starts.size(); i++) {
            RegionInfoBuilder region = RegionInfoBuilder.newBuilder(TABLE).setStartKey(Bytes.toBytes(starts.get(i)));
            if (i + 1 < starts.size()) {
                region.setEndKey(Bytes.toBytes(starts.get(i + 1)));
            }
            regions.add(new HRegionLocation(region.build(), ServerName.valueOf("rs", 16020, 1)));
        }
        return regions;
    }

    private ResultScanner scan(Scan scan) {
        scans++;
        assertThat(scan.getLimit()).isBetween(1, 16);
        NavigableMap<byte[], byte[]> from = scan.isReversed() ? rows.descendingMap() : rows;
        if (scan.getStartRow().length > 0) {
            from = from.tailMap(scan.getStartRow(), scan.includeStartRow());
        }
        if (scan.getStopRow().length > 0) {
            from = from.headMap(scan.getStopRow(), scan.includeStopRow());
        }
        Filter filter = scan.getFilter();
        Iterator<Result> found = from.entrySet().stream()
                .takeWhile(row -> !isEnded(filter))
                .peek(row -> rowsRead++)
                .map(row -> Result.create(selected(scan, filter, cellsOf(row))))
                .filter(row -> !row.isEmpty())
                .limit(scan.getLimit())
                .iterator();
        ResultScanner scanner = mock(ResultScanner.class, withSettings().stubOnly());
        when(scanner.iterator()).thenReturn(found);
        try {
            when(scanner.next()).thenAnswer(call -> found.hasNext() ? found.next() : null);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return scanner;
    }

    /** Returns the cells of a row: its origin, unless that is empty, after one of another column. */
    private static List<Cell> cellsOf(Map.Entry<byte[], byte[]> row) {
        List<Cell> cells = new ArrayList<>();
        cells.add(new KeyValue(row.getKey(), FAMILY, Bytes.toBytes("carrier"), 1, Bytes.toBytes("AA")));
        if (row.getValue().length > 0) {
            cells.add(new KeyValue(row.getKey(), FAMILY, ORIGIN, 1, row.getValue()));
        }
        return Bytes.toString(row.getValue()).equals(SECRET)
                ? cells.stream().map(IndexSampleTest::secret).toList()
                : cells;
    }

    private static Cell secret(Cell cell) {
        return new KeyValue(
                CellUtil.cloneRow(cell),
                FAMILY,
                CellUtil.cloneQualifier(cell),
                1,
                KeyValue.Type.Put,
                CellUtil.cloneValue(cell),
                List.of(new ArrayBackedTag(TagType.ACL_TAG_TYPE, new byte[] {1})));
    }

    private static boolean isEnded(Filter filter) {
        try {
            return filter.filterAllRemaining();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the cells of a row that a region server returns. */
    private static List<Cell> selected(Scan scan, Filter filter, List<Cell> cells) {
        NavigableSet<byte[]> columns = scan.getFamilyMap().get(FAMILY);
        List<Cell> selected = new ArrayList<>();
        try {
            filter.reset();
            if (filter.filterRowKey(cells.get(0))) {
                return selected;
            }
            for (Cell cell : cells) {
                boolean isIncluded = Set.of(Filter.ReturnCode.INCLUDE, Filter.ReturnCode.INCLUDE_AND_NEXT_COL)
                        .contains(filter.filterCell(cell));
                if (isIncluded && (columns == null || columns.contains(CellUtil.cloneQualifier(cell)))) {
                    selected.add(cell);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return selected;
    }

    private void put(int count, IntFunction<String> origin) {
        for (int i = 0; i < count; i++) {
            rows.put(Bytes.toBytes("row%06d".formatted(i)), Bytes.toBytes(origin.apply(i)));
        }
    }

    private List<byte[]> splits(int parts) throws IOException {
        return List.of(new IndexSample(connection, INDEX).splitKeys(parts));
    }

    /** Returns how many entries each part of the index has. */
    private List<Integer> partsOf(List<byte[]> splits) {
        assertThat(splits).isSortedAccordingTo(Bytes.BYTES_COMPARATOR).doesNotHaveDuplicates();
        IndexEntryFunction function = new IndexEntryFunction(INDEX);
        Integer[] parts = new Integer[splits.size() + 1];
        Arrays.fill(parts, 0);
        rows.forEach((row, origin) -> {
            byte[] key = function.entryOf(row, List.of(new KeyValue(row, FAMILY, ORIGIN, 1, origin)))
                    .orElseThrow()
                    .key();
            parts[
                    (int) splits.stream()
                            .filter(split -> Bytes.compareTo(split, key) <= 0)
                            .count()]++;
        });
        return List.of(parts);
    }

    private static String scattered(int i) {
        return "%05d".formatted((i * 7_919) % 100_003);
    }

    @Test
    void dividesScatteredValuesEvenly() throws IOException {
        put(20_000, IndexSampleTest::scattered);
        assertThat(partsOf(splits(4))).hasSize(4).allSatisfy(part -> assertThat(part)
                .isBetween(3_500, 6_500));
        assertThat(scans).isLessThan(140);
    }

    @Test
    void dividesTheEntriesOfManyRegionsWithFewCalls() throws IOException {
        put(20_000, IndexSampleTest::scattered);
        List<String> many = new ArrayList<>(List.of(""));
        for (int i = 100; i < 20_000; i += 100) {
            many.add("row%06d".formatted(i));
        }
        starts = many;
        assertThat(partsOf(splits(10))).hasSize(10).allSatisfy(part -> assertThat(part)
                .isBetween(1_000, 3_000));
        assertThat(scans).isLessThan(270);
    }

    /** The row keys divide them, as evenly as numbers divide the keys. */
    @Test
    void dividesTheEntriesOfOneValue() throws IOException {
        put(20_000, i -> "ORD");
        assertThat(partsOf(splits(3))).hasSize(3).allSatisfy(part -> assertThat(part)
                .isBetween(3_500, 9_500));
    }

    @Test
    void makesNoPartsForAFewEntries() throws IOException {
        assertThat(splits(4)).isEmpty();
        put(1, i -> "ORD");
        rows.put(Bytes.toBytes("row000000\0"), Bytes.toBytes("ATL")); // HBase cannot divide these keys
        assertThat(splits(4)).isEmpty();
        put(30, IndexSampleTest::scattered);
        assertThat(splits(4)).hasSize(2);
    }

    /** Each scan would read on to the next row that has the column. */
    @Test
    void readsFewRowsOfATableThatHardlyHasTheColumn() throws IOException {
        put(20_000, i -> i % 10_000 == 0 ? "ORD" : "");
        assertThat(splits(4)).isEmpty();
        assertThat(rowsRead).isLessThan(2_500);
    }

    /** A row of which nothing is read does not count towards the limit of a scan. */
    @Test
    void looksAtFewRowsOfATableWhoseCellsAreProtected() throws IOException {
        put(20_000, i -> i % 8 == 0 ? scattered(i) : SECRET);
        assertThat(splits(4)).hasSize(3);
        assertThat(rowsRead).isLessThan(9_000);
        rowsRead = 0;
        put(20_000, i -> SECRET);
        assertThat(splits(4)).isEmpty();
        assertThat(rowsRead).isLessThan(9_000);
    }

    @Test
    void readsNothingForOnePart() throws IOException {
        put(1_000, IndexSampleTest::scattered);
        assertThat(splits(1)).isEmpty();
        assertThat(scans).isZero();
    }

    @Test
    void doesWithoutASampleIfTheUserMayNotRead() throws IOException {
        put(1_000, IndexSampleTest::scattered);
        when(base.getScanner(any(Scan.class))).thenThrow(new AccessDeniedException("no"));
        assertThat(splits(4)).isEmpty();
    }

    /** The jar is named by tables only, so that HBase finds no filter of it. */
    @Test
    void doesWithoutASampleIfTheServersCannotLeaveProtectedCellsOut() throws IOException {
        put(1_000, IndexSampleTest::scattered);
        when(base.getScanner(any(Scan.class)))
                .thenThrow(new DoNotRetryIOException("org.apache.hadoop.hbase.DoNotRetryIOException:"
                        + " java.lang.ClassNotFoundException: org.diffindex.model.ProtectedCells\n\tat"))
                .thenThrow(new DoNotRetryIOException("another"));
        assertThat(splits(4)).isEmpty();
        assertThatThrownBy(() -> splits(4)).hasMessage("another");
    }
}
