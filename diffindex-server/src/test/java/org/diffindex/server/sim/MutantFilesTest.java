package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks that every mutant can be planted: that the lines which it replaces occur exactly once, and that the tests
 * which it names exist. {@code bin/mutants}, which no build runs, reads the files.
 */
class MutantFilesTest {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();
    private static final String TESTS = "tests:";

    @TestFactory
    List<DynamicTest> canBePlanted() throws IOException {
        List<String> tests = testClasses();
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

    private static void check(Path file, List<String> testClasses) throws IOException {
        String text = Files.readString(file);
        List<String> lines = text.substring(text.indexOf("\n\n") + 2).lines().toList();
        boolean namesTests = lines.get(1).startsWith(TESTS);
        if (namesTests) {
            assertThat(testClasses)
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

    private static List<String> testClasses() throws IOException {
        try (Stream<Path> files = Files.find(CHECKOUT, Integer.MAX_VALUE, (file, attributes) -> file.toString()
                .matches(".*/src/test/java/.*\\.java"))) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .toList();
        }
    }
}
