package org.diffindex.it;

import org.diffindex.model.IndexScheme;

/** The contract of {@link IndexScheme#SYNC_INSERT}. */
class SyncInsertIT extends SchemeContract {
    @Override
    IndexScheme scheme() {
        return IndexScheme.SYNC_INSERT;
    }
}
