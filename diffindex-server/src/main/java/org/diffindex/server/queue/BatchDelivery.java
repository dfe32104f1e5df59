package org.diffindex.server.queue;

import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PastRows;

/**
 * The delivery of one batch from a region's AUQ to all indexes that are not behind, so that each row is read once for
 * all of them. Updates that an index does not take in time, and updates for an index that is behind, move to the {@link
 * IndexLane} of that index. Not thread-safe.
 */
final class BatchDelivery {
    private final List<QueuedChange> batch;
    private final DeliveryParts parts;

    /** One delivery for each index that is not behind. */
    private final Map<IndexLane, Delivery> deliveries = new LinkedHashMap<>();

    private final List<IndexLane> behind;

    /** The items that moved to the lane of at least one index. */
    private final Set<QueuedChange> passedOn = identitySet();

    private final Set<QueuedChange> delivered = identitySet();

    BatchDelivery(List<QueuedChange> batch, List<IndexLane> lanes, DeliveryParts parts) {
        this.batch = batch;
        this.parts = parts;
        this.behind = lanes.stream().filter(IndexLane::isBehind).toList();
        lanes.stream()
                .filter(lane -> !behind.contains(lane))
                .forEach(lane -> deliveries.put(lane, new Delivery(parts.nanoClock())));
    }

    private static Set<QueuedChange> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /**
     * Computes the updates to be sent.
     *
     * @throws IOException if a row cannot be read; nothing has been sent then
     */
    void prepare() throws IOException {
        PastRows past = UpdateProcessor.pastOf(batch, parts.maintainers());
        List<IndexDefinition> late = behind.stream().map(IndexLane::index).toList();
        for (QueuedChange item : batch) {
            List<IndexUpdate> updates = deliveries.isEmpty()
                    ? List.of()
                    : UpdateProcessor.updatesOf(item, past, item.indexes().without(late), parts.maintainers());
            deliveries.forEach((lane, delivery) -> {
                List<IndexUpdate> own = updates.stream()
                        .filter(update -> update.table().equals(lane.index().indexTable()))
                        .toList();
                if (!own.isEmpty()) {
                    delivery.add(item, own);
                }
            });
        }
        deliveries.values().removeIf(delivery -> delivery.parts().isEmpty());
    }

    /**
     * Sends the updates and waits {@link UpdateProcessor#SLOW_CALL_NANOS} at most for all answers together. When it
     * returns, the lanes have taken over what is not delivered; call {@link #finish} next.
     */
    void run() {
        long start = parts.nanoClock().getAsLong();
        deliveries
                .values()
                .forEach(
                        delivery -> delivery.start(parts.sink(), parts.threads().calls()));
        for (Map.Entry<IndexLane, Delivery> each : deliveries.entrySet()) {
            long left = UpdateProcessor.SLOW_CALL_NANOS - (parts.nanoClock().getAsLong() - start);
            settle(each.getKey(), each.getValue(), each.getValue().isDeliveredWithin(Math.max(0, left)));
        }
        behind.forEach(this::passOn);
    }

    /**
     * Releases the batch. Updates the statistics first, so that a thread that waited for a drain sees every delivery
     * counted.
     */
    void finish() {
        List<QueuedChange> counted = batch.stream()
                .filter(item -> delivered.contains(item) || !passedOn.contains(item))
                .toList();
        UpdateProcessor.account(counted, parts);
        batch.forEach(QueuedChange::done);
        behind.forEach(IndexLane::wake);
    }

    private void settle(IndexLane lane, Delivery delivery, boolean isDelivered) {
        Set<QueuedChange> items = isDelivered ? delivered : passedOn;
        delivery.parts().forEach(part -> items.add(part.item()));
        if (isDelivered) {
            parts.stats().countWritten(delivery.updates());
            UpdateProcessor.accountFor(
                    lane.index(),
                    delivery.parts().stream().map(Delivery.Part::item).toList(),
                    delivery.endNanos(),
                    parts.stats());
        } else {
            lane.takeOver(delivery);
        }
    }

    private void passOn(IndexLane lane) {
        for (QueuedChange item : batch) {
            if (lane.isConcernedBy(item)) {
                passedOn.add(item);
                lane.add(item);
            }
        }
    }
}
