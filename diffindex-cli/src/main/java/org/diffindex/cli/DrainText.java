package org.diffindex.cli;

import java.util.TreeMap;
import java.util.stream.Collectors;
import org.diffindex.client.DrainResult;

/** Formats the message of {@code diffindex drain} for undelivered updates. */
final class DrainText {
    private DrainText() {}

    static String failure(String what, DrainResult result, long seconds) {
        String behind = new TreeMap<>(result.behind())
                .entrySet().stream()
                        .map(index -> "%s lacks %,d".formatted(index.getKey(), index.getValue()))
                        .collect(Collectors.joining(", "));
        return what
                + " is not drained: %,d batches of index updates are still in flight after %d s%s; the writes are durable"
                        .formatted(result.remaining(), seconds, behind.isEmpty() ? "" : " (" + behind + ")")
                + " and the indexes will follow; drain again, or run `diffindex status`";
    }
}
