package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class QueryExplanationTest {
    private FakeHBase hbase;

    private IndexedTable table(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(TableName.valueOf("flights"), "by_od")
                .column("f", "origin", ColumnTypes.STRING)
                .column("f", "delay", ColumnTypes.INT)
                .scheme(scheme)
                .build());
        hbase.regionStarts.add(Bytes.toBytes("H"));
        hbase.regionStarts.add(Bytes.toBytes("P"));
        return new IndexedTable(hbase.connection, TableName.valueOf("flights"));
    }

    @Test
    void showsTheRangesAndWhereTheyLie() throws IOException {
        QueryExplanation explanation = table(IndexScheme.SYNC_INSERT)
                .explain(IndexQuery.index("by_od")
                        .in("ORD", "LAX", "SFO")
                        .from(5)
                        .to(10)
                        .reverse()
                        .limit(7)
                        .build());
        assertThat(explanation.regions()).isEqualTo(2);
        assertThat(explanation.servers()).containsExactly("sh,16020,1", "sp,16020,1");
        assertThat(explanation.ranges())
                .extracting(QueryExplanation.Range::conditions)
                .containsExactly(
                        "f:origin = SFO, f:delay >= 5, f:delay < 10",
                        "f:origin = ORD, f:delay >= 5, f:delay < 10",
                        "f:origin = LAX, f:delay >= 5, f:delay < 10");
        assertThat(explanation.toString())
                .contains(
                        "index by_od of table flights, scheme sync-insert",
                        "reads in reverse order, at most 7 hits, keys only",
                        "3 ranges of keys, in 2 regions on 2 servers: sh,16020,1, sp,16020,1",
                        "f:origin = LAX, f:delay >= 5, f:delay < 10: [LAX\\x00\\x01+\\x80\\x00\\x00\\x05, ",
                        "the region of its base row confirms it from memory",
                        "after the last hit",
                        "a session adds nothing");
        assertThat(hbase.calls).isEmpty();
    }

    @Test
    void tellsWhatASchemeAndASessionAdd() throws IOException {
        QueryExplanation session = table(IndexScheme.ASYNC_SESSION)
                .explain(IndexQuery.index("by_od").build());
        assertThat(session.ranges()).hasSize(1).first().hasToString("all keys: [, )");
        assertThat(session.regions()).isEqualTo(3);
        assertThat(session.servers()).as("one region is on no server").hasSize(2);
        assertThat(session.checks()).containsExactly("each entry: none, it is a hit as the index has it");
        assertThat(session.session()).startsWith("adds the entries of its own writes");
        QueryExplanation rows = table(IndexScheme.SYNC_FULL)
                .explain(IndexQuery.index("by_od").prefix("O").withRows().build());
        assertThat(rows.ranges())
                .extracting(QueryExplanation.Range::toString)
                .containsExactly("f:origin begins with O: [O, P)");
        assertThat(rows.checks()).hasSize(2).first().asString().contains("its base row is looked up");
    }

    @Test
    void showsTheBytesOfAPrefixThatEndsWithinACharacter() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        assertThat(table.explain(IndexQuery.index("by_od")
                                .prefix(new byte[] {'Z', (byte) 0xC3})
                                .build())
                        .ranges())
                .extracting(QueryExplanation.Range::conditions)
                .containsExactly("f:origin begins with Z\\xC3");
        assertThat(table.explain(IndexQuery.index("by_od").prefix("Z\u00FC").build())
                        .ranges())
                .extracting(QueryExplanation.Range::conditions)
                .containsExactly("f:origin begins with Z\u00FC");
    }

    @Test
    void showsCompositeBoundsAndAQueryWithoutKeys() throws IOException {
        IndexedTable table = table(IndexScheme.ASYNC_SIMPLE);
        assertThat(table.explain(IndexQuery.index("by_od")
                                .from("A", 1)
                                .toInclusive("B")
                                .build())
                        .ranges()
                        .get(0)
                        .conditions())
                .isEqualTo("(f:origin, f:delay) >= (A, 1), f:origin <= B");
        QueryExplanation nothing = table.explain(
                IndexQuery.index("by_od").equalTo("x".repeat(40_000)).build());
        assertThat(nothing.regions()).isZero();
        assertThat(nothing.toString()).contains("0 ranges of keys, in 0 regions on 0 servers");
        assertThat(nothing.session()).isEqualTo("adds nothing: the scheme has no sessions");
    }
}
