package org.diffindex.client;

import java.io.IOException;

/** A source whose calls are awaited; each entry that it returns is a step of the read. Used by one thread at a time. */
final class AwaitedSource implements EntrySource {
    private final EntrySource source;
    private final AwaitedLookUps lookUps;

    /** Whether the source was asked for an entry that it has not returned yet. */
    private boolean isAsked;

    /** Creates a source that closes another one, and forgets lookups when that goes on. */
    AwaitedSource(EntrySource source, AwaitedLookUps lookUps) {
        this.source = source;
        this.lookUps = lookUps;
    }

    @Override
    public FoundEntry next() throws IOException {
        if (!isAsked) {
            lookUps.forget(); // those of the page before
            isAsked = true;
        }
        FoundEntry found = source.next();
        isAsked = false;
        lookUps.forget(); // the source's own
        return found;
    }

    @Override
    public boolean hides(FoundEntry met) {
        return source.hides(met);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
