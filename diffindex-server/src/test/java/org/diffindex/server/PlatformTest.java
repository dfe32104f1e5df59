package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PlatformTest {
    /** The APS and handlers wait for such tasks without a time limit. */
    @Test
    void tasksThatWriterThreadsHaveAcceptedEndAfterTheirShutdown() throws Exception {
        int ended = 0;
        for (int round = 0; round < 200; round++) {
            ExecutorService threads = new Platform().writerThreads("test");
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                tasks.add(threads.submit(() -> {
                    Thread.sleep(1);
                    return null;
                }));
            }
            threads.shutdownNow();
            for (Future<?> task : tasks) {
                try {
                    task.get(10, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(InterruptedException.class);
                }
                ended++;
            }
        }
        assertThat(ended).isEqualTo(800);
    }
}
