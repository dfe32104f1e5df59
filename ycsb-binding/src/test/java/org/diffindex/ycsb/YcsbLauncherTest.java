package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs YCSB itself, in its own process, with its {@code BasicDB}, which needs no cluster. */
class YcsbLauncherTest {
    private final Collection<String> lines = new ConcurrentLinkedQueue<>();

    private YcsbLauncher withoutCluster(YcsbLauncher launcher) {
        return launcher.property("workload", "site.ycsb.workloads.CoreWorkload")
                .property("db", "site.ycsb.BasicDB")
                .property("basicdb.verbose", "false")
                .jvmArguments(List.of("-Xmx128m"))
                .onOutput(lines::add);
    }

    @Test
    void aRunGivesItsMeasurements() throws Exception {
        YcsbResult result = withoutCluster(YcsbLauncher.run())
                .property("recordcount", "100")
                .property("operationcount", "1000")
                .property("readproportion", "0.5")
                .property("updateproportion", "0.5")
                .threads(3)
                .launch();

        assertThat(result.isSuccess()).isTrue();
        assertThat(result.throughput()).isPositive();
        assertThat(result.operations()).containsOnlyKeys("READ", "UPDATE");
        assertThat(result.operations().get("READ").count()
                        + result.operations().get("UPDATE").count())
                .isEqualTo(1000);
        assertThat(result.operations().get("READ").p50Micros())
                .isLessThanOrEqualTo(result.operations().get("READ").p99Micros());
        assertThat(lines).anyMatch(line -> line.contains("Starting test."));
    }

    @Test
    void aLoadInsertsTheItems() throws Exception {
        YcsbResult result = withoutCluster(YcsbLauncher.load())
                .property("recordcount", "250")
                .launch();
        assertThat(result.operations()).containsOnlyKeys("INSERT");
        assertThat(result.operations().get("INSERT").count()).isEqualTo(250);
    }

    @Test
    void anUnknownDbIsAFailureThoughYcsbExitsWithZero() {
        assertThatThrownBy(() -> withoutCluster(YcsbLauncher.run())
                        .property("recordcount", "1")
                        .property("operationcount", "1")
                        .property("db", "org.example.Missing")
                        .launch())
                .isInstanceOf(YcsbFailedException.class)
                .hasMessageStartingWith("YCSB failed: ")
                .hasMessageContaining("it performed no operation");
    }

    @Test
    void aWrongPropertyIsAFailureThatSaysWhich() {
        assertThatThrownBy(() -> YcsbLauncher.run()
                        .property("operationcount", "10")
                        .property("diffindex.scheme", "sync")
                        .launch())
                .isInstanceOf(YcsbFailedException.class)
                .hasMessageContaining("Property diffindex.scheme must be 'none' or a scheme, not 'sync'");
    }

    @Test
    void aMissingClusterIsAFailure(@TempDir Path folder) {
        assertThatThrownBy(() -> YcsbLauncher.load()
                        .property("recordcount", "10")
                        .property("hbase.conf", folder.toString())
                        .launch())
                .asInstanceOf(type(YcsbFailedException.class))
                .satisfies(e -> assertThat(e.result().isSuccess()).isFalse())
                .satisfies(e -> assertThat(e).hasMessageContaining("no readable hbase-site.xml"));
    }

    @Test
    void aThreadThatCannotConnectIsAFailureThoughTheSummaryIsThere(@TempDir Path folder) {
        assertThatThrownBy(() -> withoutCluster(YcsbLauncher.run())
                        .property("recordcount", "1")
                        .property("operationcount", "10")
                        .property("db", DiffIndexDB.class.getName())
                        .property("hbase.conf", folder.toString())
                        .launch())
                .isInstanceOf(YcsbFailedException.class)
                .hasMessageContaining("site.ycsb.DBException: The connection to HBase could not be opened")
                .hasMessageContaining("it performed no operation");
    }

    @Test
    void aClassPathWithoutYcsbIsAFailure(@TempDir Path folder) {
        assertThatThrownBy(() -> withoutCluster(YcsbLauncher.run())
                        .property("operationcount", "1")
                        .classPath(folder.toString())
                        .launch())
                .isInstanceOf(YcsbFailedException.class)
                .hasMessageContaining("its process ended with exit code 1");
    }

    @Test
    void aRunWithoutAnEndIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> YcsbLauncher.run().launch())
                .withMessageContaining("Set operationcount");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> YcsbLauncher.load().launch())
                .withMessageContaining("Set recordcount");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        YcsbLauncher.run().property("operationcount", "all").launch())
                .withMessage("Property operationcount must be a whole number, not 'all'");
    }

    @Test
    void theOperationsToExpectDependOnThePhase() {
        Properties counts = ItemPropertiesTest.properties("recordcount", "10", "operationcount", "20");
        assertThat(YcsbLauncher.load().properties(counts).expectedOperations()).hasValue(10);
        assertThat(YcsbLauncher.load()
                        .properties(counts)
                        .property("insertcount", "5")
                        .expectedOperations())
                .hasValue(5);
        assertThat(YcsbLauncher.run().properties(counts).expectedOperations()).hasValue(20);
        assertThat(YcsbLauncher.run()
                        .properties(counts)
                        .property("maxexecutiontime", "60")
                        .expectedOperations())
                .isEmpty();
    }

    @Test
    void withATargetLatenciesCountFromTheIntendedStart(@TempDir Path folder) {
        YcsbLauncher open = YcsbLauncher.run().property("target", "100");
        assertThat(open.hasTarget()).isTrue();
        assertThat(open.processProperties(folder)).containsEntry("measurement.interval", "intended");
        YcsbLauncher closed = YcsbLauncher.run();
        assertThat(closed.hasTarget()).isFalse();
        assertThat(closed.processProperties(folder)).doesNotContainKey("measurement.interval");
    }

    @Test
    void aRunWithATargetHasItsOperations() throws Exception {
        YcsbResult result = withoutCluster(YcsbLauncher.run())
                .property("recordcount", "100")
                .property("operationcount", "50")
                .property("readproportion", "1")
                .property("updateproportion", "0")
                .property("target", "1000")
                .launch();
        assertThat(result.operations()).containsOnlyKeys("READ");
        assertThat(result.operations().get("READ").p50Micros()).isPositive();
    }

    @Test
    void propertiesThatTheParserReliesOnCannotBeOverridden(@TempDir Path folder) {
        Properties all = YcsbLauncher.run()
                .property("exporter", "site.ycsb.measurements.exporter.JSONMeasurementsExporter")
                .property("hdrhistogram.percentiles", "99.9")
                .processProperties(folder.resolve("measurements"));
        assertThat(all)
                .containsEntry("exporter", "site.ycsb.measurements.exporter.TextMeasurementsExporter")
                .containsEntry("hdrhistogram.percentiles", "50,95,99");
        assertThat(YcsbLauncher.load().command(folder))
                .contains("-load", "--add-opens=java.base/java.nio=ALL-UNNAMED")
                .doesNotContain("-t");
    }

    /** An error that HBase's client logs while it closes does not belong to the run. */
    @Test
    void logsToStandardErrorByDefault(@TempDir Path folder) {
        String setting = "-Dlog4j2.configurationFile=";
        List<String> command = YcsbLauncher.load()
                .jvmArguments(List.of(setting + "mine.properties"))
                .command(folder);

        assertThat(command.stream().filter(argument -> argument.startsWith(setting)))
                .as("Java uses the last of two settings")
                .containsExactly(setting + "diffindex-ycsb-log4j2.properties", setting + "mine.properties");
        assertThat(getClass().getResource("/diffindex-ycsb-log4j2.properties")).isNotNull();
    }
}
