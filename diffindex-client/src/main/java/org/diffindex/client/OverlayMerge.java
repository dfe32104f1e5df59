package org.diffindex.client;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.diffindex.model.SessionChange;

/**
 * Merges the entries that a session sees of an index: those of the server and those that the session's own writes have
 * made, in the order of the scan. For a key that both know, the entry with the higher stamp counts; at equal stamps the session's
 * own entry has arrived in the index. A server's entry of a row that the session has written is left out if it is older
 * than that write.
 *
 * <p>Pure except for its source: reads no clock and makes no calls of its own.
 */
final class OverlayMerge implements EntrySource {
    private final EntrySource server;
    private final SessionOverlay.View view;
    private final UnaryOperator<byte[]> rowOfKey;
    private final Consumer<SessionChange> caughtUp;
    private FoundEntry serverHead;
    private SessionChange ownHead;
    private boolean serverDone;

    /**
     * Creates a merge. Closing it closes the source and the view.
     *
     * @param view the changes that the session remembers, within the source's range
     * @param rowOfKey returns the base row of an entry's key, or throws an IllegalArgumentException if it is not an
     *     entry's key
     * @param caughtUp receives the session's changes whose entries the server has
     */
    OverlayMerge(
            EntrySource server,
            SessionOverlay.View view,
            UnaryOperator<byte[]> rowOfKey,
            Consumer<SessionChange> caughtUp) {
        this.server = server;
        this.view = view;
        this.rowOfKey = rowOfKey;
        this.caughtUp = caughtUp;
    }

    @Override
    public FoundEntry next() throws IOException {
        while (advance()) {
            int order = order();
            FoundEntry found = order < 0
                    ? unlessHidden(takeServer())
                    : order > 0 ? shown(takeOwn()) : newer(takeServer(), takeOwn());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Fills the heads; returns false if both sides are at their end. */
    private boolean advance() throws IOException {
        if (serverHead == null && !serverDone) {
            serverHead = server.next();
            serverDone = serverHead == null;
        }
        if (ownHead == null) {
            ownHead = view.next();
        }
        return serverHead != null || ownHead != null;
    }

    private int order() {
        if (serverHead == null) {
            return 1;
        }
        return ownHead == null
                ? -1
                : view.direction()
                        .order()
                        .compare(serverHead.key(), shown(ownHead).key());
    }

    private FoundEntry takeServer() {
        FoundEntry found = serverHead;
        serverHead = null;
        return found;
    }

    private SessionChange takeOwn() {
        SessionChange change = ownHead;
        ownHead = null;
        return change;
    }

    private FoundEntry unlessHidden(FoundEntry found) {
        return hides(found) ? null : found;
    }

    @Override
    public boolean hides(FoundEntry met) {
        byte[] row;
        try {
            row = rowOfKey.apply(met.key());
        } catch (IllegalArgumentException e) {
            return false; // the reader of the entry reports the invalid key
        }
        return view.isPast(row, met.stamp());
    }

    private FoundEntry newer(FoundEntry found, SessionChange change) {
        if (found.stamp() >= change.stamp()) {
            caughtUp.accept(change);
            return found;
        }
        return shown(change);
    }

    private static FoundEntry shown(SessionChange change) {
        return new FoundEntry(change.entry().orElseThrow(), change.stamp(), true);
    }

    @Override
    public void close() throws IOException {
        try (view) {
            server.close();
        }
    }
}
