package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    @TempDir
    Path dir;

    @Test
    void returnsTheLastLines() throws IOException {
        Path log = Files.writeString(dir.resolve("a.log"), lines(1, 40));

        assertThat(LogTail.of(log)).startsWith("\n  line 16\n  line 17").endsWith("\n  line 40");
    }

    @Test
    void putsTheReasonOfAnAbortFirst() throws IOException {
        Path log = Files.writeString(
                dir.resolve("a.log"), lines(1, 5) + "***** ABORTING master: no class *****\nCause: x\n" + lines(6, 40));

        assertThat(LogTail.of(log))
                .startsWith("\n  ***** ABORTING master: no class *****\n  Cause: x\n  ...\n  line 16");
    }

    @Test
    void reportsThatTheLogIsEmptyOrMissing() throws IOException {
        assertThat(LogTail.of(Files.createFile(dir.resolve("empty.log")))).contains("wrote nothing");
        assertThat(LogTail.of(dir.resolve("missing.log"))).contains("cannot be read");
    }

    private static String lines(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
    }
}
