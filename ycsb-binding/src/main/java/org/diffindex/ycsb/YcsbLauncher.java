package org.diffindex.ycsb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Stream;
import site.ycsb.Client;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/**
 * Runs YCSB with {@link ItemWorkload} and {@link DiffIndexDB} in a Java process of its own, because YCSB keeps its state
 * in static fields and ends by {@code System.exit}, and reads from its output whether it did what it was asked for.
 *
 * <pre>{@code
 * YcsbResult result = YcsbLauncher.run()
 *         .property("hbase.conf", confDir)
 *         .property("diffindex.scheme", "sync-insert")
 *         .property("recordcount", "100000")
 *         .property("operationcount", "100000")
 *         .threads(8)
 *         .onOutput(System.err::println)
 *         .launch();
 * }</pre>
 *
 * <p>Not safe for use by many threads; several launchers may run at once.
 */
public final class YcsbLauncher {
    /** What HBase's client reaches for by reflection on Java 17. */
    private static final List<String> HBASE_ARGUMENTS = Stream.of(
                    "java.lang",
                    "java.lang.reflect",
                    "java.nio",
                    "java.util",
                    "java.util.concurrent",
                    "sun.nio.ch",
                    "jdk.internal.misc")
            .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
            .toList();

    /** Logs go to the standard error, unless the arguments say something else: {@link YcsbOutput} relies on it. */
    private static final String LOGS = "-Dlog4j2.configurationFile=diffindex-ycsb-log4j2.properties";

    private final boolean load;
    private final Properties properties = new Properties();
    private final List<String> jvmArguments = new ArrayList<>();
    private String classPath = System.getProperty("java.class.path");
    private Consumer<String> onOutput = line -> {};

    private YcsbLauncher(boolean load) {
        this.load = load;
        properties.setProperty(Client.WORKLOAD_PROPERTY, ItemWorkload.class.getName());
        properties.setProperty(Client.DB_PROPERTY, DiffIndexDB.class.getName());
    }

    /** YCSB's load phase: makes table and indexes if they are not there, and inserts {@code recordcount} items. */
    public static YcsbLauncher load() {
        return new YcsbLauncher(true);
    }

    /** YCSB's transaction phase: {@code operationcount} operations in the workload's proportions. */
    public static YcsbLauncher run() {
        return new YcsbLauncher(false);
    }

    /** Sets a property of YCSB, of {@link ItemWorkload} or of {@link DiffIndexDB}. */
    public YcsbLauncher property(String name, String value) {
        properties.setProperty(name, value);
        return this;
    }

    /** Sets properties, over those that were set before. */
    public YcsbLauncher properties(Properties more) {
        more.stringPropertyNames().forEach(name -> properties.setProperty(name, more.getProperty(name)));
        return this;
    }

    /** How many threads work at once; 1 unless set. */
    public YcsbLauncher threads(int count) {
        return property(Client.THREAD_COUNT_PROPERTY, Integer.toString(count));
    }

    /** Arguments for the Java process, such as {@code -Xmx1g}; what HBase's client needs is there already. */
    public YcsbLauncher jvmArguments(List<String> arguments) {
        jvmArguments.addAll(arguments);
        return this;
    }

    /** The class path of the Java process; this process's own unless set. */
    public YcsbLauncher classPath(String path) {
        classPath = path;
        return this;
    }

    /** Takes every line that YCSB writes, standard output and standard error, as it comes; called by several threads. */
    public YcsbLauncher onOutput(Consumer<String> consumer) {
        onOutput = consumer;
        return this;
    }

    /**
     * Runs YCSB to its end.
     *
     * @throws YcsbFailedException if YCSB failed, in part or as a whole
     * @throws IllegalArgumentException if the number of operations is missing or no number
     * @throws IOException if the process could not be started
     * @throws InterruptedException if this thread is interrupted; the process is ended
     */
    public YcsbResult launch() throws IOException, InterruptedException {
        OptionalLong expected = expectedOperations();
        Path folder = Files.createTempDirectory("diffindex-ycsb");
        try {
            YcsbResult result = launch(folder, expected);
            if (!result.isSuccess()) {
                throw new YcsbFailedException(result);
            }
            return result;
        } finally {
            Files.deleteIfExists(folder.resolve("measurements"));
            Files.deleteIfExists(folder.resolve("properties"));
            Files.delete(folder);
        }
    }

    private YcsbResult launch(Path folder, OptionalLong expected) throws IOException, InterruptedException {
        Path measurements = folder.resolve("measurements");
        Path propertyFile = folder.resolve("properties");
        try (Writer writer = Files.newBufferedWriter(propertyFile)) {
            processProperties(measurements).store(writer, null);
        }
        YcsbOutput output = new YcsbOutput();
        Process process = new ProcessBuilder(command(propertyFile)).start();
        int exitCode = follow(process, output);
        if (Files.exists(measurements)) {
            Files.readAllLines(measurements).forEach(output::addMeasurement);
        }
        return output.result(exitCode, expected);
    }

    private int follow(Process process, YcsbOutput output) throws InterruptedException {
        Thread errors = new Thread(() -> read(process.getErrorStream(), output::addError), "ycsb-stderr");
        Thread lines = new Thread(() -> read(process.getInputStream(), output::addOutput), "ycsb-stdout");
        // Who ends this process ends YCSB too, which would work on unseen.
        Thread end = new Thread(process::destroyForcibly, "ycsb-end");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            errors.start();
            lines.start();
            int exitCode = process.waitFor();
            errors.join();
            lines.join();
            return exitCode;
        } finally {
            process.destroyForcibly();
            removeHook(end);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This process is ending, and the hook does its work.
            hook.setName("ycsb-end, needed");
        }
    }

    private void read(InputStream stream, Consumer<String> lines) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (this) {
                    lines.accept(line);
                }
                onOutput.accept(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("YCSB's output could not be read", e);
        }
    }

    List<String> command(Path propertyFile) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(HBASE_ARGUMENTS);
        command.add(LOGS);
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(classPath);
        command.add(Client.class.getName());
        command.add(load ? "-load" : "-t");
        command.add("-P");
        command.add(propertyFile.toString());
        return command;
    }

    /** What the process is told: the user's properties, and over them those that {@link YcsbOutput} relies on. */
    Properties processProperties(Path measurements) {
        Properties all = new Properties();
        all.putAll(properties);
        all.setProperty(Client.EXPORTER_PROPERTY, TextMeasurementsExporter.class.getName());
        all.setProperty(Client.EXPORT_FILE_PROPERTY, measurements.toString());
        all.setProperty("measurementtype", "hdrhistogram");
        all.setProperty("hdrhistogram.percentiles", "50,95,99");
        if (hasTarget()) {
            all.setProperty(Measurements.MEASUREMENT_INTERVAL, "intended");
        }
        return all;
    }

    /**
     * Whether a rate is asked for. The latency of an operation then counts from when the rate wants it to start, not from when
     * its thread got to it, so that a stall counts for all that should have come meanwhile.
     */
    public boolean hasTarget() {
        return number(Client.TARGET_PROPERTY, "0") > 0;
    }

    /** How many operations YCSB should do; empty if it may stop before, at {@code maxexecutiontime}. */
    OptionalLong expectedOperations() {
        String name = load ? Client.RECORD_COUNT_PROPERTY : Client.OPERATION_COUNT_PROPERTY;
        if (load && properties.containsKey(Client.INSERT_COUNT_PROPERTY)) {
            name = Client.INSERT_COUNT_PROPERTY;
        }
        boolean timed = number(Client.MAX_EXECUTION_TIME, "0") > 0;
        long count = number(name, "0");
        if (count == 0 && !timed) {
            // YCSB would go on for ever.
            throw new IllegalArgumentException("Set " + name + " to how many operations YCSB should do, or "
                    + Client.MAX_EXECUTION_TIME + " to how many seconds");
        }
        return timed ? OptionalLong.empty() : OptionalLong.of(count);
    }

    private long number(String name, String defaultValue) {
        String text = properties.getProperty(name, defaultValue).strip();
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Property " + name + " should be a whole number, not '" + text + "'", e);
        }
        throw new IllegalArgumentException("Property " + name + " should not be negative: " + text);
    }
}
