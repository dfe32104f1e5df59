package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.Test;

/** Tests what {@code list} and {@code describe} show, also of an index that the client cannot load. */
class IndexTextTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();
    private static final UnloadedIndex UNLOADED = new UnloadedIndex(
            TABLE, "by_day", "x", Optional.of(IndexScheme.SYNC_INSERT), "{\"id\":\"x\"}", "the class is missing", true);
    private static final String REASON =
            "the class is missing; put the class, as the region servers have it, on the class" + " path of this client";

    private static final UnloadedText SHOWN = UnloadedText.of(UNLOADED, Optional.of(IndexState.ACTIVE));
    private static final UnloadedText DROPPING = UnloadedText.of(UNLOADED, Optional.of(IndexState.DROPPING));
    private static final String DROP_REASON =
            "the class is missing; unless a drop-index is running, drop that index, which cannot be read any more";

    @Test
    void listsEveryIndex() {
        StringWriter text = new StringWriter();
        ListText.table(Map.of(INDEX, "DROPPING"), Map.of(), List.of(SHOWN, DROPPING))
                .print(new PrintWriter(text, true), Integer.MAX_VALUE);
        assertThat(text.toString().lines())
                .containsExactly(
                        "TABLE    INDEX      SCHEME       STATE     COLUMNS",
                        "flights  by_origin  sync-full    DROPPING  f:origin:string",
                        "flights  by_day     sync-insert  UNLOADED  " + REASON,
                        "flights  by_day     sync-insert  DROPPING  " + DROP_REASON);
    }

    @Test
    void showsWhatAnEntryIncludesAndWhichRowsHaveOne() {
        IndexDefinition covering = IndexDefinition.builder(TABLE, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .include("f", "delay", ColumnTypes.INT)
                .where(ColumnCondition.parse("f:status = open"))
                .where(ColumnCondition.parse("f:gate present"))
                .build();
        StringWriter text = new StringWriter();
        ListText.table(Map.of(covering, "ACTIVE"), Map.of(), List.of())
                .print(new PrintWriter(text, true), Integer.MAX_VALUE);
        assertThat(text.toString())
                .contains(
                        "ACTIVE  f:origin:string, including f:delay:int, where f:status:string = open and f:gate:string present");
        assertThat(DescribeCommand.text(covering, "ACTIVE", SchemesText.NONE, Optional.empty()))
                .contains(
                        "columns       f:origin:string, including f:delay:int, where f:status:string = open and f:gate:string present");
        assertThat(JsonParser.parseString(DescribeCommand.json(covering, "ACTIVE", SchemesText.NONE, Optional.empty()))
                        .getAsJsonObject()
                        .get("include"))
                .hasToString("[{\"column\":\"f:delay\",\"type\":\"int\"}]");
        assertThat(DescribeCommand.json(covering, "ACTIVE", SchemesText.NONE, Optional.empty()))
                .contains("\"where\":[\"f:status:string = open\",\"f:gate:string present\"]");
    }

    /** One such index would keep the others of the cluster from being shown. */
    @Test
    void showsWhatTheClientDoesNotUnderstandOfAnIndex() throws IOException {
        SchemesText shown = SchemesText.of(() -> {
            throw new IllegalArgumentException("of a later build");
        });
        StringWriter text = new StringWriter();
        ListText.table(
                        Map.of(INDEX, "ACTIVE" + shown.changing()),
                        Map.of(INDEX, shown.problem().orElseThrow()),
                        List.of())
                .print(new PrintWriter(text, true), Integer.MAX_VALUE);
        assertThat(text.toString()).contains("ACTIVE  f:origin:string; of a later build");
        assertThat(DescribeCommand.text(INDEX, "ACTIVE", shown, Optional.empty()))
                .contains("state         ACTIVE: of a later build");
        assertThat(JsonParser.parseString(DescribeCommand.json(INDEX, "ACTIVE", shown, Optional.empty()))
                        .getAsJsonObject()
                        .get("problem")
                        .getAsString())
                .isEqualTo("of a later build");
    }

    @Test
    void describesAnIndexThatTheClientCannotLoad() {
        assertThat(DescribeCommand.text(SHOWN).lines())
                .containsExactly(
                        "index         by_day",
                        "table         flights",
                        "state         UNLOADED: " + REASON,
                        "definition    {\"id\":\"x\"}");
        JsonObject json = JsonParser.parseString(DescribeCommand.json(SHOWN)).getAsJsonObject();
        assertThat(json.get("state").getAsString()).isEqualTo("UNLOADED");
        assertThat(json.get("problem").getAsString()).isEqualTo("the class is missing");
        assertThat(json.get("definition").getAsString()).isEqualTo("{\"id\":\"x\"}");
    }

    /** The class that the client lacks would not help. */
    @Test
    void describesAnIndexWhoseDropHasBegunAndThatTheClientCannotLoad() {
        assertThat(DescribeCommand.text(DROPPING).lines()).contains("state         DROPPING: " + DROP_REASON);
        JsonObject json = JsonParser.parseString(DescribeCommand.json(DROPPING)).getAsJsonObject();
        assertThat(json.get("state").getAsString()).isEqualTo("DROPPING");
    }
}
