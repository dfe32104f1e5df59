package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.client.GroupCount;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexedTable;
import picocli.CommandLine.Option;

/** The options of {@code diffindex get} that ask for something about all hits in place of the hits, at most one of them. */
final class AggregateArguments {
    @Option(names = "--count", description = "Print how many hits there are; with --limit, that at most.")
    private boolean count;

    @Option(names = "--exists", description = "Print true if there is a hit, otherwise false.")
    private boolean exists;

    @Option(
            names = "--newest",
            paramLabel = "K",
            description = "Print the K hits with the latest timestamps, the latest first; at most "
                    + IndexedTable.MOST_NEWEST + ".")
    private Integer newest;

    @Option(
            names = "--min",
            paramLabel = "COLUMN",
            description =
                    "Print the hit with the least value of COLUMN, the first one that has no value before it: f:delay.")
    private String min;

    @Option(
            names = "--max",
            paramLabel = "COLUMN",
            description = "Print the hit with the greatest value of COLUMN, as with --min.")
    private String max;

    @Option(
            names = "--group-count",
            description =
                    "Print each combination of values of the columns up to the first one after the values given, and how"
                            + " many hits have it, in index order; at most "
                            + IndexedTable.MOST_GROUPS + ".")
    private boolean groupCount;

    /**
     * Prints what is asked for.
     *
     * @param rows whether hits are printed with their base rows
     */
    void print(IndexedTable table, IndexQuery query, boolean rows, HitFormat format, PrintWriter out)
            throws IOException {
        if (count) {
            long hits = table.count(query);
            out.println(format == HitFormat.JSON ? object("count", hits) : Long.toString(hits));
        } else if (exists) {
            boolean isHit = table.exists(query);
            out.println(format == HitFormat.JSON ? object("exists", isHit) : Boolean.toString(isHit));
        } else if (groupCount) {
            table.countBy(query).forEach(group -> out.println(line(group, format)));
        } else {
            for (IndexHit hit : hits(table, query)) {
                Optional<Result> row = rows ? Optional.of(hit.result()) : Optional.empty();
                out.println(format.line(hit.columns(), hit.text(), hit.row(), GetCommand.included(hit), row));
            }
        }
    }

    private List<IndexHit> hits(IndexedTable table, IndexQuery query) throws IOException {
        if (newest != null) {
            return table.newest(query, newest);
        }
        Optional<IndexHit> hit = min != null ? table.min(query, min) : table.max(query, max);
        return hit.stream().toList();
    }

    private static String line(GroupCount group, HitFormat format) {
        if (format != HitFormat.JSON) { // the number is where a hit has its row key
            byte[] number = Bytes.toBytes(Long.toString(group.count()));
            return format.line(group.columns(), group.text(), number, Map.of(), Optional.empty());
        }
        JsonArray values = new JsonArray();
        group.text().forEach(values::add);
        JsonObject line = new JsonObject();
        line.add("values", values);
        line.addProperty("count", group.count());
        return line.toString();
    }

    private static String object(String name, Number value) {
        JsonObject line = new JsonObject();
        line.addProperty(name, value);
        return line.toString();
    }

    private static String object(String name, boolean value) {
        JsonObject line = new JsonObject();
        line.addProperty(name, value);
        return line.toString();
    }
}
