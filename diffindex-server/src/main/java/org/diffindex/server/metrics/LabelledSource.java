package org.diffindex.server.metrics;

import java.util.Map;
import java.util.function.Consumer;
import javax.management.ObjectName;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of one thing, such as an index, that labels name: a JMX bean of its own, and for Prometheus the metrics of all
 * things of its kind, apart by labels. HBase's own registries know no labels, so this is a source of Hadoop's metrics
 * system, which serves both. If one process registers two of the same labels, as when it runs several servers, the later one
 * is shown. Thread-safe.
 */
public final class LabelledSource implements MetricsSource {
    private static final Logger LOG = LoggerFactory.getLogger(LabelledSource.class);

    private final Host host;
    private final String recordName;
    private final Map<String, String> labels;
    private final Consumer<Readings> values;

    /** The kind of process that reports: the name of its JMX beans, and the label {@code context} of its metrics. */
    public enum Host {
        REGION_SERVER("RegionServer", "regionserver"),
        MASTER("Master", "master");

        private final String beanName;
        private final String context;

        Host(String beanName, String context) {
            this.beanName = beanName;
            this.context = context;
        }
    }

    /**
     * Creates a source that nobody reads yet.
     *
     * @param recordName the beginning of the metrics' names
     * @param labels the labels in the order in which they are shown, none or more
     * @param values tells the values; may be called by any thread, which then holds the lock of Hadoop's metrics system
     */
    public LabelledSource(Host host, String recordName, Map<String, String> labels, Consumer<Readings> values) {
        this.host = host;
        this.recordName = recordName;
        this.labels = labels;
        this.values = values;
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        values.accept(new Readings(collector, recordName, host.context, labels));
    }

    /**
     * Begins to show the metrics. A failure is logged: whatever it registers for works without. The caller must not hold
     * a lock that telling the values takes.
     */
    public void register() {
        MetricsSystem metrics = DefaultMetricsSystem.instance();
        try {
            metrics.unregisterSource(name());
            metrics.register(name(), "Metrics of Diff-Index", this);
        } catch (RuntimeException e) {
            LOG.warn("The metrics {} are not shown", name(), e);
        }
    }

    /** Ends showing the metrics, unless another source of the same labels is shown meanwhile. */
    public void unregister() {
        MetricsSystem metrics = DefaultMetricsSystem.instance();
        if (metrics.getSource(name()) == this) {
            metrics.unregisterSource(name());
        }
    }

    /** Returns the part of the bean's name that follows {@code Hadoop:service=HBase,name=}. */
    String name() {
        StringBuilder name = new StringBuilder(host.beanName).append(",sub=DiffIndex");
        labels.forEach(
                (label, value) -> name.append(',').append(label).append('=').append(beanValue(value)));
        return name.toString();
    }

    /** Returns a value as the name of a bean may have it: quoted if it contains the colon of a namespace. */
    private static String beanValue(String value) {
        return value.indexOf(':') < 0 ? value : ObjectName.quote(value);
    }
}
