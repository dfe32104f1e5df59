package org.diffindex.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvRowsTest {
    private static final byte[] F = Bytes.toBytes("f");

    @TempDir
    Path dir;

    @Test
    void columnsBecomeCellsOfTheirTypes() throws IOException {
        try (CsvFile file = open("id,city,age\n7,Z\u00fcrich,-3\n")) {
            Put put = new CsvRows(file, "id", "f", List.of("age:int")).next();

            assertThat(put.getRow()).isEqualTo(Bytes.toBytes("7"));
            assertThat(put.size()).isEqualTo(3);
            assertThat(put.has(F, Bytes.toBytes("id"), Bytes.toBytes("7"))).isTrue();
            assertThat(put.has(F, Bytes.toBytes("city"), Bytes.toBytes("Z\u00fcrich")))
                    .isTrue();
            assertThat(put.has(F, Bytes.toBytes("age"), Bytes.toBytes(-3))).isTrue();
        }
    }

    @Test
    void anEmptyFieldBecomesNoCell() throws IOException {
        try (CsvFile file = open("id,city,age\n7,,\n")) {
            assertThat(new CsvRows(file, "id", "f", List.of("age:int")).next().size())
                    .isEqualTo(1);
        }
    }

    @Test
    void errorsNameTheLine() throws IOException {
        assertWrong("id,age\n1,5\n,6\n", "Line 3", "its key, column id, is empty");
        assertWrong("id,age\n1,5\n2,6.5\n", "Line 3", "'6.5' in column age is not of type int");
        assertWrong("id,age\n1,5\n2\n", "Line 3", "it has 1 columns, but the first line names 2");
        assertWrong("id,age\n1,5\n2,\"6\"x\n", "Line 3");
    }

    @Test
    void refusesBytesThatAreNotUtf8() throws IOException {
        Path latin = dir.resolve("latin.csv");
        Files.write(latin, "id,city\n1,Z\u00fcrich\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> {
                    try (CsvFile file = CsvFile.open(latin)) {
                        file.next();
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("latin.csv")
                .hasMessageContaining("it is not UTF-8");
    }

    private void assertWrong(String text, String... parts) throws IOException {
        try (CsvFile file = open(text)) {
            CsvRows rows = new CsvRows(file, "id", "f", List.of("age:int"));
            assertThat(rows.next()).isNotNull();
            assertThatThrownBy(rows::next)
                    .isInstanceOf(IOException.class)
                    .message()
                    .contains(parts);
        }
    }

    private CsvFile open(String text) throws IOException {
        return CsvFile.open(Files.writeString(dir.resolve("rows.csv"), text));
    }
}
