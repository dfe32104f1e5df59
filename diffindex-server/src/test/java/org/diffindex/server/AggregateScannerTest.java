package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.model.Aggregate;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryCount;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a real region makes of its entries for a scan that asks for an aggregate. */
class AggregateScannerTest {
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[] QUALIFIER = Bytes.toBytes("A");
    private static final Aggregate COUNT = new Aggregate.Count(List.of());

    @TempDir
    Path folder;

    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        table = TableShape.VERSIONS_1.openBare(folder, new FakeConnection(TableShape.VERSIONS_1.bare()));
    }

    @AfterEach
    void close() throws IOException {
        EnvironmentEdgeManager.reset();
        table.close();
    }

    @Test
    void countsWhatAScanReturns() throws IOException {
        put(key("Oslo", "a"), 1);
        put(key("Oslo", "b"), 2);
        put(key("Rome", "c"), 3);
        table.flush();
        put(key("Rome", "d"), 4);
        put(key("Oslo", "b"), 5); // again
        table.regionOf(key("Rome", "c")).delete(new Delete(key("Rome", "c")).addColumns(FAMILY, QUALIFIER, 9));
        assertThat(counts(scan(COUNT))).containsExactly(Map.entry("Rome/d", 3L));
        assertThat(counts(scan(COUNT).withStopRow(key("Oslo", "b"), true))).containsExactly(Map.entry("Oslo/b", 2L));
        assertThat(counts(scan(COUNT).withStartRow(Bytes.toBytes("Z")))).isEmpty();
    }

    @Test
    void countsEachGroupOfTheFirstColumn() throws IOException {
        put(key("O", "a"), 1);
        put(key("Oslo", "b"), 2);
        put(key("Oslo", "c"), 3);
        put(key("Rome", "d"), 4);
        assertThat(counts(scan(new Aggregate.Count(List.of(ColumnTypes.STRING)))))
                .containsExactly(Map.entry("O/a", 1L), Map.entry("Oslo/c", 2L), Map.entry("Rome/d", 1L));
    }

    @Test
    void returnsTheNewestInKeyOrder() throws IOException {
        put(key("Oslo", "a"), 7);
        put(key("Oslo", "b"), 9);
        put(key("Oslo", "c"), 7);
        put(key("Rome", "d"), 3, Bytes.toBytes(8L)); // put at the stamp 3, of a row with the timestamp 8
        put(key("Rome", "e"), 20, Bytes.toBytes(1L));
        assertThat(keys(scan(new Aggregate.Newest(3)))).containsExactly("Oslo/a", "Oslo/b", "Rome/d");
        assertThat(keys(scan(new Aggregate.Newest(1)))).containsExactly("Oslo/b");
        assertThat(keys(scan(new Aggregate.Newest(10)))).hasSize(5);
    }

    /** A step that is out of time returns what it has read, and the next one goes on behind it. */
    @Test
    void eachStepEndsInTime() throws IOException {
        int entries = 600;
        for (int i = 0; i < entries; i++) {
            put(key("Oslo", String.format("%04d", i)), i + 1);
        }
        List<Result> steps = rows(scan(COUNT), true);
        assertThat(steps).hasSizeGreaterThan(1);
        assertThat(steps.stream().mapToLong(step -> EntryCount.of(step).orElseThrow()))
                .allMatch(count -> count > 0)
                .satisfies(counts -> assertThat(
                                counts.stream().mapToLong(each -> each).sum())
                        .isEqualTo(entries));
    }

    @Test
    void refusesWhatItDoesNotKnow() throws IOException {
        for (String unknown : List.of("", "sum", "newest", "newest\n0", "newest\nx", "count\nno-type")) {
            Scan scan = new Scan().setAttribute(Aggregate.ATTRIBUTE, Bytes.toBytes(unknown));
            assertThatThrownBy(() -> rows(scan, false))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("Nothing was read");
        }
    }

    /** HBase's access control knows the scanner within, which the region does not call for a client. */
    @Test
    void onlyTheUserWhoHasOpenedAScannerReadsOn() throws IOException {
        put(key("Oslo", "a"), 1);
        Scan scan = scan(COUNT);
        try {
            callAs("alice");
            try (RegionScanner scanner =
                    AggregateScanner.answering(scan, table.regionOf(new byte[0]).getScanner(scan))) {
                callAs("bob");
                assertThatThrownBy(() -> scanner.next(new ArrayList<>())).isInstanceOf(AccessDeniedException.class);
                callAs("alice");
                List<Cell> row = new ArrayList<>();
                assertThat(scanner.next(row)).isFalse();
                assertThat(row).hasSize(1);
            }
        } finally {
            RpcServer.unsetCurrentCall();
        }
    }

    private static void callAs(String user) {
        RpcCall call = mock(RpcCall.class);
        when(call.getRequestUser())
                .thenReturn(Optional.of(User.createUserForTesting(new Configuration(false), user, new String[0])));
        when(call.disconnectSince()).thenReturn(-1L);
        RpcServer.setCurrentCall(call);
    }

    @Test
    void refusesToGroupWhatIsNoKey() throws IOException {
        put(Bytes.toBytes("no end"), 1);
        assertThatThrownBy(() -> rows(scan(new Aggregate.Count(List.of(ColumnTypes.STRING))), false))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("scrub");
    }

    private static byte[] key(String value, String row) {
        return Bytes.add(Bytes.toBytes(value), new byte[] {0, 1}, Bytes.toBytes(row));
    }

    private static String text(Cell cell) {
        return Bytes.toString(CellUtil.cloneRow(cell)).replace("\0\1", "/");
    }

    private void put(byte[] key, long stamp) throws IOException {
        put(key, stamp, new byte[0]);
    }

    private void put(byte[] key, long stamp, byte[] value) throws IOException {
        table.regionOf(key).put(new Put(key).addColumn(FAMILY, QUALIFIER, stamp, value));
    }

    private static Scan scan(Aggregate aggregate) {
        return Aggregate.askFor(new Scan().addFamily(FAMILY), aggregate);
    }

    private Map<String, Long> counts(Scan scan) throws IOException {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Result row : rows(scan, false)) {
            OptionalLong count = EntryCount.of(row);
            counts.put(text(row.rawCells()[0]), count.orElseThrow());
        }
        return counts;
    }

    private List<String> keys(Scan scan) throws IOException {
        return rows(scan, false).stream().map(row -> text(row.rawCells()[0])).toList();
    }

    private List<Result> rows(Scan scan, boolean isSlow) throws IOException {
        List<Result> rows = new ArrayList<>();
        try (RegionScanner scanner =
                AggregateScanner.answering(scan, table.regionOf(new byte[0]).getScanner(scan))) {
            if (isSlow) {
                long start = System.currentTimeMillis();
                long[] looks = {0};
                EnvironmentEdgeManager.injectEdge(() -> start + 3 * looks[0]++);
            }
            boolean more = true;
            while (more) {
                List<Cell> cells = new ArrayList<>();
                more = scanner.next(cells);
                if (!cells.isEmpty()) {
                    rows.add(Result.create(cells));
                }
            }
        }
        return rows;
    }
}
