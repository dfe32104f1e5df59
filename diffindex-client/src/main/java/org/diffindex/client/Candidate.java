package org.diffindex.client;

import java.nio.ByteBuffer;
import org.diffindex.model.IndexKeyCodec;

/**
 * An entry that may be a hit of a query.
 *
 * @param found the entry
 * @param key the parts of the entry's key
 * @param row the base row, that of the key, for use as the key of a map
 * @param isMet whether the scan has met the entry; otherwise it was expected and not met
 */
record Candidate(FoundEntry found, IndexKeyCodec.Key key, ByteBuffer row, boolean isMet) {
    /** Creates a candidate from an entry and the parts of its key. */
    static Candidate of(FoundEntry found, IndexKeyCodec.Key key, boolean isMet) {
        return new Candidate(found, key, ByteBuffer.wrap(key.row()), isMet);
    }
}
