package org.diffindex.server.metrics;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.http.prometheus.PrometheusHadoopServlet;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricType;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** Reads metrics as HBase's servlet tells them to Prometheus. */
public final class Scrape {
    private Scrape() {}

    /** Returns the source that is registered under the name of a JMX bean, without its beginning. */
    public static Optional<MetricsSource> registered(String name) {
        return Optional.ofNullable(DefaultMetricsSystem.instance().getSource(name));
    }

    /**
     * Returns the values of a source, by name and labels as Prometheus shows them, without the labels that all metrics
     * of a process have.
     */
    public static Map<String, Double> of(MetricsSource source) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (MetricsRecord record : records(source)) {
            String labels = record.tags().stream()
                    .filter(tag ->
                            !Set.of("context", "hostname").contains(tag.name().toLowerCase(Locale.ROOT)))
                    .map(Scrape::label)
                    .collect(Collectors.joining(",", "{", "}"));
            for (AbstractMetric metric : record.metrics()) {
                Double before = values.put(
                        prometheusName(record.name(), metric.name()) + labels,
                        metric.value().doubleValue());
                if (before != null) {
                    throw new AssertionError("Twice: " + metric.name() + labels);
                }
            }
        }
        return values;
    }

    private static String label(MetricsTag tag) {
        return "%s=\"%s\"".formatted(tag.name().toLowerCase(Locale.ROOT), tag.value());
    }

    /** Returns the names of the metrics of a source that only grow. */
    public static Set<String> counters(MetricsSource source) {
        return records(source).stream()
                .flatMap(record -> {
                    List<AbstractMetric> metrics = new ArrayList<>();
                    record.metrics().forEach(metrics::add);
                    return metrics.stream()
                            .filter(metric -> metric.type() == MetricType.COUNTER)
                            .map(metric -> prometheusName(record.name(), metric.name()));
                })
                .collect(Collectors.toSet());
    }

    private static List<MetricsRecord> records(MetricsSource source) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        source.getMetrics(collector, true);
        List<? extends MetricsRecord> records = collector.getRecords();
        return List.copyOf(records);
    }

    /** Returns the name that HBase gives a metric for Prometheus. */
    public static String prometheusName(String record, String metric) {
        try {
            Method naming =
                    PrometheusHadoopServlet.class.getDeclaredMethod("toPrometheusName", String.class, String.class);
            naming.setAccessible(true);
            return (String) naming.invoke(null, record, metric);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError("HBase names its metrics in another way now", e);
        }
    }
}
