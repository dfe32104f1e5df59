package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests that a session finds the rows of its own that other clients move while it reads. */
class SessionMovesTest extends SessionFixture {
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
}
