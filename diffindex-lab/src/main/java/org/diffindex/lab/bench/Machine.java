package org.diffindex.lab.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.util.VersionInfo;
import org.diffindex.lab.steps.Interruption;
import org.diffindex.model.DiffIndexVersion;

/** Facts of the machine and the build, for the report. They contain no host name, path or user name. */
final class Machine {
    private static final Path CPUS = Path.of("/proc/cpuinfo");

    private Machine() {}

    /** Returns the current facts, by name. */
    static Map<String, String> facts() throws IOException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("started", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        cpu().ifPresent(name -> facts.put("cpu", name));
        facts.put("memory_mb", Long.toString(system.getTotalMemorySize() >> 20));
        facts.put("load_average_before", "%.1f".formatted(system.getSystemLoadAverage()));
        facts.put("os", system.getName() + " " + system.getVersion() + " " + system.getArch());
        facts.put("jvm", System.getProperty("java.vm.name") + " " + Runtime.version());
        facts.put("diffindex", DiffIndexVersion.current());
        facts.put("hbase", org.apache.hadoop.hbase.util.VersionInfo.getVersion());
        facts.put("hadoop", VersionInfo.getVersion());
        facts.put("commit", commit());
        return Collections.unmodifiableMap(facts);
    }

    /**
     * Returns the default heap of each of three region servers, as for {@code -Xmx}: an eighth of the memory, 1 to 4
     * GiB.
     */
    static String heapOfRegionServer() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long megabytes = system.getTotalMemorySize() >> 20;
        return Math.max(1_024, Math.min(4_096, megabytes / 8)) + "m";
    }

    private static Optional<String> cpu() throws IOException {
        if (!Files.isReadable(CPUS)) {
            return Optional.empty();
        }
        return Files.readAllLines(CPUS).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .findFirst();
    }

    /** Returns the commit of the checkout that contains the classes, and whether the checkout has changes. */
    private static String commit() throws IOException {
        Optional<Path> classes = classes();
        if (classes.isEmpty()) {
            return "unknown";
        }
        Optional<String> head = git(classes.get(), "rev-parse", "HEAD");
        boolean changed = git(classes.get(), "status", "--porcelain", "--untracked-files=no")
                .filter(text -> !text.isEmpty())
                .isPresent();
        return head.map(hash -> hash + (changed ? " with changes" : "")).orElse("unknown");
    }

    private static Optional<Path> classes() {
        try {
            Path place = Path.of(Machine.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return Optional.of(Files.isDirectory(place) ? place : place.getParent());
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** Returns the output of git; empty if there is no git, or if it fails, as outside of a repository. */
    private static Optional<String> git(Path folder, String... arguments) throws IOException {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return Optional.empty(); // no git: the report says that the commit is unknown
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            return process.waitFor() == 0 ? Optional.of(said) : Optional.empty();
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        }
    }
}
