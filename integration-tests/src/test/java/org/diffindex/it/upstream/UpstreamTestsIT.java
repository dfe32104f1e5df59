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
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
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
 * lists. {@link RunJudge} says what a run must fulfil.
 *
 * <p>By default the classes that take long are left out, and each table has the next scheme. System properties change
 * that: {@code diffindex.upstream.classes} is {@code all}, or a list of names without packages; {@code
 * diffindex.upstream.scheme} is a list of schemes, one run for each, {@code every} for a run in which each table has
 * indexes of all schemes, {@code none} for one without indexes; {@code diffindex.upstream.methods} is a regular
 * expression.
 */
@Tag("proof")
@Tag("turn-1")
@Order(1)
class UpstreamTestsIT {
    private static final String CLASSES = "diffindex.upstream.classes";
    private static final String OUTCOMES = "outcomes";
    private static final long MINUTES_PER_CLASS = 6;

    @ParameterizedTest
    @MethodSource("schemes")
    void passOnIndexedTables(String scheme) throws IOException, InterruptedException {
        List<HBaseTestClass> classes = selected();
        List<Outcome> outcomes = run(scheme, classes);
        System.out.println(RunJudge.summary(scheme, outcomes));
        assertThat(RunJudge.problems(scheme, classes, outcomes)).isEmpty();
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

    /** Runs the classes in a folder that is kept, with a log. */
    private static List<Outcome> run(String scheme, List<HBaseTestClass> classes)
            throws IOException, InterruptedException {
        Path dir = Path.of("target", "upstream", scheme).toAbsolutePath();
        FileUtils.deleteDirectory(dir.toFile());
        Files.createDirectories(dir);
        long endNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES_PER_CLASS * classes.size());
        for (List<HBaseTestClass> together : byProcess(classes)) {
            run(scheme, together, dir, endNanos);
        }
        return Files.readAllLines(dir.resolve(OUTCOMES)).stream()
                .map(Outcome::parse)
                .toList();
    }

    /** Returns which classes run in one JVM: the quick ones. The others may expect that no class has run before them. */
    private static List<List<HBaseTestClass>> byProcess(List<HBaseTestClass> classes) {
        Map<Boolean, List<HBaseTestClass>> quick =
                classes.stream().collect(Collectors.partitioningBy(HBaseTestClass::isQuick));
        return Stream.concat(
                        Stream.of(quick.get(true)).filter(Predicate.not(List::isEmpty)),
                        quick.get(false).stream().map(List::of))
                .toList();
    }

    private static void run(String scheme, List<HBaseTestClass> classes, Path dir, long endNanos)
            throws IOException, InterruptedException {
        List<String> names = classes.stream().map(HBaseTestClass::simpleName).toList();
        Process process = new ProcessBuilder(command(scheme, dir.resolve(OUTCOMES), names))
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile()))
                .start();
        try {
            assertThat(process.waitFor(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS))
                    .as("whether %s ended in time, which is %s minutes for each class", names, MINUTES_PER_CLASS)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as("the exit code of %s, whose log is in %s", names, dir)
                .isZero();
    }

    private static List<String> command(String scheme, Path outcomes, List<String> classes) throws IOException {
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
        command.addAll(classes);
        return command;
    }

    /** Returns the folder with the {@code hbase-site.xml} of these tests, which no other tests may find. */
    private static Path settings() {
        String site =
                UpstreamTestsIT.class.getResource("/upstream/hbase-site.xml").getPath();
        return Path.of(site).getParent();
    }
}
