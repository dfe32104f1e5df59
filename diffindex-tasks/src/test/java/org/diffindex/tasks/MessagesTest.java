package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class MessagesTest {
    @Test
    void leavesOutTheStackTraceAndTheClass() {
        String server =
                """
                org.apache.hadoop.hbase.DoNotRetryIOException: java.io.IOException: the disk is full
                \tat org.example.Server.call(Server.java:1)
                """;
        assertThat(Messages.of(new IOException(server))).isEqualTo("the disk is full");
        assertThat(Messages.of(new IOException("the disk is full: 3 bytes"))).isEqualTo("the disk is full: 3 bytes");
    }

    @Test
    void namesTheClassIfThereIsNoMessage() {
        assertThat(Messages.of(new IOException())).isEqualTo("IOException");
        assertThat(Messages.of(new IOException("\n\tat x"))).isEqualTo("IOException");
        assertThat(Messages.line("org.example.SomeException: ")).isEqualTo("org.example.SomeException:");
    }
}
