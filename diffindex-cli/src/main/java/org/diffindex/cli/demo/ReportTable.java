package org.diffindex.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Renders the results: one line for each table, columns aligned, units in the header, at most 100 columns wide. */
final class ReportTable {
    private static final String COLUMNS = "%-13s%6s%7s%6s%12s%6s%8s%6s%7s%6s%8s%9s%6s";
    private static final String NONE = "-";

    private ReportTable() {}

    /**
     * The lines, without line ends.
     *
     * @param rowsRead how many rows the full scans and the index reads return
     */
    static List<String> render(List<SchemeResult> results, long rowsRead) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                "%-13s%19s%12s%14s%19s%23s",
                "",
                "put, us",
                "getByIndex",
                "staleness, ms",
                String.format(Locale.ROOT, "read %,d rows, ms", rowsRead),
                "differences"));
        String header = String.format(
                COLUMNS,
                "scheme",
                "p50",
                "p95",
                "ratio",
                "p50, us",
                "p50",
                "p99",
                "scan",
                "index",
                "ratio",
                "missing",
                "dangling",
                "stale");
        lines.add(header);
        lines.add("-".repeat(header.length()));
        results.forEach(result -> lines.add(line(result).stripTrailing()));
        return lines;
    }

    private static String line(SchemeResult result) {
        List<Object> cells = new ArrayList<>(List.of(
                result.scheme(),
                number(result.putP50Us()),
                number(result.putP95Us()),
                String.format(Locale.ROOT, "%.2f", result.putRatioP50())));
        result.index()
                .ifPresentOrElse(
                        index -> cells.addAll(cells(index, result.scanMs())),
                        () -> cells.addAll(
                                List.of(NONE, NONE, NONE, number(result.scanMs()), NONE, NONE, NONE, NONE, NONE)));
        return String.format(COLUMNS, cells.toArray());
    }

    private static List<String> cells(IndexResult index, double scanMs) {
        return List.of(
                number(index.getByIndexP50Us()),
                index.lag().map(lag -> number(lag.p50Ms())).orElse(NONE),
                index.lag().map(lag -> number(lag.p99Ms())).orElse(NONE),
                number(scanMs),
                number(index.readMs()),
                String.format(Locale.ROOT, "%.1f", scanMs / index.readMs()),
                Long.toString(index.differences().missing()),
                Long.toString(index.differences().dangling()),
                Long.toString(index.differences().stale()));
    }

    /** Three digits or more. */
    private static String number(double value) {
        String format = value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }
}
