package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The master changes the states of indexes one at a time. */
@Timeout(60)
class StateChangesTest {
    private final Connection connection = mock(Connection.class);
    private final StateChanges changes = new StateChanges(connection);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void stubMaster() throws IOException {
        when(connection.getAdmin()).thenAnswer(call -> mock(Admin.class));
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Each occupies a handler of the master as long as it waits for the lock of a table. */
    @Test
    void oneChangeIsMadeAtATime() throws Exception {
        AtomicInteger atOnce = new AtomicInteger();
        List<Future<Boolean>> made = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            made.add(threads.submit(() -> changes.make(admin -> {
                int now = atOnce.incrementAndGet();
                for (int look = 0; look < 1_000; look++) {
                    Thread.onSpinWait();
                    now = Math.max(now, atOnce.get());
                }
                atOnce.decrementAndGet();
                return now == 1;
            })));
        }
        for (Future<Boolean> each : made) {
            assertThat(each.get()).as("whether it was alone").isTrue();
        }
    }

    @Test
    void aChangeThatFailsLetsTheNextOneIn() throws IOException {
        assertThatThrownBy(() -> changes.make(admin -> {
                    throw new IOException("no master");
                }))
                .hasMessage("no master");
        assertThat(changes.make(admin -> true)).isTrue();
        assertThat(changes.make(admin -> false)).isFalse();
    }
}
