package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no server carries out a call without what an attribute of Diff-Index asks for. */
class CallAttributesTest {
    private static final byte[] ROW = {1};

    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build()
            .withId("1");

    @Test
    void refusesWhatThisBuildDoesNotKnow() {
        String name = "diffindex.readpoint.between";
        assertThatThrownBy(() -> CallAttributes.requireKnown(new Get(ROW).setAttribute(name, ROW)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Nothing was read: the read has the attribute " + name)
                .hasMessageContaining("upgrade the region servers");
        assertThatThrownBy(() -> CallAttributes.requireKnown(new Scan().setAttribute(name, ROW)))
                .isInstanceOf(DoNotRetryIOException.class);
        assertThat(CallAttributes.refusal(new Put(ROW).setAttribute(name, ROW)))
                .hasValueSatisfying(refusal -> assertThat(refusal).contains(name, "does not know"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"diffindex-hint", "other", "_isolationlevel_", "my.diffindex.mark"})
    void leavesOtherAttributesToOthers(String name) {
        assertThatCode(() -> CallAttributes.requireKnown(new Get(ROW).setAttribute(name, ROW)))
                .doesNotThrowAnyException();
        assertThat(CallAttributes.refusal(new Put(ROW).setAttribute(name, ROW))).isEmpty();
    }

    /** Such a mark is on a write that a coprocessor on a server of the build before passes on. */
    @ParameterizedTest
    @ValueSource(strings = {"diffindex.servertime", "diffindex.servertime.f", "diffindex.giventimes"})
    void ignoresTheMarksOfServersOfTheBuildBefore(String name) {
        assertThat(CallAttributes.refusal(new Put(ROW).setAttribute(name, ROW))).isEmpty();
        assertThat(CallAttributes.refusal(new Put(ROW).setAttribute("diffindex.servertimes", ROW)))
                .isPresent();
    }

    @Test
    void knowsEveryAttributeOfThisBuild() {
        Get get = ProtectedColumns.askFor(
                INDEX, ReadPoint.asOf(LeasedRead.mark(INDEX.entryFormat().get(ROW)), 1));
        Scan scan = ReadPoint.since(ReadPoint.askFor(INDEX.entryFormat().scan()), 1);
        Scan comparison = ProtectedCells.leftOut(INDEX, IndexAddress.readBy(scan, IndexScheme.SYNC_FULL));
        assertThat(get.getAttributesMap()).hasSize(4);
        assertThat(comparison.getAttributesMap()).hasSize(5);
        assertThatCode(() -> CallAttributes.requireKnown(get)).doesNotThrowAnyException();
        assertThatCode(() -> CallAttributes.requireKnown(comparison)).doesNotThrowAnyException();

        var delete = INDEX.entryFormat().delete(ROW, 1);
        IndexAddress.onlyIn(delete, "region");
        delete.setAttribute(SessionChange.ATTRIBUTE, ROW);
        assertThat(delete.getAttributesMap()).hasSize(3);
        assertThat(CallAttributes.refusal(delete)).isEmpty();
    }
}
