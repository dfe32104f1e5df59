package org.diffindex.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The blocks of docs/security.md that its reader runs, or adds to a file of settings. */
final class SecurityManual {
    private static final Path DOCUMENT = Path.of("..", "docs", "security.md");
    private static final String HEADING = "(?m)^#{2,3} ";

    private SecurityManual() {}

    /** Returns the commands beneath a heading, for this host and the test's realm. */
    static String commands(String heading) throws IOException {
        return blocks(heading, "bash");
    }

    /** Returns the settings beneath a heading, for this host and the test's realm. */
    static String settings(String heading) throws IOException {
        return blocks(heading, "xml");
    }

    private static String blocks(String heading, String language) throws IOException {
        String section = Arrays.stream(Files.readString(DOCUMENT).split(HEADING, -1))
                .filter(text -> text.startsWith(heading + "\n"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("docs/security.md has no section " + heading));
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(section)
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining())
                .replace("host1.example.com", Kdc.HOST)
                .replace("EXAMPLE.COM", Kdc.REALM);
    }
}
