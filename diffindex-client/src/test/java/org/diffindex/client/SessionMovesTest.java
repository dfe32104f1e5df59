package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests that a session finds the rows of its own that other clients move while it reads. */
class SessionMovesTest extends SessionFixture {
    private static final int ROWS = 5;
    private static final int VALUES = 4;

    /** The scan of the index was over, and had met nothing, when the entry behind its position was put. */
    @Test
    void findsARowThatMovesBehindThePositionAfterTheIndexWasReadToItsEnd() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < 150; i++) {
                puts.add(put("r%03d".formatted(i), 1_000 + i));
            }
            session.put(puts);
            hbase.beforeLookUp = () -> {
                hbase.write(put("r050", 5));
                hbase.deliverAll();
            };
            assertThat(rows(session, IndexQuery.index("by_delay").withRows()))
                    .hasSize(150)
                    .contains("r050");
        }
    }

    /**
     * The row returns to a value that the session has replaced, with the timestamp that it had there: the index's entry
     * of that value is older than the session's write, so that the session does not show it.
     */
    @Test
    void findsARowThatAnotherClientHasMovedBackToAnEntryThatTheSessionHides() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            hbase.write(dated("r1", 7));
            hbase.deliverAll();
            session.put(dated("r1", 9));
            hbase.write(dated("r1", 7));
            assertThat(rows(session, IndexQuery.index("by_delay").withRows())).containsExactly("r1");
            hbase.deliverAll();
            assertThat(rows(session, IndexQuery.index("by_delay").withRows())).containsExactly("r1");
        }
    }

    /**
     * Other clients move the session's rows, also back, before and while it reads them, in pages that hold fewer rows
     * than it has written. Under async-session an entry is deleted when the next one has arrived.
     */
    @Property(tries = 400)
    void findsItsRowsWhereverOthersMoveThem(@ForAll Random random) throws IOException {
        boolean isDated = random.nextBoolean();
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            for (int row = 0; row < ROWS; row++) {
                session.put(randomPut(row, isDated, random));
            }
            for (int step = random.nextInt(20); step > 0; step--) {
                Put put = randomPut(random.nextInt(ROWS), isDated, random);
                if (random.nextBoolean()) {
                    session.put(put);
                } else {
                    hbase.write(put);
                }
                deliverFirst(random);
            }
            assertThat(foundWhileOthersMoveThem(session, isDated, random)).hasSize(ROWS);
        }
    }

    private Set<String> foundWhileOthersMoveThem(Session session, boolean isDated, Random random) throws IOException {
        Runnable moves = () -> {
            for (int row = 0; row < ROWS; row++) {
                if (random.nextInt(4) == 0) {
                    hbase.write(randomPut(row, isDated, random));
                }
            }
            deliverFirst(random);
        };
        Set<String> found = new HashSet<>();
        IndexQuery query = IndexQuery.index("by_delay")
                .caching(1 + random.nextInt(ROWS))
                .withRows()
                .build();
        try (IndexScanner hits = session.getByIndex(query)) {
            hbase.beforeLookUp = moves;
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                found.add(Bytes.toString(hit.row()));
                hbase.beforeLookUp = moves;
            }
        }
        return found;
    }

    /** Delivers updates in the order of the writes. */
    private void deliverFirst(Random random) {
        List<Mutation> first = hbase.queue.subList(0, random.nextInt(hbase.queue.size() + 1));
        first.forEach(hbase::deliver);
        first.clear();
    }

    private static Put randomPut(int row, boolean isDated, Random random) {
        int delay = random.nextInt(VALUES);
        return isDated ? dated("r" + row, delay) : put("r" + row, delay);
    }

    private static Put dated(String row, int delay) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("delay"), 100, Bytes.toBytes(delay));
    }
}
