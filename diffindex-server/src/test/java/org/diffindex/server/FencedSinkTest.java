package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.Test;

/** Tests which servers may still write to index tables. */
class FencedSinkTest {
    private static final List<IndexUpdate> UPDATES = List.of(
            IndexUpdate.put(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE), new IndexEntry(Bytes.toBytes("key"), 1), 1));

    private final List<List<IndexUpdate>> written = new ArrayList<>();
    private boolean isLongOver;
    private boolean isHeld;

    private final SpillFiles.Holding holding = () -> {
        if (!isHeld) {
            throw new IOException("The regions are other servers'");
        }
    };

    private final IndexSink sink = new FencedSink(written::add, () -> isLongOver, holding);

    @Test
    void aServerThatHeardFromZooKeeperInTheLastHourIsNotAsked() throws IOException {
        sink.write(UPDATES);
        assertThat(written).containsExactly(UPDATES);
    }

    @Test
    void aServerWithItsRegionsWritesHoweverLongZooKeeperIsSilent() throws IOException {
        isLongOver = true;
        isHeld = true;
        sink.write(UPDATES);
        assertThat(written).containsExactly(UPDATES);
    }

    @Test
    void aServerThatSleptForHoursAndLostItsRegionsWritesNothing() {
        isLongOver = true;
        assertThatThrownBy(() -> sink.write(UPDATES)).hasMessage("The regions are other servers'");
        assertThat(written).isEmpty();
    }
}
