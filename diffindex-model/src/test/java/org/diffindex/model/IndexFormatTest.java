package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IndexFormatTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build()
            .withId("1");

    private static TableDescriptor table(String key, String value) {
        return TableDescriptorBuilder.newBuilder(INDEX.table())
                .setValue(key, value)
                .build();
    }

    @Test
    void anIndexHasTheFirstFormatUnlessItIsGivenAnother() {
        TableDescriptor base = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(INDEX.table()).build(), INDEX);
        TableDescriptor own = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(INDEX.indexTable()), INDEX, IndexState.ACTIVE)
                .build();

        assertThat(INDEX.format()).isEqualTo(IndexFormat.FIRST);
        assertThat(IndexFormat.namedBy(base)).isEqualTo(IndexFormat.FIRST);
        assertThat(IndexFormat.refusal(base)).isEmpty();
        assertThat(own.getValue("diffindex.format"))
                .as("descriptors stay as earlier builds made them")
                .isNull();
        assertThat(IndexFormat.refusal(own)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3})
    void noIndexHasAFormatThatThisBuildDoesNotKnow(int format) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexDefinition.builder(INDEX.table(), "by_v").format(format))
                .withMessage("Index by_v on t cannot have format " + format
                        + ": this build of Diff-Index knows formats 1 to 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "diffindex.index.i | {\"format\":3,\"more\":[]}     | 3",
                "diffindex.index.i | {\"format\":\"4\"}             | 4",
                "diffindex.index.i | {\"columns\":[\"f:v\"]}        | 1",
                "diffindex.index.i | {\"format\":\"new\"}           | 1",
                "diffindex.index.i | no JSON                        | 1",
                "diffindex.format  | 2                              | 2",
                "diffindex.format  | 3                              | 3",
                "diffindex.format  | new                            | 2147483647",
                "diffindex.other   | 2                              | 1"
            })
    void aDescriptorNamesTheFormatOfItsIndexes(String key, String value, int format) {
        assertThat(IndexFormat.namedBy(table(key, value))).isEqualTo(format);
        assertThat(IndexFormat.refusal(table(key, value)).isPresent()).isEqualTo(format > 2);
    }

    @Test
    void theLatestFormatOfSeveralIndexesCounts() {
        TableDescriptor two = TableDescriptorBuilder.newBuilder(table("diffindex.index.a", "{\"format\":3}"))
                .setValue("diffindex.index.b", "{\"format\":1}")
                .build();
        assertThat(IndexFormat.namedBy(two)).isEqualTo(3);
        assertThat(IndexFormat.refusal(two))
                .contains("its format is 3, and this build of Diff-Index knows formats up to 2");
    }

    /** A later build may have moved the index to a state in which nobody may write to it, or build it. */
    @Test
    void aStateOfALaterBuildIsRefused() {
        assertThat(IndexFormat.refusal(table("diffindex.state", "SHADOW")))
                .contains("its state is SHADOW, which this build of Diff-Index does not know");
        for (IndexState state : IndexState.values()) {
            assertThat(IndexFormat.refusal(table("diffindex.state", state.name())))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"format\":3}                                 | true",
                "{\"format\":2}                                 | false",
                "{\"columns\":[],\"covered\":[]}                | true",
                "{\"columns\":[],\"scheme\":\"\",\"state\":\"\"} | false",
                "no JSON                                        | false"
            })
    void aDefinitionOfALaterBuildIsToldFromABrokenOne(String definition, boolean isOfLaterBuild) {
        assertThat(IndexFormat.isOfLaterBuild(table("diffindex.index.i", definition)))
                .isEqualTo(isOfLaterBuild);
    }
}
