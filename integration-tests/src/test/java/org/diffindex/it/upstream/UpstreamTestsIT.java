package org.diffindex.it.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.diffindex.cluster.ClassPath;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * HBase's own client tests, with indexes on every table that they create, and a comparison of indexes and tables at the
 * end of each: HBase's promises to its clients hold on indexed tables too, except for the tests that {@link ByDesign}
 * lists.
 *
 * <p>By default the classes that take long are left out, and each table has the next scheme. System properties change
 * that: {@code diffindex.upstream.classes} is {@code all}, or a list of names without packages; {@code
 * diffindex.upstream.scheme} is a list of schemes, one run for each, {@code none} for tables without indexes; {@code
 * diffindex.upstream.methods} is a regular expression.
 */
@Tag("proof")
@Order(1)
class UpstreamTestsIT {
    private static final String CLASSES = "diffindex.upstream.classes";
    private static final long MINUTES_PER_CLASS = 6;

    @ParameterizedTest
    @MethodSource("schemes")
    void passOnIndexedTables(String scheme) throws IOException, InterruptedException {
        List<HBaseTestClass> classes = selected();
        List<Outcome> outcomes = run(scheme, classes);
        System.out.println(summary(scheme, outcomes));
        Set<String> bad =
                outcomes.stream().filter(Outcome::isBad).map(Outcome::test).collect(Collectors.toSet());
        assertThat(outcomes)
                .as("tests that fail on indexed tables without a listed reason")
                .noneMatch(outcome -> outcome.isBad() && !ByDesign.REASONS.containsKey(outcome.test()));
        assertThat(outcomes)
                .as("tests that are listed as failing on indexed tables, but pass")
                .noneMatch(outcome -> ByDesign.REASONS.containsKey(outcome.test()) && !bad.contains(outcome.test()));
        for (HBaseTestClass each : classes) {
            assertThat(outcomes)
                    .as("tests of %s after which an index with entries was compared", each.name())
                    .anyMatch(outcome -> outcome.testClass().equals(each.simpleName()) && outcome.entries() > 0);
        }
    }

    static List<String> schemes() {
        return List.of(
                System.getProperty(HBaseTestRun.SCHEME, HBaseTestRun.IN_TURN).split(",", -1));
    }

    private static List<HBaseTestClass> selected() {
        String names = System.getProperty(CLASSES, "quick");
        return switch (names) {
            case "all" -> HBaseTestClass.ALL;
            case "quick" ->
                HBaseTestClass.ALL.stream().filter(HBaseTestClass::isQuick).toList();
            default ->
                Stream.of(names.split(",", -1)).map(HBaseTestClass::named).toList();
        };
    }

    /** Runs the classes in a JVM of their own, in a folder that is kept, with its log. */
    private static List<Outcome> run(String scheme, List<HBaseTestClass> classes)
            throws IOException, InterruptedException {
        Path dir = Path.of("target", "upstream", scheme).toAbsolutePath();
        FileUtils.deleteDirectory(dir.toFile());
        Files.createDirectories(dir);
        Path outcomes = dir.resolve("outcomes");
        Process process = new ProcessBuilder(command(scheme, outcomes, classes))
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        try {
            long minutes = MINUTES_PER_CLASS * classes.size();
            assertThat(process.waitFor(minutes, TimeUnit.MINUTES))
                    .as("ended within %s minutes", minutes)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as("the exit of the run whose log is in %s", dir)
                .isZero();
        return Files.readAllLines(outcomes).stream().map(Outcome::parse).toList();
    }

    private static List<String> command(String scheme, Path outcomes, List<HBaseTestClass> classes) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-XX:TieredStopAtLevel"))
                .forEach(command::add);
        command.add("-Xmx2g");
        command.add("-D" + HBaseTestRun.SCHEME + "=" + scheme);
        command.add("-D" + HBaseTestRun.METHODS + "=" + System.getProperty(HBaseTestRun.METHODS, ".*"));
        command.add("-cp");
        command.add(settings() + File.pathSeparator + ClassPath.current());
        command.add(HBaseTestRun.class.getName());
        command.add(outcomes.toString());
        classes.stream().map(HBaseTestClass::simpleName).forEach(command::add);
        return command;
    }

    /** Returns the folder with the {@code hbase-site.xml} of these tests, which no other tests may find. */
    private static Path settings() {
        String site =
                UpstreamTestsIT.class.getResource("/upstream/hbase-site.xml").getPath();
        return Path.of(site).getParent();
    }

    private static String summary(String scheme, List<Outcome> outcomes) {
        Map<String, List<Outcome>> classes =
                outcomes.stream().collect(Collectors.groupingBy(Outcome::testClass, TreeMap::new, Collectors.toList()));
        StringBuilder text = new StringBuilder();
        classes.forEach((name, tests) -> text.append(String.format(
                "%s %s: %d tests in %d s, %d comparisons of indexes with %d entries%n",
                scheme,
                name,
                tests.size(),
                tests.stream().mapToLong(Outcome::millis).sum() / 1_000,
                tests.stream().mapToInt(Outcome::comparisons).sum(),
                tests.stream().mapToLong(Outcome::entries).sum())));
        return text.toString();
    }
}
