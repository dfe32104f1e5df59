package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The heap that the live objects of another JVM occupy, as {@code jcmd} reports it after a garbage collection. */
final class LiveHeap {
    private static final Pattern TOTAL = Pattern.compile("^Total\\s+\\d+\\s+(\\d+)\\s*$", Pattern.MULTILINE);

    private LiveHeap() {}

    /**
     * Runs a garbage collection in a process and returns the size of its live objects in bytes.
     *
     * @throws IOException if this Java has no {@code jcmd}, or it cannot attach to the process
     */
    static long bytesOf(long pid) throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new IOException(jcmd + " is missing, so the heap cannot be measured; run with a JDK");
        }
        Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return total(output);
    }

    /** Returns the total bytes of a class histogram. */
    static long total(String histogram) throws IOException {
        Matcher matcher = TOTAL.matcher(histogram);
        if (!matcher.find()) {
            throw new IOException("jcmd returned no class histogram but: "
                    + histogram.lines().findFirst().orElse("nothing"));
        }
        return Long.parseLong(matcher.group(1));
    }
}
