package org.diffindex.cli;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.client.ColumnsChangeStatus;
import org.diffindex.client.IndexLag;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;

/** Formats the status of one table for {@code diffindex status}. */
final class StatusText {
    private StatusText() {}

    /** Returns the state of an index, for people and machines; empty if the caller may not see it. */
    static String state(Optional<IndexState> state) {
        return state.map(IndexState::name).orElse("UNKNOWN");
    }

    private static String state(IndexStatus status, String index) {
        return state(Optional.ofNullable(status.states().get(index)));
    }

    private static UnloadedText shown(IndexStatus status, UnloadedIndex index) {
        return UnloadedText.of(index, Optional.ofNullable(status.states().get(index.name())));
    }

    /** Returns lines for people, without the last line end. */
    static String lines(IndexStatus status) {
        StringBuilder text = new StringBuilder("table " + status.table());
        if (status.indexes().isEmpty() && status.unloaded().isEmpty()) {
            return text.append("  has no index").toString();
        }
        appendIndexes(status, text);
        text.append("%n  AUQ        %,d rows, %,d bytes, %,d files on disk, oldest %s ms; delivered %,d, retries %,d"
                .formatted(
                        status.queued(),
                        status.queuedBytes(),
                        status.spilledFiles(),
                        millis(status.oldestAge()),
                        status.delivered(),
                        status.retries()));
        text.append("%n  staleness  p50 %s ms, p99 %s ms, of %,d updates"
                .formatted(
                        millis(status.staleness().p50()),
                        millis(status.staleness().p99()),
                        status.staleness().count()));
        text.append("%n  work       base reads %,d, not needed %,d, index puts %,d, index deletes %,d"
                .formatted(status.baseReads(), status.rowMemoryHits(), status.indexPuts(), status.indexDeletes()));
        for (RegionStatus region : status.regions()) {
            region.problem()
                    .ifPresent(problem -> text.append(
                            "%n  problem    region %s refuses writes: %s".formatted(region.region(), problem)));
        }
        return text.toString();
    }

    private static void appendIndexes(IndexStatus status, StringBuilder text) {
        List<OtherGeneration> others = OtherGeneration.toBeNamed(status);
        int width = Stream.of(
                        status.indexes().stream().map(IndexDefinition::logicalName),
                        status.unloaded().stream().map(UnloadedIndex::logicalName),
                        others.stream().map(OtherGeneration::name))
                .flatMap(names -> names)
                .mapToInt(String::length)
                .max()
                .orElse(0);
        String line = "%n  index      %-" + width + "s  %-13s  %s%s";
        for (IndexDefinition index : status.indexes()) {
            SchemesText schemes = SchemesText.of(status, index.name());
            String state =
                    state(status, index.name()) + schemes.changing() + ColumnsText.replaced(changeOf(status, index));
            text.append(line.formatted(index.logicalName(), index.scheme(), state, lag(status, index.name())));
            schemes.problem().ifPresent(why -> text.append("%n             %s".formatted(why)));
        }
        for (OtherGeneration other : others) {
            String scheme = other.scheme().map(IndexScheme::schemeName).orElse("-");
            text.append(line.formatted(other.name(), scheme, other.state(), lag(status, other.name())));
            text.append("%n             %s".formatted(other.meaning()));
        }
        for (UnloadedIndex index : status.unloaded()) {
            String scheme = index.scheme().map(IndexScheme::schemeName).orElse("-");
            UnloadedText shown = shown(status, index);
            text.append(line.formatted(index.logicalName(), scheme, shown.stateName(), lag(status, index.name())));
            text.append("%n             %s".formatted(shown.reason()));
        }
    }

    private static Optional<ColumnsChangeStatus> changeOf(IndexStatus status, IndexDefinition index) {
        return Optional.ofNullable(status.columnsChanges().get(index.logicalName()));
    }

    private static String lag(IndexStatus status, String index) {
        IndexLag lag = status.behind().get(index);
        return lag == null
                ? ""
                : "  %s: lacks %,d rows and %,d files, oldest %s ms"
                        .formatted(
                                lag.isStalled() ? "STALLED" : "behind",
                                lag.queued(),
                                lag.spilledFiles(),
                                millis(lag.oldestAge()));
    }

    /** Returns a JSON object; times in milliseconds. */
    static String json(IndexStatus status) {
        JsonObject object = new JsonObject();
        object.addProperty("table", status.table().getNameAsString());
        object.add("indexes", indexes(status));
        object.addProperty("regions", status.regions().size());
        object.addProperty("auq_rows", status.queued());
        object.addProperty("auq_bytes", status.queuedBytes());
        object.addProperty("auq_files", status.spilledFiles());
        object.addProperty("oldest_age_ms", status.oldestAge().toMillis());
        object.addProperty("delivered", status.delivered());
        object.addProperty("retries", status.retries());
        object.addProperty("staleness_p50_ms", toMillis(status.staleness().p50()));
        object.addProperty("staleness_p99_ms", toMillis(status.staleness().p99()));
        object.addProperty("staleness_count", status.staleness().count());
        object.addProperty("base_reads", status.baseReads());
        object.addProperty("row_memory_hits", status.rowMemoryHits());
        object.addProperty("index_puts", status.indexPuts());
        object.addProperty("index_deletes", status.indexDeletes());
        JsonArray problems = new JsonArray();
        status.regions().forEach(region -> region.problem().ifPresent(problems::add));
        object.add("problems", problems);
        return object.toString();
    }

    /** Returns, as a JSON object, why the status could not be read. */
    static String failureJson(String reason) {
        JsonObject object = new JsonObject();
        object.addProperty("error", reason);
        return object.toString();
    }

    private static JsonArray indexes(IndexStatus status) {
        JsonArray indexes = new JsonArray();
        for (IndexDefinition index : status.indexes()) {
            JsonObject object = new JsonObject();
            object.addProperty("index", index.logicalName());
            object.addProperty("scheme", index.scheme().schemeName());
            object.addProperty("state", state(status, index.name()));
            SchemesText.of(status, index.name()).addTo(object);
            ColumnsText.addTo(object, changeOf(status, index));
            addLag(status, index.name(), object);
            indexes.add(object);
        }
        for (OtherGeneration other : OtherGeneration.toBeNamed(status)) {
            JsonObject object = new JsonObject();
            object.addProperty("index", other.name());
            other.scheme().ifPresent(scheme -> object.addProperty("scheme", scheme.schemeName()));
            object.addProperty("state", other.state());
            object.addProperty("problem", other.meaning());
            addLag(status, other.name(), object);
            indexes.add(object);
        }
        for (UnloadedIndex index : status.unloaded()) {
            JsonObject object = new JsonObject();
            object.addProperty("index", index.logicalName());
            object.addProperty("state", shown(status, index).stateName());
            object.addProperty("problem", index.problem());
            addLag(status, index.name(), object);
            indexes.add(object);
        }
        return indexes;
    }

    private static void addLag(IndexStatus status, String index, JsonObject object) {
        IndexLag lag = status.behind().get(index);
        object.addProperty("behind_rows", lag == null ? 0 : lag.queued());
        object.addProperty("behind_files", lag == null ? 0 : lag.spilledFiles());
        object.addProperty("stalled", lag != null && lag.isStalled());
    }

    private static String millis(Duration duration) {
        return "%,.1f".formatted(toMillis(duration));
    }

    private static double toMillis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
