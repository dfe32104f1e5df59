package org.diffindex.cli.load;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex load}: writes the rows of a CSV file to a table with HBase's ordinary client. */
@Command(
        name = "load",
        description = {
            "Write the rows of a CSV file to a table with HBase's ordinary client, overwriting existing rows.",
            "The file is in UTF-8; its first line names the columns. Each column becomes a cell FAMILY:COLUMN; an empty"
                    + " field becomes no cell."
        },
        footer = {
            "",
            "Example:",
            "  diffindex load flights flights.csv.gz --key flight_id --types delay:int,distance:int --create"
        })
public final class LoadCommand implements Callable<Integer> {
    private static final long MEGABYTE = 1_000_000;

    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private Progress progress;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table, or namespace:table.")
    private TableName table;

    @Parameters(
            index = "1",
            paramLabel = "FILE",
            description = "The file; if its name ends in .gz, it is decompressed.")
    private Path path;

    @Option(names = "--key", paramLabel = "COLUMN", required = true, description = "The column that is the row key.")
    private String key;

    @Option(
            names = "--family",
            paramLabel = "FAMILY",
            defaultValue = "f",
            description = "The column family; default: ${DEFAULT-VALUE}.")
    private String family;

    @Option(
            names = "--types",
            paramLabel = "COLUMN:TYPE",
            split = ",",
            description =
                    "Columns to store as int, long or double, as Bytes.toBytes encodes them, instead of as string.")
    private List<String> types = List.of();

    @Option(names = "--limit", paramLabel = "N", description = "Load only the first N rows; default: all.")
    private long limit = Long.MAX_VALUE;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of rows per batch; default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of threads that write; default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--create", description = "Create the table if it does not exist.")
    private boolean create;

    @Option(
            names = "--split-points",
            paramLabel = "KEY",
            split = ",",
            description = "Row keys at which --create splits a new table; default: one region.")
    private List<String> splitPoints = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        checkOptions();
        try (CsvFile file = CsvFile.open(path)) {
            CsvRows rows = new CsvRows(file, key, family, types);
            try (Connection connection = cluster.open()) {
                new LoadTarget(connection, table, family).prepare(create, splitPoints);
                load(file, rows, connection);
            }
        }
        return 0;
    }

    private void checkOptions() {
        if (batch <= 0 || threads <= 0 || limit < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--batch and --threads must be positive, and --limit must not be negative");
        }
        if (!create && !splitPoints.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--split-points requires --create");
        }
    }

    private void load(CsvFile file, CsvRows rows, Connection connection) throws IOException {
        long start = System.nanoTime();
        try (TableLoader loader = new TableLoader(connection, table, batch, threads)) {
            try (Progress.Bar bar = bar()) {
                Runnable show = () -> show(bar, file, loader, start);
                IOException wrong = send(rows, loader, show);
                loader.finish();
                show.run();
                if (wrong != null) {
                    throw wrong;
                }
            } catch (IOException e) {
                throw failure(e, loader.written(), table);
            }
            spec.commandLine().getOut().println("Loaded into " + table + ": " + inWords(loader.written(), start));
        }
    }

    /** Returns the failure of a load. Of a batch that failed, rows may be written that are not counted. */
    static IOException failure(IOException cause, long written, TableName table) {
        return new IOException(
                "%s; at least %,d rows of the file are in table %s; remove the cause and load the file again, which"
                                .formatted(cause.getMessage(), written, table)
                        + " overwrites them",
                cause);
    }

    /** Sends rows up to the limit; returns the error of the first row that cannot be read, null if there is none. */
    private IOException send(CsvRows rows, TableLoader loader, Runnable show) throws IOException {
        for (long sent = 0; sent < limit; sent++) {
            Put row;
            try {
                row = rows.next();
            } catch (IOException e) {
                return e;
            }
            if (row == null) {
                return null;
            }
            loader.add(row);
            if (sent % batch == 0) {
                show.run();
            }
        }
        return null;
    }

    private boolean isLimited() {
        return limit < Long.MAX_VALUE;
    }

    /**
     * Opens a bar that counts rows if their number is limited, otherwise bytes: only these totals are known beforehand.
     */
    private Progress.Bar bar() {
        PrintWriter err = spec.commandLine().getErr();
        return isLimited() ? progress.open("load", " rows", 1, err) : progress.open("load", " MB", MEGABYTE, err);
    }

    private void show(Progress.Bar bar, CsvFile file, TableLoader loader, long start) {
        long rows = loader.written();
        if (isLimited()) {
            bar.at(rows, limit, inWords(rows, start));
        } else {
            bar.at(file.position(), file.size(), inWords(rows, start));
        }
    }

    private static String inWords(long rows, long start) {
        double seconds = Math.max(1, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)) / 1e3;
        return "%,d rows, %,.0f rows/s".formatted(rows, rows / seconds);
    }
}
