package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.UnloadedIndex;
import org.diffindex.verify.Difference;
import org.diffindex.verify.FoundDifference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

class ScrubTextTest {
    private static final TableName TABLE = TableName.valueOf("flights");

    private static ScrubReport report(
            IndexScheme scheme, Map<Difference, Long> found, Map<Difference, Long> repaired, long unsettled) {
        IndexDefinition index = IndexDefinition.builder(TABLE, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        List<FoundDifference> samples = found.keySet().stream()
                .map(difference -> new FoundDifference(difference, "1", "ORD@5", "LAX@7"))
                .toList();
        return new ScrubReport(index, 1_000, 3_000, found, repaired, unsettled, samples, Duration.ofSeconds(2));
    }

    private static List<String> lines(ScrubReport report, boolean repair) {
        StringWriter text = new StringWriter();
        ScrubText.print(TABLE, List.of(report), List.of(), repair, new PrintWriter(text, true));
        return text.toString().lines().toList();
    }

    @Test
    void reportsThatTheIndexesAreCorrect() {
        assertThat(lines(report(IndexScheme.SYNC_FULL, Map.of(), Map.of(), 0), false))
                .containsExactly(
                        "INDEX      SCHEME      ROWS  ENTRIES  MISSING  DANGLING  STALE  AHEAD  WRONG_TIMESTAMP"
                                + "  FUTURE_STAMP  DUPLICATE  UNDECODABLE  REPAIRED  ROWS/S",
                        "by_origin  sync-full  1,000    3,000        0         0      0      0                0"
                                + "             0          0            0         0   2,000",
                        "The indexes of table flights are correct");
    }

    @Test
    void namesAChangeOfTheSchemeThatIsNotComplete() {
        ScrubReport report = report(IndexScheme.SYNC_INSERT, Map.of(Difference.STALE, 2L), Map.of(), 0)
                .whileChangingTo(Optional.of(IndexScheme.SYNC_FULL));
        assertThat(lines(report, false))
                .contains(
                        "The scheme of index by_origin is being changed to sync-full; until that is complete, readers read"
                                + " it, and it is judged, by sync-insert; unless an alter-index is running, complete it:"
                                + " bin/diffindex alter-index flights by_origin --scheme sync-full")
                .contains("The indexes of table flights are correct");
        JsonObject index = JsonParser.parseString(ScrubText.json(TABLE, List.of(report), List.of()))
                .getAsJsonObject()
                .getAsJsonArray("indexes")
                .get(0)
                .getAsJsonObject();
        assertThat(index.get("changing_to").getAsString()).isEqualTo("sync-full");
        assertThat(index.get("scheme").getAsString()).isEqualTo("sync-insert");
    }

    @Test
    void reportsDifferencesAndWhatToDo() {
        ScrubReport report =
                report(IndexScheme.ASYNC_SIMPLE, Map.of(Difference.STALE, 2L, Difference.MISSING, 3L), Map.of(), 1);
        assertThat(lines(report, false))
                .contains("by_origin: stale row=1 entry=ORD@5 expected=LAX@7")
                .endsWith("5 differences; nothing was changed; scrub with --repair to repair them; 1 places were being"
                        + " written at every look, so nothing is known of them; scrub again when they are written less"
                        + " often");
    }

    @Test
    void doesNotReportSuccessIfARowIsUnsettled() {
        assertThat(lines(report(IndexScheme.SYNC_FULL, Map.of(), Map.of(), 2), false))
                .last()
                .asString()
                .startsWith("No other difference was found; 2 places were being written at every look");
        Map<Difference, Long> found = Map.of(Difference.STALE, 2L);
        assertThat(lines(report(IndexScheme.SYNC_FULL, found, found, 2), true))
                .last()
                .asString()
                .startsWith("2 differences were repaired; 2 places were being written at every look");
    }

    @Test
    void printsTheResultsBeforeAFailure() {
        StringWriter text = new StringWriter();
        ScrubReport first = report(IndexScheme.SYNC_FULL, Map.of(Difference.STALE, 2L), Map.of(), 0);
        ScrubText.printUnfinished(List.of(first), new PrintWriter(text, true));
        assertThat(text.toString().lines())
                .contains("by_origin: stale row=1 entry=ORD@5 expected=LAX@7")
                .endsWith("The other indexes were not compared completely");
        StringWriter none = new StringWriter();
        ScrubText.printUnfinished(List.of(), new PrintWriter(none, true));
        assertThat(none.toString()).isEmpty();
    }

    @Test
    void reportsRepairs() {
        Map<Difference, Long> found = Map.of(Difference.STALE, 2L, Difference.MISSING, 3L);
        assertThat(lines(report(IndexScheme.SYNC_FULL, found, found, 0), true))
                .endsWith("5 differences were repaired; the indexes of table flights are correct");
        assertThat(lines(report(IndexScheme.SYNC_FULL, found, Map.of(Difference.STALE, 2L), 0), true))
                .endsWith("3 differences are left, 2 were repaired; scrub with --repair again; if they remain, drop the"
                        + " index and create it again");
    }

    @Test
    void marksDifferencesThatTheSchemeAllows() {
        assertThat(lines(report(IndexScheme.SYNC_INSERT, Map.of(Difference.STALE, 2_000L), Map.of(), 0), false))
                .anyMatch(line -> line.startsWith("by_origin  sync-insert") && line.contains("2,000*"))
                .anyMatch(line -> line.startsWith("* allowed by the scheme"))
                .endsWith("The indexes of table flights are correct");
    }

    @Test
    void writesJson() {
        ScrubReport report = report(
                IndexScheme.SYNC_INSERT,
                Map.of(Difference.STALE, 2L, Difference.MISSING, 3L),
                Map.of(Difference.MISSING, 1L),
                4);
        JsonObject json = JsonParser.parseString(ScrubText.json(TABLE, List.of(report), List.of()))
                .getAsJsonObject();
        assertThat(json.get("clean").getAsBoolean()).isFalse();
        JsonObject index = json.getAsJsonArray("indexes").get(0).getAsJsonObject();
        assertThat(index.get("rows").getAsLong()).isEqualTo(1_000);
        assertThat(index.get("entries").getAsLong()).isEqualTo(3_000);
        assertThat(index.get("missing").getAsLong()).isEqualTo(3);
        assertThat(index.get("stale").getAsLong()).isEqualTo(2);
        assertThat(index.get("wrong_timestamp").getAsLong()).isZero();
        assertThat(index.get("unsettled").getAsLong()).isEqualTo(4);
        assertThat(index.get("rows_per_second").getAsLong()).isEqualTo(2_000);
        assertThat(index.getAsJsonArray("allowed_by_scheme").toString())
                .isEqualTo("[\"dangling\",\"stale\",\"ahead\"]");
        assertThat(index.getAsJsonObject("repaired").get("missing").getAsLong()).isEqualTo(1);
        assertThat(index.getAsJsonArray("samples"))
                .hasSize(2)
                .allMatch(sample ->
                        sample.getAsJsonObject().get("expected").getAsString().equals("LAX@7"));
    }

    /** A difference in a shadow concerns no reader yet, and one in the index does. */
    @Test
    void namesTheGenerationsOfAnIndexThatHasSeveral() {
        ScrubReport first = report(IndexScheme.SYNC_FULL, Map.of(), Map.of(), 0);
        IndexDefinition shadow = first.index().asShadowOf(first.index());
        ScrubReport second = new ScrubReport(
                shadow,
                1_000,
                999,
                Map.of(Difference.MISSING, 1L),
                Map.of(),
                0,
                List.of(new FoundDifference(Difference.MISSING, "1", "", "LAX@7")),
                Duration.ofSeconds(2));
        StringWriter text = new StringWriter();
        ScrubText.print(TABLE, List.of(first, second), List.of(), false, new PrintWriter(text, true));
        assertThat(text.toString().lines())
                .anyMatch(line -> line.startsWith("by_origin (in service)  sync-full"))
                .anyMatch(line -> line.startsWith("by_origin.2 (shadow)    sync-full"))
                .anyMatch(line -> line.startsWith("by_origin.2 (shadow): missing"));
        JsonObject json = JsonParser.parseString(ScrubText.json(TABLE, List.of(first, second), List.of()))
                .getAsJsonObject();
        assertThat(json.getAsJsonArray("indexes"))
                .extracting(index -> index.getAsJsonObject().get("index").getAsString()
                        + " "
                        + index.getAsJsonObject().get("generation").getAsString()
                        + " "
                        + index.getAsJsonObject().get("role").getAsString())
                .containsExactly("by_origin by_origin in-service", "by_origin by_origin.2 shadow");
        assertThat(ScrubText.json(TABLE, List.of(first), List.of())).doesNotContain("generation");
    }

    /** Its entries were not looked at, so the scrub must not say that all is well. */
    @Test
    void reportsAnIndexThatTheClientCannotLoad() {
        UnloadedIndex unloaded =
                new UnloadedIndex(TABLE, "by_day", "x", Optional.empty(), "{}", "the class is missing", true);
        String notCompared = "Index by_day was not compared, because this client cannot load it: the class is missing;"
                + " put the class, as the region servers have it, on the class path of this client";
        ScrubReport clean = report(IndexScheme.SYNC_FULL, Map.of(), Map.of(), 0);
        StringWriter text = new StringWriter();
        ScrubText.print(TABLE, List.of(clean), List.of(unloaded), false, new PrintWriter(text, true));
        assertThat(text.toString().lines()).endsWith("The other indexes of table flights are correct", notCompared);
        StringWriter alone = new StringWriter();
        ScrubText.print(TABLE, List.of(), List.of(unloaded), false, new PrintWriter(alone, true));
        assertThat(alone.toString().lines()).containsExactly(notCompared);

        JsonObject json = JsonParser.parseString(ScrubText.json(TABLE, List.of(clean), List.of(unloaded)))
                .getAsJsonObject();
        assertThat(json.get("clean").getAsBoolean()).isFalse();
        JsonObject index = json.getAsJsonArray("not_compared").get(0).getAsJsonObject();
        assertThat(index.get("index").getAsString()).isEqualTo("by_day");
        assertThat(index.get("problem").getAsString()).isEqualTo("the class is missing");
    }

    /** Otherwise a scrub that runs every night would not notice that the indexes were dropped. */
    @Test
    void aTableWithoutAnIndexIsNotClean() {
        ScrubReport clean = report(IndexScheme.SYNC_FULL, Map.of(), Map.of(), 0);
        assertThat(ScrubText.isClean(List.of(clean), List.of())).isTrue();
        assertThat(ScrubText.isClean(List.of(), List.of())).isFalse();
        assertThat(ScrubText.json(TABLE, List.of(), List.of())).contains("\"clean\": false");
    }

    @Test
    void reportsATableWithoutAnIndex() {
        StringWriter text = new StringWriter();
        ScrubText.print(TABLE, List.of(), List.of(), false, new PrintWriter(text, true));
        assertThat(text.toString().strip()).isEqualTo("Table flights has no index; nothing was compared");
    }
}
