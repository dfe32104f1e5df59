package org.diffindex.lab.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The memory that the live objects of another JVM take: what {@code jcmd} counts after it has collected the garbage. */
final class LiveHeap {
    private static final Pattern TOTAL = Pattern.compile("^Total\\s+\\d+\\s+(\\d+)\\s*$", Pattern.MULTILINE);

    private LiveHeap() {}

    /**
     * Collects the garbage of a process and returns the bytes of what is left.
     *
     * @throws IOException if this Java has no {@code jcmd}, or it does not get at the process
     */
    static long bytesOf(long pid) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new IOException("There is no " + jcmd + "; the heap cannot be measured; run with a JDK");
        }
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return total(output);
    }

    /** The bytes in the last line of a class histogram. */
    static long total(String histogram) throws IOException {
        Matcher matcher = TOTAL.matcher(histogram);
        if (!matcher.find()) {
            throw new IOException("jcmd gives no class histogram but: "
                    + histogram.lines().findFirst().orElse("nothing"));
        }
        return Long.parseLong(matcher.group(1));
    }
}
