package org.diffindex.server.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.trace.TraceUtil;

/**
 * The OpenTelemetry spans of index maintenance, made with HBase's own tracer: no more than HBase's where the server runs
 * without OpenTelemetry's agent, which means none.
 */
public final class Spans {
    /** The most writes to which the span of a delivery is linked. */
    private static final int MOST_LINKS = 32;

    private Spans() {}

    /** Work that may fail. */
    @FunctionalInterface
    public interface Body {
        void run() throws IOException;
    }

    /** Returns the context of the span in which the caller runs, if that is traced; else null. */
    public static SpanContext currentIfTraced() {
        SpanContext context = Span.current().getSpanContext();
        return context.isValid() && context.isSampled() ? context : null;
    }

    /**
     * Does work within a span that belongs to the one in which the caller runs. There is no span if the caller runs in
     * none that is traced: it would be a trace of its own, which nothing joins to the write that it is for.
     *
     * @param attributes gives the span its attributes
     */
    public static void within(String name, Consumer<Span> attributes, Body body) throws IOException {
        if (currentIfTraced() == null) {
            body.run();
            return;
        }
        Span span = TraceUtil.createSpan(name);
        attributes.accept(span);
        within(span, body);
    }

    /**
     * Delivers updates within a span of its own, which is linked to writes that the updates come from.
     *
     * @param writes the contexts of the writes, null for those that are not traced; there is no span if all are null
     */
    public static void ofDelivery(String index, Collection<SpanContext> writes, Body body) throws IOException {
        if (writes.stream().allMatch(Objects::isNull)) {
            body.run();
            return;
        }
        SpanBuilder span = TraceUtil.getGlobalTracer()
                .spanBuilder("DiffIndex.deliver")
                .setParent(Context.root())
                .setAttribute("db.hbase.table", index);
        writes.stream().filter(Objects::nonNull).distinct().limit(MOST_LINKS).forEach(span::addLink);
        within(span.startSpan(), body);
    }

    private static void within(Span span, Body body) throws IOException {
        TraceUtil.<IOException>trace(body::run, () -> span);
    }
}
