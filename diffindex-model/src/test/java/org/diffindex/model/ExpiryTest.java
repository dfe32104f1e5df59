package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that a row and its entry expire together, and that an index, a write or a change that prevents this is refused.
 */
class ExpiryTest {
    private static final TableName NAME = TableName.valueOf("t");
    private static final int FOREVER = HConstants.FOREVER;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] G = Bytes.toBytes("g");
    private static final byte[] A = Bytes.toBytes("a");

    private static final IndexDefinition BY_F = index(IndexedColumn.parse("f:a"));
    private static final IndexDefinition BY_BOTH = index(IndexedColumn.parse("f:a"), IndexedColumn.parse("g:a"));

    @ParameterizedTest
    @CsvSource({
        FOREVER + ", " + FOREVER + ", " + FOREVER,
        "60, " + FOREVER + ", 60",
        FOREVER + ", 60, 60",
        "50, 60, 50",
        "60, 50, 50"
    })
    void anIndexHasTheShortestTimeToLiveOfItsColumns(int first, int second, int index) {
        Expiry expiry = expiry(first, second, BY_BOTH);
        assertThat(expiry.timeToLive(BY_BOTH)).isEqualTo(index);
        assertThat(expiry.limits(BY_BOTH)).isEqualTo(index != FOREVER);
    }

    @Test
    void refusesAnExpiringIndexOverMoreThanOneColumn() {
        assertThat(expiry(60, FOREVER, BY_F).refusal(BY_F)).isEmpty();
        assertThat(expiry(FOREVER, FOREVER, BY_BOTH).refusal(BY_BOTH)).isEmpty();
        assertThat(expiry(FOREVER, 60, BY_BOTH).refusal(BY_BOTH))
                .hasValueSatisfying(why ->
                        assertThat(why).startsWith("column family g has a TTL").contains("more than one column"));
        IndexDefinition packed =
                index(IndexedColumn.parse("f:a:struct(int,string)#0"), IndexedColumn.parse("f:a:struct(int,string)#1"));
        assertThat(expiry(60, FOREVER, packed).refusal(packed)).isEmpty();
    }

    @Test
    void concernsOnlyCellsOfExpiringIndexes() {
        IndexDefinition byG = index(IndexedColumn.parse("g:a"));
        Expiry expiry = new Expiry(table(60, FOREVER), List.of(BY_F, byG));
        assertThat(expiry.concerns(new KeyValue(row(), F, A, 1, A))).isTrue();
        assertThat(expiry.concerns(new KeyValue(row(), F, null, 1, KeyValue.Type.DeleteFamily)))
                .isTrue();
        assertThat(expiry.concerns(new KeyValue(row(), F, G, 1, A))).isFalse();
        assertThat(expiry.concerns(new KeyValue(row(), G, A, 1, A))).isFalse();
        assertThat(expiry.concerns(put(F))).isTrue();
        assertThat(expiry.concerns(put(G))).isFalse();
    }

    @Test
    void refusesAClientsTimestampOnACellThatExpires() {
        Expiry expiry = new Expiry(table(60, FOREVER), List.of(BY_F));
        assertThat(expiry.refusal(put(F), true)).isEmpty();
        assertThat(expiry.refusal(put(F), false)).isPresent();
        assertThat(expiry.refusal(put(G), false)).isEmpty();
    }

    @Test
    void refusesAWriteWithItsOwnTimeToLive() {
        Expiry expiry = new Expiry(table(FOREVER, FOREVER), List.of(BY_F));
        assertThat(expiry.refusal(put(F).setTTL(1_000), true))
                .hasValueSatisfying(why -> assertThat(why).contains("a TTL of its own"));
    }

    @Test
    void refusesToChangeTheTimeToLiveOfAnIndexedFamily() {
        Expiry changed = expiry(61, 61, BY_F);
        assertThat(changed.refusalOfChange(table(60, 61))).hasValueSatisfying(why -> assertThat(why)
                .startsWith("Cannot change the TTL of column family f of table t from 60 to 61 seconds"));
        assertThat(changed.refusalOfChange(table(61, 60))).isEmpty();
        assertThat(changed.refusalOfChange(table(61, 61))).isEmpty();
    }

    @Test
    void refusesToChangeTheTimeToLiveOfAnIndexTable() {
        Expiry changed = new Expiry(indexTable(61), List.of());
        assertThat(changed.refusalOfChange(indexTable(60)))
                .hasValueSatisfying(why -> assertThat(why).endsWith("whose entries live as long as their rows"));
        assertThat(changed.refusalOfChange(indexTable(61))).isEmpty();
    }

    @Test
    void aRawScanOmitsExpiredCells() {
        Expiry expiry = expiry(60, FOREVER, BY_BOTH);
        Scan scan = new Scan();
        expiry.leaveOutExpired(scan, F, 100_000);
        expiry.leaveOutExpired(scan, G, 100_000);
        Map<byte[], TimeRange> ranges = scan.getColumnFamilyTimeRange();
        assertThat(ranges).containsOnlyKeys(F);
        assertThat(ranges.get(F).getMin()).isEqualTo(40_000);
    }

    private static Put put(byte[] family) {
        return new Put(row()).addColumn(family, A, A);
    }

    private static byte[] row() {
        return Bytes.toBytes("r");
    }

    private static IndexDefinition index(IndexedColumn... columns) {
        IndexDefinition.Builder index = IndexDefinition.builder(NAME, "index");
        List.of(columns).forEach(index::column);
        return index.build();
    }

    private static Expiry expiry(int first, int second, IndexDefinition index) {
        return new Expiry(table(first, second), List.of(index));
    }

    private static TableDescriptor table(int first, int second) {
        return TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                        .setTimeToLive(first)
                        .build())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(G)
                        .setTimeToLive(second)
                        .build())
                .build();
    }

    private static TableDescriptor indexTable(int seconds) {
        return IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(TableName.valueOf("t.index")), NAME)
                .setColumnFamily(EntryFormat.newFamily().setTimeToLive(seconds).build())
                .build();
    }
}
