package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mockStatic;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;

/** Tests a build that knows one format more than this one. */
class NextBuildTest {
    private static final int NEXT = IndexFormat.latest() + 1;

    private static final IndexDefinition FIRST = of(IndexFormat.FIRST);

    private MockedStatic<IndexFormat> next;

    @BeforeEach
    void knowOneFormatMore() {
        next = mockStatic(IndexFormat.class, CALLS_REAL_METHODS);
        next.when(IndexFormat::latest).thenReturn(NEXT);
    }

    @AfterEach
    void becomeThisBuildAgain() {
        next.close();
    }

    private static IndexDefinition of(int format) {
        return IndexDefinition.builder(Flights.TABLE, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .format(format)
                .build()
                .withId("id-1");
    }

    private static TableDescriptor base(IndexDefinition index) {
        return IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(Flights.TABLE).build(), index);
    }

    private static TableDescriptor own(IndexDefinition index) {
        return IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(index.indexTable()), index, IndexState.BUILDING)
                .build();
    }

    /** Otherwise servers and clients of the earlier build would lose an index whose scheme is changed by the next. */
    @Test
    void anIndexKeepsTheFormatOfItsCreation() {
        for (int format = 1; format <= NEXT; format++) {
            IndexDefinition changed = of(format)
                    .withScheme(IndexScheme.ASYNC_SIMPLE)
                    .withChange("c1")
                    .withId("id-2");
            assertThat(changed.format()).isEqualTo(format);
            assertThat(IndexDefinitions.of(base(changed)).get("by_origin"))
                    .isEqualTo(changed)
                    .extracting(IndexDefinition::format)
                    .isEqualTo(format);
            assertThat(IndexFormat.namedBy(base(changed))).isEqualTo(format);
            assertThat(IndexFormat.namedBy(own(changed))).isEqualTo(format);
            assertThat(IndexFormat.namedBy(IndexDefinitions.withState(own(changed), IndexState.ACTIVE)))
                    .isEqualTo(format);
        }
        assertThat(of(NEXT))
                .isNotEqualTo(FIRST)
                .hasToString("by_origin on flights (f:origin:string) sync-full, format " + NEXT);
    }

    @Test
    void theFormatOfAnIndexDoesNotChange() {
        TableDescriptor base = base(FIRST);
        assertThatThrownBy(() -> DefinitionChange.admit(base, IndexDefinitions.with(base, of(NEXT))))
                .hasMessageContaining("index by_origin would become another one");
        assertThatThrownBy(() -> IndexTableChange.check(own(FIRST), own(of(NEXT))))
                .hasMessageContaining("its format would change (diffindex.format)");
    }

    @Test
    void anIndexAndItsTableHaveTheSameFormat() throws IOException {
        TableDescriptor base = TableDescriptorBuilder.newBuilder(Flights.TABLE).build();
        DefinitionChange.requireIndexTables(Optional.of(base), base(of(NEXT)), table -> Optional.of(own(of(NEXT))));
        assertThatThrownBy(() -> DefinitionChange.requireIndexTables(
                        Optional.of(base), base(of(NEXT)), table -> Optional.of(own(FIRST))))
                .hasMessageContaining("flights.by_origin is not the table of this index");
    }

    /** This build refuses what the next one has made. */
    @Test
    void thisBuildRefusesWhatTheNextHasMade() {
        TableDescriptor base = base(of(NEXT));
        TableDescriptor own = own(of(NEXT));
        assertThat(IndexFormat.refusal(base)).isEmpty();
        assertThat(IndexFormat.refusal(own)).isEmpty();
        next.when(IndexFormat::latest).thenReturn(NEXT - 1);
        assertThat(IndexFormat.refusal(base)).isPresent();
        assertThat(IndexFormat.refusal(own)).isPresent();
        assertThat(IndexFormat.isOfLaterBuild(base)).isTrue();
    }
}
