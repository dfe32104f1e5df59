package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the command's messages about wrong options; no execution starts anything. */
class ChaosCommandTest {
    @TempDir
    Path dir;

    private final StringWriter err = new StringWriter();

    private int execute(String... options) {
        String[] args = new String[options.length + 2];
        args[0] = "--dir";
        args[1] = dir.toString();
        System.arraycopy(options, 0, args, 2, options.length);
        return new CommandLine(new ChaosCommand())
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Test
    void refusesAFolderThatIsNotEmpty() throws IOException {
        Files.writeString(dir.resolve("mine"), "x");

        assertThat(execute()).isEqualTo(1);
        assertThat(err.toString()).contains("is not empty").contains("nothing was run");
        assertThat(dir.resolve("mine")).hasContent("x");
    }

    @Test
    void listsTheKnownSchemesAndFaults() {
        assertThat(execute("--scheme", "sync-some")).isEqualTo(2);
        assertThat(err.toString()).contains("sync-some").contains("async-session");
        assertThat(execute("--faults", "flush,earthquake")).isEqualTo(2);
        assertThat(err.toString()).contains("earthquake").contains("kill-two-servers");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void helpListsAllFaults() {
        String usage = new CommandLine(new ChaosCommand()).getUsageMessage().replaceAll("\\s+", " ");

        assertThat(usage)
                .contains(Arrays.stream(FaultKind.values())
                        .map(FaultKind::toString)
                        .toList());
    }

    @Test
    void requiresSomeTimeAndMoreThanOneRegionServer() {
        assertThat(execute("--minutes", "0")).isEqualTo(2);
        assertThat(execute("--region-servers", "1")).isEqualTo(2);
        assertThat(err.toString()).contains("nothing was run");
    }
}
