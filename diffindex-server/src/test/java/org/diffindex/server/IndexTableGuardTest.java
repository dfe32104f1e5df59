package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.Flights.row;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Only the index writes to its table. */
class IndexTableGuardTest {
    private final IndexTableGuard guard = new IndexTableGuard();
    private final WALEdit edit = new WALEdit();

    @SuppressWarnings("unchecked") // a mock of a generic interface
    private final ObserverContext<RegionCoprocessorEnvironment> context = mock(ObserverContext.class);

    @BeforeEach
    void onAnIndexTable() {
        RegionCoprocessorEnvironment env = mock(RegionCoprocessorEnvironment.class);
        when(context.getEnvironment()).thenReturn(env);
        when(env.getRegionInfo())
                .thenReturn(RegionInfoBuilder.newBuilder(TableName.valueOf("flights.by_origin"))
                        .build());
    }

    @Test
    void theIndexesOwnWritesPass() throws IOException {
        guard.prePut(context, IndexCell.put(new IndexEntry(row("key"), 1), 1), edit);
        guard.preDelete(context, IndexCell.delete(row("key"), 1), edit);
        assertThat(guard.getRegionObserver()).containsSame(guard);
    }

    @Test
    void aClientsWritesOfAnyKindAreRefused() {
        refused(() -> guard.prePut(context, new Put(row("key")), edit));
        refused(() -> guard.preDelete(context, new Delete(row("key")), edit));
        refused(() -> guard.preIncrement(context, new Increment(row("key")), edit));
        refused(() -> guard.preAppend(context, new Append(row("key")), edit));
        refused(() -> guard.preBulkLoadHFile(context, List.of()));
    }

    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("flights.by_origin is the table of an index")
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("write to the base table");
    }
}
