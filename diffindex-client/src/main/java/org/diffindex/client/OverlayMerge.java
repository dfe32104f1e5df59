package org.diffindex.client;

import java.io.IOException;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.SessionChange;

/**
 * What a session sees of an index: the server's entries merged, in the order of their keys, with the session's own
 * changes. For a key that both know, the one with the higher stamp counts; at equal stamps a deletion hides the entry,
 * and an entry that was put has arrived.
 *
 * <p>Pure but for its source: no clock, no calls of its own.
 */
final class OverlayMerge implements EntrySource {
    private final EntrySource server;
    private final Iterator<SessionChange> own;
    private final Consumer<SessionChange> caughtUp;
    private FoundEntry serverHead;
    private SessionChange ownHead;
    private boolean serverDone;

    /**
     * A merge, which closes its source.
     *
     * @param own the newest own change of each key, of the source's range
     * @param caughtUp takes the own changes that the server has overtaken and that need not be remembered
     */
    OverlayMerge(EntrySource server, NavigableMap<byte[], SessionChange> own, Consumer<SessionChange> caughtUp) {
        this.server = server;
        this.own = own.values().iterator();
        this.caughtUp = caughtUp;
    }

    @Override
    public FoundEntry next() throws IOException {
        while (advance()) {
            int order = order();
            FoundEntry found = order < 0 ? takeServer() : order > 0 ? shown(takeOwn()) : newer(takeServer(), takeOwn());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Fills the heads; false if both sides are at their end. */
    private boolean advance() throws IOException {
        if (serverHead == null && !serverDone) {
            serverHead = server.next();
            serverDone = serverHead == null;
        }
        if (ownHead == null && own.hasNext()) {
            ownHead = own.next();
        }
        return serverHead != null || ownHead != null;
    }

    private int order() {
        if (serverHead == null) {
            return 1;
        }
        return ownHead == null
                ? -1
                : Bytes.compareTo(serverHead.key(), ownHead.entry().key());
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

    private FoundEntry newer(FoundEntry found, SessionChange change) {
        if (found.stamp() > change.stamp() || (found.stamp() == change.stamp() && change.isInsert())) {
            caughtUp.accept(change);
            return found;
        }
        return shown(change);
    }

    private static FoundEntry shown(SessionChange change) {
        return change.isInsert() ? new FoundEntry(change.entry(), change.stamp(), true) : null;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
