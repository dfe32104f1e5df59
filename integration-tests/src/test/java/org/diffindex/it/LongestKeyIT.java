package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubListener;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.Scrubber;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads and scrubs of an index with an entry of HBase's longest key. */
@ExtendWith(ClusterExtension.class)
class LongestKeyIT {
    private static final String LONGEST = "a".repeat(IndexKeyCodec.MAX_KEY_LENGTH - 4);

    private final Connection connection;
    private final String test;

    LongestKeyIT(Connection connection, TestInfo test) {
        this.connection = connection;
        this.test = test.getTestMethod().orElseThrow().getName();
    }

    private IndexDefinition create(IndexScheme scheme) throws IOException {
        IndexDefinition index = IndexDefinition.builder(TableName.valueOf(test), "city")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(index.table())
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .build(),
                    new byte[0][],
                    index);
        }
        return index;
    }

    private static Put put(String row, String city) {
        return new Put(Bytes.toBytes(row)).addColumn(Bytes.toBytes("f"), Bytes.toBytes("city"), Bytes.toBytes(city));
    }

    /** The key is as long as HBase allows, so the put is accepted, and its index must follow, and those of other rows. */
    @Test
    void anIndexFollowsWithinItsTime() throws IOException {
        IndexDefinition index = create(IndexScheme.ASYNC_SIMPLE);
        try (Table table = connection.getTable(index.table());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            table.put(List.of(put("r1", LONGEST), put("r2", "b"), put("r3", "c")));
            assertThat(admin.drain(index.table(), Duration.ofSeconds(30))).isZero();
        }
    }

    @Test
    void aPutIsAcknowledged() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_FULL);
        try (Table table = connection.getTable(index.table())) {
            assertThatCode(() -> table.put(put("r1", LONGEST))).doesNotThrowAnyException();
        }
    }

    /** The client knows where the region is, because another key has been written. */
    @Test
    void aReadWithALimitGoesOnBehindIt() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_INSERT);
        try (Table table = connection.getTable(index.table());
                IndexedTable indexed = new IndexedTable(connection, index.table())) {
            table.put(put("r2", "b"));
            table.put(put("r1", LONGEST));
            table.put(put("r1", "c"));
            try (IndexScanner hits =
                    indexed.getByIndex(IndexQuery.index("city").limit(1).build())) {
                assertThat(Bytes.toString(hits.next().row())).isEqualTo("r2");
            }
        }
    }

    @Test
    void aScrubGoesOnBehindIt() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_INSERT);
        ScrubOptions slow = ScrubOptions.DEFAULT.withRowsPerSecond(2).withLag(Duration.ZERO);
        try (Table table = connection.getTable(index.table());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            table.put(put("r2", "b"));
            table.put(put("r1", LONGEST));
            IndexDefinition active = admin.describeIndex(index.table(), "city");
            assertThat(Scrubber.scrub(connection, active, slow, ScrubListener.NONE).isClean())
                    .isTrue();
        }
    }
}
