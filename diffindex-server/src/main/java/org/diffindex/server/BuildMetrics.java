package org.diffindex.server;

import java.io.Closeable;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.server.build.BuildReading;
import org.diffindex.server.metrics.LabelledSource;
import org.diffindex.server.metrics.Readings;

/**
 * How far each build is that the active master does or watches: {@code diff_index_build_...} for Prometheus, and a JMX
 * bean for each. Shown while the index is BUILDING, or BROKEN because its build has failed. While the record of the
 * build cannot be reached, only that is shown. Thread-safe.
 */
final class BuildMetrics implements Closeable, Consumer<Collection<BuildReading>> {
    static final String RECORD = "DiffIndexBuild";

    /** The builds that are shown, by index. Guarded by this, which telling the values does not take. */
    private final Map<Name, Shown> shown = new HashMap<>();

    private record Name(TableName table, String index) {
        static Name of(BuildReading build) {
            return new Name(build.table(), build.index());
        }
    }

    private record Shown(LabelledSource source, AtomicReference<BuildReading> last) {}

    /** Shows these builds, and no others any more. */
    @Override
    public synchronized void accept(Collection<BuildReading> builds) {
        Set<Name> ended = new HashSet<>(shown.keySet());
        for (BuildReading build : builds) {
            ended.remove(Name.of(build));
            shown.computeIfAbsent(Name.of(build), name -> begin(build)).last().set(build);
        }
        ended.forEach(this::hide);
    }

    private static Shown begin(BuildReading build) {
        AtomicReference<BuildReading> last = new AtomicReference<>(build);
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("table", build.table().getNameAsString());
        labels.put("index", build.index());
        LabelledSource source =
                new LabelledSource(LabelledSource.Host.MASTER, RECORD, labels, readings -> tell(last.get(), readings));
        source.register();
        return new Shown(source, last);
    }

    private void hide(Name name) {
        shown.remove(name).source().unregister();
    }

    private static void tell(BuildReading build, Readings readings) {
        readings.gauge(
                "unreachable",
                "1 if the record of the build cannot be reached",
                build.recorded().isEmpty() ? 1 : 0);
        build.recorded().ifPresent(recorded -> tell(recorded, readings));
    }

    private static void tell(BuildReading.Recorded build, Readings readings) {
        readings.gauge("rows", "Rows read", build.totals().rows())
                .gauge("entries", "Entries written", build.totals().entries())
                .gauge(
                        "leftOut",
                        "Rows that the index cannot hold",
                        build.totals().leftOut())
                .gauge("ranges", "Ranges of rows to be backfilled", build.ranges())
                .gauge("rangesDone", "Ranges that are complete", build.rangesDone())
                .gauge("paused", "1 if the build is paused", build.isPaused() ? 1 : 0)
                .gauge("byJob", "1 if a MapReduce job does it in place of the master", build.isOfJob() ? 1 : 0)
                .gauge("failing", "1 if its last call failed, and is retried", build.isFailing() ? 1 : 0)
                .gauge("failed", "1 if it has failed", build.hasFailed() ? 1 : 0);
    }

    @Override
    public synchronized void close() {
        Set.copyOf(shown.keySet()).forEach(this::hide);
    }
}
