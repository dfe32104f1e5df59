package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that docs/testing.md names only tests that exist, and every defect of the simulation, and counts the mutants.
 */
class TestingDocumentTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern DEFECTS = Pattern.compile("Defects? (`[A-Z_]+`(?:, `[A-Z_]+`)*)");
    private static final Pattern CONSTANT = Pattern.compile("[A-Z_]+");

    /**
     * {@code `SomeTest`}, {@code `SomeTest.method`} or {@code `SomeTest.beginningOfAMethod...`}, or one of the last two
     * without the name of the class, if that is the last one named before.
     */
    private static final Pattern TEST =
            Pattern.compile("`(?=[A-Z.])(?<name>[A-Z][a-z]\\w*(?:Test|IT))?(?:\\.(?<method>\\w+)(?<rest>\\.{3})?)?`");

    /** The number of mutants of a folder, or of {@code all}. */
    private static final Pattern MUTANTS = Pattern.compile("(?m)^\\| (?:`(?<folder>\\w+)`|all) \\| (?<count>\\d+) \\|");

    /** The tag of a proof that CI does not run each time, and the row of such proofs in the document. */
    private static final Pattern TURN_TAG = Pattern.compile("(?m)^ *@Tag\\(\"(turn-\\w+)\"\\)$");

    private static final Pattern TURN_ROW = Pattern.compile("(?m)^\\| `(turn-\\w+)` \\| (.*) \\|$");

    private final String document;

    TestingDocumentTest() throws IOException {
        document = Files.readString(CHECKOUT.resolve("docs").resolve("testing.md"));
    }

    @Test
    void namesEveryDefectOfTheSimulationAndNoOther() {
        Stream<String> named = DEFECTS.matcher(document)
                .results()
                .flatMap(list -> CONSTANT.matcher(list.group(1)).results())
                .map(MatchResult::group);

        assertThat(named.distinct())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Defect.values()).map(Defect::name).toList());
    }

    @Test
    void namesOnlyTestsThatExist() throws IOException {
        Map<String, String> sources = testSources();
        Set<String> tests = new HashSet<>();
        List<String> missing = new ArrayList<>();
        String name = "";
        for (Matcher test = TEST.matcher(document); test.find(); ) {
            name = test.group("name") == null ? name : test.group("name");
            tests.add(name + "." + test.group("method"));
            if (!exists(name, test.group("method"), test.group("rest") != null, sources)) {
                missing.add(test.group() + " of " + name);
            }
        }

        assertThat(tests).hasSizeGreaterThan(300);
        assertThat(missing).as("tests that do not exist").isEmpty();
    }

    @Test
    void namesTheTurnOfEachProof() throws IOException {
        Map<String, Set<String>> tagged = new HashMap<>();
        testSources()
                .forEach((test, source) -> TURN_TAG.matcher(source).results().forEach(tag -> tagged.computeIfAbsent(
                                tag.group(1), turn -> new HashSet<>())
                        .add(test)));
        Map<String, Set<String>> named = new HashMap<>();
        TURN_ROW.matcher(document)
                .results()
                .forEach(row -> named.put(
                        row.group(1),
                        Pattern.compile("`(\\w+)`")
                                .matcher(row.group(2))
                                .results()
                                .map(test -> test.group(1))
                                .collect(Collectors.toSet())));

        assertThat(named).containsOnlyKeys("turn-1", "turn-2", "turn-3").isEqualTo(tagged);
    }

    @Test
    void countsTheMutantsOfEachFolder() throws IOException {
        Map<String, Long> counted = new HashMap<>();
        for (Matcher line = MUTANTS.matcher(document); line.find(); ) {
            counted.put(Objects.requireNonNullElse(line.group("folder"), "all"), Long.valueOf(line.group("count")));
        }
        Map<String, Long> actual = new HashMap<>();
        try (Stream<Path> files = Files.walk(CHECKOUT.resolve("mutants"))) {
            files.filter(file -> file.toString().endsWith(".mutant"))
                    .map(file -> file.getParent().getFileName().toString())
                    .flatMap(folder -> Stream.of(folder, "all"))
                    .forEach(folder -> actual.merge(folder, 1L, Long::sum));
        }

        assertThat(counted).isEqualTo(actual);
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(CHECKOUT)) {
            for (Path module : modules) {
                Path tests = module.resolve("src").resolve("test").resolve("java");
                if (Files.isDirectory(tests)) { // beside it, files of running processes come and go
                    addSources(tests, sources);
                }
            }
        }
        return sources;
    }

    private static void addSources(Path folder, Map<String, String> sources) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(".java"))::iterator) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
    }

    private static boolean exists(String name, String method, boolean isBeginning, Map<String, String> sources) {
        String source = sources.get(name);
        return source != null && (method == null || source.contains("void " + method + (isBeginning ? "" : "(")));
    }
}
