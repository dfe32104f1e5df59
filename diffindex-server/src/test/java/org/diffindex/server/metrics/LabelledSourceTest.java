package org.diffindex.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which metrics a source shows, and until when. */
class LabelledSourceTest {
    private static LabelledSource of(String table, long value) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("table", table);
        labels.put("index", "i");
        return new LabelledSource(
                LabelledSource.Host.REGION_SERVER, "DiffIndexTest", labels, readings -> readings.counter(
                                "wholeWrites", "", value)
                        .gauge("auqBytes", "", -value));
    }

    private static String nameOf(String table) {
        return "RegionServer,sub=DiffIndex,table=" + table + ",index=i";
    }

    @Test
    void labelsTellThingsApart() {
        assertThat(Scrape.of(of("t", 3)))
                .containsExactly(
                        Map.entry("diff_index_test_whole_writes{table=\"t\",index=\"i\"}", 3.0),
                        Map.entry("diff_index_test_auq_bytes{table=\"t\",index=\"i\"}", -3.0));
        assertThat(Scrape.counters(of("t", 3))).containsExactly("diff_index_test_whole_writes");
    }

    @Test
    void aTableOfANamespaceHasABean() {
        assertThat(of("ns:t", 1).name()).isEqualTo(nameOf("\"ns:t\""));
    }

    @Test
    void isShownFromItsRegistrationOn() {
        LabelledSource source = of("shown", 1);
        assertThat(Scrape.registered(nameOf("shown"))).isEmpty();
        source.register();
        assertThat(Scrape.registered(nameOf("shown"))).contains(source);
        source.unregister();
        assertThat(Scrape.registered(nameOf("shown"))).isEmpty();
    }

    /** A process that runs several servers, or a server that has released its last region and gets another one. */
    @Test
    void theLaterOfTwoIsShownWhateverTheEarlierOneDoes() {
        LabelledSource earlier = of("twice", 1);
        LabelledSource later = of("twice", 2);
        earlier.register();
        later.register();
        assertThat(Scrape.registered(nameOf("twice"))).contains(later);
        earlier.unregister();
        assertThat(Scrape.registered(nameOf("twice"))).contains(later);
        later.unregister();
        assertThat(Scrape.registered(nameOf("twice"))).isEmpty();
    }

    @Test
    void bucketsCountAllDurationsUpToTheirBounds() {
        Durations durations = new Durations();
        durations.record(-1);
        durations.record(TimeUnit.MILLISECONDS.toNanos(5));
        durations.record(TimeUnit.MILLISECONDS.toNanos(5) + 1);
        durations.record(TimeUnit.HOURS.toNanos(1));
        LabelledSource source = new LabelledSource(
                LabelledSource.Host.REGION_SERVER,
                "DiffIndexTest",
                Map.of(),
                readings -> readings.durations("call", "", durations));

        Map<String, Double> values = Scrape.of(source);
        assertThat(Scrape.counters(source))
                .as("whatever rate() is asked of")
                .containsExactlyInAnyOrder(
                        "diff_index_test_call_seconds_bucket",
                        "diff_index_test_call_seconds_count",
                        "diff_index_test_call_seconds_sum");
        String bucket = "diff_index_test_call_seconds_bucket{le=\"%s\"}";
        assertThat(values)
                .hasSize(13)
                .containsEntry("diff_index_test_call_seconds_count{}", 4.0)
                .containsEntry("diff_index_test_call_seconds_sum{}", 3600.010000001)
                .containsEntry(bucket.formatted("0.001"), 1.0)
                .containsEntry(bucket.formatted("0.005"), 2.0)
                .containsEntry(bucket.formatted("0.01"), 3.0)
                .containsEntry(bucket.formatted("300"), 3.0)
                .containsEntry(bucket.formatted("+Inf"), 4.0);
    }
}
