package org.diffindex.lab.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table of text whose columns are as wide as their widest cell; the first row is the heading. Not thread-safe. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    /** Creates a table with this heading. */
    public TextTable(String... heading) {
        row(heading);
    }

    /** Adds a row with as many cells as the heading has. */
    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** Prints the rows; columns from {@code firstNumber} on are right-aligned. */
    public void print(PrintWriter out, int firstNumber) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : GAP);
                line.append(i < firstNumber ? row.get(i) + blanks : blanks + row.get(i));
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
