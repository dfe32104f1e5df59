package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the coprocessor of a base table throws, and what it refuses, on a real region. */
class IndexObserverTest {
    @TempDir
    Path folder;

    /** HBase aborts the region server on any other exception. */
    @Test
    void anInternalErrorBecomesAnIOException() throws IOException {
        try (LocalRegion local = open()) {
            IndexObserver observer = local.region().getCoprocessorHost().findCoprocessor(IndexObserver.class);
            assertThatThrownBy(() -> observer.preBatchMutate(null, null))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("Diff-Index failed unexpectedly, an internal error; please report it")
                    .hasCauseInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void refusesABulkLoad() throws IOException {
        try (LocalRegion local = open()) {
            assertThatThrownBy(() -> local.region().getCoprocessorHost().preBulkLoadHFile(List.of()))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was loaded");
        }
    }

    private LocalRegion open() throws IOException {
        return new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)));
    }
}
