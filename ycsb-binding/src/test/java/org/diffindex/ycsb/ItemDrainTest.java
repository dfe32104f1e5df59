package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

class ItemDrainTest {
    /** YCSB creates its measurements once for each process, where they would include those of other tests. */
    @BeforeEach
    @AfterEach
    void forgetMeasurements() throws ReflectiveOperationException {
        Field singleton = Measurements.class.getDeclaredField("singleton");
        singleton.setAccessible(true);
        singleton.set(null, null);
    }

    /** Returns the launcher's result for the measurements that YCSB writes. */
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

    @ParameterizedTest
    @ValueSource(strings = {"op", "intended"})
    void theTimeOfADrainIsMeasuredWhereverLatenciesCountFrom(String interval) throws IOException {
        YcsbResult result = result(interval, timeout -> {
            long end = System.nanoTime() + 20_000_000;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            return 0;
        });
        assertThat(result.drainTime().orElseThrow().toMillis()).isBetween(19L, 10_000L);
        assertThat(result.operations()).as("a drain is no operation").isEmpty();
    }

    @Test
    void anIncompleteDrainHasNoTime() throws IOException {
        assertThat(result("op", timeout -> 3).drainTime()).isEmpty();
        assertThat(result("op", timeout -> {
                            throw new IOException("planted");
                        })
                        .drainTime())
                .isEmpty();
    }
}
