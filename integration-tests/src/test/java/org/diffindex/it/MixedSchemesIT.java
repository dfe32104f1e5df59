package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.AGE;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.Session;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests several indexes of different schemes on one table: each keeps its own promise. */
@ExtendWith(ClusterExtension.class)
class MixedSchemesIT {
    private IndexedFixture fixture;

    @BeforeEach
    void createTable(Connection connection) throws IOException {
        fixture = new IndexedFixture(connection, 1, table -> {
            List<IndexDefinition> indexes = new ArrayList<>();
            for (IndexScheme scheme : IndexScheme.values()) {
                indexes.add(IndexDefinition.builder(table, "city-" + scheme)
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .build());
            }
            indexes.add(IndexDefinition.builder(table, "age")
                    .column("f", "age", ColumnTypes.INT)
                    .scheme(IndexScheme.SYNC_INSERT)
                    .build());
            return indexes;
        });
    }

    @AfterEach
    void indexesEqualBase() throws IOException {
        try {
            fixture.assertIndexesEqualBase();
        } finally {
            fixture.close();
        }
    }

    private static List<String> rows(IndexScanner hits) throws IOException {
        List<String> rows = new ArrayList<>();
        try (hits) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    @Test
    void eachIndexKeepsItsOwnPromise() throws IOException {
        fixture.table.put(putOf("alice", "Oslo", 30));
        fixture.put("alice", "Rome");
        for (IndexScheme scheme : IndexScheme.values()) {
            if (scheme.readsAcknowledgedWrites()) {
                assertThat(fixture.rows("city-" + scheme, "Rome"))
                        .as(scheme.toString())
                        .containsExactly("alice");
                assertThat(fixture.rows("city-" + scheme, "Oslo"))
                        .as(scheme.toString())
                        .isEmpty();
            }
        }
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(fixture.rows("city-" + scheme, "Rome"))
                    .as(scheme.toString())
                    .containsExactly("alice");
            assertThat(fixture.rows("city-" + scheme, "Oslo"))
                    .as(scheme.toString())
                    .isEmpty();
        }
    }

    @Test
    void anIndexThatAWriteDoesNotConcernCostsNothing() throws IOException {
        fixture.table.put(putOf("alice", "Oslo", 30));
        fixture.drain();
        IndexStatus before = fixture.admin.status(fixture.name);
        fixture.table.put(new Put(Bytes.toBytes("alice")).addColumn(F, AGE, Bytes.toBytes(31)));
        fixture.drain();
        IndexStatus after = fixture.admin.status(fixture.name);
        assertThat(after.indexPuts() - before.indexPuts()).isEqualTo(1);
        assertThat(after.indexDeletes() - before.indexDeletes()).isZero();
        assertThat(after.baseReads() - before.baseReads()).isZero();
    }

    @Test
    void aSessionSeesItsOwnWritesAtOnce() throws IOException {
        String index = "city-" + IndexScheme.ASYNC_SESSION;
        fixture.put("bob", "Oslo");
        fixture.drain();
        try (Session session = fixture.indexed.openSession()) {
            for (int i = 0; i < 50; i++) {
                session.put(putOf("alice", "city" + i));
                IndexQuery now = IndexQuery.index(index).equalTo("city" + i).build();
                IndexQuery all = IndexQuery.index(index).build();
                assertThat(rows(session.getByIndex(now))).containsExactly("alice");
                assertThat(rows(session.getByIndex(all))).containsExactlyInAnyOrder("alice", "bob");
            }
            session.delete(new Delete(Bytes.toBytes("bob")));
            assertThat(rows(session.getByIndex(
                            IndexQuery.index(index).equalTo("Oslo").build())))
                    .isEmpty();
        }
    }

    @Test
    void aSessionReportsARefusalAsATableDoes() throws IOException {
        Put tooLong = putOf("alice", "x".repeat(40_000));
        try (Session session = fixture.indexed.openSession()) {
            assertThatThrownBy(() -> fixture.table.put(tooLong))
                    .isExactlyInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("too long");
            // HBase's type for a write that is refused alone in a batch is a subclass.
            assertThatThrownBy(() -> session.put(tooLong))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("too long");
        }
    }

    @Test
    void refusesToDeleteATableWithIndexes() throws IOException {
        fixture.put("alice", "Oslo");
        try (Admin hbase = fixture.connection.getAdmin()) {
            hbase.disableTable(fixture.name);
            assertThatThrownBy(() -> hbase.deleteTable(fixture.name))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("city-sync-full");
            hbase.enableTable(fixture.name);
        }
        assertThat(fixture.rows("city-" + IndexScheme.SYNC_FULL, "Oslo")).containsExactly("alice");
        fixture.table.delete(new Delete(Bytes.toBytes("alice")).addColumns(F, CITY));
    }
}
