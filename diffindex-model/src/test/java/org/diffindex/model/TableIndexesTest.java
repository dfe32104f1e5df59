package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Tests that a definition that this process cannot load concerns its own index only. */
class TableIndexesTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final IndexDefinition BY_V = IndexDefinition.builder(TABLE, "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build();

    private static String lacking(String scheme) {
        return "{\"columns\":[\"f:d:class(org.example.Missing)\"],\"scheme\":\"" + scheme
                + "\",\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"x\"}";
    }

    private static TableIndexes with(String text) {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(TABLE).build(), BY_V))
                .setValue("diffindex.index.by_day", text)
                .build();
        return TableIndexes.of(descriptor);
    }

    @Test
    void loadsEveryDefinitionByItself() throws IndexNotLoadedException {
        for (String text : new String[] {lacking("sync-full"), "{}", "{", "null", "[]"}) {
            TableIndexes indexes = with(text);
            assertThat(indexes.loaded()).isEqualTo(Map.of("by_v", BY_V));
            assertThat(indexes.unloaded()).containsOnlyKeys("by_day");
            assertThat(indexes.get("by_v")).isEqualTo(BY_V);
            assertThat(indexes.get("another")).isNull();
            assertThat(indexes.containsKey("by_day")).isTrue();
            assertThat(indexes.containsKey("by_v")).isTrue();
            assertThat(indexes.containsKey("another")).isFalse();
        }
    }

    @Test
    void asksForTheClassThatOnlyThisClientLacks() {
        TableIndexes indexes = with(lacking("sync-full"));
        UnloadedIndex byDay = indexes.unloaded().get("by_day");
        assertThat(byDay.lacksClass()).isTrue();
        assertThat(byDay.id()).isEqualTo("x");
        assertThat(byDay.scheme()).contains(IndexScheme.SYNC_FULL);
        assertThatThrownBy(() -> indexes.get("by_day"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessage("Index by_day of t cannot be loaded by this client: The column type's class is not on the"
                        + " class path: org.example.Missing; put the class, as the region servers have it, on the class"
                        + " path of this client. Nothing was changed");
    }

    @Test
    void asksForTheClassOfAFieldToo() {
        String text = "{\"columns\":[\"f:d:struct(int,class(org.example.Missing))#1\"],\"scheme\":\"sync-full\","
                + "\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"x\"}";
        assertThat(with(text).unloaded().get("by_day").lacksClass()).isTrue();
    }

    @Test
    void asksForACorrectionOfABrokenDefinition() {
        TableIndexes indexes = with("{\"columns\":[\"f:d:colour\"],\"scheme\":\"sync\"}");
        UnloadedIndex byDay = indexes.unloaded().get("by_day");
        assertThat(byDay.lacksClass()).isFalse();
        assertThat(byDay.id()).isEmpty();
        assertThat(byDay.scheme()).isEqualTo(Optional.empty());
        assertThatThrownBy(() -> indexes.get("by_day"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("No column type is called 'colour'")
                .hasMessageEndingWith("; drop that index, or correct the table's descriptor. Nothing was changed");
    }

    /** A later build may store anything; an index that ignored it would be wrong. */
    @Test
    void asksForALaterBuildToReadALaterFormat() {
        String known = IndexDefinitions.texts(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(TABLE).build(), BY_V))
                .get("by_v");
        assertThat(known).contains("\"format\":1");
        TableIndexes indexes = with(known.replace("\"format\":1", "\"format\":3"));
        UnloadedIndex byDay = indexes.unloaded().get("by_day");
        assertThat(byDay.lacksClass()).isFalse();
        assertThat(byDay.columns()).isEmpty();
        assertThatThrownBy(() -> indexes.get("by_day"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("it has format 3, and this build of Diff-Index reads formats up to 2")
                .hasMessageContaining("use the build of Diff-Index with which that index was made, or a later one");
        assertThat(with(known.replace("\"format\":1,", "")).unloaded())
                .as("definitions of earlier builds name no format")
                .isEmpty();
        assertThat(with(known.replace("\"format\":1", "\"format\":\"new\"")).unloaded())
                .containsOnlyKeys("by_day");
    }

    /** A client that changed the scheme would drop the member. */
    @Test
    void asksForALaterBuildToReadAMemberThatThisOneDoesNotKnow() {
        String known = IndexDefinitions.texts(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(TABLE).build(), BY_V))
                .get("by_v");
        TableIndexes indexes = with(known.replace("{\"format\"", "{\"covered\":[\"f:w\"],\"format\""));
        UnloadedIndex byDay = indexes.unloaded().get("by_day");
        assertThat(byDay.isOfLaterBuild()).isTrue();
        assertThat(byDay.columns()).isEmpty();
        assertThatThrownBy(() -> indexes.get("by_day"))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("it has the members [covered], which this build of Diff-Index does not know")
                .hasMessageContaining("use the build of Diff-Index with which that index was made, or a later one");
    }

    @Test
    void takesAnIndexOfUnknownSchemeForOneWithSessions() {
        assertThat(with(lacking("async-session")).unloaded().get("by_day").mayHaveSessions())
                .isTrue();
        assertThat(with(lacking("async-simple")).unloaded().get("by_day").mayHaveSessions())
                .isFalse();
        assertThat(with(lacking("another")).unloaded().get("by_day").mayHaveSessions())
                .isTrue();
    }
}
