package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class LiveHeapTest {
    @Test
    void aHeapIsTheTotalOfTheHistogram() throws IOException {
        assertThat(LiveHeap.total("   1:  2  48  [B\nTotal        123456       7654321\n"))
                .isEqualTo(7_654_321);
        assertThat(LiveHeap.bytesOf(ProcessHandle.current().pid())).isGreaterThan(1 << 20);
    }
}
