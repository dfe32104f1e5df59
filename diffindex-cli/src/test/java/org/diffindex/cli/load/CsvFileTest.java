package org.diffindex.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvFileTest {
    @TempDir
    Path dir;

    @Test
    void readsACompressedFile() throws IOException {
        Path packed = dir.resolve("flights.csv.gz");
        try (OutputStream stream = new GZIPOutputStream(Files.newOutputStream(packed))) {
            stream.write("\uFEFFid,origin\n1,ORD\n".getBytes(StandardCharsets.UTF_8));
        }
        try (CsvFile file = CsvFile.open(packed)) {
            assertThat(file.columns()).containsExactly("id", "origin");
            assertThat(file.next().toList()).containsExactly("1", "ORD");
            assertThat(file.next()).isNull();
            assertThat(file.position()).isEqualTo(file.size());
        }
    }
}
