package org.diffindex.server.metrics;

import java.util.Map;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * Takes the values of one {@link LabelledSource}. A name {@code auqBytes} of the record {@code DiffIndexByIndex} is
 * {@code diff_index_by_index_auq_bytes} for Prometheus, and the attribute {@code auqBytes} of a JMX bean. Confined to
 * the thread that reads the metrics.
 */
public final class Readings {
    private final MetricsCollector collector;
    private final String recordName;
    private final String context;
    private final Map<String, String> labels;
    private final MetricsRecordBuilder first;

    Readings(MetricsCollector collector, String recordName, String context, Map<String, String> labels) {
        this.collector = collector;
        this.recordName = recordName;
        this.context = context;
        this.labels = labels;
        this.first = newRecord();
    }

    private MetricsRecordBuilder newRecord() {
        MetricsRecordBuilder builder = collector
                .addRecord(Interns.info(recordName, "Metrics of Diff-Index"))
                .setContext(context);
        labels.forEach((label, value) -> builder.tag(Interns.info(label, "The " + label), value));
        return builder;
    }

    /** Takes a number that only grows. */
    public Readings counter(String name, String description, long value) {
        first.addCounter(Interns.info(name, description), value);
        return this;
    }

    /** Takes a number that may fall. */
    public Readings gauge(String name, String description, long value) {
        first.addGauge(Interns.info(name, description), value);
        return this;
    }

    /** Takes a histogram: a sum in seconds, a count, and a bucket for each value of the label {@code le}. */
    public Readings durations(String name, String description, Durations durations) {
        long count = durations.buckets((bound, upToIt) -> newRecord()
                .tag(Interns.info("le", "The upper bound in seconds"), bound)
                .addCounter(Interns.info(name + "SecondsBucket", description), upToIt));
        first.addCounter(Interns.info(name + "SecondsCount", description), count);
        first.add(new SecondsCounter(Interns.info(name + "SecondsSum", description), durations.sumSeconds()));
        return this;
    }
}
