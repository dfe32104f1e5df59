package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

class IndexTablesTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final List<IndexUpdate> UPDATES =
            List.of(IndexUpdate.put(INDEX, new IndexEntry(Bytes.toBytes("LAX"), 3), 6), delete(7), delete(5));

    private final List<String> steps = new ArrayList<>();

    /** A server that opens the region after the check must find the latest of the stamps. */
    @Test
    void recordsTheLatestStampBeforeItRequiresTheRegion() throws IOException {
        tables(stamp -> steps.add("stamp " + stamp)).write(UPDATES);
        assertThat(steps).containsExactly("stamp 7", "the region is required", "3 updates are written");
    }

    @Test
    void writesNothingWhoseStampsCannotBeRecorded() {
        IndexTables tables = tables(stamp -> {
            throw new IOException("no file system");
        });
        assertThatThrownBy(() -> tables.write(UPDATES)).hasMessage("no file system");
        assertThat(steps).isEmpty();
    }

    private IndexTables tables(IndexTables.Stamps stamps) {
        return new IndexTables(
                updates -> steps.add(updates.size() + " updates are written"),
                (index, gets) -> new Result[0],
                stamps,
                () -> steps.add("the region is required"));
    }

    private static IndexUpdate delete(long stamp) {
        return IndexUpdate.delete(INDEX, Bytes.toBytes("ORD"), stamp, null);
    }
}
