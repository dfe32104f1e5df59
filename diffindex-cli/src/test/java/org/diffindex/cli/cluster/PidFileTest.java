package org.diffindex.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
    void doesNotTakeAnotherProcessWithTheSamePidForIt() throws IOException {
        Instant earlier = Instant.now().minus(Duration.ofDays(1));
        Files.writeString(path, ProcessHandle.current().pid() + "\n" + earlier + "\n");

        assertThat(file.process()).isEmpty();
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
    void forgetsWhenDeleted() throws IOException {
        file.write(ProcessHandle.current());

        file.delete();

        assertThat(file.process()).isEmpty();
    }

    @Test
    void saysWhatIsWrongWithTheFile() throws IOException {
        Files.writeString(path, "many\n");

        assertThatThrownBy(file::process)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("[many]")
                .hasMessageContaining("no process was touched");
    }
}
