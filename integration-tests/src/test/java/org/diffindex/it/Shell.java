package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs bash in a folder, for ten minutes at most.
 *
 * @param environment variables in addition to those of this process
 */
record Shell(Path folder, Map<String, String> environment) {
    private static final Path NOTHING = Path.of("/dev/null");

    /**
     * The result of a run.
     *
     * @param output standard output and standard error
     */
    record Result(int exitCode, String output) {}

    /** Runs a script, which ends at the first command that fails. */
    Result script(String text) throws IOException, InterruptedException {
        return bash(NOTHING, "-e", "-c", text);
    }

    /** Runs bash with arguments and an input. */
    Result bash(Path input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(Duration.ofMinutes(10).toSeconds(), TimeUnit.SECONDS))
                    .as("%s ends: %s", command, Files.readString(output))
                    .isTrue();
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
