package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests what the options of a change of the columns leave as it is. */
class ColumnsArgumentsTest {
    private static final IndexDefinition PRESENT = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_INSERT)
            .indexProtectedCells()
            .splitAt("M")
            .build()
            .withId("id");

    private static IndexDefinition wanted(String... options) {
        ColumnsArguments arguments = new ColumnsArguments();
        Arguments.register(new CommandLine(arguments)).parseArgs(options);
        assertThat(arguments.areGiven()).isEqualTo(options.length > 0);
        return arguments.wanted(PRESENT);
    }

    @Test
    void whatIsNotGivenStays() {
        assertThat(wanted().hasShapeOf(PRESENT)).isTrue();
        IndexDefinition further = wanted("--columns", "f:origin,f:date");
        assertThat(further.keyColumns()).hasSize(2);
        assertThat(further.scheme()).isEqualTo(IndexScheme.SYNC_INSERT);
        assertThat(further.indexesProtectedCells()).isTrue();
        assertThat(further.splitPoints()).isDeepEqualTo(PRESENT.splitPoints());
        assertThat(wanted("--no-protected-cells").indexesProtectedCells()).isFalse();
        assertThat(wanted("--protected-cells").indexesProtectedCells()).isTrue();
        assertThat(wanted("--split-points", "G,P").splitPoints().length).isEqualTo(2);
    }

    @Test
    void anIndexThatGetsADescendingColumnGetsAFormatThatHasThem() {
        assertThat(wanted("--columns", "f:origin").format()).isEqualTo(1);
        assertThat(wanted("--columns", "f:origin,f:date:string:desc").format()).isEqualTo(2);
        assertThatThrownBy(() -> wanted("--columns", "f:origin:string:desc", "--index-format", "1"))
                .hasMessageContaining("descending columns need format 2");
    }

    /** Keys of the former first column split nothing. */
    @Test
    void splitPointsDoNotStayWithAnotherFirstColumn() {
        assertThat(wanted("--columns", "f:delay:int").splitPoints()).isEmpty();
        assertThat(wanted("--columns", "f:delay:int", "--split-points", "5").splitPoints())
                .isDeepEqualTo(IndexDefinition.builder(PRESENT.table(), "x")
                        .column("f", "delay", ColumnTypes.INT)
                        .splitAt(5)
                        .build()
                        .splitPoints());
    }

    @Test
    void aFormatThatThisBuildDoesNotKnowIsWrong() {
        assertThatThrownBy(() -> wanted("--index-format", "99")).hasMessageContaining("cannot have format 99");
    }
}
