package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

class ItemDrainTest {
    /** What the launcher makes of the measurements that YCSB writes. */
    private static YcsbResult result(String interval, ItemDrain.Wait indexes) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("measurementtype", "hdrhistogram");
        properties.setProperty(Measurements.MEASUREMENT_INTERVAL, interval);
        Measurements.setProperties(properties);
        ItemDrain.measure(indexes);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (TextMeasurementsExporter exporter = new TextMeasurementsExporter(text)) {
            Measurements.getMeasurements().exportMeasurements(exporter);
        }
        YcsbOutput output = new YcsbOutput();
        text.toString(StandardCharsets.UTF_8).lines().forEach(output::addMeasurement);
        return output.result(0, OptionalLong.empty());
    }

    @Test
    void theTimeOfADrainIsMeasuredWhereverLatenciesCountFrom() throws IOException {
        for (String interval : List.of("op", "intended")) {
            YcsbResult result = result(interval, timeout -> {
                long end = System.nanoTime() + 20_000_000;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                return 0;
            });
            assertThat(result.drainTime().orElseThrow().toMillis()).as(interval).isBetween(19L, 10_000L);
            assertThat(result.operations()).as("a drain is no operation").isEmpty();
        }
    }

    @Test
    void whatIsNotDrainedHasNoTime() throws IOException {
        assertThat(result("op", timeout -> 3).drainTime()).isEmpty();
        assertThat(result("op", timeout -> {
                            throw new IOException("planted");
                        })
                        .drainTime())
                .isEmpty();
    }
}
