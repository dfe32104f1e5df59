package org.diffindex.client;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.SessionChange;

/**
 * What a session sees of an index: the server's entries merged, in the order of their keys, with those that the session's
 * own writes have made. Of a key that both know, the one with the higher stamp counts; at equal stamps the own one has
 * arrived. An entry of the server's of a row that the session has written is left out if it is from before.
 *
 * <p>Pure but for its source: no clock, no calls of its own.
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
     * A merge, which closes its source, and the view at its end already.
     *
     * @param view what the session remembers, of the source's range
     * @param rowOfKey gives the base row of an entry's key, or throws an IllegalArgumentException if it is none
     * @param caughtUp takes the own changes whose entry the server has
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
                    ? unlessPast(takeServer())
                    : order > 0 ? shown(takeOwn()) : newer(takeServer(), takeOwn());
            if (found != null) {
                return found;
            }
        }
        view.close();
        return null;
    }

    /** Fills the heads; false if both sides are at their end. */
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
                : Bytes.compareTo(serverHead.key(), shown(ownHead).key());
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

    private FoundEntry unlessPast(FoundEntry found) {
        byte[] row;
        try {
            row = rowOfKey.apply(found.key());
        } catch (IllegalArgumentException e) {
            return found; // who takes it will say what is wrong with it
        }
        return view.isPast(row, found.stamp()) ? null : found;
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
