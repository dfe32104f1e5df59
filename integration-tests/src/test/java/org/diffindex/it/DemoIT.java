package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.cli.DiffIndex;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The demo on a small part of its flights, on the cluster that it starts itself. */
@Isolated
class DemoIT {
    @TempDir
    Path dir;

    @Test
    void showsFourSchemesWithoutADifference() throws IOException {
        Path json = dir.resolve("demo.json");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = DiffIndex.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute("demo", "--rows", "2000", "--json", json.toString());
        assertThat(exitCode).as(out + "\n" + err).isZero();

        JsonArray schemes = JsonParser.parseString(Files.readString(json)).getAsJsonArray();
        assertThat(schemes).hasSize(IndexScheme.values().length);
        for (JsonElement element : schemes) {
            JsonObject scheme = element.getAsJsonObject();
            assertThat(out.toString()).contains(scheme.get("scheme").getAsString());
            assertThat(scheme.get("rows").getAsInt()).isEqualTo(2_000);
            for (String zero : new String[] {"missing", "dangling", "stale"}) {
                assertThat(scheme.get(zero).getAsLong()).as(zero).isZero();
            }
            for (String measured : new String[] {"put_p50_us", "put_p95_us", "put_ratio_p50", "get_by_index_p50_us"}) {
                assertThat(scheme.get(measured).getAsDouble()).as(measured).isPositive();
            }
            assertThat(scheme.get("staleness_p99_ms").getAsDouble()).isNotNegative();
        }
    }
}
