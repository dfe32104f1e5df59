package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
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
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubListener;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.Scrubber;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads and scrubs of an index with an entry of the longest key that it takes. */
@ExtendWith(ClusterExtension.class)
class LongestKeyIT {
    /** Two bytes terminate the value in a key, and the row has two. */
    private static final int REST_OF_KEY = 4;

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

    private static String longest(IndexDefinition index) {
        return "a".repeat(index.maxKeyLength() - REST_OF_KEY);
    }

    private static Put put(String row, String city) {
        return new Put(Bytes.toBytes(row)).addColumn(Bytes.toBytes("f"), Bytes.toBytes("city"), Bytes.toBytes(city));
    }

    /** The put is accepted, so its index must follow, and those of other rows. */
    @Test
    void anIndexFollowsWithinItsTime() throws IOException {
        IndexDefinition index = create(IndexScheme.ASYNC_SIMPLE);
        try (Table table = connection.getTable(index.table());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            table.put(List.of(put("r1", longest(index)), put("r2", "b"), put("r3", "c")));
            assertThat(admin.drain(index.table(), Duration.ofSeconds(30))).isZero();
        }
    }

    @Test
    void aPutIsAcknowledged() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_FULL);
        try (Table table = connection.getTable(index.table())) {
            assertThatCode(() -> table.put(put("r1", longest(index)))).doesNotThrowAnyException();
        }
    }

    @Test
    void aPutOfALongerOneIsRefused() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_FULL);
        try (Table table = connection.getTable(index.table())) {
            assertThatThrownBy(() -> table.put(put("r1", longest(index) + "a")))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("too long");
        }
    }

    /** The client knows where the region is, because another key has been written. */
    @Test
    void aReadWithALimitGoesOnBehindIt() throws IOException {
        IndexDefinition index = create(IndexScheme.SYNC_INSERT);
        try (Table table = connection.getTable(index.table());
                IndexedTable indexed = new IndexedTable(connection, index.table())) {
            table.put(put("r2", "b"));
            table.put(put("r1", longest(index)));
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
            table.put(put("r1", longest(index)));
            IndexDefinition active = admin.describeIndex(index.table(), "city");
            assertThat(Scrubber.scrub(connection, active, slow, ScrubListener.NONE)
                            .isClean())
                    .isTrue();
        }
    }
}
