package org.diffindex.lab.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;

/** Renders the results: one line per table, aligned columns, units in the heading, at most 100 characters wide. */
final class ReportTable {
    private static final String COLUMNS = "%-13s  %5s %6s %5s  %7s  %6s %6s  %5s %5s %5s  %7s %8s %5s";
    private static final List<Integer> WIDTHS = List.of(13, 18, 7, 13, 17, 22);
    private static final String GAP = "  ";
    private static final String NONE = "-";

    private ReportTable() {}

    /** Returns the lines, without line ends. */
    static List<String> render(List<SchemeResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add(groups());
        lines.add(String.format(
                COLUMNS,
                "scheme",
                "p50",
                "p95",
                "ratio",
                "p50",
                "p50",
                "p99",
                "scan",
                "index",
                "ratio",
                "missing",
                "dangling",
                "stale"));
        lines.add(WIDTHS.stream().map("-"::repeat).collect(Collectors.joining(GAP)));
        results.forEach(result -> lines.add(line(result).stripTrailing()));
        return lines;
    }

    /** Returns the titles of groups of columns, each padded with dashes to the width of its group. */
    private static String groups() {
        List<String> titles = List.of("", "put, us", "get, us", "staleness, ms", "read, ms", "differences");
        StringJoiner line = new StringJoiner(GAP);
        line.add(" ".repeat(WIDTHS.get(0)));
        for (int i = 1; i < WIDTHS.size(); i++) {
            line.add(StringUtils.center(
                    titles.get(i).length() + 2 <= WIDTHS.get(i) ? " " + titles.get(i) + " " : titles.get(i),
                    WIDTHS.get(i),
                    '-'));
        }
        return line.toString();
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

    /** Returns a number with two decimal places if it is below 10, with one if it is below 100, otherwise with none. */
    private static String number(double value) {
        String format = value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }
}
