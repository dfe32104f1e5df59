package org.diffindex.cli;

import java.util.TreeMap;
import java.util.stream.Collectors;
import org.diffindex.client.DrainResult;

/** What {@code diffindex drain} says when not all is delivered. */
final class DrainText {
    private DrainText() {}

    static String failure(String what, DrainResult result, long seconds) {
        String behind = new TreeMap<>(result.behind())
                .entrySet().stream()
                        .map(index -> "%s lacks %,d".formatted(index.getKey(), index.getValue()))
                        .collect(Collectors.joining(", "));
        return what
                + " is not drained: %,d batches of index updates are still waiting after %d s%s; the table is durable and its"
                        .formatted(result.remaining(), seconds, behind.isEmpty() ? "" : " (" + behind + ")")
                + " indexes will follow; drain again, or see what diffindex status says";
    }
}
