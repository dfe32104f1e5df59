package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks that every mutant can be planted: that the lines which it replaces occur exactly once, and that {@code
 * bin/mutants}, which reads the files and which no build runs, has the tests which it names.
 */
class MutantFilesTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();
    private static final String TESTS = "tests: ";

    /** The value of a list or set of strings, a constant of {@code bin/mutants}. */
    private static final String CONSTANT = "(?ms)^%s = [\\[{](.*?)[\\]}]";

    private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");

    @TestFactory
    List<DynamicTest> canBePlanted() throws IOException {
        List<String> tests = unitTests();
        try (Stream<Path> files = Files.find(CHECKOUT.resolve("mutants"), 2, (file, attributes) -> file.getFileName()
                .toString()
                .endsWith(".mutant"))) {
            List<DynamicTest> checks = files.sorted()
                    .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file, tests)))
                    .toList();
            assertThat(checks).hasSizeGreaterThan(100);
            return checks;
        }
    }

    @Test
    void namesUnitTestsOnly() throws IOException {
        assertThat(unitTests())
                .contains("MutantFilesTest", "ScrubberTest", "IndexDefinitionTest")
                .doesNotContain("SimulationTest", "QueuedHeapTest", "RegionHeapProofTest", "TableShape", "ScriptTest");
    }

    private static void check(Path file, List<String> unitTests) throws IOException {
        String text = Files.readString(file);
        List<String> lines = text.substring(text.indexOf("\n\n") + 2).lines().toList();
        boolean namesTests = lines.get(1).startsWith(TESTS);
        if (namesTests) {
            assertThat(unitTests)
                    .containsAll(Arrays.asList(
                            lines.get(1).substring(TESTS.length()).trim().split(" +")));
        }
        List<String> hunk = lines.subList(namesTests ? 2 : 1, lines.size());
        assertThat(hunk).isNotEmpty().allMatch(line -> line.isEmpty() || " -+".indexOf(line.charAt(0)) >= 0);
        String replaced = hunk.stream()
                .filter(line -> !line.startsWith("+"))
                .map(line -> line.isEmpty() ? "\n" : line.substring(1) + "\n")
                .collect(Collectors.joining());
        String source = "\n" + Files.readString(CHECKOUT.resolve(lines.get(0)));
        assertThat(replaced).isNotEmpty();
        assertThat(source.split(Pattern.quote("\n" + replaced), -1)) // whole lines
                .as("the parts of %s around the replaced lines", lines.get(0))
                .hasSize(2);
    }

    /** Returns the names of the tests that {@code bin/mutants} may choose: of its modules, and not of its random nets. */
    private static List<String> unitTests() throws IOException {
        String script = Files.readString(CHECKOUT.resolve("bin").resolve("mutants"));
        List<String> others = strings(script, "NOT_UNIT");
        List<String> tests = new ArrayList<>();
        for (String module : strings(script, "MODULES")) {
            Path folder =
                    CHECKOUT.resolve(module).resolve("src").resolve("test").resolve("java");
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith("Test.java") && !name.endsWith("ProofTest.java"))
                            .map(name -> name.replace(".java", ""))
                            .filter(name -> !others.contains(name))
                            .forEach(tests::add);
                }
            }
        }
        return tests;
    }

    private static List<String> strings(String script, String constant) {
        Matcher value = Pattern.compile(CONSTANT.formatted(constant)).matcher(script);
        assertThat(value.find()).as("%s of bin/mutants", constant).isTrue();
        return STRING.matcher(value.group(1))
                .results()
                .map(string -> string.group(1))
                .toList();
    }
}
