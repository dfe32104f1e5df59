package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/**
 * Tests that the changes that a session remembers stay within its bound, and which writes it refuses with which
 * messages.
 */
class SessionBoundTest extends SessionFixture {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @Test
    void refusesAWriteThatItMightNotRememberBeforeSendingIt() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change + 1))) {
            session.put(List.of(put("r1", 1)));
            session.put(List.of(put("r2", 2)));
            assertThat(session.bytes()).isEqualTo(2 * change);
            hbase.calls.clear();
            assertThatThrownBy(() -> session.put(put("r3", 3)))
                    .isInstanceOf(SessionFullException.class)
                    .hasMessageContaining("maxBytes");
            assertThat(hbase.calls).isEmpty();
            assertThat(hbase.base).hasSize(2);
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2");
        }
    }

    @Test
    void reportsHowManyOfABatchWereWritten() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(3 * change))) {
            assertThatThrownBy(() -> session.put(List.of(put("r1", 1), put("r2", 2), put("r3", 3), put("r4", 4))))
                    .isInstanceOfSatisfying(SessionFullException.class, e -> assertThat(e.written())
                            .isEqualTo(3));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3");
        }
    }

    @Test
    void freesMemoryByDraining() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change))) {
            drainable = true;
            for (int i = 0; i < 9; i++) {
                session.put(put("r" + i, i));
                assertThat(session.bytes()).isLessThanOrEqualTo(2 * change);
            }
            assertThat(rows(session, IndexQuery.index("by_delay"))).hasSize(9);
            assertThat(asked).containsExactly("by_delay");
        }
    }

    @Test
    void neverRefusesAWriteThatConcernsNoAsyncSessionIndex() throws IOException {
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(1))) {
            session.put(
                    new Put(Bytes.toBytes("r1")).addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes("UA")));
            assertThatThrownBy(() -> session.put(put("r1", 1))).isInstanceOf(SessionFullException.class);
        }
        try (Session session =
                open(IndexScheme.SYNC_FULL, SessionOptions.builder().maxBytes(1))) {
            session.put(put("r1", 1));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
        }
    }

    @Test
    void acceptsAPutThatFitsEvenIfItsColumnsHaveVariableLength() throws IOException {
        long change = SessionOverlay.weight(2, key("LAX", "r1").length);
        try (Session session =
                open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(2 * change + 10))) {
            session.put(List.of(
                    flight("r1", "UA").addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("LAX")),
                    flight("r2", "UA").addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("ORD"))));
            assertThat(hbase.calls).containsExactly("batch 2");
            assertThat(rows(session, IndexQuery.index("by_carrier").equalTo("UA")))
                    .containsExactly("r1", "r2");
            assertThat(session.bytes()).isEqualTo(2 * change);
        }
    }

    @Test
    void reportsTheBoundThatAWriteRequires() throws IOException {
        drainable = true;
        Put noOrigin = flight("r1", "UA");
        Put dated = new Put(Bytes.toBytes("r1"), 7)
                .addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes("UA"))
                .addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("LAX"));
        long longest = SessionOverlay.weight(2, byCarrierAndOrigin().maxKeyLength());
        for (Mutation write : List.of(noOrigin, dated)) {
            try (Session session =
                    open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(longest - 1))) {
                whileDraining = () -> fail("No drain makes room for it");
                assertThatThrownBy(() -> session.put((Put) write))
                        .isInstanceOf(SessionFullException.class)
                        .hasMessageContaining("maxBytes to at least " + longest)
                        .hasMessageNotContaining("later");
                assertThat(hbase.calls).isEmpty();
            }
            try (Session session =
                    open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(longest))) {
                session.put((Put) write);
            }
        }
    }

    /**
     * The session cannot read by an index whose class its client lacks, but it is told of its changes, and must have room
     * for them: the servers do have the class.
     */
    @Test
    void countsTheLongestKeyOfAnIndexThatItsClientCannotLoad() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        long longest = SessionOverlay.weight(2, IndexKeyCodec.MAX_KEY_LENGTH);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(change + longest - 1))) {
            hbase.furtherDefinitions.put("by_day", lacking("async-session"));
            assertThatThrownBy(() -> session.put(put("r1", 1)))
                    .isInstanceOf(SessionFullException.class)
                    .hasMessageContaining("maxBytes to at least " + (change + longest));
            session.delete(new Delete(Bytes.toBytes("r1")));
        }
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(change + longest))) {
            hbase.furtherDefinitions.put("by_day", lacking("async-session"));
            session.put(put("r1", 1));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
            assertThatThrownBy(
                            () -> session.getByIndex(IndexQuery.index("by_day").build()))
                    .isInstanceOf(IndexNotLoadedException.class);
        }
    }

    @Test
    void countsNothingForAnIndexOfAnotherSchemeThatItsClientCannotLoad() throws IOException {
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(SessionOverlay.weight(2, 7)))) {
            hbase.furtherDefinitions.put("by_day", lacking("sync-full"));
            session.put(put("r1", 1));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
        }
    }

    private static String lacking(String scheme) {
        return "{\"columns\":[\"f:d:class(org.example.Missing)\"],\"scheme\":\"" + scheme
                + "\",\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"x\"}";
    }

    @Test
    void aDeleteOfARowRequiresNoRoomForAnEntry() throws IOException {
        Delete row = new Delete(Bytes.toBytes("r1"));
        try (Session session =
                open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(SessionOverlay.weight(2, 0)))) {
            session.delete(row);
            assertThat(session.bytes()).isEqualTo(SessionOverlay.weight(2, 0));
            Delete column = new Delete(Bytes.toBytes("r1")).addColumn(FakeHBase.F, ORIGIN);
            assertThatThrownBy(() -> session.delete(column)).isInstanceOf(SessionFullException.class);
            assertThatThrownBy(() -> session.delete(new Delete(Bytes.toBytes("r1"), 7)))
                    .isInstanceOf(SessionFullException.class);
        }
    }

    @Test
    void refusesToOpenASessionThatCouldRememberNothing() throws IOException {
        open(IndexScheme.ASYNC_SESSION, SessionOptions.builder()).close();
        try (IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS)) {
            long least = SessionOverlay.weight(1, 0);
            assertThatThrownBy(() -> table.openSession(
                            SessionOptions.builder().maxBytes(least - 1).build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxBytes to at least " + least);
            table.openSession(SessionOptions.builder().maxBytes(least).build()).close();
        }
    }

    @Test
    void countsWhatOpenScannersShowUntilTheyAreClosedOrExhausted() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change))) {
            session.put(List.of(put("r1", 1), put("r2", 2)));
            IndexScanner closed =
                    session.getByIndex(IndexQuery.index("by_delay").build());
            IndexScanner read = session.getByIndex(IndexQuery.index("by_delay").build());
            assertThat(closed.next()).isNotNull();
            assertThatThrownBy(() -> session.put(put("r3", 3)))
                    .isInstanceOf(SessionFullException.class)
                    .hasMessageContaining(2 * change + " of them only for open scanners")
                    .hasMessageContaining("close scanners");
            closed.close();
            assertThat(session.bytes()).isEqualTo(2 * change);
            assertThat(read).hasSize(2);
            assertThat(session.bytes()).isZero();
            session.put(List.of(put("r3", 3), put("r4", 4)));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3", "r4");
        }
    }

    @Test
    void anExhaustedScannerWithALimitKeepsNothing() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change))) {
            session.put(List.of(put("r1", 1), put("r2", 2)));
            IndexScanner limited =
                    session.getByIndex(IndexQuery.index("by_delay").limit(1).build());
            assertThat(limited).hasSize(1);
            session.put(List.of(put("r3", 3), put("r4", 4)));
            assertThat(session.bytes()).isEqualTo(2 * change);
        }
    }

    /** The index scan's read point is older than the drain. */
    @Test
    void aScannerContinuesToShowWhatIsDrainedMeanwhile() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(3 * change))) {
            hbase.write(put("r7", 7));
            hbase.deliverAll();
            session.put(List.of(put("r1", 1), put("r2", 2)));
            session.put(put("r7", 8));
            IndexScanner hits =
                    session.getByIndex(IndexQuery.index("by_delay").caching(1).build());
            assertThat(Bytes.toString(hits.next().row())).isEqualTo("r1");
            assertThatThrownBy(() -> session.put(put("r3", 3))).isInstanceOf(SessionFullException.class);
            assertThat(hbase.queue).isEmpty();
            assertThat(hits).extracting(hit -> hit.text().get(0)).containsExactly("2", "8");
            session.put(put("r3", 3));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3", "r7");
        }
    }

    private static IndexDefinition byCarrierAndOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_carrier")
                .column("f", "carrier", ColumnTypes.STRING)
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(IndexScheme.ASYNC_SESSION)
                .build();
    }

    private static byte[] key(String origin, String row) {
        return Bytes.toBytes("UA\0\1" + origin + "\0\1" + row);
    }

    private static Put flight(String row, String carrier) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes(carrier));
    }
}
