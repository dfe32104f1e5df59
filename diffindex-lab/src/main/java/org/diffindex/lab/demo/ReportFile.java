package org.diffindex.lab.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.lab.output.ResultFile;

/** The results as a JSON file: an array with one object per scheme. */
final class ReportFile {
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    private final ResultFile file;

    ReportFile(Path file) {
        this.file = new ResultFile(file);
    }

    /** Checks, before the run starts, that the file can be written. */
    void check() throws IOException {
        file.check();
    }

    /** Replaces the file atomically. */
    void write(List<SchemeResult> results) throws IOException {
        file.write(json(results));
    }

    static String json(List<SchemeResult> results) {
        JsonArray schemes = new JsonArray();
        double putP50OfNoIndex = results.get(0).putP50Us();
        for (SchemeResult result : results) {
            result.index().ifPresent(index -> schemes.add(object(result, index, putP50OfNoIndex)));
        }
        return GSON.toJson(schemes) + "\n";
    }

    private static JsonObject object(SchemeResult result, IndexResult index, double putP50OfNoIndex) {
        JsonObject object = new JsonObject();
        object.addProperty("scheme", result.scheme());
        object.addProperty("rows", result.rows());
        object.addProperty("put_p50_us", oneDecimal(result.putP50Us()));
        object.addProperty("put_p95_us", oneDecimal(result.putP95Us()));
        object.addProperty("put_ratio_p50", rounded(result.putRatioP50()));
        object.addProperty("no_index_put_p50_us", oneDecimal(putP50OfNoIndex));
        object.addProperty("get_by_index_p50_us", oneDecimal(index.getByIndexP50Us()));
        object.addProperty(
                "staleness_p50_ms", rounded(index.lag().map(Lag::p50Ms).orElse(0.0)));
        object.addProperty(
                "staleness_p99_ms", rounded(index.lag().map(Lag::p99Ms).orElse(0.0)));
        object.addProperty("full_scan_ms", rounded(result.scanMs()));
        object.addProperty("index_read_ms", rounded(index.readMs()));
        object.addProperty("missing", index.differences().missing());
        object.addProperty("dangling", index.differences().dangling());
        object.addProperty("stale", index.differences().stale());
        object.addProperty("wrong_timestamp", index.differences().wrongTimestamp());
        return object;
    }

    private static double oneDecimal(double value) {
        return Math.round(value * 10) / 10.0;
    }

    /** Rounds a value to three decimal places. */
    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }
}
