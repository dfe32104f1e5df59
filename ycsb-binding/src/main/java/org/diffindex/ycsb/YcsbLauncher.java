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
 * Runs YCSB with {@link ItemWorkload} and {@link DiffIndexDB} in a Java process of its own, because YCSB keeps its
 * state in static fields and ends with {@code System.exit}, and determines from its output whether it succeeded.
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
    /** The packages that HBase's client accesses by reflection on Java 17. */
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

    /** Logs go to standard error, unless the arguments say otherwise: {@link YcsbOutput} relies on it. */
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

    /**
     * Returns a launcher of YCSB's load phase, which creates the table and its indexes if the table does not exist, and
     * inserts {@code recordcount} items.
     */
    public static YcsbLauncher load() {
        return new YcsbLauncher(true);
    }

    /**
     * Returns a launcher of YCSB's transaction phase, which performs {@code operationcount} operations in the
     * workload's proportions.
     */
    public static YcsbLauncher run() {
        return new YcsbLauncher(false);
    }

    /** Sets a property of YCSB, of {@link ItemWorkload} or of {@link DiffIndexDB}. */
    public YcsbLauncher property(String name, String value) {
        properties.setProperty(name, value);
        return this;
    }

    /** Sets properties, which override those set before. */
    public YcsbLauncher properties(Properties more) {
        more.stringPropertyNames().forEach(name -> properties.setProperty(name, more.getProperty(name)));
        return this;
    }

    /** Sets the number of threads; 1 by default. */
    public YcsbLauncher threads(int count) {
        return property(Client.THREAD_COUNT_PROPERTY, Integer.toString(count));
    }

    /** Adds arguments for the Java process, such as {@code -Xmx1g}; those that HBase's client needs are present. */
    public YcsbLauncher jvmArguments(List<String> arguments) {
        jvmArguments.addAll(arguments);
        return this;
    }

    /** Sets the class path of the Java process; by default that of this process. */
    public YcsbLauncher classPath(String path) {
        classPath = path;
        return this;
    }

    /**
     * Sets a consumer of every line that YCSB writes to standard output and standard error. Several threads call it.
     */
    public YcsbLauncher onOutput(Consumer<String> consumer) {
        onOutput = consumer;
        return this;
    }

    /**
     * Runs YCSB to its end.
     *
     * @throws YcsbFailedException if YCSB failed, in part or as a whole
     * @throws IllegalArgumentException if the number of operations is missing or not a number
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
        // If this process ends, so does YCSB, which would otherwise continue unseen.
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
            // This process is ending and runs the hook.
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

    /** Returns the properties of the process: the user's, overridden by those that {@link YcsbOutput} relies on. */
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
     * Returns whether there is a target rate. The latency of an operation is then measured from the start that the rate
     * schedules, not from when its thread began it, so that a stall counts for all operations that it delays.
     */
    public boolean hasTarget() {
        return number(Client.TARGET_PROPERTY, "0") > 0;
    }

    /** Returns how many operations YCSB should perform; empty if it may stop earlier, at {@code maxexecutiontime}. */
    OptionalLong expectedOperations() {
        String name = load ? Client.RECORD_COUNT_PROPERTY : Client.OPERATION_COUNT_PROPERTY;
        if (load && properties.containsKey(Client.INSERT_COUNT_PROPERTY)) {
            name = Client.INSERT_COUNT_PROPERTY;
        }
        boolean timed = number(Client.MAX_EXECUTION_TIME, "0") > 0;
        long count = number(name, "0");
        if (count == 0 && !timed) {
            // YCSB would never end.
            throw new IllegalArgumentException("Set " + name + " to the number of operations, or "
                    + Client.MAX_EXECUTION_TIME + " to the number of seconds; nothing was run");
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
            throw new IllegalArgumentException("Property " + name + " must be a whole number, not '" + text + "'", e);
        }
        throw new IllegalArgumentException("Property " + name + " must not be negative: " + text);
    }
}
