package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite;
import org.junit.jupiter.api.Test;

class ShortWaitsTest {
    /** Otherwise, a close fails on a busy machine if a DataNode reports a block slightly late. */
    @Test
    void retriesAClosedFileAtLeastAsLongAsByDefault() {
        long shortest = ShortWaits.SETTINGS.get(BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY);
        int retries = ShortWaits.SETTINGS.getOrDefault(
                BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_DEFAULT);
        assertThat(patienceMs(shortest, retries))
                .isGreaterThanOrEqualTo(patienceMs(
                        BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_DEFAULT,
                        BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_DEFAULT));
    }

    /** HDFS doubles the delay each time. */
    private static long patienceMs(long first, int retries) {
        return first * ((1L << retries) - 1);
    }
}
