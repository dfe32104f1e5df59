package org.diffindex.phoenix;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.diffindex.lab.bench.rivals.Rival;
import org.diffindex.lab.bench.rivals.RivalGoal;
import org.diffindex.lab.bench.rivals.RivalTable;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.model.IndexScheme;

/** Apache Phoenix: a table without an index, one with a strong index, and one with an uncovered index. */
public final class PhoenixRival implements Rival {
    private static final Contender SYNC_FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final Contender STRONG = PhoenixIndex.STRONG.contender();

    @Override
    public String name() {
        return "phoenix";
    }

    @Override
    public Map<String, String> facts() {
        return Map.of("phoenix", version());
    }

    /**
     * Returns the version of Phoenix that the build names. The one in the classes of Phoenix 5.2.1 is that of 5.2.0.
     */
    private static String version() {
        try (InputStream in = PhoenixRival.class.getResourceAsStream("version")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
        } catch (IOException e) {
            throw new UncheckedIOException("The version of Phoenix cannot be read from the class path", e);
        }
    }

    /** Returns the WAL codec that Phoenix's indexes need; other tables use it too. */
    @Override
    public Map<String, String> siteProperties() {
        return Map.of("hbase.regionserver.wal.codec", "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec");
    }

    @Override
    public List<Contender> contenders() {
        return Arrays.stream(PhoenixIndex.values()).map(PhoenixIndex::contender).toList();
    }

    @Override
    public List<RivalGoal> goals() {
        return List.of(
                new RivalGoal(
                        "put p50, 1 client, sync-full / Phoenix's strong index",
                        "update",
                        1,
                        Measurement.P50,
                        SYNC_FULL,
                        STRONG,
                        3),
                new RivalGoal(
                        "puts/s, 8 clients, sync-full / Phoenix's strong index",
                        "update",
                        8,
                        Measurement.PER_SECOND,
                        SYNC_FULL,
                        STRONG,
                        3),
                new RivalGoal(
                        "read by index of one row p50, 1 client, sync-full / Phoenix's strong index",
                        "read",
                        1,
                        Measurement.P50,
                        SYNC_FULL,
                        STRONG,
                        8));
    }

    @Override
    public RivalTable table(Contender contender, Configuration cluster) {
        return new PhoenixTable(new PhoenixConnections(cluster), new PhoenixSql(PhoenixIndex.of(contender)));
    }
}
