package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the output of a run for people and for tools. */
class ChaosReportTest {
    private static final IndexScheme SCHEME = IndexScheme.SYNC_INSERT;

    @TempDir
    Path dir;

    private final Tally tally = new Tally();
    private final Violations violations = new Violations(violation -> {});
    private final List<FaultEvent> faults = new ArrayList<>();
    private final List<Abort> aborts = new ArrayList<>();
    private final List<ScrubReport> comparisons = new ArrayList<>();

    @BeforeEach
    void aCleanRun() {
        for (int i = 0; i < 1_234; i++) {
            tally.write("put", Outcome.OK);
        }
        tally.write("delete", Outcome.UNKNOWN);
        tally.reads.add(50);
        tally.hits.add(70);
        tally.must.add(60);
        tally.moved.add(2);
        tally.builds.add(3);
        tally.schemeChanges.add(4);
        faults.add(fault("flush", FaultEvent.Result.DONE));
        faults.add(fault("split-base", FaultEvent.Result.DONE));
        faults.add(fault("split-base", FaultEvent.Result.SKIPPED));
        for (IndexDefinition index : new ChaosTable(SCHEME).definitions()) {
            comparisons.add(comparison(index, Map.of(Difference.STALE, 3L)));
        }
    }

    private static FaultEvent fault(String kind, FaultEvent.Result result) {
        return new FaultEvent(kind, "t", 0, 1_500_000_000L, 0, 1, result, "");
    }

    private static ScrubReport comparison(IndexDefinition index, Map<Difference, Long> found) {
        return new ScrubReport(index, 1_000, 1_003, found, Map.of(), 0, List.of(), Duration.ZERO);
    }

    private ChaosReport report() {
        ChaosOptions options = new ChaosOptions(
                dir,
                Duration.ofMinutes(7),
                List.of(SCHEME),
                8,
                List.of(FaultKind.values()),
                1,
                1,
                1,
                1,
                1,
                3,
                false,
                false);
        return new ChaosReport(new ChaosResult(
                options, Map.of(SCHEME, tally), faults, violations, aborts, List.of(), comparisons, 900, 4, 1));
    }

    private List<String> printed() {
        StringWriter out = new StringWriter();
        report().print(new PrintWriter(out));
        return out.toString()
                .lines()
                .map(line -> line.trim().replaceAll(" +", " "))
                .toList();
    }

    private JsonObject json() throws IOException {
        Path file = dir.resolve("chaos.json");
        report().write(file);
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    @Test
    void reportsACleanRunAtTheEnd() throws IOException {
        assertThat(printed().get(printed().size() - 1)).isEqualTo("All as promised.");
        assertThat(json().get("clean").getAsBoolean()).isTrue();
    }

    @Test
    void countsFaultsByKindAndResult() throws IOException {
        assertThat(printed()).contains("FAULT DONE SKIPPED FAILED", "flush 1 0 0", "split-base 1 1 0");
        JsonObject split = json().getAsJsonObject("faults").getAsJsonObject("split-base");
        assertThat(split.toString()).isEqualTo("{\"DONE\":1,\"SKIPPED\":1,\"FAILED\":0}");
        assertThat(json().getAsJsonObject("faults").getAsJsonArray("events")).hasSize(3);
    }

    @Test
    void reportsTheClientsOfAScheme() throws IOException {
        assertThat(printed()).contains("sync-insert 1,234 0 0 0 1 0 50 0 0 70 60 2 0 3 4");
        JsonObject scheme = json().getAsJsonArray("schemes").get(0).getAsJsonObject();
        assertThat(scheme.get("scheme").getAsString()).isEqualTo("sync-insert");
        assertThat(scheme.get("writes_OK").getAsLong()).isEqualTo(1_234);
        assertThat(scheme.get("writes_UNKNOWN").getAsLong()).isEqualTo(1);
        assertThat(scheme.get("reads").getAsLong()).isEqualTo(50);
        assertThat(scheme.get("must").getAsLong()).isEqualTo(60);
        assertThat(scheme.get("moved").getAsLong()).isEqualTo(2);
        assertThat(scheme.keySet()).contains("writes_LATE", "writes_DELAYED", "writes_REFUSED", "failed_drains");
    }

    /** Stale entries are no fault under sync-insert. */
    @Test
    void staleEntriesThatTheSchemeLeavesAreNotFaults() throws IOException {
        String index = comparisons.get(0).index().indexTable().toString();
        assertThat(printed()).contains(index + " 1,000 1,003 0 0 3");
        JsonObject first = json().getAsJsonArray("indexes").get(0).getAsJsonObject();
        assertThat(first.get("faults").getAsLong()).isZero();
        assertThat(first.get(Difference.STALE.label()).getAsLong()).isEqualTo(3);

        comparisons.set(0, comparison(comparisons.get(0).index(), Map.of(Difference.MISSING, 2L)));
        assertThat(printed()).contains(index + " 1,000 1,003 2 2 0");
    }

    @Test
    void aRunWithAViolationIsNotClean() throws IOException {
        violations.add(new Violation(Kind.LOST, SCHEME, "r1", "v001", 2_000_000_000L, "not found"));
        violations.add(new Violation(Kind.LOST, SCHEME, "r2", "v001", 2_000_000_000L, "not found"));
        assertThat(printed())
                .contains("2 violations of kind lost")
                .endsWith("NOT AS PROMISED.")
                .noneMatch(line -> line.contains("of kind stale"));
        assertThat(json().get("clean").getAsBoolean()).isFalse();
        assertThat(json().get("violations").getAsInt()).isEqualTo(2);
        assertThat(json().getAsJsonArray("first_violations").get(0).getAsString())
                .startsWith("lost: sync-insert row r1 value v001 at 2.000s")
                .contains("not found");
    }

    @Test
    void aRunWithAnUnexplainedAbortIsNotClean() throws IOException {
        aborts.add(new Abort("rs1", "10:00", "Unrecoverable", ""));
        assertThat(printed())
                .contains("Abort: rs1 at 10:00: Unrecoverable [NOT EXPLAINED]")
                .anyMatch(line -> line.startsWith("UNEXPLAINED "))
                .endsWith("NOT AS PROMISED.");
        assertThat(json().getAsJsonArray("unexplained")).hasSize(1);
        assertThat(json().getAsJsonArray("aborts")).hasSize(1);
    }

    @Test
    void theRunIsRepeatableFromTheReport() throws IOException {
        JsonObject json = json();
        assertThat(json.get("seed").getAsLong()).isEqualTo(8);
        assertThat(json.get("minutes").getAsLong()).isEqualTo(7);
        assertThat(json.get("call_queues").getAsString()).isEqualTo("split");
        assertThat(json.get("checkpoints").getAsInt()).isEqualTo(4);
        assertThat(json.get("checkpoints_not_possible").getAsInt()).isEqualTo(1);
        assertThat(json.get("base_rows_compared").getAsLong()).isEqualTo(900);
    }
}
