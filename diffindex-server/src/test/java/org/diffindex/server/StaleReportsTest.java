package org.diffindex.server;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Tests how due reports of several regions are handed to their cleanups. */
class StaleReportsTest {
    private static final TableName ONE = TableName.valueOf("one");
    private static final TableName OTHER = TableName.valueOf("other");

    private final ScheduledExecutorService thread = mock(ScheduledExecutorService.class);
    private final AtomicLong nanos = new AtomicLong();
    private final StaleReports reports = new StaleReports(thread, 0, nanos::get);
    private final StaleCleanup first = cleanupOf(ONE);
    private final StaleCleanup second = cleanupOf(ONE);
    private final StaleCleanup third = cleanupOf(OTHER);

    private static StaleCleanup cleanupOf(TableName indexTable) {
        StaleCleanup cleanup = mock(StaleCleanup.class);
        when(cleanup.indexTable()).thenReturn(indexTable);
        return cleanup;
    }

    @BeforeEach
    void reportOneEntryToEach() {
        for (StaleCleanup cleanup : List.of(first, second, third)) {
            reports.add(cleanup, List.of(new StaleEntry(Bytes.toBytes("r"), Bytes.toBytes("key"), 1, false)));
        }
    }

    /** Runs what the reports have scheduled. */
    private void run() {
        ArgumentCaptor<Runnable> scheduled = ArgumentCaptor.forClass(Runnable.class);
        verify(thread, atLeastOnce()).schedule(scheduled.capture(), anyLong(), any());
        scheduled.getValue().run();
    }

    /** Each call may take as long as the delivery timeout, and all indexes of the server share the thread. */
    @Test
    void anIndexTableThatDoesNotAnswerIsAskedOnce() throws IOException {
        doAnswer(call -> {
                    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
                    throw new IOException("no answer");
                })
                .when(first)
                .run(anyList());
        run();
        verify(second, never()).run(anyList());
        verify(third).run(anyList());

        reportOneEntryToEach();
        run();
        verify(second, never()).run(anyList());
        verify(third, times(2)).run(anyList());

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
        reports.add(second, List.of(new StaleEntry(Bytes.toBytes("r"), Bytes.toBytes("key"), 1, false)));
        run();
        verify(second).run(anyList());
    }

    @Test
    void aRegionThatCannotBeReadDoesNotKeepOthersFromCleaningUp() throws IOException {
        doThrow(new IOException("cannot be read")).when(first).run(anyList());
        run();
        verify(second).run(anyList());
    }
}
