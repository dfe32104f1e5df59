package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.trace.TraceUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.deliver.CallListener;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the spans of writes and of the index writes that they cause belong together. */
class SpansTest {
    @RegisterExtension
    static final OpenTelemetryExtension telemetry = OpenTelemetryExtension.create();

    @TempDir
    Path folder;

    private static Put origin(String row, String airport) {
        return new Put(Flights.row(row)).addColumn(Flights.F, Bytes.toBytes("origin"), Flights.row(airport));
    }

    /** Writes a row within a span, as HBase's handler does; returns the span. */
    private static Span write(LocalRegion region, Put put) throws IOException {
        Span span = TraceUtil.createSpan("request");
        TraceUtil.<IOException>trace(() -> region.region().put(put), () -> span);
        return span;
    }

    private static Optional<SpanData> find(String name, String traceId) {
        return telemetry.getSpans().stream()
                .filter(span -> span.getName().equals(name) && span.getTraceId().equals(traceId))
                .findFirst();
    }

    @ParameterizedTest
    @EnumSource(
            value = IndexScheme.class,
            names = {"SYNC_FULL", "SYNC_INSERT"})
    void aSynchronousIndexWriteBelongsToItsRequest(IndexScheme scheme) throws IOException {
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(Flights.byOrigin(scheme)))) {
            String trace = write(region, origin("r1", "ORD")).getSpanContext().getTraceId();
            SpanData call = find("DiffIndex.call", trace).orElseThrow();
            assertThat(call.getParentSpanId()).isNotEqualTo("0000000000000000");
            assertThat(find("DiffIndex.write", trace)).isPresent();
        }
    }

    @Test
    void aDeliveryIsLinkedToTheWritesThatItDelivers() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(index))) {
            Span request = write(region, origin("r1", "ORD"));
            assertThat(region.drain()).isZero();
            String trace = request.getSpanContext().getTraceId();
            Waiting.until("the delivery has ended", () -> deliveryOf(trace).isPresent());
            SpanData delivery = deliveryOf(trace).orElseThrow();
            assertThat(delivery.getTraceId()).isNotEqualTo(trace);
            assertThat(find("DiffIndex.call", delivery.getTraceId())
                            .orElseThrow()
                            .getParentSpanId())
                    .isEqualTo(delivery.getSpanId());
        }
    }

    /** It would be a trace of its own, of updates that were on disk for example, which says nothing about a request. */
    @Test
    void aCallForNoTracedWriteHasNoSpan() throws IOException {
        TracedCalls calls = new TracedCalls(CallListener.NONE);
        calls.during(Flights.TABLE, 1, () -> {});
        assertThat(telemetry.getSpans()).isEmpty();
        Span request = TraceUtil.createSpan("request");
        TraceUtil.<IOException>trace(() -> calls.during(Flights.TABLE, 1, () -> {}), () -> request);
        assertThat(find("DiffIndex.call", request.getSpanContext().getTraceId())
                        .orElseThrow()
                        .getParentSpanId())
                .isEqualTo(request.getSpanContext().getSpanId());
    }

    @Test
    void aWriteThatWaitsForNoIndexHasNoSpan() throws IOException {
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)))) {
            String trace = write(region, origin("r1", "ORD")).getSpanContext().getTraceId();
            assertThat(find("Region.put", trace))
                    .as("HBase's span of the write")
                    .isPresent();
            assertThat(find("DiffIndex.write", trace)).isEmpty();
        }
    }

    private static Optional<SpanData> deliveryOf(String trace) {
        return telemetry.getSpans().stream()
                .filter(span -> span.getName().equals("DiffIndex.deliver")
                        && span.getLinks().stream()
                                .map(LinkData::getSpanContext)
                                .anyMatch(write -> write.getTraceId().equals(trace)))
                .findFirst();
    }

    @Test
    void aDeliveryThatIsRepeatedHasASpanForEachAttempt() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(index))) {
            region.network().faultsOf(index.indexTable()).failNext(1, false);
            String trace = write(region, origin("r1", "ORD")).getSpanContext().getTraceId();
            assertThat(region.drain()).isZero();
            Waiting.until(
                    "both attempts have ended",
                    () -> telemetry.getSpans().stream()
                                    .filter(span -> span.getName().equals("DiffIndex.deliver"))
                                    .filter(span -> span.getLinks().stream().anyMatch(link -> link.getSpanContext()
                                            .getTraceId()
                                            .equals(trace)))
                                    .map(span -> span.getStatus().getStatusCode())
                                    .distinct()
                                    .count()
                            == 2);
        }
    }
}
