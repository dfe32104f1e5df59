package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryLogTest {
    @TempDir
    Path dir;

    private static RowWrite write(String value, long begin) {
        return new RowWrite(RowState.of(value, begin, "t" + begin + ":" + value), "put", RowWrite.NO_SESSION, begin);
    }

    @Test
    void containsEveryWriteWhenItIsClosed() throws IOException {
        Path file = dir.resolve("history.jsonl");
        try (HistoryLog log = new HistoryLog(file)) {
            log.comment("UNKNOWN by java.io.IOException: no answer\n\tat a.B.c(B.java:1)");
            log.append(IndexScheme.SYNC_FULL, "r1", write("v001", 1), 2, Outcome.UNKNOWN);
        }

        assertThat(Files.readAllLines(file))
                .hasSize(2)
                .startsWith("# UNKNOWN by java.io.IOException: no answer")
                .last()
                .asString()
                .endsWith("\"outcome\":\"UNKNOWN\"}");
    }

    @Test
    void returnsTheLastLinesOfARowWhileItIsWritten() throws IOException {
        try (HistoryLog log = new HistoryLog(dir.resolve("history.jsonl"))) {
            log.append(IndexScheme.SYNC_FULL, "r1", write("v001", 1), 2, Outcome.OK);
            log.append(IndexScheme.SYNC_FULL, "r1", write("v002", 3), 4, Outcome.UNKNOWN);
            log.append(IndexScheme.SYNC_FULL, "r12", write("v003", 5), 6, Outcome.OK);
            log.append(IndexScheme.SYNC_INSERT, "r1", write("v004", 7), 8, Outcome.OK);
            log.append(IndexScheme.SYNC_FULL, "r1", write("v005", 9), 10, Outcome.OK);

            List<String> lines = log.of(IndexScheme.SYNC_FULL, "r1", 2);

            assertThat(lines)
                    .containsExactly(
                            "{\"scheme\":\"sync-full\",\"row\":\"r1\",\"kind\":\"put\",\"value\":\"v002\","
                                    + "\"number\":3,\"tag\":\"t3:v002\",\"begin\":3,\"end\":4,\"outcome\":\"UNKNOWN\"}",
                            "{\"scheme\":\"sync-full\",\"row\":\"r1\",\"kind\":\"put\",\"value\":\"v005\","
                                    + "\"number\":9,\"tag\":\"t9:v005\",\"begin\":9,\"end\":10,\"outcome\":\"OK\"}");
        }
    }
}
