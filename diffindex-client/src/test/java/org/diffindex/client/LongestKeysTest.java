package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/**
 * Tests reads of keys, and with bounds, of HBase's greatest length and beyond. Earlier versions wrote entries of keys that
 * are longer than an index takes now.
 */
class LongestKeysTest {
    private FakeHBase hbase = hbase(IndexScheme.SYNC_FULL);

    LongestKeysTest() throws IOException {}

    private static FakeHBase hbase(IndexScheme scheme) throws IOException {
        return new FakeHBase(IndexDefinition.builder(TableName.valueOf("t"), "by_value")
                .column("f", "value", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
    }

    private void put(String row, String value) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("value"), Bytes.toBytes(value)));
    }

    /** Puts the entry with the longest key that HBase accepts, for a value of {@code a}s. */
    private void putEntryOfLongestKey(String row) {
        byte[] end = Bytes.toBytes("\0\1" + row); // two bytes terminate the value
        byte[] key = new byte[IndexKeyCodec.MAX_KEY_LENGTH];
        Arrays.fill(key, (byte) 'a');
        System.arraycopy(end, 0, key, key.length - end.length, end.length);
        hbase.deliver(hbase.definition.entryFormat().put(new IndexEntry(key, 1), 1));
    }

    private List<String> rows(IndexQuery.Builder query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(hbase.connection, hbase.definition.table());
                IndexScanner hits = table.getByIndex(query.build())) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    /** The region's scanner is lost behind the longest key, as when the region moves, and HBase's client opens another. */
    @Test
    void aScanGoesOnBehindTheLongestKey() throws IOException {
        putEntryOfLongestKey("r1");
        put("r2", "b");
        hbase.reopens = () -> true;
        assertThat(rows(IndexQuery.index("by_value").caching(1))).containsExactly("r1", "r2");
    }

    /** A bound need not be the value of a row. */
    @Test
    void aBoundMayBeLongerThanAnyKey() throws IOException {
        put("r1", "a");
        put("r2", "c");
        assertThat(rows(IndexQuery.index("by_value").to("b".repeat(IndexKeyCodec.MAX_KEY_LENGTH))))
                .containsExactly("r1");
        assertThat(rows(IndexQuery.index("by_value").from("b".repeat(IndexKeyCodec.MAX_KEY_LENGTH))))
                .containsExactly("r2");
        assertThat(rows(IndexQuery.index("by_value").equalTo("b".repeat(IndexKeyCodec.MAX_KEY_LENGTH))))
                .isEmpty();
    }

    /** The scan with the limit ends at a stale entry, and a second one goes on behind it. */
    @Test
    void aSecondScanGoesOnBehindTheLongestKey() throws IOException {
        hbase = hbase(IndexScheme.SYNC_INSERT);
        putEntryOfLongestKey("r1");
        put("r1", "c");
        put("r2", "b");
        assertThat(rows(IndexQuery.index("by_value").limit(1))).containsExactly("r2");
    }
}
