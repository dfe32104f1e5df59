package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PidFileTest {
    @TempDir
    Path dir;

    private Path path;
    private PidFile file;

    @BeforeEach
    void setUp() {
        path = dir.resolve("rs1.pid");
        file = new PidFile(path);
    }

    @Test
    void findsTheProcessThatItRecorded() throws IOException {
        file.write(ProcessHandle.current());

        assertThat(file.process()).contains(ProcessHandle.current());
        assertThat(file.start()).isEqualTo(ProcessHandle.current().info().startInstant());
    }

    @Test
    void isEmptyWithoutAFile() throws IOException {
        assertThat(file.process()).isEmpty();
        assertThat(file.start()).isEmpty();
    }

    @Test
    void rejectsAnotherProcessWithTheSamePid() throws IOException {
        Instant earlier = Instant.now().minus(Duration.ofDays(1));
        Files.writeString(path, ProcessHandle.current().pid() + "\n" + earlier + "\n");

        assertThat(file.process()).isEmpty();
    }

    /** After the clock is set, the system reports a different start time for each process. */
    @Test
    void findsTheProcessEvenAfterTheClockWasSet() throws IOException {
        file.write(ProcessHandle.current());
        List<String> lines = Files.readAllLines(path);
        Instant start = Instant.parse(lines.get(1));
        lines.set(1, start.plus(Duration.ofHours(1)).toString());
        Files.write(path, lines);

        assertThat(file.process()).contains(ProcessHandle.current());
    }

    @Test
    void rejectsAProcessOfAnotherBoot() throws IOException {
        file.write(ProcessHandle.current());
        List<String> lines = Files.readAllLines(path);
        lines.set(2, "another-boot" + lines.get(2).substring(lines.get(2).indexOf(' ')));
        Files.write(path, lines);

        assertThat(file.process()).isEmpty();
    }

    @Test
    void findsAProcessThatWasRecordedWithoutItsTick() throws IOException {
        file.write(ProcessHandle.current());
        Files.write(path, Files.readAllLines(path).subList(0, 2));

        assertThat(file.process()).contains(ProcessHandle.current());
    }

    @Test
    void doesNotFindAProcessThatEnded() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        file.write(process.toHandle());
        assertThat(file.process()).isPresent();

        process.destroyForcibly().waitFor();

        assertThat(file.process()).isEmpty();
    }

    @Test
    void isEmptyAfterItsDeletion() throws IOException {
        file.write(ProcessHandle.current());

        file.delete();

        assertThat(file.process()).isEmpty();
    }

    @Test
    void reportsWhatIsWrongWithTheFile() throws IOException {
        Files.writeString(path, "many\n");

        assertThatThrownBy(file::process)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("[many]")
                .hasMessageContaining("no process was touched");
    }
}
