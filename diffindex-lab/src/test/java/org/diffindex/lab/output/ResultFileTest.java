package org.diffindex.lab.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {
    @TempDir
    Path dir;

    @Test
    void replacesTheFileAndLeavesNoOther() throws IOException {
        Path file = dir.resolve("results.json");
        new ResultFile(file).write("one");
        new ResultFile(file).write("other");
        assertThat(file).hasContent("other");
        try (var files = Files.list(dir)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void hasThePermissionsOfAnOrdinaryFile() throws IOException {
        Path file = dir.resolve("report.html");
        new ResultFile(file).write("text");
        Path ordinary = Files.writeString(dir.resolve("ordinary"), "text");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(ordinary));
    }

    @Test
    void refusesAFolderAndAFileInAMissingFolder() {
        assertThatThrownBy(() -> new ResultFile(dir).check()).hasMessageContaining("is a folder");
        assertThatThrownBy(() -> new ResultFile(dir.resolve("missing").resolve("file")).check())
                .hasMessageContaining("does not exist");
    }
}
