package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.metrics2.MetricsSource;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.metrics.Scrape;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the alert rules, the dashboard and docs/operations.md name the metrics that the code reports. docker/smoke.sh
 * runs the queries on a Prometheus.
 */
class ObservabilityFilesTest {
    private static final Path DOCS = Path.of("..", "docs").toAbsolutePath().normalize();
    private static final Path ALERTS = DOCS.resolve("observability").resolve("alerts.yml");
    private static final Path DASHBOARD = DOCS.resolve("observability").resolve("dashboard.json");
    private static final Pattern METRIC = Pattern.compile("\\bdiff_index_[a-z_]+");
    private static final Pattern OF_ONE_SCRAPE = Pattern.compile("diff_index_[a-z_]+(\\{[^}]*})?(?![a-z_\\[{])");
    private static final Pattern EXPRESSION = Pattern.compile("(?m)^ +expr: (.*)$");
    private static final Pattern COUNTER_IN_RATE = Pattern.compile("rate\\((diff_index_[a-z_]+)");

    /** Reported metrics, and those among them that only grow. */
    private static final Set<String> REPORTED = new TreeSet<>();

    private static final Set<String> COUNTERS = new HashSet<>();

    /** A server, as the regions that it cannot load see it. */
    private static final RegionCoprocessorEnvironment SERVER = mock(RegionCoprocessorEnvironment.class);

    @TempDir
    static Path folder;

    private static LocalRegion region;
    private static BuildMetrics builds;
    private static UnloadedRegions unloaded;

    @BeforeAll
    static void report() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        region = new LocalRegion(folder, 1, List.of(index));
        builds = new BuildMetrics();
        builds.accept(List.of(BuildMetricsTest.reading(index, 1)));
        when(SERVER.getSharedData()).thenReturn(new ConcurrentHashMap<>());
        unloaded = UnloadedRegions.opened(SERVER);
        String table = ",sub=DiffIndex,table=" + Flights.TABLE;
        add(Scrape.registered("RegionServer" + table).orElseThrow());
        add(Scrape.registered("RegionServer" + table + ",index=" + index.name()).orElseThrow());
        add(Scrape.registered("Master" + table + ",index=" + index.name()).orElseThrow());
        MetricRegistries.global()
                .get(ServerMetrics.REGISTRY)
                .orElseThrow()
                .getMetrics()
                .keySet()
                .forEach(name -> REPORTED.add(Scrape.prometheusName(ServerMetrics.REGISTRY.getMetricsName(), name)));
    }

    private static void add(MetricsSource source) {
        Scrape.of(source).keySet().forEach(series -> REPORTED.add(series.substring(0, series.indexOf('{'))));
        COUNTERS.addAll(Scrape.counters(source));
    }

    @AfterAll
    static void end() throws IOException {
        unloaded.closed(SERVER);
        builds.close();
        region.close();
    }

    private static List<String> alertExpressions() throws IOException {
        return EXPRESSION
                .matcher(Files.readString(ALERTS))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static List<String> dashboardExpressions() throws IOException {
        List<String> expressions = new ArrayList<>();
        JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        dashboard.findValues("expr").forEach(expression -> expressions.add(expression.asText()));
        dashboard.get("templating").findValues("definition").forEach(query -> expressions.add(query.asText()));
        return expressions;
    }

    private static Set<String> metricsIn(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void alertsAskForMetricsThatAreReported() throws IOException {
        assertThat(alertExpressions()).hasSizeGreaterThan(8);
        for (String expression : alertExpressions()) {
            assertThat(REPORTED).as(expression).containsAll(metricsIn(expression));
        }
    }

    /** HBase reports no metrics for half a second when regions come or go; an alert that waits would wait anew. */
    @Test
    void noAlertGoesByASingleScrape() throws IOException {
        for (String expression : alertExpressions()) {
            assertThat(OF_ONE_SCRAPE.matcher(expression).results().map(MatchResult::group))
                    .as(expression)
                    .isEmpty();
        }
        assertThat("sum(diff_index_x) > 0").containsPattern(OF_ONE_SCRAPE);
    }

    /** docker/smoke.sh runs the tests, with Prometheus' own tool. */
    @Test
    void theTestsOfTheAlertsNameMetricsThatAreReportedAndEachAlertWhoseMetricsMayBeMissing() throws IOException {
        String tests = Files.readString(DOCS.resolve("observability").resolve("alerts-test.yml"));
        assertThat(metricsIn(tests)).isNotEmpty().isSubsetOf(REPORTED);
        for (String alert : Files.readString(ALERTS).split("- alert: ", -1)) {
            if (alert.contains("last_over_time(")) {
                assertThat(tests).contains("alertname=\"" + alert.substring(0, alert.indexOf('\n')) + "\"");
            }
        }
    }

    @Test
    void theDashboardAsksForMetricsThatAreReported() throws IOException {
        assertThat(dashboardExpressions()).hasSizeGreaterThan(30);
        for (String expression : dashboardExpressions()) {
            assertThat(metricsIn(expression)).as(expression).isNotEmpty().isSubsetOf(REPORTED);
        }
    }

    /** The rate of a gauge that falls would be taken for a restart, and the rate of a server's sum is not needed. */
    @Test
    void onlyCountersHaveRates() throws IOException {
        List<String> all = new ArrayList<>(alertExpressions());
        all.addAll(dashboardExpressions());
        Set<String> rates = all.stream()
                .flatMap(expression -> COUNTER_IN_RATE.matcher(expression).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
        assertThat(rates).isNotEmpty().isSubsetOf(COUNTERS);
    }

    @Test
    void eachAlertSaysWhatToDoAndWhereToReadOn() throws IOException {
        String manual = Files.readString(DOCS.resolve("operations.md"));
        List<String> alerts = List.of(Files.readString(ALERTS).split("- alert: ", -1));
        for (String alert : alerts.subList(1, alerts.size())) {
            String section = alert.replaceAll("(?s).*See operations\\.md, ([A-Z][a-z ]+)[.,].*", "$1");
            assertThat(manual).as(alert).contains("\n## " + section + "\n");
            assertThat(alert).contains("summary: ", "description: ", "severity: ");
        }
    }

    @Test
    void theManualExplainsEachMetric() throws IOException {
        String manual = Files.readString(DOCS.resolve("operations.md"));
        for (String prefix : List.of("by_index", "by_table", "build", "")) {
            String heading = "| `diff_index_" + (prefix.isEmpty() ? "" : prefix + "_") + "...` | meaning |";
            assertThat(manual).contains(heading);
            String rest = manual.substring(manual.indexOf(heading));
            String table = rest.substring(0, rest.indexOf("\n\n"));
            for (String metric : REPORTED) {
                String name = metric.substring("diff_index_".length());
                boolean isOfTable = prefix.isEmpty()
                        ? !name.matches("(by_index|by_table|build)_.*")
                        : name.startsWith(prefix + "_");
                if (isOfTable) {
                    String explained = prefix.isEmpty() ? name : name.substring(prefix.length() + 1);
                    assertThat(table.toLowerCase(Locale.ROOT)).contains("`" + explained + "`");
                }
            }
        }
    }
}
