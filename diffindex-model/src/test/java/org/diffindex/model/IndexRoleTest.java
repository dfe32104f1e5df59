package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The definitions of the generations of an index, in a descriptor and as a client finds them. */
class IndexRoleTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");
    private static final IndexDefinition FIRST = byOrigin("origin")
            .splitAt("M")
            .scheme(IndexScheme.SYNC_INSERT)
            .build()
            .withId("id-1");
    private static final IndexDefinition SECOND = byOrigin("origin_id")
            .indexProtectedCells()
            .build()
            .asShadowOf(FIRST)
            .withId("id-2");

    private static IndexDefinition.Builder byOrigin(String column) {
        return IndexDefinition.builder(FLIGHTS, "by_origin").column("f", column, ColumnTypes.STRING);
    }

    private static TableDescriptor with(IndexDefinition... definitions) {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(FLIGHTS).build();
        for (IndexDefinition definition : definitions) {
            table = IndexDefinitions.with(table, definition);
        }
        return table;
    }

    @Test
    void aShadowHasTheSchemeOfItsIndexAndATableOfItsOwn() {
        assertThat(SECOND.name()).isEqualTo("by_origin.2");
        assertThat(SECOND.logicalName()).isEqualTo("by_origin");
        assertThat(SECOND.indexTable()).isEqualTo(TableName.valueOf("flights.by_origin.2"));
        assertThat(SECOND.scheme()).isEqualTo(IndexScheme.SYNC_INSERT);
        assertThat(SECOND.indexesProtectedCells()).isTrue();
        assertThat(SECOND.splitPoints()).isEmpty();
        assertThat(SECOND.role()).isEqualTo(IndexRole.SHADOW);
        assertThat(byOrigin("x").build().asShadowOf(SECOND).name()).isEqualTo("by_origin.3");
    }

    @Test
    void noUserGivesANameOfALaterGeneration() {
        assertThatThrownBy(() -> IndexDefinition.builder(FLIGHTS, "by_origin.2")
                        .column("f", "origin", ColumnTypes.STRING)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'by_origin.2' does not fit");
    }

    @Test
    void aNameThatIsLongEnoughForTheFirstGenerationAloneIsRefused() {
        IndexDefinition longest = IndexDefinition.builder(FLIGHTS, "n".repeat(DefinitionCheck.MAX_NAME_LENGTH))
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        assertThatThrownBy(() -> longest.asShadowOf(longest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 129 bytes, and 127 are the most");
    }

    @Test
    void aDescriptorKeepsTheRole() {
        for (IndexRole role : IndexRole.values()) {
            IndexDefinition definition = SECOND.withRole(role);
            assertThat(IndexDefinitions.of(with(definition))).containsExactly(Map.entry("by_origin.2", definition));
            assertThat(definition.withId("x").role()).isEqualTo(role);
            assertThat(definition.withScheme(IndexScheme.SYNC_FULL).role()).isEqualTo(role);
            assertThat(definition.withChange("c").role()).isEqualTo(role);
        }
        assertThat(SECOND).isNotEqualTo(SECOND.withRole(IndexRole.RETIRED));
    }

    /** Earlier builds refuse a definition with a member that they do not know. */
    @Test
    void aDefinitionInServiceNamesNoRole() {
        assertThat(IndexDefinitions.texts(with(FIRST)).get("by_origin")).doesNotContain("role");
        assertThat(IndexDefinitions.texts(with(FIRST, SECOND)).get("by_origin.2"))
                .contains("\"role\":\"shadow\"");
    }

    @Test
    void aRoleOfALaterBuildIsNotTakenForAnother() {
        String text = IndexDefinitions.texts(with(SECOND)).get("by_origin.2").replace("shadow", "mirror");
        assertThatThrownBy(() -> IndexDefinitions.parse(FLIGHTS, "by_origin.2", text))
                .hasMessageContaining("there is no role 'mirror' of an index");
    }

    @Test
    void readersFindTheOneInServiceByTheNameOfTheIndex() throws IOException {
        TableIndexes before = TableIndexes.of(with(FIRST, SECOND));
        assertThat(before.named("by_origin")).isEqualTo(FIRST);
        assertThat(before.named("by_origin.2")).as("nobody reads a shadow").isNull();
        assertThat(before.generation("by_origin", IndexRole.SHADOW)).contains("by_origin.2");
        assertThat(before.inService().loaded()).containsOnlyKeys("by_origin");

        IndexDefinition second = SECOND.withRole(IndexRole.IN_SERVICE);
        TableIndexes after = TableIndexes.of(with(FIRST.withRole(IndexRole.RETIRED), second));
        assertThat(after.named("by_origin")).isEqualTo(second);
        assertThat(after.named("by_origin.2")).isEqualTo(second);
        assertThat(after.isLoaded("by_origin")).isTrue();
        assertThat(after.generation("by_origin", IndexRole.RETIRED)).contains("by_origin");
        assertThat(TableIndexes.of(with(FIRST.withRole(IndexRole.RETIRED))).named("by_origin"))
                .as("while the one in service is rebuilt")
                .isNull();
    }

    /** A client that lacks the class of a new column reads the index as it was until readers go over. */
    @Test
    void aClientThatCannotLoadTheShadowReadsWhatIsInService() throws IOException {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(with(FIRST))
                .setValue(
                        "diffindex.index.by_origin.2",
                        IndexDefinitions.texts(with(SECOND)).get("by_origin.2").replace("string", "class(no.Such)"))
                .build();
        TableIndexes indexes = TableIndexes.of(table);
        assertThat(indexes.unloaded().get("by_origin.2").role()).isEqualTo(IndexRole.SHADOW);
        assertThat(indexes.named("by_origin")).isEqualTo(FIRST);
        TableIndexes after = TableIndexes.of(TableDescriptorBuilder.newBuilder(table)
                .setValue(
                        "diffindex.index.by_origin.2",
                        Bytes.toString(table.getValue(Bytes.toBytes("diffindex.index.by_origin.2")))
                                .replace(",\"role\":\"shadow\"", ""))
                .setValue(
                        "diffindex.index.by_origin",
                        IndexDefinitions.texts(with(FIRST.withRole(IndexRole.RETIRED)))
                                .get("by_origin"))
                .build());
        assertThat(after.isLoaded("by_origin")).isFalse();
        assertThatThrownBy(() -> after.named("by_origin"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("Index by_origin of flights cannot be loaded");
    }
}
