package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.tasks.KeyRange;
import org.junit.jupiter.api.Test;

class ClusterTablesTest {
    private static final byte[] OPEN = new byte[0];
    private static final byte[] F = Bytes.toBytes("f");

    private final IndexDefinition index = IndexDefinition.builder(TableName.valueOf("t"), "i")
            .column("f", "c", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_FULL)
            .build();

    /**
     * HBase's scanner throws an unchecked exception from its iterator, which a caller that handles IOExceptions would
     * miss.
     */
    @Test
    void aScanThatFailsThrowsAnIOException() throws IOException {
        ResultScanner scanner = mock(ResultScanner.class, CALLS_REAL_METHODS);
        doReturn(rowOf("a"))
                .doThrow(new NotServingRegionException("away"))
                .when(scanner)
                .next();
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenReturn(scanner);
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        ScrubRange all = new ScrubRange(OPEN, OPEN, OPEN, OPEN);

        assertThatThrownBy(() -> new ClusterTables(connection, index, 10, () -> {}).scanBase(all, row -> {}))
                .isInstanceOf(NotServingRegionException.class);
    }

    @Test
    void scansEveryPageWithAScannerOfItsOwn() throws IOException {
        NavigableSet<String> keys = new TreeSet<>(List.of("a", "b", "c", "d", "e", "f"));
        for (int together : List.of(2, 4, 6, 10)) {
            List<Integer> pages = new ArrayList<>();
            assertThat(scanned(keys, together, pages::add))
                    .as("rows, %s together", together)
                    .containsExactlyElementsOf(keys);
            assertThat(pages).hasSize((keys.size() + together - 1) / together).allMatch(page -> page <= together);
        }
        assertThat(scanned(new TreeSet<>(), 2, page -> {})).isEmpty();
    }

    @Test
    void endsAlthoughRowsAreAppendedFasterThanItReads() throws IOException {
        NavigableSet<String> keys = new TreeSet<>(List.of("a", "b", "c"));
        Consumer<Integer> append = page -> {
            if (keys.size() < 50) { // so that a scan that follows them ends, too
                keys.add(keys.last() + "x");
            }
        };
        assertThat(scanned(keys, 1, append)).containsExactly("a", "b", "c");
    }

    /**
     * HBase's VisibilityController puts the filter that hides cells behind the filter of a scan, in a list of filters that
     * must all pass a cell. A filter that passes the first cell of a row alone then passes none.
     */
    @Test
    void meetsRowsWhoseFirstCellIsHidden() throws IOException {
        List<Cell> cells = new ArrayList<>();
        for (String row : List.of("a", "b", "c")) {
            cells.add(cell(row, "a", 1L));
            cells.add(cell(row, "c", 1L));
        }
        Filter hiding = new QualifierFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes("a")));
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            Filter both = scan.getFilter() == null ? hiding : new FilterList(scan.getFilter(), hiding);
            return scanner(rows(cells, scan, both));
        });
        assertThat(scanned(table, 2)).containsExactly("a", "b", "c");
    }

    /** Returns what a server answers to a scan: the cells of its columns and rows that a filter passes. */
    private static List<Result> rows(List<Cell> cells, Scan scan, Filter filter) throws IOException {
        NavigableMap<String, List<Cell>> rows = new TreeMap<>();
        for (Cell cell : cells) {
            String row = Bytes.toString(CellUtil.cloneRow(cell));
            if (!rows.containsKey(row)) {
                filter.reset();
                rows.put(row, new ArrayList<>());
            }
            NavigableSet<byte[]> columns = scan.getFamilyMap().get(CellUtil.cloneFamily(cell));
            boolean isWanted = !scan.hasFamilies() || columns.contains(CellUtil.cloneQualifier(cell));
            if (isWanted && filter.filterCell(cell) == Filter.ReturnCode.INCLUDE) {
                rows.get(row).add(cell);
            }
        }
        rows.values().removeIf(List::isEmpty);
        NavigableMap<String, List<Cell>> within = scan.isReversed()
                ? rows.descendingMap()
                : rows.tailMap(Bytes.toString(scan.getStartRow()), scan.includeStartRow())
                        .headMap(Bytes.toString(scan.getStopRow()), scan.includeStopRow());
        return within.values().stream()
                .limit(scan.getLimit())
                .map(row -> Result.create(row))
                .toList();
    }

    /** An engine ends a task that is silent for minutes, and regions may have few rows with an indexed column. */
    @Test
    void isAliveWhileAScanMeetsNoRow() throws IOException {
        Cursor somewhere = mock(Cursor.class);
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            assertThat(scan.isNeedCursorResult()).isTrue();
            List<Result> results = new ArrayList<>(Collections.nCopies(3, Result.createCursorResult(somewhere)));
            results.add(rowOf("z"));
            return scanner(results);
        });
        AtomicInteger alive = new AtomicInteger();
        List<String> met = new ArrayList<>();
        new ClusterTables(connectionTo(table), index, 10, alive::incrementAndGet)
                .scanBase(new ScrubRange(OPEN, OPEN, OPEN, OPEN), row -> met.add(Bytes.toString(row.getRow())));
        assertThat(met).containsExactly("z");
        assertThat(alive.get()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void aPartOfAScrubIsAliveThoughNoRowHasAnEntry() throws IOException {
        byte[] none = Bytes.toBytes("not of the index");
        Result first = Result.create(List.<Cell>of(new KeyValue(Bytes.toBytes("a"), F, none, 1L, OPEN)));
        Result last = Result.create(List.<Cell>of(new KeyValue(Bytes.toBytes("z"), F, none, 1L, OPEN)));
        Table table = mock(Table.class);
        AtomicInteger pages = new AtomicInteger();
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            boolean isFull = !scan.isReversed() && pages.incrementAndGet() <= 3;
            return scanner(isFull ? Collections.nCopies(scan.getLimit(), first) : List.of(last));
        });
        AtomicInteger alive = new AtomicInteger();
        ScrubOptions options = ScrubOptions.DEFAULT.withThreads(1);
        ScrubReport report =
                RangeScrub.ofBase(connectionTo(table), index, KeyRange.ALL, options, alive::incrementAndGet);
        assertThat(report.rows()).isZero();
        assertThat(pages).hasValue(4);
        assertThat(alive.get()).as("pages").isGreaterThanOrEqualTo(4);
    }

    /** Looks at differences, and repairs, may go on for long after the last row was read. */
    @Test
    void isAliveWithEachCall() throws IOException {
        Table table = mock(Table.class);
        when(table.get(anyList())).thenReturn(new Result[0]);
        AtomicInteger alive = new AtomicInteger();
        ClusterTables tables = new ClusterTables(connectionTo(table), index, 10, alive::incrementAndGet);
        tables.baseRows(List.of(Bytes.toBytes("a")));
        tables.indexRows(List.of(Bytes.toBytes("a")));
        tables.latestStamps(List.of());
        tables.repair(List.of());
        tables.delete(List.of());
        assertThat(alive).hasValue(5);
    }

    private static Connection connectionTo(Table table) throws IOException {
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        return connection;
    }

    private List<String> scanned(Table table, int together) throws IOException {
        List<String> met = new ArrayList<>();
        new ClusterTables(connectionTo(table), index, together, () -> {})
                .scanBase(new ScrubRange(OPEN, OPEN, OPEN, OPEN), row -> met.add(Bytes.toString(row.getRow())));
        return met;
    }

    /** Scans a table of these keys; tells the size of each page after it was read. */
    private List<String> scanned(NavigableSet<String> keys, int together, Consumer<Integer> afterPage)
            throws IOException {
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            if (scan.isReversed()) {
                return scannerOf(keys.isEmpty() ? List.of() : List.of(keys.last()));
            }
            List<String> page = keys
                    .tailSet(Bytes.toString(scan.getStartRow()), scan.includeStartRow())
                    .headSet(Bytes.toString(scan.getStopRow()), scan.includeStopRow())
                    .stream()
                    .limit(scan.getLimit())
                    .toList();
            afterPage.accept(page.size());
            return scannerOf(page);
        });
        return scanned(table, together);
    }

    private static ResultScanner scannerOf(List<String> keys) throws IOException {
        return scanner(keys.stream().map(ClusterTablesTest::rowOf).toList());
    }

    private static ResultScanner scanner(List<Result> results) throws IOException {
        Iterator<Result> rows = results.iterator();
        ResultScanner scanner = mock(ResultScanner.class);
        when(scanner.next()).thenAnswer(call -> rows.hasNext() ? rows.next() : null);
        return scanner;
    }

    private static Result rowOf(String key) {
        return Result.create(List.of(cell(key, "c", 1L)));
    }

    private static Cell cell(String row, String qualifier, long timestamp) {
        return new KeyValue(Bytes.toBytes(row), F, Bytes.toBytes(qualifier), timestamp, OPEN);
    }
}
