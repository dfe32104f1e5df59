package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.IndexLag;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.client.Staleness;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();

    private static final UnloadedIndex UNLOADED = new UnloadedIndex(
            TABLE, "by_day", "x", Optional.of(IndexScheme.ASYNC_SIMPLE), "{}", "the class is missing", true);

    private static IndexStatus status(Map<String, IndexState> states) {
        RegionStatus region = new RegionStatus(
                "region",
                "server",
                7,
                700,
                2,
                Duration.ofMillis(1_500),
                100,
                1,
                Staleness.NONE,
                11,
                12,
                13,
                14,
                Optional.empty(),
                Map.of(
                        "by_origin", new IndexLag(5, 1, Duration.ofSeconds(1), true),
                        "by_day", new IndexLag(6, 0, Duration.ofSeconds(1), false)));
        return new IndexStatus(TABLE, List.of(INDEX), List.of(UNLOADED), states, List.of(region));
    }

    @Test
    void theJsonObjectCountsTheRowsInTheQueueAndThoseThatAnIndexLacks() {
        JsonObject json = JsonParser.parseString(
                        StatusText.json(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE))))
                .getAsJsonObject();
        assertThat(json.get("auq_rows").getAsLong()).isEqualTo(7);
        JsonObject index = json.getAsJsonArray("indexes").get(0).getAsJsonObject();
        assertThat(index.get("behind_rows").getAsLong()).isEqualTo(5);
    }

    @Test
    void showsAnIndexThatTheClientCannotLoad() {
        assertThat(StatusText.lines(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE)))
                        .lines())
                .contains("  index      by_origin  sync-full      BUILDING  STALLED: lacks 5 rows and 1 files, oldest"
                        + " 1,000.0 ms")
                .contains("  index      by_day     async-simple   UNLOADED  behind: lacks 6 rows and 0 files, oldest"
                        + " 1,000.0 ms")
                .anyMatch(line -> line.strip().startsWith("the class is missing; put the class"));
        JsonObject json = JsonParser.parseString(
                        StatusText.json(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE))))
                .getAsJsonObject();
        JsonObject index = json.getAsJsonArray("indexes").get(1).getAsJsonObject();
        assertThat(index.get("index").getAsString()).isEqualTo("by_day");
        assertThat(index.get("state").getAsString()).isEqualTo("UNLOADED");
        assertThat(index.get("problem").getAsString()).isEqualTo("the class is missing");
        assertThat(index.get("behind_rows").getAsLong()).isEqualTo(6);
        IndexStatus onlyUnloaded = new IndexStatus(TABLE, List.of(), List.of(UNLOADED), Map.of(), List.of());
        assertThat(StatusText.lines(onlyUnloaded)).contains("by_day").doesNotContain("no index");
    }

    @Test
    void showsToWhichSchemeAnIndexIsBeingChanged() {
        SchemeState begun = SchemeState.begin(Optional.empty(), IndexScheme.ASYNC_SIMPLE, IndexScheme.SYNC_FULL, "c1");
        IndexStatus changing = new IndexStatus(
                TABLE,
                List.of(INDEX),
                List.of(),
                Map.of("by_origin", IndexState.ACTIVE),
                List.of(),
                Map.of("by_origin", begun),
                Map.of());
        assertThat(StatusText.lines(changing)).contains("ACTIVE, changing to sync-full");
        JsonObject index = JsonParser.parseString(StatusText.json(changing))
                .getAsJsonObject()
                .getAsJsonArray("indexes")
                .get(0)
                .getAsJsonObject();
        assertThat(index.get("state").getAsString()).isEqualTo("ACTIVE");
        assertThat(index.get("changing_to").getAsString()).isEqualTo("sync-full");
        assertThat(index.get("promise").getAsString()).isEqualTo("async-simple");
        assertThat(new SchemesText(Optional.of(begun.completed()), Optional.empty()).changing())
                .isEmpty();
    }

    @Test
    void showsOneIndexThatIsBeingReplaced() {
        IndexDefinition second = INDEX.asShadowOf(INDEX).withRole(IndexRole.IN_SERVICE);
        IndexDefinition shadow = INDEX.asShadowOf(second);
        BuildStatus build = new BuildStatus(
                10, 9, 0, 3, 7, false, OptionalDouble.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        ColumnsChangeStatus change =
                new ColumnsChangeStatus(shadow, Optional.of(IndexState.BUILDING), Optional.of(build));
        IndexStatus changing = new IndexStatus(
                TABLE,
                List.of(second),
                List.of(),
                Map.of("by_origin.2", IndexState.ACTIVE),
                List.of(),
                Map.of(),
                Map.of(),
                Map.of("by_origin", change));
        assertThat(StatusText.lines(changing).lines())
                .contains("  index      by_origin  sync-full      ACTIVE, being replaced: BUILDING 42%");
        JsonObject index = JsonParser.parseString(StatusText.json(changing))
                .getAsJsonObject()
                .getAsJsonArray("indexes")
                .get(0)
                .getAsJsonObject();
        assertThat(index.get("index").getAsString()).isEqualTo("by_origin");
        assertThat(index.get("replacement_table").getAsString()).isEqualTo(TABLE + ".by_origin.3");
        assertThat(index.get("replacement_state").getAsString()).isEqualTo("BUILDING 42%");
        assertThat(DescribeCommand.text(second, "ACTIVE", SchemesText.NONE, Optional.of(change))
                        .lines())
                .contains("index         by_origin", "index table   " + TABLE + ".by_origin.2")
                .anyMatch(line -> line.startsWith("replaced by   ")
                        && line.endsWith(" in " + TABLE + ".by_origin.3, BUILDING 42%"));
    }

    /** Every write maintains them, too. */
    @Test
    void namesTheGenerationsForWhichWritesWait() {
        IndexDefinition second = IndexDefinition.builder(TABLE, "by_origin")
                .column("f", "day", ColumnTypes.STRING)
                .build()
                .asShadowOf(INDEX);
        BuildStatus build = new BuildStatus(
                10,
                9,
                0,
                3,
                7,
                false,
                OptionalDouble.empty(),
                Optional.empty(),
                Optional.of("a value is too long"),
                Optional.empty());
        IndexStatus changing = with(
                INDEX,
                Map.of(
                        "by_origin",
                        new ColumnsChangeStatus(second, Optional.of(IndexState.BROKEN), Optional.of(build))));
        String lag = "  STALLED: lacks 5 rows and 1 files, oldest 1,000.0 ms";
        assertThat(StatusText.lines(changing).lines())
                .contains("  index      by_origin.2  sync-full      BROKEN 42%" + lag)
                .anyMatch(line -> line.contains(
                        "is to replace by_origin; every write maintains it. Its build has failed: a value is"
                                + " too long. Remove the cause, or end the change: alter-index flights by_origin"
                                + " --cancel"));
        JsonObject named = JsonParser.parseString(StatusText.json(changing))
                .getAsJsonObject()
                .getAsJsonArray("indexes")
                .get(1)
                .getAsJsonObject();
        assertThat(named.get("index").getAsString()).isEqualTo("by_origin.2");
        assertThat(named.get("behind_rows").getAsLong()).isEqualTo(5);
        IndexDefinition third = second.asShadowOf(second.withRole(IndexRole.IN_SERVICE));
        assertThat(StatusText.lines(with(third.withRole(IndexRole.IN_SERVICE), Map.of()))
                        .lines())
                .contains("  index      by_origin.2  -              -" + lag)
                .anyMatch(line -> line.contains("is what by_origin was before its columns were changed")
                        && line.endsWith("alter-index flights by_origin --remove-former"));
    }

    /** Returns the status of a table with one index, whose generation {@code by_origin.2} is behind. */
    private static IndexStatus with(IndexDefinition index, Map<String, ColumnsChangeStatus> changes) {
        RegionStatus region = new RegionStatus(
                "region",
                "server",
                7,
                700,
                2,
                Duration.ofMillis(1_500),
                100,
                1,
                Staleness.NONE,
                11,
                12,
                13,
                14,
                Optional.empty(),
                Map.of("by_origin.2", new IndexLag(5, 1, Duration.ofSeconds(1), true)));
        return new IndexStatus(
                TABLE,
                List.of(index),
                List.of(),
                Map.of(index.name(), IndexState.ACTIVE),
                List.of(region),
                Map.of(),
                Map.of(),
                changes);
    }

    @Test
    void showsWhatTheClientDoesNotUnderstandOfAnIndex() {
        IndexStatus later = new IndexStatus(
                TABLE,
                List.of(INDEX),
                List.of(),
                Map.of("by_origin", IndexState.ACTIVE),
                List.of(),
                Map.of(),
                Map.of("by_origin", "of a later build"));
        assertThat(StatusText.lines(later).lines())
                .containsSequence("  index      by_origin  sync-full      ACTIVE", "             of a later build");
        JsonObject index = JsonParser.parseString(StatusText.json(later))
                .getAsJsonObject()
                .getAsJsonArray("indexes")
                .get(0)
                .getAsJsonObject();
        assertThat(index.get("state").getAsString()).isEqualTo("ACTIVE");
        assertThat(index.get("problem").getAsString()).isEqualTo("of a later build");
    }

    @Test
    void showsTheCostOfMaintenance() {
        assertThat(StatusText.lines(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE))))
                .contains("base reads 11, not needed 12, index puts 13, index deletes 14");
        JsonObject json = JsonParser.parseString(
                        StatusText.json(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE))))
                .getAsJsonObject();
        assertThat(json.get("base_reads").getAsLong()).isEqualTo(11);
        assertThat(json.get("row_memory_hits").getAsLong()).isEqualTo(12);
    }

    @Test
    void theTextCountsTheSameRows() {
        assertThat(StatusText.lines(status(Map.of("by_origin", IndexState.BUILDING, "by_day", IndexState.ACTIVE))))
                .contains("by_origin", "STALLED: lacks 5 rows and 1 files", "AUQ        7 rows, 700 bytes, 2 files");
    }

    @Test
    void showsThatTheDropOfAnIndexHasBegunThatTheClientCannotLoad() {
        Map<String, IndexState> dropping = Map.of("by_day", IndexState.DROPPING);
        assertThat(StatusText.lines(status(dropping)).lines())
                .anyMatch(line -> line.startsWith("  index      by_day     async-simple   DROPPING"))
                .anyMatch(
                        line -> line.contains("the class is missing; unless a drop-index is running, drop that index"))
                .noneMatch(line -> line.contains("put the class"));
        JsonObject json =
                JsonParser.parseString(StatusText.json(status(dropping))).getAsJsonObject();
        assertThat(json.getAsJsonArray("indexes")
                        .get(1)
                        .getAsJsonObject()
                        .get("state")
                        .getAsString())
                .isEqualTo("DROPPING");
    }

    @Test
    void anIndexWhoseDropHasBegunIsNeitherActiveNorBuilding() {
        Map<String, IndexState> dropping = Map.of("by_origin", IndexState.DROPPING);
        assertThat(StatusText.lines(status(dropping))).contains("DROPPING").doesNotContain("BUILDING");
        JsonObject json =
                JsonParser.parseString(StatusText.json(status(dropping))).getAsJsonObject();
        assertThat(json.getAsJsonArray("indexes")
                        .get(0)
                        .getAsJsonObject()
                        .get("state")
                        .getAsString())
                .isEqualTo("DROPPING");
    }
}
