package org.diffindex.client;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/** A session on a table with one index, in memory; a test decides when the index is updated. */
abstract class SessionFixture {
    static final TableName FLIGHTS = TableName.valueOf("flights");

    FakeHBase hbase;
    Instant now = Instant.ofEpochSecond(1_000_000);
    volatile boolean drainable;

    /** The indexes of which the session remembered changes at the last drain. */
    volatile Set<String> asked;

    volatile Runnable whileDraining = () -> {};
    volatile Runnable beforeBatch = () -> {};

    static List<String> ownHits(Session session, IndexQuery.Builder query) throws IOException {
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = session.getByIndex(query.build())) {
            for (IndexHit hit : hits) {
                if (Bytes.toString(hit.row()).startsWith("r")) {
                    found.add(hit.text().get(0) + ":" + Bytes.toString(hit.row()));
                }
            }
        }
        return found;
    }

    Session open(IndexScheme scheme, SessionOptions.Builder options) throws IOException {
        return open(
                IndexDefinition.builder(FLIGHTS, "by_delay")
                        .column("f", "delay", ColumnTypes.INT)
                        .scheme(scheme)
                        .build(),
                options);
    }

    Session open(IndexDefinition index, SessionOptions.Builder options) throws IOException {
        hbase = new FakeHBase(index);
        FakeHBase drained = hbase;
        return new Session(
                new IndexedTable(hbase.connection, FLIGHTS),
                tableWithADelay(hbase.connection.getTable(FLIGHTS)),
                options.clock(() -> now).build(),
                remembered -> {
                    asked = remembered;
                    whileDraining.run();
                    if (drainable) {
                        drained.deliverAll();
                    }
                    return drainable;
                });
    }

    /** The base table that a session writes to, whose batches wait for {@link #beforeBatch}. */
    private Table tableWithADelay(Table base) throws IOException {
        Table table = mock(Table.class);
        try {
            doAnswer(call -> {
                        beforeBatch.run();
                        base.batch(call.getArgument(0), call.getArgument(1));
                        return null;
                    })
                    .when(table)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return table;
    }

    static Put put(String row, int delay) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("delay"), Bytes.toBytes(delay));
    }

    static List<String> rows(Session session, IndexQuery.Builder query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = session.getByIndex(query.build())) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }
}
