package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which regions are asked about the entries of a page, and that a failure confirms nothing. */
class RegionChecksTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_INSERT)
            .build();
    private static final byte[] ORD = Bytes.toBytes("ORD");
    private static final IndexKeyCodec CODEC = new IndexKeyCodec(INDEX);

    /** The rows from here on are in the second region. */
    private static final byte[] SPLIT = Bytes.toBytes("row500");

    private final Connection connection = mock();
    private final List<CheckRequest> requests = Collections.synchronizedList(new ArrayList<>());

    /** The rows that their regions confirm. */
    private Predicate<String> remembered = row -> true;

    private boolean secondRegionFails;
    private RegionChecks checks;

    @BeforeEach
    void make() throws IOException {
        RegionLocator locator = mock();
        when(locator.getRegionLocation(any(byte[].class))).thenAnswer(call -> location(call.getArgument(0)));
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        Table table = mock();
        when(connection.getTable(TABLE)).thenReturn(table);
        when(table.coprocessorService(any(byte[].class)))
                .thenAnswer(call -> new DefinitionService((method, controller, request, prototype) ->
                        answer(call.getArgument(0), (CheckRequest) request)));
        checks = new RegionChecks(connection, TABLE, INDEX, Runnable::run);
    }

    private static HRegionLocation location(byte[] row) {
        RegionInfoBuilder region = RegionInfoBuilder.newBuilder(TABLE);
        RegionInfo info = isInSecond(row)
                ? region.setStartKey(SPLIT).build()
                : region.setEndKey(SPLIT).build();
        return new HRegionLocation(info, ServerName.valueOf("server", 16020, 1));
    }

    private static boolean isInSecond(byte[] row) {
        return Bytes.compareTo(row, SPLIT) >= 0;
    }

    private CheckResponse answer(byte[] region, CheckRequest request) throws com.google.protobuf.ServiceException {
        requests.add(request);
        if (secondRegionFails && isInSecond(region)) {
            throw new com.google.protobuf.ServiceException("no such method");
        }
        BitSet confirmed = new BitSet();
        for (int i = 0; i < request.getKeyCount(); i++) {
            assertThat(request.getFingerprint(i)).isEqualTo(7);
            confirmed.set(i, remembered.test(rowOf(request.getKey(i))));
        }
        return CheckResponse.newBuilder()
                .setConfirmed(ByteString.copyFrom(confirmed.toByteArray()))
                .build();
    }

    private static String rowOf(ByteString key) {
        return Bytes.toString(CODEC.decode(key.toByteArray()).row());
    }

    private static List<FoundEntry> page(int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> found("row%03d".formatted(i * 997 % 1_000)))
                .toList();
    }

    private static FoundEntry found(String row) {
        Cell origin = new KeyValue(Bytes.toBytes(row), Bytes.toBytes("f"), Bytes.toBytes("origin"), 7, ORD);
        IndexEntry entry = new IndexEntryFunction(INDEX)
                .entryOf(Bytes.toBytes(row), List.of(origin))
                .orElseThrow();
        return new FoundEntry(entry, entry.timestamp(), false);
    }

    private static String row(FoundEntry found) {
        return rowOf(ByteString.copyFrom(found.key()));
    }

    @Test
    void asksEachRegionOnceAboutItsOwnRows() {
        List<FoundEntry> page = page(100);
        assertThat(checks.confirmed(page).cardinality()).isEqualTo(100);
        assertThat(requests).hasSize(2);
        Set<String> asked = new TreeSet<>();
        for (CheckRequest request : requests) {
            assertThat(request.getIndex()).isEqualTo(INDEX.name());
            assertThat(request.getIndexId()).isEqualTo(INDEX.id());
            assertThat(request.getKeyList().stream()
                            .map(key -> isInSecond(Bytes.toBytes(rowOf(key))))
                            .distinct())
                    .hasSize(1);
            request.getKeyList().forEach(key -> asked.add(rowOf(key)));
        }
        assertThat(asked).hasSize(100);
    }

    @Test
    void confirmsExactlyWhatTheRegionsConfirm() {
        remembered = row -> row.endsWith("3") || row.endsWith("8") || row.endsWith("0");
        List<FoundEntry> page = page(100);
        BitSet confirmed = checks.confirmed(page);
        for (int i = 0; i < page.size(); i++) {
            assertThat(confirmed.get(i)).as(row(page.get(i))).isEqualTo(remembered.test(row(page.get(i))));
        }
    }

    @Test
    void aCallThatFailsConfirmsNothing() {
        secondRegionFails = true;
        List<FoundEntry> page = page(100);
        BitSet confirmed = checks.confirmed(page);
        assertThat(confirmed.cardinality()).isPositive();
        confirmed.stream().mapToObj(page::get).forEach(found -> assertThat(isInSecond(Bytes.toBytes(row(found))))
                .isFalse());
    }

    @Test
    void asksNobodyAboutAFewEntries() {
        assertThat(checks.confirmed(page(31)).cardinality()).isZero();
        assertThat(requests).isEmpty();
        assertThat(checks.confirmed(page(32)).cardinality()).isEqualTo(32);
    }

    @Test
    void doesNotAskAboutTheNextPagesIfLittleIsRemembered() {
        remembered = row -> false;
        checks.confirmed(page(100));
        requests.clear();
        remembered = row -> true;
        for (int i = 0; i < 10; i++) {
            assertThat(checks.confirmed(page(100)).cardinality()).isZero();
        }
        assertThat(requests).isEmpty();
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
        assertThat(checks.confirmed(page(100)).cardinality()).isEqualTo(100);
    }

    @Test
    void confirmsNothingIfTheRegionsCannotBeLocated() throws IOException {
        RegionLocator lost = mock();
        when(lost.getRegionLocation(any(byte[].class))).thenThrow(new IOException("no meta"));
        when(connection.getRegionLocator(TABLE)).thenReturn(lost);
        assertThat(checks.confirmed(page(100)).cardinality()).isZero();
    }
}
