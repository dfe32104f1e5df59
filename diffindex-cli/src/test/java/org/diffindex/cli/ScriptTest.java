package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the arguments that {@code bin/diffindex}, as in an unpacked distribution, passes to Java. */
class ScriptTest {
    private static final Path SCRIPT = Path.of("..", "bin", "diffindex");

    @TempDir
    Path dir;

    private Path script;

    @BeforeEach
    void unpack() throws IOException {
        Path bin = Files.createDirectory(dir.resolve("bin"));
        script = Files.copy(SCRIPT, bin.resolve("diffindex"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(Files.createDirectory(dir.resolve("lib")).resolve("jvm.args"), "-Xmx1g\n");
        Path java = bin.resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$CLASSPATH\" \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void putsTheConfigurationFolderFirstOnTheClassPath() throws Exception {
        Map<String, String> environment = Map.of("HBASE_CONF_DIR", "/of/the/environment");
        assertThat(run(environment, "--conf", "/of/the/option", "list")).startsWith("/of/the/option:");
        assertThat(run(environment, "list", "--conf=/of/the/option")).startsWith("/of/the/option:");
        assertThat(run(environment, "list")).startsWith("/of/the/environment:");
        assertThat(run(Map.of(), "list")).startsWith(dir.toRealPath() + "/lib");
    }

    @Test
    void logsWarningsToAFileThatOnlyTheUserCanCreate() throws Exception {
        assertThat(run(Map.of(), "list")).contains("-Ddiffindex.log=" + dir + "/.local/state/diffindex/diffindex.log ");
        assertThat(run(Map.of("XDG_STATE_HOME", dir + "/state"), "list"))
                .contains("-Ddiffindex.log=" + dir + "/state/diffindex/diffindex.log ");
        assertThat(run(Map.of("HOME", "/proc/none"), "list")).contains("are not kept", "-Ddiffindex.log=/dev/null ");
    }

    /** Returns the standard output and error of the script. */
    private String run(Map<String, String> environment, String... arguments) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(script.toString());
        builder.command().addAll(List.of(arguments));
        builder.environment().keySet().retainAll(List.of("LANG"));
        builder.environment().put("HOME", dir.toString());
        builder.environment().put("PATH", dir.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
