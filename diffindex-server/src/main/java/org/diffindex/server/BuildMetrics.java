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
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.build.BuildReading;
import org.diffindex.server.metrics.LabelledSource;
import org.diffindex.server.metrics.Readings;

/**
 * How far the active master is with each index that it builds: {@code diff_index_build_...} for Prometheus, and a JMX
 * bean for each. Shown while the index is BUILDING. Thread-safe.
 */
final class BuildMetrics implements Closeable, Consumer<Collection<BuildReading>> {
    static final String RECORD = "DiffIndexBuild";

    /** The builds that are shown, by index. Guarded by this, which telling the values does not take. */
    private final Map<IndexDefinition, Shown> shown = new HashMap<>();

    private record Shown(LabelledSource source, AtomicReference<BuildReading> last) {}

    /** Shows these builds, and no others any more. */
    @Override
    public synchronized void accept(Collection<BuildReading> builds) {
        Set<IndexDefinition> ended = new HashSet<>(shown.keySet());
        for (BuildReading build : builds) {
            ended.remove(build.index());
            shown.computeIfAbsent(build.index(), index -> begin(build)).last().set(build);
        }
        ended.forEach(this::hide);
    }

    private static Shown begin(BuildReading build) {
        AtomicReference<BuildReading> last = new AtomicReference<>(build);
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("table", build.index().table().getNameAsString());
        labels.put("index", build.index().name());
        LabelledSource source =
                new LabelledSource(LabelledSource.Host.MASTER, RECORD, labels, readings -> tell(last.get(), readings));
        source.register();
        return new Shown(source, last);
    }

    private void hide(IndexDefinition index) {
        shown.remove(index).source().unregister();
    }

    private static void tell(BuildReading build, Readings readings) {
        readings.gauge("rows", "Rows read", build.totals().rows())
                .gauge("entries", "Entries written", build.totals().entries())
                .gauge(
                        "leftOut",
                        "Rows that the index cannot hold",
                        build.totals().leftOut())
                .gauge("ranges", "Ranges of rows to be backfilled", build.ranges())
                .gauge("rangesDone", "Ranges that are complete", build.rangesDone())
                .gauge("paused", "1 if the build is paused", build.isPaused() ? 1 : 0)
                .gauge("failing", "1 if its last call failed, and is retried", build.isFailing() ? 1 : 0)
                .gauge("failed", "1 if it has failed", build.hasFailed() ? 1 : 0);
    }

    @Override
    public synchronized void close() {
        Set.copyOf(shown.keySet()).forEach(this::hide);
    }
}
