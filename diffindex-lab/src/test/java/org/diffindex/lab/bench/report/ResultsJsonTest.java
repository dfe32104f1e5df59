package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.FULL;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.Test;

/** Tests the format that docs/benchmarks.md describes and other tools read. */
class ResultsJsonTest {
    private static JsonObject json(ExperimentResult... results) {
        BenchReport report = new BenchReport(Map.of("cores", "2"), Results.options(40_000), 61.6, List.of(results));
        return JsonParser.parseString(ResultsJson.of(report)).getAsJsonObject();
    }

    private static JsonObject first(JsonObject json, String array) {
        return json.getAsJsonArray(array).get(0).getAsJsonObject();
    }

    @Test
    void theDocumentHasTheDocumentedParts() {
        JsonObject json = json();
        assertThat(json.keySet()).containsExactly("machine", "options", "seconds", "goals", "experiments");
        assertThat(json.get("seconds").getAsLong()).isEqualTo(62);
        assertThat(json.getAsJsonObject("machine").get("cores").getAsString()).isEqualTo("2");
    }

    @Test
    void theOptionsAreThoseOfTheRun() {
        JsonObject options = json().getAsJsonObject("options");
        assertThat(options.keySet())
                .containsExactly(
                        "quick",
                        "rows",
                        "scan_rows",
                        "threads",
                        "rates",
                        "seconds",
                        "rounds",
                        "experiments",
                        "schemes",
                        "settings",
                        "seed");
        assertThat(options.get("quick").getAsBoolean()).isTrue();
        assertThat(options.get("rows").getAsInt()).isEqualTo(40_000);
        assertThat(options.getAsJsonArray("threads").toString()).isEqualTo("[\"1\",\"8\"]");
        assertThat(options.getAsJsonArray("rates")).isEmpty();
        assertThat(options.getAsJsonArray("schemes").toString())
                .isEqualTo("[\"sync-full\",\"sync-insert\",\"async-simple\",\"async-session\"]");
    }

    @Test
    void aCellHasItsRoundsAndTheirSummary() {
        CellResult cell = new CellResult(
                new BenchCell(FULL, "8 clients", 8),
                List.of(
                        Measurement.empty().with("p50_us", 1.00004).with("rows", 7),
                        Measurement.empty().with("p50_us", 3)));
        JsonObject json = first(first(json(Results.result("update", cell)), "experiments"), "cells");
        assertThat(json.keySet()).containsExactly("scheme", "load", "amount", "median", "lowest", "highest", "rounds");
        assertThat(json.get("scheme").getAsString()).isEqualTo("sync-full");
        assertThat(json.get("load").getAsString()).isEqualTo("8 clients");
        assertThat(json.get("amount").getAsDouble()).isEqualTo(8);
        assertThat(json.get("median").toString()).isEqualTo("{\"p50_us\":2.0,\"rows\":7.0}");
        assertThat(json.get("lowest").toString()).isEqualTo("{\"p50_us\":1.0,\"rows\":7.0}");
        assertThat(json.get("highest").toString()).isEqualTo("{\"p50_us\":3.0,\"rows\":7.0}");
        assertThat(json.get("rounds").toString()).isEqualTo("[{\"p50_us\":1.0,\"rows\":7.0},{\"p50_us\":3.0}]");
    }

    @Test
    void theValuesHaveTheDocumentedNames() {
        assertThat(List.of(
                        Measurement.P50,
                        Measurement.P95,
                        Measurement.P99,
                        Measurement.P999,
                        Measurement.MAX,
                        Measurement.OPERATIONS,
                        Measurement.PER_SECOND,
                        Measurement.TARGET,
                        Measurement.NOT_STARTED,
                        Measurement.DRAIN,
                        Measurement.CLIENT_CPU,
                        Measurement.SERVER_CPU,
                        Measurement.ROW_MEMORY_HIT_SHARE))
                .containsExactly(
                        "p50_us",
                        "p95_us",
                        "p99_us",
                        "p999_us",
                        "max_us",
                        "operations",
                        "per_second",
                        "target_per_second",
                        "not_started",
                        "drain_s",
                        "client_cpu_us",
                        "server_cpu_us",
                        "row_memory_hit_share")
                .allSatisfy(name -> assertThat(Path.of("..", "docs", "benchmarks.md"))
                        .content()
                        .contains("`" + name + "`"));
    }

    @Test
    void anExperimentHasAFailureOnlyIfItFailed() {
        ExperimentResult failed =
                new ExperimentResult(Results.experiment("scan").description(), List.of(), Optional.of("no server"));
        assertThat(first(json(failed), "experiments").toString())
                .isEqualTo("{\"name\":\"scan\",\"source\":\"section 8.2 of the paper\",\"failure\":\"no server\","
                        + "\"cells\":[]}");
        assertThat(first(json(Results.result("scan")), "experiments").keySet())
                .containsExactly("name", "source", "cells");
    }

    @Test
    void aGoalHasItsFigureItsVerdictAndItsNote() {
        ExperimentResult update = Results.result(
                "update",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100),
                Results.cell(Results.INSERT, 1, "p50_us", 120, 130, 150));
        JsonObject goal = first(json(update), "goals");
        assertThat(goal.keySet()).containsExactly("figure", "measured", "lowest", "highest", "goal", "met", "note");
        assertThat(goal.get("figure").getAsString()).isEqualTo("put p50, 1 client, sync-insert / no index");
        assertThat(goal.get("measured").getAsDouble()).isEqualTo(1.3);
        assertThat(goal.get("lowest").getAsDouble()).isEqualTo(1.2);
        assertThat(goal.get("highest").getAsDouble()).isEqualTo(1.5);
        assertThat(goal.get("met").isJsonNull()).isTrue();
        assertThat(first(json(), "goals").keySet()).containsExactly("figure", "measured", "goal", "met");
    }
}
