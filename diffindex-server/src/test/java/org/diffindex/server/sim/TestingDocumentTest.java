package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that docs/testing.md names only tests that exist, and every defect of the simulation. */
class TestingDocumentTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern DEFECTS = Pattern.compile("Defects? (`[A-Z_]+`(?:, `[A-Z_]+`)*)");
    private static final Pattern CONSTANT = Pattern.compile("[A-Z_]+");

    /** {@code `SomeTest`}, {@code `SomeTest.method`} or {@code `SomeTest.beginningOfAMethod...`}. */
    private static final Pattern TEST =
            Pattern.compile("`(?<name>[A-Z][a-z]\\w*(?:Test|IT))(?:\\.(?<method>\\w+)(?<rest>\\.{3})?)?`");

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

        assertThat(TEST.matcher(document).results().map(MatchResult::group).distinct())
                .hasSizeGreaterThan(100)
                .allMatch(test -> exists(test, sources));
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.find(CHECKOUT, Integer.MAX_VALUE, (file, attributes) -> file.toString()
                .matches(".*/src/test/java/.*\\.java"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }

    private static boolean exists(String test, Map<String, String> sources) {
        Matcher parts = TEST.matcher(test);
        if (!parts.matches() || !sources.containsKey(parts.group("name"))) {
            return false;
        }
        String method = parts.group("method");
        return method == null
                || sources.get(parts.group("name"))
                        .contains("void " + method + (parts.group("rest") == null ? "(" : ""));
    }
}
