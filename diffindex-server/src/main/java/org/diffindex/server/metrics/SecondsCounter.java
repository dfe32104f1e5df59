package org.diffindex.server.metrics;

import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricType;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsVisitor;

/** A sum of durations in seconds, which only grows: Hadoop's own counters are whole numbers. Immutable. */
final class SecondsCounter extends AbstractMetric {
    private final double seconds;

    SecondsCounter(MetricsInfo info, double seconds) {
        super(info);
        this.seconds = seconds;
    }

    @Override
    public Number value() {
        return seconds;
    }

    @Override
    public MetricType type() {
        return MetricType.COUNTER;
    }

    /** Shows the sum as a JMX attribute of its type; a visitor takes no counter that is not a whole number. */
    @Override
    public void visit(MetricsVisitor visitor) {
        visitor.gauge(this, seconds);
    }
}
