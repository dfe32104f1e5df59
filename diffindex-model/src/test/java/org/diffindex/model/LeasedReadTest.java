package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class LeasedReadTest {
    @Test
    void recognizesAMarkedRead() {
        Get get = new Get(Bytes.toBytes("row"));
        assertThat(LeasedRead.isMarked(get)).isFalse();
        assertThat(LeasedRead.mark(get)).isSameAs(get);
        assertThat(LeasedRead.isMarked(get)).isTrue();
    }
}
