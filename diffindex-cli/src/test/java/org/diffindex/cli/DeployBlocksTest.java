package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pastes the blocks of docs/deploy.md into an interactive shell whose commands only record their calls, and tests that
 * no command of a block runs after one that failed.
 */
class DeployBlocksTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "deploy.md");
    private static final Pattern BLOCK = Pattern.compile("^```bash\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** Records each command, and fails the one whose number is {@code FAILS}. */
    private static final String STUBS =
            """
            PS1=; PS2=
            HBASE_LIB=lib HBASE_CONF_DIR=conf HBASE_ROOT=root TABLE=flights COLUMN=f:origin
            note() { echo "$*" >>noted; test "$(wc -l <noted)" != "$FAILS"; }
            for function in copy_to_servers replace_on_servers remove_from_servers edit_settings restart_masters \
                restart_region_servers hdfs; do eval "$function() { note $function \\"\\$@\\"; }"; done
            export -f note
            """;

    /** Lists as many indexes as the file {@code indexes} states. */
    private static final String DIFFINDEX =
            """
            #!/usr/bin/env bash
            if [[ $1 == list ]]; then
                echo "TABLE INDEX"
                for i in $(seq "$(cat indexes)"); do echo "flights i$i"; done
            fi
            note diffindex "$@"
            """;

    @TempDir
    Path dir;

    @BeforeEach
    void layOut() throws IOException {
        Path command = Files.createDirectory(dir.resolve("bin")).resolve("diffindex");
        Files.writeString(command, DIFFINDEX);
        assertThat(command.toFile().setExecutable(true)).isTrue();
        Files.writeString(Files.createDirectory(dir.resolve("server")).resolve("diffindex-server-1.jar"), "");
        indexes(0);
    }

    static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(DOCUMENT));
        while (block.find()) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    /**
     * Returns the blocks that change something: neither the first, which defines what they need, nor those that only
     * read.
     */
    static Stream<String> changing() throws IOException {
        return blocks().stream()
                .skip(1)
                .filter(block -> block.contains("servers") || block.contains("settings") || block.contains("create"));
    }

    @Test
    void theDocumentHasBlocksThatChangeSomething() throws IOException {
        assertThat(changing()).hasSize(6);
    }

    @ParameterizedTest
    @MethodSource("changing")
    void noCommandRunsAfterOneThatFailed(String block) throws Exception {
        List<String> all = paste(block, 0);
        assertThat(all).isNotEmpty();
        for (int failing = 1; failing <= all.size(); failing++) {
            assertThat(paste(block, failing)).isEqualTo(all.subList(0, failing));
        }
    }

    @ParameterizedTest
    @MethodSource("changing")
    void aBlockPastedTwiceRunsTwice(String block) throws Exception {
        List<String> once = paste(block, 0);
        List<String> twice = paste(block + block, 0);
        assertThat(twice.subList(0, once.size())).isEqualTo(once);
        assertThat(twice.subList(once.size(), twice.size())).isEqualTo(once);
    }

    @Test
    void removesNothingWhileAnIndexExists() throws Exception {
        List<String> blocks = blocks();
        String last = blocks.get(blocks.size() - 1);
        indexes(1);
        assertThat(paste(last, 0)).containsExactly("diffindex list");
    }

    @Test
    void dropsEachIndexOfTheTableUntilOneCannotBeDropped() throws Exception {
        List<String> blocks = blocks();
        String drop = blocks.get(blocks.size() - 2);
        indexes(2);
        assertThat(paste(drop, 0))
                .containsExactly(
                        "diffindex list flights",
                        "diffindex drop-index flights i1",
                        "diffindex drop-index flights i2",
                        "diffindex list");
        assertThat(paste(drop, 1)).containsExactly("diffindex list flights", "diffindex list");
        assertThat(paste(drop, 2))
                .containsExactly("diffindex list flights", "diffindex drop-index flights i1", "diffindex list");
    }

    private void indexes(int number) throws IOException {
        Files.writeString(dir.resolve("indexes"), Integer.toString(number));
    }

    /** Returns the commands that were called. */
    private List<String> paste(String block, int failing) throws Exception {
        Path noted = Files.writeString(dir.resolve("noted"), "");
        Path pasted = Files.writeString(dir.resolve("pasted"), STUBS + block + "\nexit\n");
        ProcessBuilder builder = new ProcessBuilder("bash", "--noprofile", "--norc", "-i");
        builder.environment().put("FAILS", Integer.toString(failing));
        Path output = dir.resolve("output");
        Process shell = builder.directory(dir.toFile())
                .redirectInput(pasted.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(shell.waitFor(1, TimeUnit.MINUTES))
                .as(Files.readString(output))
                .isTrue();
        return Files.readAllLines(noted);
    }
}
