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
        return wantedOf(PRESENT, options);
    }

    private static IndexDefinition wantedOf(IndexDefinition present, String... options) {
        ColumnsArguments arguments = new ColumnsArguments();
        Arguments.register(new CommandLine(arguments)).parseArgs(options);
        assertThat(arguments.areGiven()).isEqualTo(options.length > 0);
        return arguments.wanted(present);
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
                .hasMessageContaining("need format 2");
    }

    @Test
    void includedColumnsStayUnlessOthersAreGiven() {
        IndexDefinition covering = wanted("--include", "f:delay:int,f:gate");
        assertThat(covering.included()).hasToString("f:delay:int,f:gate:string");
        assertThat(covering.format()).isEqualTo(2);
        assertThat(wantedOf(covering, "--columns", "f:date").included()).isEqualTo(covering.included());
        assertThat(wantedOf(covering, "--include", "f:gate").included()).hasToString("f:gate:string");
        assertThat(wantedOf(covering, "--include-none").included().isEmpty()).isTrue();
        assertThatThrownBy(() -> wantedOf(covering, "--include-none", "--include", "f:gate"))
                .hasMessageContaining("not both");
        assertThatThrownBy(() -> wantedOf(covering, "--columns", "f:gate"))
                .hasMessageContaining("includes f:gate:string, which is in its key already");
    }

    @Test
    void conditionsStayUnlessOthersAreGiven() {
        IndexDefinition partial = wanted("--where", "f:delay:int >= 60", "--where", "f:cancelled absent");
        assertThat(partial.conditions()).hasToString("[f:delay:int >= 60, f:cancelled:string absent]");
        assertThat(wantedOf(partial, "--columns", "f:date").conditions()).isEqualTo(partial.conditions());
        assertThat(wantedOf(partial, "--where", "f:gate present").conditions()).hasToString("[f:gate:string present]");
        assertThat(wantedOf(partial, "--where-any").conditions()).isEmpty();
        assertThatThrownBy(() -> wantedOf(partial, "--where-any", "--where", "f:gate present"))
                .hasMessageContaining("not both");
        assertThatThrownBy(() -> wanted("--where", "f:gate")).hasMessageContaining("A condition is written");
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
