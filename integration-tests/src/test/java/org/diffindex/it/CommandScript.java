package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.diffindex.cli.DiffIndex;
import org.diffindex.cluster.ClassPath;

/** Writes {@code bin/diffindex}, as a distribution has it, with the classes of this JVM. */
final class CommandScript {
    private CommandScript() {}

    /**
     * Writes the script.
     *
     * @param distribution the folder that gets a folder {@code bin}
     * @param log the file for warnings
     */
    static void write(Path distribution, Path log) throws IOException {
        Path command = Files.createDirectory(distribution.resolve("bin")).resolve("diffindex");
        Files.writeString(
                command,
                """
                #!/usr/bin/env bash
                export CLASSPATH=${HBASE_CONF_DIR:-}:%s
                exec %s -XX:TieredStopAtLevel=1 -XX:+UseSerialGC %s \
                    -Dlog4j2.configurationFile=diffindex-cli-log4j2.properties -Ddiffindex.log=%s \
                    ${DIFFINDEX_OPTS:-} org.diffindex.cli.DiffIndex "$@"
                """
                        .formatted(ClassPath.current(), java(), jvmArguments(), log));
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    /** Returns the Java of this JVM. */
    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** Returns the arguments that Java needs for HBase. */
    static String jvmArguments() throws IOException {
        try (InputStream in = DiffIndex.class.getResourceAsStream("jvm.args")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
        }
    }
}
