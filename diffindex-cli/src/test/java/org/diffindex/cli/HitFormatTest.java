package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexedColumn;
import org.junit.jupiter.api.Test;

class HitFormatTest {
    private static final byte[] ROW = {'r', 0};
    private static final List<IndexedColumn> COLUMNS = IndexedColumn.parseList("f:a,f:b:bytes");
    private static final List<String> VALUES = List.of("x\ty\\\n", "\\x00");
    private static final Optional<Result> RESULT = Optional.of(
            Result.create(List.of(new KeyValue(ROW, Bytes.toBytes("f"), Bytes.toBytes("a"), Bytes.toBytes("x\ty")))));

    @Test
    void tsvIsOneLineOfFields() {
        assertThat(HitFormat.TSV.line(COLUMNS, VALUES, ROW, Optional.empty())).isEqualTo("x\\ty\\\\\\n\t\\x00\tr\\x00");
        assertThat(HitFormat.TSV.line(COLUMNS, VALUES, ROW, RESULT)).endsWith("\tr\\x00\tf:a=x\\x09y");
    }

    /** Their text can be given as a value again. */
    @Test
    void typesThatEscapeTheirBytesAreNotEscapedOnceMore() {
        List<IndexedColumn> columns = IndexedColumn.parseList(
                "f:a:struct(int,bytes)#1,f:b:class(org.apache.hadoop.hbase.types.RawLong),f:c:struct(string,int)#0");
        assertThat(HitFormat.TSV.line(columns, List.of("\\x00", "\\x5C", "\\"), ROW, Optional.empty()))
                .isEqualTo("\\x00\t\\x5C\t\\\\\tr\\x00");
    }

    @Test
    void jsonIsAnObject() {
        assertThat(HitFormat.JSON.line(COLUMNS, VALUES, ROW, Optional.empty()))
                .isEqualTo("{\"values\":[\"x\\ty\\\\\\n\",\"\\\\x00\"],\"row\":\"r\\\\x00\"}");
        assertThat(HitFormat.JSON.line(COLUMNS, VALUES, ROW, RESULT)).endsWith(",\"columns\":{\"f:a\":\"x\\\\x09y\"}}");
    }

    @Test
    void aPageEndsWithItsToken() {
        assertThat(HitFormat.tokenLine(Optional.of("AQ-_"))).isEqualTo("{\"token\":\"AQ-_\"}");
        assertThat(HitFormat.tokenLine(Optional.empty())).isEqualTo("{\"token\":null}");
    }
}
